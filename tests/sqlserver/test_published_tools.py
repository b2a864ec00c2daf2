"""Values of published tools cross the wire as parameters, and never change the statement."""

from datetime import date
from typing import Any

import pytest
from fakes.limits import budget
from fakes.odbc_harness import Harness
from fakes.published import HOSTILE

from moviegraph.engines.base import Statement
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

TYPES = {"series": "int", "since": "bigint", "title": "text", "day": "date", "score": "float"}
SQL = (
    "SELECT TOP 3 m.Id FROM Movie AS m WHERE m.Id = @series AND m.ReleaseYear >= @since "
    "AND m.Name = @title AND m.ReleaseYear < @score AND m.ReleaseYear <> DATEDIFF(day, @day, @day)"
)
TEXTS = [text for text in HOSTILE if isinstance(text, str) and len(text) <= 200]
PLAIN: dict[str, Any] = {
    "series": 1, "since": 2**40, "title": "x", "day": date(2024, 5, 31), "score": 1.5,
}  # fmt: skip


def sent(harness: Harness, engine: MssqlEngine, **values: Any) -> tuple[str, list[Any]]:
    """Return the text and the values of the call that ran the statement."""
    decision = judge(SQL, harness.contract, parameters=TYPES)
    assert isinstance(decision, Allowed), decision
    before = len(harness.server.record.calls)
    engine.execute(Statement(decision, None, {**PLAIN, **values}), budget())
    (call,) = [call for call in harness.server.record.calls[before:] if call.parameters]
    return call.sql, [parameter.value for parameter in call.parameters]


def test_each_value_is_a_parameter_of_its_type(harness: Harness, engine: MssqlEngine) -> None:
    text, values = sent(harness, engine)
    for name, kind in (("series", "INT"), ("since", "BIGINT"), ("title", "NVARCHAR(200)"),
                       ("score", "FLOAT"), ("day", "DATE")):  # fmt: skip
        assert f"DECLARE @{name} {kind} = @P" in text
    assert len(values) == len(TYPES)


@pytest.mark.parametrize("value", [text for text in TEXTS if "\ud800" not in text])
def test_a_hostile_text_is_sent_beside_the_statement(
    harness: Harness, engine: MssqlEngine, value: str
) -> None:
    plain, _ = sent(harness, engine)
    text, values = sent(harness, engine, title=value)
    assert text == plain
    assert value in values
