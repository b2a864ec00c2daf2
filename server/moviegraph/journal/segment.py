"""One file of the chain with its write-ahead log; it reports when it is full."""

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from threading import Lock

from moviegraph.errors import primary_code
from moviegraph.journal.execution_records import BestExecution, Execution
from moviegraph.journal.hash_chain import GENESIS, ChainRecord, stored
from moviegraph.journal.sqlite_file import (
    connect,
    failure,
    open_to_read,
    open_to_write,
)

# SQLite itself does it at 1,000 pages, in the append that reaches them.
MOST_PAGES = 700
PAGES = 6  # of a record: one in the table, and in each index
PAGE = 4096


class WriteAheadLog:
    """Written into the file over a connection of its own, so that appends need not wait for it.

    Without a path, or where that connection cannot be made, it is left to SQLite.
    """

    def __init__(self, path: Path | None) -> None:
        self._connection = None if path is None else _opened(path)
        self._lock = Lock()
        self._pages = 0

    def grow(self, length: int) -> None:
        """Count a record of so many characters."""
        self._pages += PAGES + length // PAGE

    @property
    def long(self) -> bool:
        """Whether it is to be written into the file."""
        return self._connection is not None and self._pages > MOST_PAGES

    def shorten(self) -> None:
        """Write it into the file; what cannot be written stays in it, and is tried again later.

        https://www.sqlite.org/wal.html#checkpointing
        """
        self._pages = 0
        with self._lock, suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Release the file, once nothing is written into it."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()


def _opened(path: Path) -> sqlite3.Connection | None:
    """Connect to a file that is there, and to its log; None where that fails."""
    connection = None
    try:
        connection = connect(f"{path.resolve().as_uri()}?mode=rw")
        connection.execute("SELECT 1 FROM origin").fetchone()
    except sqlite3.Error:
        if connection is not None:
            connection.close()
        return None
    return connection


TAIL = """SELECT number, hash FROM (
    SELECT number, hash FROM records UNION ALL SELECT number, hash FROM origin
) ORDER BY number DESC LIMIT 1"""
# Only after the record that its hash covers: another process may have written meanwhile.
APPEND = """INSERT INTO records SELECT :number, :id, :owner, :question, :body, :hash
    WHERE :previous = COALESCE((SELECT hash FROM records WHERE number = :number - 1),
                               (SELECT hash FROM origin WHERE number = :number - 1))
      AND NOT EXISTS (SELECT 1 FROM records WHERE number >= :number)
      AND NOT EXISTS (SELECT 1 FROM sealed)"""
BEST = """INSERT INTO best VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET score = excluded.score, number = excluded.number, id = excluded.id
    WHERE excluded.score >= best.score"""
MEASURED = 64  # times, while a file grows to its bound

LEFT = ".left"
PASSING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL)  # the connection is as good as before


class Segment:
    """One file of the chain; without a path it lives in memory. Its user locks it."""

    def __init__(self, path: Path | None, number: int = 0, previous: str = GENESIS) -> None:
        self.name = "in memory" if path is None else str(path)
        self._path = path
        self._connection = self._opened(path, number, previous)
        self._file = _identity(path)
        self._failed = False
        self._tail: tuple[int, str] | None = None
        self._unmeasured = inf  # bytes of records since the file was measured
        self._log = WriteAheadLog(None)
        self._beside: dict[Path, tuple[int, int] | None] = {}

    @staticmethod
    def _opened(path: Path | None, number: int, previous: str) -> sqlite3.Connection:
        return open_to_write(path, number, previous)

    def append(self, execution: Execution, most_bytes: int) -> bool:
        """Append, and seal the file once it is too big; False where it was sealed before."""
        score = _score(execution)
        due = self._unmeasured > most_bytes / MEASURED
        several = due or score is not None
        with self._used() as connection, _transaction(connection, when=several):
            link = self._linked(connection, execution)
            if link is None:
                return False
            if score is not None:
                best = (link.owner, execution.content_hash, link.question, score)
                connection.execute(BEST, (*best, link.number, link.id))
            if due and _size(connection) > most_bytes:
                connection.execute("INSERT INTO sealed VALUES (?)", (link.number,))
        self._unmeasured = 0 if due else self._unmeasured
        self._note(link)
        return True

    def shorten_log(self) -> None:
        """Write the log into the file, where it is long."""
        if self._log.long:
            self._log.shorten()

    def _note(self, link: ChainRecord) -> None:
        self._tail = link.number, link.hash
        self._unmeasured += len(link.body)
        if self._path is not None and not self._beside:
            self._beside = {path: _identity(path) for path in _companions(self._path)}
            self._log = WriteAheadLog(None if self.lost else self._path)
        self._log.grow(len(link.body))

    def _linked(self, connection: sqlite3.Connection, execution: Execution) -> ChainRecord | None:
        """Insert a record after the last one; None where the file was sealed.

        The last one is the one known here, unless another process has written: one statement is
        a transaction by itself, and each more lets other threads in between.
        """
        while True:
            number, previous = self._tail or connection.execute(TAIL).fetchone()
            link = ChainRecord.after(number, previous, execution)
            values = {
                "number": link.number,
                "id": link.id,
                "owner": link.owner,
                "question": link.question,
                "body": link.body,
                "hash": link.hash,
                "previous": previous,
            }
            if connection.execute(APPEND, values).rowcount:
                return link
            if self._is_sealed(connection):
                return None
            self._tail = None

    @property
    def gone(self) -> bool:
        """Whether its file was removed."""
        return self._file is not None and _identity(self._path) is None

    @property
    def lost(self) -> bool:
        """Whether it must be opened anew: it failed, or another file or none is in its place."""
        return self._failed or _identity(self._path) != self._file

    @property
    def sealed(self) -> bool:
        """Whether the chain goes on in the next file."""
        with self._used() as connection:
            return self._is_sealed(connection)

    @property
    def origin(self) -> tuple[int, str]:
        """Number and hash of the record before the first one here."""
        with self._used() as connection:
            return connection.execute("SELECT number, hash FROM origin").fetchone()

    @property
    def tail(self) -> tuple[int, str]:
        """Number and hash of the last record, here or before."""
        with self._used() as connection:
            return connection.execute(TAIL).fetchone()

    def links(self, clause: str, values: Sequence[str | int]) -> list[ChainRecord]:
        """Return the records that a clause selects."""
        sql = f"SELECT number, id, owner, question, body, hash FROM records {clause}"  # noqa: S608
        bound = [stored(value) if isinstance(value, str) else value for value in values]
        with self._used() as connection:
            return [ChainRecord(*row) for row in connection.execute(sql, bound)]

    def winners(self, owner: str, content_hash: str, limit: int) -> list[BestExecution]:
        """Return the best execution of each question over some data, the newest first."""
        sql = """SELECT question, id, score FROM best WHERE owner = ? AND content_hash = ?
                 ORDER BY number DESC LIMIT ?"""
        with self._used() as connection:
            rows = connection.execute(sql, (stored(owner), content_hash, limit))
            return [BestExecution(*row) for row in rows]

    def close(self) -> None:
        """Release the file.

        Where another stands in its place, the log beside it is put aside: SQLite would write what
        waits in it into that other file.
        """
        moved = _identity(self._path) != self._file
        self._log.close()
        self._connection.close()
        for path, known in self._beside.items():
            if moved and known is not None and _identity(path) == known:
                path.replace(path.with_name(f"{path.name}{LEFT}"))

    @staticmethod
    def _is_sealed(connection: sqlite3.Connection) -> bool:
        return connection.execute("SELECT 1 FROM sealed").fetchone() is not None

    @contextmanager
    def _used(self) -> Generator[sqlite3.Connection, None, None]:
        """Use the connection; SQLite waits where another process holds the file, or refuses."""
        try:
            yield self._connection
        except sqlite3.Error as error:
            code = primary_code(error)  # none where it was closed
            self._failed = code is not None and code not in PASSING
            raise failure(self.name, error) from error


class ReadOnlySegment(Segment):
    """One file of the chain as it stands: it is not brought up to date, and never written to."""

    @staticmethod
    def _opened(path: Path | None, number: int, previous: str) -> sqlite3.Connection:
        assert path is not None
        return open_to_read(path)


def _companions(path: Path) -> tuple[Path, ...]:
    """Return the files that SQLite keeps beside one while it is open."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def _identity(path: Path | None) -> tuple[int, int] | None:
    """Return what tells a file from another in its place, or None where none is."""
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _score(execution: Execution) -> float | None:
    """Return the score by which it may be the best of its question, or None if it cannot be."""
    if execution.question is None or execution.status != "ok" or not execution.sql:
        return None
    return (execution.quality or {}).get("score")


def _size(connection: sqlite3.Connection) -> int:
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    return pages * connection.execute("PRAGMA page_size").fetchone()[0]


@contextmanager
def _transaction(connection: sqlite3.Connection, *, when: bool) -> Generator[None, None, None]:
    """Make one transaction of several statements; a single one is one by itself."""
    if not when:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
