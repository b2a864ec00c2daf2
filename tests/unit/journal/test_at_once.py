"""Appending at once: to the same chain, or not at all where that would have to wait."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from moviegraph.errors import JournalError
from moviegraph.journal.execution_records import Execution
from moviegraph.journal.sqlite_journal import SqliteJournal

PAGE = 4096
PATIENCE = 120


def execution(id: str, given: str = "SELECT 1", **fields: object) -> Execution:
    known = {"id": id, "owner": "ann", "tool": "t", "created": "now", "given": given}
    return Execution.model_validate({**known, "status": "ok", **fields})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    with closing(SqliteJournal(path)) as opened:
        opened.record(execution("first"))
        yield opened


def test_it_is_the_same_chain(journal: SqliteJournal) -> None:
    assert journal.record_at_once(execution("e1"))
    journal.record(execution("e2"))
    assert journal.record_at_once(execution("e3"))
    assert [link.id for link in journal.entries()] == ["e3", "e2", "e1", "first"]
    assert (journal.verify().ok, journal.verify().records) == (True, 4)


def test_without_a_path_too() -> None:
    with closing(SqliteJournal(None)) as journal:
        journal.record(execution("e1"))
        assert journal.record_at_once(execution("e2"))
        assert journal.verify().records == 2


def test_nothing_is_appended_while_another_process_writes(
    journal: SqliteJournal, path: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not journal.record_at_once(execution("e1"))
        other.execute("ROLLBACK")
    assert journal.verify().records == 1
    assert journal.record_at_once(execution("e1"))


def test_what_another_process_wrote_meanwhile_is_gone_on_from(
    journal: SqliteJournal, path: Path
) -> None:
    with closing(SqliteJournal(path)) as other:
        other.record(execution("others"))
    assert journal.record_at_once(execution("e1"))
    assert (journal.verify().ok, journal.verify().records) == (True, 3)


def test_nothing_is_appended_to_a_file_that_was_sealed_or_taken_away(path: Path) -> None:
    with closing(SqliteJournal(path, 100_000)) as journal, closing(SqliteJournal(path, 1)) as other:
        journal.record(execution("e1"))
        other.record(execution("seals"))
        assert not journal.record_at_once(execution("e2"))
        journal.record(execution("e2"))
        assert journal.verify().records == 3
        path.with_name("journal.2.sqlite").rename(path.with_name("elsewhere"))
        assert not journal.record_at_once(execution("e3"))


def test_what_is_more_than_a_record_is_left_to_who_may_wait(journal: SqliteJournal) -> None:
    best = execution("e1", question="q", sql="SELECT 1", quality={"score": 0.5})
    assert not journal.record_at_once(best)
    assert journal.verify().records == 1


def test_an_append_that_fails_says_so(journal: SqliteJournal) -> None:
    with pytest.raises(JournalError, match="append-only"):
        journal.record_at_once(execution("first"))


@pytest.mark.parametrize(
    "length", [10, 5_000, pytest.param(40_000, marks=pytest.mark.slow("long"))]
)
def test_the_log_is_written_into_the_file_by_who_may_wait(
    journal: SqliteJournal, path: Path, length: int
) -> None:
    log, waited = path.with_name("journal.sqlite-wal"), 0
    for number in range(1_000):
        if not journal.record_at_once(execution(f"e{number}", given="x" * length)):
            journal.record(execution(f"e{number}", given="x" * length))
            waited += 1
    assert 2 < waited < 200
    assert log.stat().st_size < 1_000 * PAGE, "SQLite wrote the log within an append"
    assert path.stat().st_size > 500_000
    assert (journal.verify().ok, journal.verify().records) == (True, 1_001)


def test_one_is_told_of_a_long_log_and_others_go_on(path: Path) -> None:
    numbers = count()

    def appended(pages: int) -> bool:
        return journal.record_at_once(execution(f"e{next(numbers)}", "x" * pages * PAGE))

    with closing(SqliteJournal(path, most_bytes=10**10)) as journal:
        for _ in range(2):
            journal.record(execution(f"e{next(numbers)}"))  # who is told writes the log
            assert [appended(200) for _ in range(5)] == [True, True, True, True, False]
            assert [appended(1) for _ in range(5)] == [True] * 5
            # Where who was told does not come to it, another is, once it is twice as long.
            assert [appended(200) for _ in range(4)] == [True, True, True, False]
        assert journal.verify().ok


def test_threads_that_wait_and_one_that_does_not_append_to_one_chain(
    journal: SqliteJournal,
) -> None:
    begun = threading.Barrier(4, timeout=PATIENCE)

    def write(name: str) -> None:
        begun.wait()
        for number in range(200):
            journal.record(execution(f"{name}{number}"))

    with ThreadPoolExecutor(3) as threads:
        written = [threads.submit(write, name) for name in "abc"]
        begun.wait()
        at_once = [journal.record_at_once(execution(f"d{number}")) for number in range(200)]
        for each in written:
            each.result()
    found = journal.verify()
    assert (found.ok, found.records) == (True, 601 + sum(at_once))
