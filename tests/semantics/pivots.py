"""PIVOT: rows turned into columns."""

from semantics.case import Case

FROM = "t-sql/queries/from-transact-sql"
PIVOT = "t-sql/queries/from-using-pivot-and-unpivot"
SALES = "(VALUES ('x', 'k1', 1), ('x', 'k1', 2), ('x', 'k2', 5), ('y', 'k2', 7)) AS v(a, b, c)"

CASES: tuple[Case, ...] = (
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
        "PIVOT joins what follows it",
        "a pivoted table is a table source like any other",
        FROM,
        f"SELECT p.a, w.t, p.k2 FROM (SELECT v.a, v.b, v.c FROM {SALES}) AS s "
        "PIVOT (SUM(c) FOR b IN (k1, k2)) AS p JOIN (VALUES ('y', 'why')) AS w(a, t) ON w.a = p.a",
        (("y", "why", 7),),
    ),
)
