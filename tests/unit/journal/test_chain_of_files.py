import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes.journals import execution

from moviegraph.journal.sqlite_journal import SqliteJournal

SMALL = 60_000
WRITER = """
import sys
from pathlib import Path
from moviegraph.journal.execution_records import Execution
from moviegraph.journal.sqlite_journal import SqliteJournal

path, name, count = sys.argv[1:]
journal = SqliteJournal(Path(path), 60_000)
for number in range(int(count)):
    id = f"{name}-{number}"
    journal.record(Execution(
        id=id, owner=name, tool="t", created="now", status="ok", given="x" * (number % 7 * 900)
    ))
    sys.stdout.write(id + "\\n")
    sys.stdout.flush()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def fill(path: Path, count: int, **fields: Any) -> str:
    """Record executions e1, e2, ... of some size, and return the head."""
    with closing(SqliteJournal(path, SMALL)) as journal:
        for number in range(1, count + 1):
            journal.record(execution(f"e{number}", given="y" * 3_000, **fields))
        return journal.head()


def files(path: Path) -> list[str]:
    return sorted(file_path.name for file_path in path.parent.glob("*.sqlite"))


def test_a_full_file_is_followed_by_the_next_and_the_chain_goes_on(path: Path) -> None:
    head = fill(path, 40)

    assert len(files(path)) >= 3
    assert "journal.2.sqlite" in files(path)
    with closing(SqliteJournal(path, SMALL)) as journal:
        verdict = journal.verify(head)
        assert (verdict.ok, verdict.records, verdict.head) == (True, 40, head)
        assert [journal.find("ann", f"e{number}") is not None for number in (1, 20, 40)] == [
            True
        ] * 3
        assert [execution.id for execution in journal.recent("ann", 30)] == [
            f"e{n}" for n in range(40, 10, -1)
        ]
        assert [link.number for link in journal.entries(3, before=12)] == [11, 10, 9]


def test_a_journal_that_is_open_elsewhere_follows_into_the_next_file(path: Path) -> None:
    with closing(SqliteJournal(path, SMALL)) as first, closing(SqliteJournal(path, SMALL)) as other:
        for number in range(60):
            writer, reader = (first, other) if number % 2 else (other, first)
            writer.record(execution(f"e{number}", given="z" * 3_000))
            assert reader.find("ann", f"e{number}")
        assert first.verify().records == other.verify().records == 60
    assert len(files(path)) > 2


@pytest.mark.parametrize(
    ("removed_file", "says"),
    [
        pytest.param("journal.sqlite", "record 1 is missing", id="first"),
        pytest.param("journal.2.sqlite", "is missing", id="middle"),
    ],
)
def test_a_file_that_is_gone_is_found(path: Path, removed_file: str, says: str) -> None:
    fill(path, 40)
    for file_path in path.parent.glob(f"{removed_file}*"):
        file_path.unlink()

    with closing(SqliteJournal(path, SMALL)) as journal:
        verdict = journal.verify()
        assert not verdict.ok
        assert says in str(verdict.reason)


def test_files_moved_away_are_vouched_for_by_the_head_that_was_noted(path: Path) -> None:
    fill(path, 40)
    with closing(SqliteJournal(path, SMALL)) as journal:
        noted = next(
            link.hash
            for link in reversed(journal.entries(40))
            if link.number == move_first_file(path)
        )
    for file_path in path.parent.glob("journal.sqlite*"):
        file_path.unlink()

    with closing(SqliteJournal(path, SMALL)) as journal:
        assert journal.verify(noted).ok
        assert not journal.verify("0" * 64).ok


def move_first_file(path: Path) -> int:
    """Return the number of the last record of the first file."""
    with closing(SqliteJournal(path.with_name("journal.2.sqlite"), SMALL)) as second:
        return second.entries(1000)[-1].number - 1


def test_the_last_file_cut_off_is_found_by_the_noted_head(path: Path) -> None:
    head = fill(path, 40)
    for file_path in path.parent.glob(f"{files(path)[-2]}*"):
        file_path.unlink()

    with closing(SqliteJournal(path, SMALL)) as journal:
        assert "deleted" in str(journal.verify(head).reason)


@pytest.mark.slow("process")
@pytest.mark.parametrize("record_count", [0, 3, 17, 40, 71])
def test_two_writers_killed_at_any_point_lose_nothing_acknowledged(
    path: Path, record_count: int
) -> None:
    commands = [[sys.executable, "-c", WRITER, str(path), name, "100000"] for name in "ab"]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE) for command in commands]
    by_key: dict[str, list[str]] = {"a": [], "b": []}
    for name, writer in zip("ab", writers, strict=True):
        assert writer.stdout is not None
        by_key[name] = [writer.stdout.readline().decode().strip() for _ in range(record_count)]
        writer.kill()
        by_key[name] += writer.stdout.read().decode().splitlines()[:-1]
        writer.stdout.close()
        writer.wait()

    with closing(SqliteJournal(path, SMALL)) as journal:
        assert journal.verify().ok
        assert all(journal.find(name, id) for name, ids in by_key.items() for id in ids)
        journal.record(execution("after", "w"))
        assert journal.verify().ok


def test_the_best_execution_of_each_question_is_known_in_every_file(path: Path) -> None:
    with closing(SqliteJournal(path, SMALL)) as journal:
        for number in range(40):
            score = {"score": 0.9 if number == 5 else number / 100}
            about: dict[str, Any] = {
                "question": f"q{number % 2}",
                "sql": "SELECT 1",
                "quality": score,
            }
            journal.record(execution(f"e{number}", content_hash="c", given="y" * 3_000, **about))
        journal.record(execution("other", "bob", content_hash="c", question="q0", quality={}))

        result = {winner.question: winner.id for winner in journal.winners("ann", "c")}
        assert result == {"q0": "e38", "q1": "e5"}
        assert journal.winners("ann", "other data") == []
        assert journal.winners("bob", "c") == []


def test_of_equally_good_executions_the_newest_is_the_best(path: Path) -> None:
    with closing(SqliteJournal(path)) as journal:
        for name, score in (("e1", 0.5), ("e2", 0.5), ("e3", 0.4)):
            about: dict[str, Any] = {
                "question": "q",
                "sql": "SELECT 1",
                "quality": {"score": score},
            }
            journal.record(execution(name, content_hash="c", **about))
        assert [winner.id for winner in journal.winners("ann", "c")] == ["e2"]
