"""Nodes that a MATCH only passes: rows are the same, whether something else reads them or not."""

from collections.abc import Callable

import pytest

from moviegraph.engines.base import ResultSet

Run = Callable[..., ResultSet]
HOP = "FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t"
HOPS = f"{HOP}, INCLUDES_THEME AS f, Movie AS n WHERE MATCH(m-(e)->t<-(f)-n)"


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        pytest.param(
            f"SELECT COUNT(*) AS n {HOP} WHERE MATCH(m-(e)->t)", [(8,)], id="nothing is read"
        ),
        pytest.param(
            f"SELECT n.Id, COUNT(*) AS c {HOPS} AND m.Id = 1 GROUP BY n.Id ORDER BY n.Id",
            [(1, 2), (2, 1), (3, 2), (8, 2)],
            id="the middle is passed",
        ),
        pytest.param(
            f"SELECT n.Id, MIN(t.Id) AS c {HOPS} AND m.Id = 1 GROUP BY n.Id ORDER BY n.Id",
            [(1, 1), (2, 1), (3, 1), (8, 1)],
            id="the middle is read",
        ),
        pytest.param(
            "SELECT COUNT(*) AS n FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t, SET_IN AS i, "
            "Setting AS s WHERE MATCH(m-(e)->t AND m-(i)->s)",
            [(4,)],
            id="two patterns share a node that is not read",
        ),
        pytest.param(
            f"SELECT COUNT(*) AS n {HOP} WHERE MATCH(m-(e)->t) AND EXISTS "
            "(SELECT 1 FROM Theme AS u WHERE u.Id = t.Id AND u.Name = 'Survival')",
            [(1,)],
            id="a subquery reads it",
        ),
        pytest.param(
            f"SELECT m.Id {HOP} WHERE MATCH(m-(e)->t) AND CONTAINS(t.*, 'odds')",
            [(4,)],
            id="a search reads it",
        ),
        pytest.param(
            "SELECT COUNT(*) AS n FROM Theme, INCLUDES_THEME, Movie "
            "WHERE MATCH(Movie-(INCLUDES_THEME)->Theme)",
            [(8,)],
            id="tables without aliases",
        ),
        pytest.param(
            f"SELECT m.Id FROM ({HOP.replace('FROM', 'SELECT m.Id FROM')} WHERE MATCH(m-(e)->t) "
            "AND t.Id = 3) AS m",
            [(4,)],
            id="in a derived table",
        ),
    ],
)
def test_nodes_that_are_only_passed_change_no_rows(
    run: Run, sql: str, rows: list[tuple[object, ...]]
) -> None:
    assert run(sql).rows == rows
