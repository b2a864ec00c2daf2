import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest

pyodbc = pytest.importorskip(
    "pyodbc", reason="libodbc is missing: install unixodbc", exc_type=ImportError
)

from moviegraph.engines.base import Cancellation  # noqa: E402
from moviegraph.engines.sqlserver.execution import (  # noqa: E402
    Runner,
    RunningStatement,
    Transaction,
)
from moviegraph.errors import (  # noqa: E402
    GraphError,
    QueryTimeoutError,
    UnavailableError,
)

LONG = 120.0
SHORT = 0.3
ORIGIN = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"


def server_error(number: int, state: str = "42000") -> Exception:
    return pyodbc.Error(state, f"[{state}] {ORIGIN}Text. ({number}) (SQLExecDirectW)")


class Cursor:
    """A statement that ends when it is cancelled."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self.closed = False

    def cancel(self) -> None:
        assert not self.closed
        self.cancelled.set()

    def close(self) -> None:
        self.closed = True


class Connection:
    """Counts what is asked of it."""

    def __init__(self) -> None:
        self.timeout = 0
        self.rollbacks = 0
        self.closed = False

    def cursor(self) -> Cursor:
        return Cursor()

    def rollback(self) -> None:
        self.rollbacks += 1

    def close(self) -> None:
        self.closed = True


class Machine:
    """A runner over such connections; its rests pass at once and move its clock."""

    def __init__(self, **options: Any) -> None:
        self.now = 0.0
        self.rests: list[float] = []
        self.opened: list[Connection] = []
        self.refusals: list[Exception] = []
        self.runner = Runner(
            cast("Any", self.open_one),
            clock=lambda: self.now,
            pause=self._pause,
            **options,
        )

    def open_one(self, _: float) -> Connection:
        if self.refusals:
            raise self.refusals.pop(0)
        self.opened.append(Connection())
        return self.opened[-1]

    def _pause(self, _: threading.Event, seconds: float) -> None:
        self.rests.append(seconds)
        self.now += seconds


@pytest.fixture
def machine() -> Iterator[Machine]:
    machine = Machine()
    yield machine
    machine.runner.close()


def until_cancelled(cursor: Any, _: RunningStatement) -> None:
    """Work until cancelled, as a driver does, and raise what one may raise then."""
    assert cursor.cancelled.wait(LONG)
    raise pyodbc.Error("HY000", "The driver did not supply an error!")


def done(_: Any, __: RunningStatement) -> str:
    return "done"


def failing_first(errors: list[Exception], *, rows_seen: bool = False) -> Any:
    """Return work that raises these before it succeeds."""

    def work(_: Any, running: RunningStatement) -> str:
        running.rows_seen = rows_seen
        if errors:
            raise errors.pop(0)
        return "done"

    return work


def test_work_gets_a_connection_that_is_rolled_back_and_kept(machine: Machine) -> None:
    for _ in range(3):
        assert machine.runner.run(done, seconds=LONG) == "done"
    assert [connection.rollbacks for connection in machine.opened] == [3]


def test_an_error_of_the_statement_reaches_the_caller_and_leaves_the_connection(
    machine: Machine,
) -> None:
    error = server_error(207)
    with pytest.raises(pyodbc.Error) as caught:
        machine.runner.run(failing_first([error]), seconds=LONG)
    assert caught.value is error
    assert [connection.closed for connection in machine.opened] == [False]
    assert machine.opened[0].rollbacks == 1


def test_a_lost_connection_is_replaced_once_and_at_once(machine: Machine) -> None:
    lost = server_error(10054, "08S01")
    assert machine.runner.run(failing_first([lost]), seconds=LONG) == "done"
    assert ([connection.closed for connection in machine.opened], machine.rests) == (
        [True, False],
        [],
    )
    with pytest.raises(pyodbc.Error):
        machine.runner.run(failing_first([lost, lost]), seconds=LONG)


def test_a_connection_lost_after_the_first_rows_is_not_replaced(machine: Machine) -> None:
    with pytest.raises(pyodbc.Error):
        work = failing_first([server_error(10054, "08S01")], rows_seen=True)
        machine.runner.run(work, seconds=LONG)
    assert len(machine.opened) == 1


def test_a_paused_database_is_asked_again_within_the_time_of_the_call(machine: Machine) -> None:
    machine.refusals = [server_error(40613)] * 3
    assert machine.runner.run(done, seconds=LONG) == "done"
    assert machine.rests == [0.5, 1.0, 2.0]


def test_no_rest_goes_beyond_the_time_of_the_call(machine: Machine) -> None:
    machine.refusals = [server_error(40613)] * 100
    with pytest.raises(pyodbc.Error):
        machine.runner.run(done, seconds=15)
    assert sum(machine.rests) < 15


def test_who_runs_out_of_time_gets_an_answer_and_the_statement_is_cancelled(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun = threading.Event()

    def work(cursor: Any, running: RunningStatement) -> None:
        has_begun.set()
        until_cancelled(cursor, running)

    # Its time is over once the statement has begun, however long the thread took to begin it.
    def wait(*_: object) -> bool:
        return not has_begun.wait(LONG)

    monkeypatch.setattr(RunningStatement, "wait", wait)
    with pytest.raises(QueryTimeoutError) as caught:
        machine.runner.run(work, seconds=LONG)
    assert caught.value.code == "timeout"
    machine.runner.close(LONG)
    assert machine.runner.counts.dropped == 1


@pytest.mark.parametrize(("number", "dropped"), [(3903, 0), (3902, 1)])
def test_a_transaction_that_the_server_rolled_back_already_leaves_a_good_connection(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, number: int, dropped: int
) -> None:
    def rollback(_: Connection) -> None:
        raise server_error(number, "25000")

    monkeypatch.setattr(Connection, "rollback", rollback)
    machine.runner.run(lambda cursor, running: None, seconds=LONG)
    assert machine.runner.counts.dropped == dropped


def test_who_cancels_gets_an_answer_and_the_connection_is_dropped(machine: Machine) -> None:
    cancellation, has_begun = Cancellation(), threading.Event()

    def work(cursor: Any, running: RunningStatement) -> None:
        has_begun.set()
        until_cancelled(cursor, running)

    threading.Thread(target=lambda: has_begun.wait(LONG) and cancellation.cancel()).start()
    with pytest.raises(QueryTimeoutError) as caught:
        machine.runner.run(work, seconds=LONG, cancellation=cancellation)
    assert caught.value.code == "cancelled"
    machine.runner.close(LONG)
    assert machine.runner.counts.dropped == 1


def test_who_cancels_during_the_log_in_leaves_the_connection_to_others() -> None:
    cancellation, release = Cancellation(), threading.Event()

    def slow(_: float) -> Any:
        cancellation.cancel()
        release.wait(LONG)
        return Connection()

    runner = Runner(slow, size=1)
    with pytest.raises(QueryTimeoutError):
        runner.run(done, seconds=LONG, cancellation=cancellation)
    release.set()
    assert runner.run(done, seconds=LONG) == "done"
    assert (runner.counts.opened, runner.counts.dropped) == (1, 0)
    runner.close()


def test_a_server_that_never_answers_a_log_in_is_no_slow_statement() -> None:
    release = threading.Event()

    def silent(_: float) -> Any:
        release.wait(LONG)
        return Connection()

    runner = Runner(silent)
    with pytest.raises(UnavailableError):
        runner.run(done, seconds=0.01)
    release.set()
    runner.close(LONG)


def test_without_a_free_place_nothing_is_run() -> None:
    machine = Machine(size=1, wait_seconds=0.0)
    entered, release = threading.Event(), threading.Event()

    def holding(*_: Any) -> None:
        entered.set()
        release.wait(LONG)

    holder = threading.Thread(target=lambda: machine.runner.run(holding, seconds=LONG))
    holder.start()
    assert entered.wait(LONG)
    with pytest.raises(UnavailableError) as caught:
        machine.runner.run(done, seconds=LONG)
    assert caught.value.code == "busy"
    release.set()
    holder.join(LONG)
    assert len(machine.opened) == 1
    machine.runner.close()


def test_after_the_end_nothing_runs(machine: Machine) -> None:
    machine.runner.close()
    with pytest.raises(GraphError):
        machine.runner.run(done, seconds=LONG)


def test_waiting_for_a_place_counts_as_time_of_the_call() -> None:
    machine, free = Machine(size=1, wait_seconds=LONG), threading.Event()
    has_begun = threading.Event()

    def hold(_: Any, __: RunningStatement) -> None:
        has_begun.set()
        assert free.wait(LONG)

    holder = threading.Thread(target=lambda: machine.runner.run(hold, seconds=LONG))
    holder.start()
    assert has_begun.wait(LONG)
    with pytest.raises(UnavailableError) as caught:
        machine.runner.run(done, seconds=SHORT)
    assert caught.value.code == "busy"
    assert f"within {SHORT:g} s" in caught.value.message
    free.set()
    holder.join(LONG)
    machine.runner.close()


def test_a_call_that_runs_when_the_runner_is_closed_fails_with_that_reason(
    machine: Machine,
) -> None:
    has_begun, event = threading.Event(), list[GraphError]()

    def work(cursor: Any, running: RunningStatement) -> None:
        has_begun.set()
        until_cancelled(cursor, running)

    def call() -> None:
        try:
            machine.runner.run(work, seconds=LONG)
        except GraphError as error:
            event.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    assert has_begun.wait(LONG)
    machine.runner.close(LONG)
    caller.join(LONG)
    assert [str(error) for error in event] == ["The graph is closed."]
    assert machine.runner.counts.open == 0


class TestTransaction:
    """Several jobs on one connection; its cursors show which job runs."""

    def test_jobs_share_a_connection_until_the_block_ends(self, machine: Machine) -> None:
        with Transaction(machine.runner, LONG, Cancellation()) as transaction:
            assert [transaction.run(done) for _ in range(3)] == ["done"] * 3
            assert machine.opened[0].rollbacks == 0
        assert [connection.rollbacks for connection in machine.opened] == [1]
        assert machine.runner.counts.dropped == 0

    def test_a_job_is_run_again_where_the_connection_was_lost_before_an_answer(
        self, machine: Machine
    ) -> None:
        with Transaction(machine.runner, LONG, Cancellation()) as transaction:
            lost = failing_first([server_error(1205, "40001")])
            assert transaction.run(lost) == "done"
            with pytest.raises(pyodbc.Error):
                transaction.run(failing_first([server_error(1205, "40001")]))
            assert transaction.run(done) == "done"
        assert (machine.runner.counts.opened, machine.runner.counts.dropped) == (2, 1)

    def test_an_error_within_the_block_gives_the_connection_back(self, machine: Machine) -> None:
        with (
            pytest.raises(RuntimeError),
            Transaction(machine.runner, LONG, Cancellation()) as transaction,
        ):
            transaction.run(done)
            raise RuntimeError
        assert machine.opened[0].rollbacks == 1
        assert machine.runner.run(done, seconds=LONG) == "done"
        assert len(machine.opened) == 1

    def test_its_place_is_taken_until_the_block_ends(self) -> None:
        machine = Machine(size=1, wait_seconds=0.0)
        with Transaction(machine.runner, LONG, Cancellation()) as transaction:
            transaction.run(done)
            with pytest.raises(UnavailableError) as caught:
                machine.runner.run(done, seconds=LONG)
        assert caught.value.code == "busy"
        assert machine.runner.run(done, seconds=LONG) == "done"
        machine.runner.close()

    def test_the_time_of_all_jobs_is_one(self, machine: Machine) -> None:
        with Transaction(machine.runner, LONG, Cancellation()) as transaction:
            transaction.run(done)
            machine.now += LONG
            with pytest.raises(QueryTimeoutError) as caught:
                transaction.run(done)
        assert caught.value.code == "timeout"

    def test_a_job_that_outlasts_its_caller_is_cancelled(self, machine: Machine) -> None:
        cancellation, has_begun = Cancellation(), threading.Event()

        def work(cursor: Any, running: RunningStatement) -> None:
            has_begun.set()
            until_cancelled(cursor, running)

        threading.Thread(target=lambda: has_begun.wait(LONG) and cancellation.cancel()).start()
        with Transaction(machine.runner, LONG, cancellation) as transaction:
            transaction.run(done)
            with pytest.raises(QueryTimeoutError):
                transaction.run(work)
        machine.runner.close(LONG)
        assert machine.runner.counts.dropped == 1

    def test_no_job_runs_after_the_block(self, machine: Machine) -> None:
        with Transaction(machine.runner, LONG, Cancellation()) as transaction:
            pass
        with pytest.raises(GraphError):
            transaction.run(done)
