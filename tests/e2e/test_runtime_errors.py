"""An error of the engine tells the caller what to change, without details of the engine."""

import re

import pytest
from mcp import Client
from mcp.types import TextContent

INTERNAL = re.compile(
    r"duckdb|sqlite|fts5|numpy|sqlglot|pyodbc|odbc|traceback|site-packages|\.py\b|"
    r"(?:/|\\)(?:home|tmp|usr|var|users)\b|catalog|binder|invalid input|main\.|memory\.|macro|"
    r"candidate|0x[0-9a-f]{6}|__\w",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("CAST(r.Title AS INT)", "conversion_failed"),
        ("CAST(r.Method AS DATE)", "conversion_failed"),
        ("CONVERT(DATETIME2, r.Title)", "conversion_failed"),
        ("r.Title + r.Number", "conversion_failed"),
        ("1 / (r.Number - r.Number)", "divide_by_zero"),
        ("r.Number % (r.Number - 1)", "divide_by_zero"),
        ("r.Number * 2000000000", "conversion_failed"),
        ("CAST(r.Number * 1000 AS TINYINT)", "conversion_failed"),
        ("DATEADD(year, r.Number * 10000, '2020-01-01')", "conversion_failed"),
        ("DATEFROMPARTS(2020, r.Number + 12, 1)", "conversion_failed"),
        ("EOMONTH(r.Title)", "conversion_failed"),
        ("SQRT(-r.Number)", "conversion_failed"),
        ("LOG(r.Number - r.Number)", "conversion_failed"),
        ("EXP(r.Number * 1000)", "conversion_failed"),
        ("SUBSTRING(r.Title, 1, -r.Number)", "execution_failed"),
        ("LEFT(r.Title, -r.Number)", "execution_failed"),
        ("JSON_VALUE(r.Method, 'lax $.a[')", "execution_failed"),
        ("JSON_VALUE(r.Method, '$.a')", "conversion_failed"),
        ("(SELECT i.Name FROM Ingredient AS i)", "execution_failed"),
        ("(SELECT SUM(CAST(i.Name AS INT)) FROM Ingredient AS i)", "conversion_failed"),
    ],
)
async def test_an_error_of_the_engine_is_one_of_the_dialect(
    client: Client, expression: str, code: str
) -> None:
    sql = f"SELECT TOP 5 {expression} AS x FROM Recipe AS r"
    result = await client.call_tool("run_readonly_sql", {"sql": sql, "repair": False})

    assert result.is_error
    assert isinstance(result.structured_content, dict)
    assert result.structured_content["error"]["code"] == code
    assert isinstance(result.content[0], TextContent)
    assert not INTERNAL.search(result.content[0].text)
    assert not INTERNAL.search(str(result.structured_content))
