"""Edges between several pairs of tables on the embedded engine."""

from collections.abc import Iterator
from typing import Any

import pytest
from fakes.cookbook import build_cookbook, cookbook_contract, cookbook_edges
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget

from moviegraph.engines.base import Statement
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

CONTRACT = cookbook_contract()
EDGES = cookbook_edges()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedEngine]:
    engine = open_graph(build_cookbook(tmp_path_factory.mktemp("cookbook") / "graph"), CONTRACT)
    yield engine
    engine.close()


def rows(engine: EmbeddedEngine, sql: str, query: str | None = None) -> list[tuple[Any, ...]]:
    decision = judge(sql, CONTRACT)
    assert isinstance(decision, Allowed), decision
    vector = HashedEmbedder().embed([query])[0] if query else None
    return [*engine.execute(Statement(decision, vector), budget(rows=100)).rows]


def pairs(kind: str, pair: int) -> list[tuple[int, int]]:
    return [(e.source, e.target) for e in EDGES if (e.kind, e.pair) == (kind, pair)]


@pytest.mark.parametrize(
    ("edge", "pair", "tables"),
    [
        pytest.param("COMES_FROM", 0, ("Recipe", "Region"), id="dish to region"),
        pytest.param("COMES_FROM", 1, ("Ingredient", "Region"), id="ingredient to region"),
        pytest.param("GOES_WITH", 0, ("Recipe", "Recipe"), id="dish to dish"),
        pytest.param("GOES_WITH", 1, ("Ingredient", "Ingredient"), id="ingredient to ingredient"),
    ],
)
def test_the_tables_of_a_pattern_say_which_edges_are_meant(
    engine: EmbeddedEngine, edge: str, pair: int, tables: tuple[str, str]
) -> None:
    expected_count = len(pairs(edge, pair))
    start, end = tables
    match_sql = f"FROM {start} AS a, {edge} AS e, {end} AS b WHERE MATCH(a-(e)->b)"
    joined = (
        f"FROM {start} AS a JOIN {edge} AS e ON e.$from_id = a.$node_id "
        f"JOIN {end} AS b ON b.$node_id = e.$to_id"
    )
    assert expected_count
    assert rows(engine, f"SELECT COUNT(*) AS n {match_sql}") == [(expected_count,)]
    assert rows(engine, f"SELECT COUNT(*) AS n {joined}") == [(expected_count,)]


def test_a_node_that_is_only_passed_still_says_its_table(engine: EmbeddedEngine) -> None:
    beside = pairs("GOES_WITH", 1)
    expected_count = sum(first[1] == other[0] for first in beside for other in beside)
    sql = (
        "SELECT COUNT(*) AS n FROM Ingredient AS a, GOES_WITH AS e, Ingredient AS b, "
        "GOES_WITH AS f, Ingredient AS c WHERE MATCH(a-(e)->b-(f)->c)"
    )
    assert expected_count
    assert rows(engine, sql) == [(expected_count,)]


def test_both_ends_of_one_edge_table_meet_at_a_node(engine: EmbeddedEngine) -> None:
    dishes, home = dict(pairs("COMES_FROM", 0)), dict(pairs("COMES_FROM", 1))
    expected_keys = {(d, i) for d, i in pairs("NEEDS", 0) if home.get(i) == dishes[d]}
    sql = (
        "SELECT COUNT(*) AS n FROM Recipe AS r, NEEDS AS n, Ingredient AS i, "
        "COMES_FROM AS a, COMES_FROM AS b, Region AS g WHERE MATCH(r-(n)->i-(a)->g<-(b)-r)"
    )
    assert expected_keys
    assert rows(engine, sql) == [(len(expected_keys),)]


@pytest.mark.parametrize("arrow", ["-(e)->b", "<-(e)-b"], ids=["along", "against"])
@pytest.mark.parametrize(
    ("table", "key", "pair"), [("Recipe", "Number", 0), ("Ingredient", "Id", 1)]
)
def test_shortest_paths_stay_within_one_pair(
    engine: EmbeddedEngine, table: str, key: str, pair: int, arrow: str
) -> None:
    edges = pairs("GOES_WITH", pair)
    if arrow.startswith("<"):
        edges = [(end, start) for start, end in edges]
    start = edges[0][0]
    expected_hops, layer, hops = dict[int, int](), {start}, 0
    while layer:
        hops += 1
        layer = {end for begin, end in edges if begin in layer} - expected_hops.keys()
        expected_hops |= dict.fromkeys(layer, hops)
    sql = (
        f"SELECT LAST_VALUE(b.{key}) WITHIN GROUP (GRAPH PATH) AS Last, "
        f"COUNT(b.{key}) WITHIN GROUP (GRAPH PATH) AS Steps "
        f"FROM {table} AS a, GOES_WITH FOR PATH AS e, {table} FOR PATH AS b "
        f"WHERE MATCH(SHORTEST_PATH(a({arrow})+)) AND a.{key} = {start}"
    )
    assert dict(rows(engine, sql)) == expected_hops


def test_paths_that_end_at_few_nodes_stay_within_one_pair(engine: EmbeddedEngine) -> None:
    ((lemon,),) = rows(engine, "SELECT i.Id FROM Ingredient AS i WHERE i.Name = 'Lemon'")
    expected_keys = {start for start, end in pairs("REPLACES", 0) if end == lemon}
    beside, starts = pairs("GOES_WITH", 1), set[tuple[int, int]]()
    for last in expected_keys:
        layer = {last}
        while layer:
            layer = {begin for begin, end in beside if end in layer} - {s for s, _ in starts}
            starts |= {(begin, last) for begin in layer}
    sql = (
        "SELECT a.Id, LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS Last FROM Ingredient AS a, "
        "GOES_WITH FOR PATH AS e, Ingredient FOR PATH AS b, REPLACES AS r, Ingredient AS goal "
        f"WHERE MATCH(SHORTEST_PATH(a(-(e)->b)+) AND LAST_NODE(b)-(r)->goal) AND goal.Id = {lemon}"
    )
    assert starts
    assert set(rows(engine, sql)) == starts


def test_every_edge_is_counted(engine: EmbeddedEngine) -> None:
    counts = engine.describe().counts
    for edge in CONTRACT.edges:
        assert counts[edge.name] == sum(edge_record.kind == edge.name for edge_record in EDGES)
