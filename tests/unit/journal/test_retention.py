"""Erasing texts, archiving old records and copying a journal, while others use it."""

import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moviegraph.errors import JournalError
from moviegraph.journal import retention
from moviegraph.journal.chain import Verification
from moviegraph.journal.execution_records import Execution, short_owner
from moviegraph.journal.retention import archive, forget
from moviegraph.journal.sqlite_journal import SqliteJournal

START = datetime(2026, 1, 1, tzinfo=UTC)
ANN, BOB = "user https://login.example ann", "token bob"


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def call(number: int, owner: str) -> Execution:
    return Execution(
        id=f"e{number}",
        owner=owner,
        tool="run_readonly_sql",
        created=day(number).isoformat(timespec="milliseconds"),
        status="ok",
        question=f"Question {number} of {owner}",
        given=f"given {number} of {owner}",
        sql="SELECT 1",
        quality={"score": number / 100},
        content_hash="c",
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    """A journal that a server keeps open: records of days 1 to 10, ann's the odd ones."""
    with closing(SqliteJournal(path)) as journal:
        for number in range(1, 11):
            journal.record(call(number, ANN if number % 2 else BOB))
        yield journal


def verified(path: Path, head: str | None = None) -> Verification:
    with closing(SqliteJournal(path, writable=False)) as journal:
        return journal.verify(head)


def occurrences(path: Path, text: str) -> list[str]:
    """Return the files of a journal that contain a text in some byte."""
    files = path.parent.glob(f"{path.name}*")
    return [file.name for file in files if text.encode() in file.read_bytes()]


def test_what_an_owner_asked_is_forgotten_and_the_chain_stays(
    journal: SqliteJournal, path: Path
) -> None:
    head = journal.head()
    erasure = forget(path, ANN, None)
    assert (erasure.count, erasure.numbers, erasure.record) == (5, "1 3 5 7 9", 11)
    assert not occurrences(path, "login.example")
    assert occurrences(path, "Question 2 of token bob")

    verdict = journal.verify(head)
    assert verdict.ok
    assert (verdict.records, verdict.erased) == (11, 5)
    assert journal.find(ANN, "e1") is None
    assert journal.recent(ANN) == []
    assert journal.winners(ANN, "c") == []
    assert journal.with_id_prefix("e1", 5) == journal.with_id_prefix("e10", 5)
    assert journal.find(BOB, "e2") == call(2, BOB)


def test_an_erasure_is_a_record_of_who_when_and_which(journal: SqliteJournal, path: Path) -> None:
    forget(path, None, day(4))
    (record,) = journal.entries(1)
    statement = json.loads(record.execution().given or "")
    assert (record.execution().tool, record.execution().owner) == ("journal forget", "operator")
    assert statement["numbers"] == "1-3"
    assert statement["before"] == day(4).isoformat()
    assert statement["by"]


def test_both_conditions_must_hold(journal: SqliteJournal, path: Path) -> None:
    assert forget(path, BOB, day(5)).numbers == "2 4"
    assert journal.verify().erased == 2


def test_an_owner_may_be_named_as_in_logs(journal: SqliteJournal, path: Path) -> None:
    assert forget(path, short_owner(ANN), None).count == 5
    assert journal.verify().ok


def test_nothing_to_forget_changes_nothing(journal: SqliteJournal, path: Path) -> None:
    assert forget(path, "token eve", None).record is None
    forget(path, BOB, None)
    assert forget(path, BOB, None).record is None
    assert journal.verify().records == 11


def test_an_erasure_cannot_be_forgotten(journal: SqliteJournal, path: Path) -> None:
    forget(path, ANN, None)
    forget(path, None, datetime.now(UTC) + timedelta(days=1))
    forget(path, "operator", None)
    verdict = journal.verify()
    assert verdict.ok
    assert (verdict.records, verdict.erased) == (12, 10)


def test_a_text_put_back_after_its_erasure_is_reported(journal: SqliteJournal, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        erased = connection.execute("SELECT * FROM bodies WHERE number = 1").fetchone()
    forget(path, ANN, None)
    with closing(sqlite3.connect(path)) as connection, connection:
        trigger = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'no_body_replace'"
        ).fetchone()[0]
        connection.execute("DROP TRIGGER no_body_replace")
        connection.execute("INSERT INTO bodies VALUES (?, ?, ?, ?, ?, ?, ?)", erased)
        connection.execute(trigger)
    reason = "its text is present, although its erasure is recorded"
    assert journal.verify().faults == ((1, reason),)


def test_a_reader_that_keeps_the_log_is_reported_and_the_command_can_be_repeated(
    journal: SqliteJournal, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moviegraph.journal.journal_file.BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM bodies").fetchone()
        with pytest.raises(JournalError, match="log is in use") as caught:
            forget(path, ANN, None)
        assert "Stop the program" in str(caught.value.hint)
    forget(path, ANN, None)
    assert not occurrences(path, "login.example")
    assert journal.verify().ok


def test_old_records_move_into_an_archive_that_joins_the_journal(
    journal: SqliteJournal, path: Path, tmp_path: Path
) -> None:
    into, head = tmp_path / "archive.sqlite", journal.head()
    moved = archive(path, day(6), into)
    assert moved.count == 5
    assert not occurrences(path, "Question 5 of")
    assert occurrences(into, "Question 5 of") == [into.name]

    verdict, archived = journal.verify(head), verified(into)
    assert verdict.ok
    assert archived.ok
    assert verdict.origin == archived.continued == moved.joint
    assert (archived.records, archived.head) == (5, moved.joint[1])
    assert journal.find(ANN, "e1") is None
    assert journal.find(BOB, "e6") == call(6, BOB)
    with closing(SqliteJournal(into, writable=False)) as opened:
        assert opened.find(ANN, "e1") == call(1, ANN)
        assert [record.number for record in opened.entries()] == [5, 4, 3, 2, 1]


def test_a_journal_is_archived_and_erased_again_and_again(
    journal: SqliteJournal, path: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.sqlite", tmp_path / "second.sqlite"
    forget(path, ANN, None)
    archive(path, day(4), first)
    journal.record(call(20, ANN))
    forget(path, BOB, day(6))
    archive(path, day(9), second)
    journal.record(call(21, ANN))
    forget(first, BOB, None)

    verdicts = [verified(first), verified(second), journal.verify()]
    assert [verdict.faults for verdict in verdicts] == [(), (), ()]
    assert [verdict.erased for verdict in verdicts] == [3, 3, 1]
    assert verdicts[1].origin == verdicts[0].continued
    assert verdicts[2].origin == verdicts[1].continued


def test_an_archive_accepts_no_calls(journal: SqliteJournal, path: Path, tmp_path: Path) -> None:
    archive(path, day(6), tmp_path / "archive.sqlite")
    with (
        closing(SqliteJournal(tmp_path / "archive.sqlite")) as opened,
        pytest.raises(JournalError, match="is an archive"),
    ):
        opened.record(call(20, ANN))
    assert journal.verify().ok


def test_an_archive_replaces_no_file_and_is_never_empty(
    journal: SqliteJournal, path: Path, tmp_path: Path
) -> None:
    existing = tmp_path / "existing"
    existing.write_text("mine")
    with pytest.raises(JournalError, match="never replaces"):
        archive(path, day(6), existing)
    with pytest.raises(JournalError, match="No record is before"):
        archive(path, day(0), tmp_path / "new.sqlite")
    assert existing.read_text() == "mine"
    assert not (tmp_path / "new.sqlite").exists()
    assert journal.verify().records == 10


def test_an_archive_that_cannot_be_finished_leaves_the_journal_whole(
    journal: SqliteJournal, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise JournalError("no space")

    monkeypatch.setattr(retention, "_remove_moved", fail)
    with pytest.raises(JournalError, match="no space"):
        archive(path, day(6), tmp_path / "archive.sqlite")
    assert not (tmp_path / "archive.sqlite").exists()
    assert journal.verify().records == 10


def test_servers_write_on_during_an_erasure_and_an_archive(path: Path, tmp_path: Path) -> None:
    with closing(SqliteJournal(path)) as first, closing(SqliteJournal(path)) as second:
        for number in range(1, 11):
            first.record(call(number, ANN if number % 2 else BOB))
        is_done, written = threading.Event(), [0, 0]

        def serve(server: int, journal: SqliteJournal) -> None:
            while not is_done.is_set():
                number = 1_000 + 2 * written[server] + server
                journal.record(call(number, BOB))
                written[server] += 1

        threads = [threading.Thread(target=serve, args=pair) for pair in enumerate((first, second))]
        for thread in threads:
            thread.start()
        try:
            forget(path, ANN, None)
            archive(path, day(6), tmp_path / "archive.sqlite")
        finally:
            is_done.set()
            for thread in threads:
                thread.join()

        verdict = first.verify()
        assert verdict.faults == ()
        assert verdict.records == 5 + 2 + sum(written)
        assert verified(tmp_path / "archive.sqlite").faults == ()
        assert all(first.find(BOB, f"e{1_000 + 2 * number}") for number in range(written[0]))


def test_a_copy_made_while_a_server_writes_is_whole(
    journal: SqliteJournal, path: Path, tmp_path: Path
) -> None:
    """`docs/guides/privacy.md` shows this command."""
    copy = tmp_path / "copy.sqlite"
    command = (
        "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('VACUUM INTO ?', sys.argv[2:])"
    )
    subprocess.run([sys.executable, "-c", command, path, copy], check=True)
    journal.record(call(11, ANN))
    verdict = verified(copy)
    assert verdict.ok
    assert verdict.records == 10
