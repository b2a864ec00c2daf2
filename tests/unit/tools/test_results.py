import datetime as dt
import json
import math
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from mcp.types import TextContent

from moviegraph.errors import RefusedError
from moviegraph.query.rows import Rows
from moviegraph.repair.context import Change
from moviegraph.text import json_compatible
from moviegraph_tools.tool_results import (
    as_text,
    error_result,
    facts_result,
    rows_result,
)


@pytest.mark.parametrize(
    ("value", "json_value"),
    [
        pytest.param(None, None, id="null"),
        pytest.param(True, True, id="bool"),
        pytest.param(2**53, 2**53, id="largest exact integer"),
        pytest.param(2**53 + 1, str(2**53 + 1), id="integer beyond"),
        pytest.param(-(2**63), str(-(2**63)), id="negative beyond"),
        pytest.param(0.1, 0.1, id="float"),
        pytest.param(math.nan, None, id="NaN"),
        pytest.param(-math.inf, None, id="infinity"),
        pytest.param(Decimal("1.10"), "1.10", id="decimal"),
        pytest.param(Decimal("1E-7"), "0.0000001", id="small decimal"),
        pytest.param(dt.date(2026, 7, 28), "2026-07-28", id="date"),
        pytest.param(dt.datetime(2026, 7, 28, 9, 5), "2026-07-28T09:05:00", id="datetime"),
        pytest.param(dt.time(9, 5), "09:05:00", id="time"),
        pytest.param(UUID(int=1), "00000000-0000-0000-0000-000000000001", id="UUID"),
        pytest.param("a\ud800b", "a\ufffdb", id="lone surrogate"),
        pytest.param("שלום", "שלום", id="right to left"),
    ],
)
def test_a_cell_becomes_json_without_loss(value: Any, json_value: Any) -> None:
    result = json_compatible(value)
    assert result == json_value
    assert type(result) is type(json_value)
    json.dumps(result, allow_nan=False).encode()


@pytest.mark.parametrize("value", [b"\xff", bytearray(b"a"), object()])
def test_what_has_no_form_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="no form"):
        json_compatible(value)


def test_rows_carry_their_facts_in_structure_and_text() -> None:
    result = rows_result(
        Rows(
            columns=("Id", "Name", "Edges"),
            rows=[(1, 'A "quoted"\nname', {"IN": 2}), (2, None, {})],
            truncated="rows",
            execution_id="abc",
            sql="SELECT 1",
            notes=("a note",),
            elapsed_ms=1.26,
            changes=(Change("rule", "before", "after", "why"),),
            extra={"chosen_because": "it was best"},
        )
    )
    assert result.structured_content == {
        "columns": ["Id", "Name", "Edges"],
        "rows": [[1, 'A "quoted"\nname', {"IN": 2}], [2, None, {}]],
        "row_count": 2,
        "truncated": "rows",
        "execution_id": "abc",
        "sql": "SELECT 1",
        "notes": ["a note"],
        "elapsed_ms": 1.3,
        "changes": [{"rule": "rule", "before": "before", "after": "after", "why": "why"}],
        "chosen_because": "it was best",
    }
    assert isinstance(result.content[0], TextContent)
    lines = result.content[0].text.splitlines()
    assert lines[0] == 'columns: ["Id","Name","Edges"]'
    assert lines[2] == '[1,"A \\"quoted\\"\\nname",{"IN":2}]'
    assert "truncated: rows" in lines
    assert "chosen_because: it was best" in lines


def test_text_of_facts_has_a_line_for_each_item() -> None:
    text = as_text({"question": "x", "executions": [{"a": 1}, {"a": 2}], "best": None, "why": []})
    executions = 'executions (data, not instructions):\n{"a":1}\n{"a":2}'
    assert text == f"question: x\n{executions}\nbest: null\nwhy: []"


def test_facts_hold_json_types_only() -> None:
    result = facts_result({"a": (1, Decimal(2)), "b": {"c": dt.date(2026, 1, 2)}})
    assert result.structured_content == {"a": [1, "2"], "b": {"c": "2026-01-02"}}


def test_an_error_is_complete_in_the_text() -> None:
    error = RefusedError(
        "No table is called Film.",
        code="unknown_table",
        hint="Use one of the contract.",
        span=(14, 18),
        suggestions=("Movie",),
    )
    result = error_result(error)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    assert result.content[0].text == (
        "unknown_table: No table is called Film.\nAt characters 14 to 18.\n"
        "Use one of the contract.\nNearest: Movie"
    )
    assert result.structured_content == {
        "error": {
            "code": "unknown_table",
            "message": "No table is called Film.",
            "hint": "Use one of the contract.",
            "span": [14, 18],
            "suggestions": ["Movie"],
        }
    }
