"""`moviegraph load --into mssql`, over the genuine drivers and a scripted server."""

import json
from pathlib import Path

import numpy as np
import pytest
from fakes.odbc_drivers import OdbcDriver
from fakes.scripted_graph import ScriptedGraph
from fakes.sources import FILMS, film, source
from fakes.tds.refusals import PAUSED, WRONG_PASSWORD
from fakes.tds.script import Fail
from fakes.tds.server import TdsServer

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import SPACE
from moviegraph.engines.embedded.embedding_store import write_vectors
from moviegraph.engines.graph_records import text_digest


@pytest.fixture
def variable(
    monkeypatch: pytest.MonkeyPatch, driver: OdbcDriver, server: TdsServer
) -> pytest.MonkeyPatch:
    """The variable of the command, which waits no time between its tries."""
    monkeypatch.setenv("MOVIEGRAPH_MSSQL_LOAD", driver.string(server.port))
    monkeypatch.setattr("moviegraph.engines.sqlserver.writing.WAITS", ())
    return monkeypatch


def test_the_command_loads_and_says_what_it_loaded(
    tmp_path: Path,
    variable: pytest.MonkeyPatch,
    database: ScriptedGraph,
    server: TdsServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    database.fulltext = [(None, None)]
    command = ["load", str(source(tmp_path / "in", [*FILMS, "{"])), "--into", "mssql"]
    assert main([*command, "--no-embeddings"]) == 3
    captured = capsys.readouterr()
    assert "Loaded into mssql" in captured.out
    assert "5 nodes: 2 Movie" in captured.out
    assert "No full-text index on Movie" in captured.err
    assert "Rejected 1 row:" in captured.err
    assert database.states[-1] == "whole"
    server.record.wait_for(lambda _: server.open == 0, "the end of the connection")


def test_vectors_that_lie_beside_the_source_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: OdbcDriver
) -> None:
    database, source_path = (
        ScriptedGraph(load_contract(), SPACE.dimensions),
        source(tmp_path, [film()]),
    )
    embeddings = {
        text_digest("Alien. A crew meets it."): np.full(SPACE.dimensions, 0.125, np.float16)
    }
    (source_path / "vectors").mkdir()
    write_vectors(source_path / "vectors" / f"{SPACE.id}.npz", embeddings, SPACE)
    with TdsServer(database) as server:
        monkeypatch.setenv("MOVIEGRAPH_MSSQL_LOAD", driver.string(server.port))
        assert main(["load", str(source_path), "--into", "mssql"]) == 0
    assert database.vectors["Movie"][1] == [0.125] * SPACE.dimensions


MAP = """
[tables."films.csv"]
columns = { id = "no", name = "title", content = "plot" }
lists = { genres = { edge = "IN_GENRE", split = "|" } }
[tables."themes.json"]
kind = "Theme"
[tables."film_themes.tsv"]
edge = "INCLUDES_THEME"
columns = { from = "film", to = "theme" }
"""
TABLES = {
    "films.csv": "no,title,plot,genres\ntt1,Alien,A,Horror|Drama\n2,Moon,B,drama\n3,x\n",
    "themes.json": '[{"id": 5, "name": "Fear", "content": "Being afraid."}]',
    "film_themes.tsv": "film\ttheme\ntt1\t5\n2\t6\n",
}


def test_mapped_tables_fill_the_database_and_a_second_run_writes_nothing(
    tmp_path: Path,
    variable: pytest.MonkeyPatch,
    database: ScriptedGraph,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source_path, map_file, aside = tmp_path / "in", tmp_path / "map.toml", tmp_path / "bad.jsonl"
    source_path.mkdir()
    for name, content in TABLES.items():
        (source_path / name).write_text(content)
    map_file.write_text(MAP)
    command = ["load", str(source_path), "--into", "mssql", "--no-embeddings"]
    command += ["--map", str(map_file), "--rejects", str(aside)]
    assert main(command) == 3
    captured = capsys.readouterr()
    assert "6 nodes: 3 Movie, 0 Character, 0 Setting, 1 Theme, 0 Series, 2 Genre" in captured.out
    assert "4 edges" in captured.out
    assert "film_themes.tsv:3: the field to is 6" in captured.err
    files = [json.loads(line)["file"] for line in aside.read_text().splitlines()]
    assert files == ["film_themes.tsv"]
    films = {row[1]: key for key, row in database.nodes["Movie"].items()}
    genres = {row[1]: key for key, row in database.nodes["Genre"].items()}
    assert database.edges["INCLUDES_THEME"] == {(films["Alien"], 5)}
    assert {(films["Moon"], genres["Drama"]), (films["Alien"], genres["Horror"])} < (
        database.edges["IN_GENRE"]
    )
    write_count = len(database.writes)
    assert main(command) == 3
    assert len(database.writes) == write_count


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        pytest.param(WRONG_PASSWORD, "password", id="log-in"),
        pytest.param(PAUSED, "paused", id="paused"),
    ],
)
def test_a_log_in_that_fails_is_one_message_without_secrets(
    tmp_path: Path,
    variable: pytest.MonkeyPatch,
    server: TdsServer,
    capsys: pytest.CaptureFixture[str],
    refusal: Fail,
    says: str,
) -> None:
    server.logins.extend([refusal] * 20)
    command = ["load", str(source(tmp_path / "in")), "--into", "mssql", "--no-embeddings"]
    assert main(command) == 1
    captured = capsys.readouterr()
    assert says in captured.err
    assert "MOVIEGRAPH_MSSQL_LOAD" in captured.err or says == "paused"
    assert not any(secret in captured.err for secret in ("s3cret", "127.0.0.1", "Traceback"))
    assert captured.out == ""


def test_the_variable_of_the_server_is_never_used_for_loading(
    tmp_path: Path,
    variable: pytest.MonkeyPatch,
    driver: OdbcDriver,
    server: TdsServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    variable.delenv("MOVIEGRAPH_MSSQL_LOAD")
    variable.setenv("MOVIEGRAPH_MSSQL", driver.string(server.port))
    assert main(["load", str(source(tmp_path / "in")), "--into", "mssql"]) == 2
    assert "MOVIEGRAPH_MSSQL_LOAD is not set" in capsys.readouterr().err
    assert server.record.logins == []
