"""Aliases in a database: written by a load, read by the engine with one statement."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from fakes.limits import budget
from fakes.odbc_drivers import OdbcDriver
from fakes.odbc_harness import plain_engine
from fakes.scripted_graph import ScriptedGraph
from fakes.sources import FILMS, source
from fakes.tds.script import Answers, Rows
from fakes.tds.server import TdsServer
from fakes.tds.types import INT, NVARCHAR

from moviegraph.cli import main
from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.local_embedder import SPACE
from moviegraph.engines.sqlserver import internal_tables

ROWS = [("Theme", 1, "staying alive"), ("Theme", 2, "alone")]


def load_aliases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: OdbcDriver, database: ScriptedGraph
) -> Sequence[str]:
    place = source(tmp_path / "in", FILMS)
    (place / "aliases.jsonl").write_text(
        '{"kind": "Theme", "name": "Survival", "aliases": ["staying alive"]}\n'
        '{"kind": "Theme", "id": 2, "aliases": ["alone"]}\n'
    )
    before = len(database.writes)
    with TdsServer(database) as server:
        monkeypatch.setenv("MOVIEGRAPH_MSSQL_LOAD", driver.string(server.port))
        assert main(["load", str(place), "--into", "mssql", "--no-embeddings"]) == 0
    return database.writes[before:]


def test_a_load_writes_the_aliases_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: OdbcDriver
) -> None:
    database = ScriptedGraph(load_contract(), SPACE.dimensions)
    assert "aliases" in load_aliases(tmp_path, monkeypatch, driver, database)
    assert set(ROWS) <= {(kind, key, alias) for kind, key, alias in database.aliases}
    assert load_aliases(tmp_path, monkeypatch, driver, database) == []


def test_a_database_without_their_table_is_loaded_and_says_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    driver: OdbcDriver,
    capsys: pytest.CaptureFixture[str],
) -> None:
    database = ScriptedGraph(load_contract(), SPACE.dimensions)
    database.missing.add("Alias")
    assert "aliases" not in load_aliases(tmp_path, monkeypatch, driver, database)
    assert "no table moviegraph.Alias" in capsys.readouterr().err


def test_the_aliases_of_a_database_are_read_with_one_statement(
    driver: OdbcDriver, server: TdsServer, answers: Answers
) -> None:
    columns = [("Kind", NVARCHAR), ("Id", INT), ("Alias", NVARCHAR)]
    answers.table["[Alias]"] = [Rows(columns, ROWS)]
    answers.table["@names"] = [Rows([("Place", INT), ("Id", INT), ("Name", NVARCHAR)], [])]
    engine = plain_engine(load_contract(), driver, server.port)
    with closing(engine), engine.reader(budget()) as reader:
        assert reader.named("Theme", ["Alone"]) == [("Alone", 2, "alias")]
    alias_queries = [call.sql for call in server.record.calls if "[Alias]" in call.sql]
    assert alias_queries == [internal_tables.READ_ALIASES]
