"""Clauses are put in their place, and said once."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["top_place"],
        "SELECT TOP 5 DISTINCT Name FROM Movie",
        "SELECT DISTINCT TOP 5 Name FROM Movie",
        id="DISTINCT behind TOP",
    ),
    pytest.param(
        ["top_place"],
        "SELECT Name FROM Movie ORDER BY Id TOP 5",
        "SELECT TOP 5 Name FROM Movie ORDER BY Id",
        id="TOP at the end",
    ),
    pytest.param(
        ["top_and_limit"],
        "SELECT TOP 5 Name FROM Movie LIMIT 3",
        "SELECT TOP 3 Name FROM Movie",
        id="TOP and LIMIT",
    ),
    pytest.param(
        ["missing_by"],
        "SELECT Name FROM Movie ORDER Id",
        "SELECT Name FROM Movie ORDER BY Id",
        id="ORDER without BY",
    ),
    pytest.param(
        ["doubled_word"],
        "SELECT Name FROM FROM Movie",
        "SELECT Name FROM Movie",
        id="a doubled word",
    ),
    pytest.param(
        ["dangling_operator"],
        "SELECT Name FROM Movie WHERE Id = 1 AND ORDER BY Id",
        "SELECT Name FROM Movie WHERE Id = 1 ORDER BY Id",
        id="an operator at the end",
    ),
    pytest.param(
        ["dangling_operator"],
        "SELECT Name FROM Movie WHERE AND Id = 1",
        "SELECT Name FROM Movie WHERE Id = 1",
        id="an operator at the head",
    ),
    pytest.param(
        ["second_where"],
        "SELECT Name FROM Movie WHERE Id = 1 OR Id = 2 WHERE ReleaseYear = 1999",
        "SELECT Name FROM Movie WHERE (Id = 1 OR Id = 2) AND ReleaseYear = 1999",
        id="two WHERE, one with OR",
    ),
    pytest.param(
        ["query_hint"],
        "SELECT Name FROM Movie OPTION (MAXDOP 1)",
        "SELECT Name FROM Movie",
        id="a hint",
    ),
    pytest.param(
        ["second_with"],
        "WITH a AS (SELECT Id FROM Movie), WITH b AS (SELECT Id FROM a) SELECT Id FROM b",
        "WITH a AS (SELECT Id FROM Movie), b AS (SELECT Id FROM a) SELECT Id FROM b",
        id="WITH said twice",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_a_clause_is_put_right(
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
            "SELECT TOP 5 Name FROM Movie ORDER BY Id OFFSET 2 ROWS", id="TOP with OFFSET"
        ),
        pytest.param("SELECT Name FROM Movie WHERE Id >", id="a condition cut off"),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
