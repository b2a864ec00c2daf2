"""Aggregates: which rows they see, and the type they return."""

from semantics.case import Case

AVG = "t-sql/functions/avg-transact-sql"
SUM = "t-sql/functions/sum-transact-sql"
COUNT = "t-sql/functions/count-transact-sql"
COUNT_BIG = "t-sql/functions/count-big-transact-sql"
APPROXIMATE = "t-sql/functions/approx-count-distinct-transact-sql"
MAX = "t-sql/functions/max-transact-sql"
MIN = "t-sql/functions/min-transact-sql"
STDEV = "t-sql/functions/stdev-transact-sql"
STDEVP = "t-sql/functions/stdevp-transact-sql"
VAR = "t-sql/functions/var-transact-sql"
VARP = "t-sql/functions/varp-transact-sql"
STRING_AGG = "t-sql/functions/string-agg-transact-sql"
GROUPING = "t-sql/functions/grouping-transact-sql"
GROUP = "t-sql/queries/select-group-by-transact-sql"
CONT = "t-sql/functions/percentile-cont-transact-sql"
DISC = "t-sql/functions/percentile-disc-transact-sql"
APPROXIMATE_CONT = "t-sql/functions/approx-percentile-cont-transact-sql"
APPROXIMATE_DISC = "t-sql/functions/approx-percentile-disc-transact-sql"
AGGREGATES = "t-sql/functions/aggregate-functions-transact-sql"
LAG = "t-sql/functions/lag-transact-sql"
NONE = "FROM Movie AS m WHERE m.Id < 0"


def over(expression: str, values: str, expected: object, rule: str, source: str) -> Case:
    """Return the case of an aggregate over the rows of VALUES, which are called v.x."""
    return Case(
        f"{expression} over {values}",
        rule,
        source,
        f"SELECT {expression} AS a FROM (VALUES {values}) AS v(x)",
        ((expected,),),
    )


def error_case(expression: str, values: str, rule: str, source: str) -> Case:
    """Return the case of an aggregate that ends with an error."""
    return Case(
        f"{expression} over {values}",
        rule,
        source,
        f"SELECT {expression} AS a FROM (VALUES {values}) AS v(x)",
        error="conversion_failed",
    )


NO_BIT = "the operand is a number, and no BIT"
BITS = "(CAST(1 AS BIT)), (CAST(0 AS BIT))"
INT_SUM = "SUM of int returns int, and an overflow is an error"
TRUNCATED = "AVG of int returns int: the fraction is cut"
WIDE = "AVG of decimal returns decimal(38, max(s, 6))"
LIMIT = "STRING_AGG of NVARCHAR(n) returns NVARCHAR(4000), and a longer text is an error"

CASES: tuple[Case, ...] = (
    Case(
        "the average of whole numbers is a whole number",
        TRUNCATED,
        AVG,
        "SELECT AVG(v.x) AS a FROM (VALUES (1), (2), (2)) AS v(x)",
        ((1,),),
    ),
    over("AVG(v.x)", "(-1), (-2), (-2)", -1, TRUNCATED, AVG),
    over("CAST(AVG(v.x) AS NVARCHAR(40))", "(1.0), (2.0), (2.0)", "1.666666", WIDE, AVG),
    over("CAST(AVG(v.x * 1.0) AS NVARCHAR(40))", "(1), (2)", "1.500000", WIDE, AVG),
    over("AVG(v.x)", "(1), (NULL), (3)", 2, "NULL is ignored", AVG),
    over("AVG(DISTINCT v.x)", "(1), (1), (3)", 2, "DISTINCT counts each value once", AVG),
    over("AVG(v.x)", "(1e0), (2e0)", 1.5, "AVG of float returns float", AVG),
    error_case("AVG(v.x)", "(2147483647), (1)", "a sum beyond the type of the result", AVG),
    error_case("AVG(v.x)", BITS, NO_BIT, AVG),
    error_case("AVG(v.x)", "('a')", NO_BIT, AVG),
    over("SUM(v.x)", "(1), (NULL), (3)", 4, "NULL is ignored", SUM),
    over("SUM(DISTINCT v.x)", "(1), (1), (3)", 4, "DISTINCT counts each value once", SUM),
    over("CAST(SUM(v.x) AS NVARCHAR(40))", "(1.25), (2.5)", "3.75", "decimal(38, s)", SUM),
    error_case("SUM(v.x)", "(2147483647), (1)", INT_SUM, SUM),
    over(
        "SUM(CAST(v.x AS BIGINT))", "(2147483647), (1)", 2147483648, "SUM of bigint is bigint", SUM
    ),
    error_case("SUM(v.x)", BITS, NO_BIT, SUM),
    error_case("SUM(v.x)", "('1')", NO_BIT, SUM),
    Case(
        "a running sum overflows as SUM does",
        INT_SUM,
        SUM,
        "SELECT SUM(v.x) OVER (ORDER BY v.x) AS a FROM (VALUES (2147483647), (1)) AS v(x)",
        error="conversion_failed",
    ),
    Case(
        "the average over a window is cut",
        TRUNCATED,
        AVG,
        "SELECT v.x, AVG(v.x) OVER (ORDER BY v.x) AS a FROM (VALUES (1), (2), (5)) AS v(x) "
        "ORDER BY v.x",
        ((1, 1), (2, 1), (5, 2)),
    ),
    Case(
        "COUNT of a column leaves out NULL",
        "COUNT(expression) counts the values that are not NULL, COUNT(*) every row",
        COUNT,
        "SELECT COUNT(m.ReleaseYear) AS years, COUNT(*) AS films FROM Movie AS m",
        ((7, 8),),
    ),
    over("COUNT(DISTINCT v.x)", "(1), (1), (NULL)", 1, "unique values that are not NULL", COUNT),
    over("COUNT(*) / 2.0", "(1), (2), (3)", 1.5, "COUNT returns int, which joins a decimal", COUNT),
    over("COUNT_BIG(*)", "(1), (NULL)", 2, "COUNT_BIG(*) counts every row", COUNT_BIG),
    over(
        "APPROX_COUNT_DISTINCT(v.x)",
        "(1), (1), (NULL), (2)",
        2,
        "about the number of unique values that are not NULL",
        APPROXIMATE,
    ),
    Case(
        "aggregates over no rows",
        "all but COUNT return NULL where there is no row",
        AGGREGATES,
        "SELECT COUNT(*) AS a, COUNT(m.Name) AS b, SUM(m.Id) AS c, AVG(m.Id) AS d, MIN(m.Name) "
        f"AS e, STDEV(m.Id) AS f, STRING_AGG(m.Name, ',') AS g {NONE}",
        ((0, 0, None, None, None, None, None),),
    ),
    Case(
        "groups of no rows are no rows",
        "GROUP BY returns a row a group, and without rows there is no group",
        GROUP,
        f"SELECT m.ReleaseYear, COUNT(*) AS n {NONE} GROUP BY m.ReleaseYear",
        (),
    ),
    Case(
        "GROUP BY puts NULLs into one group",
        "NULLs of a grouping column are taken as equal",
        GROUP,
        "SELECT v.x, COUNT(*) AS n FROM (VALUES (NULL), (1), (NULL)) AS v(x) GROUP BY v.x "
        "ORDER BY v.x",
        ((None, 2), (1, 1)),
    ),
    over("MAX(v.x)", "(1), (NULL), (3)", 3, "NULL is ignored", MAX),
    over("MIN(v.x)", "('b'), ('A'), (NULL)", "A", "the lowest in the collating sequence", MIN),
    error_case("MAX(v.x)", BITS, "MAX takes no BIT", MAX),
    error_case("MIN(v.x)", BITS, "MIN takes no BIT", MIN),
    over("STDEV(v.x)", "(5)", None, "the deviation of a sample needs two values", STDEV),
    over("VAR(v.x)", "(5)", None, "the variance of a sample needs two values", VAR),
    over("STDEVP(v.x)", "(5)", 0.0, "a population of one does not vary", STDEVP),
    over("VARP(v.x)", "(1), (3)", 1.0, "the variance of the population", VARP),
    over("VAR(v.x)", "(1.5), (2.5)", 0.5, "VAR returns float", VAR),
    error_case("STDEV(v.x)", BITS, NO_BIT, STDEV),
    over(
        "STRING_AGG(v.x, ', ')",
        "('a'), (NULL), ('a')",
        "a, a",
        "NULL is left out together with its separator",
        STRING_AGG,
    ),
    over(
        "STRING_AGG(v.x, '-') WITHIN GROUP (ORDER BY v.x DESC)",
        "(1), (3), (2)",
        "3-2-1",
        "numbers become NVARCHAR; WITHIN GROUP sorts",
        STRING_AGG,
    ),
    over(
        "LEN(STRING_AGG(CAST(v.x AS NVARCHAR(4000)), ''))",
        "(REPLICATE(N'x', 2000)), (REPLICATE(N'x', 2000))",
        4000,
        LIMIT,
        STRING_AGG,
    ),
    Case(
        "STRING_AGG beyond 8,000 bytes",
        LIMIT,
        STRING_AGG,
        "SELECT STRING_AGG(CAST(v.x AS NVARCHAR(4000)), ',') AS a "
        "FROM (VALUES (REPLICATE(N'x', 2000)), (REPLICATE(N'x', 2000))) AS v(x)",
        error="execution_failed",
    ),
    over(
        "LEN(STRING_AGG(CAST(v.x AS NVARCHAR(MAX)), ','))",
        "(REPLICATE(N'x', 2000)), (REPLICATE(N'x', 2000))",
        4001,
        "STRING_AGG of NVARCHAR(MAX) returns NVARCHAR(MAX)",
        STRING_AGG,
    ),
    over(
        "LEN(STRING_AGG(CAST(v.x AS VARCHAR(8000)), ','))",
        "(REPLICATE('x', 3000)), (REPLICATE('x', 3000))",
        6001,
        "STRING_AGG of VARCHAR(n) returns VARCHAR(8000)",
        STRING_AGG,
    ),
    Case(
        "GROUPING tells a total from a NULL",
        "GROUPING is 1 in a row that stands for all values, 0 elsewhere",
        GROUPING,
        "SELECT v.x, GROUPING(v.x) AS g, COUNT(*) AS n FROM (VALUES (NULL), (1)) AS v(x) "
        "GROUP BY ROLLUP (v.x)",
        ((None, 0, 1), (1, 0, 1), (None, 1, 2)),
    ),
    Case(
        "PERCENTILE_CONT interpolates",
        "the value need not be one of the column; it is a float",
        CONT,
        "SELECT DISTINCT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY v.x) OVER () AS p "
        "FROM (VALUES (1), (2), (3), (4), (NULL)) AS v(x)",
        ((2.5,),),
    ),
    Case(
        "PERCENTILE_CONT downwards",
        "rows are taken in the order of WITHIN GROUP",
        CONT,
        "SELECT DISTINCT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v.x DESC) OVER () AS p "
        "FROM (VALUES (1.0), (2.0), (3.0), (4.0)) AS v(x)",
        ((3.25,),),
    ),
    Case(
        "PERCENTILE_DISC returns a value of the column",
        "the first value whose CUME_DIST is at least the share",
        DISC,
        "SELECT DISTINCT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY v.x) OVER () AS p "
        "FROM (VALUES (1), (2), (3), (4)) AS v(x)",
        ((2,),),
    ),
    Case(
        "PERCENTILE_DISC downwards",
        "the first value whose CUME_DIST is at least the share, in the order of WITHIN GROUP",
        DISC,
        "SELECT DISTINCT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY v.x DESC) OVER () AS p "
        "FROM (VALUES (1), (2), (3), (4)) AS v(x)",
        ((3,),),
    ),
    Case(
        "PERCENTILE_DISC of 0 downwards",
        "the share 0 is reached by the first value",
        DISC,
        "SELECT DISTINCT PERCENTILE_DISC(0) WITHIN GROUP (ORDER BY v.x DESC) OVER () AS p "
        "FROM (VALUES (1), (2), (3), (4)) AS v(x)",
        ((4,),),
    ),
    Case(
        "APPROX_PERCENTILE_CONT of groups interpolates",
        "an aggregate within the error of a rank; it is a float, and NULL is left out",
        APPROXIMATE_CONT,
        "SELECT v.k, APPROX_PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v.x DESC) AS p "
        "FROM (VALUES (1, 1), (1, 2), (1, 3), (1, 4), (1, NULL), (2, NULL)) AS v(k, x) "
        "GROUP BY v.k",
        ((1, 3.25), (2, None)),
    ),
    Case(
        "APPROX_PERCENTILE_DISC of groups returns a value of the column",
        "an aggregate of the type of the column, which HAVING takes too",
        APPROXIMATE_DISC,
        "SELECT v.k, APPROX_PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY v.x) AS p "
        "FROM (VALUES (1, 1), (1, 2), (1, 4), (2, 7)) AS v(k, x) GROUP BY v.k "
        "HAVING APPROX_PERCENTILE_DISC(0) WITHIN GROUP (ORDER BY v.x DESC) < 7",
        ((1, 2),),
    ),
    Case(
        "APPROX_PERCENTILE_DISC takes no decimal",
        "decimal and numeric are not supported",
        APPROXIMATE_DISC,
        "SELECT APPROX_PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY v.x) AS p "
        "FROM (VALUES (1.5), (2.5)) AS v(x)",
        error="conversion_failed",
    ),
    Case(
        "an aggregate over CASE of two types",
        "the type of CASE is the one of highest precedence",
        SUM,
        "SELECT CAST(SUM(CASE WHEN v.x = 1 THEN 1 ELSE 0.5 END) AS NVARCHAR(20)) AS a "
        "FROM (VALUES (1), (2)) AS v(x)",
        (("1.5",),),
    ),
    Case(
        "what stands for a missing row has the type of LAG",
        "the default is converted to the type of the expression",
        LAG,
        "SELECT v.x, LAG(v.x, 1, '0') OVER (ORDER BY v.x) AS b FROM (VALUES (1), (2)) AS v(x) "
        "ORDER BY v.x",
        ((1, 0), (2, 1)),
    ),
)
