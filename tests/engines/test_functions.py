"""Functions whose values no case of `semantics` states yet, and the bounds of our own engine."""

from collections.abc import Callable
from typing import Any

import pytest

from moviegraph.engines.base import ResultSet
from moviegraph.errors import ExecutionError

Run = Callable[..., ResultSet]
VALUES = "SELECT {} AS x"

EXPRESSIONS: list[Any] = [
    ("IIF('abc' = 'ABC  ', 1, 0)", 1),
    ("IIF('abc  ' IN ('x', 'abc'), 1, 0)", 1),
    ("CHARINDEX('', 'abc')", 0),
    ("CAST('' AS INT)", 0),
    ("CAST(1.0 / 3 AS NVARCHAR(8))", "0.333333"),
    ("JSON_VALUE('{\"a\": {\"b\": 1}}', '$.a.b')", "1"),
    ("JSON_VALUE('{\"a\": {\"b\": 1}}', '$.a')", None),
    ("JSON_QUERY('{\"a\": {\"b\":1}}', '$.a')", '{"b":1}'),
    # ISJSON: without a type it "tests whether the input is a valid JSON object or array".
    ("ISJSON('{')", 0),
    ("ISJSON('5')", 0),
    ("ISJSON(' [1]')", 1),
    ("ISJSON(NULL)", None),
]

BEYOND: list[Any] = [
    pytest.param("FORMAT(m.Id, m.Name)", "computed pattern", id="computed pattern of FORMAT"),
    pytest.param("FORMAT(m.Id, '0.0E+0')", "0.0E+0", id="exponent in a pattern"),
    pytest.param("FORMAT(GETDATE(), 'd', 'fr-fr')", "fr-fr", id="culture"),
    pytest.param("CONVERT(VARCHAR(30), GETDATE(), 130)", "130", id="Hijri calendar"),
    pytest.param("CAST('2020-01-01' AS DATETIMEOFFSET)", "DATETIMEOFFSET", id="offset"),
    pytest.param("CAST(CAST('2020-01-01' AS DATE) AS INT)", "DATEDIFF", id="date as number"),
    pytest.param("DATEADD(hour, 1, CAST('2020-01-01' AS DATE))", "hour", id="hour of a date"),
    pytest.param("REGEXP_COUNT(m.Name, m.Name)", "literal pattern", id="computed expression"),
    pytest.param("PATINDEX('%[' + m.Name + ']%', 'x')", "computed pattern", id="computed class"),
    pytest.param("'a' + CHAR(0) + 'b'", "NUL", id="NUL"),
    pytest.param("NCHAR(m.Id - m.Id)", "NUL", id="computed NUL"),
    pytest.param("NCHAR(55357)", "half of a surrogate pair", id="half a character"),
    pytest.param(
        "TRY_CAST('9999-12-31 23:59:59.9' AS DATETIME2(0))",
        "past the last value",
        id="rounds beyond",
    ),
    pytest.param("JSON_VALUE('[1]', NULL)", "NULL JSON path", id="no path"),
]


FAILURES: list[Any] = [
    (
        "DATEADD(year, 9000, '2024-01-01')",
        "Adding a value to a 'datetime' column caused an overflow.",
        "9999",
    ),
    (
        "DATEADD(year, 9000, CAST('2024-01-01' AS DATE))",
        "Adding a value to a 'date' column caused an overflow.",
        "9999",
    ),
    ("DATEADD(day, 2147483647, CAST('2024-01-01' AS DATE))", "caused an overflow.", "9999"),
    (
        "DATEFROMPARTS(2023, 2, 29)",
        "Cannot construct data type date, some of the arguments have values which are not valid.",
        "EOMONTH",
    ),
    ("CAST('2023-02-29' AS DATE)", "date and/or time", "TRY_CAST"),
    *(
        (expression, "converting the nvarchar value 'a' to data type float", "TRY_CAST")
        for expression in ("LOG('a')", "LOG(10, 'a')", "LOG10('a')", "SQRT('a')")
    ),
    *(
        (f"{before}CAST('1700-01-01' AS DATE){after}", "a date to the data type datetime", "1753")
        for before, after in (
            ("CAST(", " AS DATETIME)"),
            ("CASE WHEN GETDATE() > ", " THEN 1 END"),
        )
    ),
    (  # the text of a value says nothing of the error
        "CAST('3 out of range; division by zero' AS INT)",
        "converting the nvarchar value '3 out of range; division by zero' to data type int",
        "TRY_CAST",
    ),
]

MOMENTS = (
    *(
        "2024-03-05",
        "2024-3-5 4:05",
        "2024/03/05T10:00",
        "2024-03-05T10:00:00.5Z",
        "20240305 10:00",
    ),
    *(
        "960415",
        "960415 10:00",
        "3/4/50 1:02 pm",
        "03-04-2024 13:59:59.1234567",
        "0000-01-01",
        "2024",
    ),
    *("15 Apr 96", "Apr 15, 96", "15 April,04", "Apr  5 2024  2:07PM", "2024 March", "15 1996 apr"),
    *("Mar 5", "5 Mar", "Apr 15 996", "Febr 5 2024", "Sept 5 2024", "29 Feb 2023", "Apr5 2024"),
    *("24:00", "2024-12-31 24:00", "23:60", "23:59:60", "10:00:00:5", "10:00:00:123AM", "12 AM"),
    *(
        "0:30 PM",
        "13:30 AM",
        "13:30 PM",
        "4PM",
        "04 ",
        "",
        "  ",
        "2024-03-05\t",
        "\n2024-03-05  10:00",
    ),
    *("\t04 15 1996", "2024-03-05 10:00 +12:15", "2024-13-01", "20240230", "x", "2024-03-05 x"),
)


@pytest.mark.parametrize("kind", ["DATE", "DATETIME", "DATETIME2"])
@pytest.mark.parametrize("arguments", [MOMENTS[at : at + 6] for at in range(0, len(MOMENTS), 6)])
def test_a_moment_is_read_from_a_column_as_from_a_literal(
    run: Run, kind: str, arguments: tuple[str, ...]
) -> None:
    rows = ", ".join(f"({at}, '{moment}')" for at, moment in enumerate(arguments))
    literals = ", ".join(
        f"TRY_CAST('{moment}' AS {kind}) AS m{at}" for at, moment in enumerate(arguments)
    )

    column = run(
        f"SELECT TRY_CAST(v.x AS {kind}) AS m FROM (VALUES {rows}) AS v(n, x) ORDER BY v.n"
    )

    assert [row[0] for row in column.rows] == list(run(f"SELECT {literals}").rows[0])


@pytest.mark.parametrize(
    ("expression", "message", "cure"), [pytest.param(*case, id=case[0]) for case in FAILURES]
)
def test_a_failure_is_reported_as_sql_server_reports_it(
    run: Run, expression: str, message: str, cure: str
) -> None:
    with pytest.raises(ExecutionError) as failed:
        run(f"SELECT {expression} AS x")

    assert failed.value.code == "conversion_failed"
    assert message in failed.value.message
    assert cure in str(failed.value.hint)


@pytest.mark.parametrize(
    ("expression", "value"), [pytest.param(*case, id=case[0]) for case in EXPRESSIONS]
)
def test_a_function_gives_the_value_of_sql_server(run: Run, expression: str, value: Any) -> None:
    assert run(VALUES.format(expression)).rows == [(value,)]


@pytest.mark.parametrize(("expression", "function_name"), BEYOND)
def test_what_cannot_be_reproduced_is_refused_by_name(
    run: Run, expression: str, function_name: str
) -> None:
    with pytest.raises(ExecutionError) as refused:
        run(f"SELECT {expression} AS x FROM Movie AS m")
    message = f"{refused.value} {refused.value.hint}"
    assert refused.value.code == "unsupported_by_engine"
    assert function_name in message


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("REGEXP_REPLACE(REPLICATE('a', 8000), 'a', REPLICATE('b', 99))", id="text"),
        pytest.param("REGEXP_COUNT(m.Name, '(a{900}){900}')", id="repetition"),
        pytest.param("REGEXP_COUNT(m.Name, '(')", id="syntax"),
    ],
)
def test_a_regular_expression_beyond_the_bounds_is_a_clean_error(run: Run, expression: str) -> None:
    with pytest.raises(ExecutionError) as refused:
        run(f"SELECT {expression} AS x FROM Movie AS m")
    assert refused.value.code in ("unsupported_by_engine", "execution_failed")
    assert "failed while it ran" not in str(refused.value)


def test_nested_functions_that_name_a_value_often_stay_small(run: Run) -> None:
    nested = "m.Name"
    for _ in range(8):
        nested = f"STUFF(REPLACE({nested}, m.Name, 'Smith'), 1, m.Id, 'x')"
    assert len(run(f"SELECT {nested} AS x FROM Movie AS m").rows) == 8
