"""Operators and functions of other systems that T-SQL says otherwise."""

from collections.abc import Callable

import pytest

from moviegraph.sql.repair.rules import Repaired

CASES = [
    pytest.param(
        ["regular_expression"],
        "SELECT Name FROM Movie WHERE Name REGEXP '^Star'",
        "SELECT Name FROM Movie WHERE Name LIKE 'Star%'",
        id="REGEXP",
    ),
    pytest.param(
        ["regular_expression"],
        "SELECT Name FROM Movie WHERE Name ~* 'star|dune'",
        "SELECT Name FROM Movie WHERE (Name LIKE '%star%' OR Name LIKE '%dune%')",
        id="a tilde",
    ),
    pytest.param(
        ["regular_expression"],
        "SELECT Name FROM Movie WHERE Name NOT REGEXP 'star|dune'",
        "SELECT Name FROM Movie WHERE (Name NOT LIKE '%star%' AND Name NOT LIKE '%dune%')",
        id="NOT REGEXP",
    ),
    pytest.param(
        ["regular_expression"],
        "SELECT Name FROM Movie WHERE Name NOT REGEXP '^S.*[0-9]+$'",
        "SELECT Name FROM Movie WHERE NOT REGEXP_LIKE(Name, '^S.*[0-9]+$', 'i')",
        id="a real regular expression",
    ),
    pytest.param(
        ["regular_expression"],
        "SELECT Name FROM Movie WHERE REGEXP_CONTAINS(Name, '^S')",
        "SELECT Name FROM Movie WHERE REGEXP_LIKE(Name, '^S')",
        id="REGEXP_CONTAINS",
    ),
    pytest.param(
        ["integer_division"],
        "SELECT ReleaseYear DIV 10 AS d FROM Movie",
        "SELECT ReleaseYear / 10 AS d FROM Movie",
        id="DIV",
    ),
    pytest.param(
        ["dated_form"],
        "SELECT Name FROM Movie WHERE ReleaseYear > STRFTIME('%Y', 'now')",
        "SELECT Name FROM Movie WHERE ReleaseYear > YEAR(GETDATE())",
        id="a form of a date",
    ),
    pytest.param(
        ["padded"],
        "SELECT LPAD(Name, 3, '0') AS n FROM Movie",
        "SELECT CONCAT(REPLICATE('0', 3 - LEN(Name)), LEFT(Name, 3)) AS n FROM Movie",
        id="LPAD",
    ),
    pytest.param(
        ["decoded"],
        "SELECT DECODE(Id, 1, 'a', 2, 'b') AS n FROM Movie",
        "SELECT CASE Id WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS n FROM Movie",
        id="DECODE",
    ),
    pytest.param(
        ["ended_text"],
        "SELECT Name FROM Movie WHERE STARTS_WITH(Name, 'Star')",
        "SELECT Name FROM Movie WHERE Name LIKE 'Star%'",
        id="STARTS_WITH",
    ),
    pytest.param(
        ["null_safe_equality"],
        "SELECT Name FROM Movie WHERE Id <=> 3",
        "SELECT Name FROM Movie WHERE Id = 3",
        id="null-safe equality",
    ),
    pytest.param(
        ["listed_any"],
        "SELECT Name FROM Movie WHERE Id = ANY(ARRAY[1, 2])",
        "SELECT Name FROM Movie WHERE Id IN (1, 2)",
        id="ANY of an array",
    ),
    pytest.param(
        ["listed_any"],
        "SELECT Name FROM Movie WHERE Name LIKE ANY (ARRAY['a%', 'b%'])",
        "SELECT Name FROM Movie WHERE (Name LIKE 'a%' OR Name LIKE 'b%')",
        id="LIKE ANY",
    ),
    pytest.param(
        ["limit_offset"],
        "WITH a AS (SELECT Id FROM Movie ORDER BY ReleaseYear LIMIT 4) SELECT Id FROM a",
        "WITH a AS (SELECT TOP 4 Id FROM Movie ORDER BY ReleaseYear ) SELECT Id FROM a",
        id="LIMIT in a CTE",
    ),
    pytest.param(
        ["dual"],
        "SELECT 1 AS one FROM DUAL",
        "SELECT 1 AS one",
        id="FROM DUAL",
    ),
    pytest.param(
        ["renamed_functions"],
        "SELECT TO_CHAR(ReleaseYear) AS y FROM Movie",
        "SELECT CAST(ReleaseYear AS NVARCHAR(30)) AS y FROM Movie",
        id="TO_CHAR of a number",
    ),
    pytest.param(
        ["turned_operator"],
        "SELECT Name FROM Movie WHERE Id => 3",
        "SELECT Name FROM Movie WHERE Id >= 3",
        id="an operator turned round",
    ),
    pytest.param(
        ["fetch_first"],
        "SELECT Name FROM Movie ORDER BY Id FETCH FIRST ROW ONLY",
        "SELECT TOP 1 Name FROM Movie ORDER BY Id ",
        id="FETCH without a number",
    ),
    pytest.param(
        ["escape_string"],
        "SELECT Name FROM Movie WHERE Name = E'Dune'",
        "SELECT Name FROM Movie WHERE Name = 'Dune'",
        id="a string with a prefix",
    ),
    pytest.param(
        ["row_number_limit"],
        "SELECT Name FROM Movie WHERE ROWNUM <= 5 AND Id > 1",
        "SELECT TOP 5 Name FROM Movie WHERE Id > 1",
        id="ROWNUM",
    ),
    pytest.param(
        ["star_without"],
        "SELECT * EXCEPT (Embedding, Content) FROM Movie",
        "SELECT Id, Name, ReleaseYear FROM Movie",
        id="EXCEPT of a star",
    ),
]


@pytest.mark.parametrize(("rules", "broken", "mended"), CASES)
def test_a_foreign_operator_is_translated(
    rules: list[str],
    broken: str,
    mended: str,
    outcome: Callable[[str], tuple[str, list[str]]],
) -> None:
    assert outcome(broken) == (mended, rules)


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT 7.5 DIV 2 AS d FROM Movie", id="division that keeps its fraction"),
        pytest.param(
            "SELECT Name FROM Movie WHERE ROWNUM <= 5 ORDER BY Id", id="ROWNUM under an order"
        ),
    ],
)
def test_what_could_mean_something_else_is_left(sql: str, mend: Callable[[str], Repaired]) -> None:
    assert mend(sql).changes == ()
