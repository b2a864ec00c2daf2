"""Values, bounds and parameters of statements, as they cross the wire."""

import json
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from fakes.limits import budget
from fakes.odbc_harness import Harness
from fakes.tds.record import Attention
from fakes.tds.script import Affected, Fail, Info, Rows, Step, Wait
from fakes.tds.types import (
    BIGINT,
    BIT,
    DATE,
    DATETIME2,
    FLOAT,
    INT,
    NVARCHAR,
    NVARCHAR_MAX,
    Column,
    decimal,
)

from moviegraph.engines.base import Vector
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.errors import ExecutionError, ResultTooLargeError, VectorSpaceError

NUMBERS: list[Column] = [("n", INT)]
TEXTS: list[Column] = [("Id", INT), ("Name", NVARCHAR_MAX)]
NEAREST = "SELECT TOP 5 m.Id FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
DOCUMENT = "SELECT TOP 9 m.Id, m.Name FROM Movie AS m FOR JSON PATH"


def test_values_arrive_as_python_values(harness: Harness, engine: MssqlEngine) -> None:
    columns: list[Column] = [
        ("a", INT),
        ("b", BIGINT),
        ("c", FLOAT),
        ("d", BIT),
        ("e", decimal(10, 2)),
        ("f", DATE),
        ("g", DATETIME2),
        ("h", NVARCHAR),
        ("i", NVARCHAR_MAX),
    ]
    moment = datetime(1977, 5, 25, 20, 30, 15, 250000)
    values = (1, 2**40, 0.1, True, Decimal("-1.50"), date(1977, 5, 25), moment, "漢字", "é" * 9000)
    nothing = (None,) * len(columns)
    harness.answers.table["typed"] = [Rows(columns, [values, nothing])]
    assert harness.execute(engine, "typed").rows == [values, nothing]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Grüße, 漢字, עברית", id="languages"),
        pytest.param("😀 and 👩\u200d🚀", id="beyond the basic plane"),
        pytest.param("a\x00b\r\n\t", id="control characters"),
        pytest.param("", id="empty"),
        pytest.param("e\u0301" * 5000, id="long and composed"),
    ],
)
def test_text_arrives_unchanged(harness: Harness, engine: MssqlEngine, text: str) -> None:
    harness.answers.table["text"] = [Rows(TEXTS, [(1, text)])]
    assert harness.execute(engine, "text").rows == [(1, text)]


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("Amélie", id="accent"),
        pytest.param("千と千尋", id="japanese"),
        pytest.param("🦈", id="emoji"),
    ],
)
def test_words_of_a_statement_reach_the_server_as_unicode(
    harness: Harness, engine: MssqlEngine, word: str
) -> None:
    harness.execute(engine, word)
    (statement,) = harness.sent()
    assert f"N'{word}'" in statement


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([Info(0, "told"), Rows(NUMBERS, [(7,)])], id="after a message"),
        pytest.param([Affected(3), Rows(NUMBERS, [(7,)])], id="after a count"),
        pytest.param([Rows(NUMBERS, [(7,)]), Rows(TEXTS, [(1, "x")] * 200)], id="before others"),
        pytest.param([Rows(NUMBERS, [(7,)]), Info(9927, "Noise words.")], id="before a message"),
    ],
)
def test_the_first_result_is_returned_and_all_are_read(
    harness: Harness, engine: MssqlEngine, steps: list[Step]
) -> None:
    harness.answers.table["many"] = steps
    assert harness.execute(engine, "many").rows == [(7,)]
    assert harness.execute(engine, "next").rows == [(1,)]
    assert (engine.connections.opened, engine.connections.dropped) == (1, 0)


def test_a_result_without_rows_is_empty(harness: Harness, engine: MssqlEngine) -> None:
    harness.answers.table["none"] = [Rows(TEXTS, [])]
    result = harness.execute(engine, "none")
    assert (result.columns, result.rows, result.truncated) == (("Id", "Name"), [], None)


def endless() -> Iterable[tuple[int, str]]:
    return ((number, "x" * 100) for number in range(100_000))


@pytest.mark.parametrize(
    ("budget", "rows", "truncated"),
    [
        pytest.param({"rows": 10}, 10, "rows", id="rows"),
        pytest.param({"bytes": 1015}, 10, "bytes", id="bytes"),
        pytest.param({"rows": 3, "cell": 20}, 3, "rows", id="cells and rows"),
    ],
)
def test_a_result_beyond_the_budget_is_cut_and_said_to_be(
    harness: Harness, engine: MssqlEngine, budget: dict[str, int], rows: int, truncated: str
) -> None:
    harness.answers.table["big"] = [Rows(TEXTS, endless())]
    result = harness.execute(engine, "big", **budget)
    assert (len(result.rows), result.truncated) == (rows, truncated)
    assert harness.execute(engine, "next").rows == [(1,)]


def test_a_long_text_is_cut_and_said_to_be(harness: Harness, engine: MssqlEngine) -> None:
    harness.answers.table["long"] = [Rows(TEXTS, [(1, "😀" * 5000), (2, "short")])]
    result = harness.execute(engine, "long", cell=100)
    assert result.rows == [(1, "😀" * 100), (2, "short")]
    assert result.truncated == "cells"


def test_a_cut_result_does_not_wait_for_what_the_server_still_has(
    harness: Harness, engine: MssqlEngine
) -> None:
    waiting = Wait()
    harness.answers.table["big"] = [Rows(TEXTS, [(n, "x") for n in range(400)], cut=waiting)]
    assert len(harness.execute(engine, "big", rows=10).rows) == 10
    assert not waiting.until.is_set()
    harness.server.record.wait_for(
        lambda events: any(isinstance(event, Attention) for event in events), "an attention"
    )


def test_a_document_in_pieces_is_put_together(harness: Harness, engine: MssqlEngine) -> None:
    text = json.dumps([{"Name": "🦈" * 2000}], ensure_ascii=False)
    half = text.encode("utf-16-le")
    pieces = [half[at : at + 4066] for at in range(0, len(half), 4066)]
    column = [("JSON_F52E2B61-18A1-11d1-B105-00805F49916B", NVARCHAR_MAX)]
    parts = [(piece.decode("utf-16-le", "surrogatepass"),) for piece in pieces]
    harness.answers.table["FOR JSON"] = [Rows(column, parts)]
    statement = harness.statement("", DOCUMENT)
    assert engine.execute(statement, budget()).rows == [(text,)]
    with pytest.raises(ResultTooLargeError):
        engine.execute(statement, budget(bytes=1000))


def test_the_vector_of_a_query_is_nvarchar_max_and_never_ntext(
    harness: Harness, engine: MssqlEngine, vector: Vector
) -> None:
    engine.execute(harness.statement("", NEAREST, vector), budget())
    (call,) = [call for call in harness.server.record.calls if call.parameters]
    (parameter,) = call.parameters
    assert (call.declared.lower(), parameter.type) == ("@p1 nvarchar(max)", "nvarchar(max)")
    assert "CAST(CAST(@P1 AS NVARCHAR(MAX)) AS VECTOR(384))" in call.sql
    assert np.array_equal(np.array(json.loads(parameter.value), np.float32), vector)


def test_a_vector_of_another_length_is_not_sent(
    harness: Harness, engine: MssqlEngine, vector: Vector
) -> None:
    with pytest.raises(VectorSpaceError):
        engine.execute(harness.statement("", NEAREST, vector[:3]), budget())
    assert harness.server.record.calls == []


def test_compiling_sends_the_statement_as_a_parameter_and_runs_nothing(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["sp_describe"] = [Rows(NUMBERS, [(1,)])]
    engine.compile(harness.statement("", NEAREST.replace("5 m.Id", "5 m.Id, '" + "é" * 3000 + "'")))
    (call,) = [call for call in harness.server.record.calls if call.parameters]
    assert call.sql.startswith("EXEC sys.sp_describe_first_result_set")
    assert "VECTOR(384)" in call.sql
    assert (call.declared.lower(), call.parameters[0].type) == (
        "@p1 nvarchar(max)",
        "nvarchar(max)",
    )
    assert "VECTOR_DISTANCE" in call.parameters[0].value


def test_compiling_reports_the_same_errors_as_running(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["sp_describe"] = [
        Fail(209, "Ambiguous column name 'Id'."),
        Fail(11501, "The batch could not be analyzed because of compile errors."),
    ]
    with pytest.raises(ExecutionError) as caught:
        engine.compile(harness.statement("any"))
    assert caught.value.code == "ambiguous_column"


def test_a_statement_that_the_server_cannot_describe_is_not_called_wrong(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["sp_describe"] = [
        Fail(11514, "The metadata could not be determined because the statement has dynamic SQL.")
    ]
    engine.compile(harness.statement("any"))
    assert len(harness.server.record.calls) > 0


def test_a_wrong_kind_of_value_is_not_the_end_of_the_connection(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["inf"] = [Rows([("a", FLOAT)], [(float("inf"),)])]
    with pytest.raises(ExecutionError, match="overflow"):
        harness.execute(engine, "inf")
    assert harness.execute(engine, "next").rows == [(1,)]


def values(rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    return [value for row in rows for value in row]


def test_halves_of_a_pair_become_a_mark(harness: Harness, engine: MssqlEngine) -> None:
    harness.answers.table["half"] = [Rows(TEXTS, [(1, "cut \ud83d")])]
    assert values(harness.execute(engine, "half").rows) == [1, "cut \ufffd"]
