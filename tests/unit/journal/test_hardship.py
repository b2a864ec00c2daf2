"""Kills in the middle of sealing, writers that seal at once, full disks, locks, read-only media."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from fakes.journals import execution

from moviegraph.errors import JournalError
from moviegraph.journal.sqlite_journal import SqliteJournal

SMALL = 60_000
LINUX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are those of POSIX")
WRITER = """
import os, signal, sys
from pathlib import Path
from moviegraph.journal import segment
from moviegraph.journal.execution_records import Execution
from moviegraph.journal.sqlite_journal import SqliteJournal

path, name, count = sys.argv[1:4]

def write():
    journal = SqliteJournal(Path(path), 60_000)
    for number in range(int(count)):
        id = f"{name}-{number}"
        journal.record(Execution(
            id=id, owner=name, tool="t", created="now", status="ok", given="x" * 3_000
        ))
        sys.stdout.write(id + "\\n")
        sys.stdout.flush()
"""
# Each makes the process kill itself at one moment of the way from a full file to the next.
KILL = """
def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def killing(function, before):
    second = Path(path).with_name("journal.2.sqlite")
    def wrapped(*given):
        if before and second.exists():
            kill()
        result = function(*given)
        if second.exists():
            kill()
        return result
    return wrapped
"""
MOMENTS = {
    "before the seal": (
        "real = segment._size\nsegment._size = lambda c: kill() if real(c) > 60_000 else 0"
    ),
    "after the seal": (
        "SqliteJournal._open = lambda self, at: opened(self, at) if at < 2 else kill()"
    ),
    "the next file is empty": ("segment._create_private = killing(segment._create_private, False)"),
    "before its tables": "segment.prepare_schema = killing(segment.prepare_schema, True)",
    "after its tables": "segment.prepare_schema = killing(segment.prepare_schema, False)",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def run_writer(path: Path, name: str, script: str, count: int = 1000) -> tuple[list[str], int]:
    """Run a writer; return what it acknowledged, and how it ended."""
    command = [sys.executable, "-c", script, str(path), name, str(count)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    return completed.stdout.split(), completed.returncode


@pytest.mark.slow("process")
@LINUX
@pytest.mark.parametrize("moment", list(MOMENTS))
def test_a_kill_between_two_files_loses_nothing(path: Path, moment: str) -> None:
    patched_line = "opened = SqliteJournal._open"
    killed = "\n".join((WRITER, KILL, patched_line, MOMENTS[moment], "write()"))
    message, status = run_writer(path, "a", killed)
    assert status == -signal.SIGKILL, "the process was not killed at that moment"
    assert len(message) > 5

    with closing(SqliteJournal(path, writable=False)) as journal:
        assert journal.verify().ok
        assert all(journal.find("a", execution_id) for execution_id in message)
    more, status = run_writer(path, "b", f"{WRITER}\nwrite()", 40)
    assert (len(more), status) == (40, 0)
    with closing(SqliteJournal(path, SMALL)) as journal:
        verdict = journal.verify()
        assert verdict.ok
        assert verdict.records >= len(message) + 40
        assert all(journal.find("a", execution_id) for execution_id in message)


@pytest.mark.slow("process")
def test_writers_that_fill_the_same_file_at_once_seal_it_once(path: Path) -> None:
    command = [sys.executable, "-c", f"{WRITER}\nwrite()", str(path)]
    writers = [
        subprocess.Popen([*command, name, "60"], stdout=subprocess.PIPE, text=True)
        for name in "abc"
    ]
    error_output = {
        name: process.communicate()[0].split() for name, process in zip("abc", writers, strict=True)
    }

    assert [process.returncode for process in writers] == [0, 0, 0]
    files = sorted(path.parent.glob("journal*.sqlite"), key=lambda file: (len(file.name), file))
    assert len(files) >= 5
    for journal_file in files[:-1]:
        with closing(sqlite3.connect(journal_file)) as file:
            assert file.execute("SELECT count(*) FROM sealed").fetchone() == (1,)
    with closing(SqliteJournal(path, SMALL)) as journal:
        verdict = journal.verify()
        assert (verdict.ok, verdict.records) == (True, 180)
        assert all(
            journal.find(name, node_id) for name, ids in error_output.items() for node_id in ids
        )


FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
from moviegraph.errors import JournalError
try:
    write()
except JournalError as error:
    sys.stdout.write("failed: " + " ".join(error.message.split()))
"""


@pytest.mark.slow("process")
@LINUX
def test_a_full_disk_is_an_error_and_what_was_acknowledged_stays(path: Path) -> None:
    script = f"{WRITER.replace('60_000', '64_000_000')}\n{FULL_DISK}"
    command = [sys.executable, "-c", script, str(path), "a", "1000"]
    completed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    message, _, failure = completed.stdout.partition("failed: ")

    assert "The journal cannot be used" in failure
    with closing(SqliteJournal(path)) as journal:
        assert journal.verify().records >= len(message.split()) > 5
        assert all(journal.find("a", part) for part in message.split())
        journal.record(execution("after"))
        assert journal.verify().ok


def test_a_journal_held_by_another_program_is_an_error_and_then_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moviegraph.journal.segment.BUSY_SECONDS", 0.05)
    with closing(SqliteJournal(path)) as journal, closing(sqlite3.connect(path)) as other:
        journal.record(execution("e1"))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match="locked"):
            journal.record(execution("e2"))
        assert journal.find("ann", "e1")
        other.execute("ROLLBACK")
        journal.record(execution("e2"))
        assert journal.verify().records == 2


def test_one_that_was_damaged_and_put_back_is_opened_again(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(SqliteJournal(path)) as journal:
        journal.record(execution("e1"))
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        good = path.read_bytes()
        path.write_bytes(b"\x00garbage" * (len(good) // 8))
        with pytest.raises(JournalError, match="not a database"):
            journal.record(execution("e2"))
        path.write_bytes(good)
        journal.record(execution("e3"))
        assert "reopened" in caplog.text
        assert [link.id for link in journal.entries()] == ["e3", "e1"]
        assert journal.verify().ok


def test_a_next_file_that_cannot_be_made_is_made_when_it_can(path: Path) -> None:
    with closing(SqliteJournal(path, SMALL)) as journal:
        path.with_name("journal.2.sqlite").mkdir()
        acknowledged = 0
        with pytest.raises(JournalError, match=r"journal\.2\.sqlite"):
            for acknowledged in range(100):
                journal.record(execution(f"e{acknowledged}", given="x" * 3_000))
        path.with_name("journal.2.sqlite").rmdir()

        journal.record(execution("after"))
        verdict = journal.verify()
        assert (verdict.ok, verdict.records) == (True, acknowledged + 1)
        assert not path.with_name("journal.3.sqlite").exists()


def contents(path: Path) -> dict[str, bytes]:
    return {file_path.name: file_path.read_bytes() for file_path in path.parent.glob("*.sqlite")}


def test_reading_changes_nothing(path: Path) -> None:
    message, _ = run_writer(path, "a", f"{WRITER}\nwrite()", 60)
    head = ""
    with closing(SqliteJournal(path, SMALL)) as journal:
        head = journal.head()
    before = contents(path)

    with closing(SqliteJournal(path, writable=False)) as journal:
        assert journal.verify(head).records == len(message)
        assert [link.id for link in journal.entries(2)] == [message[-1], message[-2]]
        with pytest.raises(JournalError, match="readonly"):
            journal.record(execution("new"))
    assert contents(path) == before


def test_pages_that_were_overwritten_are_found(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal:
        for number in range(200):
            journal.record(execution(f"e{number}", given="g" * 500))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 8192] = os.urandom(8192)
    path.write_bytes(data)

    with closing(SqliteJournal(path, writable=False)) as journal:
        verdict = journal.verify()
    assert not verdict.ok
    assert verdict.bad == verdict.records + 1
    assert verdict.reason
