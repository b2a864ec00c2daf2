"""`load --extract --into mssql`: extracted records are written with the loaded ones."""

import json
from pathlib import Path

import pytest
from fakes.extracting_chat import ExtractingChat
from fakes.fake_openai import FakeOpenAI
from fakes.odbc_drivers import OdbcDriver
from fakes.scripted_graph import ScriptedGraph
from fakes.sources import source
from fakes.tds.server import TdsServer

from moviegraph.cli import main

EXTRACTED = {
    "Moon": {
        "FEATURES_CHARACTER": [("The Miner", "A lone miner")],
        "INCLUDES_THEME": [("solitude", "lone"), ("Doubt", "doubts what he sees")],
    }
}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, driver: OdbcDriver, server: TdsServer) -> FakeOpenAI:
    monkeypatch.setenv("MOVIEGRAPH_MSSQL_LOAD", driver.string(server.port))
    monkeypatch.setattr("moviegraph.engines.sqlserver.writing.WAITS", ())
    monkeypatch.setenv("MOVIEGRAPH_LLM", "openai:reader")
    return FakeOpenAI(api_key=None, chat=ExtractingChat(EXTRACTED))


def test_names_are_folded_onto_rows_and_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: FakeOpenAI, database: ScriptedGraph
) -> None:
    place, report = str(source(tmp_path / "in")), tmp_path / "report.jsonl"
    command = ["load", place, "--into", "mssql", "--no-embeddings", "--extract"]
    command += ["--answers", str(tmp_path / "answers"), "--extracted", str(report)]
    with fake.loopback() as address:
        monkeypatch.setenv("MOVIEGRAPH_LLM_BASE_URL", f"{address}/v1")
        assert main(command) == 0
        request_count = len(fake.requests)
        write_count = len(database.writes)
        assert main(command) == 0
    assert len(fake.requests) == request_count
    assert len(database.writes) == write_count, "nothing differs the second time"
    themes = {row[1]: key for key, row in database.nodes["Theme"].items()}
    assert set(themes) == {"Survival", "Solitude", "Doubt"}
    assert database.edges["INCLUDES_THEME"] == {(1, 1), (2, 2), (1, 2), (2, themes["Doubt"])}
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert {line["name"]: line["folded"] for line in lines} == {
        "The Miner": "The Miner",
        "solitude": "Solitude",
        "Doubt": "Doubt",
    }


def test_answers_lie_in_the_state_folder_where_there_is_no_graph_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: FakeOpenAI
) -> None:
    state = tmp_path / "state"

    def state_path(*_: object, **__: object) -> Path:
        return state

    monkeypatch.setattr("platformdirs.user_state_path", state_path)
    command = ["load", str(source(tmp_path / "in")), "--into", "mssql", "--no-embeddings"]
    with fake.loopback() as address:
        monkeypatch.setenv("MOVIEGRAPH_LLM_BASE_URL", f"{address}/v1")
        assert main([*command, "--extract"]) == 0
    assert [path.name for path in state.iterdir()] == ["answers.sqlite"]
