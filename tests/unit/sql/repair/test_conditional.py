"""Conditions become values, and values of other systems conditions."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["filtered_aggregate"],
        "SELECT SUM(Id) FILTER (WHERE ReleaseYear < 1980) AS n FROM Movie",
        "SELECT SUM(CASE WHEN ReleaseYear < 1980 THEN Id END) AS n FROM Movie",
        id="FILTER",
    ),
    pytest.param(
        ["counted_condition"],
        "SELECT COUNTIF(Id > 3) AS n FROM Movie",
        "SELECT COUNT(CASE WHEN Id > 3 THEN 1 END) AS n FROM Movie",
        id="COUNTIF",
    ),
    pytest.param(
        ["counted_condition"],
        "SELECT SUM(Id > 3) AS n FROM Movie",
        "SELECT SUM(CASE WHEN Id > 3 THEN 1 ELSE 0 END) AS n FROM Movie",
        id="the sum of a comparison",
    ),
    pytest.param(
        ["counted_pairs"],
        "SELECT COUNT(DISTINCT Name, ReleaseYear) AS n FROM Movie WHERE Id > 1",
        "SELECT COUNT(*) AS [n] FROM (SELECT DISTINCT Name AS c1, ReleaseYear AS c2 "
        "FROM Movie WHERE Id > 1) AS p WHERE p.c1 IS NOT NULL AND p.c2 IS NOT NULL",
        id="COUNT DISTINCT of two columns",
    ),
    pytest.param(
        ["truth_values", "lateral"],
        "SELECT m.Name, x.n FROM Movie m LEFT JOIN LATERAL (SELECT COUNT(*) AS n "
        "FROM SET_IN s WHERE s.$from_id = m.$node_id) x ON TRUE",
        "SELECT m.Name, x.n FROM Movie m OUTER APPLY (SELECT COUNT(*) AS n FROM "
        "SET_IN s WHERE s.$from_id = m.$node_id) x",
        id="LATERAL",
    ),
    pytest.param(
        ["half_comparison"],
        "SELECT Name FROM Movie WHERE ReleaseYear >= 1980 AND <= 1990",
        "SELECT Name FROM Movie WHERE ReleaseYear >= 1980 AND ReleaseYear <= 1990",
        id="half a comparison",
    ),
    pytest.param(
        ["half_comparison"],
        "SELECT Name FROM Movie WHERE Name = 'Dune' OR 'Alien'",
        "SELECT Name FROM Movie WHERE Name = 'Dune' OR Name = 'Alien'",
        id="a value without its comparison",
    ),
    pytest.param(
        ["half_comparison"],
        "SELECT Name FROM Movie WHERE Name LIKE '%a%' AND NOT LIKE '%b%'",
        "SELECT Name FROM Movie WHERE Name LIKE '%a%' AND Name NOT LIKE '%b%'",
        id="LIKE without its column",
    ),
    pytest.param(
        ["joined_using"],
        "WITH a AS (SELECT Id FROM Movie), b AS (SELECT Id FROM Movie) SELECT a.Id "
        "FROM a JOIN b USING (Id)",
        "WITH a AS (SELECT Id FROM Movie), b AS (SELECT Id FROM Movie) SELECT a.Id "
        "FROM a JOIN b ON a.Id = b.Id",
        id="USING",
    ),
    pytest.param(
        ["listed_condition"],
        "SELECT Id > 3 AS big FROM Movie",
        "SELECT CASE WHEN Id > 3 THEN 1 WHEN NOT (Id > 3) THEN 0 END AS big FROM Movie",
        id="a comparison in the list",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_a_condition_is_said_as_t_sql_says_it(
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
            "SELECT COUNT(DISTINCT Name, Id) AS n FROM Movie GROUP BY ReleaseYear",
            id="COUNT DISTINCT of two columns of groups",
        ),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
