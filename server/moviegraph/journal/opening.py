"""Opens one SQLite file of the journal: to write, brought up to date; or to read, as it is."""

import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from moviegraph.errors import JournalError, primary_code
from moviegraph.journal.schema import check, prepare

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
