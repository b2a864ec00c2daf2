"""The embedded engine's result cache: reused only where rows must be the same."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from moviegraph.cache import Cache
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Cancellation, Statement
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.errors import GraphError, QueryTimeoutError
from moviegraph.sql.functions import FUNCTIONS

Make = Callable[..., Statement]
FILMS = "SELECT m.Id, m.Name FROM Movie AS m ORDER BY m.Id"
NEAREST = "SELECT TOP 3 m.Id FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
GIVEN_NOTHING = sorted(
    name for name, function in FUNCTIONS.items() if function.kind == "scalar" and function.high == 0
)


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that reach the database."""
    lines: list[str] = []
    run = Database.run

    def noting(self: Database, plan: Any, *more: Any) -> Any:
        lines.append(plan.sql)
        return run(self, plan, *more)

    monkeypatch.setattr(Database, "run", noting)
    return lines


@pytest.fixture
def graph_engine(folder: Path, contract: Contract) -> Iterator[EmbeddedEngine]:
    with closing(open_graph(folder, contract)) as engine:
        yield engine


def test_the_same_statement_is_run_once(
    graph_engine: EmbeddedEngine, statement: Make, queries: list[str]
) -> None:
    first = graph_engine.execute(statement(FILMS), Budget())
    again = graph_engine.execute(statement(FILMS), Budget())
    assert again == first
    assert len(first.rows) > 1
    assert len(queries) == 1


def test_what_a_caller_does_to_its_rows_is_not_seen_by_the_next(
    graph_engine: EmbeddedEngine, statement: Make
) -> None:
    first = graph_engine.execute(statement(FILMS), Budget())
    rows = list(first.rows)
    first.rows.clear()
    second = graph_engine.execute(statement(FILMS), Budget())
    assert second.rows == rows
    second.rows.clear()
    assert graph_engine.execute(statement(FILMS), Budget()).rows == rows


def test_what_is_worked_out_of_rows_once_is_known_where_they_are_given_again(
    graph_engine: EmbeddedEngine, statement: Make
) -> None:
    first = graph_engine.execute(statement(FILMS), Budget())
    assert first.memoize("length", lambda: len(first.rows)) == len(first.rows)
    again = graph_engine.execute(statement(FILMS), Budget())
    assert again.memoize("length", lambda: -1) == len(first.rows)
    assert again.memoize("width", lambda: -1) == -1
    assert (
        graph_engine.execute(statement(FILMS), Budget(rows=1)).memoize("length", lambda: -1) == -1
    )


def test_what_could_not_be_worked_out_is_tried_again(
    graph_engine: EmbeddedEngine, statement: Make
) -> None:
    def fails() -> int:
        raise QueryTimeoutError("late")

    with pytest.raises(QueryTimeoutError):
        graph_engine.execute(statement(FILMS), Budget()).memoize("length", fails)
    assert graph_engine.execute(statement(FILMS), Budget()).memoize("length", lambda: 5) == 5


@pytest.mark.parametrize(
    ("budget", "truncated"),
    [
        pytest.param(Budget(rows=2), "rows", id="rows"),
        pytest.param(Budget(cell=2), "cells", id="cells"),
        pytest.param(Budget(bytes=20), "bytes", id="bytes"),
    ],
)
def test_another_budget_truncates_again(
    graph_engine: EmbeddedEngine, statement: Make, budget: Budget, truncated: str
) -> None:
    assert graph_engine.execute(statement(FILMS), Budget()).truncated is None
    assert graph_engine.execute(statement(FILMS), budget).truncated == truncated
    assert graph_engine.execute(statement(FILMS), Budget()).truncated is None


def test_another_value_of_q_is_compared_again(
    graph_engine: EmbeddedEngine, statement: Make, queries: list[str]
) -> None:
    stars = graph_engine.execute(statement(NEAREST, "star war galaxy"), Budget())
    dunes = graph_engine.execute(statement(NEAREST, "desert planet spice"), Budget())
    assert len(queries) == 2
    assert graph_engine.execute(statement(NEAREST, "star war galaxy"), Budget()) == stars
    assert graph_engine.execute(statement(NEAREST, "desert planet spice"), Budget()) == dunes
    assert len(queries) == 2


@pytest.mark.parametrize("function", GIVEN_NOTHING)
@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT {}() AS Found", id="a value"),
        pytest.param("SELECT m.Id FROM Movie AS m WHERE {}() IS NOT NULL", id="a condition"),
        pytest.param("WITH c AS (SELECT {}() AS a) SELECT c.a FROM c", id="a table"),
        pytest.param(
            "SELECT m.Id FROM Movie AS m WHERE EXISTS (SELECT 1 AS a WHERE {}() IS NOT NULL)",
            id="a subquery",
        ),
        pytest.param(f"SELECT d.Id, {{}}() AS a FROM ({FILMS[:-14]}) AS d", id="beside a table"),
    ],
)
def test_what_is_given_nothing_is_asked_each_time(
    graph_engine: EmbeddedEngine, statement: Make, queries: list[str], function: str, sql: str
) -> None:
    translation = statement(sql.format(function))
    try:
        graph_engine.execute(translation, Budget())
    except Exception as error:
        if getattr(error, "code", "") == "unsupported_by_engine":
            pytest.skip(f"this engine has no {function}")
        raise
    graph_engine.execute(translation, Budget())
    assert len(queries) == 2


@pytest.mark.parametrize("now", ["CURRENT_TIMESTAMP", "CURRENT_DATE", "getdate()"])
def test_the_present_is_asked_each_time_however_it_is_written(
    graph_engine: EmbeddedEngine, statement: Make, queries: list[str], now: str
) -> None:
    translation = statement(f"SELECT m.Id FROM Movie AS m WHERE m.ReleaseYear <= YEAR({now})")
    graph_engine.execute(translation, Budget())
    graph_engine.execute(translation, Budget())
    assert len(queries) == 2


def test_the_clock_goes_on(graph_engine: EmbeddedEngine, statement: Make) -> None:
    now = statement("SELECT SYSUTCDATETIME() AS Now")
    assert graph_engine.execute(now, Budget()) != graph_engine.execute(now, Budget())


def test_without_room_nothing_is_kept(
    folder: Path, contract: Contract, statement: Make, queries: list[str]
) -> None:
    with closing(open_graph(folder, contract, cache_bytes=0)) as engine:
        first = engine.execute(statement(FILMS), Budget())
        assert engine.execute(statement(FILMS), Budget()) == first
    assert len(queries) == 2


def test_a_cancelled_call_is_given_nothing(graph_engine: EmbeddedEngine, statement: Make) -> None:
    graph_engine.execute(statement(FILMS), Budget())
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError):
        graph_engine.execute(statement(FILMS), Budget(cancellation=cancellation))


def test_a_closed_graph_gives_nothing(graph_engine: EmbeddedEngine, statement: Make) -> None:
    graph_engine.execute(statement(FILMS), Budget())
    graph_engine.close()
    with pytest.raises(GraphError):
        graph_engine.execute(statement(FILMS), Budget())


def kept_keys(cache: Cache, keys: int) -> list[int]:
    return [key for key in range(keys) if cache.peek(key) is not None]


def test_the_room_is_never_exceeded_and_the_oldest_leave_first() -> None:
    cache = Cache(160_000, len)
    for key in range(100):
        cache.get(key, lambda: "x" * 2_000)
        assert cache.peek(0)  # asked for again and again, so it stays
    stored_keys = kept_keys(cache, 100)
    assert stored_keys == [0, *range(stored_keys[1], 100)]
    assert len(stored_keys) == 80


def test_a_result_that_takes_too_much_of_the_room_is_not_kept() -> None:
    cache = Cache(160_000, len)
    cache.get(0, lambda: "x" * 20_000)
    cache.get(1, lambda: "x" * 20_001)
    assert kept_keys(cache, 2) == [0]
