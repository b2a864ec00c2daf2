"""The pool: number of connections, their end, and lost ones."""

import pytest
from fakes.odbc_harness import Harness
from fakes.tds.record import ConnectionClosed
from fakes.tds.script import Call, HangUp, Rows, Step, Wait
from fakes.tds.types import INT

from moviegraph.engines.sqlserver.mssql_engine import MssqlEngine
from moviegraph.errors import GraphError, UnavailableError

PATIENCE = 120.0
NUMBERS = [("n", INT)]
SEVEN = Rows(NUMBERS, [(7,)])


def test_one_connection_serves_one_call_after_the_other(
    harness: Harness, engine: MssqlEngine
) -> None:
    for word in ("first", "second", "third"):
        harness.execute(engine, word)
    assert len(harness.server.record.logins) == 1


def test_there_are_never_more_connections_than_places(harness: Harness) -> None:
    engine = harness.engine(size=3)
    waiting = Wait()
    harness.answers.table["slow"] = [waiting, SEVEN]
    calls = [harness.threads.submit(harness.execute, engine, "slow") for _ in range(12)]
    harness.server.record.wait_for_call("slow", 3)
    waiting.until.set()
    assert [call.result(PATIENCE).rows for call in calls] == [[(7,)]] * 12
    assert harness.server.most_open == len(harness.server.record.logins) == 3


def test_a_call_without_a_free_slot_reports_that_nothing_was_run(harness: Harness) -> None:
    engine = harness.engine(size=1, wait_seconds=0.1)
    waiting = Wait()
    harness.answers.table["slow"] = [waiting, SEVEN]
    first = harness.start(engine, "slow")
    with pytest.raises(UnavailableError, match="nothing was run") as caught:
        harness.execute(engine, "second")
    assert caught.value.code == "busy"
    waiting.until.set()
    assert first.result(PATIENCE).rows == [(7,)]
    assert not any("second" in text for text in harness.sent())


def test_a_connection_that_was_lost_while_idle_is_replaced_unnoticed(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.execute(engine, "first")
    harness.server.drop_connections()
    assert harness.execute(engine, "second").rows == [(1,)]
    assert len(harness.server.record.logins) == 2


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param([HangUp()], id="before an answer"),
        pytest.param([Rows(NUMBERS, [(1,)] * 9, cut=HangUp())], id="before a row was taken"),
    ],
)
def test_a_statement_whose_connection_is_lost_is_run_once_more_on_another(
    harness: Harness, engine: MssqlEngine, cut: list[Step]
) -> None:
    def answer(call: Call) -> list[Step]:
        return cut if call.connection == 1 else [SEVEN]

    harness.answers.table["lost"] = answer
    assert harness.execute(engine, "lost").rows == [(7,)]
    assert [call.connection for call in harness.server.record.calls if "lost" in call.sql] == [1, 2]


def test_a_statement_whose_connection_is_always_lost_is_run_twice(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["lost"] = [HangUp()]
    with pytest.raises(UnavailableError, match="lost") as caught:
        harness.execute(engine, "lost")
    assert caught.value.hint
    assert len(harness.sent()) == 2
    assert (engine.connections.open, harness.execute(engine, "next").rows) == (0, [(1,)])


def test_a_connection_lost_after_rows_were_taken_is_not_run_again(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["half"] = [Rows(NUMBERS, [(1,)] * 120, cut=HangUp())]
    with pytest.raises(UnavailableError):
        harness.execute(engine, "half", rows=1000)
    assert len(harness.sent()) == 1


def test_a_connection_idle_for_too_long_is_not_used_again(harness: Harness) -> None:
    now = [0.0]
    engine = harness.engine(idle_seconds=60.0, clock=lambda: now[0])
    harness.execute(engine, "first")
    now[0] = 59.0
    harness.execute(engine, "second")
    now[0] = 120.0
    harness.execute(engine, "third")
    assert [call.connection for call in harness.server.record.calls if "FROM [" in call.sql] == [
        1,
        1,
        2,
    ]
    harness.server.record.wait_for(
        lambda events: ConnectionClosed(1) in events, "the end of the first"
    )


def test_an_idle_connection_ends_without_a_call(harness: Harness) -> None:
    engine = harness.engine(idle_seconds=0.05)
    harness.execute(engine, "only")
    harness.server.record.wait_for(
        lambda events: ConnectionClosed(1) in events, "the end of the connection"
    )
    assert engine.connections.open == 0


def test_a_closed_engine_leaves_nothing_open_and_runs_nothing(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.execute(engine, "first")
    engine.close()
    engine.close()
    harness.server.record.wait_for(lambda _: harness.server.open == 0, "the end of all connections")
    with pytest.raises(GraphError, match="closed"):
        harness.execute(engine, "second")


def test_a_call_that_meets_the_end_of_the_engine_is_answered(
    harness: Harness, engine: MssqlEngine
) -> None:
    harness.answers.table["slow"] = [Wait()]
    call = harness.start(engine, "slow")
    engine.close()
    assert call.exception(PATIENCE) is not None
    harness.server.record.wait_for(lambda _: harness.server.open == 0, "the end of all connections")
