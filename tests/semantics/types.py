"""Types: what an expression of several types becomes, and where numbers are cut or overflow."""

from semantics.case import Case, failure, value

PRECISION = "t-sql/data-types/precision-scale-and-length-transact-sql"
INTEGERS = "t-sql/data-types/int-bigint-smallint-and-tinyint-transact-sql"
PRECEDENCE = "t-sql/data-types/data-type-precedence-transact-sql"
CONSTANTS = "t-sql/data-types/constants-transact-sql"
DECIMALS = "t-sql/data-types/decimal-and-numeric-transact-sql"
MONEY = "t-sql/data-types/money-and-smallmoney-transact-sql"
BIT = "t-sql/data-types/bit-transact-sql"
CAST = "t-sql/functions/cast-and-convert-transact-sql"
MODULO = "t-sql/language-elements/modulo-transact-sql"
ADD = "t-sql/language-elements/add-transact-sql"
SUBTRACT = "t-sql/language-elements/subtract-transact-sql"
DIVIDE = "t-sql/language-elements/divide-transact-sql"
NEGATIVE = "t-sql/language-elements/unary-operators-negative"
CONCATENATION = "t-sql/language-elements/string-concatenation-transact-sql"
CASE = "t-sql/language-elements/case-transact-sql"
COALESCE = "t-sql/language-elements/coalesce-transact-sql"
NULLIF = "t-sql/language-elements/nullif-transact-sql"
ISNULL = "t-sql/functions/isnull-transact-sql"
IIF = "t-sql/functions/logical-functions-iif-transact-sql"
CHOOSE = "t-sql/functions/logical-functions-choose-transact-sql"
GREATEST = "t-sql/functions/logical-functions-greatest-transact-sql"
POWER = "t-sql/functions/power-transact-sql"
FLOATS = "t-sql/data-types/float-and-real-transact-sql"
ROUND = "t-sql/functions/round-transact-sql"
OFFSETS = "t-sql/data-types/datetimeoffset-transact-sql"
DATES = "t-sql/data-types/date-transact-sql"

QUOTIENT = "the scale of a quotient is max(6, s1 + p2 + 1); further digits are cut"
HIGHER = "the type of lower precedence is converted to the other, or an error ends the statement"


def text_case(expression: str, expected: str, rule: str, source: str) -> Case:
    """Return the case of a number as text, which shows its scale."""
    return value(f"CAST({expression} AS NVARCHAR(50))", expected, rule, source)


CASES: tuple[Case, ...] = (
    *(
        failure(
            f"-CAST({least} AS {kind})",
            "conversion_failed",
            "the negative has the type of its operand, in which this overflows",
            NEGATIVE,
        )
        for kind, least in (
            ("SMALLINT", -32768),
            ("INT", -2147483648),
            ("BIGINT", -9223372036854775808),
        )
    ),
    value("-CAST(5 AS TINYINT)", -5, "the negative of a tinyint is a smallint", NEGATIVE),
    value("-(-2147483648)", 2147483648, "a number too large for int is a decimal", CONSTANTS),
    text_case("1.0 / 3", "0.333333", QUOTIENT, PRECISION),
    text_case("2.0 / 3", "0.666666", QUOTIENT, PRECISION),
    text_case("-2.0 / 3", "-0.666666", QUOTIENT, PRECISION),
    text_case(
        "CAST(1.67574 AS DECIMAL(38, 10)) / CAST(10000 AS DECIMAL(38, 10))",
        "0.000167",
        "where more than 32 digits stand before the point, a scale above 6 becomes 6",
        PRECISION,
    ),
    text_case(
        "CAST(1 AS DECIMAL(10, 2)) / CAST(3 AS DECIMAL(10, 2))",
        "0.3333333333333",
        "scale 2 + 10 + 1 = 13",
        PRECISION,
    ),
    text_case("1.50 + 1.5", "3.00", "the scale of a sum is the larger one", PRECISION),
    text_case(
        "1.50 - 1.25000", "0.25000", "the scale of a difference is the larger one", PRECISION
    ),
    text_case("1.5 * 2.25", "3.375", "the scale of a product is the sum of the scales", PRECISION),
    text_case("7.5 % 2", "1.5", "the scale of a remainder is the larger one", PRECISION),
    text_case(
        "CAST(0.0000009000 AS DECIMAL(30, 10)) * CAST(1.0000000000 AS DECIMAL(30, 10))",
        "0.000001",
        "the product fits decimal(38, 6) and is rounded to it",
        PRECISION,
    ),
    value(
        "CAST(0.0000009 AS DECIMAL(30, 20)) * CAST(1 AS DECIMAL(30, 20))",
        None,
        "a product of scale 40 becomes decimal(38, 17)",
        PRECISION,
        gaps={"embedded": "DuckDB has no decimal of 40 places on the way"},
    ),
    text_case("2147483649 / 2", "1073741824.500000", "a literal above INT is a decimal", INTEGERS),
    value("2147483647 / 2", 1073741823, "a literal up to 2147483647 is an INT", INTEGERS),
    text_case(
        "100.0 / 250",
        "0.400000",
        "a whole constant becomes a decimal just wide enough: 250 is numeric(3, 0)",
        INTEGERS,
    ),
    text_case(
        "1.0 / CAST(3 AS INT)",
        "0.333333333333",
        "an INT expression counts as decimal(10, 0): scale 1 + 10 + 1",
        PRECISION,
    ),
    failure("2147483647 + 1", "conversion_failed", "INT does not grow to BIGINT", INTEGERS),
    failure("50000 * 50000", "conversion_failed", "INT does not grow to BIGINT", INTEGERS),
    value(
        "CAST(2147483647 AS BIGINT) + 1", 2147483648, "BIGINT beside INT gives BIGINT", PRECEDENCE
    ),
    failure(
        "CAST(200 AS TINYINT) + CAST(100 AS TINYINT)",
        "conversion_failed",
        "operands of one type give that type",
        PRECEDENCE,
    ),
    value("CAST(200 AS TINYINT) + 100", 300, "TINYINT beside INT gives INT", PRECEDENCE),
    failure("POWER(2, 31)", "conversion_failed", "POWER of INT is INT", POWER),
    *(
        value(sql_text, result, "a float constant ends with its exponent", CONSTANTS)
        for sql_text, result in (
            ("1e0+2e0", 3.0),
            ("0.5e0-.25e0", 0.25),
            ("1.5E1+1E-1", 15.1),
            ("4/1e0-2", 2.0),
            ("1e+2+1", 101.0),
            ("'1e0+2'", "1e0+2"),
        )
    ),
    failure("1e308 * 10", "conversion_failed", "FLOAT goes to 1.79E+308", FLOATS),
    value("-7 / 2", -3, "a quotient of whole numbers is cut towards zero", DIVIDE),
    value("-7 % 3", -1, "a remainder has the sign of the dividend", MODULO),
    failure("7.5e0 % 2", "conversion_failed", "% takes whole numbers, money and numeric", MODULO),
    failure("1 / 0", "divide_by_zero", "division by zero is an error", DIVIDE),
    failure("1.5 / 0", "divide_by_zero", "division by zero is an error", DIVIDE),
    failure("5 % 0", "divide_by_zero", "% by zero is an error", MODULO),
    text_case("CAST(1 AS MONEY) / 3", "0.33", "MONEY as text has two places", CAST),
    value(
        "CAST(CAST(CAST(1 AS MONEY) / 3 AS DECIMAL(10, 6)) AS NVARCHAR(20))",
        "0.333300",
        "MONEY keeps four places",
        MONEY,
    ),
    value("CAST(CAST(2.5 AS MONEY) AS INT)", 3, "MONEY to INT rounds", CAST),
    value("CAST(10.6496 AS INT)", 10, "numeric to INT cuts", CAST),
    value("CAST(-10.6496 AS INT)", -10, "numeric to INT cuts", CAST),
    text_case("CAST(10.6496 AS NUMERIC)", "11", "numeric to numeric rounds; scale is 0", CAST),
    text_case("CAST(10.3496847 AS DECIMAL(8, 4))", "10.3497", "fewer places: rounded", CAST),
    failure("CAST(99.999 AS VARCHAR(5))", "conversion_failed", "a decimal that does not fit", CAST),
    failure("CAST(123.45 AS DECIMAL(4, 2))", "conversion_failed", "too wide", DECIMALS),
    text_case("ROUND(123.4545, 2)", "123.4500", "ROUND keeps the type, and so the scale", ROUND),
    text_case("ROUND(748.58, -1)", "750.00", "ROUND keeps the type, and so the scale", ROUND),
    failure("CAST(1 AS BIT) + CAST(1 AS BIT)", "conversion_failed", "+ takes no BIT", ADD),
    value("CAST(1 AS BIT) + 1", 2, "BIT beside INT becomes INT", PRECEDENCE),
    value("CAST('true' AS BIT)", True, "the texts TRUE and FALSE become 1 and 0", BIT),
    value("CASE WHEN CAST(1 AS BIT) = 'TRUE' THEN 1 ELSE 0 END", 1, "TRUE becomes 1", BIT),
    value("CASE WHEN CAST(5 AS BIT) = 1 THEN 1 ELSE 0 END", 1, "any but 0 becomes 1", BIT),
    value("CASE WHEN CAST(1 AS BIT) = 2 THEN 1 ELSE 0 END", 0, HIGHER, PRECEDENCE),
    value("'1' + 1", 2, HIGHER, PRECEDENCE),
    failure("'a' + 1", "conversion_failed", HIGHER, PRECEDENCE),
    value("'1' + '1'", "11", "+ between texts joins them", CONCATENATION),
    failure("'3' - '1'", "conversion_failed", "- takes numbers", SUBTRACT),
    value("'x' + NULL", None, "what is joined with NULL is NULL", CONCATENATION),
    value("CASE WHEN '2' < 10 THEN 1 ELSE 0 END", 1, HIGHER, PRECEDENCE),
    value("CASE WHEN '2' < '10' THEN 1 ELSE 0 END", 0, "texts compare as texts", PRECEDENCE),
    failure(
        "CASE WHEN '10' <= 9.00 THEN 1 ELSE 0 END",
        "conversion_failed",
        "a constant is the smallest numeric that holds it, and the text becomes that",
        CONSTANTS,
    ),
    failure("CASE WHEN 'x' = 1 THEN 1 ELSE 0 END", "conversion_failed", HIGHER, PRECEDENCE),
    failure("CASE WHEN 3 IN ('1', 'x') THEN 1 END", "conversion_failed", HIGHER, PRECEDENCE),
    value("CASE WHEN 1 IN ('1', '2') THEN 1 END", 1, HIGHER, PRECEDENCE),
    value("CASE WHEN 1 = 0 THEN 'x' ELSE 2 END", 2, "CASE has the type of highest rank", CASE),
    failure("CASE WHEN 1 = 1 THEN 'x' ELSE 2 END", "conversion_failed", HIGHER, CASE),
    text_case("CASE WHEN 1 = 1 THEN 1 ELSE 2.50 END", "1.00", "the scale is the larger one", CASE),
    text_case("COALESCE(NULL, 1, 2.50)", "1.00", "COALESCE has the type of highest rank", COALESCE),
    failure("COALESCE('x', 1)", "conversion_failed", HIGHER, COALESCE),
    text_case("IIF(1 = 1, 1, 2.5)", "1.0", "IIF has the type of highest rank", IIF),
    text_case("CHOOSE(1, 1, 2.25)", "1.00", "CHOOSE has the type of highest rank", CHOOSE),
    value("CHOOSE(4, 'a', 'b')", None, "outside of the list the result is NULL", CHOOSE),
    text_case("GREATEST('6.62', 3.1415, 7)", "7.0000", "the scale is that of the type", GREATEST),
    value("ISNULL(CAST(NULL AS VARCHAR(3)), 'abcdef')", "abc", "cut to the first type", ISNULL),
    value("COALESCE(CAST(NULL AS VARCHAR(3)), 'abcdef')", "abcdef", "not cut", COALESCE),
    value("ISNULL(NULL, 'abc')", "abc", "a bare NULL takes the other type", ISNULL),
    value("ISNULL(CAST(NULL AS INT), 2.9)", 2, "becomes the type of the first", ISNULL),
    value("NULLIF('A', 'a')", None, "NULL if the two are equal", NULLIF),
    value("NULLIF(1, '1')", None, "compared as numbers", NULLIF),
    value("NULLIF('7', 1)", "7", "the result is the first, in its type", NULLIF),
    failure("CAST('2024-01-31' AS DATE) + 1", "conversion_failed", "DATE is not added to", DATES),
    failure("SYSDATETIME() + 1", "conversion_failed", "int and datetime2 are incompatible", ADD),
    value(
        "CONVERT(NVARCHAR(10), CAST('2024-01-31' AS DATETIME) + 1, 120)",
        "2024-02-01",
        "a number beside DATETIME is a number of days",
        ADD,
    ),
    value(
        "CONVERT(NVARCHAR(19), CAST('2024-01-31' AS DATETIME) + 0.5, 120)",
        "2024-01-31 12:00:00",
        "a fraction is a part of a day",
        ADD,
    ),
    failure(
        "CASE WHEN CAST('2024-01-31' AS DATE) = 5 THEN 1 ELSE 0 END",
        "conversion_failed",
        "INT is not converted to DATE",
        CAST,
    ),
    value(
        "CASE WHEN CAST('2024-01-31' AS DATE) < '20240201' THEN 1 ELSE 0 END",
        1,
        "the text becomes a DATE",
        PRECEDENCE,
    ),
    value(
        "CASE WHEN CAST('2024-01-31' AS DATE) = CAST('2024-01-31T00:00:00' AS DATETIME2) "
        "THEN 1 ELSE 0 END",
        1,
        "DATE beside DATETIME2 gets the time 00:00",
        PRECEDENCE,
    ),
    failure(
        "CASE WHEN CAST('2024-01-31' AS DATE) = 'soon' THEN 1 ELSE 0 END",
        "conversion_failed",
        HIGHER,
        PRECEDENCE,
    ),
    value(
        "CAST('2024-01-31 10:00 +02:00' AS DATETIMEOFFSET)",
        None,
        "DATETIMEOFFSET keeps the offset of its text",
        OFFSETS,
        gaps={"embedded": "DuckDB keeps an instant and loses the offset"},
    ),
    Case(
        "a set operation has the type of highest rank",
        HIGHER,
        PRECEDENCE,
        "SELECT '1' AS x UNION SELECT 1",
        ((1,),),
    ),
    Case(
        "a set operation of text and number that does not convert",
        HIGHER,
        PRECEDENCE,
        "SELECT 'one' AS x UNION ALL SELECT 1",
        error="conversion_failed",
    ),
    Case(
        "a column of a set operation has one scale",
        "p = max(s1, s2) + max(p1 - s1, p2 - s2), s = max(s1, s2)",
        PRECISION,
        "SELECT CAST(u.x AS NVARCHAR(9)) AS t FROM (SELECT 1 AS x UNION ALL SELECT 2.50) AS u "
        "ORDER BY u.x",
        (("1.00",), ("2.50",)),
    ),
    Case(
        "a column of VALUES has one type",
        HIGHER,
        PRECEDENCE,
        "SELECT v.x + 1 AS y FROM (VALUES ('1'), (2)) AS v(x) ORDER BY y",
        ((2,), (3,)),
    ),
    Case(
        "IN with a subquery of another type",
        HIGHER,
        PRECEDENCE,
        "SELECT m.Id FROM Movie AS m WHERE m.Id IN "
        "(SELECT v.x FROM (VALUES ('1'), ('2')) AS v(x)) ORDER BY m.Id",
        ((1,), (2,)),
    ),
    Case(
        "a text column beside a number becomes a number",
        HIGHER,
        PRECEDENCE,
        "SELECT m.Id FROM Movie AS m WHERE m.Name = 1",
        error="conversion_failed",
    ),
    Case(
        "a column of whole literals is an INT",
        "an INT column counts as decimal(10, 0): scale 1 + 10 + 1",
        PRECISION,
        "SELECT CAST(1.0 / v.x AS NVARCHAR(20)) AS t FROM (VALUES (3)) AS v(x)",
        (("0.333333333333",),),
    ),
    Case(
        "what a derived table computes keeps its scale",
        QUOTIENT,
        PRECISION,
        "SELECT CAST(d.q * 3 AS NVARCHAR(20)) AS t FROM (SELECT 2.0 / 3 AS q) AS d",
        (("1.999998",),),
    ),
)
