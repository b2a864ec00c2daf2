"""Moments made of numbers and read from text, and what a type can hold of them."""

from datetime import date, datetime, time

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
TYPES = "t-sql/data-types/"
ISDATE = FUNCTIONS + "isdate-transact-sql"
DATEFROMPARTS = FUNCTIONS + "datefromparts-transact-sql"
DATETIMEFROMPARTS = FUNCTIONS + "datetimefromparts-transact-sql"
DATETIME2FROMPARTS = FUNCTIONS + "datetime2fromparts-transact-sql"
SMALLDATETIMEFROMPARTS = FUNCTIONS + "smalldatetimefromparts-transact-sql"
TIMEFROMPARTS = FUNCTIONS + "timefromparts-transact-sql"
DATETIME = TYPES + "datetime-transact-sql"
SMALLDATETIME = TYPES + "smalldatetime-transact-sql"
DATE = TYPES + "date-transact-sql"

CASES: tuple[Case, ...] = (
    value(
        "DATEFROMPARTS(2010, 12, 31)",
        date(2010, 12, 31),
        "year, month and day make a DATE",
        DATEFROMPARTS,
    ),
    value(
        "DATEFROMPARTS(2010.9, 12.9, 31)",
        date(2010, 12, 31),
        "a number is converted to int, and its fraction cut",
        DATEFROMPARTS,
    ),
    value(
        "DATEFROMPARTS(2010, NULL, 31)",
        None,
        "a NULL among the arguments gives NULL",
        DATEFROMPARTS,
    ),
    failure(
        "DATEFROMPARTS(2010, 13, 1)",
        "conversion_failed",
        "arguments that make no valid date are an error",
        DATEFROMPARTS,
    ),
    value(
        "DATETIMEFROMPARTS(2010, 12, 31, 23, 59, 59, 0)",
        datetime(2010, 12, 31, 23, 59, 59),
        "a moment of numbers, the last of them milliseconds",
        DATETIMEFROMPARTS,
    ),
    value(
        "DATETIME2FROMPARTS(2011, 8, 15, 14, 23, 44, 50, 2)",
        datetime(2011, 8, 15, 14, 23, 44, 500000),
        "the precision says what the fractions count",
        DATETIME2FROMPARTS,
    ),
    failure(
        "DATETIME2FROMPARTS(2011, 8, 15, 14, 23, 44, 5, 0)",
        "conversion_failed",
        "with a precision of 0 there are no fractions",
        DATETIME2FROMPARTS,
    ),
    value(
        "SMALLDATETIMEFROMPARTS(2010, 12, 31, 23, 59)",
        datetime(2010, 12, 31, 23, 59),
        "a moment of numbers, to the minute",
        SMALLDATETIMEFROMPARTS,
    ),
    value(
        "TIMEFROMPARTS(23, 59, 59, 0, 0)",
        time(23, 59, 59),
        "hour, minute, second, fractions, and what the fractions count",
        TIMEFROMPARTS,
    ),
    value(
        "TIMEFROMPARTS(14, 23, 44, 5, 1)",
        time(14, 23, 44, 500000),
        "with a precision of 1 the fractions are tenths of a second",
        TIMEFROMPARTS,
    ),
    failure(
        "TIMEFROMPARTS(24, 0, 0, 0, 0)",
        "conversion_failed",
        "arguments that make no valid time are an error",
        TIMEFROMPARTS,
    ),
    value(
        "ISDATE('2009-05-12 10:19:41.177')",
        1,
        "ISDATE is 1 for a text that is a valid DATETIME",
        ISDATE,
    ),
    value("ISDATE('04/15/2008')", 1, "the language us_english reads month, day, year", ISDATE),
    value("ISDATE('04.15.2008')", 1, "the language us_english reads month, day, year", ISDATE),
    value("ISDATE('15/04/2008')", 0, "there is no month 15", ISDATE),
    value("ISDATE('2008/15/04')", 0, "there is no month 15", ISDATE),
    value("ISDATE('2008/04/15')", 1, "with the year in front month and day follow", ISDATE),
    value("ISDATE('1995-10-1a')", 0, "a valid date mixed with something else is none", ISDATE),
    value("ISDATE('2009-05-12 10:19:41.1770')", 0, "more than three digits of a second", ISDATE),
    value("ISDATE('1600-01-01')", 0, "before 1753 there is no DATETIME", ISDATE),
    value("ISDATE(NULL)", 0, "ISDATE of NULL is 0", ISDATE),
    value(
        "CAST('01/01/98 23:59:59.999' AS DATETIME)",
        datetime(1998, 1, 2),
        "a DATETIME is rounded to .000, .003 or .007 seconds",
        DATETIME,
    ),
    value(
        "CAST('01/01/98 23:59:59.995' AS DATETIME)",
        datetime(1998, 1, 1, 23, 59, 59, 997000),
        "rounded to .000, .003 or .007",
        DATETIME,
    ),
    value(
        "CAST('01/01/98 23:59:59.992' AS DATETIME)",
        datetime(1998, 1, 1, 23, 59, 59, 993000),
        "rounded to .000, .003 or .007",
        DATETIME,
    ),
    value(
        "CAST('01/01/98 23:59:59.990' AS DATETIME)",
        datetime(1998, 1, 1, 23, 59, 59, 990000),
        "rounded to .000, .003 or .007",
        DATETIME,
    ),
    failure(
        "CAST('1752-12-31' AS DATETIME)",
        "conversion_failed",
        "the range of DATETIME begins on 1 January 1753",
        DATETIME,
    ),
    value(
        "CAST(CAST('12:10:05.123' AS TIME) AS DATETIME)",
        datetime(1900, 1, 1, 12, 10, 5, 123000),
        "a time of day is of 1900-01-01",
        DATETIME,
    ),
    value(
        "CAST('April 15, 1996' AS DATE)",
        date(1996, 4, 15),
        "a month may be named, in full or with three letters",
        DATETIME,
    ),
    value(
        "CAST('15 Apr 1996' AS DATE)",
        date(1996, 4, 15),
        "a month may be named, in full or with three letters",
        DATETIME,
    ),
    value("CAST('Apr 1996' AS DATE)", date(1996, 4, 1), "without a day the first", DATETIME),
    value(
        "CAST('4/15/1996 4:30 PM' AS DATETIME2)",
        datetime(1996, 4, 15, 16, 30),
        "a time of twelve hours has AM or PM behind it",
        DATETIME,
    ),
    value(
        "CAST('2004-05-23T14:25:10.487' AS DATETIME)",
        datetime(2004, 5, 23, 14, 25, 10, 487000),
        "ISO 8601 is read in every language",
        DATETIME,
    ),
    value(
        "CAST('2007-05-08 12:35:29.123' AS SMALLDATETIME)",
        datetime(2007, 5, 8, 12, 35),
        "29.998 seconds or less are cut",
        SMALLDATETIME,
    ),
    value(
        "CAST('2007-05-08 12:35:30' AS SMALLDATETIME)",
        datetime(2007, 5, 8, 12, 36),
        "29.999 seconds or more make a minute",
        SMALLDATETIME,
    ),
    value(
        "CAST('2007-05-08 12:35:29.123 +12:15' AS DATE)",
        date(2007, 5, 8),
        "a DATE takes the day that is written and drops time and offset",
        DATE,
    ),
    Case(
        "texts that are read as dates",
        "month, day, year; a year in front; no separator; two digits up to 49 are of this century",
        DATETIME,
        "SELECT CAST(v.x AS DATE) AS d FROM (VALUES (1, '03/04/2020'), (2, '2020-3-4'), "
        "(3, '20200304 05:06'), (4, '3-4-49'), (5, '3.4.50'), (6, 'March 4, 2020'), (7, '2020')) "
        "AS v(n, x) ORDER BY v.n",
        (
            *(((date(2020, 3, 4)),),) * 3,
            (date(2049, 3, 4),),
            (date(1950, 3, 4),),
            (date(2020, 3, 4),),
            (date(2020, 1, 1),),
        ),
    ),
)
