"""The journal as an append-only chain of records in SQLite files, one after another."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

from moviegraph.errors import JournalError
from moviegraph.journal.execution_records import (
    GENESIS,
    BestExecution,
    ChainRecord,
    Execution,
    Verification,
)
from moviegraph.journal.segment import Segment

LOG = logging.getLogger("moviegraph")
PAGE = 1000
MAX_BYTES = 64_000_000


class SqliteJournal:
    """A journal that multiple threads and processes may share; without a path it is in memory.

    A record that was acknowledged survives a killed process: it is in the write-ahead log, which
    the operating system holds. Only a power failure can lose the last ones; the chain stays intact.

    A file that exceeds `max_bytes` is sealed, and the chain continues in the next one:
    `journal.sqlite`, `journal.2.sqlite`, ... Files are never renamed, so a process that still has
    the old one open finds the seal in its next transaction, and follows.

    A journal that is not `writable` creates no file and changes no record.
    """

    def __init__(
        self, path: Path | None, max_bytes: int = MAX_BYTES, *, writable: bool = True
    ) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._writable = writable
        self._lock = threading.RLock()
        self._last = 0
        self._segments: list[Segment] = []
        self._open_all()

    def record(self, execution: Execution) -> None:
        """Append; acknowledged means that a killed process does not lose it."""
        with self._lock:
            self._reopen_lost()
            while not self._segments[-1].append(execution, self._max_bytes):
                self._advance()

    def find(self, owner: str, execution_id: str) -> Execution | None:
        """Return the owner's execution; the ID of a different owner's counts as unknown."""
        records = self._newest(1, "id = ? AND owner = ?", execution_id, owner)
        return records[0].execution() if records else None

    def recent(self, owner: str, limit: int = 50, question: str | None = None) -> list[Execution]:
        """Return the owner's executions, newest first, of one question if given."""
        if question is None:
            records = self._newest(limit, "owner = ?", owner)
        else:
            records = self._newest(limit, "owner = ? AND question = ?", owner, question)
        return [record.execution() for record in records]

    def winners(self, owner: str, content_hash: str, limit: int = 500) -> list[BestExecution]:
        """Return the owner's best execution of each question over some data, newest first."""
        winners: dict[str, BestExecution] = {}
        with self._lock:
            for segment in reversed(self._current_segments()):
                for execution in segment.winners(owner, content_hash, limit - len(winners)):
                    newer = winners.setdefault(execution.question, execution)
                    winners[execution.question] = max(newer, execution, key=lambda best: best.score)
                if len(winners) >= limit:
                    break
        return list(winners.values())

    def entries(self, limit: int = 50, before: int | None = None) -> list[ChainRecord]:
        """Return the newest records of all owners, newest first; only for the operator."""
        if before is None:
            return self._newest(limit, "1 = 1")
        return self._newest(limit, "number < ?", before)

    def with_id_prefix(self, text: str, limit: int) -> list[ChainRecord]:
        """Return the record of an ID, or those whose IDs start with it; only for the operator."""
        exact = self._newest(1, "id = ?", text)
        return exact or self._newest(limit, "substr(id, 1, length(?)) = ?", text, text)

    def head(self) -> str:
        """Return the newest hash; noted elsewhere, it later proves that no record was removed."""
        newest = self.entries(limit=1)
        return newest[0].hash if newest else GENESIS

    def verify(self, head: str | None = None) -> Verification:
        """Check the whole chain; with a head noted earlier, also that nothing up to it is missing.

        If the first files were moved away, the check starts from the head noted of them.
        """
        count, previous = 0, GENESIS
        with self._lock:
            number, start = self._segments[0].origin
        if head == start:
            count, previous = number, start
        is_head_seen = head in (None, previous)
        try:
            for record in self._oldest_first():
                if fault := record.fault(count + 1, previous):
                    bad = record if record.number == count + 1 else None
                    return Verification(count, previous, count + 1, fault, bad)
                count, previous = count + 1, record.hash
                is_head_seen = is_head_seen or record.hash == head
        except JournalError as error:
            return Verification(count, previous, count + 1, f"it is unreadable: {error.message}")
        if not is_head_seen:
            reason = "the noted head is not in the journal: its last records were deleted"
            return Verification(count, previous, count + 1, reason)
        return Verification(count, previous)

    def close(self) -> None:
        """Release the files."""
        with self._lock:
            for segment in self._segments:
                segment.close()

    def _oldest_first(self) -> Iterator[ChainRecord]:
        """Yield the records in pages, between which writers can append."""
        index, number = 0, -(2**63)
        while index < len(self._current_segments()):
            with self._lock:
                clause = "WHERE number > ? ORDER BY number LIMIT ?"
                page = self._segments[index].records(clause, (number, PAGE))
            yield from page
            index, number = (index, page[-1].number) if page else (index + 1, -(2**63))

    def _newest(self, limit: int, condition: str, *values: str | int) -> list[ChainRecord]:
        clause = f"WHERE {condition} ORDER BY number DESC LIMIT ?"
        records: list[ChainRecord] = []
        with self._lock:
            for segment in reversed(self._current_segments()):
                records += segment.records(clause, (*values, limit - len(records)))
                if len(records) >= limit:
                    break
        return records

    def _current_segments(self) -> list[Segment]:
        """Return the files, including those that another process added."""
        with self._lock:
            self._reopen_lost()
            self._advance()
            return self._segments

    def _advance(self) -> None:
        """Open the files after a sealed one."""
        while self._path is not None and self._segments[-1].is_sealed:
            if not self._writable and not _has_data(_file_of(self._path, self._last + 1)):
                return
            self._open(self._last + 1)
            self._last += 1  # only now: if opening failed, the next record retries it

    def _reopen_lost(self) -> None:
        """Reopen all files if the last one failed, or was deleted or replaced."""
        is_lost = not self._segments or self._segments[-1].needs_reopen
        if self._path is None or not self._writable or not is_lost:
            return
        for segment in self._segments:
            if segment.is_deleted:
                text = "The journal file %s was deleted, including its records."
                LOG.error(text, segment.name, extra={"facts": {"event": "journal_removed"}})
        self.close()
        self._open_all()
        LOG.warning("The journal was reopened.", extra={"facts": {"event": "journal_reopened"}})

    def _open_all(self) -> None:
        self._segments.clear()
        numbers = _existing_numbers(self._path)
        is_last_empty = not _has_data(_file_of(self._path, numbers[-1]))
        if not self._writable and len(numbers) > 1 and is_last_empty:
            numbers.pop()  # left by a killed process
        self._last = numbers[-1]
        try:
            for number in numbers:
                self._open(number)
            self._advance()
        except BaseException:
            self.close()
            self._segments.clear()
            raise

    def _open(self, number: int) -> None:
        """Open a file; a new one continues after the last record."""
        tail = self._segments[-1].tail if self._segments else (0, GENESIS)
        path = _file_of(self._path, number)
        self._segments.append(Segment(path, *tail, is_writable=self._writable))


def _file_of(path: Path | None, number: int) -> Path | None:
    """Return the file of a number; the first one has the configured name."""
    if path is None or number == 1:
        return path
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _has_data(path: Path | None) -> bool:
    return path is not None and path.exists() and path.stat().st_size > 0


def _existing_numbers(path: Path | None) -> list[int]:
    """Return the numbers of the existing files; the first one if there is none."""
    if path is None:
        return [1]
    numbers = [1] if path.exists() else []
    for file in path.parent.glob(f"{path.stem}.*{path.suffix}"):
        middle = file.name[len(path.stem) + 1 : len(file.name) - len(path.suffix)]
        if middle.isdecimal() and int(middle) > 1:
            numbers.append(int(middle))
    return sorted(numbers) or [1]
