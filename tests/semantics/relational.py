"""Joins, APPLY, set operations, grouping, PIVOT, TOP and paging: which rows come out."""

from semantics.case import Case, value

FROM = "t-sql/queries/from-transact-sql"
PIVOT = "t-sql/queries/from-using-pivot-and-unpivot"
TOP = "t-sql/queries/top-transact-sql"
ORDER_BY = "t-sql/queries/select-order-by-clause-transact-sql"
GROUP_BY = "t-sql/queries/select-group-by-transact-sql"
HAVING = "t-sql/queries/select-having-transact-sql"
GROUPING = "t-sql/functions/grouping-transact-sql"
GROUPING_ID = "t-sql/functions/grouping-id-transact-sql"
UNION = "t-sql/language-elements/set-operators-union-transact-sql"
EXCEPT = "t-sql/language-elements/set-operators-except-and-intersect-transact-sql"
WITH = "t-sql/queries/with-common-table-expression-transact-sql"
VALUES = "t-sql/queries/table-value-constructor-transact-sql"
DISTINCT_FROM = "t-sql/queries/is-distinct-from-transact-sql"
EXISTS = "t-sql/language-elements/exists-transact-sql"
IN = "t-sql/language-elements/in-transact-sql"
ALL = "t-sql/language-elements/all-transact-sql"
ANY = "t-sql/language-elements/some-any-transact-sql"
LIKE = "t-sql/language-elements/like-transact-sql"
CASE = "t-sql/language-elements/case-transact-sql"
SUBQUERIES = "relational-databases/performance/subqueries"

A = "(VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS a(id, n)"
B = "(VALUES (2, 'x'), (3, 'y'), (4, 'z')) AS b(id, n)"
C = "(VALUES (3, 'p'), (4, 'q')) AS c(id, n)"
SALES = "(VALUES ('x', 'k1', 1), ('x', 'k1', 2), ('x', 'k2', 5), ('y', 'k2', 7)) AS v(a, b, c)"
SCORES = "(VALUES (1, 50), (2, 40), (3, 40), (4, 40), (5, 10)) AS v(id, s)"

JOINS: tuple[Case, ...] = (
    Case(
        "a left join keeps rows without a partner",
        "LEFT OUTER JOIN keeps all rows of the left table; columns of the right one are NULL",
        FROM,
        f"SELECT a.id, b.n FROM {A} LEFT JOIN {B} ON b.id = a.id",
        ((1, None), (2, "x"), (3, "y")),
    ),
    Case(
        "a right join keeps the rows of the right side",
        "RIGHT OUTER JOIN keeps all rows of the right table",
        FROM,
        f"SELECT a.n, b.id FROM {A} RIGHT OUTER JOIN {B} ON b.id = a.id",
        (("b", 2), ("c", 3), (None, 4)),
    ),
    Case(
        "a full join keeps the rows of both sides",
        "FULL OUTER JOIN keeps rows of either table without a match",
        FROM,
        f"SELECT a.id, b.id AS other FROM {A} FULL JOIN {B} ON b.id = a.id",
        ((1, None), (2, 2), (3, 3), (None, 4)),
    ),
    Case(
        "a condition in ON of a left join does not remove rows, one in WHERE does",
        "ON decides what matches; WHERE filters the result of the join",
        FROM,
        f"SELECT COUNT(*) AS kept, (SELECT COUNT(*) FROM {A} LEFT JOIN {B} ON b.id = a.id "
        f"WHERE b.n = 'x') AS filtered FROM {A} LEFT JOIN {B} ON b.id = a.id AND b.n = 'x'",
        ((3, 1),),
    ),
    Case(
        "a join in parentheses is made before the outer one",
        "parentheses change the order in which joined tables are evaluated",
        FROM,
        f"SELECT a.id, b.n, c.n AS cn FROM {A} LEFT JOIN ({B} JOIN {C} ON c.id = b.id) "
        "ON b.id = a.id",
        ((1, None, None), (2, None, None), (3, "y", "p")),
    ),
    Case(
        "without the parentheses the inner join drops rows",
        "joins are evaluated from left to right",
        FROM,
        f"SELECT a.id, b.n, c.n AS cn FROM {A} LEFT JOIN {B} ON b.id = a.id "
        f"JOIN {C} ON c.id = b.id",
        ((3, "y", "p"),),
    ),
    Case(
        "the position of ON nests joins as parentheses do",
        "an ON clause belongs to the nearest JOIN that has none yet",
        FROM,
        "SELECT m.Name, g.Name AS genre FROM Movie AS m LEFT JOIN IN_GENRE AS i INNER JOIN Genre "
        "AS g ON g.$node_id = i.$to_id AND g.Name = 'Horror' ON i.$from_id = m.$node_id "
        "WHERE m.Id IN (4, 5)",
        (("Alien", "Horror"), ("Amélie", None)),
    ),
    Case(
        "a cross join makes every pair",
        "CROSS JOIN is the cross product of two tables",
        FROM,
        f"SELECT COUNT(*) AS n FROM {A} CROSS JOIN {B}",
        ((9,),),
    ),
    Case(
        "NULL joins nothing",
        "a comparison with NULL is unknown, and a join keeps what is true",
        FROM,
        "SELECT COUNT(*) AS n FROM (VALUES (1), (NULL)) AS a(x) JOIN (VALUES (1), (NULL)) AS b(x) "
        "ON a.x = b.x",
        ((1,),),
    ),
    Case(
        "CROSS APPLY drops rows for which nothing comes out",
        "CROSS APPLY keeps rows of the left table for which the right one produces rows",
        FROM,
        f"SELECT a.id, x.n FROM {A} CROSS APPLY (SELECT b.n FROM {B} WHERE b.id = a.id) AS x",
        ((2, "x"), (3, "y")),
    ),
    Case(
        "OUTER APPLY keeps them with NULL",
        "OUTER APPLY returns rows of the left table also without rows of the right one",
        FROM,
        f"SELECT a.id, x.n FROM {A} OUTER APPLY (SELECT b.n FROM {B} WHERE b.id = a.id) AS x",
        ((1, None), (2, "x"), (3, "y")),
    ),
    Case(
        "APPLY takes the first rows for each row",
        "the right side is evaluated for each row of the left one",
        FROM,
        f"SELECT a.id, x.id AS nearest FROM {A} CROSS APPLY (SELECT TOP 1 b.id FROM {B} "
        "WHERE b.id >= a.id ORDER BY b.id) AS x",
        ((1, 2), (2, 2), (3, 3)),
    ),
    Case(
        "APPLY turns columns into rows with VALUES",
        "a table value constructor may stand under APPLY and refer to the left table",
        VALUES,
        "SELECT v.k, u.n FROM (VALUES ('r', 1, 2)) AS v(k, a, b) "
        "CROSS APPLY (VALUES (v.a), (v.b)) AS u(n)",
        (("r", 1), ("r", 2)),
    ),
    Case(
        "an aggregate under OUTER APPLY gives a row for nothing",
        "an aggregate without GROUP BY returns one row, and COUNT of no rows is 0",
        FROM,
        f"SELECT a.id, x.n FROM {A} OUTER APPLY (SELECT COUNT(*) AS n FROM {B} "
        "WHERE b.id > a.id + 1) AS x",
        ((1, 2), (2, 1), (3, 0)),
    ),
)
NESTED: tuple[Case, ...] = (
    Case(
        "a join in parentheses may begin with another",
        "parentheses change the natural order of joins, and a joined table may be one operand",
        FROM,
        "SELECT a.k, b.k AS bk, c.k AS ck FROM ((VALUES (1), (2), (3)) AS a(k) LEFT JOIN "
        "((VALUES (1), (2)) AS b(k) JOIN (VALUES (2)) AS c(k) ON c.k = b.k) ON b.k = a.k)",
        ((1, None, None), (2, 2, 2), (3, None, None)),
    ),
    Case(
        "each pair of parentheses closes one join",
        "parentheses change the natural order of joins, and a joined table may be one operand",
        FROM,
        "SELECT a.k, c.k AS ck FROM (((VALUES (1), (2)) AS a(k) JOIN (VALUES (1), (2)) AS b(k) "
        "ON b.k = a.k) LEFT JOIN (VALUES (2)) AS c(k) ON c.k = b.k)",
        ((1, None), (2, 2)),
    ),
)
PIVOTS: tuple[Case, ...] = (
    Case(
        "PIVOT groups by the columns that it does not name",
        "the remaining columns are the grouping columns; a missing value is NULL",
        PIVOT,
        f"SELECT * FROM (SELECT v.a, v.b, v.c FROM {SALES}) AS s "
        "PIVOT (SUM(c) FOR b IN ([k1], [k2], [k3])) AS p",
        (("x", 3, 5, None), ("y", None, 7, None)),
    ),
    Case(
        "a PIVOT without further columns is one row",
        "a column is provided for three days although no product has them",
        PIVOT,
        "SELECT 'cost' AS what, [0], [1], [3] FROM (SELECT v.d, v.c FROM "
        "(VALUES (0, 4), (0, 6), (1, 7)) AS v(d, c)) AS s "
        "PIVOT (AVG(c) FOR d IN ([0], [1], [3])) AS p",
        (("cost", 5, 7, None),),
    ),
    Case(
        "a PIVOT may count the column that it spreads",
        "the grouping columns are those that are neither value column nor pivot column",
        PIVOT,
        "SELECT * FROM (SELECT v.a, v.b FROM (VALUES (1, 'k'), (1, 'l'), (1, 'l'), (2, 'k')) "
        "AS v(a, b)) AS s PIVOT (COUNT(b) FOR b IN ([k], [l], [m])) AS p",
        ((1, 1, 2, 0), (2, 1, 0, 0)),
    ),
    Case(
        "COUNT in a PIVOT is zero where nothing is",
        "COUNT of no values is 0, and NULL values are not counted",
        PIVOT,
        "SELECT * FROM (SELECT v.a, v.b, v.c FROM (VALUES ('x', 'k', 1), ('x', 'k', NULL)) "
        "AS v(a, b, c)) AS s PIVOT (COUNT(c) FOR b IN ([k], [l])) AS p",
        (("x", 1, 0),),
    ),
    Case(
        "PIVOT finds text without regard to case",
        "values of the column are compared with the names of the IN list by its collation",
        PIVOT,
        f"SELECT p.[K1] FROM (SELECT v.b, v.c FROM {SALES}) AS s "
        "PIVOT (MAX(c) FOR b IN ([K1])) AS p",
        ((2,),),
    ),
    Case(
        "PIVOT counts films by year",
        "the documented form: a derived table, an aggregate, the values as columns",
        PIVOT,
        "SELECT p.[1977] AS a, p.[1999] AS b FROM (SELECT m.ReleaseYear, m.Id FROM Movie AS m) "
        "AS s PIVOT (COUNT(Id) FOR ReleaseYear IN ([1977], [1999])) AS p",
        ((1, 2),),
    ),
    Case(
        "UNPIVOT turns columns into rows",
        "the names of the columns become values of one column, their values of another",
        PIVOT,
        "SELECT u.VendorID, u.Employee, u.Orders FROM (SELECT v.VendorID, v.Emp1, v.Emp2 FROM "
        "(VALUES (1, 4, 3), (2, 4, 1)) AS v(VendorID, Emp1, Emp2)) AS p "
        "UNPIVOT (Orders FOR Employee IN (Emp1, Emp2)) AS u",
        ((1, "Emp1", 4), (1, "Emp2", 3), (2, "Emp1", 4), (2, "Emp2", 1)),
    ),
    Case(
        "UNPIVOT leaves NULL out",
        "NULL values in the input of UNPIVOT disappear in the output",
        PIVOT,
        "SELECT u.x FROM (SELECT v.a, v.b FROM (VALUES (1, NULL), (NULL, 4)) AS v(a, b)) AS s "
        "UNPIVOT (x FOR n IN (a, b)) AS u",
        ((1,), (4,)),
    ),
    Case(
        "UNPIVOT does not undo PIVOT",
        "PIVOT merges rows, and UNPIVOT gives back the merged ones",
        PIVOT,
        f"SELECT u.a, u.b, u.c FROM (SELECT v.a, v.b, v.c FROM {SALES}) AS s "
        "PIVOT (SUM(c) FOR b IN (k1, k2)) AS p UNPIVOT (c FOR b IN (k1, k2)) AS u",
        (("x", "k1", 3), ("x", "k2", 5), ("y", "k2", 7)),
    ),
    Case(
        "PIVOT joins what follows it",
        "a pivoted table is a table source like any other",
        FROM,
        f"SELECT p.a, w.t, p.k2 FROM (SELECT v.a, v.b, v.c FROM {SALES}) AS s "
        "PIVOT (SUM(c) FOR b IN (k1, k2)) AS p JOIN (VALUES ('y', 'why')) AS w(a, t) ON w.a = p.a",
        (("y", "why", 7),),
    ),
)
SETS: tuple[Case, ...] = (
    Case(
        "UNION removes duplicates and UNION ALL keeps them",
        "UNION returns distinct rows unless ALL is given",
        UNION,
        "SELECT COUNT(*) AS n FROM (SELECT 1 AS x UNION SELECT 1 UNION ALL SELECT 1) AS u",
        ((2,),),
    ),
    Case(
        "parentheses change what UNION ALL meets",
        "without parentheses unions are evaluated from left to right",
        UNION,
        "SELECT COUNT(*) AS n FROM (SELECT 1 AS x UNION (SELECT 1 UNION ALL SELECT 1)) AS u",
        ((1,),),
    ),
    Case(
        "INTERSECT binds closer than UNION",
        "INTERSECT is evaluated before EXCEPT and UNION",
        EXCEPT,
        "SELECT 1 AS x UNION SELECT 2 INTERSECT SELECT 3",
        ((1,),),
    ),
    Case(
        "EXCEPT and UNION go from left to right",
        "EXCEPT and UNION are evaluated by their position",
        EXCEPT,
        "SELECT 1 AS x EXCEPT SELECT 1 UNION SELECT 1",
        ((1,),),
    ),
    Case(
        "parentheses come before INTERSECT",
        "expressions in parentheses are evaluated first",
        EXCEPT,
        "(SELECT 1 AS x UNION SELECT 2) INTERSECT SELECT 2",
        ((2,),),
    ),
    Case(
        "EXCEPT returns distinct rows",
        "EXCEPT returns distinct rows of the left query that the right one lacks",
        EXCEPT,
        "SELECT v.x FROM (VALUES (1), (1), (2)) AS v(x) EXCEPT SELECT 2",
        ((1,),),
    ),
    Case(
        "two NULLs are equal to INTERSECT",
        "for distinct rows two NULL values are considered equal",
        EXCEPT,
        "SELECT v.x FROM (VALUES (NULL), (1)) AS v(x) INTERSECT SELECT v.x FROM "
        "(VALUES (NULL), (2)) AS v(x)",
        ((None,),),
    ),
    Case(
        "set operations compare text by collation",
        "rows are compared by the collation of the columns, which ignores case",
        EXCEPT,
        "SELECT 'ALIEN' AS n INTERSECT SELECT m.Name FROM Movie AS m WHERE m.Id = 4",
        (("ALIEN",),),
    ),
    Case(
        "the first query names the columns of a UNION",
        "column names are those of the first query; ORDER BY takes them",
        UNION,
        "SELECT 2 AS first UNION ALL SELECT 1 AS second ORDER BY first",
        ((1,), (2,)),
    ),
    Case(
        "one query of a UNION is cut in a derived table",
        "TOP and ORDER BY of one query stand in a subselect of its own",
        TOP,
        "SELECT a.s FROM (SELECT TOP 1 v.s FROM (VALUES (3), (2)) AS v(s) ORDER BY v.s) AS a "
        "UNION ALL SELECT b.s FROM (SELECT TOP 1 v.s FROM (VALUES (9), (8)) AS v(s) "
        "ORDER BY v.s DESC) AS b",
        ((2,), (9,)),
    ),
)
TOPS: tuple[Case, ...] = (
    Case(
        "WITH TIES adds the rows that tie for the last place",
        "rows that tie with the last one by ORDER BY are returned too",
        TOP,
        f"SELECT x.id FROM (SELECT TOP 2 WITH TIES v.id FROM {SCORES} ORDER BY v.s DESC) AS x",
        ((1,), (2,), (3,), (4,)),
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
GROUPS: tuple[Case, ...] = (
    Case(
        "ROLLUP adds subtotals and a total",
        "ROLLUP (a, b) groups by (a, b), (a) and ()",
        GROUP_BY,
        f"SELECT v.a, v.b, SUM(v.c) AS s FROM {SALES} GROUP BY ROLLUP (v.a, v.b)",
        (
            ("x", "k1", 3),
            ("x", "k2", 5),
            ("x", None, 8),
            ("y", "k2", 7),
            ("y", None, 7),
            (None, None, 15),
        ),
    ),
    Case(
        "WITH ROLLUP is the older spelling",
        "GROUP BY ... WITH ROLLUP is kept for backward compatibility",
        GROUP_BY,
        f"SELECT v.a, SUM(v.c) AS s FROM {SALES} GROUP BY v.a WITH ROLLUP",
        (("x", 8), ("y", 7), (None, 15)),
    ),
    Case(
        "CUBE groups by every combination",
        "CUBE (a, b) groups by (a, b), (a), (b) and ()",
        GROUP_BY,
        f"SELECT v.a, v.b, SUM(v.c) AS s FROM {SALES} GROUP BY CUBE (v.a, v.b)",
        (
            ("x", "k1", 3),
            ("x", "k2", 5),
            ("x", None, 8),
            ("y", "k2", 7),
            ("y", None, 7),
            (None, "k1", 3),
            (None, "k2", 12),
            (None, None, 15),
        ),
    ),
    Case(
        "GROUPING SETS keep duplicates",
        "GROUPING SETS unite the results of several groupings, as UNION ALL does",
        GROUP_BY,
        f"SELECT v.a, SUM(v.c) AS s FROM {SALES} GROUP BY GROUPING SETS ((v.a), (), ())",
        (("x", 8), ("y", 7), (None, 15), (None, 15)),
    ),
    Case(
        "a column beside ROLLUP is in every group",
        "a mixed list makes the cross product of its grouping sets",
        GROUP_BY,
        f"SELECT v.a, v.b, SUM(v.c) AS s FROM {SALES} WHERE v.a = 'x' GROUP BY v.a, ROLLUP (v.b)",
        (("x", "k1", 3), ("x", "k2", 5), ("x", None, 8)),
    ),
    Case(
        "columns in parentheses roll up together",
        "a composite element of ROLLUP is treated as one",
        GROUP_BY,
        f"SELECT v.a, v.b, SUM(v.c) AS s FROM {SALES} WHERE v.a = 'y' GROUP BY ROLLUP ((v.a, v.b))",
        (("y", "k2", 7), (None, None, 7)),
    ),
    Case(
        "GROUPING tells the row of the total from the group of NULL",
        "GROUPING is 1 where the column is aggregated, 0 where it is grouped",
        GROUPING,
        "SELECT v.a, GROUPING(v.a) AS g, COUNT(*) AS n FROM (VALUES (NULL), ('x')) AS v(a) "
        "GROUP BY ROLLUP (v.a)",
        ((None, 0, 1), ("x", 0, 1), (None, 1, 2)),
    ),
    Case(
        "GROUPING_ID reads the bits from left to right",
        "GROUPING_ID(a, b) is GROUPING(a) and GROUPING(b) as binary digits",
        GROUPING_ID,
        f"SELECT GROUPING_ID(v.a, v.b) AS g, COUNT(*) AS n FROM {SALES} GROUP BY CUBE (v.a, v.b) "
        "HAVING GROUPING_ID(v.a, v.b) > 0",
        ((1, 3), (1, 1), (2, 2), (2, 2), (3, 4)),
    ),
    Case(
        "NULLs form one group",
        "NULL values of a grouping column are considered equal",
        GROUP_BY,
        "SELECT v.a, COUNT(*) AS n FROM (VALUES (NULL), (NULL), (1)) AS v(a) GROUP BY v.a",
        ((None, 2), (1, 1)),
    ),
    Case(
        "HAVING without GROUP BY filters the one group",
        "without GROUP BY there is one implicit group",
        HAVING,
        "SELECT COUNT(*) AS n FROM Movie AS m HAVING COUNT(*) > 100",
        (),
    ),
    Case(
        "an expression may be grouped and shown",
        "an expression of GROUP BY may stand in the select list",
        GROUP_BY,
        "SELECT m.ReleaseYear / 10 * 10 AS decade, COUNT(*) AS n FROM Movie AS m "
        "WHERE m.ReleaseYear < 1990 GROUP BY m.ReleaseYear / 10 * 10",
        ((1970, 2), (1980, 1)),
    ),
    Case(
        "grouping by no rows gives none, and without GROUP BY one",
        "an aggregate without GROUP BY returns a row for no rows",
        GROUP_BY,
        f"SELECT COUNT(*) AS n, (SELECT COUNT(*) FROM (SELECT v.a FROM {SALES} WHERE v.c > 9 "
        f"GROUP BY v.a) AS g) AS grouped FROM {SALES} WHERE v.c > 9",
        ((0, 0),),
    ),
)
CONDITIONS: tuple[Case, ...] = (
    Case(
        "NOT IN a list with NULL finds nothing",
        "NULL in the values of NOT IN makes the answer unknown",
        IN,
        f"SELECT a.id FROM {A} WHERE a.id NOT IN (SELECT v.x FROM (VALUES (1), (NULL)) AS v(x))",
        (),
    ),
    Case(
        "NOT EXISTS is not disturbed by NULL",
        "EXISTS is true if the subquery has a row",
        EXISTS,
        f"SELECT a.id FROM {A} WHERE NOT EXISTS (SELECT 1 FROM (VALUES (1), (NULL)) AS v(x) "
        "WHERE v.x = a.id)",
        ((2,), (3,)),
    ),
    Case(
        "EXISTS of a row of NULL is true",
        "a subquery that returns NULL still has a row",
        EXISTS,
        "SELECT 1 AS x WHERE EXISTS (SELECT NULL)",
        ((1,),),
    ),
    Case(
        "ALL of nothing is true",
        "ALL is true when the comparison holds for every value, and no value fails it",
        ALL,
        f"SELECT COUNT(*) AS n FROM {A} WHERE a.id > ALL (SELECT b.id FROM {B} WHERE b.id > 9)",
        ((3,),),
    ),
    Case(
        "ANY of nothing is false",
        "ANY is true when some value satisfies the comparison",
        ANY,
        f"SELECT COUNT(*) AS n FROM {A} WHERE a.id > ANY (SELECT b.id FROM {B} WHERE b.id > 9)",
        ((0,),),
    ),
    Case(
        "SOME is ANY",
        "SOME and ANY are equivalent",
        ANY,
        f"SELECT a.id FROM {A} WHERE a.id = SOME (SELECT b.id FROM {B})",
        ((2,), (3,)),
    ),
    Case(
        "a different value of ANY is not NOT IN",
        "<> ANY means not a or not b; NOT IN means not a and not b",
        ANY,
        f"SELECT COUNT(*) AS n FROM {A} WHERE a.id <> ANY (SELECT b.id FROM {B})",
        ((3,),),
    ),
    Case(
        "two NULLs are not distinct",
        "IS NOT DISTINCT FROM is true for NULL and NULL, and never unknown",
        DISTINCT_FROM,
        "SELECT v.a FROM (VALUES (1, 1), (2, NULL), (NULL, NULL)) AS v(a, b) "
        "WHERE v.a IS NOT DISTINCT FROM v.b",
        ((1,), (None,)),
    ),
    Case(
        "NULL is distinct from a value",
        "IS DISTINCT FROM is true where one side is NULL",
        DISTINCT_FROM,
        "SELECT COUNT(*) AS n FROM Movie AS m WHERE m.ReleaseYear IS DISTINCT FROM 1999",
        ((6,),),
    ),
    Case(
        "distinctness follows the collation",
        "values are compared as with =, so case and trailing blanks do not count",
        DISTINCT_FROM,
        "SELECT 1 AS x WHERE N'Alien ' IS NOT DISTINCT FROM N'alien'",
        ((1,),),
    ),
    Case(
        "a subquery looks at the row around it",
        "a correlated subquery is evaluated for each row of the outer query",
        SUBQUERIES,
        "SELECT m.Id FROM Movie AS m WHERE m.Id = (SELECT MAX(x.Id) FROM Movie AS x "
        "WHERE x.ReleaseYear = m.ReleaseYear) AND m.ReleaseYear = 1999",
        ((8,),),
    ),
    Case(
        "a scalar subquery without rows is NULL",
        "a subquery that returns no row where a value stands gives NULL",
        SUBQUERIES,
        "SELECT (SELECT m.Name FROM Movie AS m WHERE m.Id = 99) AS n",
        ((None,),),
    ),
    Case(
        "a CTE may be read twice and by later ones",
        "a CTE may refer to those defined before it in the same WITH clause",
        WITH,
        "WITH y(k, n) AS (SELECT m.ReleaseYear, COUNT(*) FROM Movie AS m GROUP BY m.ReleaseYear), "
        "t AS (SELECT MAX(y.n) AS most FROM y) SELECT y.k FROM y JOIN t ON t.most = y.n",
        ((1999,),),
    ),
    Case(
        "VALUES takes the type of the highest precedence",
        "a column of several types follows the rules of UNION ALL",
        VALUES,
        "SELECT v.x + 1 AS y FROM (VALUES (1), (2.5)) AS v(x)",
        ((2,), (3.5,)),
    ),
    value(
        "CASE 1 WHEN NULL THEN 'null' ELSE 'other' END",
        "other",
        "a simple CASE compares by equality, which NULL never satisfies",
        CASE,
    ),
    value(
        "CASE WHEN 1 = 2 THEN 'x' END",
        None,
        "without ELSE the result is NULL when no condition is true",
        CASE,
    ),
    value(
        "CASE WHEN 1 = 1 THEN 1 ELSE 0.5 END",
        1,
        "the result has the type of the highest precedence among the branches",
        CASE,
    ),
    value(
        "IIF('50%' LIKE '50!%' ESCAPE '!', 1, 0)",
        1,
        "the character after the escape character stands for itself",
        LIKE,
    ),
    value("IIF('b5' LIKE '[a-c][^0-4]', 1, 0)", 1, "[] is a range, [^] what is not in it", LIKE),
    value(
        "COALESCE(NULLIF('a', 'A'), IIF(2 > 1, CHOOSE(2, 'x', 'y'), 'z'))",
        "y",
        "NULLIF is NULL for equal values, and case does not count",
        "t-sql/language-elements/nullif-transact-sql",
    ),
)
COMPUTED: tuple[Case, ...] = (
    Case(
        "a pattern from a column has classes, too",
        "a pattern is an expression, and [ ] in it is any one character of a set",
        LIKE,
        "SELECT v.s FROM (VALUES ('abc', '[a-c]bc'), ('xbc', '[a-c]bc')) AS v(s, p) "
        "WHERE v.s LIKE v.p",
        (("abc",),),
        gaps={"embedded": "a computed pattern with brackets is not read"},
    ),
    Case(
        "a pattern from a column without brackets",
        "a pattern is an expression, and % in it is any text",
        LIKE,
        "SELECT v.s FROM (VALUES ('abc', 'b'), ('xyz', 'b')) AS v(s, p) "
        "WHERE v.s LIKE '%' + v.p + '%'",
        (("abc",),),
    ),
)
CASES: tuple[Case, ...] = (*JOINS, *COMPUTED, *NESTED, *PIVOTS, *SETS, *TOPS, *GROUPS, *CONDITIONS)
