"""The journal's file: its tables, the triggers that forbid change, and its version."""

import sqlite3

from moviegraph.errors import JournalError

APPLICATION_ID = 0x4D47_4A31  # "MGJ1", so that no other SQLite file is taken for a journal
VERSION = 1

STATEMENTS = (
    """CREATE TABLE records (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        owner TEXT NOT NULL,
        question TEXT,
        body TEXT NOT NULL,
        hash TEXT NOT NULL
    )""",
    "CREATE INDEX records_of_owner ON records (owner, number)",
    "CREATE INDEX records_of_question ON records (owner, question, number)",
    """CREATE TRIGGER no_update BEFORE UPDATE ON records
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    """CREATE TRIGGER no_delete BEFORE DELETE ON records
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    # REPLACE deletes without asking the trigger above.
    """CREATE TRIGGER no_replace BEFORE INSERT ON records
       WHEN NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM records)
         OR EXISTS (SELECT 1 FROM records WHERE id = NEW.id)
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
)


def prepare(connection: sqlite3.Connection) -> None:
    """Create the schema in an empty file, or check that the file is a journal we can read.

    Runs inside one transaction, so that two processes may open a new file at once.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _value(connection, "SELECT count(*) FROM sqlite_master") == 0:
            for statement in STATEMENTS:
                connection.execute(statement)
        _check(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _check(connection: sqlite3.Connection) -> None:
    if _value(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise JournalError(
            "The file is an SQLite database, but not a journal.",
            hint="Set MOVIEGRAPH_JOURNAL to another file.",
        )
    version = _value(connection, "PRAGMA user_version")
    if version != VERSION:
        raise JournalError(
            f"The journal has schema version {version}; this moviegraph reads version {VERSION}.",
            hint="Use the newer version of moviegraph, or set MOVIEGRAPH_JOURNAL to another file.",
        )


def _value(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])
