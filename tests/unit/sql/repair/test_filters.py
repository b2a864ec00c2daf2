"""Conditions stand in the clause that can hold them."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["aggregate_in_where"],
        "SELECT ReleaseYear FROM Movie WHERE COUNT(*) > 1 AND Id > 1 GROUP BY ReleaseYear",
        "SELECT ReleaseYear FROM Movie WHERE Id > 1 GROUP BY ReleaseYear HAVING COUNT(*) > 1",
        id="an aggregate in WHERE",
    ),
    pytest.param(
        ["having_without_group"],
        "SELECT Name FROM Movie HAVING Id > 1",
        "SELECT Name FROM Movie WHERE Id > 1",
        id="a plain condition in HAVING",
    ),
    pytest.param(
        ["window_filter"],
        "SELECT Id, Name FROM Movie WHERE ROW_NUMBER() OVER (PARTITION BY "
        "ReleaseYear ORDER BY Id) = 1 AND Id > 1",
        "SELECT w1.[Id], w1.[Name] FROM (SELECT Id, Name, ROW_NUMBER() OVER "
        "(PARTITION BY ReleaseYear ORDER BY Id) AS place FROM Movie WHERE Id > 1) "
        "AS w1 WHERE w1.place = 1",
        id="a window in WHERE",
    ),
    pytest.param(
        ["window_filter"],
        "SELECT Id, Name FROM Movie QUALIFY RANK() OVER (ORDER BY ReleaseYear) <= 3",
        "SELECT w1.[Id], w1.[Name] FROM (SELECT Id, Name, RANK() OVER (ORDER BY "
        "ReleaseYear) AS place FROM Movie) AS w1 WHERE w1.place <= 3",
        id="QUALIFY",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_a_condition_moves_to_its_clause(
    rules: list[str],
    broken: str,
    mended: str,
    outcome: Callable[[str], tuple[str, list[str]]],
) -> None:
    assert outcome(broken) == (mended, rules)


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "SELECT ReleaseYear FROM Movie WHERE COUNT(*) > 1 OR Id > 1 GROUP BY ReleaseYear",
            id="an aggregate under OR",
        ),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
