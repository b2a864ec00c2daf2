-- One file of the journal. Statements are separated by empty lines: a trigger contains semicolons.
-- The chain may span multiple files: `origin` is the record before the first one of a file, `sealed`
-- marks a full file. `best` indexes the best execution of each question, for recall.
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    question TEXT,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
)

CREATE INDEX records_of_owner ON records (owner, number)

-- Most calls have no question, and each index costs an append a page of the log.
CREATE INDEX records_of_question ON records (owner, question, number)
   WHERE question IS NOT NULL

CREATE TRIGGER no_update BEFORE UPDATE ON records
   BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END

CREATE TRIGGER no_delete BEFORE DELETE ON records
   BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END

CREATE TABLE origin (number INTEGER NOT NULL, hash TEXT NOT NULL)

CREATE TABLE sealed (number INTEGER NOT NULL)

CREATE TABLE best (
    owner TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    question TEXT NOT NULL,
    score REAL NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (owner, content_hash, question)
) WITHOUT ROWID

-- REPLACE deletes without firing the trigger above.
CREATE TRIGGER no_replace BEFORE INSERT ON records
   WHEN NEW.number <> (SELECT COALESCE(MAX(number), (SELECT number FROM origin)) + 1
                       FROM records)
     OR EXISTS (SELECT 1 FROM records WHERE id = NEW.id)
     OR EXISTS (SELECT 1 FROM sealed)
   BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END

-- "MGJ1"
PRAGMA application_id = 1296517681

PRAGMA user_version = 3
