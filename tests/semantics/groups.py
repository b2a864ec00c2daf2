"""GROUP BY, GROUPING SETS and HAVING: which groups come out."""

from semantics.case import Case

GROUP_BY = "t-sql/queries/select-group-by-transact-sql"
HAVING = "t-sql/queries/select-having-transact-sql"
GROUPING = "t-sql/functions/grouping-transact-sql"
GROUPING_ID = "t-sql/functions/grouping-id-transact-sql"
SALES = "(VALUES ('x', 'k1', 1), ('x', 'k1', 2), ('x', 'k2', 5), ('y', 'k2', 7)) AS v(a, b, c)"

CASES: tuple[Case, ...] = (
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
