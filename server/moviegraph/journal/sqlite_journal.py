"""The journal as an append-only SQLite file, chained by hash."""

import os
import sqlite3
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path

from moviegraph.errors import JournalError
from moviegraph.journal.chain import GENESIS, Link, Verification, stored
from moviegraph.journal.records import Execution
from moviegraph.journal.schema import prepare

BUSY_SECONDS = 10.0
PAGE = 1000


class SqliteJournal:
    """Safe under several threads and several processes; without a path it lives in memory.

    A record that was acknowledged survives a killed process: it is in the write-ahead log, in the
    hands of the operating system. Only a power cut may lose the last ones; the chain stays whole.
    """

    def __init__(self, path: Path | None) -> None:
        self._name = "in memory" if path is None else str(path)
        self._lock = threading.RLock()
        self._connection = _open(path)

    def record(self, execution: Execution) -> None:
        """Append; acknowledged means that a killed process does not lose it."""
        with self._used() as connection, _transaction(connection):
            row = connection.execute(
                "SELECT number, hash FROM records ORDER BY number DESC LIMIT 1"
            ).fetchone()
            number, previous = row or (0, GENESIS)
            link = Link.after(number, previous, execution)
            connection.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", astuple(link))

    def find(self, owner: str, execution_id: str) -> Execution | None:
        """Return the owner's execution; a foreign id answers as an unknown one."""
        links = self._links("WHERE id = ? AND owner = ?", execution_id, owner)
        return links[0].execution() if links else None

    def recent(self, owner: str, limit: int = 50, question: str | None = None) -> list[Execution]:
        """Return the owner's executions, newest first, of one question if given."""
        if question is None:
            links = self._links("WHERE owner = ? ORDER BY number DESC LIMIT ?", owner, limit)
        else:
            links = self._links(
                "WHERE owner = ? AND question = ? ORDER BY number DESC LIMIT ?",
                owner,
                question,
                limit,
            )
        return [link.execution() for link in links]

    def entries(self, limit: int = 50, before: int | None = None) -> list[Link]:
        """Return the newest records of all owners, newest first; for the operator alone."""
        if before is None:
            return self._links("ORDER BY number DESC LIMIT ?", limit)
        return self._links("WHERE number < ? ORDER BY number DESC LIMIT ?", before, limit)

    def entry(self, execution_id: str) -> Link | None:
        """Return one record of any owner; for the operator alone."""
        links = self._links("WHERE id = ?", execution_id)
        return links[0] if links else None

    def head(self) -> str:
        """Return the newest hash; noted elsewhere, it later proves that no record was cut off."""
        newest = self.entries(limit=1)
        return newest[0].hash if newest else GENESIS

    def verify(self, head: str | None = None) -> Verification:
        """Check the whole chain; with a head noted earlier, also that nothing up to it is gone."""
        count, previous = 0, GENESIS
        seen = head in (None, GENESIS)
        for link in self._oldest_first():
            if fault := link.fault(count + 1, previous):
                return Verification(count, previous, count + 1, fault)
            count, previous = count + 1, link.hash
            seen = seen or link.hash == head
        if not seen:
            reason = "the noted head is not in the journal: its last records were cut off"
            return Verification(count, previous, count + 1, reason)
        return Verification(count, previous)

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._connection.close()

    def _oldest_first(self) -> Iterator[Link]:
        """Read in pages, so that writers need not wait for the whole."""
        after = -(2**63)
        while page := self._links("WHERE number > ? ORDER BY number LIMIT ?", after, PAGE):
            yield from page
            after = page[-1].number

    def _links(self, clause: str, *values: str | int) -> list[Link]:
        sql = f"SELECT number, id, owner, question, body, hash FROM records {clause}"  # noqa: S608
        bound = [stored(value) if isinstance(value, str) else value for value in values]
        with self._used() as connection:
            return [Link(*row) for row in connection.execute(sql, bound)]

    @contextmanager
    def _used(self) -> Generator[sqlite3.Connection, None, None]:
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise _failure(self._name, error) from error


def _open(path: Path | None) -> sqlite3.Connection:
    name = "in memory" if path is None else str(path)
    try:
        if path is not None:
            _create_private(path)
        connection = sqlite3.connect(
            ":memory:" if path is None else path,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
    except (OSError, sqlite3.Error) as error:
        raise _failure(name, error) from error
    try:
        prepare(connection)
        # After the schema: a foreign file is refused before anything in it changes.
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error as error:
        connection.close()
        raise _failure(name, error) from error
    except JournalError as error:
        connection.close()
        raise JournalError(f"{name}: {error.message}", hint=error.hint) from None
    return connection


def _create_private(path: Path) -> None:
    """Create the file readable by its owner alone: it holds what people asked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[None, None, None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _failure(name: str, error: Exception) -> JournalError:
    return JournalError(
        f"The journal cannot be used: {error} ({name}).",
        hint="Check the file, its folder's permissions and free space, or set MOVIEGRAPH_JOURNAL.",
    )
