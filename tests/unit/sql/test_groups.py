"""GROUP BY and ORDER BY as SQL Server binds them."""

import pytest
from golden.decisions import allowed, refused


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT Name, COUNT(*) AS n FROM Movie",
        "SELECT m.Name FROM Movie AS m GROUP BY m.ReleaseYear",
        "SELECT ReleaseYear FROM Movie GROUP BY ReleaseYear HAVING Name = 'x'",
        "SELECT ReleaseYear FROM Movie GROUP BY ReleaseYear ORDER BY Name",
        "SELECT ReleaseYear + 1 AS y FROM Movie GROUP BY ReleaseYear + 2",
        "SELECT ReleaseYear, RANK() OVER (ORDER BY Name) AS r FROM Movie GROUP BY ReleaseYear",
        "SELECT SUM(Id) OVER () AS s, COUNT(*) AS n FROM Movie",
        "SELECT GROUPING(Name) AS g FROM Movie GROUP BY ROLLUP (ReleaseYear)",
        "SELECT Name FROM Movie HAVING COUNT(*) > 1",
    ],
)
def test_a_column_that_is_neither_grouped_nor_aggregated_is_refused(sql: str) -> None:
    assert refused(sql).code == "not_grouped"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT m.ReleaseYear + 1 AS y FROM Movie AS m GROUP BY ReleaseYear",
        "SELECT ReleaseYear / 10 * 10 AS d FROM Movie GROUP BY Movie.ReleaseYear / 10 * 10",
        "SELECT (ReleaseYear) AS y FROM Movie GROUP BY ReleaseYear ORDER BY COUNT(*)",
        "SELECT ReleaseYear AS y, COUNT(*) AS n FROM Movie GROUP BY ReleaseYear ORDER BY y, n",
        "SELECT 'all' AS k, COUNT(*) AS n FROM Movie",
        "SELECT ReleaseYear FROM Movie GROUP BY GROUPING SETS ((ReleaseYear, Name), ())",
        "SELECT MAX(COUNT(*)) OVER () AS most FROM Movie GROUP BY ReleaseYear",
        (
            "SELECT ReleaseYear, STRING_AGG(Name, ',') WITHIN GROUP (ORDER BY Name) s FROM Movie "
            "GROUP BY ReleaseYear"
        ),
        (
            "SELECT m.Id, (SELECT COUNT(*) FROM Genre AS g WHERE g.Id > m.Id) AS n FROM Movie AS m "
            "GROUP BY m.Id"
        ),
        (
            "SELECT CASE WHEN Id > 1 THEN 'a' ELSE 'b' END AS k, COUNT(*) AS n FROM Movie "
            "GROUP BY CASE WHEN Id > 1 THEN 'a' ELSE 'b' END"
        ),
    ],
)
def test_what_is_grouped_may_be_shown_and_computed_with(sql: str) -> None:
    allowed(sql)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT COUNT(*) AS n FROM Movie GROUP BY (SELECT 1)", "syntax"),
        ("SELECT COUNT(*) AS n FROM Movie GROUP BY UPPER('x')", "syntax"),
        ("SELECT SUM((SELECT 1)) AS n FROM Movie", "syntax"),
        ("SELECT SUM(MAX(Id)) AS n FROM Movie GROUP BY Name", "syntax"),
        ("SELECT DISTINCT Name FROM Movie ORDER BY Id", "syntax"),
        ("SELECT Name FROM Movie ORDER BY 1 + 1", "syntax"),
        ("SELECT Name FROM Movie ORDER BY NULL", "syntax"),
        ("SELECT Name FROM Movie ORDER BY Name, Movie.Name, Name", "syntax"),
        ("SELECT Name, Id AS Name FROM Movie ORDER BY Name", "ambiguous_column"),
        ("SELECT Name FROM Movie UNION SELECT Name FROM Genre ORDER BY LEN(Name)", "syntax"),
        ("SELECT Name FROM Movie ORDER BY Name UNION SELECT Name FROM Genre", "syntax"),
    ],
)
def test_what_sql_server_cannot_group_or_sort_by_is_refused(sql: str, code: str) -> None:
    assert refused(sql).code == code


def test_a_sorted_operand_becomes_a_derived_table_and_a_note_says_so() -> None:
    decision = allowed(
        "(SELECT TOP 1 Name FROM Movie ORDER BY Id) UNION ALL SELECT Name FROM Genre"
    )
    assert (
        "FROM (SELECT TOP 1 [Name] AS [Name] FROM [dbo].[Movie] ORDER BY [Id]) AS [operand1]"
        in (decision.sql)
    )
    assert any("derived table" in note for note in decision.notes)
