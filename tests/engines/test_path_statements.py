"""Paths inside larger statements: restricting a search never changes the result."""

from collections.abc import Callable

import pytest

from moviegraph.engines.base import ResultSet
from moviegraph.errors import ExecutionError

Run = Callable[..., ResultSet]


def paths(start: str = "s.Id = 1", columns: str = "") -> str:
    return (
        f"SELECT s.Id AS a, LAST_VALUE(d.Id) WITHIN GROUP (GRAPH PATH) AS b{columns} "
        "FROM Movie AS s, FEATURES_CHARACTER FOR PATH AS e, Character FOR PATH AS c, "
        "FEATURES_CHARACTER FOR PATH AS f, Movie FOR PATH AS d "
        f"WHERE MATCH(SHORTEST_PATH(s(-(e)->c<-(f)-d)+)) AND {start}"
    )


YEAR = ", LAST_VALUE(d.ReleaseYear) WITHIN GROUP (GRAPH PATH) AS y"


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        pytest.param(
            f"SELECT p.b FROM ({paths('s.Id IN (1, 4)')}) AS p(b, a) WHERE p.a = 4",
            [(1,), (4,)],
            id="a derived table renames its columns",
        ),
        pytest.param(
            f"WITH p(b, a) AS ({paths('s.Id IN (1, 4)')}) SELECT p.b FROM p WHERE p.a = 4",
            [(1,), (4,)],
            id="a CTE renames its columns",
        ),
        pytest.param(
            f"SELECT m.Id FROM Movie AS m LEFT JOIN ({paths()}) AS p ON p.b = m.Id "
            "WHERE p.b IS NULL AND m.Id < 5",
            [(3,)],
            id="a condition around an outer join looks for what is missing",
        ),
        pytest.param(
            f"SELECT p.b FROM ({paths(columns=YEAR)}) AS p WHERE 1 / (p.y - 1999) < 1",
            [(1,), (2,), (4,)],
            id="a condition fails on films that no path reaches",
        ),
        pytest.param(
            f"SELECT p.b FROM ({paths('s.Id > 0')}) AS p WHERE p.a = 4 AND p.b < 4",
            [(1,), (2,)],
            id="the start is restricted around",
        ),
        pytest.param(
            "WITH seeds AS (SELECT TOP 1 Id FROM Movie WHERE Id > 3 ORDER BY Id) "
            + paths("s.Id = q.Id").replace("FROM Movie AS s", "FROM seeds AS q, Movie AS s"),
            [(4, 1), (4, 2), (4, 4)],
            id="the start comes from a CTE",
        ),
        pytest.param(
            "WITH seeds AS (SELECT TOP 1 Id FROM Movie WHERE Id > 3 ORDER BY Id) "
            + paths("s.Id IN (SELECT q.Id FROM seeds AS q)")
            + " UNION "
            + paths("s.Id = 6"),
            [(4, 1), (4, 2), (4, 4)],
            id="the start comes from a CTE of a set operation",
        ),
        pytest.param(
            "SELECT m.Id FROM Movie AS m WHERE EXISTS (" + paths("s.Id = m.Id AND m.Id < 3") + ")",
            [(1,), (2,)],
            id="the start comes from the statement around",
        ),
        pytest.param(
            f"SELECT m.Id FROM Movie AS m WHERE m.Id IN (SELECT p.b FROM ({paths()}) AS p "
            f"WHERE p.a IN (SELECT r.b FROM ({paths('s.Id = 2')}) AS r))",
            [(1,), (2,), (4,)],
            id="paths within paths",
        ),
        pytest.param(
            f"SELECT p.a, COUNT(*) AS n FROM ({paths('s.Id IN (1, 5)')}) AS p GROUP BY p.a",
            [(1, 3)],
            id="paths are counted",
        ),
        pytest.param(
            paths("g.Name = 'Horror'")
            .replace("FROM Movie AS s", "FROM IN_GENRE AS i, Genre AS g, Movie AS s")
            .replace("MATCH(", "MATCH(s-(i)->g AND "),
            [(4, 1), (4, 2), (4, 4)],
            id="the start is found by a hop",
        ),
    ],
)
def test_paths_are_allowed_in_any_statement(
    run: Run, sql: str, rows: list[tuple[object, ...]]
) -> None:
    assert sorted(run(sql).rows) == rows


def test_an_aggregate_over_the_start_too_is_refused_by_name(run: Run) -> None:
    mixed = paths(columns=", STRING_AGG(CONCAT(s.Id, d.Id), ' ') WITHIN GROUP (GRAPH PATH) AS w")
    with pytest.raises(ExecutionError) as refused:
        run(mixed)
    assert refused.value.code == "unsupported_by_engine"
