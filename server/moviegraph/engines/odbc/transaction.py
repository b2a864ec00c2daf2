"""Several jobs on one connection, in one transaction that is rolled back at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from moviegraph.engines.base import closed, timeout_error

if TYPE_CHECKING:
    from types import TracebackType

    import pyodbc

    from moviegraph.engines.base import Cancellation
    from moviegraph.engines.odbc.cancelling import Underway
    from moviegraph.engines.odbc.runner import Job, Runner

T = TypeVar("T")


class Task(Generic[T]):
    """A job that the thread of a transaction is to run, and later its result."""

    def __init__(self, job: Job[T]) -> None:
        self.job = job
        self.done = False
        self.result: T | None = None


class Transaction:
    """Runs jobs one after another; the first one takes a connection, leaving the block returns it.

    One thread serves all of them, so that the caller may leave at once when the time is over or
    the call is cancelled, as with a single statement. A lost connection is tried again as long as
    no job was answered. A job that fails ends the transaction: another one begins a new one.
    """

    def __init__(self, runner: Runner, seconds: float, cancellation: Cancellation) -> None:
        """Take what all jobs together may take; their time begins now."""
        self._runner = runner
        self._seconds = seconds
        self._cancellation = cancellation
        self._deadline = runner.now() + seconds
        self._changed = threading.Condition()
        self._task: Task[Any] | None = None
        self._underway: Underway | None = None
        self._forget: Callable[[], None] = lambda: None
        self._left = False

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def run(self, job: Job[T]) -> T:
        """Run a job after those before it.

        Raises:
            pyodbc.Error: As the driver says it.
            UnavailableError: No place, or no connection, in time.
            QueryTimeoutError: Out of time, or cancelled.
            GraphError: Closed meanwhile.
        """
        self._cancellation.check()
        if self._left:
            raise closed()
        if self._time_left() <= 0:
            raise timeout_error(self._seconds)
        task = Task(job)
        underway = self._post(task)
        if self._is_answered(task, underway):
            return task.result  # pyright: ignore[reportReturnType]
        self._release(underway)
        if underway.ended.is_set() and not underway.stopped.is_set():
            return underway.outcome()  # raises what the job raised
        self._runner.stop(underway)
        raise self._runner.stop_error(underway, self._seconds, self._cancellation)

    def _is_answered(self, task: Task[Any], underway: Underway) -> bool:
        """Wait for the answer, the end of the thread, or the end of the time."""
        with self._changed:
            self._changed.wait_for(
                lambda: task.done or underway.ended.is_set() or underway.stopped.is_set(),
                self._time_left(),
            )
            return task.done and not underway.stopped.is_set()

    def _post(self, task: Task[Any]) -> Underway:
        """Give a task to the thread of the transaction; the first one begins it."""
        with self._changed:
            self._task = task
            self._changed.notify_all()
        if self._underway is None:
            self._underway = self._runner.begin(
                self._serve, self._deadline, self._cancellation, self._notify
            )
            self._forget = self._cancellation.on_cancel(self._underway.stop)
        return self._underway

    def _serve(self, cursor: pyodbc.Cursor, underway: Underway) -> None:
        """Run tasks until the caller leaves; on another connection, first the unanswered one."""
        while (task := self._next(underway)) is not None:
            result = task.job(cursor, underway)
            underway.rows_seen = True  # what was answered cannot be taken back
            with self._changed:
                task.result, task.done = result, True
                if self._task is task:
                    self._task = None
                self._changed.notify_all()

    def _next(self, underway: Underway) -> Task[Any] | None:
        """Wait for a task; None once the caller has left or the time is over."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._task is not None or self._left or underway.stopped.is_set(),
                self._time_left(),
            )
            underway.check()
            return self._task

    def _leave(self) -> None:
        """End the transaction, and wait until the connection is free again."""
        with self._changed:
            self._left = True
            interrupted = self._task is not None
            self._changed.notify_all()
        underway = self._underway
        if underway is None:
            return
        self._release(underway)
        if interrupted or not underway.ended.wait(max(0.0, self._time_left())):
            self._runner.stop(underway)

    def _release(self, underway: Underway) -> None:
        """Let the thread end by itself; another job begins a new one."""
        if self._underway is underway:
            self._underway = None
            self._forget()
        with self._changed:
            self._task = None

    def _time_left(self) -> float:
        return self._deadline - self._runner.now()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()
