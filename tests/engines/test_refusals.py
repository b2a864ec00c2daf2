"""Forms that only SQL Server runs: refused by name here, allowed by the guard, and documented."""

import re
from collections.abc import Callable

import pytest

from moviegraph.contract.model import Contract
from moviegraph.engines.base import ResultSet
from moviegraph.engines.duckdb.expressions import MACRO_PREFIX, MACROS
from moviegraph.engines.duckdb.refusals import FUNCTIONS
from moviegraph.errors import ExecutionError
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.functions import FUNCTIONS as GUARD_FUNCTIONS
from moviegraph.sql.guard import judge

Run = Callable[..., ResultSet]
CALLS = {
    "SOUNDEX": "m.Name",
    "DIFFERENCE": "m.Name, 'Alien'",
    "ATN2": "1, 2",
    "GET_BIT": "m.Id, 1",
    "SET_BIT": "m.Id, 1",
    "LEFT_SHIFT": "m.Id, 1",
    "RIGHT_SHIFT": "m.Id, 1",
    "DATETIMEFROMPARTS": "2024, 1, 2, 3, 4, 5, 6",
    "DATETIME2FROMPARTS": "2024, 1, 2, 3, 4, 5, 6, 7",
    "SMALLDATETIMEFROMPARTS": "2024, 1, 2, 3, 4",
    "TIMEFROMPARTS": "3, 4, 5, 6, 7",
    "SYSDATETIMEOFFSET": "",
    "DATETIMEOFFSETFROMPARTS": "2024, 1, 2, 3, 4, 5, 6, 7, 0, 0",
    "SWITCHOFFSET": "SYSDATETIMEOFFSET(), '+01:00'",
    "TODATETIMEOFFSET": "SYSDATETIME(), '+01:00'",
    "DATE_BUCKET": "year, 10, GETDATE()",
    "STRING_ESCAPE": "m.Name, 'json'",
    "REGEXP_INSTR": "m.Name, 'a'",
    "JSON_MODIFY": "'{}', '$.a', 1",
    "JSON_PATH_EXISTS": "'{}', '$.a'",
    "ISDATE": "m.Name",
    "ISNUMERIC": "m.Name",
    "DATALENGTH": "m.Name",
    "QUOTENAME": "m.Name",
    "UNISTR": "N'a'",
}
FORMS = (
    "FORMAT(m.Id, '0;(0)')",
    "FORMAT(m.Id, 'N0', 'de-DE')",
    "CONVERT(VARCHAR(30), GETDATE(), 9)",
    "CONVERT(VARCHAR(30), CAST(m.Id AS FLOAT), 2)",
    "DATEPART(microsecond, GETDATE())",
    "PATINDEX(m.Name, m.Name)",
    "TRANSLATE(m.Name, m.Name, m.Name)",
    "TRIM('a' FROM m.Name)",
    "REGEXP_COUNT(m.Name, m.Name)",
    "CAST(GETDATE() AS DATETIMEOFFSET)",
    "CAST(GETDATE() AS TIME)",
    "CAST(GETDATE() AS SMALLDATETIME)",
    "CAST(m.Id AS MONEY)",
    "CAST(GETDATE() AS INT)",
    "ROUND(1.5, m.Id)",
    "REGEXP_REPLACE(m.Name, '(a)', '[\\1]')",
    "JSON_VALUE('{}', 'strict $.a')",
    "CASE WHEN 'a ' LIKE 'a' THEN 1 END",
    "LEN(CONCAT(REPLICATE('a', 8000), m.Name))",
)


def _allowed(sql: str, contract: Contract) -> str:
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed), decision
    return sql


@pytest.mark.parametrize("name", [name for function in FUNCTIONS for name in function.functions])
def test_a_refused_function_is_named_with_what_to_write_instead(
    run: Run, contract: Contract, name: str
) -> None:
    arguments = CALLS.get(name, "1.5" if name not in ("BIT_COUNT", "STR") else "m.Id")
    sql = _allowed(f"SELECT {name}({arguments}) AS x FROM Movie AS m", contract)
    with pytest.raises(ExecutionError) as refused:
        run(sql)
    assert refused.value.code == "unsupported_by_engine"
    assert name in refused.value.message or "SYSDATETIMEOFFSET" in refused.value.message
    assert refused.value.hint in [function.instead for function in FUNCTIONS]


@pytest.mark.parametrize("expression", FORMS)
def test_a_refused_form_is_reported_with_a_hint(
    run: Run, contract: Contract, expression: str
) -> None:
    sql = _allowed(f"SELECT {expression} AS x FROM Movie AS m", contract)
    with pytest.raises(ExecutionError) as refused:
        run(sql)
    assert refused.value.code == "unsupported_by_engine"
    assert refused.value.hint


def test_for_json_auto_over_several_tables_is_refused(run: Run) -> None:
    sql = (
        "SELECT m.Name, g.Name AS Genre FROM Movie AS m, IN_GENRE AS i, Genre AS g "
        "WHERE MATCH(m-(i)->g) FOR JSON AUTO"
    )
    with pytest.raises(ExecutionError, match="FOR JSON AUTO over several tables"):
        run(sql)


@pytest.mark.parametrize("form", ["{}('x')", "[{}]('x')", "dbo.{}('x')", "main.{}('x')", "{}"])
def test_callers_cannot_name_a_macro(contract: Contract, form: str) -> None:
    names = re.findall(r"^CREATE MACRO (\w+)", MACROS.read_text("utf-8"), re.MULTILINE)
    assert len(names) > 20
    for name in names:
        assert name.startswith(MACRO_PREFIX)
        for spelling in (name, name.upper()):
            sql = f"SELECT {form.format(spelling)} AS x FROM Movie AS m"
            assert isinstance(judge(sql, contract), Refused), sql
            assert isinstance(judge(f"SELECT x FROM {form.format(spelling)}", contract), Refused)


def test_no_function_of_the_guard_has_the_prefix_of_macros() -> None:
    assert not [name for name in GUARD_FUNCTIONS if name.lower().startswith(MACRO_PREFIX)]
