"""Output and exit status of the commands other than serve."""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fakes.toy_graph import TOY

from moviegraph import __version__
from moviegraph.cli import main
from moviegraph.journal.execution_records import Execution
from moviegraph.journal.sqlite_journal import SqliteJournal

MAIN = Path(__file__).parents[2] / "server" / "main.py"
HTTP = ("serve", "--transport", "http")
KITCHEN = ("--contract", str(TOY / "contract"))


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def feed(monkeypatch: pytest.MonkeyPatch, arguments: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(arguments)))


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    assert capsys.readouterr().out == f"moviegraph {__version__}\n"


@pytest.mark.parametrize(
    ("sql", "flags", "status", "part"),
    [
        pytest.param("SELECT Title FROM Recipe", (), 0, "TOP 10", id="allowed"),
        pytest.param("SELECT Title FROM Recipe", ("--expanded",), 0, "TOP 30", id="expanded"),
        pytest.param("SELECT Title FROM Recipe", ("--top", "4"), 0, "TOP 4", id="top"),
        pytest.param("DROP TABLE Recipe", (), 1, "not_select", id="refused"),
        pytest.param("", (), 1, "code", id="empty"),
        pytest.param("SELECT '\xff\udc80'", (), 1, "code", id="not UTF-8"),
    ],
)
def test_guard_judges_one_statement(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sql: str,
    flags: tuple[str, ...],
    status: int,
    part: str,
) -> None:
    feed(monkeypatch, sql.encode("utf-8", "surrogateescape"))
    assert main(["guard", *KITCHEN, *flags]) == status
    decision = json.loads(capsys.readouterr().out)
    assert decision["allowed"] is (status == 0)
    assert part in json.dumps(decision)


def test_guard_judges_line_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        b'{"sql": "SELECT Title FROM Recipe"}',
        b'{"sql": "SELECT Titel FROM Recipe"}',
        b"not json",
        b'["a list"]',
        b'{"statement": "SELECT 1"}',
        b'{"sql": "\xff"}',
        b"",
        b"[" * 100_000,
        b'{"sql": "' + b"x" * 1_000_001 + b'"}',
    ]
    feed(monkeypatch, b"\n".join(arguments) + b"\n")
    assert main(["guard", "--jsonl", *KITCHEN]) == 0
    items: list[dict[str, Any]] = [
        json.loads(line) for line in capsys.readouterr().out.splitlines()
    ]
    assert items[0].keys() == {"allowed", "sql", "notes"}
    assert items[1].keys() == {"allowed", "code", "message", "span", "suggestions"}
    assert items[1]["suggestions"][0] == "Title"
    assert [item["code"] for item in items[2:]] == ["bad_input"] * 6


@pytest.mark.slow("process")
def test_guard_answers_each_line_at_once() -> None:
    process = subprocess.Popen(
        [sys.executable, str(MAIN), "guard", "--jsonl", *KITCHEN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for _ in range(2):
        process.stdin.write(b'{"sql": "SELECT Title FROM Recipe"}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["allowed"]
    process.communicate()
    assert process.returncode == 0


@pytest.mark.slow("process")
def test_guard_needs_neither_protocol_nor_engine_nor_model() -> None:
    code = (
        "import io, sys\n"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(b'SELECT Name FROM Movie'))\n"
        "from moviegraph.cli import main\n"
        "main(['guard'])\n"
        "heavy = {'mcp', 'numpy', 'duckdb', 'onnxruntime', 'openai', 'pyodbc', 'starlette'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)\n"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["guard", "--top", "x"], "whole number from 1 to 1000", id="setting"),
        pytest.param(["guard", "--contract", "/nowhere"], "No contract folder", id="contract"),
        pytest.param([*HTTP, "--host", "0.0.0.0"], "other machines", id="bind"),
        pytest.param([*HTTP, "--host", "example.org"], "other", id="name"),
        pytest.param([*HTTP, "--oauth-issuer", "x"], "OAUTH_AUDIENCE is not set", id="audience"),
        pytest.param([*HTTP, "--port", "70000"], "Port 70000", id="port"),
        pytest.param(["serve", "--engine", "mssql"], "MOVIEGRAPH_MSSQL is not set", id="mssql"),
        pytest.param(["check", "--engine", "oracle"], "embedded, mssql", id="engine"),
    ],
)
def test_a_wrong_setting_is_one_message_and_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    "command", [pytest.param(("serve",), id="stdio"), pytest.param(HTTP, id="http")]
)
def test_serve_ends_at_once_without_a_graph_that_fits(
    graph_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "manifest.json").write_text("{")
    without_contract = shutil.copytree(graph_folder, tmp_path / "older")
    shutil.rmtree(without_contract / "contract")
    says = {
        tmp_path / "nowhere": ("There is no graph folder", "moviegraph load"),
        tmp_path / "damaged": ("cannot be read", "moviegraph load"),
        without_contract: ("built for another contract", "--contract"),
    }
    for folder, (wrong, mend) in says.items():
        assert main([*command, "--graph", str(folder)]) == 1
        captured = capsys.readouterr()
        first, second = captured.err.splitlines()
        assert wrong in first
        assert mend in second
        assert captured.out == ""


@pytest.mark.parametrize(
    "command", [pytest.param(("serve",), id="stdio"), pytest.param(HTTP, id="http")]
)
def test_no_journal_is_written_where_a_load_would_replace_it(
    graph_folder: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    journal = graph_folder / "kept" / "journal.sqlite"
    place = ("--graph", str(graph_folder), "--journal", str(journal), *KITCHEN)
    assert main([*command, *place]) == 2
    assert f"The journal {journal} is in the graph folder" in capsys.readouterr().err
    assert main(["check", "--json", *place]) == 1
    lines = {line["name"]: line for line in json.loads(capsys.readouterr().out)["checks"]}
    assert lines["journal"]["status"] == "failed"
    assert "MOVIEGRAPH_JOURNAL" in lines["journal"]["hint"]
    assert not journal.exists()


def test_wrong_usage_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_error:
        main(["serve", "--nonsense"])
    assert exit_error.value.code == 2
    assert "--nonsense" in capsys.readouterr().err


def test_check_says_ok_or_how_to_fix_each_part(
    graph_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOVIEGRAPH_TIMOUT", "3")
    assert main(["check", "--json", "--graph", str(graph_folder), *KITCHEN]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], report["version"]) == (False, __version__)
    lines = {line["name"]: line for line in report["checks"]}
    assert all({"name", "status", "message", "hint"} <= set(line) for line in lines.values())
    assert "did you mean MOVIEGRAPH_TIMEOUT?" in lines["settings"]["message"]
    verdicts = {name: line["status"] for name, line in lines.items()}
    assert verdicts == {
        **dict.fromkeys(("contract", "engine", "graph", "data", "embedder", "similarity"), "ok"),
        **dict.fromkeys(("tools", "sent out", "http"), "ok"),
        **dict.fromkeys(("journal", "model"), "skipped"),
        **dict.fromkeys(("settings", "vectors"), "failed"),
    }
    assert "MOVIEGRAPH_EMBEDDER" in lines["vectors"]["hint"]
    assert "8 workers with 1,000 MB each, 8,000 MB together" in lines["engine"]["message"]


def test_check_says_as_text_what_it_says_as_json(
    graph_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--graph", str(graph_folder), *KITCHEN]) == 1
    part_names = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    main(["check", "--json", "--graph", str(graph_folder), *KITCHEN])
    checks = json.loads(capsys.readouterr().out)["checks"]
    words = {"ok": "OK", "warning": "WARN", "failed": "FAIL", "skipped": "SKIP"}
    assert part_names == [f"{check['name']:<10} {words[check['status']]}" for check in checks]
    assert "model      SKIP" in part_names


@pytest.mark.parametrize(
    ("more", "name"),
    [
        pytest.param(("--graph", "/nowhere"), "graph", id="graph"),
        pytest.param(("--engine", "mssql"), "address", id="address"),
        pytest.param(("--contract", "/nowhere"), "contract", id="contract"),
        pytest.param(("--llm", "openai:some"), "model", id="model"),
    ],
)
def test_check_finds_what_is_wrong(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
    name: str,
) -> None:
    # The address is looked at once pyodbc is imported, which needs the system's ODBC library.
    monkeypatch.setitem(sys.modules, "pyodbc", SimpleNamespace(version="5", pooling=True))
    assert main(["check", *more]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(name) and "FAIL: " in line for line in lines)


def test_check_finds_places_that_cannot_be_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert main(["check", "--json"]) == 1
    lines = {line["name"]: line for line in json.loads(capsys.readouterr().out)["checks"]}
    for name in ("graph", "journal"):
        assert lines[name]["status"] == "failed"
        assert "is not writable" in lines[name]["message"]


def test_journal_lists_shows_and_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.sqlite"
    journal = SqliteJournal(path)
    for number in range(3):
        execution = Execution(
            id=f"id{number}", owner="local", tool="get_records", created="2026", status="ok"
        )
        journal.record(execution)
    journal.close()
    place = ("--journal", str(path))
    assert main(["journal", *place, "--limit", "2"]) == 0
    output = capsys.readouterr().out
    assert [line.split()[0] for line in output.splitlines()] == ["id2", "id1"]
    assert main(["journal", "show", "id0", *place]) == 0
    assert json.loads(capsys.readouterr().out)["tool"] == "get_records"
    assert main(["journal", "verify", *place]) == 0
    assert "OK: 3 records" in capsys.readouterr().out
    assert main(["journal", "show", "nothing", *place]) == 1
    assert "journal list" in capsys.readouterr().err
