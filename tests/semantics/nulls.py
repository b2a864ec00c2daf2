"""NULL: the third truth value, and where NULLs stand in an order."""

from datetime import datetime

from semantics.case import Case, failure, value

LOGIC = "t-sql/language-elements/null-and-unknown-transact-sql"
AND = "t-sql/language-elements/and-transact-sql"
OR = "t-sql/language-elements/or-transact-sql"
NOT = "t-sql/language-elements/not-transact-sql"
IN = "t-sql/language-elements/in-transact-sql"
ALL = "t-sql/language-elements/all-transact-sql"
EXISTS = "t-sql/language-elements/exists-transact-sql"
BETWEEN = "t-sql/language-elements/between-transact-sql"
LIKE = "t-sql/language-elements/like-transact-sql"
CASE = "t-sql/language-elements/case-transact-sql"
COALESCE = "t-sql/language-elements/coalesce-transact-sql"
IIF = "t-sql/functions/logical-functions-iif-transact-sql"
ORDER = "t-sql/queries/select-order-by-clause-transact-sql"
WHERE = "t-sql/queries/where-transact-sql"
HAVING = "t-sql/queries/select-having-transact-sql"
FROM = "t-sql/queries/from-transact-sql"
UNION = "t-sql/language-elements/set-operators-union-transact-sql"
EXCEPT = "t-sql/language-elements/set-operators-except-and-intersect-transact-sql"
DISTINCT = "t-sql/queries/select-clause-transact-sql"
IS_DISTINCT = "t-sql/queries/is-distinct-from-transact-sql"
GREATEST = "t-sql/functions/logical-functions-greatest-transact-sql"
LEAST = "t-sql/functions/logical-functions-least-transact-sql"
CAST = "t-sql/functions/cast-and-convert-transact-sql"
CONCAT = "t-sql/functions/concat-transact-sql"
CONCAT_WS = "t-sql/functions/concat-ws-transact-sql"
ISNULL = "t-sql/functions/isnull-transact-sql"
CHAR = "t-sql/data-types/char-and-varchar-transact-sql"
CONVERTED = "the replacement is converted to the type of what is checked"
ROWS = "(VALUES (1), (NULL), (2)) AS v(x)"
UNKNOWN = "a comparison with NULL is UNKNOWN, and only TRUE keeps a row"
LOWEST = "NULLs are the lowest values in an order"


def branch(condition: str, expected: str, rule: str, source: str) -> Case:
    """Return the case of a condition: is it true, is its opposite, or neither."""
    return value(
        f"CASE WHEN {condition} THEN 'true' WHEN NOT ({condition}) THEN 'false' ELSE 'unknown' END",
        expected,
        rule,
        source,
    )


def where_case(condition: str, rows: tuple[tuple[int | None], ...], rule: str, source: str) -> Case:
    """Return the case of the rows that a WHERE keeps of 1, NULL and 2."""
    return Case(
        f"WHERE {condition}",
        rule,
        source,
        f"SELECT v.x FROM {ROWS} WHERE {condition} ORDER BY v.x",
        rows,
    )


def first_day_at(hour: int, minute: int, second: int = 0) -> datetime:
    """Return a moment of the first day of 2024."""
    return datetime(2024, 1, 1, hour, minute, second)


CASES: tuple[Case, ...] = (
    *(
        value(f"CAST(NULL AS {kind})", None, "NULL has no value of any type", CAST)
        for kind in ("DATETIME", "SMALLDATETIME", "DATETIME2(0)", "TIME(0)", "DATE", "MONEY")
    ),
    value("ROUND(1.5, NULL)", None, "a NULL among the arguments gives NULL", LOGIC),
    value("ROUND(1.5, CAST(NULL AS INT))", None, "so does one with a type", LOGIC),
    value("CASE WHEN NULL < 'a' THEN 1 ELSE 0 END", 0, "NULL is in no order with a text", LOGIC),
    value("CASE WHEN NULL BETWEEN 'a' AND 'b' THEN 1 ELSE 0 END", 0, "nor between two", LOGIC),
    value("'12' * NULL", None, "an operation on NULL is NULL", LOGIC),
    branch("NULL = NULL", "unknown", UNKNOWN, LOGIC),
    branch("1 <> NULL", "unknown", UNKNOWN, LOGIC),
    branch("NULL IS NULL", "true", "IS NULL is TRUE or FALSE", LOGIC),
    branch("1 = 1 AND 1 = NULL", "unknown", "TRUE AND UNKNOWN is UNKNOWN", AND),
    branch("1 = 2 AND 1 = NULL", "false", "FALSE AND UNKNOWN is FALSE", AND),
    branch("1 = 1 OR 1 = NULL", "true", "TRUE OR UNKNOWN is TRUE", OR),
    branch("1 = 2 OR 1 = NULL", "unknown", "FALSE OR UNKNOWN is UNKNOWN", OR),
    branch("NOT (1 = NULL)", "unknown", "NOT UNKNOWN is UNKNOWN", NOT),
    branch("1 IN (2, NULL)", "unknown", "IN compares with each, and one is UNKNOWN", IN),
    branch("1 IN (1, NULL)", "true", "one of them is equal", IN),
    branch("1 NOT IN (2, NULL)", "unknown", "NOT IN with NULL is never TRUE", IN),
    branch("NULL BETWEEN 1 AND 2", "unknown", "NULL as an input gives UNKNOWN", BETWEEN),
    branch("3 BETWEEN NULL AND 2", "false", "3 <= 2 is FALSE, whatever 3 >= NULL is", BETWEEN),
    branch("NULL LIKE '%'", "unknown", UNKNOWN, LIKE),
    branch("1 > ALL (SELECT m.Id FROM Movie AS m WHERE m.Id < 0)", "true", "no rows", ALL),
    branch(f"3 > ALL (SELECT v.x FROM {ROWS})", "unknown", UNKNOWN, ALL),
    branch("EXISTS (SELECT NULL)", "true", "EXISTS looks at rows, not values", EXISTS),
    branch("NULL IS DISTINCT FROM NULL", "false", "two NULLs are not distinct", IS_DISTINCT),
    branch("1 IS DISTINCT FROM NULL", "true", "never UNKNOWN", IS_DISTINCT),
    branch("1 IS NOT DISTINCT FROM '1'", "true", "compared in one type", IS_DISTINCT),
    where_case("v.x <> 1", ((2,),), UNKNOWN, WHERE),
    where_case("NOT (v.x = 1)", ((2,),), UNKNOWN, WHERE),
    where_case("v.x IS NULL OR v.x > 1", ((None,), (2,)), UNKNOWN, WHERE),
    where_case("v.x NOT IN (1, NULL)", (), UNKNOWN, IN),
    where_case(f"v.x NOT IN (SELECT w.x FROM {ROWS.replace('v(', 'w(')})", (), UNKNOWN, IN),
    value("CASE NULL WHEN NULL THEN 1 ELSE 2 END", 2, "WHEN compares with =", CASE),
    value("CASE WHEN 1 = NULL THEN 1 END", None, "without ELSE the result is NULL", CASE),
    value("IIF(1 = NULL, 1, 2)", 2, "UNKNOWN gives the third argument", IIF),
    value("COALESCE(NULL, NULL, 3)", 3, "the first that is not NULL", COALESCE),
    *(
        value(f"ISNULL(CAST(NULL AS {kind}), {other}){more}", result, CONVERTED, ISNULL)
        for kind, other, more, result in (
            ("CHAR(3)", "'a'", " + '|'", "a  |"),
            ("NCHAR(3)", "'abcd'", " + '|'", "abc|"),
            ("VARCHAR(2)", "1234", "", "*"),
            ("VARCHAR(2)", "'abc'", "", "ab"),
            ("SMALLDATETIME", "CAST('2024-01-01 10:00:31' AS DATETIME)", "", first_day_at(10, 1)),
            (
                "DATETIME2(0)",
                "CAST('2024-01-01 10:00:00.6' AS DATETIME2)",
                "",
                first_day_at(10, 0, 1),
            ),
        )
    ),
    failure("ISNULL(CAST(NULL AS TINYINT), 500)", "conversion_failed", CONVERTED, ISNULL),
    failure("ISNULL(CAST(NULL AS NVARCHAR(2)), 1234)", "conversion_failed", CONVERTED, ISNULL),
    *(
        value(f"{text} + '|'", "a  |", "char(n) has n characters, filled up with blanks", CHAR)
        for text in (
            "CASE WHEN 1 = 1 THEN CAST('a' AS CHAR(1)) ELSE CAST('b' AS CHAR(3)) END",
            "IIF(1 = 1, CAST('a' AS CHAR(1)), CAST('b' AS CHAR(3)))",
            "COALESCE(CAST(NULL AS NCHAR(3)), CAST('a' AS CHAR(1)))",
        )
    ),
    value("GREATEST(1, NULL, 3)", 3, "NULL is ignored", GREATEST),
    value("LEAST(2, NULL, 3)", 2, "NULL is ignored", LEAST),
    value("LEAST('b', NULL, 'A')", "A", "NULL is ignored", LEAST),
    value("CONCAT('a', NULL, 'b')", "ab", "NULL is an empty text", CONCAT),
    value("CONCAT_WS(',', 'a', NULL, 'b')", "a,b", "NULL is left out", CONCAT_WS),
    value("1 + NULL", None, "arithmetic with NULL gives NULL", LOGIC),
    Case(
        "ORDER BY puts NULL first",
        LOWEST,
        ORDER,
        f"SELECT v.x FROM {ROWS} ORDER BY v.x",
        ((None,), (1,), (2,)),
    ),
    Case(
        "ORDER BY DESC puts NULL last",
        LOWEST,
        ORDER,
        f"SELECT v.x FROM {ROWS} ORDER BY v.x DESC",
        ((2,), (1,), (None,)),
    ),
    Case(
        "a window sorts NULL first",
        LOWEST,
        ORDER,
        f"SELECT v.x, ROW_NUMBER() OVER (ORDER BY v.x) AS n FROM {ROWS} ORDER BY n",
        ((None, 1), (1, 2), (2, 3)),
    ),
    Case(
        "HAVING keeps only TRUE",
        UNKNOWN,
        HAVING,
        f"SELECT v.x FROM {ROWS} GROUP BY v.x HAVING MAX(v.x) <> 1",
        ((2,),),
    ),
    Case(
        "a join on NULL finds nothing",
        UNKNOWN,
        FROM,
        f"SELECT COUNT(*) AS n FROM {ROWS} JOIN {ROWS.replace('v(', 'w(')} ON v.x = w.x",
        ((2,),),
    ),
    Case(
        "an outer join fills with NULL",
        "a row without a partner gets NULLs",
        FROM,
        "SELECT a.x, b.y FROM (VALUES (1), (2)) AS a(x) LEFT JOIN (VALUES (2)) AS b(y) "
        "ON a.x = b.y ORDER BY a.x",
        ((1, None), (2, 2)),
    ),
    Case(
        "UNION takes NULLs as equal",
        "NULLs are duplicates of one another",
        UNION,
        "SELECT NULL AS x UNION SELECT NULL",
        ((None,),),
    ),
    Case(
        "EXCEPT takes NULLs as equal",
        "two NULLs are equal when rows are compared for EXCEPT",
        EXCEPT,
        f"SELECT v.x FROM {ROWS} EXCEPT SELECT NULL",
        ((1,), (2,)),
    ),
    Case(
        "DISTINCT takes NULLs as equal",
        "NULLs are equal for DISTINCT",
        DISTINCT,
        "SELECT DISTINCT v.x FROM (VALUES (NULL), (NULL), (1)) AS v(x)",
        ((None,), (1,)),
    ),
    *(
        value(call, None, "a position, length or count that is unknown gives NULL", LOGIC)
        for call in (
            "LEFT('abc', NULLIF(1, 1))",
            "RIGHT('abc', NULLIF(1, 1))",
            "SUBSTRING('abc', NULLIF(1, 1), 2)",
            "SUBSTRING('abc', NULLIF(1, 1) + 2, NULLIF(1, 1))",
            "SUBSTRING('abc', 2, NULLIF(1, 1))",
            "STUFF('abc', NULLIF(1, 1), 1, 'x')",
            "STUFF('abc', 1, NULLIF(1, 1), 'x')",
            "REPLICATE('a', NULL)",
            "SPACE(NULL)",
            "CHARINDEX('c', 'abc', CAST(NULL AS INT))",
            "CHARINDEX('', 'abc', CAST(NULL AS INT))",
        )
    ),
    Case(
        "a text behind a sign that is not there",
        "a position that is unknown gives NULL",
        LOGIC,
        "SELECT v.n, SUBSTRING(v.x, NULLIF(CHARINDEX(':', v.x), 0) + 2, 100) AS t, "
        "LEN(LEFT('***', NULLIF(v.n, 2))) AS s "
        "FROM (VALUES (1, 'Alien: Covenant'), (2, 'Dune')) AS v(n, x) ORDER BY v.n",
        ((1, "Covenant", 1), (2, None, None)),
    ),
    Case(
        "ISNULL of a column",
        "NULL is replaced",
        ISNULL,
        "SELECT ISNULL(m.ReleaseYear, 0) AS y FROM Movie AS m WHERE m.Id IN (5, 6)",
        ((2001,), (0,)),
    ),
)
