"""Edges near named nodes are read from arrays in large graphs: the rows are those of the tables."""

from collections.abc import Iterator
from random import Random

import pytest
from fakes.two_engines import Pair, judged, sql_of, two_engines

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Statement
from moviegraph.engines.duckdb.plan import EdgeNeed, Plan
from moviegraph.engines.duckdb.translator import plan_of

GRAPHS = 4
HOP = "Movie AS m, INCLUDES_THEME AS e, Theme AS t"
TWO = f"{HOP}, INCLUDES_THEME AS f, Movie AS o"
BACK = "MATCH(m-(e)->t<-(f)-o)"


@pytest.fixture(scope="module", params=range(GRAPHS))
def pair(
    request: pytest.FixtureRequest, contract: Contract, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Yield an engine that reads tables, and one that reads arrays."""
    folder = tmp_path_factory.mktemp("near") / "graph"
    with two_engines(folder, request.param, contract, "WALKED") as found:
        yield found


STATEMENTS = [
    pytest.param(
        f"SELECT t.Id, m.Id AS Film FROM {HOP} WHERE MATCH(m-(e)->t) AND m.Id IN ({{some}}) "
        "ORDER BY t.Id, m.Id",
        id="one hop from several",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} AND m.Id = {{one}} AND o.Id <> m.Id "
        "GROUP BY o.Id ORDER BY n DESC, o.Id",
        id="two hops, counted",
    ),
    pytest.param(
        f"SELECT t.Id FROM {TWO} WHERE {BACK} AND m.Id = {{one}} AND o.Id = {{other}} "
        "ORDER BY t.Id",
        id="both ends",
    ),
    pytest.param(
        f"SELECT t.Id, m.Id AS Film FROM {HOP} WHERE MATCH(m-(e)->t) "
        "AND (m.Id = {one} OR t.Name LIKE '%e%') ORDER BY t.Id, m.Id",
        id="either way",
    ),
    pytest.param(
        "SELECT m.Id, c.Name AS Who FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t, "
        "FEATURES_CHARACTER AS f, Character AS c WHERE MATCH(t<-(e)-m AND m-(f)->c) "
        "AND m.Id IN ({some}, 99999) ORDER BY m.Id, c.Name, t.Id",
        id="a branch, and a key that nobody has",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie AS m WHERE m.Id IN ({some}) AND EXISTS (SELECT 1 FROM Movie AS x, "
        "SET_IN AS e, Setting AS s WHERE MATCH(x-(e)->s) AND x.Id = m.Id) ORDER BY m.Id",
        id="a key of the statement around",
    ),
    pytest.param(
        f"SELECT b.Id, a.n FROM (SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} "
        "AND m.Id = {one} GROUP BY o.Id) AS a LEFT JOIN Movie AS b ON b.Id = a.Id "
        "ORDER BY a.n, b.Id",
        id="inside a derived table",
    ),
    pytest.param(
        f"SELECT m.Id, t.Id AS Theme FROM {HOP} WHERE MATCH(m-(e)->t) AND m.Id NOT IN ({{some}}) "
        "ORDER BY m.Id, t.Id",
        id="all but some",
    ),
    pytest.param(
        f"SELECT t.Id, m.Id AS Film FROM {HOP} WHERE MATCH(m-(e)->t) AND '{{one}}' = m.Id "
        "AND e.$from_id = m.$node_id ORDER BY t.Id",
        id="a text as key",
    ),
    pytest.param(
        "SELECT a.Id, LAST_VALUE(b.Id) WITHIN GROUP (GRAPH PATH) AS Found FROM Movie AS a, "
        "SET_IN AS s, Setting AS p, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, "
        "INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b WHERE MATCH(a-(s)->p AND "
        "SHORTEST_PATH(a(-(e)->t<-(f)-b){{1,2}})) AND a.Id = {one} ORDER BY a.Id, Found",
        id="beside a shortest path",
    ),
]


@pytest.mark.parametrize("template", STATEMENTS)
def test_arrays_answer_as_the_tables_do(pair: Pair, contract: Contract, template: str) -> None:
    draw = Random(template)
    for _ in range(2):
        statement = Statement(judged(sql_of(template, draw), contract))
        tables, arrays = (each.execute(statement, Budget()).rows for each in pair)
        assert arrays == tables
        pair[1].compile(statement)


def planned(sql: str, contract: Contract) -> Plan:
    names = frozenset(edge.name for edge in contract.edges)
    allowed = judged(sql, contract)
    return plan_of(allowed, contract, complete=frozenset(), dimensions=4, walked=names)


WALKED = [
    pytest.param("m.Id = 7", 2, id="from one end"),
    pytest.param("m.Id IN (7, 8) AND o.Id > 3", 2, id="from several"),
    pytest.param("m.Id = 7 OR o.Id = 7", 0, id="from either"),
    pytest.param("m.Name = N'Dune'", 0, id="from a name"),
    pytest.param("m.Id NOT IN (7, 8)", 0, id="from all but some"),
]


@pytest.mark.parametrize(("condition", "count"), WALKED)
def test_only_nodes_named_by_key_are_walked_from(
    contract: Contract, condition: str, count: int
) -> None:
    plan = planned(f"SELECT o.Id FROM {TWO} WHERE {BACK} AND ({condition})", contract)
    assert sum(isinstance(need, EdgeNeed) for _, need in plan.needs) == count


def test_without_large_edge_tables_nothing_is_walked(contract: Contract) -> None:
    allowed = judged(f"SELECT o.Id FROM {TWO} WHERE {BACK} AND m.Id = 7", contract)
    assert plan_of(allowed, contract, complete=frozenset(), dimensions=4).needs == ()
