"""Functions and operators of T-SQL, on every engine that is present.

Comments name the rule and its page of learn.microsoft.com, "... (Transact-SQL)".
"""

from collections.abc import Callable
from typing import Any

import pytest

from moviegraph.engines.base import ResultSet

Run = Callable[..., ResultSet]
VALUES = "SELECT {} AS x"

EXPRESSIONS: list[Any] = [
    ("LEN('abc  ')", 3),
    ("LEN(12345)", 5),
    # DATALENGTH: bytes; nchar and nvarchar: two of them a character.
    ("DATALENGTH('abc ')", 4),
    ("DATALENGTH(N'abc ')", 8),
    ("DATALENGTH(5)", 4),
    ("DATALENGTH(NULL)", None),
    ("LEFT('abc', 2)", "ab"),
    ("RIGHT('abc', 2)", "bc"),
    ("SUBSTRING('abcdef', 0, 3)", "ab"),
    ("SUBSTRING('abcdef', 2, 3)", "bcd"),
    # SUBSTRING: "If start is less than 1, the returned expression begins at the first character".
    ("SUBSTRING('abcdef', -1, 4)", "ab"),
    ("SUBSTRING('abcdef', -5, 2)", ""),
    ("SUBSTRING('abcdef', 5, 99)", "ef"),
    ("CHARINDEX('C', 'abcabc')", 3),
    ("CHARINDEX('c', 'abcabc', 4)", 6),
    ("CHARINDEX('x', 'abc')", 0),
    # CHARINDEX: a start that is negative or 0 is the beginning; NULL gives NULL.
    ("CHARINDEX('a', 'banana', -3)", 2),
    ("CHARINDEX('a', NULL)", None),
    ("CHARINDEX('', 'abc')", 0),
    ("PATINDEX('%[0-9]%', 'ab3d')", 3),
    ("PATINDEX('b%', 'abc')", 0),
    # PATINDEX: without a % at the end the pattern is that of the last characters; NULL gives NULL.
    ("PATINDEX('%abc', 'abcabc')", 4),
    ("PATINDEX('%a%', CAST(NULL AS NVARCHAR(5)))", None),
    ("REPLACE('Abcabc', 'ABC', 'x')", "xx"),
    ("REPLACE('a.b', '.', '\\1')", "a\\1b"),
    ("REPLACE('abc', '', 'x')", "abc"),
    ("STUFF('abcdef', 2, 3, 'X')", "aXef"),
    ("STUFF('abc', 9, 1, 'X')", None),
    # STUFF: NULL for a start of 0; a length of 0 inserts; one that is too long deletes to the end.
    ("STUFF('abc', 0, 1, 'X')", None),
    ("STUFF('abc', 2, 0, 'X')", "aXbc"),
    ("STUFF('abc', 2, 99, NULL)", "a"),
    ("REPLICATE('ab', 3)", "ababab"),
    ("LEN(REPLICATE('abc', 1000000))", 8000),
    ("REPLICATE('ab', -1)", None),
    ("SPACE(2) + 'x'", "  x"),
    ("CONCAT('a', NULL, 1)", "a1"),
    ("CONCAT_WS('-', 'a', NULL, 'b')", "a-b"),
    ("QUOTENAME('a]b')", "[a]]b]"),
    # CONCAT: "NULL values are implicitly converted to an empty string".
    ("CONCAT(NULL, NULL)", ""),
    ("TRANSLATE('abc', 'ab', 'xy')", "xyc"),
    # TRANSLATE: the page's own example, and a letter whose upper case is two.
    ("TRANSLATE('2*[3+4]/{7-2}', '[]{}', '()()')", "2*(3+4)/(7-2)"),
    ("TRANSLATE('Straße', 'ß', 'z')", "Straze"),
    # STR: the page's own examples; "rounds up" in the middle.
    ("STR(3.14159, 6, 2)", "  3.14"),
    ("STR(123.45, 6, 1)", " 123.5"),
    ("STR(123.45, 2, 2)", "**"),
    ("STR(FLOOR(123.45), 8, 3)", " 123.000"),
    ("STR(2.5, 1)", "3"),
    ("REVERSE('abc')", "cba"),
    ("UPPER('é') + LOWER('É')", "Éé"),
    ("TRIM('  a ') + LTRIM(' b') + RTRIM('c ')", "abc"),
    ("ASCII('A')", 65),
    ("CHAR(65)", "A"),
    ("CHAR(999)", None),
    ("NCHAR(233)", "é"),
    ("ISNUMERIC('1e5')", 1),
    ("ISNUMERIC('abc')", 0),
    ("ISNUMERIC('nan')", 0),
    ("ISNUMERIC('')", 0),
    ("STRING_ESCAPE('a\"b', 'json')", 'a\\"b'),
    ("7 / 2", 3),
    ("'6' * 7", 42),
    ("CAST(1 AS BIT) + 1", 2),
    ("IIF('abc' = 'ABC  ', 1, 0)", 1),
    ("IIF('abc  ' IN ('x', 'abc'), 1, 0)", 1),
    ("DATEDIFF(day, GETDATE(), GETDATE() + 30)", 30),
    ("1.0 / 4", 0.25),
    ("(5 & 3) | 8", 9),
    ("5 ^ 3", 6),
    ("-7 / 2", -3),
    ("7 % 3", 1),
    ("-7 % 3", -1),
    # ROUND: a third argument other than 0 cuts; negative places round before the point.
    ("ROUND(150.75, 0, 1)", 150),
    ("ROUND(150.75, 0)", 151),
    ("ROUND(748, -1)", 750),
    ("ROUND(-2.5, 0)", -3),
    # POWER: the result has the type of the first argument.
    ("POWER(2, 0.5)", 1),
    ("POWER(2, 10)", 1024),
    ("SQUARE(3)", 9.0),
    ("LOG10(1000)", 3.0),
    ("LOG(8, 2)", 3.0),
    ("CEILING(7)", 7),
    ("SIGN(-5)", -1),
    ("CAST(2.7 AS INT)", 2),
    ("CAST(-2.7 AS INT)", -2),
    ("CAST('abcdef' AS NVARCHAR(3))", "abc"),
    ("CAST(1e0 / 3 AS NVARCHAR(20))", "0.333333"),
    # CAST and CONVERT, "Truncating and rounding results": a number that does not fit is `*` in
    # varchar if it is an integer, else an error; a text with a fraction is no whole number.
    ("CAST(12345 AS VARCHAR(3))", "*"),
    ("TRY_CAST(12345 AS NVARCHAR(3))", None),
    ("CAST(1.0 / 3 AS NVARCHAR(8))", "0.333333"),
    ("CAST('abc' AS CHAR(5)) + '|'", "abc  |"),
    ("LEN(CAST(REPLICATE('a', 99) AS NVARCHAR))", 30),
    ("TRY_CAST('abc' AS INT)", None),
    ("TRY_CAST('2.7' AS INT)", None),
    ("TRY_CAST('1e3' AS INT)", None),
    ("TRY_CAST('0x10' AS INT)", None),
    ("CAST(' 12 ' AS INT)", 12),
    ("CAST('' AS INT)", 0),
    ("CAST('1e3' AS FLOAT)", 1000.0),
    ("TRY_CAST('nan' AS FLOAT)", None),
    ("TRY_CAST('1e3' AS DECIMAL(9,2))", None),
    ("CONVERT(NVARCHAR(10), CAST('20200304' AS DATE), 23)", "2020-03-04"),
    ("YEAR('20200304 05:06')", 2020),
    ("TRY_CONVERT(INT, '12')", 12),
    ("CONVERT(VARCHAR(10), CAST('2020-03-04' AS DATE), 103)", "04/03/2020"),
    ("CONVERT(NVARCHAR(30), DATEADD(day, 1, CAST('2020-02-28' AS DATE)), 23)", "2020-02-29"),
    ("YEAR(DATEADD(month, 1, '2020-12-31'))", 2021),
    # DATEADD: "If the month of the datepart has more days than the return month ... then the last
    # day of the return month"; a fraction of the number is cut.
    ("DAY(DATEADD(month, 1, '2006-08-31'))", 30),
    ("DAY(DATEADD(day, 1.9, CAST('2006-03-30' AS DATE)))", 31),
    ("DATEDIFF(year, '2020-12-31', '2021-01-01')", 1),
    # DATEDIFF: boundaries crossed, whatever lies between.
    ("DATEDIFF(hour, '2020-01-01 00:59:59', '2020-01-01 01:00:00')", 1),
    ("DATEDIFF(quarter, '2020-03-31', '2020-04-01')", 1),
    ("DATEDIFF(second, '2020-01-01 00:00:00.999', '2020-01-01 00:00:01')", 1),
    ("DATEPART(iso_week, '2021-01-03')", 53),
    ("DATEPART(millisecond, '2021-05-03 01:02:03.456')", 456),
    ("DATEDIFF(week, '2020-01-04', '2020-01-05')", 1),
    ("DATEPART(weekday, '2020-01-05')", 1),
    ("DATEPART(week, '2020-01-05')", 2),
    ("DATENAME(month, '2020-01-05')", "January"),
    ("DAY(EOMONTH('2020-02-03'))", 29),
    ("MONTH(DATEFROMPARTS(2020, 5, 6))", 5),
    ("CONVERT(VARCHAR(10), DATETRUNC(month, CAST('2020-03-04' AS DATE)), 23)", "2020-03-01"),
    ("ISDATE('2020-13-01')", 0),
    ("FORMAT(1234567.891, 'N2')", "1,234,567.89"),
    ("FORMAT(5, '000')", "005"),
    ("FORMAT(0.256, 'P1')", "25.6%"),
    ("FORMAT(CAST('2020-03-04' AS DATE), 'dd MMM yyyy')", "04 Mar 2020"),
    ("IIF(1 = 1, 'y', 'n')", "y"),
    ("CHOOSE(2, 'a', 'b')", "b"),
    ("ISNULL(NULL, 'z')", "z"),
    # ISNULL: "Returns the same type as check_expression".
    ("ISNULL(CAST(NULL AS INT), 2.7)", 2),
    ("COALESCE(NULL, NULL, 3)", 3),
    ("NULLIF('a', 'A')", None),
    ("GREATEST(1, NULL, 3)", 3),
    ("GREATEST('a', 'B')", "B"),
    ("LEAST('b', 'A')", "A"),
    ("JSON_VALUE('{\"a\": {\"b\": 1}}', '$.a.b')", "1"),
    ("JSON_VALUE('{\"a\": {\"b\": 1}}', '$.a')", None),
    ("JSON_QUERY('{\"a\": {\"b\":1}}', '$.a')", '{"b":1}'),
    # ISJSON: without a type it "tests whether the input is a valid JSON object or array".
    ("ISJSON('{')", 0),
    ("ISJSON('5')", 0),
    ("ISJSON(' [1]')", 1),
    ("ISJSON(NULL)", None),
]


@pytest.mark.parametrize(
    ("expression", "value"), [pytest.param(*case, id=case[0]) for case in EXPRESSIONS]
)
def test_a_function_gives_the_value_of_sql_server(run: Run, expression: str, value: Any) -> None:
    assert run(VALUES.format(expression)).rows == [(value,)]
