"""Functions and operators of numbers: result types, rounding, domains and overflow."""

from decimal import Decimal

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
ROUND = FUNCTIONS + "round-transact-sql"
POWER = FUNCTIONS + "power-transact-sql"
SQUARE = FUNCTIONS + "square-transact-sql"
SQRT = FUNCTIONS + "sqrt-transact-sql"
LOG = FUNCTIONS + "log-transact-sql"
LOG10 = FUNCTIONS + "log10-transact-sql"
EXP = FUNCTIONS + "exp-transact-sql"
CEILING = FUNCTIONS + "ceiling-transact-sql"
FLOOR = FUNCTIONS + "floor-transact-sql"
SIGN = FUNCTIONS + "sign-transact-sql"
ABS = FUNCTIONS + "abs-transact-sql"
BITWISE_NOT = "t-sql/language-elements/bitwise-not-transact-sql"
OPERATORS = "t-sql/language-elements/"
DIVIDE = OPERATORS + "divide-transact-sql"
MODULO = OPERATORS + "modulo-transact-sql"
AND = OPERATORS + "bitwise-and-transact-sql"
XOR = OPERATORS + "bitwise-exclusive-or-transact-sql"

CASES: tuple[Case, ...] = (
    Case(
        "ROUND of a decimal to computed digits",
        "The scale of the type stays; digits before the point are rounded, too",
        ROUND,
        "SELECT ROUND(1.555 * m.Id, m.Id) AS a, ROUND(1234.567, -m.Id) AS b, "
        "ROUND(1234.567, m.Id, 1) AS c FROM Movie AS m WHERE m.Id < 5 ORDER BY m.Id",
        tuple(
            tuple(map(Decimal, row))
            for row in (
                ("1.600", "1230.000", "1234.500"),
                ("3.110", "1200.000", "1234.560"),
                ("4.665", "1000.000", "1234.567"),
                ("6.220", "0.000", "1234.567"),
            )
        ),
    ),
    Case(
        "ROUND with a computed function",
        "It rounds where the function is 0, and truncates otherwise",
        ROUND,
        "SELECT ROUND(150.75, 0, m.Id - 1) AS x FROM Movie AS m WHERE m.Id < 3 ORDER BY m.Id",
        ((Decimal("151.00"),), (Decimal("150.00"),)),
    ),
    failure("ROUND(1.55, 1.0)", "conversion_failed", "The length is a whole number", ROUND),
    value("ABS('-1.5')", 1.5, "A text that is a number becomes a float", ABS),
    value("ROUND(150.75, 0)", 151, "a number is rounded to as many places as are asked for", ROUND),
    value("ROUND(150.75, 0, 1)", 150, "a third argument other than 0 cuts", ROUND),
    value("ROUND(748.58, -1)", 750, "a negative length rounds before the point", ROUND),
    value("ROUND(748.58, -2)", 700, "a negative length rounds before the point", ROUND),
    value("ROUND(748.58, -4)", 0, "0 beyond the digits before the point", ROUND),
    value("ROUND(CAST(748.58 AS DECIMAL(6, 2)), -3)", 1000, "the type has room for it", ROUND),
    value("ROUND(748, -1)", 750, "an int as argument gives an int", ROUND),
    value("ROUND(-2.5, 0)", -3, "half is rounded away from zero", ROUND),
    value("ROUND(123.4545, 2)", Decimal("123.45"), "the places keep their number", ROUND),
    failure(
        "ROUND(2147483647, -1)",
        "conversion_failed",
        "the result has the type int, in which this overflows",
        ROUND,
    ),
    value("POWER(2, 10)", 1024, "the type of the base", POWER),
    value("POWER(2, 0.5)", 1, "an int base gives an int, its fraction cut", POWER),
    value("POWER(2, -1)", 0, "an int base gives an int, its fraction cut", POWER),
    failure("POWER(0e0, -1)", "conversion_failed", "0 has no negative power", POWER),
    value("SQUARE(3)", 9.0, "the result is a float, whatever the argument", SQUARE),
    value("SQRT(16)", 4.0, "the result is a float, whatever the argument", SQRT),
    failure("SQRT(-1)", "conversion_failed", "no root of a negative number", SQRT),
    value("LOG10(1000)", 3.0, "LOG10 is the logarithm to base 10", LOG10),
    value("LOG(8, 2)", 3.0, "a second argument is the base of the logarithm", LOG),
    value("LOG(EXP(10))", 10.0, "natural by default, the inverse of EXP", LOG),
    failure("LOG(0)", "conversion_failed", "0 has no logarithm, which is an error", LOG),
    Case(
        "a moment in a logarithm",
        "both arguments are a float, or what becomes one unasked, which no moment does",
        LOG,
        "SELECT LOG(m.Content, CAST('2020-02-29 10:11' AS SMALLDATETIME)) AS x FROM Movie AS m",
        error="conversion_failed",
    ),
    failure("LOG10(-1)", "conversion_failed", "no logarithm of a negative number", LOG10),
    value("EXP(0)", 1.0, "EXP is e to the power of its argument", EXP),
    failure("EXP(1000)", "conversion_failed", "beyond float is an overflow", EXP),
    value("CEILING(123.45)", 124, "the least whole number not below", CEILING),
    value("CEILING(-123.45)", -123, "the least whole number not below", CEILING),
    value("CEILING(7)", 7, "an int as argument gives an int", CEILING),
    value("FLOOR(123.45)", 123, "the largest whole number not above", FLOOR),
    value("FLOOR(-123.45)", -124, "the largest whole number not above", FLOOR),
    value("SIGN(-5)", -1, "SIGN is 1 above zero, 0 for zero, -1 below", SIGN),
    value("SIGN(0.0)", 0, "SIGN is 1 above zero, 0 for zero, -1 below", SIGN),
    value("ABS(-1.5)", 1.5, "the type of the argument", ABS),
    failure(
        "ABS(CAST(-2147483648 AS INT))",
        "conversion_failed",
        "the least int has no positive counterpart in its type",
        ABS,
    ),
    value("CAST(~CAST(1 AS BIT) AS INT)", 0, "the other bit", BITWISE_NOT),
    value("CAST(~CAST(0 AS BIT) AS INT)", 1, "the other bit", BITWISE_NOT),
    value("~5", -6, "all bits of an INT", BITWISE_NOT),
    value("7 / 2", 3, "of two integers the fraction is cut", DIVIDE),
    value("1.0 / 4", 0.25, "a decimal keeps its fraction", DIVIDE),
    value(
        "38 / 5 + 38 % 5",
        10,
        "% is the remainder of a division, / of integers its whole part",
        MODULO,
    ),
    value("7 % -3", 1, "the remainder has the sign of the dividend", MODULO),
    value("170 & 75", 10, "bits that are 1 in both", AND),
    value("170 ^ 75", 225, "bits that are 1 in one of both", XOR),
    value(
        "(5 & 3) | 8",
        9,
        "bits that are 1 in either",
        "t-sql/language-elements/bitwise-or-transact-sql",
    ),
    value(
        "'6' * 7",
        42,
        "text beside a number is converted to its type",
        "t-sql/data-types/data-type-precedence-transact-sql",
    ),
)
