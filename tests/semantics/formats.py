"""FORMAT: numbers and moments by the patterns of .NET."""

from semantics.case import Case, value

FORMAT = "t-sql/functions/format-transact-sql"
PRECISE = "CAST('2006-01-02 03:04:05.123456' AS DATETIME2)"
AFTERNOON = "CAST('2018-01-01 14:00' AS DATETIME2)"
AUGUST = "CAST('2024-08-09' AS DATE)"


def _numbers() -> tuple[Case, ...]:
    """FORMAT of numbers, as .NET documents its standard and custom patterns for en-US."""
    patterns = (
        ("1234567.891, 'N2'", "1,234,567.89"),
        ("1234567.891, 'N0'", "1,234,568"),
        ("-1234.56, 'F1'", "-1234.6"),
        ("1234, 'D6'", "001234"),
        ("-1234, 'D6'", "-001234"),
        ("123.456, 'C'", "$123.46"),
        ("-123.456, 'C3'", "($123.456)"),
        ("0.2468013, 'P'", "24.68 %"),
        ("0.285, 'P0'", "29 %"),
        ("1052.0329112756e0, 'E'", "1.052033E+003"),
        ("255, 'X'", "FF"),
        ("-1, 'X'", "FFFFFFFF"),
        ("-1979, 'X8'", "FFFFF845"),
        ("CAST(-1 AS SMALLINT), 'X'", "FFFF"),
        ("CAST(-1 AS BIGINT), 'x'", "ffffffffffffffff"),
        ("5, '000'", "005"),
        ("0.5, '#.##'", ".5"),
        ("1234.5, '0.00'", "1234.50"),
        ("1234567.891, '#,##0.##'", "1,234,567.89"),
        ("1234567, '#,#'", "1,234,567"),
        ("0.256, '0.0%'", "25.6%"),
        ("0.285, '0%'", "29%"),
        ("CAST(12 AS DECIMAL(38, 0)), '0.0%'", "1200.0%"),
        ("0.5, N'‰0'", "‰500"),
        (r"50, '0\%'", "50%"),
        ("50, '0''%'''", "50%"),
        ("12.5, '#,##0.00 \"%\"'", "12.50 %"),
        ("1234567, '#,##0,K'", "1,235K"),
        ("-1500, '0,'", "-2"),
        ("-499, '0,'", "0"),
        ("-5, '0;(0);zero'", "(5)"),
        ("0, '0;(0);zero'", "zero"),
        ("42, '\"No. \"0'", "No. 42"),
    )
    exact = (
        ("1.005, 'N2'", "1.01"),
        ("-0.285, 'N2'", "-0.29"),
        ("-0.004, 'N2'", "0.00"),
        ("-0.005, 'N2'", "-0.01"),
        ("(1.00 + 1.01) / 2, 'N2'", "1.01"),
        ("CAST(1.005 AS MONEY), '0.00'", "1.01"),
        ("CAST(123456789012345.6789 AS MONEY), 'N4'", "123,456,789,012,345.6789"),
        ("9007199254740993, 'N0'", "9,007,199,254,740,993"),
        ("CAST(-9223372036854775808 AS BIGINT), 'N0'", "-9,223,372,036,854,775,808"),
        ("CAST(99999999999999999.99 AS DECIMAL(20, 2)), 'N2'", "99,999,999,999,999,999.99"),
        ("12.3, 'F4'", "12.3000"),
        ("0.285, 'G'", "0.285"),
    )
    rule = "a pattern of .NET, in the culture en-US"
    digits = "an exact number keeps its digits, and is rounded half away from zero"
    return tuple(
        value(f"FORMAT({call})", text, why, FORMAT)
        for why, table in ((rule, patterns), (digits, exact))
        for call, text in table
    )


CASES: tuple[Case, ...] = (
    *_numbers(),
    value(
        f"FORMAT({AUGUST}, 'd', 'en-US')", "8/9/2024", "d is the short date of the culture", FORMAT
    ),
    value(
        f"FORMAT({AUGUST}, 'D')",
        "Friday, August 9, 2024",
        "D is the long date of the culture",
        FORMAT,
    ),
    value(
        f"FORMAT({AUGUST}, 'dd/MM/yyyy', 'en-US')",
        "09/08/2024",
        "custom patterns name the parts of a date",
        FORMAT,
    ),
    value(
        f"FORMAT({AUGUST}, 'dd MMM yyyy')",
        "09 Aug 2024",
        "custom patterns name the parts of a date",
        FORMAT,
    ),
    value(f"FORMAT({AUGUST}, 'dddd')", "Friday", "the name of the day", FORMAT),
    value(f"FORMAT({AFTERNOON}, N'hh:mm tt')", "02:00 PM", "two letters of the half", FORMAT),
    value(f"FORMAT({AFTERNOON}, N'hh:mm t')", "02:00 P", "one letter of the half", FORMAT),
    value(f"FORMAT({AFTERNOON}, N'HH:mm')", "14:00", "HH is the hour of 24", FORMAT),
    value(f"FORMAT({PRECISE}, 'ss.fff')", "05.123", "the fraction of a second", FORMAT),
    value(
        "FORMAT(CAST('07:35' AS TIME), N'hh.mm')",
        None,
        "in a time of day a point must be escaped, else NULL",
        FORMAT,
    ),
    value(
        "FORMAT(CAST('07:35' AS TIME), N'hh:mm')",
        None,
        "in a time of day a colon must be escaped, else NULL",
        FORMAT,
    ),
    value(
        r"FORMAT(CAST('07:35' AS TIME), N'hh\.mm')",
        "07.35",
        "in a time of day an escaped point is shown",
        FORMAT,
    ),
    value(
        r"FORMAT(CAST('07:35' AS TIME), N'hh\:mm')",
        "07:35",
        "in a time of day an escaped colon is shown",
        FORMAT,
    ),
    value(
        "FORMAT(CAST(NULL AS INT), 'none')",
        None,
        "NULL stays NULL also in a pattern without digits",
        FORMAT,
    ),
    value("FORMAT(2.5, 'D')", None, "NULL for a pattern that the type has not", FORMAT),
    value(
        "FORMAT(123456789, '###-##-####')",
        "123-45-6789",
        "other signs may stand among the digits",
        FORMAT,
    ),
    value(
        f"FORMAT({AUGUST}, 'd', 'de-de')",
        "09.08.2024",
        "a culture has patterns of its own",
        FORMAT,
        gaps={"embedded": "it knows no culture but en-US"},
    ),
)
