"""One SQLite file of the journal: its schema, its versions, and opening it to write or read."""

import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from moviegraph.errors import JournalError, primary_code

APPLICATION_ID = 0x4D47_4A31  # "MGJ1", so that no other SQLite file is taken for a journal
VERSION = 3
READABLE = (2, VERSION)  # version 3 has the tables of version 2, and records with more members

RECORDS = (
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
    f"PRAGMA application_id = {APPLICATION_ID}",
)
# A chain may run through several files: `origin` is where one begins, `sealed` says that it ended.
# `best` is an index over the records: the best execution of each question, for recall.
CHAINED = (
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
    # REPLACE deletes without asking the trigger above.
    """CREATE TRIGGER no_replace BEFORE INSERT ON records
       WHEN NEW.number <> (SELECT COALESCE(MAX(number), (SELECT number FROM origin)) + 1
                           FROM records)
         OR EXISTS (SELECT 1 FROM records WHERE id = NEW.id)
         OR EXISTS (SELECT 1 FROM sealed)
       BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    f"PRAGMA user_version = {VERSION}",
)
FROM_VERSION_1 = (
    "DROP TRIGGER no_replace",
    *CHAINED,
    """INSERT OR REPLACE INTO best
       SELECT owner, json_extract(body, '$.content_hash'), question,
              json_extract(body, '$.quality.score'), number, id
       FROM records
       WHERE CASE WHEN json_valid(body) THEN question IS NOT NULL
                  AND json_extract(body, '$.status') = 'ok'
                  AND json_extract(body, '$.sql') IS NOT NULL
                  AND json_extract(body, '$.quality.score') IS NOT NULL END
       ORDER BY json_extract(body, '$.quality.score'), number""",
)


def prepare(connection: sqlite3.Connection, number: int, previous: str) -> None:
    """Create the schema in an empty file, or check that the file is a journal we can read.

    Runs inside one transaction, so that two processes may open a new file at once. A new file
    goes on after the record of the given number and hash.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _value(connection, "SELECT count(*) FROM sqlite_master") == 0:
            _run(connection, (*RECORDS, *CHAINED))
            connection.execute("INSERT INTO origin VALUES (?, ?)", (number, previous))
        elif _is_ours(connection):
            _upgrade(connection, number, previous)
        check(connection, (VERSION,))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself ends one that finds no space
            connection.execute("ROLLBACK")
        raise


def _upgrade(connection: sqlite3.Connection, number: int, previous: str) -> None:
    version = _value(connection, "PRAGMA user_version")
    if version == 1:
        _run(connection, FROM_VERSION_1)
        connection.execute("INSERT INTO origin VALUES (?, ?)", (number, previous))
    elif version in READABLE and version < VERSION:
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _run(connection: sqlite3.Connection, statements: tuple[str, ...]) -> None:
    for statement in statements:
        connection.execute(statement)


def check(connection: sqlite3.Connection, readable: tuple[int, ...] = READABLE) -> None:
    """Raise JournalError unless the file is a journal of a version that can be read."""
    if not _is_ours(connection):
        raise JournalError(
            "The file is an SQLite database, but not a journal.",
            hint="Set MOVIEGRAPH_JOURNAL to a different file.",
        )
    version = _value(connection, "PRAGMA user_version")
    if version > VERSION:
        raise JournalError(
            f"The journal has schema version {version}; this moviegraph reads version {VERSION}.",
            hint="Use the newer version of moviegraph, or set MOVIEGRAPH_JOURNAL to a different "
            "file.",
        )
    if version not in readable:
        raise JournalError(
            f"The journal has the old schema version {version}, which must be upgraded first.",
            hint="Start a server of this version with this journal once to upgrade it.",
        )


def _is_ours(connection: sqlite3.Connection) -> bool:
    return _value(connection, "PRAGMA application_id") == APPLICATION_ID


def _value(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])


BUSY_SECONDS = 10.0
RETRY_SECONDS = 0.005
OTHERWISE = (
    "Check the file, the permissions of its folder and the free space, or set "
    "MOVIEGRAPH_JOURNAL to a different file."
)
SPACE = "Free disk space, or set MOVIEGRAPH_JOURNAL to a file on a different disk."
ANOTHER = (
    "Move that file and the files that share its name to a different folder for inspection, "
    "restore a copy, or set MOVIEGRAPH_JOURNAL to a different file."
)
CURES: Mapping[int | None, str] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: (
            "Stop the other program that locks it, or set MOVIEGRAPH_JOURNAL to a different file."
        ),
        sqlite3.SQLITE_FULL: SPACE,
        sqlite3.SQLITE_IOERR: SPACE,
        sqlite3.SQLITE_CORRUPT: ANOTHER,
        sqlite3.SQLITE_NOTADB: ANOTHER,
    }
)


def open_to_write(path: Path | None, number: int, previous: str) -> sqlite3.Connection:
    """Open a file that goes on after the record of a number and hash; None is one in memory."""

    def ready(connection: sqlite3.Connection) -> None:
        prepare(connection, number, previous)
        # After the schema: a foreign file is refused before anything in it changes.
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")

    name = "in memory" if path is None else str(path)
    try:
        if path is not None:
            _create_private(path)
        connection = connect(":memory:" if path is None else str(path))
    except (OSError, sqlite3.Error) as error:
        raise failure(name, error) from error
    return _made(connection, name, ready)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a file without changing it, also one on a medium or in a folder that is read-only."""

    def ready(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA query_only = ON")
        check(connection)

    try:
        return _made(connect(str(path)), str(path), ready)
    except JournalError:
        # SQLite wants to make files beside one that it reads; where nothing waits in a
        # write-ahead log, the file alone is whole. https://www.sqlite.org/uri.html#uriimmutable
        if os.access(path.parent, os.W_OK) or _waiting(path):
            raise
        return _made(connect(f"{path.resolve().as_uri()}?immutable=1"), str(path), ready)


def failure(name: str, error: Exception) -> JournalError:
    """Return what is said of a file that cannot be used."""
    cure = CURES.get(primary_code(error), OTHERWISE)
    return JournalError(
        f"The journal cannot be used: {error} ({name}).",
        hint=f"{cure} The next call retries.",
    )


def connect(place: str) -> sqlite3.Connection:
    """Connect to a file by its path or URI; several threads may use it in turns."""
    return sqlite3.connect(
        place,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=place.startswith("file:"),
    )


def _made(
    connection: sqlite3.Connection, name: str, ready: Callable[[sqlite3.Connection], None]
) -> sqlite3.Connection:
    """Return the connection made ready, or close it."""
    try:
        ready(connection)
    except sqlite3.Error as error:
        connection.close()
        raise failure(name, error) from error
    except JournalError as error:
        connection.close()
        raise JournalError(f"{name}: {error.message}", hint=error.hint) from None
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on; SQLite does not wait where two open a new file at once."""
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


def _waiting(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _create_private(path: Path) -> None:
    """Create the file readable by its owner alone: it holds what people asked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
