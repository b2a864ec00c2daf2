import json
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from fakes.limits import budget

from moviegraph.contract.loader import load_contract
from moviegraph.engines.base import Budget, Statement
from moviegraph.engines.sqlserver.batch import (
    batch,
    describing,
    result,
    unicode_literals,
    vector_text,
)
from moviegraph.engines.sqlserver.execution import RunningStatement
from moviegraph.errors import ResultTooLargeError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

NEAREST = "SELECT TOP 3 m.Id FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
PLAIN_SELECT = "SELECT TOP 3 m.Id, m.Name FROM Movie AS m"
DOCUMENT = "SELECT TOP 3 m.Id, m.Name FROM Movie AS m FOR JSON PATH"
VECTOR = np.linspace(-1, 1, 384, dtype=np.float32)


def statement(sql: str, *, vector: bool = False) -> Statement:
    decision = judge(sql, load_contract())
    assert isinstance(decision, Allowed)
    return Statement(decision, VECTOR if vector else None)


class Cursor:
    """Answers any batch with these rows, and then with the following results."""

    def __init__(self, rows: list[tuple[Any, ...]], behind: list[Callable[[], bool]] | None = None):
        self.description = [("column",)]
        self.fetched = 0
        self._rows = rows
        self._behind = behind or []

    def execute(self, *_: Any) -> None:
        return None

    def fetchmany(self, count: int) -> list[tuple[Any, ...]]:
        rows = self._rows[self.fetched : self.fetched + count]
        self.fetched += len(rows)
        return rows

    def nextset(self) -> bool:
        return self._behind.pop(0)() if self._behind else False


def batch_result(
    stored_rows: list[tuple[Any, ...]],
    sql: str = PLAIN_SELECT,
    behind: list[Callable[[], bool]] | None = None,
    **changes: Any,
) -> Any:
    cursor = Cursor(stored_rows, behind)
    translation = result(cast("Any", cursor), statement(sql), budget(**changes), RunningStatement())
    return cursor, translation


def test_the_vector_travels_as_the_only_parameter_through_nvarchar_max() -> None:
    sent_batch = batch(statement(NEAREST, vector=True), budget())
    declared = "DECLARE @q VECTOR(384) = CAST(CAST(? AS NVARCHAR(MAX)) AS VECTOR(384));"
    assert declared in sent_batch.text
    assert sent_batch.text.count("?") == 1
    assert sent_batch.text.startswith("SET NOCOUNT ON;")
    assert len(sent_batch.parameters) == 1


def test_a_statement_without_a_vector_has_no_parameter() -> None:
    sent_batch = batch(statement(PLAIN_SELECT), budget())
    assert (sent_batch.parameters, "DECLARE" in sent_batch.text) == ((), False)


def test_a_vector_reads_back_as_the_same_numbers() -> None:
    back = np.array(json.loads(vector_text(VECTOR)), dtype=np.float32)
    assert back.tobytes() == VECTOR.tobytes()


@pytest.mark.parametrize(
    ("sql", "budget", "size"),
    [
        pytest.param(PLAIN_SELECT, budget(cell=99), 400, id="a cell and one character"),
        pytest.param(DOCUMENT, budget(cell=9, bytes=999), 4_000, id="a document as a whole"),
        pytest.param(PLAIN_SELECT, budget(cell=2**40), 2**31 - 1, id="as much as there is"),
    ],
)
def test_the_server_sends_no_more_of_a_text_than_the_budget_needs(
    sql: str, budget: Budget, size: int
) -> None:
    assert f"SET TEXTSIZE {size};" in batch(statement(sql), budget).text


def test_describing_declares_q_and_passes_the_statement_as_a_parameter() -> None:
    sent_batch = describing(statement(NEAREST), 384)
    assert "sp_describe_first_result_set" in sent_batch.text
    assert "N'@q VECTOR(384)'" in sent_batch.text
    assert sent_batch.parameters == (statement(NEAREST).allowed.sql,)
    assert "@params = NULL" in describing(statement(PLAIN_SELECT), 384).text


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param("SELECT 'caf\u00e9'", "SELECT N'caf\u00e9'", id="marked"),
        pytest.param("SELECT N'caf\u00e9'", "SELECT N'caf\u00e9'", id="marked already"),
        pytest.param("SELECT 'cafe'", "SELECT 'cafe'", id="plain"),
        pytest.param("SELECT 'a''\u00e9', 'b'", "SELECT N'a''\u00e9', 'b'", id="doubled quote"),
        pytest.param("SELECT 1 AS [it's \u00e9]", "SELECT 1 AS [it's \u00e9]", id="name"),
    ],
)
def test_literals_beyond_ascii_are_unicode(sql: str, expected: str) -> None:
    assert unicode_literals(sql) == expected


def test_rows_are_read_to_the_end_and_so_is_what_follows() -> None:
    drained: list[int] = []

    def another() -> bool:
        drained.append(1)
        return True

    _, outcome = batch_result([(1, "a"), (2, None)], behind=[another, another])
    assert outcome.rows == [(1, "a"), (2, None)]
    assert (outcome.columns, outcome.truncated) == (("Id", "Name"), None)
    assert len(drained) == 2


def test_no_more_rows_are_fetched_than_the_budget_needs() -> None:
    cursor, outcome = batch_result([(at, "x") for at in range(10_000)], rows=60)
    assert (len(outcome.rows), outcome.truncated) == (60, "rows")
    assert cursor.fetched <= 100


def test_bytes_and_cells_are_bounded_as_on_the_embedded_engine() -> None:
    _, by_bytes = batch_result([(1, "x" * 50)] * 10, bytes=120)
    _, by_cells = batch_result([(1, "x" * 50)], cell=10)
    assert (len(by_bytes.rows), by_bytes.truncated) == (2, "bytes")
    assert (by_cells.rows, by_cells.truncated) == ([(1, "x" * 10)], "cells")


@pytest.mark.parametrize(
    ("pieces", "rows"),
    [
        pytest.param(['[{"a":', "1}]"], [('[{"a":1}]',)], id="joined"),
        pytest.param(['["\ud83d', '\ude00"]'], [('["\U0001f600"]',)], id="character in two parts"),
        pytest.param(['["\ud83d"]'], [('["\ufffd"]',)], id="half a character"),
        pytest.param(["ab\ud83d"], [("ab\ufffd",)], id="half a character at the end"),
        pytest.param([None], [], id="null"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_a_json_document_is_one_row_and_one_column(
    pieces: list[str | None], rows: list[tuple[str]]
) -> None:
    _, outcome = batch_result([(piece,) for piece in pieces], DOCUMENT)
    assert (outcome.columns, outcome.rows) == (("JSON",), rows)


def test_a_document_that_is_too_large_is_an_error_and_not_read_on() -> None:
    with pytest.raises(ResultTooLargeError):
        batch_result([("x" * 2_000,)] * 1_000, DOCUMENT, bytes=10_000)


def test_half_a_character_becomes_a_mark() -> None:
    _, outcome = batch_result([(1, "ab\ud83d")])
    assert outcome.rows == [(1, "ab\ufffd")]
