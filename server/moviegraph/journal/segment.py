"""One file of the chain."""

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path

from moviegraph.errors import primary_code
from moviegraph.journal.execution_records import BestExecution, Execution
from moviegraph.journal.hash_chain import GENESIS, ChainRecord, stored
from moviegraph.journal.sqlite_file import failure, open_to_read, open_to_write, transaction

TAIL = """SELECT number, hash FROM (
    SELECT number, hash FROM records UNION ALL SELECT number, hash FROM origin
) ORDER BY number DESC LIMIT 1"""
BEST = """INSERT INTO best VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET score = excluded.score, number = excluded.number, id = excluded.id
    WHERE excluded.score >= best.score"""
ORPHANED = ".left"
TRANSIENT = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL)  # the connection stays usable


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
        if path is None or is_writable:
            self._connection = open_to_write(path, number, previous)
        else:
            self._connection = open_to_read(path)
        self._file = _identity(path)

    def append(self, execution: Execution, max_bytes: int) -> bool:
        """Append, and seal the file once it exceeds a size; return False if it was sealed."""
        score = _score(execution)
        with self._in_use() as connection, transaction(connection):
            if _is_sealed(connection):
                return False
            number, previous = connection.execute(TAIL).fetchone()
            record = ChainRecord.after(number, previous, execution)
            connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", astuple(record))
            if score is not None:
                best = (record.owner, execution.content_hash, record.question, score)
                connection.execute(BEST, (*best, record.number, record.id))
            if _size(connection) > max_bytes:
                connection.execute("INSERT INTO sealed VALUES (?)", (record.number,))
        if self._path is not None and not self._companions:
            self._companions = {path: _identity(path) for path in _companions(self._path)}
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
        with self._in_use() as connection:
            return _is_sealed(connection)

    @property
    def origin(self) -> tuple[int, str]:
        """Number and hash of the record before the first one of this file."""
        with self._in_use() as connection:
            return connection.execute("SELECT number, hash FROM origin").fetchone()

    @property
    def tail(self) -> tuple[int, str]:
        """Number and hash of the last record; of `origin` if the file has none."""
        with self._in_use() as connection:
            return connection.execute(TAIL).fetchone()

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


def _companions(path: Path) -> tuple[Path, ...]:
    """Return the files that SQLite keeps next to an open one."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def _identity(path: Path | None) -> tuple[int, int] | None:
    """Return device and inode of a file, or None if there is no file."""
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _score(execution: Execution) -> float | None:
    """Return the score that competes for the best execution of a question, or None."""
    if execution.question is None or execution.status != "ok" or not execution.sql:
        return None
    return (execution.quality or {}).get("score")


def _is_sealed(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sealed").fetchone() is not None


def _size(connection: sqlite3.Connection) -> int:
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    return pages * connection.execute("PRAGMA page_size").fetchone()[0]
