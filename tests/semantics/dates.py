"""Dates and times: parts, boundaries, truncation and buckets."""

from datetime import date, datetime, time

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
ADD = "t-sql/language-elements/add-transact-sql"
DATEADD = FUNCTIONS + "dateadd-transact-sql"
DATEDIFF = FUNCTIONS + "datediff-transact-sql"
DATEDIFF_BIG = FUNCTIONS + "datediff-big-transact-sql"
DATEPART = FUNCTIONS + "datepart-transact-sql"
DATENAME = FUNCTIONS + "datename-transact-sql"
DATETRUNC = FUNCTIONS + "datetrunc-transact-sql"
EOMONTH = FUNCTIONS + "eomonth-transact-sql"
YEAR = FUNCTIONS + "year-transact-sql"
GETDATE = FUNCTIONS + "getdate-transact-sql"
CURRENT_DATE = FUNCTIONS + "current-date-transact-sql"
SAMPLE = "'2007-10-30 12:15:32.123456'"
TIMESTAMP = "CAST('2021-12-08 11:30:15.123456' AS DATETIME2)"


def _datename_cases() -> tuple[Case, ...]:
    """DATENAME of every part of the moment of its page."""
    names: dict[str, str] = {
        "year": "2007",
        "quarter": "4",
        "month": "October",
        "dayofyear": "303",
        "day": "30",
        "week": "44",
        "weekday": "Tuesday",
        "hour": "12",
        "minute": "15",
        "second": "32",
        "millisecond": "123",
        "microsecond": "123456",
        "iso_week": "44",
    }
    return tuple(
        value(f"DATENAME({part}, {SAMPLE})", name, "the name of the part", DATENAME)
        for part, name in names.items()
    )


def _truncated() -> tuple[Case, ...]:
    """DATETRUNC to every part, as on its page."""
    moments: dict[str, tuple[int, ...]] = {
        "year": (2021, 1, 1),
        "quarter": (2021, 10, 1),
        "month": (2021, 12, 1),
        "week": (2021, 12, 5),
        "iso_week": (2021, 12, 6),
        "dayofyear": (2021, 12, 8),
        "day": (2021, 12, 8),
        "hour": (2021, 12, 8, 11),
        "minute": (2021, 12, 8, 11, 30),
        "second": (2021, 12, 8, 11, 30, 15),
        "millisecond": (2021, 12, 8, 11, 30, 15, 123000),
    }
    rule = "the moment at which the part began; a week begins on Sunday, an ISO week on Monday"
    return tuple(
        value(f"DATETRUNC({part}, {TIMESTAMP})", _timestamp(*parts), rule, DATETRUNC)
        for part, parts in moments.items()
    )


def _timestamp(*parts: int) -> datetime:
    year, month, day, *clock = parts
    hour, minute, second, micro = (*clock, 0, 0, 0, 0)[:4]
    return datetime(year, month, day, hour, minute, second, micro)


CASES: tuple[Case, ...] = (
    *_datename_cases(),
    *_truncated(),
    value(
        "DATEADD(month, 1, '20060830')",
        datetime(2006, 9, 30),
        "a day that the month has not becomes its last day",
        DATEADD,
    ),
    value(
        "DATEADD(month, 1, '20060831')",
        datetime(2006, 9, 30),
        "a day that the month has not becomes its last day",
        DATEADD,
    ),
    value(
        "DATEADD(day, 1.9, CAST('2006-03-30' AS DATE))",
        date(2006, 3, 31),
        "a fraction of the number is cut, not rounded",
        DATEADD,
    ),
    value(
        "DATEADD(year, -1, CAST('2020-02-29' AS DATE))",
        date(2019, 2, 28),
        "a day that the month has not becomes its last day",
        DATEADD,
    ),
    value(
        "DATEADD(quarter, 4, CAST('2007-01-01' AS DATE))",
        date(2008, 1, 1),
        "a quarter has three months",
        DATEADD,
    ),
    value(
        "DATEADD(weekday, 31, CAST('2007-01-01' AS DATE))",
        date(2007, 2, 1),
        "weekday, dayofyear and day are the same to DATEADD",
        DATEADD,
    ),
    value(
        "DATEADD(day, 365, CAST('2000-01-01 01:01:01.111' AS DATETIME))",
        datetime(2000, 12, 31, 1, 1, 1, 110000),
        "DATETIME keeps thirds of a hundredth of a second",
        DATEADD,
    ),
    value(
        "DATEADD(minute, 59, CAST('2007-01-01 01:01:01' AS DATETIME2))",
        datetime(2007, 1, 1, 2, 0, 1),
        "what does not fit is carried over",
        DATEADD,
    ),
    value(
        "DATEADD(hour, 2, CAST('23:30' AS TIME))", time(1, 30), "a time of day goes round", DATEADD
    ),
    *(
        value(f"DATEADD({part}, {count}, CAST('{moment}' AS {kind}))", moved, rule, DATEADD)
        for rule, kind, moment, message in (
            (
                "the seconds of a SMALLDATETIME are always 00",
                "SMALLDATETIME",
                "2024-01-01 10:00",
                (
                    ("second", 29, datetime(2024, 1, 1, 10, 0)),
                    ("second", 31, datetime(2024, 1, 1, 10, 1)),
                    ("second", -30, datetime(2024, 1, 1, 10, 0)),
                    ("ss", -31, datetime(2024, 1, 1, 9, 59)),
                    ("millisecond", 29998, datetime(2024, 1, 1, 10, 0)),
                    ("millisecond", 29999, datetime(2024, 1, 1, 10, 1)),
                    ("ms", -30001, datetime(2024, 1, 1, 10, 0)),
                ),
            ),
            (
                "the result has the type of the moment, its digits too",
                "TIME(0)",
                "10:00",
                (("ms", 900, time(10, 0, 1)), ("microsecond", 400_000, time(10, 0))),
            ),
            (
                "the result has the type of the moment, its digits too",
                "DATETIME2(0)",
                "2024-01-01",
                (
                    ("ms", 600, datetime(2024, 1, 1, 0, 0, 1)),
                    ("nanosecond", 400_000_000, datetime(2024, 1, 1)),
                ),
            ),
        )
        for part, count, moved in message
    ),
    value(
        "CAST('2024-01-01 10:00' AS SMALLDATETIME) + 0.0004",
        datetime(2024, 1, 1, 10, 1),
        "+ returns the type of higher precedence, and a SMALLDATETIME has no seconds",
        ADD,
    ),
    value(
        "CAST('2024-01-01 10:00' AS DATETIME) - 0.00000001",
        datetime(2024, 1, 1, 10),
        "a DATETIME counts in 1/300 of a second",
        ADD,
    ),
    failure(
        "CAST('2079-06-06' AS SMALLDATETIME) + 1",
        "conversion_failed",
        "a result outside the range of the type is an error",
        ADD,
    ),
    failure(
        "DATEADD(year, 2147483647, '20060731')",
        "conversion_failed",
        "a result outside the range of the type is an error",
        DATEADD,
    ),
    failure(
        "DATEADD(year, 2147483648, '20060731')",
        "conversion_failed",
        "the number cannot exceed the range of int",
        DATEADD,
    ),
    failure(
        "DATEADD(day, 1, CAST('9999-12-31' AS DATE))",
        "conversion_failed",
        "a result outside the range of the type is an error",
        DATEADD,
    ),
    failure(
        "DATEADD(year, -300, CAST('2020-01-01' AS DATETIME))",
        "conversion_failed",
        "a DATETIME begins with 1753",
        DATEADD,
    ),
    value(
        "DATEADD(year, -300, CAST('2020-01-01' AS DATETIME2))",
        datetime(1720, 1, 1),
        "a DATETIME2 begins with the year 1",
        DATEADD,
    ),
    failure(
        "EOMONTH('2020-01-01', 200000)",
        "conversion_failed",
        "a result outside the range of the type is an error",
        EOMONTH,
    ),
    value("YEAR(DATEADD(month, 1, '2020-12-31'))", 2021, "a text is a moment", DATEADD),
    value(
        "DATEDIFF(year, '2020-12-31', '2021-01-01')",
        1,
        "DATEDIFF counts the boundaries that lie between",
        DATEDIFF,
    ),
    value(
        "DATEDIFF(year, '2005-12-31 23:59:59.999999', '2006-01-01')",
        1,
        "boundaries are counted, whatever lies between",
        DATEDIFF,
    ),
    value(
        "DATEDIFF(week, '2005-12-31 23:59:59.999999', '2006-01-01')",
        1,
        "weeks begin on Sunday, whatever DATEFIRST says",
        DATEDIFF,
    ),
    value(
        "DATEDIFF(week, '2020-01-04', '2020-01-05')",
        1,
        "weeks begin on Sunday, whatever DATEFIRST says",
        DATEDIFF,
    ),
    value(
        "DATEDIFF(quarter, '2020-03-31', '2020-04-01')",
        1,
        "DATEDIFF counts the boundaries that lie between",
        DATEDIFF,
    ),
    value(
        "DATEDIFF(hour, '2020-01-01 00:59:59', '2020-01-01 01:00:00')",
        1,
        "DATEDIFF counts the boundaries that lie between",
        DATEDIFF,
    ),
    value(
        "DATEDIFF(second, '2020-01-01 00:00:00.999', '2020-01-01 00:00:01')",
        1,
        "DATEDIFF counts the boundaries that lie between",
        DATEDIFF,
    ),
    value(
        "DATEDIFF(day, '2021-03-01', '2021-02-01')",
        -28,
        "an end before the start gives a negative number",
        DATEDIFF,
    ),
    failure(
        "DATEDIFF(second, '1900-01-01', '2020-01-01')",
        "conversion_failed",
        "beyond int is an error",
        DATEDIFF,
    ),
    value(
        "DATEDIFF_BIG(second, '1900-01-01', '2020-01-01')",
        3786825600,
        "DATEDIFF_BIG returns a bigint, which has room for it",
        DATEDIFF_BIG,
    ),
    value("DATEPART(weekday, '2007-04-21')", 7, "Saturday, as weeks begin on Sunday", DATEPART),
    value("DATEPART(week, '2020-01-05')", 2, "1 January is in week 1", DATEPART),
    value("DATEPART(iso_week, '2021-01-03')", 53, "by ISO 8601 the year before", DATEPART),
    value(
        "DATEPART(microsecond, '00:00:01.123456')",
        123456,
        "the fraction of a second, counted in microseconds",
        DATEPART,
    ),
    value("DATEPART(year, '12:10:30.123')", 1900, "a time alone is of 1900-01-01", DATEPART),
    value("DATEPART(minute, CAST('12:10' AS TIME))", 10, "a part of a time of day", DATEPART),
    Case(
        "DATEPART of what the type has not",
        "a part that the type of a value lacks is an error",
        DATEPART,
        "SELECT DATEPART(year, CAST('12:10' AS TIME)) AS x",
        error="unsupported_by_engine",
    ),
    value("YEAR('20200304 05:06')", 2020, "the part of a date in a text", YEAR),
    value("YEAR(0)", 1900, "a number is days from 1900 on", YEAR),
    value(
        "DATETRUNC(minute, '1998-03-04 10:10:05')",
        datetime(1998, 3, 4, 10, 10),
        "a text is a DATETIME2",
        DATETRUNC,
    ),
    value(
        "DATETRUNC(yyyy, CONVERT(DATE, '2021-12-1'))",
        date(2021, 1, 1),
        "the result has the type of the date given",
        DATETRUNC,
    ),
    value(
        "DATETRUNC(millisecond, CAST('2020-02-02 02:02:02.002' AS DATETIME))",
        datetime(2020, 2, 2, 2, 2, 2, 3000),
        "DATETIME is as precise as it is kept",
        DATETRUNC,
    ),
    value("EOMONTH('2020-02-03')", date(2020, 2, 29), "the last day of the month", EOMONTH),
    value("EOMONTH('2020-01-31', 1)", date(2020, 2, 29), "a second argument adds months", EOMONTH),
    value(
        "EOMONTH('2020-01-31', -1)",
        date(2019, 12, 31),
        "a negative second argument goes back",
        EOMONTH,
    ),
    value("DATEDIFF(day, GETDATE(), GETDATE() + 30)", 30, "+ adds days to a DATETIME", GETDATE),
    value(
        "DATEDIFF(day, CURRENT_DATE, CAST(GETDATE() AS DATE))",
        0,
        "CURRENT_DATE is the date of GETDATE()",
        CURRENT_DATE,
    ),
)
