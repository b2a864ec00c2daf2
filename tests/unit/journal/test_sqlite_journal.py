import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from moviegraph.errors import JournalError
from moviegraph.journal.execution_records import GENESIS, Attempt, Execution
from moviegraph.journal.sqlite_journal import SqliteJournal

WRITER = """
import sys
from pathlib import Path
from moviegraph.journal.execution_records import Execution
from moviegraph.journal.sqlite_journal import SqliteJournal

path, name, count = sys.argv[1:]
journal = SqliteJournal(Path(path))
for number in range(int(count)):
    id = f"{name}-{number}"
    journal.record(Execution(id=id, owner=name, tool="t", created="now", status="ok"))
    sys.stdout.write(id + "\\n")
    sys.stdout.flush()
"""


def execution(id: str = "e1", owner: str = "ann", **fields: Any) -> Execution:
    created = "2026-01-01T00:00:00Z"
    return Execution(id=id, owner=owner, tool="t", created=created, status="ok", **fields)


FULL = execution(
    question="What is like Star Wars?",
    query="space opera",
    sql="SELECT TOP 20 m.Name FROM Movie AS m",
    statements=("SELECT 1", "SELECT 2"),
    attempts=(Attempt(sql="SELEC", code="syntax", message="no"), Attempt(sql="SELECT 1")),
    notes=("LIMIT became TOP.",),
    columns=("Id", "n"),
    lineage=(("Movie", "Id", "m"), None),
    keys=(("Movie", 11), ("Theme", 4)),
    row_count=2,
    quality={"score": 0.25, "rows": 2},
    elapsed_ms=12.5,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    with closing(SqliteJournal(path)) as journal:
        yield journal


def write(path: Path, count: int) -> list[str]:
    """Record executions e1, e2, ... and return the head after each."""
    with closing(SqliteJournal(path)) as journal:
        heads: list[str] = []
        for number in range(1, count + 1):
            journal.record(execution(f"e{number}", question="q"))
            heads.append(journal.head())
        return heads


def tamper(path: Path, *statements: str) -> None:
    """Change the file as anyone with access to it can."""
    with closing(sqlite3.connect(path)) as connection:
        for trigger in ("no_update", "no_delete", "no_replace"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_what_was_recorded_is_found_whole(journal: SqliteJournal) -> None:
    journal.record(FULL)
    assert journal.find("ann", "e1") == FULL


def test_a_foreign_id_answers_as_an_unknown_one(journal: SqliteJournal) -> None:
    journal.record(execution("e1", "ann"))
    assert journal.find("bob", "e1") is None
    assert journal.find("ann", "e2") is None


def test_recent_is_the_owners_own_newest_first(journal: SqliteJournal) -> None:
    for number in range(6):
        owner = "ann" if number % 2 else "bob"
        journal.record(execution(f"e{number}", owner, question=f"q{number % 3}"))
    assert [execution.id for execution in journal.recent("ann")] == ["e5", "e3", "e1"]
    assert [execution.id for execution in journal.recent("ann", limit=2)] == ["e5", "e3"]
    assert [execution.id for execution in journal.recent("ann", question="q2")] == ["e5"]
    assert journal.recent("eve") == []


def test_the_operator_sees_every_record(journal: SqliteJournal) -> None:
    for number, owner in enumerate(["ann", "bob", "ann"], 1):
        journal.record(execution(f"e{number}", owner))
    newest = journal.entries(limit=2)
    assert [(link.number, link.owner) for link in newest] == [(3, "ann"), (2, "bob")]
    assert [link.number for link in journal.entries(before=2)] == [1]
    (entry,) = journal.with_id_prefix("e2", 5)
    assert entry.execution() == execution("e2", "bob")
    assert [link.id for link in journal.with_id_prefix("e", 5)] == ["e3", "e2", "e1"]
    assert journal.with_id_prefix("x", 5) == []


def test_without_a_path_the_journal_lives_in_memory() -> None:
    with closing(SqliteJournal(None)) as journal:
        journal.record(FULL)
        assert journal.find("ann", "e1") == FULL
        assert journal.verify().ok


def test_texts_that_no_encoding_holds_are_kept(journal: SqliteJournal) -> None:
    odd = execution(
        "e\ud800", "o\udfff", question="a\x00b\ud800 \u202e\u05e9\u05dc", query="\ud83c"
    )
    journal.record(odd)
    assert journal.find("o\udfff", "e\ud800") == odd
    assert journal.recent("o\udfff", question=odd.question) == [odd]
    assert journal.verify().ok


def test_an_id_is_recorded_once(journal: SqliteJournal) -> None:
    journal.record(execution("e1"))
    with pytest.raises(JournalError, match="append-only"):
        journal.record(execution("e1", question="another"))
    journal.record(execution("e2"))
    assert journal.verify().records == 2


def test_an_untouched_journal_verifies(path: Path) -> None:
    heads = write(path, 3)
    with closing(SqliteJournal(path)) as journal:
        verdict = journal.verify()
        verdict_values = (verdict.ok, verdict.records, verdict.head, verdict.bad)
        assert verdict_values == (True, 3, heads[-1], None)
        assert journal.verify(heads[0]).ok
        assert journal.verify(GENESIS).ok


def test_an_empty_journal_verifies(journal: SqliteJournal) -> None:
    assert journal.verify().ok
    assert journal.head() == GENESIS


def test_verifying_reads_a_long_journal_in_pages(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moviegraph.journal.sqlite_journal.PAGE", 2)
    for number in range(5):
        journal.record(execution(f"e{number}"))
    assert journal.verify().records == 5


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("UPDATE records SET owner = 'eve'", id="update"),
        pytest.param("DELETE FROM records WHERE number = 3", id="delete"),
        pytest.param(
            "INSERT OR REPLACE INTO records SELECT 2, id, owner, question, '{}', hash"
            " FROM records WHERE number = 2",
            id="replace a number",
        ),
        pytest.param(
            "INSERT OR REPLACE INTO records SELECT 4, id, owner, question, '{}', hash"
            " FROM records WHERE number = 2",
            id="replace an id",
        ),
        pytest.param(
            "INSERT INTO records VALUES (9, 'e9', 'ann', NULL, '{}', '')", id="leave a gap"
        ),
    ],
)
def test_the_file_itself_refuses_change(path: Path, statement: str) -> None:
    write(path, 3)
    with closing(sqlite3.connect(path)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
        assert connection.execute("SELECT count(*) FROM records").fetchone() == (3,)


@pytest.mark.parametrize(
    ("statements", "bad", "says"),
    [
        pytest.param(
            ["UPDATE records SET body = replace(body, 'ok', 'failed') WHERE number = 2"],
            2,
            "changed",
            id="text",
        ),
        pytest.param(["UPDATE records SET hash = 'x' WHERE number = 3"], 3, "changed", id="hash"),
        pytest.param(
            ["UPDATE records SET owner = 'eve' WHERE number = 2"], 2, "differs", id="owner"
        ),
        pytest.param(["UPDATE records SET id = 'z' WHERE number = 4"], 4, "differs", id="id"),
        pytest.param(
            ["UPDATE records SET question = NULL WHERE number = 1"], 1, "differs", id="question"
        ),
        pytest.param(["DELETE FROM records WHERE number = 1"], 1, "missing", id="first"),
        pytest.param(["DELETE FROM records WHERE number = 3"], 3, "missing", id="middle"),
        pytest.param(
            [
                "DELETE FROM records WHERE number = 3",
                "UPDATE records SET number = 3 WHERE number = 4",
            ],
            3,
            "changed",
            id="renumbered",
        ),
        pytest.param(
            [
                "UPDATE records SET number = 9 WHERE number = 2",
                "UPDATE records SET number = 2 WHERE number = 3",
                "UPDATE records SET number = 3 WHERE number = 9",
            ],
            2,
            "changed",
            id="swapped",
        ),
        pytest.param(
            ["UPDATE records SET body = x'00ff' WHERE number = 2"], 2, "changed", id="bytes"
        ),
        pytest.param(
            ["INSERT INTO records VALUES (-1, 'x', 'ann', NULL, '{}', '')"],
            1,
            "missing",
            id="extra",
        ),
    ],
)
def test_the_first_bad_record_is_named(
    path: Path, statements: list[str], bad: int, says: str
) -> None:
    write(path, 4)
    tamper(path, *statements)
    with closing(SqliteJournal(path)) as journal:
        verdict = journal.verify()
    assert not verdict.ok
    assert verdict.bad == bad
    assert verdict.records == bad - 1
    assert says in str(verdict.reason)


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("DELETE FROM records WHERE number > 2", id="cut off"),
        pytest.param("DELETE FROM records", id="emptied"),
    ],
)
def test_only_a_noted_head_shows_that_the_end_was_cut_off(path: Path, statement: str) -> None:
    head = write(path, 4)[-1]
    tamper(path, statement)
    with closing(SqliteJournal(path)) as journal:
        assert journal.verify().ok
        verdict = journal.verify(head)
    assert not verdict.ok
    assert verdict.bad == verdict.records + 1
    assert "deleted" in str(verdict.reason)


def test_a_damaged_record_is_an_error_that_says_what_to_run(path: Path) -> None:
    write(path, 2)
    tamper(path, "UPDATE records SET body = '{' WHERE number = 2")
    with closing(SqliteJournal(path)) as journal:
        with pytest.raises(JournalError, match="Record 2") as caught:
            journal.find("ann", "e2")
        assert "journal verify" in str(caught.value.hint)


def test_threads_write_one_chain(journal: SqliteJournal) -> None:
    def write_some(writer: int) -> None:
        for number in range(20):
            journal.record(execution(f"{writer}-{number}", f"owner{writer}"))
            assert journal.find(f"owner{writer}", f"{writer}-{number}")

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(write_some, writer) for writer in range(8)]:
            done.result()
    verdict = journal.verify()
    assert (verdict.ok, verdict.records) == (True, 160)


def test_the_write_ahead_log_stays_bounded(path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    with closing(SqliteJournal(path)) as journal:
        for number in range(500):
            journal.record(execution(f"e{number}", given="x" * 3_000))
        assert log.stat().st_size < 1_100 * 4_096
        assert path.stat().st_size > 500_000
        assert journal.verify().records == 500


@pytest.mark.slow("process")
def test_processes_that_start_together_write_one_chain(path: Path) -> None:
    def run(name: str) -> bytes:
        command = [sys.executable, "-c", WRITER, str(path), name, "25"]
        return subprocess.run(command, capture_output=True, check=True).stdout

    with ThreadPoolExecutor(4) as pool:
        outputs = list(pool.map(run, ["a", "b", "c", "d"]))
    assert [len(output.split()) for output in outputs] == [25] * 4
    with closing(SqliteJournal(path)) as journal:
        verdict = journal.verify()
        assert (verdict.ok, verdict.records) == (True, 100)


@pytest.mark.slow("process")
def test_a_killed_process_loses_nothing_that_was_acknowledged(path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(path), "w", "100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline().decode().strip() for _ in range(20)]
        process.kill()
        acknowledged += process.stdout.read().decode().splitlines()[:-1]
    with closing(SqliteJournal(path)) as journal:
        assert journal.verify().ok
        assert all(journal.find("w", id) for id in acknowledged)
        journal.record(execution("after", "w"))
        assert journal.verify().ok


def test_a_journal_goes_on_where_it_ended(path: Path) -> None:
    first = write(path, 2)
    with closing(SqliteJournal(path)) as journal:
        journal.record(execution("e3"))
        assert journal.head() not in first
        assert journal.verify(first[-1]).records == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_the_file_is_its_owners_alone(journal: SqliteJournal, path: Path) -> None:
    journal.record(FULL)
    assert {file.stat().st_mode & 0o077 for file in path.parent.iterdir()} == {0}


def not_a_database(path: Path) -> None:
    path.write_bytes(b"something else" * 100)


def foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE records (number)")


def other_schema(version: int) -> Any:
    def prepare(path: Path) -> None:
        write(path, 1)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")

    return prepare


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        pytest.param(not_a_database, "not a database", id="not a database"),
        pytest.param(foreign_database, "not a journal", id="foreign database"),
        pytest.param(other_schema(4), "schema version 4", id="newer schema"),
        pytest.param(other_schema(2), "schema version 2", id="older schema"),
        pytest.param(folder, "directory", id="folder"),
    ],
)
def test_a_file_that_is_no_journal_is_refused_and_left_alone(
    path: Path, prepare: Any, says: str
) -> None:
    path.parent.mkdir()
    prepare(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(JournalError, match=says) as caught:
        SqliteJournal(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_closed_journal_is_an_error_and_may_be_closed_again(journal: SqliteJournal) -> None:
    journal.close()
    with pytest.raises(JournalError):
        journal.record(FULL)
    journal.close()


def test_a_record_that_cannot_be_written_leaves_the_journal_usable(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal:
        with closing(sqlite3.connect(path)) as other:
            other.execute("ALTER TABLE records RENAME TO hidden")
            with pytest.raises(JournalError, match="no such table"):
                journal.record(FULL)
            other.execute("ALTER TABLE hidden RENAME TO records")
        journal.record(FULL)
        assert journal.verify().records == 1
