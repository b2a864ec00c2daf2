"""Statements run in separate threads, so that no caller waits longer than its limit."""

from __future__ import annotations

import logging
import math
import threading
import time
from _thread import start_new_thread  # Thread.start() waits until a busy machine has begun it
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from moviegraph.engines.base import Cancellation, closed, timeout_error
from moviegraph.engines.sqlserver.diagnostics import NO_TRANSACTION, RetryPolicy, numbers
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc
from moviegraph.engines.sqlserver.pool import Counts, Open, Pool
from moviegraph.errors import MoviegraphError, UnavailableError

if TYPE_CHECKING:
    import pyodbc

LOG = logging.getLogger("moviegraph")
# FreeTDS can lose the wake-up of a thread that is cancelled just before it waits for the server,
# and that thread then never ends; most have begun to wait by now.
SETTLE = 0.02
REPEAT = 0.25
POLL = 0.05  # seconds between looks whether a call that waits for a slot was cancelled
GRACE = 5.0
SIZE = 6
WAIT_SECONDS = 10.0
BELT = 2.0  # seconds after which the driver itself gives up if cancelling has failed
T = TypeVar("T")


class Stopped(Exception):
    """The caller has left; ends the work of its thread."""


class RunningStatement:
    """The state that caller, worker and canceller of one statement share.

    The lock is held during SQLCancel and while the cursor is detached: closing a cursor while a
    different thread is inside SQLCancel crashes the process.
    """

    def __init__(self, changed: threading.Condition | None = None) -> None:
        """`changed` is notified once the work has ended, and when it is to stop."""
        self.stopped = threading.Event()
        self.ended = threading.Event()
        self.started = False
        self.rows_seen = False
        self.error: BaseException | None = None
        self._changed = changed or threading.Condition()
        self._lock = threading.Lock()
        self._cursor: pyodbc.Cursor | None = None
        self._cancelled = False

    def wait(self, is_done: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is done, the end, `stop`, or the end of the time."""
        with self._changed:
            self._changed.wait_for(
                lambda: is_done() or self.ended.is_set() or self.stopped.is_set(), seconds
            )
            return is_done() and not self.stopped.is_set()

    def stop(self) -> None:
        """Let the caller leave at once; a separate thread cancels, because that may block."""
        self.stopped.set()
        self._notify()

    def end(self, error: BaseException | None) -> None:
        """Store the error of the work for its caller, and wake it."""
        self.error = error
        self.ended.set()
        self._notify()

    def check(self) -> None:
        """Raise Stopped if the caller has left."""
        if self.stopped.is_set():
            raise Stopped

    def attach(self, cursor: pyodbc.Cursor) -> None:
        """Set the cursor to cancel. Raises Stopped if the caller has left."""
        with self._lock:
            self.check()
            self.started = True
            self._cursor = cursor

    def detach(self) -> bool:
        """Take the cursor back, to close it; returns whether it was never cancelled."""
        with self._lock:
            self._cursor = None
            return not self._cancelled

    def cancel_until_ended(self, grace: float = GRACE) -> None:
        """Cancel repeatedly; runs in a separate thread, which the driver may block.

        SQLCancel before the statement has begun does nothing, so it is repeated; the Microsoft
        driver returns from it only once the server has answered.
        """
        if self.ended.wait(SETTLE):
            return
        for _ in range(max(1, round(grace / REPEAT))):
            self._cancel()
            if self.ended.wait(REPEAT):
                return
        LOG.warning(
            "A cancelled statement has not finished within %g s; its connection stays in use until "
            "the server responds, and is dropped then.",
            grace,
        )

    def _cancel(self) -> None:
        with self._lock:
            if self._cursor is not None:
                self._cancelled = True
                with suppress(import_pyodbc().Error):
                    self._cursor.cancel()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()


Job = Callable[["pyodbc.Cursor", RunningStatement], T]


class Runner:
    """Runs work on pooled connections; safe to call from several threads.

    A slot is taken until the thread has really ended, also when its caller has left: so there
    are never more connections than slots.
    """

    def __init__(
        self,
        open_one: Open,
        *,
        size: int = SIZE,
        wait_seconds: float = WAIT_SECONDS,
        idle_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        options = {} if idle_seconds is None else {"idle_seconds": idle_seconds}
        self._pool = Pool(open_one, clock=clock, **options)
        self._slots = threading.BoundedSemaphore(size)
        self._wait_seconds = wait_seconds
        self.now = clock
        self._pause = pause
        self._running: set[RunningStatement] = set()
        self._lock = threading.Lock()
        self._closed = False

    def run(self, job: Job[T], *, seconds: float, cancellation: Cancellation | None = None) -> T:
        """Run a job in a separate transaction; see `Transaction.run`."""
        with Transaction(self, seconds, cancellation or Cancellation()) as transaction:
            return transaction.run(job)

    def begin(
        self,
        job: Job[Any],
        deadline: float,
        cancellation: Cancellation,
        changed: threading.Condition,
    ) -> RunningStatement:
        """Begin work on a connection, in a separate thread.

        Args:
            job: The work; it may be run again on a different connection.
            deadline: When its time is over, by `now`.
            cancellation: Ends the wait for a slot.
            changed: Notified when the work has ended or is to stop.
        """
        self._acquire_slot(min(self._wait_seconds, deadline - self.now()), cancellation)
        running = RunningStatement(changed)
        thread = threading.Thread(
            target=self._work,
            args=(running, job, deadline),
            name="moviegraph-statement",
            daemon=True,
        )
        try:
            with self._lock:
                if self._closed:
                    raise closed()
                self._running.add(running)
            thread.start()
        except BaseException:
            self._forget(running)
            raise
        return running

    def _acquire_slot(self, seconds: float, cancellation: Cancellation) -> None:
        """Wait for a slot.

        Raises:
            UnavailableError: None became free in time (code busy); nothing was sent.
            QueryTimeoutError: Cancelled meanwhile.
        """
        end = time.monotonic() + seconds
        cancellation.check()
        while not self._slots.acquire(timeout=max(0.0, min(POLL, end - time.monotonic()))):
            cancellation.check()
            if time.monotonic() >= end:
                raise UnavailableError(
                    f"The database is busy: no connection became free within {seconds:.3g} s, and "
                    "nothing was run.",
                    code="busy",
                    hint="Make the same call again in a few seconds.",
                )

    def stop(self, running: RunningStatement) -> None:
        """Let the caller of some work go, and have the server cancel it."""
        running.stop()
        start_new_thread(running.cancel_until_ended, ())

    def stop_error(
        self, running: RunningStatement, seconds: float, cancellation: Cancellation
    ) -> MoviegraphError:
        """Return why work was stopped: closed, not reached, or out of time.

        Raises:
            QueryTimeoutError: It was cancelled.
        """
        cancellation.check()
        if self._closed:
            return closed()
        if not running.started:
            return UnavailableError(
                f"The database could not be reached within {seconds:.3g} s; nothing was run.",
                hint="Make the same call again in a minute.",
            )
        return timeout_error(seconds)

    def close(self, grace: float = 2.0) -> None:
        """Stop what runs and close every connection; a second call does nothing."""
        with self._lock:
            self._closed = True
            statements = list(self._running)
        for running in statements:
            self.stop(running)
        until = time.monotonic() + grace
        for running in statements:
            running.ended.wait(max(0.0, until - time.monotonic()))
        self._pool.close()

    @property
    def counts(self) -> Counts:
        """The numbers of connections so far."""
        return self._pool.counts

    def _forget(self, running: RunningStatement) -> None:
        with self._lock:
            self._running.discard(running)
        self._slots.release()

    def _work(self, running: RunningStatement, job: Job[Any], deadline: float) -> None:
        failure = None
        try:
            self._run_with_retries(running, job, deadline)
        except BaseException as error:  # noqa: BLE001 (raised again in the caller's thread)
            failure = error
        self._forget(running)
        running.end(failure)

    def _run_with_retries(self, running: RunningStatement, job: Job[Any], deadline: float) -> None:
        """Run the work, again on a fresh connection where that can help."""
        policy, fresh = RetryPolicy(), False
        while True:
            connection = self._connection(running, deadline, policy, fresh=fresh)
            try:
                self._run_once(running, connection, job, deadline)
            except import_pyodbc().Error as error:
                wait = policy.in_query(error, rows_seen=running.rows_seen)
                self._settle(connection, good=wait is None and running.detach())
                if wait is None or self.now() + wait >= deadline:
                    raise
                self._rest(running, wait)
                fresh = True
            except BaseException:
                self._settle(connection, good=running.detach())
                raise
            else:
                self._settle(connection, good=running.detach())
                return

    def _connection(
        self, running: RunningStatement, deadline: float, policy: RetryPolicy, *, fresh: bool
    ) -> pyodbc.Connection:
        while True:
            running.check()
            try:
                return self._pool.take(deadline - self.now(), fresh=fresh)
            except import_pyodbc().Error as error:
                wait = policy.at_login(error)
                if wait is None or self.now() + wait >= deadline:
                    raise
                LOG.warning("The database cannot be reached yet; next try in %.3g s.", wait)
                self._rest(running, wait)

    def _rest(self, running: RunningStatement, seconds: float) -> None:
        if seconds:
            self._pause(running.stopped, seconds)
        running.check()

    def _run_once(
        self,
        running: RunningStatement,
        connection: pyodbc.Connection,
        job: Job[Any],
        deadline: float,
    ) -> None:
        with suppress(import_pyodbc().Error):  # some drivers refuse a time limit
            connection.timeout = math.ceil(max(0.0, deadline - self.now()) + BELT)
        cursor = connection.cursor()
        try:
            running.attach(cursor)
            job(cursor, running)
        finally:
            running.detach()  # before closing: no thread may cancel from now on
            with suppress(import_pyodbc().Error):
                cursor.close()

    def _settle(self, connection: pyodbc.Connection, *, good: bool) -> None:
        """Roll back, and return the connection to the pool if it is good."""
        if good:
            try:
                connection.rollback()
            except import_pyodbc().Error as error:
                # XACT_ABORT has rolled back already, and FreeTDS reports that there is nothing to.
                good = numbers(error) == frozenset({NO_TRANSACTION})
        if good:
            self._pool.give_back(connection)
        else:
            self._pool.drop(connection)


class Task(Generic[T]):
    """A job that the thread of a transaction is to run, and later its result."""

    def __init__(self, job: Job[T]) -> None:
        self.job = job
        self.done = False
        self.result: T | None = None


class Transaction:
    """Runs jobs one after another in one transaction, which is rolled back at the end.

    The first job takes a connection, leaving the block returns it. One thread serves all of them,
    so that the caller may leave at once when the time is over or the call is cancelled. A lost
    connection is tried again as long as no job was answered. A job that fails ends the
    transaction: the next job begins a new one.
    """

    def __init__(self, runner: Runner, seconds: float, cancellation: Cancellation) -> None:
        """Take what all jobs together may take; their time begins now."""
        self._runner = runner
        self._seconds = seconds
        self._cancellation = cancellation
        self._deadline = runner.now() + seconds
        self._changed = threading.Condition()
        self._task: Task[Any] | None = None
        self._running: RunningStatement | None = None
        self._forget: Callable[[], None] = lambda: None
        self._left = False

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, *_: object) -> None:
        """End the transaction, and wait until the connection is free again."""
        with self._changed:
            self._left = True
            interrupted = self._task is not None
            self._changed.notify_all()
        running = self._running
        if running is None:
            return
        self._release(running)
        if interrupted or not running.ended.wait(max(0.0, self._time_left())):
            self._runner.stop(running)

    def run(self, job: Job[T]) -> T:
        """Run a job after those before it.

        Raises:
            pyodbc.Error: As the driver says it.
            UnavailableError: No slot, or no connection, in time.
            QueryTimeoutError: Out of time, or cancelled.
            GraphError: Closed meanwhile.
        """
        self._cancellation.check()
        if self._left:
            raise closed()
        if self._time_left() <= 0:
            raise timeout_error(self._seconds)
        task = Task(job)
        running = self._post(task)
        if running.wait(lambda: task.done, self._time_left()):
            return task.result  # pyright: ignore[reportReturnType]
        self._release(running)
        if running.error is not None and not running.stopped.is_set():
            raise running.error
        self._runner.stop(running)
        raise self._runner.stop_error(running, self._seconds, self._cancellation)

    def _post(self, task: Task[Any]) -> RunningStatement:
        """Pass a task to the thread of the transaction; the first one begins it."""
        with self._changed:
            self._task = task
            self._changed.notify_all()
        if self._running is None:
            self._running = self._runner.begin(
                self._serve, self._deadline, self._cancellation, self._changed
            )
            self._forget = self._cancellation.on_cancel(self._running.stop)
        return self._running

    def _serve(self, cursor: pyodbc.Cursor, running: RunningStatement) -> None:
        """Run tasks until the caller leaves; on a new connection, first the unfinished one."""
        while (task := self._next(running)) is not None:
            result = task.job(cursor, running)
            running.rows_seen = True  # returned rows cannot be taken back
            with self._changed:
                task.result, task.done = result, True
                if self._task is task:
                    self._task = None
                self._changed.notify_all()

    def _next(self, running: RunningStatement) -> Task[Any] | None:
        """Wait for a task; None once the caller has left or the time is over."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._task is not None or self._left or running.stopped.is_set(),
                self._time_left(),
            )
            running.check()
            return self._task

    def _release(self, running: RunningStatement) -> None:
        """Let the thread end; the next job begins a new one."""
        if self._running is running:
            self._running = None
            self._forget()
        with self._changed:
            self._task = None

    def _time_left(self) -> float:
        return self._deadline - self._runner.now()
