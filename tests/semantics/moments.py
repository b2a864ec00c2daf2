"""Dates and times from numbers and text, and the ranges of their types."""

from datetime import date, datetime, time

from semantics.case import Case, failure, value

FUNCTIONS = "t-sql/functions/"
TYPES = "t-sql/data-types/"
DATEFROMPARTS = FUNCTIONS + "datefromparts-transact-sql"
DATETIME = TYPES + "datetime-transact-sql"
SMALLDATETIME = TYPES + "smalldatetime-transact-sql"
DATE = TYPES + "date-transact-sql"
TIME = TYPES + "time-transact-sql"

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
    Case(
        "texts with the name of a month",
        "the forms with a month's name; two digits of a year up to 49 are of this century; "
        "commas may be left out",
        DATE,
        "SELECT CAST(v.x AS DATE) AS d FROM (VALUES (1, 'Apr 15, 1996'), (2, 'april 15 96'), "
        "(3, 'Apr 15,96'), (4, 'Apr 1996 15'), (5, '15 Apr 96'), (6, '15 Apr,96'), "
        "(7, '15 April, 1996'), (8, '15 1996 apr'), (9, '15 96 apr'), (10, '1996 APR 15'), "
        "(11, '1996 15 APR'), (12, 'Apr 1996'), (13, 'April, 1996'), (14, '1996 april'), "
        "(15, '15 April 49'), (16, '15 April 50')) AS v(n, x) ORDER BY v.n",
        (
            *((date(1996, 4, 15),),) * 11,
            *((date(1996, 4, 1),),) * 3,
            (date(2049, 4, 15),),
            (date(1950, 4, 15),),
        ),
    ),
    value("CAST('15 Apr 96' AS DATE)", date(1996, 4, 15), "so are literals", DATE),
    value("TRY_CAST('Apr 15 996' AS DATE)", None, "a year has two digits or four", DATE),
    Case(
        "texts with the name of a month and no year",
        "without a day the first is meant, but never without a year",
        DATE,
        "SELECT TRY_CAST(v.x AS DATE) AS d FROM (VALUES (1, 'Mar 5'), (2, '5 Mar')) AS v(n, x)",
        ((None,), (None,)),
    ),
    Case(
        "moments written with the name of a month and read again",
        "6 is dd mon yy, 7 is Mon dd, yy, 9 has milliseconds before AM or PM",
        FUNCTIONS + "cast-and-convert-transact-sql",
        "SELECT CONVERT(DATE, CONVERT(VARCHAR(30), v.x, 6), 6) AS a, "
        "CONVERT(DATE, CONVERT(VARCHAR(30), v.x, 7), 7) AS b, "
        "CONVERT(DATETIME, CONVERT(VARCHAR(30), v.x, 9), 9) AS c, "
        "CAST(CAST(v.x AS VARCHAR(30)) AS DATETIME) AS d "
        "FROM (VALUES (CAST('2024-04-05 14:07:03.123' AS DATETIME))) AS v(x)",
        (
            (
                date(2024, 4, 5),
                date(2024, 4, 5),
                datetime(2024, 4, 5, 14, 7, 3, 123000),
                datetime(2024, 4, 5, 14, 7),
            ),
        ),
    ),
    Case(
        "24:00 is no time",
        "an hour value of 24 isn't valid",
        TIME,
        "SELECT CAST(v.x AS DATETIME2) AS d FROM (VALUES ('2024-12-31 24:00')) AS v(x)",
        error="conversion_failed",
    ),
    Case(
        "hours of a half",
        "12 AM is the first hour, 0 never PM, 13 to 23 never AM",
        TIME,
        "SELECT TRY_CAST(v.x AS TIME) AS t FROM (VALUES (1, '12:30 AM'), (2, '0:30 AM'), "
        "(3, '12:30 PM'), (4, '13:30 PM'), (5, '0:30 PM'), (6, '13:30 AM'), (7, '24:00')) "
        "AS v(n, x) ORDER BY v.n",
        (
            *((time(0, 30),),) * 2,
            (time(12, 30),),
            (time(13, 30),),
            *((None,),) * 3,
        ),
    ),
    *(
        Case(
            f"what is no {kind}",
            "three digits of a second at most; in ISO 8601 each element must be specified",
            page,
            f"SELECT TRY_CAST(v.x AS {kind}) AS d FROM (VALUES (1, '2024-03-05 10:00:00.1234567'), "
            "(2, '2024-03-05T10:00'), (3, '2024-03-05T10:00:00'), (4, '2024-03-05 10:00')) "
            "AS v(n, x) ORDER BY v.n",
            ((None,), (None,), *((datetime(2024, 3, 5, 10),),) * 2),
        )
        for kind, page in (("DATETIME", DATETIME), ("SMALLDATETIME", SMALLDATETIME))
    ),
    failure(
        "CAST('2024-03-05T10:00:00+02:00' AS DATETIME)",
        "conversion_failed",
        "in ISO 8601 it ends with Z, if with a zone",
        DATETIME,
    ),
    failure(
        "CAST('2024-03-05T10:00' AS DATETIME)",
        "conversion_failed",
        "in ISO 8601 each element must be specified",
        DATETIME,
    ),
    failure(
        "IIF(CAST('2024-03-05' AS DATETIME) = '2024-03-05 00:00:00.1234567', 1, 0)",
        "conversion_failed",
        "a text beside a DATETIME becomes one",
        DATETIME,
    ),
    value(
        "CAST(CAST('12:34:54.1237' AS TIME(4)) AS TIME(3))",
        time(12, 34, 54, 124000),
        "a fraction with more digits than its TIME is rounded",
        TIME,
    ),
    value("CAST('10:00:00.5' AS TIME(0))", time(10, 0, 1), "half a second rounds up", TIME),
    value(
        "TRY_CONVERT(TIME(3), '10:00:00.56789')", time(10, 0, 0, 568000), "TRY_CONVERT too", TIME
    ),
    value(
        "CAST(CAST('2020-01-01 10:59:59.997' AS DATETIME) AS TIME(2))",
        time(11, 0),
        "the part of a moment is rounded, too",
        TIME,
    ),
    value(
        "DATEPART(millisecond, CAST('10:00:00.56789' AS TIME(2)))",
        570,
        "its parts are those of the rounded value",
        TIME,
    ),
    value(
        "IIF(CAST('10:00:00.4' AS TIME(0)) = CAST('10:00' AS TIME), 1, 0)",
        1,
        "so are comparisons",
        TIME,
    ),
    value(
        "CAST(CAST('10:00:00.9' AS TIME(0)) AS VARCHAR(20))",
        "10:00:01",
        "and its text: TIME(0) has 8 positions",
        TIME,
    ),
    Case(
        "the digits of a moment in a derived table",
        "DATETIME2(n) and TIME(n) keep their digits wherever their value goes",
        TIME,
        "SELECT CAST(d.a AS VARCHAR(30)) AS a, CAST(ISNULL(d.b, d.b) AS VARCHAR(30)) AS b "
        "FROM (SELECT CAST('2020-01-01 10:00:00.96' AS DATETIME2(1)) AS a, "
        "CAST('10:00:00.96' AS TIME(1)) AS b) AS d",
        (("2020-01-01 10:00:01.0", "10:00:01.0"),),
    ),
    value(
        "CAST('1960-01-01 10:00:00.5' AS DATETIME2(0))",
        datetime(1960, 1, 1, 10, 0, 1),
        "half a second rounds up before 1970, too",
        TYPES + "datetime2-transact-sql",
    ),
    value(
        "CAST('1960-01-01 23:59:59.995' AS DATETIME)",
        datetime(1960, 1, 1, 23, 59, 59, 997000),
        "DATETIME rounds to .000, .003 or .007 seconds",
        DATETIME,
    ),
    failure(
        "CAST(CAST('10:00' AS TIME) AS DATE)",
        "conversion_failed",
        "date is incompatible with time",
        TIME,
    ),
    failure(
        "TRY_CAST(CAST('2020-01-01' AS DATE) AS TIME)",
        "conversion_failed",
        "time is incompatible with date, and TRY_CAST does not help",
        DATE,
    ),
    failure(
        "CAST('2079-06-07' AS SMALLDATETIME)",
        "conversion_failed",
        "a SMALLDATETIME ends on 6 June 2079",
        SMALLDATETIME,
    ),
    failure("CAST('10:00' AS TIME(8))", "syntax", "the scale is an integer from 0 to 7", TIME),
    Case(
        "texts that are read as times",
        "thousandths stand behind a colon or a point, and AM or PM behind the hour or what follows",
        TIME,
        "SELECT CAST(v.x AS TIME) AS t FROM (VALUES (1, '12:30:20:1'), (2, '12:30:20.1'), "
        "(3, '01:01:01:123AM'), (4, '10 PM'), (5, '10PM'), (6, '10:30:15.25 pm'), (7, '12:01 AM')) "
        "AS v(n, x) ORDER BY v.n",
        (
            (time(12, 30, 20, 1000),),
            (time(12, 30, 20, 100000),),
            (time(1, 1, 1, 123000),),
            (time(22, 0),),
            (time(22, 0),),
            (time(22, 30, 15, 250000),),
            (time(0, 1),),
        ),
    ),
    value("CAST('01:01:01:123AM' AS TIME)", time(1, 1, 1, 123000), "so are literals", TIME),
    value(
        "CAST('2007-05-08 12:35:29:123' AS DATETIME)",
        datetime(2007, 5, 8, 12, 35, 29, 123000),
        "thousandths stand behind a colon, too",
        DATETIME,
    ),
    value(
        "ISNULL(CAST(NULL AS TIME(0)), '11:00:00.7')",
        time(11, 0, 1),
        "what replaces a NULL takes its type",
        FUNCTIONS + "isnull-transact-sql",
    ),
    value(
        "IIF(CAST('2024-01-01 10:00:00.005' AS DATETIME) = '2024-01-01 10:00:00.005', 1, 0)",
        1,
        "a text beside a DATETIME becomes one",
        DATETIME,
    ),
    value("IIF(CAST('22:30' AS TIME) = '10:30PM', 1, 0)", 1, "and one beside a TIME", TIME),
)
