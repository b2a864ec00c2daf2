-- The journal. Statements are separated by empty lines: a trigger contains semicolons.
-- `records` is the chain and contains no text of a person. Texts are in `bodies`, whose rows can
-- be deleted: the chain has only a salted digest of each.
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner_key TEXT NOT NULL,
    created TEXT NOT NULL,
    digest TEXT NOT NULL,
    hash TEXT NOT NULL
)

-- What may be erased. The columns repeat the body, for the indexes, and stand before it so that
-- SQLite reads them without it; `score` is set for executions that recall may offer.
CREATE TABLE bodies (
    number INTEGER PRIMARY KEY,
    owner_key TEXT NOT NULL,
    question TEXT,
    content_hash TEXT NOT NULL,
    score REAL,
    salt BLOB NOT NULL,
    body TEXT NOT NULL
)

CREATE INDEX bodies_of_owner ON bodies (owner_key, number)

-- Most calls have no question and no score, and each index costs an append a page of the log.
CREATE INDEX bodies_of_question ON bodies (owner_key, question, number) WHERE question IS NOT NULL

CREATE INDEX scored_bodies ON bodies (owner_key, number) WHERE score IS NOT NULL

-- The key of the owner keys.
CREATE TABLE secret (key BLOB NOT NULL)

-- The record before the first one of this file: earlier ones are in an archive.
CREATE TABLE origin (number INTEGER NOT NULL, hash TEXT NOT NULL)

-- In an archive, the record after which a different file continues the chain. Later records here
-- are erasures within the archive.
CREATE TABLE continued (number INTEGER NOT NULL, hash TEXT NOT NULL)

CREATE TRIGGER no_update BEFORE UPDATE ON records
   BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END

CREATE TRIGGER no_body_update BEFORE UPDATE ON bodies
   BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END

-- `moviegraph journal archive` moves the origin forward first.
CREATE TRIGGER no_delete BEFORE DELETE ON records
   WHEN OLD.number > (SELECT number FROM origin)
   BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END

-- REPLACE deletes without firing the trigger above.
CREATE TRIGGER no_replace BEFORE INSERT ON records
   WHEN NEW.number <> (SELECT COALESCE(MAX(number), (SELECT number FROM origin)) + 1
                       FROM records)
     OR EXISTS (SELECT 1 FROM records WHERE id = NEW.id)
   BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END

CREATE TRIGGER no_body_replace BEFORE INSERT ON bodies
   WHEN EXISTS (SELECT 1 FROM bodies WHERE number >= NEW.number)
   BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END

-- "MGJ1"
PRAGMA application_id = 1296517681

PRAGMA user_version = 4
