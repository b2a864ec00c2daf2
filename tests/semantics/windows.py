"""Window functions: order, frames, ties, NULLs and named windows."""

from semantics.case import Case

OVER = "t-sql/queries/select-over-clause-transact-sql"
LAG = "t-sql/functions/lag-transact-sql"
LEAD = "t-sql/functions/lead-transact-sql"
FIRST_VALUE = "t-sql/functions/first-value-transact-sql"
LAST_VALUE = "t-sql/functions/last-value-transact-sql"
NTILE = "t-sql/functions/ntile-transact-sql"
RANK = "t-sql/functions/rank-transact-sql"
DENSE_RANK = "t-sql/functions/dense-rank-transact-sql"
ROW_NUMBER = "t-sql/functions/row-number-transact-sql"
PERCENT_RANK = "t-sql/functions/percent-rank-transact-sql"
CUME_DIST = "t-sql/functions/cume-dist-transact-sql"
PERCENTILE_CONT = "t-sql/functions/percentile-cont-transact-sql"

ONE_TO_FIVE = "(VALUES (1), (2), (3), (4), (5)) AS v(x)"
TIED = "(VALUES (10, 1), (20, 2), (20, 3), (30, 4)) AS v(score, id)"
GAPS = "(VALUES (1, 5), (2, NULL), (3, NULL), (4, 7)) AS v(id, x)"
ORDERS = (
    "WITH t AS (SELECT v.a, v.b, v.c FROM (VALUES (1, 1, -3), (2, 2, 4), (3, 1, NULL), (4, 3, 1), "
    "(5, 2, NULL), (6, 1, 5)) AS v(a, b, c)) "
)

RANKS: tuple[Case, ...] = (
    Case(
        "ranks leave gaps after ties",
        "RANK is one plus the number of rows before, so ties share a rank and leave a gap",
        RANK,
        f"SELECT v.id, RANK() OVER (ORDER BY v.score) AS r FROM {TIED}",
        ((1, 1), (2, 2), (3, 2), (4, 4)),
    ),
    Case(
        "a rank by a key that can fail",
        "the key is any expression",
        RANK,
        f"SELECT v.id, RANK() OVER (PARTITION BY CAST('1' AS INT) ORDER BY SQRT(v.score)) AS r, "
        f"SUM(v.score) OVER (ORDER BY v.id) AS s FROM {TIED} WHERE v.id > 1 ORDER BY r, v.id",
        ((2, 1, 20), (3, 1, 40), (4, 3, 70)),
    ),
    Case(
        "a rank of groups by a key that can fail",
        "the key may contain aggregates",
        RANK,
        "SELECT x.k, x.r FROM (SELECT v.score AS k, RANK() OVER (ORDER BY POWER(COUNT(*), 2) DESC) "
        f"AS r FROM {TIED} GROUP BY v.score HAVING COUNT(*) > 0) AS x",
        ((10, 2), (20, 1), (30, 2)),
    ),
    Case(
        "dense ranks leave no gaps",
        "DENSE_RANK counts distinct values before the row",
        DENSE_RANK,
        f"SELECT v.id, DENSE_RANK() OVER (ORDER BY v.score) AS r FROM {TIED}",
        ((1, 1), (2, 2), (3, 2), (4, 3)),
    ),
    Case(
        "row numbers begin anew in each partition",
        "ROW_NUMBER starts at 1 for the first row of each partition",
        ROW_NUMBER,
        "SELECT v.k, v.x, ROW_NUMBER() OVER (PARTITION BY v.k ORDER BY v.x DESC) AS r "
        "FROM (VALUES ('a', 1), ('a', 2), ('b', 9)) AS v(k, x)",
        (("a", 1, 2), ("a", 2, 1), ("b", 9, 1)),
    ),
    Case(
        "the larger groups of NTILE come first",
        "rows that do not divide evenly: larger groups precede smaller ones",
        NTILE,
        f"SELECT v.x, NTILE(2) OVER (ORDER BY v.x) AS n FROM {ONE_TO_FIVE}",
        ((1, 1), (2, 1), (3, 1), (4, 2), (5, 2)),
    ),
    Case(
        "NTILE with more groups than rows numbers the rows",
        "each group holds one row until the rows are used up",
        NTILE,
        "SELECT v.x, NTILE(4) OVER (ORDER BY v.x) AS n FROM (VALUES (1), (2)) AS v(x)",
        ((1, 1), (2, 2)),
    ),
    Case(
        "the percent rank of the first row is zero",
        "PERCENT_RANK is (rank - 1) / (rows - 1); NULL counts as the lowest value",
        PERCENT_RANK,
        "SELECT v.x, PERCENT_RANK() OVER (ORDER BY v.x) AS p "
        "FROM (VALUES (NULL), (1), (1), (2), (3)) AS v(x)",
        ((None, 0.0), (1, 0.25), (1, 0.25), (2, 0.75), (3, 1.0)),
    ),
    Case(
        "the cumulative distribution counts the rows up to the ties",
        "CUME_DIST is the number of rows with values up to that of the row, by all rows",
        CUME_DIST,
        f"SELECT v.id, CUME_DIST() OVER (ORDER BY v.score) AS c FROM {TIED}",
        ((1, 0.25), (2, 0.75), (3, 0.75), (4, 1.0)),
    ),
    Case(
        "NULL sorts first in a window",
        "NULL values are the lowest possible values in ORDER BY of OVER",
        OVER,
        "SELECT v.x, ROW_NUMBER() OVER (ORDER BY v.x) AS r FROM (VALUES (2), (NULL)) AS v(x)",
        ((None, 1), (2, 2)),
    ),
    Case(
        "NULL sorts last in a descending window",
        "NULL values are the lowest possible values in ORDER BY of OVER",
        OVER,
        "SELECT v.x, ROW_NUMBER() OVER (ORDER BY v.x DESC) AS r FROM (VALUES (2), (NULL)) AS v(x)",
        ((2, 1), (None, 2)),
    ),
    Case(
        "windows look at groups when the query groups",
        "window functions apply to the rows that GROUP BY leaves",
        OVER,
        "SELECT v.k, SUM(SUM(v.x)) OVER (ORDER BY v.k) AS s "
        "FROM (VALUES ('a', 1), ('a', 2), ('b', 4)) AS v(k, x) GROUP BY v.k",
        (("a", 3), ("b", 7)),
    ),
)
FRAMES: tuple[Case, ...] = (
    Case(
        "an order alone makes a running total that takes ties together",
        "with ORDER BY and no frame it is RANGE from the start to the current value, ties included",
        OVER,
        f"SELECT v.id, SUM(v.score) OVER (ORDER BY v.score) AS s FROM {TIED}",
        ((1, 10), (2, 50), (3, 50), (4, 80)),
    ),
    Case(
        "rows count one by one where range takes ties together",
        "ROWS limits by position, RANGE by value",
        OVER,
        f"SELECT v.id, SUM(v.score) OVER (ORDER BY v.score, v.id ROWS UNBOUNDED PRECEDING) AS s "
        f"FROM {TIED}",
        ((1, 10), (2, 30), (3, 50), (4, 80)),
    ),
    Case(
        "no order makes the whole partition the window",
        "without ORDER BY the entire partition is the frame",
        OVER,
        f"SELECT v.x, SUM(v.x) OVER () AS s FROM {ONE_TO_FIVE} WHERE v.x > 3",
        ((4, 9), (5, 9)),
    ),
    Case(
        "the short form of a frame ends at the current row",
        "ROWS n PRECEDING is ROWS BETWEEN n PRECEDING AND CURRENT ROW",
        OVER,
        f"SELECT v.x, SUM(v.x) OVER (ORDER BY v.x ROWS 1 PRECEDING) AS s FROM {ONE_TO_FIVE}",
        ((1, 1), (2, 3), (3, 5), (4, 7), (5, 9)),
    ),
    Case(
        "a frame on both sides of the row",
        "BETWEEN names the lower and the upper bound of the frame",
        OVER,
        "SELECT v.x, COUNT(*) OVER (ORDER BY v.x ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS n "
        f"FROM {ONE_TO_FIVE}",
        ((1, 3), (2, 4), (3, 5), (4, 4), (5, 3)),
    ),
    Case(
        "a frame past the end is empty",
        "ROWS BETWEEN 2 FOLLOWING AND 10 FOLLOWING begins with the second row after the current",
        OVER,
        "SELECT v.x, SUM(v.x) OVER (ORDER BY v.x ROWS BETWEEN 2 FOLLOWING AND 10 FOLLOWING) AS s "
        f"FROM {ONE_TO_FIVE}",
        ((1, 12), (2, 9), (3, 5), (4, None), (5, None)),
    ),
    Case(
        "the average over a frame of whole numbers is a whole number",
        "AVG returns int for int, with OVER too",
        "t-sql/functions/avg-transact-sql",
        f"SELECT v.x, AVG(v.x) OVER (ORDER BY v.x ROWS 1 PRECEDING) AS a FROM {ONE_TO_FIVE} "
        "WHERE v.x < 3",
        ((1, 1), (2, 1)),
    ),
)
NEIGHBOURS: tuple[Case, ...] = (
    Case(
        "LAG computes value, offset and default, and the default takes the type of the value",
        "the documented example: offset from a subquery, -c/2.0 as the default of an int",
        LAG,
        ORDERS + "SELECT t.b, t.c, LAG(2 * t.c, t.b * (SELECT MIN(x.b) FROM t AS x), -t.c / 2.0) "
        "OVER (ORDER BY t.a) AS i FROM t",
        ((1, -3, 1), (2, 4, -2), (1, None, 8), (3, 1, -6), (2, None, None), (1, 5, None)),
    ),
    Case(
        "LEAD without a default gives NULL past the end",
        "the default value is NULL if none is given",
        LEAD,
        f"SELECT v.x, LEAD(v.x, 2) OVER (ORDER BY v.x) AS n FROM {ONE_TO_FIVE}",
        ((1, 3), (2, 4), (3, 5), (4, None), (5, None)),
    ),
    Case(
        "an offset of zero is the row itself",
        "LAG reaches offset rows back from the current row",
        LAG,
        f"SELECT v.x, LAG(v.x, 0) OVER (ORDER BY v.x) AS n FROM {ONE_TO_FIVE} WHERE v.x < 3",
        ((1, 1), (2, 2)),
    ),
    Case(
        "an offset may be any number that converts to bigint",
        "the offset evaluates to a positive integer or is converted to bigint",
        LAG,
        f"SELECT v.x, LAG(v.x, 1.0) OVER (ORDER BY v.x) AS n, LEAD(v.x, 2.9, 0) "
        f"OVER (ORDER BY v.x) AS l FROM {ONE_TO_FIVE} WHERE v.x < 4",
        ((1, None, 3), (2, 1, 0), (3, 2, 0)),
    ),
    Case(
        "the default of LAG has the type of the value, its length too",
        "the return type is that of the value",
        LAG,
        "SELECT LAG(v.x, 1, 'abcdef') OVER (ORDER BY v.x) AS n, LEAD(v.c, 1, 'a') OVER "
        "(ORDER BY v.x) + '|' AS l FROM (VALUES (CAST('xy' AS VARCHAR(2)), CAST('z' AS CHAR(3)))) "
        "AS v(x, c)",
        (("ab", "a  |"),),
    ),
    *(
        Case(
            f"a negative offset of {name}({offset})",
            "the offset cannot be a negative value",
            page,
            f"SELECT {name}(v.x, {offset}) OVER (ORDER BY v.x) AS n FROM {ONE_TO_FIVE}",
            error=error,
        )
        for name, page in (("LAG", LAG), ("LEAD", LEAD))
        for offset, error in (
            ("-1", "wrong_arguments"),
            ("(-1)", "wrong_arguments"),
            ("1 - 2", "execution_failed"),
            ("v.x - 2", "execution_failed"),
        )
    ),
    Case(
        "an offset with a sign that is not negative",
        "the offset is any expression that is 0 or more",
        LAG,
        f"SELECT v.x, LAG(v.x, -0) OVER (ORDER BY v.x) AS n, LAG(v.x, -(v.x - 3)) "
        f"OVER (ORDER BY v.x) AS l FROM {ONE_TO_FIVE} WHERE v.x < 4",
        ((1, 1, None), (2, 2, 1), (3, 3, 3)),
    ),
    Case(
        "LAG passes over NULL when told to",
        "IGNORE NULLS leaves NULL out of the values that are looked at",
        LAG,
        f"SELECT v.id, LAG(v.x) IGNORE NULLS OVER (ORDER BY v.id) AS n FROM {GAPS}",
        ((1, None), (2, 5), (3, 5), (4, 5)),
    ),
    Case(
        "LEAD passes over NULL when told to",
        "IGNORE NULLS leaves NULL out of the values that are looked at",
        LEAD,
        f"SELECT v.id, LEAD(v.x, 1, 0) IGNORE NULLS OVER (ORDER BY v.id) AS n FROM {GAPS}",
        ((1, 7), (2, 7), (3, 7), (4, 0)),
    ),
    Case(
        "LAG respects NULL unless told otherwise",
        "RESPECT NULLS is the default",
        LAG,
        f"SELECT v.id, LAG(v.x) RESPECT NULLS OVER (ORDER BY v.id) AS n FROM {GAPS}",
        ((1, None), (2, 5), (3, None), (4, None)),
    ),
    Case(
        "the last value up to the current row is the row's own",
        "the default frame of LAST_VALUE ends at the current row",
        LAST_VALUE,
        f"SELECT v.x, LAST_VALUE(v.x) OVER (ORDER BY v.x) AS n FROM {ONE_TO_FIVE} WHERE v.x < 4",
        ((1, 1), (2, 2), (3, 3)),
    ),
    Case(
        "the last value of a partition needs a frame to its end",
        "ROWS or RANGE further limit the rows by start and end points",
        LAST_VALUE,
        "SELECT v.x, LAST_VALUE(v.x) OVER (ORDER BY v.x ROWS BETWEEN UNBOUNDED PRECEDING AND "
        f"UNBOUNDED FOLLOWING) AS n FROM {ONE_TO_FIVE} WHERE v.x < 4",
        ((1, 3), (2, 3), (3, 3)),
    ),
    Case(
        "the last value that is not NULL fills gaps",
        "IGNORE NULLS returns the last value that is not NULL",
        LAST_VALUE,
        f"SELECT v.id, LAST_VALUE(v.x) IGNORE NULLS OVER (ORDER BY v.id) AS n FROM {GAPS}",
        ((1, 5), (2, 5), (3, 5), (4, 7)),
    ),
    Case(
        "the first value that is not NULL of what follows",
        "IGNORE NULLS returns the first value of the frame that is not NULL",
        FIRST_VALUE,
        "SELECT v.id, FIRST_VALUE(v.x) IGNORE NULLS OVER (ORDER BY v.id ROWS BETWEEN CURRENT ROW "
        f"AND UNBOUNDED FOLLOWING) AS n FROM {GAPS}",
        ((1, 5), (2, 7), (3, 7), (4, 7)),
    ),
    Case(
        "the first value may be NULL",
        "FIRST_VALUE respects NULL by default",
        FIRST_VALUE,
        "SELECT v.id, FIRST_VALUE(v.x) OVER (ORDER BY v.id DESC ROWS 1 PRECEDING) AS n "
        f"FROM {GAPS}",
        ((1, None), (2, None), (3, 7), (4, 7)),
    ),
    Case(
        "a continuous percentile interpolates",
        "PERCENTILE_CONT computes a value that need not exist in the column; NULL is ignored",
        PERCENTILE_CONT,
        "SELECT DISTINCT v.k, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY v.x) "
        "OVER (PARTITION BY v.k) AS p "
        "FROM (VALUES ('a', 1), ('a', 2), ('a', NULL), ('b', 5)) AS v(k, x)",
        (("a", 1.5), ("b", 5.0)),
    ),
)
CASES: tuple[Case, ...] = (*RANKS, *FRAMES, *NEIGHBOURS)
