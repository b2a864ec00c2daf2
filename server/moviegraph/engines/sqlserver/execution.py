"""Statements run in separate threads, so that no caller waits longer than its limit."""

from __future__ import annotations

import logging
import math
import threading
import time
from _thread import start_new_thread  # Thread.start() waits until a busy machine has begun it
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from moviegraph.engines.base import Cancellation, closed, timeout_error
from moviegraph.engines.sqlserver.diagnostics import NO_TRANSACTION, RetryPolicy, numbers
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc
from moviegraph.engines.sqlserver.pool import IDLE_SECONDS, Counts, Open, Pool
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
    """The state that caller, worker and canceller of one job share.

    The lock is held during SQLCancel and while the cursor is detached: closing a cursor while a
    different thread is inside SQLCancel crashes the process.
    """

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.ended = threading.Event()
        self.started = False
        self.rows_seen = False
        self.result: Any = None
        self.error: BaseException | None = None
        self._left = threading.Event()  # ended or stopped
        self._lock = threading.Lock()
        self._cursor: pyodbc.Cursor | None = None
        self._cancelled = False

    def wait(self, seconds: float) -> bool:
        """Wait for the end; return False if it is stopped or the time is over before."""
        self._left.wait(seconds)
        return self.ended.is_set() and not self.stopped.is_set()

    def stop(self) -> None:
        """Let the caller leave at once; a separate thread cancels, because that may block."""
        self.stopped.set()
        self._left.set()

    def end(self) -> None:
        """Wake the caller: result or error are set."""
        self.ended.set()
        self._left.set()

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
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        self.pool = Pool(open_one, clock=clock, idle_seconds=idle_seconds)
        self.now = clock
        self.pause = pause
        self._slots = threading.BoundedSemaphore(size)
        self._wait_seconds = wait_seconds
        self._running: set[RunningStatement] = set()
        self._lock = threading.Lock()
        self._closed = False

    def run(self, job: Job[T], *, seconds: float, cancellation: Cancellation | None = None) -> T:
        """Run a job in a separate transaction; see `Transaction.run`."""
        with Transaction(self, seconds, cancellation or Cancellation()) as transaction:
            return transaction.run(job, is_last=True)

    def acquire_slot(self, seconds: float, cancellation: Cancellation) -> None:
        """Wait for a slot, some seconds at most.

        Raises:
            UnavailableError: None became free in time (code busy); nothing was sent.
            QueryTimeoutError: Cancelled meanwhile.
        """
        seconds = min(self._wait_seconds, seconds)
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

    def start(self, running: RunningStatement, thread: threading.Thread) -> None:
        """Start the thread of a job. Raises GraphError if the runner is closed."""
        with self._lock:
            if self._closed:
                raise closed()
            self._running.add(running)
        thread.start()

    def end(self, running: RunningStatement) -> None:
        """Wake the caller of a job that has ended."""
        with self._lock:
            self._running.discard(running)
        running.end()

    def settle(self, connection: pyodbc.Connection, *, good: bool) -> None:
        """Roll back, and return the connection to the pool if it is good."""
        if good:
            try:
                connection.rollback()
            except import_pyodbc().Error as error:
                # XACT_ABORT has rolled back already, and FreeTDS reports that there is nothing to.
                good = numbers(error) == frozenset({NO_TRANSACTION})
        if good:
            self.pool.give_back(connection)
        else:
            self.pool.drop(connection)

    def release(self, connection: pyodbc.Connection | None, *, good: bool = True) -> None:
        """Free a slot, with its connection if there is one."""
        if connection is not None:
            self.settle(connection, good=good)
        self._slots.release()

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
        self.pool.close()

    @property
    def counts(self) -> Counts:
        """The numbers of connections so far."""
        return self.pool.counts


class Transaction:
    """Runs jobs one after another in one transaction, which is rolled back at the end.

    The first job takes a connection, leaving the block returns it. Each job has a thread, so that
    the caller may leave at once when the time is over or the call is cancelled. A lost connection
    is tried again as long as no job was answered. A job that fails ends the transaction: the next
    job begins a new one.
    """

    def __init__(self, runner: Runner, seconds: float, cancellation: Cancellation) -> None:
        """Take what all jobs together may take; their time begins now."""
        self._runner = runner
        self._seconds = seconds
        self._cancellation = cancellation
        self._deadline = runner.now() + seconds
        self._lock = threading.Lock()
        self._connection: pyodbc.Connection | None = None  # between two jobs
        self._answered = False
        self._left = False

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, *_: object) -> None:
        """End the transaction, and wait until the connection is free again."""
        with self._lock:
            self._left = True
        if (connection := self._take()) is not None:
            thread = _thread(self._runner.release, connection)
            thread.start()
            thread.join(max(0.0, self._time_left()))

    def run(self, job: Job[T], *, is_last: bool = False) -> T:
        """Run a job after those before it; the last one returns the connection itself.

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
        running = self._begin(job, is_last=is_last)
        forget = self._cancellation.on_cancel(running.stop)
        has_ended = running.wait(self._time_left())
        forget()
        if not has_ended:
            self._runner.stop(running)
            raise self._runner.stop_error(running, self._seconds, self._cancellation)
        if running.error is not None:
            raise running.error
        return running.result

    def _begin(self, job: Job[Any], *, is_last: bool) -> RunningStatement:
        """Begin a job in a thread, on the connection of the job before it if there is one."""
        connection = self._take()
        if connection is None:
            self._answered = False
            self._runner.acquire_slot(self._time_left(), self._cancellation)
        running = RunningStatement()
        try:
            self._runner.start(running, _thread(self._work, running, job, connection, is_last))
        except BaseException:
            self._runner.release(connection)
            self._runner.end(running)
            raise
        return running

    def _take(self) -> pyodbc.Connection | None:
        with self._lock:
            connection, self._connection = self._connection, None
            return connection

    def _work(
        self,
        running: RunningStatement,
        job: Job[Any],
        connection: pyodbc.Connection | None,
        is_last: bool,
    ) -> None:
        """Run a job; keep the connection for the next one, or release it with its slot."""
        try:
            connection = self._run_with_retries(running, job, connection)
        except BaseException as error:  # noqa: BLE001 (raised again in the caller's thread)
            running.error, connection = error, None
        with self._lock:
            is_over = is_last or self._left or running.stopped.is_set()
            if connection is not None and not is_over:
                self._connection, self._answered = connection, True
                self._runner.end(running)
                return
        self._runner.release(connection, good=running.detach())
        self._runner.end(running)

    def _run_with_retries(
        self, running: RunningStatement, job: Job[Any], connection: pyodbc.Connection | None
    ) -> pyodbc.Connection:
        """Run a job, again on a fresh connection where that can help; return the connection."""
        policy, fresh = RetryPolicy(), False
        while True:
            connection = connection or self._connect(running, policy, fresh=fresh)
            try:
                self._run_once(running, connection, job)
            except import_pyodbc().Error as error:
                rows_seen = running.rows_seen or self._answered  # they cannot be taken back
                wait = policy.in_query(error, rows_seen=rows_seen)
                self._runner.settle(connection, good=wait is None and running.detach())
                if wait is None or wait >= self._time_left():
                    raise
                connection, fresh = None, True
                self._rest(running, wait)
            except BaseException:
                self._runner.settle(connection, good=running.detach())
                raise
            else:
                return connection

    def _connect(
        self, running: RunningStatement, policy: RetryPolicy, *, fresh: bool
    ) -> pyodbc.Connection:
        while True:
            running.check()
            try:
                return self._runner.pool.take(self._time_left(), fresh=fresh)
            except import_pyodbc().Error as error:
                wait = policy.at_login(error)
                if wait is None or wait >= self._time_left():
                    raise
                LOG.warning("The database cannot be reached yet; next try in %.3g s.", wait)
                self._rest(running, wait)

    def _rest(self, running: RunningStatement, seconds: float) -> None:
        if seconds:
            self._runner.pause(running.stopped, seconds)
        running.check()

    def _run_once(
        self, running: RunningStatement, connection: pyodbc.Connection, job: Job[Any]
    ) -> None:
        with suppress(import_pyodbc().Error):  # some drivers refuse a time limit
            connection.timeout = math.ceil(max(0.0, self._time_left()) + BELT)
        cursor = connection.cursor()
        try:
            running.attach(cursor)
            running.result = job(cursor, running)
        finally:
            running.detach()  # before closing: no thread may cancel from now on
            with suppress(import_pyodbc().Error):
                cursor.close()

    def _time_left(self) -> float:
        return self._deadline - self._runner.now()


def _thread(work: Callable[..., None], *arguments: Any) -> threading.Thread:
    return threading.Thread(target=work, args=arguments, name="moviegraph-statement", daemon=True)
