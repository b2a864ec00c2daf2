"""Functions outside the dialect, and forms that only SQL Server runs: refused by name."""

import re
from collections.abc import Callable

import pytest

from moviegraph.contract.model import Contract
from moviegraph.engines.base import ResultSet
from moviegraph.engines.duckdb.aggregates import AGGREGATES
from moviegraph.engines.duckdb.plan import MACRO_PREFIX, MACROS
from moviegraph.engines.duckdb.scalar_functions import SCALARS
from moviegraph.errors import ExecutionError
from moviegraph.sql.decision import Allowed, Refused
from moviegraph.sql.functions import FUNCTIONS as GUARD_FUNCTIONS
from moviegraph.sql.functions import PERCENTILES, RARE_FUNCTIONS
from moviegraph.sql.guard import judge

Run = Callable[..., ResultSet]
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


@pytest.mark.parametrize("name", RARE_FUNCTIONS)
def test_a_rare_function_is_refused_with_what_to_write_instead(
    contract: Contract, name: str
) -> None:
    for sql in (f"SELECT {name}(m.Name, 1) AS x FROM Movie AS m", f"SELECT x FROM {name}(1) AS s"):
        decision = judge(sql, contract)
        assert isinstance(decision, Refused), sql
        assert decision.code == "not_allowed"
        assert RARE_FUNCTIONS[name] in decision.message


def test_every_function_that_the_guard_allows_has_a_translation() -> None:
    translated = {*SCALARS, *AGGREGATES, "VECTOR_DISTANCE"}
    allowed = {f.name for f in GUARD_FUNCTIONS.values() if f.kind not in ("table", "predicate")}
    assert allowed - translated <= set(PERCENTILES)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT TOP (5) WITH APPROXIMATE m.Id FROM Movie AS m",
        "SELECT m.Id FROM Movie AS m ORDER BY m.Id OFFSET 0 ROWS FETCH APPROX NEXT 5 ROWS ONLY",
        "SELECT m.Id FROM VECTOR_SEARCH(TABLE = Movie AS m, COLUMN = Embedding, SIMILAR_TO = @q)",
    ],
)
def test_an_approximate_search_is_refused_with_an_exact_one(contract: Contract, sql: str) -> None:
    decision = judge(sql, contract)
    assert isinstance(decision, Refused)
    assert decision.code == "not_allowed"
    assert "VECTOR_DISTANCE('cosine', x.Embedding, @q)" in decision.message


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
