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
    pytest.param("REGEXP_COUNT(m.Name, m.Name)", "computed pattern", id="computed expression"),
    pytest.param("PATINDEX('%[' + m.Name + ']%', 'x')", "computed pattern", id="computed class"),
    pytest.param("STR(m.Id, m.Id)", "computed width", id="computed width"),
    pytest.param("CAST('23:59:59.9' AS TIME(0))", "23:59:59.9", id="rounds up to midnight"),
    pytest.param("TRY_CAST('9999-12-31 23:59:59.9' AS DATETIME2(0))", "behind", id="rounds beyond"),
    *(
        pytest.param(f"JSON_PATH_EXISTS('[1]', '{path}')", "JSON_PATH_EXISTS", id=path)
        for path in ("$[0 to 1]", "$[0, 1]", "$[last]", "$.*", "append $", "a")
    ),
    pytest.param("JSON_VALUE('[1]', NULL)", "path that is NULL", id="no path"),
]


@pytest.mark.parametrize(
    ("expression", "value"), [pytest.param(*case, id=case[0]) for case in EXPRESSIONS]
)
def test_a_function_gives_the_value_of_sql_server(run: Run, expression: str, value: Any) -> None:
    assert run(VALUES.format(expression)).rows == [(value,)]


@pytest.mark.parametrize(("expression", "named"), BEYOND)
def test_what_cannot_be_reproduced_is_refused_by_name(
    run: Run, expression: str, named: str
) -> None:
    with pytest.raises(ExecutionError) as refused:
        run(f"SELECT {expression} AS x FROM Movie AS m")
    shown = f"{refused.value} {refused.value.hint}"
    assert refused.value.code == "unsupported_by_engine"
    assert named in shown


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


def test_nested_phonetics_stay_small(run: Run) -> None:
    """A value that a translation names often is made once."""
    nested = "m.Name"
    for _ in range(12):
        nested = f"STR(DIFFERENCE({nested}, 'Smith'), 5, 1)"
    assert len(run(f"SELECT {nested} AS x FROM Movie AS m").rows) == 8
