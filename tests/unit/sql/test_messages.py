"""Typical mistakes of models: each refusal names the problem, the reason, and a fix."""

import pytest
from golden.decisions import refused

PATH = "FROM Movie m, INCLUDES_THEME i, Theme t WHERE MATCH"
DISTANCE = "SELECT TOP 5 Name FROM Movie ORDER BY"
MISTAKES = [
    ("SELECT m.Nmae FROM Movie m", "unknown_column", "did you mean Name?"),
    ("SELECT Name FROM Movies", "unknown_table", "did you mean Movie?"),
    ("SELECT x.Name FROM Movie m", "unknown_alias", "Aliases here: m."),
    ("SELECT Name Movie", "unknown_column", "the SELECT has no FROM"),
    ("SELECT Name FROM imdb.Movie", "unknown_table", "in the schema dbo"),
    ("SELECT m.GenreId FROM Movie m", "unknown_column", "joined by the edge table IN_GENRE"),
    ("SELECT i.MovieId FROM INCLUDES_THEME i", "unknown_column", "MATCH(a-(i)->b)"),
    (f"SELECT m.Name {PATH}(t-(i)->m)", "wrong_arrow", "m-(i)->t"),
    (
        "SELECT 1 FROM Movie m JOIN IN_GENRE e ON e.$to_id = m.$node_id",
        "wrong_arrow",
        "Compare m.$node_id with e.$from_id",
    ),
    (
        "SELECT 1 FROM IN_GENRE e JOIN Setting s ON s.$node_id = e.$to_id",
        "wrong_arrow",
        "Edges of Setting are SET_IN",
    ),
    (f"SELECT m.Name {PATH}(m-[i]->t)", "match_syntax", "not in brackets"),
    (f"SELECT m.Name {PATH}((m)-(i)->(t))", "match_syntax", "a node is a bare alias"),
    (f"SELECT m.Name {PATH}(m-(i)->g)", "unknown_alias", "g"),
    ("MATCH (m:Movie)-[:X]->(t) RETURN m", "not_select", "only one SELECT"),
    ("MATCH (m) OPTIONAL MATCH (m)-->(t) RETURN m", "not_select", "WHERE MATCH(m-(e)->t)"),
    ("match p = (m:Movie)-[*..4]->(t) RETURN m", "not_select", "WHERE MATCH(SHORTEST_PATH("),
    ("SELECT Id FROM Movie WHERE Id &gt;= 5", "multiple_statements", "&gt; is HTML"),
    ("WITH RECURSIVE t(n) AS (SELECT 1) SELECT n FROM t", "not_allowed", "Drop the word"),
    ("WITH RECURSIVE t AS (SELECT 1 AS n) SELECT n FROM t", "not_allowed", "Drop the word"),
    ("SELECT Name, COUNT(*) AS c FROM Movie", "not_grouped", "add it to GROUP BY"),
    (
        "SELECT TOP 1 m.Name, MAX(m.ReleaseYear) AS y FROM Movie m",
        "not_grouped",
        "SELECT TOP 1 m.Name, m.ReleaseYear ... ORDER BY m.ReleaseYear DESC",
    ),
    (f"SELECT TOP 1 m.Name, COUNT(*) AS n {PATH}(m-(i)->t)", "not_grouped", "State with ORDER BY"),
    (
        "SELECT YEAR(m.ReleaseYear) AS y FROM Movie m",
        "wrong_arguments",
        "the year itself: m.ReleaseYear >= YEAR(GETDATE()) - 10",
    ),
    (
        "SELECT Id FROM Movie WHERE ReleaseYear > GETDATE()",
        "wrong_arguments",
        "next to a date T-SQL reads it as days since 1900",
    ),
    ("SELECT MONTH(Id) AS x FROM Movie", "wrong_arguments", "DATEFROMPARTS(y, 1, 1)"),
    ("SELECT Id FROM Movie WHERE COUNT(*) > 1", "syntax", "HAVING"),
    ("SELECT GETDATE() + INTERVAL '1' DAY AS x", "syntax", "DATEADD(day, 1, x)."),
    ("SELECT CURRENT_TIME AS x", "syntax", "CONVERT(VARCHAR(8), GETDATE(), 108)"),
    (
        "SELECT ReleaseYear, COUNT(*) FROM Movie GROUP BY ReleaseYear ORDER BY count DESC",
        "unknown_column",
        "did you mean COUNT(*)?",
    ),
    (
        "SELECT Name, COUNT(*) AS films FROM Movie GROUP BY Name ORDER BY count",
        "unknown_column",
        "did you mean films?",
    ),
    (
        "SELECT Id FROM Movie WHERE Id = 3; This query returns one film",
        "multiple_statements",
        "Send the SELECT alone",
    ),
    ("SELECT Id FROM Movie\n\nThis lists all the films", "syntax", "Send the SELECT alone"),
    ("SELECT Id AS y FROM Movie WHERE y > 2", "unknown_column", "repeat its expression"),
    ('SELECT Id FROM Movie WHERE Name = "Alien"', "unknown_column", "N'Alien'"),
    ("SELECT Id FROM Movie WHERE Name ILIKE 'a'", "syntax", "LIKE already ignores case"),
    ("SELECT Name FROM Movie ORDER BY RANDOM()", "unknown_function", "order by a column"),
    ("SELECT GROUP_CONCAT(Name) AS x FROM Movie", "unknown_function", "STRING_AGG"),
    ("SELECT STRING_AGG(Name) AS x FROM Movie", "wrong_arguments", "WITHIN GROUP (ORDER BY x)"),
    ("SELECT STRING_AGG(Name, Name) AS x FROM Movie", "wrong_arguments", "CONCAT(x, y)"),
    ("SELECT Id || 'a' AS x FROM Movie", "syntax", "CAST(x AS NVARCHAR(30)) || y"),
    ("SELECT Name || 'a' + 1 AS x FROM Movie", "syntax", "CAST(x AS NVARCHAR(30)) || y"),
    ("SELECT m.n FROM (SELECT Id, Id + 1 FROM Movie) AS m", "syntax", "Column 2 of a derived"),
    ("SELECT TOP (-1) Id FROM Movie", "not_allowed", "a number of 0 or more"),
    ("SELECT COUNT(*) AS n FROM Movie GROUP BY ()", "syntax", "drop it"),
    ("SELECT Id AS d FROM Movie ORDER BY d + 1", "unknown_column", "only alone in ORDER BY"),
    ("SELECT NTILE(0) OVER (ORDER BY Id) AS x FROM Movie", "wrong_arguments", "1 or more"),
    (
        "SELECT SUBSTRING(m.ReleaseYear, 3, 2) AS x FROM Movie AS m",
        "wrong_arguments",
        "SUBSTRING(CAST(m.ReleaseYear AS VARCHAR(30))",
    ),
    ("SELECT TRIM('x' FROM Id) AS x FROM Movie", "wrong_arguments", "TRIM(CAST(Id AS VARCHAR(30))"),
    ("SELECT CASE WHEN Id > 3 THEN NULL END AS x FROM Movie", "wrong_arguments", "CAST(NULL"),
    ("SELECT IIF(Id > 3, NULL, NULL) AS x FROM Movie", "wrong_arguments", "IIF has no result"),
    ("SELECT COALESCE(NULL, NULL) AS x", "wrong_arguments", "COALESCE has no result"),
    (
        "SELECT Name, SUM(CASE WHEN EXISTS (SELECT 1) THEN 1 END) AS n FROM Genre GROUP BY Name",
        "syntax",
        "WITH r AS (SELECT Name, CASE WHEN EXISTS(...) THEN 1 END AS n FROM ...) SELECT r.Name",
    ),
    (
        "SELECT MAX(COUNT(*)) AS n FROM Movie",
        "syntax",
        "GROUP BY x.Id) SELECT MAX(r.n) AS n FROM r",
    ),
    ("SELECT NULLIF(NULL, Id) AS x FROM Movie", "wrong_arguments", "NULLIF has no result"),
    ("SELECT PRODUCT(Id) AS x FROM Movie", "unknown_function", "EXP(SUM(LOG(x)))"),
    ("SELECT JSON_OBJECTAGG(Name:Id) AS x FROM Movie", "unknown_function", "FOR JSON PATH"),
    ("SELECT JSON_ARRAYAGG(Name) AS x FROM Movie", "unknown_function", "FOR JSON PATH"),
    ("SELECT JSON_CONTAINS(Content, '1') AS x FROM Movie", "unknown_function", "OPENJSON(x)"),
    ("SELECT Id::text AS x FROM Movie", "syntax", "CAST(x AS type)"),
    ("SELECT LENGTH(Name) AS x FROM Movie", "unknown_function", "write LEN"),
    ("SELECT IF(Id = 1, 2, 3) AS x FROM Movie", "unknown_function", "IIF"),
    ("SELECT CAST(Id AS STRING) AS x FROM Movie", "not_allowed", "NVARCHAR(MAX)"),
    ("SELECT DATEDIFF(GETDATE(), GETDATE()) AS x", "wrong_arguments", "DATEDIFF(day, a, b)"),
    ("SELECT DATEADD('day', 1, GETDATE()) AS x", "wrong_arguments", "unquoted"),
    ("SELECT Name, ROW_NUMBER() AS r FROM Movie", "syntax", "OVER (ORDER BY x)"),
    ("SELECT Id FROM Movie WHERE CONTAINS(Content, 'a b')", "fulltext_syntax", "double quotes"),
    ("SELECT Id FROM Movie WHERE CONTAINS('a', Content)", "wrong_arguments", "comes first"),
    ("SELECT Id FROM Movie WHERE CONTAINS(Id, 'a')", "not_searchable", "Name, Content"),
    ("SELECT Name FROM CONTAINSTABLE(Movie, *, 'a') k", "unknown_column", "k.[KEY]"),
    (f"{DISTANCE} Embedding <=> @q", "syntax", "VECTOR_DISTANCE('cosine'"),
    (f"{DISTANCE} VECTOR_DISTANCE(Embedding, @q)", "wrong_arguments", "t.Embedding, @q"),
    (f"{DISTANCE} VECTOR_DISTANCE('cos', Embedding, @q)", "wrong_arguments", "'euclidean'"),
    (f"{DISTANCE} VECTOR_DISTANCE('dot', Content, @q)", "wrong_arguments", "Content is none"),
    (f"{DISTANCE} VECTOR_DISTANCE('dot', Embedding, @v)", "unknown_variable", "@q"),
    ("SELECT Id FROM Movie WHERE Name = $name", "unknown_variable", "values as literals"),
    ("SELECT m.Id FROM Movie m WHERE m.Id > $1", "unknown_variable", "values as literals"),
    ("SELECT Content->>'name' AS x FROM Movie", "syntax", "JSON_VALUE(x, '$.key')"),
    ('SELECT JSON_VALUE(Content, "$.a") AS x FROM Movie', "syntax", "'$.name'"),
    ("SELECT Id FROM Movie WHERE Name IS 'Alien'", "syntax", "compare other values with ="),
    ("SELECT Name FROM Movie ORDER Name", "syntax", "ORDER BY x"),
    ("SELECT Name FROM Movie WHERE", "syntax", "ends with WHERE"),
    ("SELECT Name FROM Movie WHERE (Id = 1", "syntax", "not closed"),
    ("SELECT m.Id FROM Movie m JOIN Theme t", "syntax", "lacks its ON condition"),
    ("SELECT Id FROM Movie UNION SELECT Id, Name FROM Theme", "syntax", "these have 1, 2"),
    (
        "SELECT JSON_QUERY('[1]', '$[*]' WITH ARRAY WRAPPER) AS x",
        "syntax",
        "OPENJSON",
    ),
    ("SELECT CAST('10:00' AS TIME(8)) AS x", "syntax", "TIME(3)"),
    ("SELECT Id FROM Movie LIMIT 5 OFFSET 1", "syntax", "OFFSET n ROWS FETCH NEXT m"),
    ("SELECT TOP 3 Id FROM Movie ORDER BY Id OFFSET 2 ROWS", "syntax", "exclude each other"),
    (
        "SELECT TOP 3 Id FROM Movie ORDER BY Id OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY",
        "syntax",
        "exclude each other",
    ),
    ("SELECT Id // 2 AS x FROM Movie", "syntax", "FLOOR(a / b)"),
    ("SELECT 2 ** 3 AS x", "syntax", "POWER(x, n)"),
    ("SELECT 5 # 3 AS x", "syntax", "exclusive or is ^"),
    ("SELECT Name FROM #films", "syntax", "use a CTE"),
    (
        "WITH y AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM y WHERE n < 9) SELECT n FROM y",
        "recursive_cte",
        "GENERATE_SERIES(1990, 2000)",
    ),
    (
        "WITH w AS (SELECT Id FROM Movie UNION ALL SELECT w.Id + 1 FROM w) SELECT Id FROM w",
        "recursive_cte",
        "SHORTEST_PATH",
    ),
    (
        "WITH w AS (SELECT 1 AS n UNION ALL SELECT e.Id FROM w, Genre AS e) SELECT n FROM w",
        "recursive_cte",
        "SHORTEST_PATH",
    ),
]


@pytest.mark.parametrize(
    ("sql", "code", "message"), [pytest.param(*case, id=case[0][:60]) for case in MISTAKES]
)
def test_a_mistake_is_reported_with_a_fix(sql: str, code: str, message: str) -> None:
    decision = refused(sql)
    assert decision.code == code
    assert message in decision.message


@pytest.mark.parametrize(
    ("sql", "cure"),
    [
        ("SELECT Name FROM Movie WHERE ROWNUM <= 3", "SELECT TOP n"),
        ("SELECT Name TOP 3 FROM Movie", "must directly follow SELECT"),
        ("SELECT TRUNC(Id / 3.0) AS t FROM Movie", "ROUND(x, 0, 1)"),
        ("SELECT * FROM RANGE(1, 4)", "GENERATE_SERIES"),
        (
            "SELECT b.Name FROM Movie a, INCLUDES_THEME e, Theme b WHERE MATCH(a-(e*1..3)->b)",
            "SHORTEST_PATH",
        ),
    ],
)
def test_forms_of_other_dialects_are_answered_with_the_fix(sql: str, cure: str) -> None:
    assert cure in refused(sql).message
