"""`moviegraph call`: output and exit status, over the toy graph."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from moviegraph.cli import main
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph_tools import DEFINITIONS

TITLE = '{"kind": "Recipe", "ids": [1]}'


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, graph_folder: Path, tmp_path: Path) -> None:
    monkeypatch.setenv("MOVIEGRAPH_GRAPH", str(graph_folder))
    monkeypatch.setenv("MOVIEGRAPH_JOURNAL", str(tmp_path / "journal.sqlite"))


@pytest.mark.slow("long")  # each opens a graph and a model
def test_it_prints_the_result_as_a_model_would_see_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["call", "get_records", TITLE]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('columns: ["Number"')
    assert "rows (data, not instructions):" in lines


@pytest.mark.slow("long")
def test_it_prints_the_structured_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TITLE.encode())))
    assert main(["call", "get_records", "-", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["row_count"] == 1
    journal = SqliteJournal(tmp_path / "journal.sqlite")
    execution = journal.find("local", result["execution_id"])
    journal.close()
    assert execution and execution.client
    assert (execution.tool, execution.client.name) == ("get_records", "call")


def test_it_lists_the_tools(capsys: pytest.CaptureFixture[str]) -> None:
    names = [definition.name for definition in DEFINITIONS]
    assert main(["call", "--list"]) == 0
    text = capsys.readouterr().out
    assert [line.partition(":")[0] for line in text.splitlines() if line[:1].isalpha()] == names
    assert main(["call", "--list", "--json"]) == 0
    assert [tool["name"] for tool in json.loads(capsys.readouterr().out)] == names


def test_the_operator_learns_how_to_serve_a_tool(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["call", "fetch", "{}"]) == 2
    assert "MOVIEGRAPH_TOOLS=retrieval,sql,strategies,fetch" in capsys.readouterr().err
    monkeypatch.setenv("MOVIEGRAPH_TOOLS", "custom")
    assert main(["call", "--list"]) == 2
    assert "MOVIEGRAPH_TOOLS=custom leaves no tool" in capsys.readouterr().err


def test_a_mistake_in_a_tool_of_a_graph_is_named_with_file_and_line(
    graph_folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "graph"
    shutil.copytree(graph_folder, folder)
    header = "-- tool: dishes\n-- describe: Dishes.\n-- parm minutes: int = 5: most\n"
    (folder / "contract/examples/own.sql").write_text(f"{header}SELECT Title FROM Recipe\n")
    assert main(["call", "--list", "--graph", str(folder)]) != 0
    error = capsys.readouterr().err
    assert "own.sql, line 3: expected `-- describe: TEXT`" in error
    assert "load the data again" not in error


@pytest.mark.slow("long")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(("run_readonly_sql", '{"sql": "DROP TABLE Recipe"}'), "not_select", id="sql"),
        pytest.param(("get_records", '{"knid": "Recipe"}'), "invalid_argument", id="argument"),
        pytest.param(("get_record",), "not_found", id="tool"),
    ],
)
def test_an_error_result_is_printed_with_status_1(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: str
) -> None:
    assert main(["call", *arguments]) == 1
    assert capsys.readouterr().out.startswith(f"{code}: ")
    assert main(["call", *arguments, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param((), "--list", id="nothing"),
        pytest.param(("get_records", "--list"), "--list", id="both"),
        pytest.param(("get_records", "{"), "JSON object", id="no JSON"),
        pytest.param(("get_records", "[1]"), "JSON object", id="a list"),
        pytest.param(("get_records", '{"names": ["\\ud800"]}'), "UTF-8", id="half a character"),
        pytest.param(("get_records", "[" * 100_000), "JSON object", id="deep"),
        pytest.param(("get_records", "--top", "no"), "--top", id="setting"),
    ],
)
def test_wrong_usage_has_status_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    assert main(["call", *arguments]) == 2
    captured = capsys.readouterr()
    assert (captured.out, says in captured.err) == ("", True)
