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
from moviegraph.journal.chain import GENESIS
from moviegraph.journal.execution_records import Attempt, Execution, short_owner
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
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        for name, _ in (stored := triggers.fetchall()):
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in stored:
            connection.execute(sql)
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
    assert [(link.number, link.execution().owner) for link in newest] == [(3, "ann"), (2, "bob")]
    assert [link.number for link in journal.entries(before=2)] == [1]
    assert [link.number for link in journal.entries(owner="ann")] == [3, 1]
    assert journal.entries(owner="eve") == []
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
        assert (verdict.ok, verdict.records, verdict.head) == (True, 3, heads[-1])
        assert verdict.faults == ()
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


RECORD = "INSERT OR REPLACE INTO records SELECT {}, owner_key, created, digest, hash FROM records"
CHANGES = {
    "update": "UPDATE records SET owner_key = 'eve'",
    "update a text": "UPDATE bodies SET body = '{}'",
    "delete": "DELETE FROM records WHERE number = 3",
    "replace a number": RECORD.format("2, 'z'") + " WHERE number = 1",
    "replace an id": RECORD.format("4, id") + " WHERE number = 2",
    "replace a text": (
        "INSERT OR REPLACE INTO bodies SELECT number, owner_key, question, content_hash, score,"
        " salt, '{}' FROM bodies WHERE number = 2"
    ),
    "leave a gap": "INSERT INTO records VALUES (9, 'e9', 'k', 't', 'd', 'h')",
}


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES)
def test_the_file_itself_refuses_change(path: Path, statement: str) -> None:
    write(path, 3)
    with closing(sqlite3.connect(path)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
        assert connection.execute("SELECT count(*) FROM records").fetchone() == (3,)


LINK = "it or the record before it was changed"
COPY = "its ID, owner, time, question, data or score differs from its text"
TAMPERED = {
    "text": (["UPDATE bodies SET body = replace(body, 'ok', 'failed') WHERE number = 2"],
             [(2, "its text was changed")]),
    "bytes": (["UPDATE bodies SET body = CAST(x'00ff' AS TEXT) WHERE number = 2"],
              [(2, "its text was changed")]),
    "salt": (["UPDATE bodies SET salt = x'00' WHERE number = 2"], [(2, "its text was changed")]),
    "text removed": (["DELETE FROM bodies WHERE number = 2"],
                     [(2, "its text is missing, and no erasure of it is recorded")]),
    "hash": (["UPDATE records SET hash = 'x' WHERE number = 3"], [(3, LINK), (4, LINK)]),
    "owner": (["UPDATE records SET owner_key = 'eve' WHERE number = 2"], [(2, LINK)]),
    "time": (["UPDATE records SET created = '1999-01-01' WHERE number = 2"], [(2, LINK)]),
    "id": (["UPDATE records SET id = 'z' WHERE number = 4"], [(4, LINK)]),
    "digest": (["UPDATE records SET digest = 'z' WHERE number = 1"], [(1, LINK)]),
    "owner of the text": (["UPDATE bodies SET owner_key = 'eve' WHERE number = 2"],
                          [(2, "its text is missing, and no erasure of it is recorded")]),
    "question": (["UPDATE bodies SET question = NULL WHERE number = 1"], [(1, COPY)]),
    "score": (["UPDATE bodies SET score = 1 WHERE number = 1"], [(1, COPY)]),
    "first": (["DELETE FROM records WHERE number = 1"], [(1, "it is missing")]),
    "middle": (["DELETE FROM records WHERE number = 3"], [(3, "it is missing")]),
    "renumbered": (
        ["DELETE FROM records WHERE number = 3", "UPDATE records SET number = 3 WHERE number = 4"],
        [(3, LINK)],
    ),
    "swapped": (
        [
            "UPDATE records SET number = 9 WHERE number = 2",
            "UPDATE records SET number = 2 WHERE number = 3",
            "UPDATE records SET number = 3 WHERE number = 9",
        ],
        [(2, LINK), (3, LINK), (4, LINK)],
    ),
    "two records": (
        ["UPDATE bodies SET body = '{' WHERE number IN (1, 4)"],
        [(1, "its text was changed"), (4, "its text was changed")],
    ),
    "start": (
        ["UPDATE origin SET number = 2, hash = (SELECT hash FROM records WHERE number = 2)",
         "DELETE FROM bodies WHERE number < 3", "DELETE FROM records WHERE number < 3"],
        [(3, "it is the first one, which no archive states")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("statements", "faults"), TAMPERED.values(), ids=TAMPERED)
def test_each_wrong_record_is_named(
    path: Path, statements: list[str], faults: list[tuple[int, str]]
) -> None:
    write(path, 4)
    tamper(path, *statements)
    with closing(SqliteJournal(path)) as journal:
        verdict = journal.verify()
    assert verdict.faults == tuple(faults)
    assert verdict.fault_count == len(faults)


def test_a_flipped_byte_of_the_file_names_its_record_and_hides_no_other(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal:
        for number in range(1, 14):
            journal.record(execution(f"e{number}", question=f"question {number}!"))
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"question 12!"', b'"question 1\xff!"'))

    with closing(SqliteJournal(path, writable=False)) as journal:
        verdict = journal.verify()
        assert verdict.faults == ((12, "its text was changed"),)
        assert verdict.records == 13
        assert len(journal.entries()) == 13


def test_a_dropped_or_changed_trigger_is_reported(path: Path) -> None:
    write(path, 2)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER no_update")
        connection.execute("DROP TRIGGER no_delete")
        connection.execute("CREATE TRIGGER no_delete BEFORE DELETE ON records BEGIN SELECT 1; END")
    with closing(SqliteJournal(path)) as journal:
        ((number, reason),) = journal.verify().faults
    assert number == 0
    assert reason == "triggers against changes are missing: no_update, no_delete"


def test_a_file_whose_hashes_were_made_again_shows_only_against_a_noted_head(path: Path) -> None:
    heads = write(path, 3)
    tamper(path, "DELETE FROM records WHERE number = 3", "DELETE FROM bodies WHERE number = 3")
    with closing(SqliteJournal(path)) as journal:
        journal.record(execution("other"))
        assert journal.verify().ok
        assert not journal.verify(heads[-1]).ok


@pytest.mark.parametrize(
    "condition", [pytest.param("number > 2", id="cut off"), pytest.param("1 = 1", id="emptied")]
)
def test_only_a_noted_head_shows_that_the_end_was_cut_off(path: Path, condition: str) -> None:
    head = write(path, 4)[-1]
    tamper(path, f"DELETE FROM records WHERE {condition}", f"DELETE FROM bodies WHERE {condition}")
    with closing(SqliteJournal(path)) as journal:
        assert journal.verify().ok
        ((number, reason),) = journal.verify(head).faults
    assert number == (3 if condition == "number > 2" else 1)
    assert "deleted" in reason


def test_a_damaged_record_is_an_error_that_says_what_to_run(path: Path) -> None:
    write(path, 2)
    tamper(path, "UPDATE bodies SET body = '{' WHERE number = 2")
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


def scored(number: int, question: str, score: float, **fields: Any) -> Execution:
    about: dict[str, Any] = {"question": question, "sql": "SELECT 1", "content_hash": "c"}
    return execution(f"e{number}", quality={"score": score}, **(about | fields))


def test_the_best_execution_of_each_question_is_known(journal: SqliteJournal) -> None:
    for number in range(40):
        score = 0.9 if number == 5 else number / 100
        journal.record(scored(number, f"q{number % 2}", score))
    journal.record(execution("e41", "bob", question="q0", sql="SELECT 1", content_hash="c"))

    result = {winner.question: winner.id for winner in journal.winners("ann", "c")}
    assert result == {"q0": "e38", "q1": "e5"}
    assert [winner.question for winner in journal.winners("ann", "c", 1)] == ["q1"]
    assert journal.winners("ann", "other data") == []
    assert journal.winners("bob", "c") == []


def test_of_equally_good_executions_the_newest_is_the_best(journal: SqliteJournal) -> None:
    for number, score in ((1, 0.5), (2, 0.5), (3, 0.4)):
        journal.record(scored(number, "q", score))
    assert [winner.id for winner in journal.winners("ann", "c")] == ["e2"]


PERSONAL = "Where does Ann Example live?"


def test_without_questions_the_file_contains_none_of_a_callers_texts(path: Path) -> None:
    private = execution(
        question=PERSONAL,
        purpose=PERSONAL,
        query=PERSONAL,
        message_to_user=PERSONAL,
        given=PERSONAL,
        message=PERSONAL,
        notes=(PERSONAL,),
        sql=f"SELECT TOP 5 Name FROM Movie WHERE Name = '{PERSONAL}' AND ReleaseYear = 1985",
        statements=(f"SELECT '{PERSONAL}'",),
        attempts=(
            Attempt(sql=f"DROP {PERSONAL}", decision="refused", message=PERSONAL),
            Attempt(sql=f"SELECT '{PERSONAL}'", decision="allowed", notes=(PERSONAL,)),
        ),
        rows=((PERSONAL,),),
        paths=((({"name": PERSONAL},),),),
        quality={"score": 1.0},
        content_hash="c",
    )
    with closing(SqliteJournal(path, keeps_questions=False)) as journal:
        journal.record(private)
        assert journal.find("ann", "e1") == private
        assert journal.recent("ann", question=PERSONAL) == [private]
        assert journal.winners("ann", "c") == []
        (stored_record,) = journal.entries()
        assert journal.verify().ok
    for file in path.parent.iterdir():
        assert b"Example" not in file.read_bytes()
        assert b"= 1985" not in file.read_bytes()  # digests may have the digits

    stored = stored_record.execution()
    assert stored.sql == "SELECT TOP ? Name FROM Movie WHERE Name = ? AND ReleaseYear = ?"
    assert stored.attempts[1].sql == "SELECT ?"
    assert str(stored.question).startswith("hmac-sha256:")
    assert stored.question == stored.purpose
    with closing(SqliteJournal(path)) as journal:  # another process
        assert journal.find("ann", "e1") is None
        assert journal.recent("ann") == []


def test_the_last_200_executions_stay_whole_in_memory(path: Path) -> None:
    with closing(SqliteJournal(path, keeps_questions=False)) as journal:
        for number in range(201):
            journal.record(execution(f"e{number}", question=PERSONAL))
        assert journal.find("ann", "e0") is None
        assert journal.find("ann", "e1")


def test_an_owner_is_known_by_the_name_of_the_logs(journal: SqliteJournal) -> None:
    journal.record(execution("e1", "user https://login.example ann"))
    journal.record(execution("e2", "local"))
    short = short_owner("user https://login.example ann")
    assert short.startswith("user:")
    assert [link.id for link in journal.entries(owner=short)] == ["e1"]
    assert [link.id for link in journal.entries(owner="local")] == ["e2"]


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
        pytest.param(other_schema(5), "schema version 5", id="newer schema"),
        pytest.param(other_schema(3), "schema version 3", id="older schema"),
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
