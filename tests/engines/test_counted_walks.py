"""Ways that a SELECT only counts are counted in arrays: the rows are those of the joins."""

from collections.abc import Iterator
from random import Random

import pytest
from fakes.two_engines import Pair, judged, sql_of, two_engines

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Statement
from moviegraph.engines.duckdb.plan import WalkNeed
from moviegraph.engines.duckdb.translator import plan_of

GRAPHS = 4
ONE = "Movie AS m, INCLUDES_THEME AS e, Theme AS t"
TWO = f"{ONE}, INCLUDES_THEME AS f, Movie AS o"
THREE = f"{TWO}, SET_IN AS g, Setting AS s"
BACK = "MATCH(m-(e)->t<-(f)-o)"
FROM_ONE = f"FROM {TWO} WHERE {BACK} AND m.Id = {{one}}"
BY_FILM = "GROUP BY o.Id ORDER BY n DESC, o.Id"


@pytest.fixture(scope="module", params=range(GRAPHS))
def pair(
    request: pytest.FixtureRequest, contract: Contract, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Yield an engine that joins, and one that counts ways."""
    folder = tmp_path_factory.mktemp("counted") / "graph"
    with two_engines(folder, request.param, contract, "COUNTED") as found:
        yield found


COUNTED = [
    pytest.param(f"SELECT o.Id, COUNT(*) AS n {FROM_ONE} {BY_FILM}", id="with the start itself"),
    pytest.param(
        f"SELECT o.Id, o.Name, COUNT(*) AS n {FROM_ONE} AND o.Id <> m.Id "
        "GROUP BY o.Id, o.Name ORDER BY n DESC, o.Id",
        id="without the start",
    ),
    pytest.param(
        f"SELECT COUNT_BIG(*) AS n, o.ReleaseYear {FROM_ONE} AND (o.ReleaseYear > 1980 OR "
        "o.Name LIKE '%a%') GROUP BY o.ReleaseYear, o.Id ORDER BY COUNT_BIG(*) DESC, o.Id",
        id="with a condition on the ends",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} AND m.Id IN ({{some}}, 99999) "
        f"AND o.Id NOT IN ({{some}}) {BY_FILM}",
        id="from several",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} AND m.Id IN ({{some}}) "
        f"AND t.Id NOT IN (1, 3) AND t.Id <> 2 {BY_FILM}",
        id="past some themes",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE ({BACK} AND (m.Id IN ({{some}}))) "
        f"AND ((o.Id > 2 AND t.Id <> 1)) {BY_FILM}",
        id="conditions in parentheses",
    ),
    pytest.param(
        f"SELECT TOP 3 t.Id, t.Name, COUNT(*) AS n FROM {ONE} WHERE MATCH(m-(e)->t) "
        "AND m.Id IN ({some}) GROUP BY t.Id, t.Name ORDER BY n DESC, t.Id",
        id="one hop",
    ),
    pytest.param(
        f"SELECT s.Id, COUNT(*) AS n FROM {THREE} WHERE MATCH(m-(e)->t<-(f)-o AND o-(g)->s) "
        "AND m.Id = {one} GROUP BY s.Id ORDER BY n DESC, s.Id",
        id="three hops in two patterns",
    ),
    pytest.param(
        f"SELECT b.Id, SUM(a.n) AS n FROM (SELECT o.Id, COUNT(*) AS n {FROM_ONE} GROUP BY o.Id "
        "UNION ALL SELECT o.Id, COUNT(*) AS n FROM Movie AS m, SET_IN AS e, Setting AS s, "
        "SET_IN AS f, Movie AS o WHERE MATCH(m-(e)->s<-(f)-o) AND m.Id = {one} "
        "GROUP BY o.Id) AS a LEFT JOIN Movie AS b ON b.Id = a.Id GROUP BY b.Id ORDER BY n, b.Id",
        id="two of them inside a derived table",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} AND m.Id = {{one}} "
        f"AND o.Id = {{other}} {BY_FILM}",
        id="both ends",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} AND m.Id = 99999 {BY_FILM}",
        id="from a key that nobody has",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n {FROM_ONE} AND o.Id + m.Id > 4 {BY_FILM}",
        id="the key of the start in arithmetic",
    ),
]
JOINED = [
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n {FROM_ONE} AND t.Name LIKE '%a%' {BY_FILM}",
        id="a condition on what is passed",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n {FROM_ONE} AND m.ReleaseYear > 1900 {BY_FILM}",
        id="a condition on the start",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} AND m.Id IN ({{some}}) "
        f"AND o.Id <> m.Id {BY_FILM}",
        id="ends unlike each of several starts",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(DISTINCT t.Id) AS n {FROM_ONE} {BY_FILM}", id="another aggregate"
    ),
    pytest.param(
        f"SELECT o.Name, COUNT(*) AS n {FROM_ONE} GROUP BY o.Name ORDER BY n DESC, o.Name",
        id="grouped by no key",
    ),
    pytest.param(
        f"SELECT o.Id, t.Id AS Theme, COUNT(*) AS n {FROM_ONE} GROUP BY o.Id, t.Id "
        "ORDER BY n DESC, o.Id, t.Id",
        id="grouped by two nodes",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n {FROM_ONE} GROUP BY o.Id HAVING COUNT(*) > 1 "
        "ORDER BY n DESC, o.Id",
        id="groups left out",
    ),
    pytest.param(
        f"SELECT COUNT(*) AS n, m.Id FROM {TWO} WHERE {BACK} AND t.Id = 1 GROUP BY m.Id "
        "ORDER BY n DESC, m.Id",
        id="from the middle",
    ),
    pytest.param(
        f"SELECT t.Id, COUNT(*) AS n {FROM_ONE} GROUP BY t.Id ORDER BY n DESC, t.Id",
        id="to the middle",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} AND (m.Id = {{one}} OR o.Id = "
        f"{{other}}) {BY_FILM}",
        id="named or not",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n FROM {TWO} WHERE {BACK} AND m.Id = 99999999999 "
        f"AND o.Id + m.Id > 4 {BY_FILM}",
        id="arithmetic with a key that no column holds",
    ),
    pytest.param(
        f"SELECT o.Id, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY o.Id) AS k {FROM_ONE} {BY_FILM}",
        id="with a window",
    ),
]


def is_counted(sql: str, contract: Contract) -> bool:
    names = frozenset(edge.name for edge in contract.edges)
    plan = plan_of(
        judged(sql, contract), contract, complete=frozenset(), dimensions=4, counted=names
    )
    return any(isinstance(need, WalkNeed) for _, need in plan.needs)


@pytest.mark.parametrize("template", [*COUNTED, *JOINED])
def test_counting_answers_as_joining_does(pair: Pair, contract: Contract, template: str) -> None:
    draw = Random(template)
    for _ in range(2):
        statement = Statement(judged(sql_of(template, draw), contract))
        joined, counted = (each.execute(statement, Budget()).rows for each in pair)
        assert counted == joined
        pair[1].compile(statement)


@pytest.mark.parametrize("template", COUNTED)
def test_where_only_the_ways_to_named_ends_are_asked_for_they_are_counted(
    contract: Contract, template: str
) -> None:
    assert is_counted(sql_of(template, Random(0)), contract)


@pytest.mark.parametrize("template", JOINED)
def test_where_more_is_read_of_a_way_tables_are_joined(contract: Contract, template: str) -> None:
    assert not is_counted(sql_of(template, Random(0)), contract)


def test_in_a_small_graph_tables_are_joined(contract: Contract) -> None:
    allowed = judged(
        sql_of(f"SELECT o.Id, COUNT(*) AS n {FROM_ONE} {BY_FILM}", Random(0)), contract
    )
    assert plan_of(allowed, contract, complete=frozenset(), dimensions=4).needs == ()
