"""One SQLite file of the journal: its schema, and opening, writing and reading it."""

import os
import sqlite3
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from types import MappingProxyType

from moviegraph.errors import JournalError, primary_code
from moviegraph.journal.execution_records import (
    GENESIS,
    BestExecution,
    ChainRecord,
    Execution,
    stored,
)

APPLICATION_ID = 0x4D47_4A31  # "MGJ1": identifies a journal among SQLite files
VERSION = 3
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
TAIL = """SELECT number, hash, EXISTS (SELECT 1 FROM sealed) FROM (
    SELECT number, hash FROM records UNION ALL SELECT number, hash FROM origin
) ORDER BY number DESC LIMIT 1"""

BEST = """INSERT INTO best VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET score = excluded.score, number = excluded.number, id = excluded.id
    WHERE excluded.score >= best.score"""

ORPHANED = ".left"
TRANSIENT = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL)  # the connection stays usable


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
            schema = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
            for statement in schema.split("\n\n"):  # a trigger contains semicolons
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


def open_file(path: Path | None, origin: tuple[int, str] | None) -> sqlite3.Connection:
    """Open a file that continues after a record, or without `origin` to read it.

    None is a journal in memory. Threads may share the connection if they lock it.
    """
    name = "in memory" if path is None else str(path)
    try:
        if path is not None and origin is not None:
            _create_private(path)
        connection = sqlite3.connect(
            ":memory:" if path is None else path,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
    except (OSError, sqlite3.Error) as error:
        raise failure(name, error) from error
    try:
        if origin is None:
            connection.execute("PRAGMA query_only = ON")
            check(connection)
        else:
            prepare_schema(connection, *origin)
            # After the schema: a foreign file is refused before anything in it changes.
            _enable_write_ahead(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error as error:
        connection.close()
        raise failure(name, error) from error
    except JournalError as error:
        connection.close()
        raise JournalError(f"{name}: {error.message}", hint=error.hint) from None
    return connection


def failure(name: str, error: Exception) -> JournalError:
    """Return the error of a file that cannot be used."""
    hint = HINTS.get(primary_code(error), OTHER_HINT)
    return JournalError(
        f"The journal cannot be used: {error} ({name}).",
        hint=f"{hint} The next call retries.",
    )


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


class Segment:
    """One file of the chain; without a path it is in memory. Its user locks it."""

    def __init__(
        self,
        path: Path | None,
        number: int = 0,
        previous: str = GENESIS,
        *,
        is_writable: bool = True,
    ) -> None:
        self.name = "in memory" if path is None else str(path)
        self._path = path
        self._has_failed = False
        self._companions: dict[Path, tuple[int, int] | None] = {}
        origin = (number, previous) if path is None or is_writable else None
        self._connection = open_file(path, origin)
        self._file = _identity(path)

    def append(self, execution: Execution, max_bytes: int) -> bool:
        """Append, and seal the file once it exceeds a size; return False if it was sealed."""
        with self._in_use() as connection, transaction(connection):
            number, previous, is_sealed = connection.execute(TAIL).fetchone()
            if is_sealed:
                return False
            record = ChainRecord.after(number, previous, execution)
            connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", astuple(record))
            score = (execution.quality or {}).get("score")
            if record.question is not None and execution.sql and score is not None:
                best = (record.owner, execution.content_hash, record.question, score)
                connection.execute(BEST, (*best, record.number, record.id))
            if _size(connection) > max_bytes:
                connection.execute("INSERT INTO sealed VALUES (?)", (record.number,))
        if self._path is not None and not self._companions:
            wal, shm = (self._path.with_name(f"{self._path.name}-{end}") for end in ("wal", "shm"))
            self._companions = {wal: _identity(wal), shm: _identity(shm)}
        return True

    @property
    def is_deleted(self) -> bool:
        """Whether its file was deleted."""
        return self._file is not None and _identity(self._path) is None

    @property
    def needs_reopen(self) -> bool:
        """Whether it failed, or its file was replaced or deleted."""
        return self._has_failed or _identity(self._path) != self._file

    @property
    def is_sealed(self) -> bool:
        """Whether the chain continues in the next file."""
        return self._tail()[2]

    @property
    def origin(self) -> tuple[int, str]:
        """Number and hash of the record before the first one of this file."""
        with self._in_use() as connection:
            return connection.execute("SELECT number, hash FROM origin").fetchone()

    @property
    def tail(self) -> tuple[int, str]:
        """Number and hash of the last record; of `origin` if the file has none."""
        return self._tail()[:2]

    def _tail(self) -> tuple[int, str, bool]:
        with self._in_use() as connection:
            number, previous, is_sealed = connection.execute(TAIL).fetchone()
        return number, previous, bool(is_sealed)

    def records(self, clause: str, values: Sequence[str | int]) -> list[ChainRecord]:
        """Return the records that a clause selects."""
        sql = f"SELECT number, id, owner, question, body, hash FROM records {clause}"  # noqa: S608
        bound = [stored(value) if isinstance(value, str) else value for value in values]
        with self._in_use() as connection:
            return [ChainRecord(*row) for row in connection.execute(sql, bound)]

    def winners(self, owner: str, content_hash: str, limit: int) -> list[BestExecution]:
        """Return the best execution of each question over some data, newest first."""
        sql = """SELECT question, id, score FROM best WHERE owner = ? AND content_hash = ?
                 ORDER BY number DESC LIMIT ?"""
        with self._in_use() as connection:
            rows = connection.execute(sql, (stored(owner), content_hash, limit))
            return [BestExecution(*row) for row in rows]

    def close(self) -> None:
        """Release the file.

        If another file has replaced it, rename the log next to it: SQLite would write the log into
        that file.
        """
        is_replaced = _identity(self._path) != self._file
        self._connection.close()
        for path, identity in self._companions.items():
            if is_replaced and identity is not None and _identity(path) == identity:
                path.replace(path.with_name(f"{path.name}{ORPHANED}"))

    @contextmanager
    def _in_use(self) -> Generator[sqlite3.Connection]:
        """Yield the connection; SQLite waits while another process locks the file."""
        try:
            yield self._connection
        except sqlite3.Error as error:
            code = primary_code(error)  # None if the connection was closed
            self._has_failed = code is not None and code not in TRANSIENT
            raise failure(self.name, error) from error


def _identity(path: Path | None) -> tuple[int, int] | None:
    """Return device and inode of a file, or None if there is no file."""
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _size(connection: sqlite3.Connection) -> int:
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    return pages * connection.execute("PRAGMA page_size").fetchone()[0]
