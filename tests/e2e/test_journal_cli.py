"""`moviegraph journal`: reading, filtering and verifying by an operator."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest

from moviegraph.cli import main
from moviegraph.journal.execution_records import (
    Attempt,
    Client,
    Execution,
    ModelCost,
    short_owner,
)
from moviegraph.journal.sqlite_journal import SqliteJournal

NOW = datetime.now(UTC)
SQL = "SELECT TOP 3 [m].[Id]\nFROM [dbo].[Movie] AS [m]"


def past_execution(minutes: float, **fields: Any) -> Execution:
    """Return an execution of so many minutes ago."""
    created = (NOW - timedelta(minutes=minutes)).isoformat(timespec="milliseconds")
    usual: dict[str, Any] = {"owner": "local", "tool": "run_readonly_sql", "status": "ok"}
    return Execution(created=created, **(usual | fields))


RECORDS = [
    past_execution(60 * 24 * 900, id="a" * 32, tool="semantic_search",
         query="space opera", status="empty"),
    past_execution(90, id="b" * 32, given="DROP TABLE Movie", status="refused", code="not_select",
         message="Only one SELECT is run.",
         attempts=(Attempt(sql="DROP TABLE Movie", decision="refused", code="not_select",
                           message="Only one SELECT is run."),)),
    past_execution(30, id="c" * 31 + "0", owner="user https://login.example ann",
         tool="run_strategies",
         question="What is \x1b[31mlike\x1b[0m Blade Runner, in a very long question indeed?",
         strategy_id="mean\x1b[0ming", message_to_user="By meaning", query="noir",
         given="Kusto | where", sql=SQL, statements=(SQL,),
         columns=("Id",), row_count=3, rows=((17,), (18,)),
         keys=tuple(("Movie", key) for key in range(15)), notes=("TOP 3 was kept.",),
         quality={"score": 0.5, "rows": 3}, elapsed_ms=12.5, truncated="rows",
         client=Client(name="desk", version="2.1", transport="http", protocol="2026-07-28"),
         models=(ModelCost(by="provider", model="openai:x", purpose="repair", calls=2,
                           prompt_tokens=1234, completion_tokens=56),
                 ModelCost(by="client", model="theirs", purpose="repair", calls=1, untold=1)),
         attempts=(Attempt(sql="Kusto | where", decision="refused", code="not_select",
                           message="No."),
                   Attempt(sql=SQL, decision="allowed", method="provider", rule="provider",
                           notes=("TOP 3 was kept.",)))),
    past_execution(1, id="c" * 31 + "1", tool="get_planning_context", given="blade runner",
         notes=("Route: mixed",)),
]  # fmt: skip


class StoppedClock(datetime):
    """Stands at the moment from which the records count back, however late a test runs."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return NOW.astimezone(tz)


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("journal", "journal_listing"):
        monkeypatch.setattr(f"moviegraph.cli.{module}.datetime", StoppedClock)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite"
    with closing(SqliteJournal(path)) as journal:
        for record in RECORDS:
            journal.record(record)
    return path


class Command:
    """Runs `moviegraph journal` over one file."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self.capsys = capsys

    def __call__(self, *arguments: str, status: int = 0) -> str:
        assert main(["journal", *arguments, "--journal", str(self.path)]) == status
        self.errors = (captured := self.capsys.readouterr()).err
        return captured.out

    def ids(self, *arguments: str) -> str:
        """Return the first characters of the ids listed."""
        return "".join(
            json.loads(line)["id"][0] for line in self("--json", *arguments).splitlines()
        )


@pytest.fixture
def journal(path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(path, capsys)


def test_a_record_is_a_line_of_at_most_80_characters(
    journal: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = journal().splitlines()
    assert len(lines) == len(RECORDS)
    assert all(len(line) <= 80 for line in lines)
    assert "\x1b" not in "".join(lines)
    assert [line.split()[0] for line in lines] == ["cccccccc", "cccccccc", "bbbbbbbb", "aaaaaaaa"]
    assert "run_strategies       3 rows   meaning: What is" in lines[1]
    assert "refused  not_select: DROP TABLE" in lines[2]
    assert str(NOW.year - 3) in lines[3] or str(NOW.year - 2) in lines[3]


def test_an_id_may_be_before_options_and_after_them(
    journal: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    shown_record = journal("show", "aaaa")
    for arguments in (("show", "--json", "aaaa"), ("--json", "show", "aaaa", "--json")):
        assert journal(*arguments) == shown_record
    assert main(["journal", "show", "--journal", str(journal.path), "aaaa"]) == 0
    assert capsys.readouterr().out == shown_record
    with pytest.raises(SystemExit):
        journal("show", "aaaa", "--json", "bbbb")
    assert "unrecognized arguments: bbbb" in capsys.readouterr().err


def test_a_wider_terminal_gets_wider_lines(
    journal: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    assert any(80 < len(line) <= 140 for line in journal().splitlines())


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        pytest.param((), "ccba", id="all"),
        pytest.param(("--limit", "2"), "cc", id="limit"),
        pytest.param(("--tool", "semantic_search"), "a", id="tool"),
        pytest.param(("--status", "refused"), "b", id="status"),
        pytest.param(("--owner", "user https://login.example ann"), "c", id="owner"),
        pytest.param(("--owner", "ann"), "", id="a part of an owner"),
        pytest.param(
            ("--owner", short_owner("user https://login.example ann")), "c", id="owner in logs"
        ),
        pytest.param(("--question", "BLADE runner"), "cc", id="question"),
        pytest.param(("--question", "drop table"), "b", id="statement"),
        pytest.param(("--since", "45m"), "cc", id="minutes"),
        pytest.param(("--since", "2h"), "ccb", id="hours"),
        pytest.param(("--since", "52w"), "ccb", id="weeks"),
        pytest.param(("--since", "2020-01-01"), "ccba", id="day"),
        pytest.param(("--since", "0001-01-01T00:00:00+14:00"), "ccba", id="before all moments"),
        pytest.param(("--since", (NOW - timedelta(minutes=45)).isoformat()), "cc", id="moment"),
        pytest.param(("--since", "2h", "--status", "ok", "--limit", "1"), "c", id="several"),
    ],
)
def test_filters_choose_what_is_listed(
    journal: Command, options: tuple[str, ...], ids: str
) -> None:
    assert journal.ids(*options) == ids


def test_filters_search_beyond_the_newest_page(path: Path, journal: Command) -> None:
    with closing(SqliteJournal(path)) as file:
        for number in range(1_100):
            file.record(past_execution(0, id=f"d{number}"))
    assert journal.ids("--status", "refused") == "b"


def test_stats_count_tools_codes_and_the_rules_that_repaired(path: Path, journal: Command) -> None:
    attempts = (
        Attempt(sql="x", decision="refused", code="unknown_column"),
        Attempt(sql=SQL, decision="allowed", method="rules", rule="limit, column_name"),
    )
    with closing(SqliteJournal(path)) as file:
        for number in range(2):
            file.record(past_execution(0, id=f"d{number}", call_id="one call", attempts=attempts))
    counts = json.loads(journal("stats", "--json"))
    assert (counts["records"], counts["calls"], counts["damaged"]) == (6, 5, 0)
    assert counts["tools"]["run_readonly_sql"] == 3
    assert counts["statuses"] == {"ok": 4, "empty": 1, "refused": 1}
    assert counts["codes"] == {"not_select": 2, "unknown_column": 2}
    assert counts["rules"] == {"limit": 2, "column_name": 2}
    text = journal("stats")
    assert "6 records of 5 calls" in text
    assert "       2  unknown_column" in text.splitlines()
    assert json.loads(journal("stats", "--json", "--status", "empty"))["records"] == 1


def test_stats_count_damaged_records(path: Path, journal: Command) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DROP TRIGGER no_body_update")
        file.execute("UPDATE bodies SET body = '{' WHERE number = 2")
    assert "1 damaged record: `moviegraph journal verify`" in journal("stats").splitlines()


def test_show_is_json_for_programs(journal: Command) -> None:
    loads = json.loads(journal("show", "b" * 32))
    assert Execution.model_validate({k: loads[k] for k in Execution.model_fields}) == RECORDS[1]
    assert (loads["number"], len(loads["hash"])) == (2, 64)


def test_the_beginning_of_an_id_is_enough_where_it_is_one(journal: Command) -> None:
    assert json.loads(journal("show", "bb"))["id"] == "b" * 32
    assert journal("show", "cc", status=1) == ""
    assert "Multiple" in journal.errors
    assert "c" * 31 + "0" in journal.errors
    journal("show", status=1)
    assert "No execution ID was given" in journal.errors


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("list", "--since", "soon"), "30m, 2h, 7d", id="since"),
        pytest.param(("list", "--since", "999999w"), "30m, 2h, 7d", id="before all time"),
        pytest.param(("list", "abc"), "journal show ID", id="list with an id"),
        pytest.param(("list", "--limit", "0"), "is too small", id="limit"),
        pytest.param(("verify", "--head", "abc"), "is not a hash", id="head"),
        pytest.param(("forget",), "--owner, --before or both", id="forget all"),
        pytest.param(("forget", "--before", "soon"), "30m, 2h, 7d", id="forget before"),
        pytest.param(("archive", "--before", "7d"), "--before and --into", id="archive"),
        pytest.param(("list", "--before", "7d"), "journal forget", id="list before"),
    ],
)
def test_wrong_usage_is_status_2(journal: Command, arguments: tuple[str, ...], says: str) -> None:
    assert journal(*arguments, status=2) == ""
    assert says in journal.errors


def test_verify_says_in_words_which_records_are_wrong(path: Path, journal: Command) -> None:
    assert journal("verify").startswith("OK: 4 records, head ")
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DROP TRIGGER no_body_update")
        file.execute("UPDATE bodies SET body = replace(body, 'DROP', 'KEEP') WHERE number = 2")

    lines = journal("verify", status=1).splitlines()
    assert lines[0] == "triggers against changes are missing: no_body_update"
    assert lines[1] == "record 2: its text was changed"
    assert lines[2].startswith("broken: 2 faults: 4 records, head ")
    loads = json.loads(journal("verify", "--json", status=1))
    assert (loads["ok"], loads["records"], loads["fault_count"]) == (False, 4, 2)
    assert loads["faults"][1] == {"record": 2, "reason": "its text was changed"}


def test_verify_finds_a_tail_that_was_cut_by_the_noted_head(path: Path, journal: Command) -> None:
    head = json.loads(journal("verify", "--json"))["head"]
    assert journal("verify", "--head", head).startswith("OK")
    with closing(sqlite3.connect(path)) as file, file:
        sql = "SELECT sql FROM sqlite_master WHERE name = 'no_delete'"
        trigger = file.execute(sql).fetchone()[0]
        file.execute("DROP TRIGGER no_delete")
        file.execute("DELETE FROM records WHERE number = 4")
        file.execute("DELETE FROM bodies WHERE number = 4")

        file.execute(trigger)

    assert journal("verify").startswith("OK: 3 records")
    assert "deleted" in journal("verify", "--head", head, status=1)


def test_forget_and_archive_say_what_they_did(path: Path, journal: Command, tmp_path: Path) -> None:
    message = journal("forget", "--owner", "user https://login.example ann")
    assert message == "Erased the text of 1 record (3); record 5 states it.\n"
    assert journal("forget", "--owner", "nobody").startswith("No record with text matches")
    assert "1 erased as recorded" in journal("verify")
    assert "journal forget" in journal("list", "--owner", "operator")
    journal("show", "c" * 31 + "0", status=1)
    assert "No execution ID starts with" in journal.errors

    into = tmp_path / "old.sqlite"
    message = journal("archive", "--before", "1h", "--into", str(into))
    assert message.startswith("Moved 2 records into")
    assert "starts after record 2, hash" in journal("verify")
    assert journal.ids("--tool", "get_planning_context") == "c"
    journal.path = into
    assert "is continued after record 2, hash" in journal("verify")
    assert journal.ids("--status", "refused") == "b"


def test_a_damaged_record_does_not_hide_the_others(path: Path, journal: Command) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DROP TRIGGER no_body_update")
        file.execute("UPDATE bodies SET body = '{' WHERE number = 3")

    lines = journal().splitlines()
    assert len(lines) == 4
    assert "record 3 is damaged" in lines[1]
    assert "record 3: its text was changed" in journal("verify", status=1)
    listed = [json.loads(line) for line in journal("--json").splitlines()]
    assert [members["status"] for members in listed].count("damaged") == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"something else" * 100, "not a database", id="garbage"),
        pytest.param(b"", "not a journal", id="empty"),
    ],
)
def test_what_is_no_journal_is_a_sentence(
    path: Path, journal: Command, content: bytes, says: str
) -> None:
    for each in path.parent.glob("journal*"):
        each.unlink()
    path.write_bytes(content)
    for action in ("list", "show", "verify"):
        assert journal(action, status=1) == ""
        assert says in journal.errors
    assert path.read_bytes() == content
