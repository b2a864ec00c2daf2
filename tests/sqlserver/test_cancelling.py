"""Cancelling and time limits: the caller leaves at once, the statement is stopped.

Where a caller must not wait for the server, the server answers only after the caller was answered.
"""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from fakes.odbc_harness import Harness
from fakes.tds.record import Attention, Event
from fakes.tds.script import Rows, Wait
from fakes.tds.types import INT

from moviegraph.engines.base import Cancellation
from moviegraph.engines.sqlserver.execution import RunningStatement
from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.errors import GraphError, QueryTimeoutError, UnavailableError

PATIENCE = 120.0
OutOfTime = Callable[..., None]
LONG = 3600.0  # so that no time limit does the work of cancelling
GAVE_UP = "has not ended within"
NUMBERS = [("n", INT)]
WAITS = [
    pytest.param(Wait(), id="before the rows"),
    pytest.param(Rows(NUMBERS, [(1,)] * 9, cut=Wait()), id="after some rows"),
    pytest.param(Rows(NUMBERS, [(1,)] * 120, cut=Wait()), id="after rows that were fetched"),
]


def attended(events: list[Event]) -> bool:
    return any(isinstance(event, Attention) for event in events)


@pytest.fixture
def timeout_error(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> OutOfTime:
    """Run the statement of a word, whose time is over once the server has it."""

    def run(engine: MssqlEngine, word: str, **budget: Any) -> None:
        def expire(*_: object) -> bool:
            harness.server.record.wait_for_call(word)
            return False

        with monkeypatch.context() as patched:
            patched.setattr(RunningStatement, "wait", expire)
            harness.execute(engine, word, seconds=LONG, **budget)

    return run


@pytest.mark.parametrize("answer", WAITS)
def test_a_cancelled_call_ends_and_the_server_is_notified(
    harness: Harness, engine: MssqlEngine, answer: Wait | Rows
) -> None:
    harness.answers.table["slow"] = [answer]
    cancellation = Cancellation()
    call = harness.start(engine, "slow", rows=1000, seconds=LONG, cancellation=cancellation)
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError) as caught:
        call.result(PATIENCE)
    assert caught.value.code == "cancelled"
    harness.server.record.wait_for(attended, "an attention")


@pytest.mark.parametrize("answer", WAITS)
def test_a_statement_out_of_time_ends_and_the_server_is_notified(
    harness: Harness, timeout_error: OutOfTime, answer: Wait | Rows
) -> None:
    harness.answers.table["slow"] = [answer]
    with pytest.raises(QueryTimeoutError) as caught:
        timeout_error(harness.engine(), "slow", rows=1000)
    assert (caught.value.code, bool(caught.value.hint)) == ("timeout", True)
    harness.server.record.wait_for(attended, "an attention")


def test_the_connection_of_a_cancelled_statement_is_not_used_again(
    harness: Harness, timeout_error: OutOfTime
) -> None:
    engine = harness.engine(size=1)
    harness.execute(engine, "first")
    harness.answers.table["slow"] = [Wait()]
    with pytest.raises(QueryTimeoutError):
        timeout_error(engine, "slow")
    assert harness.execute(engine, "next").rows == [(1,)]
    query_calls = [call for call in harness.server.record.calls if "FROM [" in call.sql]
    assert [call.connection for call in query_calls] == [1, 1, 2]
    assert (engine.connections.opened, engine.connections.dropped) == (2, 1)


class TestDeafServer:
    """The server does not listen to attentions, so a driver may wait for it as long as it likes."""

    def test_neither_who_cancels_nor_who_called_waits_for_it(
        self, harness: Harness, caplog: pytest.LogCaptureFixture
    ) -> None:
        waiting = Wait(deaf=True)
        harness.answers.table["deaf"] = [waiting, Rows(NUMBERS, [(1,)])]
        cancellation = Cancellation()
        call = harness.start(harness.engine(), "deaf", cancellation=cancellation)
        cancellation.cancel()
        with pytest.raises(QueryTimeoutError):
            call.result(PATIENCE)
        assert not waiting.until.is_set()
        assert GAVE_UP not in caplog.text
        waiting.until.set()

    def test_who_is_out_of_time_does_not_wait_for_it(
        self, harness: Harness, timeout_error: OutOfTime, caplog: pytest.LogCaptureFixture
    ) -> None:
        waiting = Wait(deaf=True)
        harness.answers.table["deaf"] = [waiting, Rows(NUMBERS, [(1,)])]
        with pytest.raises(QueryTimeoutError):
            timeout_error(harness.engine(), "deaf")
        assert not waiting.until.is_set()
        assert GAVE_UP not in caplog.text
        waiting.until.set()

    def test_its_place_is_taken_until_it_answers_and_free_afterwards(
        self, harness: Harness, timeout_error: OutOfTime
    ) -> None:
        engine = harness.engine(size=1, wait_seconds=0.1)
        waiting = Wait(deaf=True)
        harness.answers.table["deaf"] = [waiting, Rows(NUMBERS, [(1,)])]
        with pytest.raises(QueryTimeoutError):
            timeout_error(engine, "deaf")
        with pytest.raises(UnavailableError) as caught:
            harness.execute(engine, "next")
        assert caught.value.code == "busy"
        waiting.until.set()
        patient = harness.until_free(engine, "next")
        assert patient.rows == [(1,)]
        assert engine.connections.dropped == 1

    def test_closing_the_engine_does_not_wait_for_it(self, harness: Harness) -> None:
        engine = harness.engine()
        waiting = Wait(deaf=True)
        harness.answers.table["deaf"] = [waiting, Rows(NUMBERS, [(1,)])]
        call = harness.start(engine, "deaf")
        engine.close()
        with pytest.raises(GraphError):
            call.result(PATIENCE)
        assert not waiting.until.is_set()
        waiting.until.set()


def test_a_call_cancelled_beforehand_sends_nothing(harness: Harness, engine: MssqlEngine) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError):
        harness.execute(engine, "never", cancellation=cancellation)
    assert harness.server.record.events == []


def test_a_call_that_waits_for_a_place_can_be_cancelled(harness: Harness) -> None:
    engine = harness.engine(size=1)
    waiting = Wait()
    harness.answers.table["slow"] = [waiting, Rows(NUMBERS, [(7,)])]
    first = harness.start(engine, "slow")
    cancellation = Cancellation()
    second = harness.threads.submit(harness.execute, engine, "second", cancellation=cancellation)
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError) as caught:
        second.result(PATIENCE)
    assert caught.value.code == "cancelled"
    waiting.until.set()
    assert first.result(PATIENCE).rows == [(7,)]
    assert not any("second" in text for text in harness.sent())


def test_a_call_that_logs_in_can_be_cancelled(harness: Harness, engine: MssqlEngine) -> None:
    waiting = Wait()
    harness.server.logins.append(waiting)
    cancellation = Cancellation()
    call = harness.threads.submit(harness.execute, engine, "never", cancellation=cancellation)
    harness.server.record.wait_for(lambda events: bool(events), "a log-in")
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError):
        call.result(PATIENCE)
    assert not waiting.until.is_set()
    waiting.until.set()
    assert harness.execute(engine, "next").rows == [(1,)]
    assert not any("never" in text for text in harness.sent())


def test_a_call_that_waits_for_a_paused_database_can_be_cancelled(harness: Harness) -> None:
    resting = threading.Event()

    def pause(stopped: threading.Event, _seconds: float) -> None:
        resting.set()
        stopped.wait(PATIENCE)

    engine = harness.engine(pause=pause)
    harness.pause_database(times=9)
    cancellation = Cancellation()
    call = harness.threads.submit(harness.execute, engine, "any", cancellation=cancellation)
    assert resting.wait(PATIENCE)
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError):
        call.result(PATIENCE)
    assert len(harness.server.record.logins) == 1


def test_cancelling_after_the_end_changes_nothing(harness: Harness, engine: MssqlEngine) -> None:
    cancellation = Cancellation()
    harness.execute(engine, "quick", cancellation=cancellation)
    cancellation.cancel()
    assert harness.execute(engine, "next").rows == [(1,)]
    assert (engine.connections.opened, engine.connections.dropped) == (1, 0)


def test_a_statement_that_is_compiled_can_be_cancelled(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["sp_describe_first_result_set"] = [Wait()]
    cancellation = Cancellation()
    call = harness.threads.submit(engine.compile, harness.statement("slow"), cancellation)
    harness.server.record.wait_for_call("sp_describe_first_result_set")
    cancellation.cancel()
    with pytest.raises(QueryTimeoutError) as caught:
        call.result(PATIENCE)
    assert caught.value.code == "cancelled"
