"""T-SQL in, rows out: the dialect as SQL Server reads it, on every engine that is present."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from moviegraph.engines.base import ResultSet

Run = Callable[..., ResultSet]
NESTED_JSON = (
    '{"films":[{"Name":"Star Wars","themes":[{"Name":"Chosen One"},{"Name":"Rebellion"}]}]}'
)

CASES: list[Any] = [
    pytest.param(
        "SELECT m.Name FROM Movie AS m WHERE m.ReleaseYear < 1980 ORDER BY m.Name",
        [("Alien",), ("Star Wars",)],
        id="filters and sorts",
    ),
    pytest.param(
        "SELECT TOP 3 m.Name, m.ReleaseYear FROM Movie m ORDER BY m.ReleaseYear, m.Id",
        [("100% Wolf", None), ("Star Wars", 1977), ("Alien", 1979)],
        id="sorts nulls first when ascending",
    ),
    pytest.param(
        "SELECT TOP 2 m.Name FROM Movie m ORDER BY m.ReleaseYear DESC",
        [("Dune",), ("Amélie",)],
        id="sorts nulls last when descending",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.Name = 'ALIEN' ORDER BY m.Id",
        [(4,), (7,)],
        id="compares without case",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.Name IN ('AMÉLIE', 'the matrix') ORDER BY m.Id",
        [(5,), (8,)],
        id="compares accented letters without case, and ignores trailing blanks of the data",
    ),
    pytest.param(
        "SELECT COUNT(DISTINCT m.Name) AS names, COUNT(*) AS films, COUNT(m.ReleaseYear) AS years "
        "FROM Movie m",
        [(7, 8, 7)],
        id="counts distinct names without case",
    ),
    pytest.param(
        "SELECT COUNT(*) AS n FROM Movie m GROUP BY m.Name HAVING COUNT(*) > 1",
        [(2,)],
        id="groups without case",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.Name LIKE 'a%' ORDER BY m.Id",
        [(4,), (5,), (7,)],
        id="LIKE ignores case",
    ),
    pytest.param(
        "SELECT m.Name FROM Movie m WHERE m.Name LIKE '100!%%' ESCAPE '!'",
        [("100% Wolf",)],
        id="LIKE with ESCAPE",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.Name LIKE '[ad][lu]%' ORDER BY m.Id",
        [(3,), (4,), (7,)],
        id="LIKE with bracket classes",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.Name NOT LIKE '%[^0-9a-z é]%' ORDER BY m.Id",
        [(1,), (2,), (3,), (4,), (5,), (7,), (8,)],
        id="NOT LIKE with a negated class",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.ReleaseYear LIKE '19%9' ORDER BY m.Id",
        [(4,), (7,), (8,)],
        id="LIKE reads numbers as text",
    ),
    pytest.param(
        "SELECT m.Name FROM Movie m WHERE m.Name COLLATE Latin1_General_CI_AI = 'amelie'",
        [("Amélie",)],
        id="collations can ignore accents",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.Name COLLATE Latin1_General_CS_AS = 'alien'",
        [(7,)],
        id="collations can see case",
    ),
    pytest.param(
        "SELECT DISTINCT m.ReleaseYear / 10 * 10 AS decade FROM Movie m "
        "WHERE m.ReleaseYear IS NOT NULL ORDER BY decade",
        [(1970,), (1980,), (1990,), (2000,), (2020,)],
        id="divides whole numbers to whole numbers",
    ),
    pytest.param(
        "SELECT AVG(m.ReleaseYear) AS a, SUM(m.ReleaseYear) AS s FROM Movie m WHERE m.Id < 4",
        [(1992, 5978)],
        id="the average of whole numbers is cut",
    ),
    pytest.param(
        "SELECT m.Name + ' (' + CAST(m.ReleaseYear AS NVARCHAR(4)) + ')' AS title "
        "FROM Movie m WHERE m.Id IN (1, 6) ORDER BY m.Id",
        [("Star Wars (1977)",), (None,)],
        id="joins texts by plus, and NULL wins",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.ReleaseYear = '1999' ORDER BY m.Id",
        [(7,), (8,)],
        id="reads text beside a number as a number",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m ORDER BY m.Id OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY",
        [(3,), (4,), (5,)],
        id="pages",
    ),
    pytest.param(
        "SELECT g.Name, COUNT(*) AS n FROM Movie m, IN_GENRE e, Genre g "
        "WHERE MATCH(m-(e)->g) GROUP BY g.Name ORDER BY n DESC, g.Name",
        [("Science Fiction", 5), ("Drama", 1), ("Horror", 1)],
        id="MATCH of one hop",
    ),
    pytest.param(
        "SELECT o.Name, COUNT(*) AS shared FROM Movie m, INCLUDES_THEME e, Theme t, "
        "INCLUDES_THEME f, Movie o WHERE MATCH(m-(e)->t<-(f)-o) AND m.Name = 'star wars' "
        "AND o.Id <> m.Id GROUP BY o.Name ORDER BY shared DESC, o.Name",
        [("Dune", 2), ("The Matrix", 2), ("The Empire Strikes Back", 1)],
        id="MATCH of two hops",
    ),
    pytest.param(
        "SELECT m.Name, s.Name AS place FROM Movie m, SET_IN a, Setting s, IN_GENRE b, Genre g "
        "WHERE MATCH(m-(a)->s AND m-(b)->g) AND g.Name = 'Science Fiction' ORDER BY m.Id",
        [("Star Wars", "Desert Planet"), ("Dune", "Desert Planet")],
        id="MATCH of two chains",
    ),
    pytest.param(
        "SELECT m.Name FROM Movie m JOIN PART_OF_SERIES p ON p.$from_id = m.$node_id "
        "JOIN Series s ON p.$to_id = s.$node_id ORDER BY m.Id",
        [("Star Wars",), ("The Empire Strikes Back",)],
        id="pseudo columns join, and kinds with equal ids stay apart",
    ),
    pytest.param(
        "SELECT m.Name FROM Movie m WHERE NOT EXISTS "
        "(SELECT 1 FROM IN_GENRE e WHERE e.$from_id = m.$node_id) ORDER BY m.Id",
        [("100% Wolf",), ("alien",)],
        id="correlated EXISTS",
    ),
    pytest.param(
        "SELECT m.Name, x.n FROM Movie m CROSS APPLY (SELECT COUNT(*) AS n FROM INCLUDES_THEME e "
        "WHERE e.$from_id = m.$node_id) AS x WHERE x.n > 1 ORDER BY m.Id",
        [("Star Wars", 2), ("Dune", 2), ("The Matrix", 2)],
        id="CROSS APPLY",
    ),
    pytest.param(
        "SELECT m.Name, x.Name AS theme FROM Movie m OUTER APPLY (SELECT TOP 1 t.Name FROM "
        "INCLUDES_THEME e JOIN Theme t ON e.$to_id = t.$node_id WHERE e.$from_id = m.$node_id "
        "ORDER BY t.Name) AS x WHERE m.Id > 3 ORDER BY m.Id",
        [
            ("Alien", "Survival"),
            ("Amélie", None),
            ("100% Wolf", None),
            ("alien", None),
            ("The Matrix", "Chosen One"),
        ],
        id="OUTER APPLY",
    ),
    pytest.param(
        "WITH y AS (SELECT m.ReleaseYear AS y, COUNT(*) AS n FROM Movie m WHERE m.ReleaseYear > 0 "
        "GROUP BY m.ReleaseYear) SELECT y.y, y.n, SUM(y.n) OVER (ORDER BY y.y) AS running, "
        "RANK() OVER (ORDER BY y.n DESC) AS place FROM y ORDER BY y.y",
        [
            (1977, 1, 1, 2),
            (1979, 1, 2, 2),
            (1980, 1, 3, 2),
            (1999, 2, 5, 1),
            (2001, 1, 6, 2),
            (2021, 1, 7, 2),
        ],
        id="CTE and windows",
    ),
    pytest.param(
        "SELECT m.Id, ROW_NUMBER() OVER (PARTITION BY m.Name ORDER BY m.Id) AS n, "
        "LAG(m.Id) OVER (ORDER BY m.Id) AS before FROM Movie m WHERE m.Id IN (4, 7) ORDER BY m.Id",
        [(4, 1, None), (7, 2, 4)],
        id="partitions without case",
    ),
    pytest.param(
        "SELECT DISTINCT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY m.ReleaseYear) OVER () AS x "
        "FROM Movie m WHERE m.Id IN (1, 2)",
        [(1978.5,)],
        id="PERCENTILE_CONT",
    ),
    pytest.param(
        "SELECT STRING_AGG(g.Name, ', ') WITHIN GROUP (ORDER BY g.Name DESC) AS x FROM Genre g",
        [("Science Fiction, Horror, Drama",)],
        id="STRING_AGG in order",
    ),
    pytest.param(
        "SELECT m.Name FROM Movie m WHERE m.Id = 1 UNION SELECT s.Name FROM Series s",
        [("Star Wars",)],
        id="UNION folds equal rows",
    ),
    pytest.param(
        "SELECT m.Name FROM Movie m WHERE m.Id < 3 EXCEPT SELECT s.Name FROM Series s",
        [("The Empire Strikes Back",)],
        id="EXCEPT",
    ),
    pytest.param(
        "SELECT UPPER(m.Name) AS n FROM Movie m WHERE m.Id = 5 INTERSECT SELECT 'amélie' AS n",
        [("AMÉLIE",)],
        id="INTERSECT without case, with accented letters",
    ),
    pytest.param(
        "SELECT MAX(m.Name) AS a, MIN(m.Name) AS b FROM Movie m WHERE m.Name BETWEEN 'b' AND 'T'",
        [("Star Wars", "Dune")],
        id="MIN, MAX and BETWEEN without case",
    ),
    pytest.param(
        "SELECT CASE m.Name WHEN 'ALIEN' THEN 1 ELSE 0 END AS x, COUNT(*) AS n FROM Movie m "
        "GROUP BY CASE m.Name WHEN 'ALIEN' THEN 1 ELSE 0 END ORDER BY x",
        [(0, 6), (1, 2)],
        id="simple CASE without case",
    ),
    pytest.param(
        "SELECT a.Id, b.Id AS other FROM Movie a JOIN Series b ON a.Name = LOWER(b.Name)",
        [(1, 1)],
        id="joins texts without case",
    ),
    pytest.param(
        "SELECT g.Name, COUNT(*) AS n FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) "
        "GROUP BY ROLLUP(g.Name) ORDER BY n, g.Name",
        [("Drama", 1), ("Horror", 1), ("Science Fiction", 5), (None, 7)],
        id="ROLLUP",
    ),
    pytest.param(
        "SELECT CASE WHEN m.ReleaseYear < 1990 THEN 'old' ELSE 'new' END AS age, COUNT(*) AS n "
        "FROM Movie m GROUP BY CASE WHEN m.ReleaseYear < 1990 THEN 'old' ELSE 'new' END "
        "ORDER BY age",
        [("new", 5), ("old", 3)],
        id="CASE groups",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.ReleaseYear >= ALL "
        "(SELECT o.ReleaseYear FROM Movie o WHERE o.ReleaseYear IS NOT NULL)",
        [(3,)],
        id="ALL",
    ),
    pytest.param(
        "SELECT v.a, v.b FROM (VALUES (1, 'x'), (2, 'y')) AS v(a, b) ORDER BY v.a DESC",
        [(2, "y"), (1, "x")],
        id="VALUES",
    ),
    pytest.param(
        "SELECT s.value FROM STRING_SPLIT('a,b', ',') AS s ORDER BY s.value",
        [("a",), ("b",)],
        id="STRING_SPLIT",
    ),
    pytest.param(
        "SELECT TOP 2 m.Id AS [id], m.Name AS [film.name], m.ReleaseYear AS [film.year] "
        "FROM Movie m WHERE m.Id IN (6, 7) ORDER BY m.Id FOR JSON PATH",
        [('[{"id":6,"film":{"name":"100% Wolf"}},{"id":7,"film":{"name":"alien","year":1999}}]',)],
        id="FOR JSON nests names with dots and leaves out NULL",
    ),
    pytest.param(
        "SELECT TOP 1 m.Name, (SELECT TOP 2 t.Name FROM INCLUDES_THEME e JOIN Theme t ON "
        "e.$to_id = t.$node_id WHERE e.$from_id = m.$node_id ORDER BY t.Name FOR JSON PATH) AS "
        "themes FROM Movie m ORDER BY m.Id FOR JSON PATH, ROOT('films')",
        [(NESTED_JSON,)],
        id="FOR JSON inside FOR JSON",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE LEFT(m.Name, 4) = 'The ' "
        "OR SUBSTRING(m.Name, 1, 5) IN ('Star', 'x') ORDER BY m.Id",
        [(1,), (2,), (8,)],
        id="trailing blanks of computed texts do not count",
    ),
    pytest.param(
        "SELECT CASE m.Name WHEN 'alien ' THEN 1 ELSE 0 END AS x FROM Movie m "
        "WHERE m.Name BETWEEN 'Alien ' AND 'alien ' ORDER BY m.Id",
        [(1,), (1,)],
        id="trailing blanks do not count in BETWEEN and CASE",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.Name LIKE 'A[m-l]%' OR m.Name LIKE 'D[T-v]%' "
        "OR m.Name LIKE 'alien '",
        [(3,)],
        id="LIKE with ranges of letters, and its pattern's trailing blanks count",
    ),
    pytest.param(
        "SELECT v.d FROM (VALUES (CAST('2020-01-02' AS DATE))) AS v(d) "
        "WHERE v.d >= '20200102' AND v.d IN ('20200102') AND v.d BETWEEN '20200101' AND '20200103'",
        [(date(2020, 1, 2),)],
        id="dates compare with yyyymmdd",
    ),
    pytest.param(
        "SELECT COUNT(*) AS n, COUNT(v.x) AS c, AVG(v.x) AS a, SUM(v.x) AS s, STRING_AGG(v.x, ',') "
        "AS t FROM (VALUES (-1), (-2), (NULL)) AS v(x)",
        [(3, 2, -1, -3, "-1,-2")],
        id="aggregates leave out NULL",
    ),
    pytest.param(
        "SELECT m.Id, COUNT(m.ReleaseYear) OVER () AS n, LAST_VALUE(m.Id) OVER (ORDER BY m.Id) "
        "AS z FROM Movie m WHERE m.Id IN (5, 6) ORDER BY m.Id",
        [(5, 1, 5), (6, 1, 6)],
        id="windows count values, and end at the current row",
    ),
    pytest.param(
        "SELECT m.Id FROM Movie m WHERE m.Id NOT IN (1, NULL)",
        [],
        id="NOT IN with NULL holds for nothing",
    ),
    pytest.param(
        "SELECT TOP 1 m.Name FROM Movie m WHERE m.Id IN (SELECT TOP 2 x.Id FROM Movie x "
        "ORDER BY x.Id DESC) ORDER BY m.Id",
        [("alien",)],
        id="TOP in a subquery",
    ),
    pytest.param(
        "SELECT m.Name FROM Movie m WHERE m.Id > 100 FOR JSON PATH",
        [],
        id="FOR JSON without rows",
    ),
]


@pytest.mark.parametrize(("sql", "rows"), CASES)
def test_a_statement_gives_the_rows_of_sql_server(
    run: Run, sql: str, rows: list[tuple[Any, ...]]
) -> None:
    assert run(sql).rows == rows


def test_columns_have_the_names_of_the_statement(run: Run) -> None:
    result = run("SELECT TOP 1 m.Name, m.Name AS again, LEN(m.Name) FROM Movie m")
    assert result.columns[:2] == ("Name", "again")
    assert len(set(result.columns)) == 3


def test_columns_of_equal_name_are_both_returned(run: Run) -> None:
    result = run(
        "SELECT m.Name, g.Name FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND m.Id = 5"
    )
    assert result.rows == [("Amélie", "Drama")]
