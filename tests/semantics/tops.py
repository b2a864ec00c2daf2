"""TOP, WITH TIES, OFFSET and FETCH: how many rows come, and in which order."""

from semantics.case import Case

TOP = "t-sql/queries/top-transact-sql"
ORDER_BY = "t-sql/queries/select-order-by-clause-transact-sql"
SCORES = "(VALUES (1, 50), (2, 40), (3, 40), (4, 40), (5, 10)) AS v(id, s)"

CASES: tuple[Case, ...] = (
    Case(
        "WITH TIES adds the rows that tie for the last place",
        "rows that tie with the last one by ORDER BY are returned too",
        TOP,
        f"SELECT x.id FROM (SELECT TOP 2 WITH TIES v.id FROM {SCORES} ORDER BY v.s DESC) AS x",
        ((1,), (2,), (3,), (4,)),
    ),
    Case(
        "WITH TIES of the statement itself",
        "rows that tie with the last one by ORDER BY are returned too",
        TOP,
        f"SELECT TOP 2 WITH TIES v.id FROM {SCORES} ORDER BY v.s DESC, v.s + 1",
        ((1,), (2,), (3,), (4,)),
    ),
    Case(
        "one row of each group by WITH TIES",
        "all rows with the number 1 tie",
        TOP,
        "SELECT x.s, x.id FROM (SELECT TOP 1 WITH TIES v.s, v.id "
        f"FROM {SCORES} ORDER BY ROW_NUMBER() OVER (PARTITION BY v.s ORDER BY v.id DESC)) AS x",
        ((10, 5), (40, 4), (50, 1)),
    ),
    Case(
        "WITH TIES adds none when the last place is one row",
        "only rows that tie for the last place are added",
        TOP,
        f"SELECT x.id FROM (SELECT TOP 1 WITH TIES v.id FROM {SCORES} ORDER BY v.s DESC) AS x",
        ((1,),),
    ),
    Case(
        "a percentage is rounded up to whole rows",
        "fractional values are rounded up to the next integer",
        TOP,
        f"SELECT COUNT(*) AS n FROM (SELECT TOP 30 PERCENT v.id FROM {SCORES} ORDER BY v.id) AS x",
        ((2,),),
    ),
    Case(
        "a percentage that comes out even is not rounded",
        "PERCENT is that share of the rows",
        TOP,
        f"SELECT COUNT(*) AS n FROM (SELECT TOP (40) PERCENT v.id FROM {SCORES} ORDER BY v.id) "
        "AS x",
        ((2,),),
    ),
    Case(
        "a percentage with ties",
        "PERCENT and WITH TIES stand together",
        TOP,
        "SELECT COUNT(*) AS n FROM (SELECT TOP (40) PERCENT WITH TIES v.id "
        f"FROM {SCORES} ORDER BY v.s DESC) AS x",
        ((4,),),
    ),
    Case(
        "a percentage may have a fraction",
        "with PERCENT the expression is converted to float",
        TOP,
        f"SELECT COUNT(*) AS n FROM (SELECT TOP 0.5 PERCENT v.id FROM {SCORES} ORDER BY v.id) AS x",
        ((1,),),
    ),
    Case(
        "all of a hundred percent",
        "TOP 100 PERCENT keeps every row",
        TOP,
        "SELECT COUNT(*) AS n FROM (SELECT TOP 100 PERCENT m.Id FROM Movie AS m ORDER BY m.Name) "
        "AS x",
        ((8,),),
    ),
    Case(
        "DISTINCT comes before TOP",
        "TOP cuts the result set, which DISTINCT has made",
        TOP,
        f"SELECT x.s FROM (SELECT DISTINCT TOP 2 WITH TIES v.s FROM {SCORES} ORDER BY v.s DESC) "
        "AS x",
        ((50,), (40,)),
    ),
    Case(
        "ties of groups",
        "WITH TIES ties by the values of ORDER BY, aggregates included",
        TOP,
        f"SELECT x.s FROM (SELECT TOP 1 WITH TIES v.s, COUNT(*) AS n FROM {SCORES} GROUP BY v.s "
        "ORDER BY n) AS x",
        ((50,), (10,)),
    ),
    Case(
        "OFFSET skips rows and FETCH takes the next ones",
        "OFFSET rows are skipped before FETCH returns rows",
        ORDER_BY,
        f"SELECT x.id FROM (SELECT v.id FROM {SCORES} ORDER BY v.id OFFSET 1 ROW "
        "FETCH FIRST 2 ROWS ONLY) AS x",
        ((2,), (3,)),
    ),
    Case(
        "OFFSET without FETCH takes the rest",
        "FETCH is optional",
        ORDER_BY,
        f"SELECT v.id FROM {SCORES} ORDER BY v.id OFFSET 3 ROWS",
        ((4,), (5,)),
    ),
    Case(
        "NULL sorts before all else",
        "NULL values are treated as the lowest possible values",
        ORDER_BY,
        "SELECT v.x FROM (VALUES (2), (NULL), (1)) AS v(x) ORDER BY v.x",
        ((None,), (1,), (2,)),
    ),
    Case(
        "ORDER BY prefers the alias to the column",
        "a sort column may be a column alias of the select list",
        ORDER_BY,
        "SELECT -v.x AS x FROM (VALUES (1), (2)) AS v(x) ORDER BY x",
        ((-2,), (-1,)),
    ),
    Case(
        "a qualified name in ORDER BY is the column",
        "sort columns may be columns of a table in FROM",
        ORDER_BY,
        "SELECT -v.x AS x FROM (VALUES (1), (2)) AS v(x) ORDER BY v.x",
        ((-1,), (-2,)),
    ),
    Case(
        "a number in ORDER BY is a position",
        "a nonnegative integer is the position of the column in the select list",
        ORDER_BY,
        "SELECT v.a, v.b FROM (VALUES (1, 9), (2, 8)) AS v(a, b) ORDER BY 2",
        ((2, 8), (1, 9)),
    ),
    Case(
        "ORDER BY by another collation",
        "COLLATE sorts by the collation given, here by code points",
        ORDER_BY,
        "SELECT v.x FROM (VALUES ('a'), ('B'), ('C')) AS v(x) "
        "ORDER BY v.x COLLATE Latin1_General_BIN2",
        (("B",), ("C",), ("a",)),
    ),
    Case(
        "ORDER BY by a condition",
        "a CASE expression may be a sort key",
        ORDER_BY,
        f"SELECT TOP 2 v.id FROM {SCORES} ORDER BY CASE WHEN v.id = 3 THEN 0 ELSE 1 END, v.id",
        ((3,), (1,)),
    ),
)
