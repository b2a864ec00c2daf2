"""The rows that the journal keeps are bounded, and JSON."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from moviegraph.query.query_pipeline import MAX_CELL_CHARS, MAX_ROWS_CHARS, rows_to_record


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        pytest.param(None, None, id="null"),
        pytest.param(True, True, id="bit"),
        pytest.param(7, 7, id="integer"),
        pytest.param(0.5, 0.5, id="float"),
        pytest.param(float("nan"), None, id="not a number"),
        pytest.param(float("inf"), None, id="infinity"),
        pytest.param(Decimal("1.50"), "1.50", id="decimal"),
        pytest.param(date(1999, 3, 31), "1999-03-31", id="date"),
        pytest.param("na\u00efve \U0001f3ac", "na\u00efve \U0001f3ac", id="text"),
        pytest.param("\ud800", "?", id="half a character"),
        pytest.param("x" * 5_000, "x" * MAX_CELL_CHARS + "...", id="long text"),
    ],
)
def test_a_cell_is_kept_as_json(value: Any, cell: Any) -> None:
    assert rows_to_record([(value,)]) == ((cell,),)


def test_as_many_whole_rows_are_kept_as_fit() -> None:
    rows = [(number, "y" * 700) for number in range(100)]
    result = rows_to_record(rows)
    assert 0 < len(result) < 100
    assert [row[0] for row in result] == list(range(len(result)))
    assert MAX_ROWS_CHARS - 2_000 < len(json.dumps(result)) <= MAX_ROWS_CHARS + 2 * len(result)


def test_a_first_row_that_is_too_long_is_not_kept() -> None:
    assert rows_to_record([tuple("z" * 900 for _ in range(40)), (1,)]) == ()
