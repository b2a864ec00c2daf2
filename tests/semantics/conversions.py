"""CAST, CONVERT with its styles, their TRY_ forms, and the functions that choose."""

from datetime import date, datetime
from decimal import Decimal

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
CAST = FUNCTIONS + "cast-and-convert-transact-sql"
TRY_CAST = FUNCTIONS + "try-cast-transact-sql"
TRY_CONVERT = FUNCTIONS + "try-convert-transact-sql"
ISNUMERIC = FUNCTIONS + "isnumeric-transact-sql"
ISNULL = FUNCTIONS + "isnull-transact-sql"
NULLIF = "t-sql/language-elements/nullif-transact-sql"
IIF = FUNCTIONS + "logical-functions-iif-transact-sql"
CHOOSE = FUNCTIONS + "logical-functions-choose-transact-sql"
GREATEST = FUNCTIONS + "logical-functions-greatest-transact-sql"
LEAST = FUNCTIONS + "logical-functions-least-transact-sql"
BIT = "t-sql/data-types/bit-transact-sql"
CHAR = "t-sql/data-types/char-and-varchar-transact-sql"
FLOAT = "t-sql/data-types/float-and-real-transact-sql"
MONEY = "t-sql/data-types/money-and-smallmoney-transact-sql"
CONSTANTS = "t-sql/data-types/constants-transact-sql"
TIMESTAMP = "CAST('2006-01-02 03:04:05.007' AS DATETIME)"
PRECISE = "CAST('2006-01-02 03:04:05.123456' AS DATETIME2)"
AMOUNT = "CAST(4235.9819 AS MONEY)"
STYLED: dict[int, str] = {
    0: "Jan  2 2006  3:04AM",
    100: "Jan  2 2006  3:04AM",
    1: "01/02/06",
    101: "01/02/2006",
    2: "06.01.02",
    102: "2006.01.02",
    3: "02/01/06",
    103: "02/01/2006",
    4: "02.01.06",
    104: "02.01.2006",
    5: "02-01-06",
    105: "02-01-2006",
    6: "02 Jan 06",
    106: "02 Jan 2006",
    7: "Jan 02, 06",
    107: "Jan 02, 2006",
    8: "03:04:05",
    24: "03:04:05",
    108: "03:04:05",
    9: "Jan  2 2006  3:04:05:007AM",
    109: "Jan  2 2006  3:04:05:007AM",
    10: "01-02-06",
    110: "01-02-2006",
    11: "06/01/02",
    111: "2006/01/02",
    12: "060102",
    112: "20060102",
    13: "02 Jan 2006 03:04:05:007",
    113: "02 Jan 2006 03:04:05:007",
    14: "03:04:05:007",
    114: "03:04:05:007",
    20: "2006-01-02 03:04:05",
    120: "2006-01-02 03:04:05",
    21: "2006-01-02 03:04:05.007",
    25: "2006-01-02 03:04:05.007",
    121: "2006-01-02 03:04:05.007",
    23: "2006-01-02",
    126: "2006-01-02T03:04:05.007",
}
READ: dict[int, str] = {
    101: "03/04/2020",
    103: "04/03/2020",
    104: "04.03.2020",
    105: "04-03-2020",
    106: "04 Mar 2020",
    107: "Mar 04, 2020",
    110: "03-04-2020",
    111: "2020/03/04",
    112: "20200304",
    120: "2020-03-04 00:00:00",
    126: "2020-03-04T00:00:00",
    3: "04/03/20",
}


def _styles() -> tuple[Case, ...]:
    formatted_values = tuple(
        value(
            f"CONVERT(VARCHAR(30), {TIMESTAMP}, {style})",
            text,
            "the styles of moments as text",
            CAST,
        )
        for style, text in STYLED.items()
    )
    parsed_values = tuple(
        value(
            f"CONVERT(DATE, '{text}', {style})",
            date(2020, 3, 4),
            "a style also says how a text is read",
            CAST,
        )
        for style, text in READ.items()
    )
    return formatted_values + parsed_values


CASES: tuple[Case, ...] = (
    value("CAST(123 AS CHAR(5)) + 'x'", "123  x", "CHAR is as long as it says", CHAR),
    *_styles(),
    value("CAST(10.6496 AS NUMERIC)", 11, "decimal to decimal is rounded", CAST),
    value("CAST(-10.6496 AS NUMERIC)", -11, "decimal to decimal is rounded", CAST),
    value("CAST(2.7e0 AS INT)", 2, "float to int is cut", CAST),
    value("CAST(CAST(2.7 AS MONEY) AS INT)", 3, "money to int is rounded", CAST),
    value(
        "CAST(CAST(10.3496847 AS MONEY) AS VARCHAR(20))",
        "10.35",
        "by default money has two places as text",
        CAST,
    ),
    value(
        f"CONVERT(VARCHAR(20), {AMOUNT}, 0)",
        "4235.98",
        "style 0 writes two places and no commas",
        CAST,
    ),
    value(
        "CONVERT(VARCHAR(20), CAST(3510.92 AS MONEY), 1)",
        "3,510.92",
        "style 1 writes commas and two places",
        CAST,
    ),
    value(
        f"CONVERT(VARCHAR(20), {AMOUNT}, 2)",
        "4235.9819",
        "style 2 writes four places and no commas",
        CAST,
    ),
    value("CAST('abcdef' AS NVARCHAR(3))", "abc", "a text that is too long is cut", CAST),
    value("LEN(CAST(REPLICATE('a', 99) AS NVARCHAR))", 30, "the default length is 30", CAST),
    value("CAST('abc' AS CHAR(5)) + '|'", "abc  |", "CHAR is filled with blanks", CAST),
    value("CAST(12345 AS VARCHAR(3))", "*", "an int that does not fit is a star", CAST),
    failure(
        "CAST(12345 AS NVARCHAR(3))",
        "conversion_failed",
        "an int that is too long for its nvarchar is an error",
        CAST,
    ),
    value("TRY_CAST(12345 AS NVARCHAR(3))", None, "NULL instead of the error", TRY_CAST),
    value("CAST(1e0 / 3 AS NVARCHAR(20))", "0.333333", "six digits of a float", CAST),
    value(
        "CAST(1234567e0 AS NVARCHAR(20))",
        "1.23457e+006",
        "six digits of a float, where need be with an exponent",
        CAST,
    ),
    value(
        "CONVERT(VARCHAR(30), 1234567e0, 1)",
        "1.2345670e+006",
        "style 1 writes a float with eight digits and an exponent",
        CAST,
    ),
    value(
        "CONVERT(VARCHAR(30), 0.5e0, 2)",
        "5.000000000000000e-001",
        "style 2 writes a float with sixteen digits and an exponent",
        CAST,
    ),
    failure(
        "CAST('abc' AS INT)",
        "conversion_failed",
        "a text that is no number gives an error, or 0 from ISNUMERIC",
        CAST,
    ),
    failure(
        "CAST('' AS DECIMAL(9, 2))",
        "conversion_failed",
        "an empty text is no decimal, which is an error",
        CAST,
    ),
    failure("CAST('2.7' AS INT)", "conversion_failed", "a fraction is no whole number", CAST),
    value("CAST(' 12 ' AS INT)", 12, "blanks around a number do no harm", CAST),
    value("CAST('1e3' AS FLOAT)", 1000.0, "a float may be written with an exponent", CAST),
    value(
        "CAST('$1,234.56' AS MONEY)",
        Decimal("1234.56"),
        "money may be written with a currency sign and commas",
        MONEY,
    ),
    value("TRY_CAST('1,2' AS MONEY)", Decimal(12), "commas follow no grouping rules", CONSTANTS),
    value("CAST('-,12,.3,4' AS MONEY)", Decimal("-12.34"), "commas are ignored", CONSTANTS),
    failure("CAST(300 AS TINYINT)", "conversion_failed", "beyond the range of the type", CAST),
    value("TRY_CAST('abc' AS INT)", None, "NULL where the conversion fails", TRY_CAST),
    value("TRY_CAST('1e3' AS INT)", None, "NULL where the conversion fails", TRY_CAST),
    value("TRY_CAST('0x10' AS INT)", None, "NULL where the conversion fails", TRY_CAST),
    value("TRY_CAST('nan' AS FLOAT)", None, "NULL where the conversion fails", TRY_CAST),
    value("TRY_CAST('1e3' AS DECIMAL(9,2))", None, "NULL where the conversion fails", TRY_CAST),
    value("TRY_CAST('2020-02-30' AS DATE)", None, "NULL where the conversion fails", TRY_CAST),
    value("TRY_CAST('1600-01-01' AS DATETIME)", None, "NULL where it does not fit", TRY_CAST),
    value("TRY_CONVERT(INT, '12')", 12, "the value where it can be converted", TRY_CONVERT),
    value(
        "TRY_CONVERT(DATE, '31/12/2010', 101)",
        None,
        "TRY_CONVERT gives NULL where the style does not fit the text",
        TRY_CONVERT,
    ),
    failure(
        "CAST('12/31/2010x' AS DATE)",
        "conversion_failed",
        "a text that is no date is an error",
        CAST,
    ),
    value("CAST(CAST('true' AS BIT) AS INT)", 1, "the text TRUE becomes 1", BIT),
    value("CAST(CAST('False' AS BIT) AS INT)", 0, "the text FALSE becomes 0", BIT),
    value("CAST(CAST(7 AS BIT) AS INT)", 1, "any number but 0 is 1", BIT),
    failure("CAST('yes' AS BIT)", "conversion_failed", "no other word is a bit", BIT),
    value(
        f"CAST({TIMESTAMP} AS VARCHAR(30))",
        "Jan  2 2006  3:04AM",
        "the default for datetime is style 0",
        CAST,
    ),
    value(
        f"CAST({PRECISE} AS VARCHAR(19))",
        "2006-01-02 03:04:05",
        "the default for datetime2 is style 121",
        CAST,
    ),
    value(
        "CAST(CAST('07:35' AS TIME) AS VARCHAR(8))",
        "07:35:00",
        "the default for date and time of day is style 121",
        CAST,
    ),
    value(
        "CAST(CAST('2006-01-02' AS DATE) AS VARCHAR(30))",
        "2006-01-02",
        "the default for date and time of day is style 121",
        CAST,
    ),
    value(
        "CONVERT(VARCHAR(30), CAST('2012-11-07T18:26:20' AS DATETIME), 126)",
        "2012-11-07T18:26:20",
        "milliseconds of 0 are left out",
        CAST,
    ),
    value("CONVERT(VARCHAR(10), NULL, 101)", None, "NULL converted to any type is NULL", CAST),
    value(
        "CAST(2.5 AS DATETIME)",
        datetime(1900, 1, 3, 12),
        "a number becomes the day so many days after 1 January 1900",
        CAST,
    ),
    value(
        "CAST(CAST('19000103 13:00' AS DATETIME) AS INT)",
        3,
        "datetime to int is rounded, not cut",
        CAST,
    ),
    Case(
        "texts of numbers beyond the range of FLOAT",
        "a FLOAT is at most 1.79E+308; TRY_CAST gives NULL where the cast fails",
        FLOAT,
        "SELECT TRY_CAST(v.x AS FLOAT) AS f FROM (VALUES (1, '1'), (2, '1e308'), (3, '1e999'), "
        "(4, '-1e309')) AS v(n, x) ORDER BY v.n",
        ((1.0,), (1e308,), (None,), (None,)),
    ),
    failure("CAST('1e999' AS FLOAT)", "conversion_failed", "a FLOAT is at most 1.79E+308", FLOAT),
    Case(
        "texts that are read as MONEY",
        "blanks and lone signs are 0; commas and the signs of currencies are left out",
        ISNUMERIC,
        "SELECT TRY_CAST(v.x AS MONEY) AS m FROM (VALUES (1, ''), (2, '  '), (3, '$'), (4, '-'), "
        "(5, '-$ 1,234.5'), (6, '1e3'), (7, 'x')) AS v(n, x) ORDER BY v.n",
        (*((Decimal(0),),) * 4, (Decimal("-1234.5"),), (None,), (None,)),
    ),
    value(
        "CAST(1 AS MONEY) + '$1,000'",
        Decimal(1001),
        "a text beside MONEY becomes MONEY",
        MONEY,
    ),
    value("ISNULL(NULL, 'z')", "z", "the other value for NULL", ISNULL),
    value("ISNULL(CAST(NULL AS INT), 2.7)", 2, "the type of the first argument", ISNULL),
    value("NULLIF('a', 'A')", None, "the two are compared as = compares them", NULLIF),
    value("IIF(45 > 30, 'TRUE', 'FALSE')", "TRUE", "the one or the other", IIF),
    value(
        "CHOOSE(3, 'Manager', 'Director', 'Developer')",
        "Developer",
        "the index says which of the values, counted from 1",
        CHOOSE,
    ),
    value(
        "GREATEST('6.62', 3.1415, N'7')",
        7,
        "all are converted to the type of highest precedence first",
        GREATEST,
    ),
    value("LEAST('b', 'A')", "A", "texts are compared by their collation", LEAST),
)
