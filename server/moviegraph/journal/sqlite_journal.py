"""The journal as an append-only chain of records in SQLite files, one after another."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

from moviegraph.errors import JournalError
from moviegraph.journal.execution_records import BestExecution, Execution
from moviegraph.journal.hash_chain import GENESIS, ChainRecord, Verification
from moviegraph.journal.segment import ReadOnlySegment, Segment

LOG = logging.getLogger("moviegraph")
PAGE = 1000
MOST_BYTES = 64_000_000


class SqliteJournal:
    """Safe under several threads and several processes; without a path it lives in memory.

    A record that was acknowledged survives a killed process: it is in the write-ahead log, in the
    hands of the operating system. Only a power cut may lose the last ones; the chain stays whole.

    A file that has grown over `most_bytes` is sealed, and the chain goes on in the next one:
    `journal.sqlite`, `journal.2.sqlite`, ... No file is ever renamed, so that a process that
    still has the old one open finds the seal in its next transaction, and follows.

    One that is not `writable` is for reading alone: it makes no file, upgrades none, and changes no
    record.
    """

    def __init__(
        self, path: Path | None, most_bytes: int = MOST_BYTES, *, writable: bool = True
    ) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._writable = writable
        self._lock = threading.RLock()
        self._last = 0
        self._segments: list[Segment] = []
        self._open_all()

    def record(self, execution: Execution) -> None:
        """Append; acknowledged means that a killed process does not lose it."""
        with self._lock:
            self._mend()
            while not self._segments[-1].append(execution, self._most_bytes):
                self._follow()
            segment = self._segments[-1]
        segment.shorten_log()  # without the lock: others append meanwhile

    def find(self, owner: str, execution_id: str) -> Execution | None:
        """Return the owner's execution; a foreign id answers as an unknown one."""
        links = self._newest(1, "id = ? AND owner = ?", execution_id, owner)
        return links[0].execution() if links else None

    def recent(self, owner: str, limit: int = 50, question: str | None = None) -> list[Execution]:
        """Return the owner's executions, newest first, of one question if given."""
        if question is None:
            links = self._newest(limit, "owner = ?", owner)
        else:
            links = self._newest(limit, "owner = ? AND question = ?", owner, question)
        return [link.execution() for link in links]

    def winners(self, owner: str, content_hash: str, limit: int = 500) -> list[BestExecution]:
        """Return the owner's best execution of each question over some data, newest first."""
        winners: dict[str, BestExecution] = {}
        with self._lock:
            self._follow()
            for segment in reversed(self._segments):
                for execution in segment.winners(owner, content_hash, limit - len(winners)):
                    known = winners.setdefault(execution.question, execution)
                    winners[execution.question] = max(
                        known, execution, key=lambda winner: winner.score
                    )
                if len(winners) >= limit:
                    break
        return list(winners.values())

    def entries(self, limit: int = 50, before: int | None = None) -> list[ChainRecord]:
        """Return the newest records of all owners, newest first; for the operator alone."""
        if before is None:
            return self._newest(limit, "1 = 1")
        return self._newest(limit, "number < ?", before)

    def beginning(self, text: str, limit: int) -> list[ChainRecord]:
        """Return the record of an id, or those whose ids begin so; for the operator alone."""
        exact = self._newest(1, "id = ?", text)
        return exact or self._newest(limit, "substr(id, 1, length(?)) = ?", text, text)

    def head(self) -> str:
        """Return the newest hash; noted elsewhere, it later proves that no record was cut off."""
        newest = self.entries(limit=1)
        return newest[0].hash if newest else GENESIS

    def verify(self, head: str | None = None) -> Verification:
        """Check the whole chain; with a head noted earlier, also that nothing up to it is gone.

        Where the first files were moved away, the head noted of them is where the check begins.
        """
        count, previous = self._start(head)
        seen = head in (None, previous)
        try:
            for link in self._oldest_first():
                if fault := link.fault(count + 1, previous):
                    record = link if link.number == count + 1 else None
                    return Verification(count, previous, count + 1, fault, record)
                count, previous = count + 1, link.hash
                seen = seen or link.hash == head
        except JournalError as error:
            return Verification(count, previous, count + 1, f"it is unreadable: {error.message}")
        if not seen:
            reason = "the noted head is not in the journal: its last records were deleted"
            return Verification(count, previous, count + 1, reason)
        return Verification(count, previous)

    def close(self) -> None:
        """Release the files."""
        with self._lock:
            for segment in self._segments:
                segment.close()

    def _start(self, head: str | None) -> tuple[int, str]:
        with self._lock:
            number, previous = self._segments[0].origin
        return (number, previous) if head == previous else (0, GENESIS)

    def _oldest_first(self) -> Iterator[ChainRecord]:
        """Read in pages, so that writers need not wait for the whole."""
        at = 0
        while at < len(self._all()):
            after = -(2**63)
            while page := self._page(at, after):
                yield from page
                after = page[-1].number
            at += 1

    def _page(self, at: int, after: int) -> list[ChainRecord]:
        with self._lock:
            clause = "WHERE number > ? ORDER BY number LIMIT ?"
            return self._segments[at].links(clause, (after, PAGE))

    def _newest(self, limit: int, condition: str, *values: str | int) -> list[ChainRecord]:
        clause = f"WHERE {condition} ORDER BY number DESC LIMIT ?"
        records: list[ChainRecord] = []
        with self._lock:
            for segment in reversed(self._all()):
                records += segment.links(clause, (*values, limit - len(records)))
                if len(records) >= limit:
                    break
        return records

    def _all(self) -> list[Segment]:
        with self._lock:
            self._follow()
            return self._segments

    def _follow(self) -> None:
        """Open anew what was lost, and what comes after a sealed file, of whatever process."""
        self._mend()
        self._advance()

    def _advance(self) -> None:
        while self._path is not None and self._segments[-1].sealed:
            if not self._writable and not _holds(_named(self._path, self._last + 1)):
                return
            self._open(self._last + 1)
            self._last += 1  # only now: where opening failed, the next record tries it again

    def _mend(self) -> None:
        """Open anew what failed, or was taken away or replaced: its records would reach nobody."""
        if self._path is None or not self._writable or not self._is_lost():
            return
        for segment in self._segments:
            if segment.gone:
                text = "The journal file %s was deleted, including its records."
                LOG.error(text, segment.name, extra={"facts": {"event": "journal_removed"}})
        self.close()
        self._segments.clear()
        self._open_all()
        LOG.warning("The journal was reopened.", extra={"facts": {"event": "journal_reopened"}})

    def _is_lost(self) -> bool:
        return not self._segments or self._segments[-1].lost

    def _open_all(self) -> None:
        numbers = _existing(self._path)
        if not self._writable and len(numbers) > 1 and not _holds(_named(self._path, numbers[-1])):
            numbers.pop()  # left empty by a kill
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
        """Open a file; one that is new, or was left empty by a kill, goes on from the last."""
        at, previous = self._segments[-1].tail if self._segments else (0, GENESIS)
        kind = Segment if self._writable else ReadOnlySegment
        self._segments.append(kind(_named(self._path, number), at, previous))


def _named(path: Path | None, number: int) -> Path | None:
    """Return the file of a number; the first one bears the name that was set."""
    if path is None or number == 1:
        return path
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _holds(path: Path | None) -> bool:
    return path is not None and path.exists() and path.stat().st_size > 0


def _existing(path: Path | None) -> list[int]:
    """Return the numbers of the files that are there; the first one where none is."""
    if path is None:
        return [1]
    numbers = [1] if path.exists() else []
    for file in path.parent.glob(f"{path.stem}.*{path.suffix}"):
        middle = file.name[len(path.stem) + 1 : len(file.name) - len(path.suffix)]
        if middle.isdecimal() and int(middle) > 1:
            numbers.append(int(middle))
    return sorted(numbers) or [1]
