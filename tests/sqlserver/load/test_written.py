"""Statements of a load into SQL Server, over the genuine drivers and a scripted server."""

import json
import shutil
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.cookbook import DATA, cookbook_contract
from fakes.fake_clock import FakeClock
from fakes.hashed_embedder import HashedEmbedder, hashed_words
from fakes.odbc_drivers import OdbcDriver
from fakes.scripted_graph import ScriptedGraph
from fakes.shop_graph import shop_contract, shop_rows
from fakes.sources import FILMS, MANY, film, source
from fakes.tds.record import Transaction
from fakes.tds.server import TdsServer
from fakes.toy_graph import TOY, toy_contract

from moviegraph.engines.graph_records import embedded_text, text_digest
from moviegraph.engines.load_facts import Losses
from moviegraph.engines.sqlserver.connection import Connector
from moviegraph.engines.sqlserver.connection_string import parse_connection_string
from moviegraph.engines.sqlserver.internal_tables import read_stored_manifest
from moviegraph.engines.sqlserver.writing import SESSION, Writer
from moviegraph.errors import DatabaseError
from moviegraph.loading import database_loader
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.database_loader import load_into_database
from moviegraph.loading.folder_loader import LoadReport
from moviegraph.loading.preparation import Preparation

Load = Callable[..., LoadReport]


def test_nodes_edges_vectors_and_manifest_arrive(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    rows = [
        *FILMS,
        film(3, "Amélie 漢字 😀", 'It\'s "quoted" \\ and\nlong. ' + "é" * 3000, year=None),
    ]
    report = load(source(tmp_path / "in", rows), how=Preparation(enrich=False))
    assert report.manifest.counts["Movie"] == 3
    assert database.nodes["Movie"][1][1:3] == ["Alien", "1979"]
    assert database.nodes["Movie"][3] == [3, rows[-1]["name"], None, rows[-1]["content"]]
    assert database.edges["INCLUDES_THEME"] == {(1, 1), (2, 2), (1, 2)}
    text = embedded_text("Moon", "A lone miner doubts what he sees.")
    stored_vector = np.array(database.vectors["Movie"][2], np.float32)
    assert (stored_vector == np.array(hashed_words(text, 64), np.float32)).all(), (
        "not one bit is lost"
    )
    document = json.loads(database.manifest or "")
    assert document["counts"] == dict(report.manifest.counts)
    assert document["space"]["model"] == "hashed-words"
    assert database.states == ["loading", "whole"]


def test_every_column_of_another_contract_arrives(
    tmp_path: Path, driver: OdbcDriver, clock: FakeClock
) -> None:
    database = ScriptedGraph(toy_contract(), 64)
    with TdsServer(database) as server:
        string = parse_connection_string(driver.string(server.port), read_only=False)
        writer = Writer(Connector(string, session=(SESSION,)).open, pause=clock.pause)
        load_into_database(
            TOY / "data", toy_contract(), HashedEmbedder(), writer, how=Preparation(enrich=False)
        )
        writer.close()
    assert len(database.nodes["Recipe"]) == 8
    names = [c.name for c in toy_contract().nodes[0].columns if c.type != "VECTOR"]
    row = dict(zip(names, database.nodes["Recipe"][1], strict=True))
    lines = (TOY / "data" / "nodes_Recipe.jsonl").read_text(encoding="utf-8").splitlines()
    document = next(record for record in map(json.loads, lines) if record["id"] == 1)
    assert (row["Title"], row["Method"]) == (document["name"], document["content"])
    assert (row["Vegan"], row["Added"]) == (str(document["vegan"]), document["added"])


def test_edges_of_each_pair_of_tables_arrive_change_and_go(
    tmp_path: Path, driver: OdbcDriver, clock: FakeClock
) -> None:
    contract = cookbook_contract()
    database = ScriptedGraph(contract, 64)
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    with TdsServer(database) as server:
        string = parse_connection_string(driver.string(server.port), read_only=False)

        def run() -> LoadReport:
            writer = Writer(Connector(string, session=(SESSION,)).open, pause=clock.pause)
            try:
                return load_into_database(folder, contract, HashedEmbedder(), writer)
            finally:
                writer.close()

        first = run()
        dishes = set(database.edges["COMES_FROM from Recipe to Region"])
        ingredients = set(database.edges["COMES_FROM from Ingredient to Region"])
        source_path = folder / "edges_COMES_FROM.jsonl"
        lines = source_path.read_text(encoding="utf-8").splitlines()
        source_path.write_text("\n".join(lines[1:]), encoding="utf-8")
        write_count = len(database.writes)
        second = run()
    assert len(dishes) + len(ingredients) == first.manifest.counts["COMES_FROM"]
    assert database.edges["COMES_FROM from Recipe to Region"] < dishes
    assert database.edges["COMES_FROM from Ingredient to Region"] == ingredients
    assert second.manifest.counts["COMES_FROM"] == first.manifest.counts["COMES_FROM"] - 1
    changed = [write for write in database.writes[write_count:] if write != "manifest"]
    assert "remove COMES_FROM" in changed
    assert {statement.split()[1] for statement in changed} <= {"COMES_FROM", "Recipe"}


def test_a_second_load_of_the_same_source_writes_nothing(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    source_path = source(tmp_path / "in", MANY)
    load(source_path)
    written, holds, embedder = len(database.writes), deepcopy(database.holds), HashedEmbedder()
    load(source_path, embedder)
    assert len(database.writes) == written
    assert database.holds == holds
    assert embedder.calls == []


def test_what_changed_is_written_and_what_left_is_removed(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    source_path = source(tmp_path / "in", FILMS)
    load(source_path, how=Preparation(enrich=False))
    del database.writes[:]
    embedder = HashedEmbedder()
    remaining_films = [row for row in FILMS if row not in (FILMS[1], FILMS[6])]
    source(source_path, [*remaining_films[1:], film(1, "Alien", FILMS[0]["content"], year=1980)])
    load(source_path, embedder, how=Preparation(enrich=False))
    assert database.writes == [
        "manifest",
        "write Movie",
        "remove INCLUDES_THEME",
        "remove Movie",
        "manifest",
    ]
    assert database.nodes["Movie"][1][2] == "1980"
    assert set(database.nodes["Movie"]) == set(database.vectors["Movie"]) == {1}
    assert database.edges["INCLUDES_THEME"] == {(1, 1), (1, 2)}
    assert embedder.calls == [], "its text is the same"


def test_a_text_that_moves_to_another_key_is_not_embedded_again(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    source_path = source(tmp_path / "in", [film(1, "Alien"), film(2, "Moon")])
    load(source_path)
    before, embedder = dict(database.vectors["Movie"]), HashedEmbedder()
    source(source_path, [film(2, "Alien"), film(7, "Moon"), film(8, "Dune")])
    load(source_path, embedder)
    assert embedder.calls == [["Dune. A crew meets it."]]
    assert database.vectors["Movie"][2] == pytest.approx(before[1])
    assert database.vectors["Movie"][7] == pytest.approx(before[2])


def test_vectors_of_another_space_are_all_computed_again(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    class Other(HashedEmbedder):
        def __init__(self) -> None:
            super().__init__()
            self.space = type(self.space)("test", "another-model", self.space.dimensions)

    source_path, other = source(tmp_path / "in", FILMS), Other()
    load(source_path)
    load(source_path, other)
    assert len(other.calls[0]) == 2
    assert json.loads(database.manifest or "")["space"]["model"] == "another-model"


def test_known_vectors_are_taken_and_without_an_embedder_there_are_none(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    source_path, embedder = source(tmp_path / "in", [film()]), HashedEmbedder()
    embeddings = {text_digest("Alien. A crew meets it."): np.full(64, 0.125, np.float16)}
    load(source_path, embedder, known=embeddings)
    assert embedder.calls == []
    assert database.vectors["Movie"][1] == [0.125] * 64
    load(source_path, None)
    assert database.vectors["Movie"][1] is None
    assert json.loads(database.manifest or "")["space"] is None


def test_what_a_load_lost_is_stored_in_the_database(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    source_path = tmp_path / "films.csv"
    rows = ["1,Alien,A crew.,1979,8", "2,Moon,A miner.,soon,9", "1,Twice,Again.,1980,7", ",No,X,,"]
    source_path.write_text("\n".join(("id,title,plot,year,stars", *rows)))
    mapped = ColumnMap.model_validate({"columns": {"name": "title", "content": "plot"}})
    report = load(source_path, how=Preparation(columns=mapped))
    assert report.manifest.losses == Losses(
        {"duplicate id": 1, "field missing": 1},
        {"Movie": {"ReleaseYear": 1}},
        {"films.csv": {"stars": "not in the column map"}},
    )
    assert database.nodes["Movie"][2][2] is None
    stored = read_stored_manifest(lambda _: [(database.manifest,)])
    assert stored is not None and stored.manifest.losses == report.manifest.losses
    written = len(database.writes)
    load(source_path, how=Preparation(columns=mapped))
    assert len(database.writes) == written
    source_path.write_text("id,title,plot,year\n1,Alien,A crew.,1979\n")
    assert not load(source_path, how=Preparation(columns=mapped)).manifest.losses
    assert json.loads(database.manifest or "")["losses"] == asdict(Losses())


def test_a_manifest_of_another_version_is_replaced(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    database.manifest = '{"format": 99}'
    database.nodes["Movie"], database.vectors["Movie"] = {9: [9, "Old", None, ""]}, {9: None}
    load(source(tmp_path / "in"))
    assert set(database.nodes["Movie"]) == {1, 2}
    assert database.states == ["loading", "whole"]


def test_full_text_is_waited_for(
    tmp_path: Path, load: Load, database: ScriptedGraph, clock: FakeClock
) -> None:
    database.fulltext = [(1, 0), (0, 40), (4, 3), (4, 0)]
    report = load(source(tmp_path / "in"))
    assert report.notes == ()
    assert clock.waits == [0.5, 1.0, 2.0]


def test_each_batch_is_one_transaction_of_at_most_so_many_rows(
    tmp_path: Path, load: Load, database: ScriptedGraph, server: TdsServer
) -> None:
    load(source(tmp_path / "in", MANY))
    commits = server.record.events.count(Transaction(1, "commit"))
    assert database.writes.count("write Movie") == 3
    assert commits == len(database.writes)


def test_long_rows_make_smaller_batches(
    tmp_path: Path, load: Load, database: ScriptedGraph
) -> None:
    long = "x" * (database_loader.MAX_BATCH_CHARS // 2)
    load(source(tmp_path / "in", [film(key, content=long) for key in range(3)]), None)
    assert database.writes.count("write Movie") == 3


def test_documents_travel_as_nvarchar_of_any_length(
    tmp_path: Path, microsoft: OdbcDriver, database: ScriptedGraph, clock: FakeClock
) -> None:
    with TdsServer(database) as server:
        string = parse_connection_string(microsoft.string(server.port), read_only=False)
        writer = Writer(Connector(string, session=(SESSION,)).open, pause=clock.pause)
        load_into_database(
            source(tmp_path / "in", MANY), database.contract, HashedEmbedder(), writer
        )
        writer.close()
        parameter_calls = [call for call in server.record.calls if call.parameters]
    long = [call for call in parameter_calls if len(call.parameters[0].value) > 2000]
    assert len([call for call in long if "Manifest" not in call.sql]) == 3
    assert {call.declared for call in long} == {"@P1 nvarchar(max)"}
    assert all(call.declared.startswith("@P1 nvarchar(") for call in parameter_calls)


def test_edges_with_values_arrive_change_and_go(
    tmp_path: Path, driver: OdbcDriver, clock: FakeClock
) -> None:
    contract = shop_contract()
    database = ScriptedGraph(contract, 64)
    rows = shop_rows()
    bought = [row for row in rows if row["kind"] == "BOUGHT"]
    with TdsServer(database) as server:
        string = parse_connection_string(driver.string(server.port), read_only=False)

        def load_rows(*edges: dict[str, Any]) -> LoadReport:
            writer = Writer(Connector(string, session=(SESSION,)).open, pause=clock.pause)
            others = [row for row in rows if row["kind"] != "BOUGHT"]
            folder = source(tmp_path / "in", [*others, *edges])
            report = load_into_database(folder, contract, HashedEmbedder(), writer)
            writer.close()
            return report

        def stored() -> list[list[object]]:
            keys = sorted(database.edges["BOUGHT"], key=str)
            return [[*key[:2], *database.edge_values["BOUGHT", *key]] for key in keys]

        report = load_rows(*bought)
        assert report.manifest.counts["BOUGHT"] == len(bought) == len(stored())
        assert [1, 1, "2", "9.50", "2024-01-05", "gift"] in stored()
        assert [2, 3, "4", None, None, "It's 100% oak"] in stored()
        assert len(database.edges["RATED from Customer to Product"]) == 3
        database.writes.clear()
        load_rows(*bought)
        assert database.writes == []
        report = load_rows(*bought[1:], bought[1] | {"amount": 7})
        assert database.writes == ["manifest", "remove BOUGHT", "write BOUGHT", "manifest"]
        assert len(stored()) == report.manifest.counts["BOUGHT"] == len(bought)
        assert [1, 1, "7", "9.00", "2024-03-01", None] in stored()
        assert [1, 1, "2", "9.50", "2024-01-05", "gift"] not in stored()


def test_a_table_without_the_identity_of_its_edges_is_not_loaded(
    tmp_path: Path, driver: OdbcDriver, clock: FakeClock
) -> None:
    database = ScriptedGraph(shop_contract(), 64)
    database.missing_columns = {("BOUGHT", "_Digest"), ("RATED", "Stars")}
    with TdsServer(database) as server:
        string = parse_connection_string(driver.string(server.port), read_only=False)
        writer = Writer(Connector(string, session=(SESSION,)).open, pause=clock.pause)
        with pytest.raises(DatabaseError) as caught:
            load_into_database(
                source(tmp_path / "in", shop_rows()), shop_contract(), HashedEmbedder(), writer
            )
        writer.close()
    assert "column RATED.Stars is missing; column BOUGHT._Digest is missing" in caught.value.message
