"""Full disks, locks, damage, read-only media."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from fakes.journals import execution

from moviegraph.errors import JournalError
from moviegraph.journal.sqlite_journal import SqliteJournal

LINUX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are those of POSIX")
WRITER = """
import sys
from pathlib import Path
from moviegraph.journal.execution_records import Execution
from moviegraph.journal.sqlite_journal import SqliteJournal

path, name, count = sys.argv[1:4]

def write():
    journal = SqliteJournal(Path(path))
    for number in range(int(count)):
        id = f"{name}-{number}"
        journal.record(Execution(
            id=id, owner=name, tool="t", created="now", status="ok", given="x" * 3_000
        ))
        sys.stdout.write(id + "\\n")
        sys.stdout.flush()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def run_writer(path: Path, name: str, script: str, count: int = 1000) -> tuple[list[str], int]:
    """Run a writer; return what it acknowledged, and how it ended."""
    command = [sys.executable, "-c", script, str(path), name, str(count)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    return completed.stdout.split(), completed.returncode


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
    script = f"{WRITER}\n{FULL_DISK}"
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
    monkeypatch.setattr("moviegraph.journal.journal_file.BUSY_SECONDS", 0.05)
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


def contents(path: Path) -> dict[str, bytes]:
    return {file_path.name: file_path.read_bytes() for file_path in path.parent.glob("*.sqlite")}


def test_reading_changes_nothing(path: Path) -> None:
    acknowledged, _ = run_writer(path, "a", f"{WRITER}\nwrite()", 60)
    head = ""
    with closing(SqliteJournal(path)) as journal:
        head = journal.head()
    before = contents(path)

    with closing(SqliteJournal(path, writable=False)) as journal:
        assert journal.verify(head).records == len(acknowledged)
        assert [link.id for link in journal.entries(2)] == [acknowledged[-1], acknowledged[-2]]
        with pytest.raises(JournalError, match="readonly"):
            journal.record(execution("new"))
    assert contents(path) == before


def no_access(*_: object) -> bool:
    return False


def test_a_journal_in_a_folder_without_write_access_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(SqliteJournal(path)) as journal:
        journal.record(execution("one"))
    monkeypatch.setattr("moviegraph.journal.journal_file.os.access", no_access)
    with closing(SqliteJournal(path, writable=False)) as journal:
        assert journal.verify().records == 1
    assert [file.name for file in path.parent.glob("*.sqlite*")] == [path.name]


def test_pages_that_were_overwritten_are_found(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal:
        for number in range(200):
            journal.record(execution(f"e{number}", given="g" * 500))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 8192] = os.urandom(8192)
    path.write_bytes(data)

    with closing(SqliteJournal(path, writable=False)) as journal:
        verdict = journal.verify()
    assert verdict.faults
