"""One SQLite file of the journal: its schema, and opening it to write or to read."""

import os
import sqlite3
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from moviegraph.errors import JournalError, primary_code

APPLICATION_ID = 0x4D47_4A31  # "MGJ1": identifies a journal among SQLite files
VERSION = 3
# The chain may span multiple files: `origin` is the record before the first one of a file, `sealed`
# marks a full file. `best` indexes the best execution of each question, for recall.
SCHEMA = (
    """CREATE TABLE records (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        owner TEXT NOT NULL,
        question TEXT,
        body TEXT NOT NULL,
        hash TEXT NOT NULL
    )""",
    "CREATE INDEX records_of_owner ON records (owner, number)",
    # Most calls have no question, and each index costs an append a page of the log.
    """CREATE INDEX records_of_question ON records (owner, question, number)
       WHERE question IS NOT NULL""",
    """CREATE TRIGGER no_update BEFORE UPDATE ON records
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    """CREATE TRIGGER no_delete BEFORE DELETE ON records
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    "CREATE TABLE origin (number INTEGER NOT NULL, hash TEXT NOT NULL)",
    "CREATE TABLE sealed (number INTEGER NOT NULL)",
    """CREATE TABLE best (
        owner TEXT NOT NULL,
        content_hash TEXT NOT NULL,
        question TEXT NOT NULL,
        score REAL NOT NULL,
        number INTEGER NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (owner, content_hash, question)
    ) WITHOUT ROWID""",
    # REPLACE deletes without firing the trigger above.
    """CREATE TRIGGER no_replace BEFORE INSERT ON records
       WHEN NEW.number <> (SELECT COALESCE(MAX(number), (SELECT number FROM origin)) + 1
                           FROM records)
         OR EXISTS (SELECT 1 FROM records WHERE id = NEW.id)
         OR EXISTS (SELECT 1 FROM sealed)
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Run the block as one writing transaction, rolled back if it fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back when the disk is full
            connection.execute("ROLLBACK")
        raise


def prepare_schema(connection: sqlite3.Connection, number: int, previous: str) -> None:
    """Create the schema in an empty file, or check that the file is a readable journal.

    One transaction, so that two processes can open a new file at once. A new file continues after
    the record of the given number and hash.
    """
    with transaction(connection):
        if _value(connection, "SELECT count(*) FROM sqlite_master") == 0:
            for statement in SCHEMA:
                connection.execute(statement)
            connection.execute("INSERT INTO origin VALUES (?, ?)", (number, previous))
        check(connection)


def check(connection: sqlite3.Connection) -> None:
    """Raise JournalError unless the file is a journal of this schema version."""
    if _value(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise JournalError(
            "The file is an SQLite database, but not a journal.",
            hint="Set MOVIEGRAPH_JOURNAL to a different file.",
        )
    version = _value(connection, "PRAGMA user_version")
    if version != VERSION:
        raise JournalError(
            f"The journal has schema version {version}; this moviegraph reads version {VERSION}.",
            hint="Use the version of moviegraph that wrote it, or set MOVIEGRAPH_JOURNAL to a "
            "different file.",
        )


def _value(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])


BUSY_SECONDS = 10.0
RETRY_SECONDS = 0.005
OTHER_HINT = (
    "Check the file, the permissions of its folder and the free space, or set "
    "MOVIEGRAPH_JOURNAL to a different file."
)
SPACE_HINT = "Free disk space, or set MOVIEGRAPH_JOURNAL to a file on a different disk."
DAMAGED_HINT = (
    "Move that file and the files that share its name to a different folder for inspection, "
    "restore a copy, or set MOVIEGRAPH_JOURNAL to a different file."
)
HINTS: Mapping[int | None, str] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: (
            "Stop the other program that locks it, or set MOVIEGRAPH_JOURNAL to a different file."
        ),
        sqlite3.SQLITE_FULL: SPACE_HINT,
        sqlite3.SQLITE_IOERR: SPACE_HINT,
        sqlite3.SQLITE_CORRUPT: DAMAGED_HINT,
        sqlite3.SQLITE_NOTADB: DAMAGED_HINT,
    }
)


def open_to_write(path: Path | None, number: int, previous: str) -> sqlite3.Connection:
    """Open a file that continues after a record; None is a journal in memory."""

    def initialize(connection: sqlite3.Connection) -> None:
        prepare_schema(connection, number, previous)
        # After the schema: a foreign file is refused before anything in it changes.
        _enable_write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")

    name = "in memory" if path is None else str(path)
    try:
        if path is not None:
            _create_private(path)
        connection = connect(":memory:" if path is None else str(path))
    except (OSError, sqlite3.Error) as error:
        raise failure(name, error) from error
    return _initialize(connection, name, initialize)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a file without changing it, also one on a medium or in a folder that is read-only."""

    def initialize(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA query_only = ON")
        check(connection)

    try:
        return _initialize(connect(str(path)), str(path), initialize)
    except JournalError:
        # SQLite creates files next to one that it reads. If the write-ahead log is empty, the file
        # is complete without them. https://www.sqlite.org/uri.html#uriimmutable
        log = path.with_name(f"{path.name}-wal")
        if os.access(path.parent, os.W_OK) or (log.exists() and log.stat().st_size > 0):
            raise
        return _initialize(connect(f"{path.resolve().as_uri()}?immutable=1"), str(path), initialize)


def failure(name: str, error: Exception) -> JournalError:
    """Return the error of a file that cannot be used."""
    hint = HINTS.get(primary_code(error), OTHER_HINT)
    return JournalError(
        f"The journal cannot be used: {error} ({name}).",
        hint=f"{hint} The next call retries.",
    )


def connect(target: str) -> sqlite3.Connection:
    """Connect to a file by its path or URI; threads may share it if they lock it."""
    return sqlite3.connect(
        target,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=target.startswith("file:"),
    )


def _initialize(
    connection: sqlite3.Connection, name: str, initialize: Callable[[sqlite3.Connection], None]
) -> sqlite3.Connection:
    """Return the initialized connection; close it on failure."""
    try:
        initialize(connection)
    except sqlite3.Error as error:
        connection.close()
        raise failure(name, error) from error
    except JournalError as error:
        connection.close()
        raise JournalError(f"{name}: {error.message}", hint=error.hint) from None
    return connection


def _enable_write_ahead(connection: sqlite3.Connection) -> None:
    """Enable the write-ahead log; SQLite does not wait while another process does the same."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def _create_private(path: Path) -> None:
    """Create the file, readable by its owner only: it contains what people asked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
