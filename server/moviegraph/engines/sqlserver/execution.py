"""One statement under way, and how it is stopped without harm to the driver."""

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
from moviegraph.engines.sqlserver.diagnostics import Patience
from moviegraph.engines.sqlserver.driver import import_pyodbc
from moviegraph.engines.sqlserver.pool import Counts, Open, Pool, Slots
from moviegraph.errors import MoviegraphError, UnavailableError

if TYPE_CHECKING:
    from types import TracebackType

    import pyodbc


LOG = logging.getLogger("moviegraph")
# FreeTDS can lose the wake-up of a thread that is cancelled just before it waits for the server,
# and that thread then never ends; most have begun to wait by now.
SETTLE = 0.02
REPEAT = 0.25
GRACE = 5.0


class Stopped(Exception):
    """The caller has gone; ends the work of its thread."""


class Underway:
    """What caller, worker and canceller of one statement share.

    The lock stands around SQLCancel and around giving the cursor up: a cursor that is closed while
    another thread is inside SQLCancel crashes the process.
    """

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        """Take what is called once the work has ended, and when it is to stop."""
        self.stopped = threading.Event()
        self.ended = threading.Event()
        self.started = False
        self.rows_seen = False
        self._changed = changed
        self._awake = threading.Event()
        self._lock = threading.Lock()
        self._cursor: pyodbc.Cursor | None = None
        self._cancelled = False
        self._result: Any = None
        self._error: BaseException | None = None

    def wait(self, seconds: float) -> bool:
        """Wait for the end, for `stop`, or until the time is out; returns whether it has ended."""
        self._awake.wait(seconds)
        return self.ended.is_set() and not self.stopped.is_set()

    def stop(self) -> None:
        """Let the caller go at once; cancelling is another's work, because it may block."""
        self.stopped.set()
        self._awake.set()
        self._changed()

    def attach(self, cursor: pyodbc.Cursor) -> None:
        """Say what is to be cancelled. Raises Stopped if the caller has gone."""
        with self._lock:
            self.check()
            self.started = True
            self._cursor = cursor

    def detach(self) -> bool:
        """Take the cursor back, to close it; returns whether it was never cancelled."""
        with self._lock:
            self._cursor = None
            return not self._cancelled

    def check(self) -> None:
        """Raise Stopped if the caller has gone."""
        if self.stopped.is_set():
            raise Stopped

    def end(self, result: Any = None, error: BaseException | None = None) -> None:
        """Keep the outcome for the caller, and wake it."""
        self._result, self._error = result, error
        self.ended.set()
        self._awake.set()
        self._changed()

    def outcome(self) -> Any:
        """Return what the work returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._result

    def cancel_until_ended(self, grace: float = GRACE) -> None:
        """Cancel again and again; runs in a thread of its own, which the driver may block.

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
            "A cancelled statement has not ended within %g s; its connection stays taken until "
            "the server answers, and is dropped then.",
            grace,
        )

    def _cancel(self) -> None:
        with self._lock:
            if self._cursor is not None:
                self._cancelled = True
                with suppress(import_pyodbc().Error):
                    self._cursor.cancel()


T = TypeVar("T")
Job = Callable[["pyodbc.Cursor", Underway], T]
SIZE = 6
WAIT_SECONDS = 10.0
BELT = 2.0  # seconds after which the driver itself gives up, should cancelling have failed


class Runner:
    """Lends connections to work; safe to call from several threads.

    A place is taken until the thread has really ended, also when its caller has long gone:
    so there are never more connections than places.
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
        kept = {} if idle_seconds is None else {"idle_seconds": idle_seconds}
        self._pool = Pool(open_one, clock=clock, **kept)
        self._slots = Slots(size)
        self._wait_seconds = wait_seconds
        self._clock = clock
        self._pause = pause
        self._running: set[Underway] = set()
        self._lock = threading.Lock()
        self._closed = False

    def run(
        self,
        job: Job[T],
        *,
        seconds: float,
        cancellation: Cancellation | None = None,
    ) -> T:
        """Run work on a connection, and roll back what it did.

        Args:
            job: Executes and fetches; it may be run again on another connection.
            seconds: All its time: waiting for a place, logging in, running, trying again.
            cancellation: Stops it from another thread.

        Raises:
            pyodbc.Error: As the driver says it.
            UnavailableError: No place, or no connection, in time.
            QueryTimeoutError: Out of time, or cancelled.
            GraphError: Closed meanwhile.
        """
        cancellation = cancellation or Cancellation()
        deadline = self._clock() + seconds
        underway = self.begin(job, deadline, cancellation)
        forget = cancellation.on_cancel(underway.stop)
        ended = underway.wait(deadline - self._clock())
        forget()
        if ended:
            return underway.outcome()
        self.stop(underway)
        raise self.stop_error(underway, seconds, cancellation)

    def begin(
        self,
        job: Job[Any],
        deadline: float,
        cancellation: Cancellation,
        changed: Callable[[], None] = lambda: None,
    ) -> Underway:
        """Begin work on a connection, in a thread of its own.

        Args:
            job: What runs; see `run`.
            deadline: When its time is over, by `now`.
            cancellation: Ends the wait for a place.
            changed: Called when the work has ended or is to stop.

        Raises:
            UnavailableError: No place in time.
            QueryTimeoutError: Cancelled meanwhile.
            GraphError: Closed meanwhile.
        """
        self._slots.acquire(min(self._wait_seconds, deadline - self._clock()), cancellation)
        underway = Underway(changed)
        self._begin(underway, job, deadline)
        return underway

    def stop(self, underway: Underway) -> None:
        """Let the caller of some work go, and have the server cancel it."""
        underway.stop()
        _cancel_in_background(underway)

    def stop_error(
        self, underway: Underway, seconds: float, cancellation: Cancellation
    ) -> MoviegraphError:
        """Return why work was stopped: closed, not reached, or out of time.

        Raises:
            QueryTimeoutError: It was cancelled.
        """
        cancellation.check()
        if self._closed:
            return closed()
        if not underway.started:
            return UnavailableError(
                f"The database could not be reached within {seconds:.3g} s; nothing was run.",
                hint="Make the same call again in a minute.",
            )
        return timeout_error(seconds)

    def now(self) -> float:
        """Return the time by which deadlines count."""
        return self._clock()

    def close(self, grace: float = 2.0) -> None:
        """Stop what runs and close every connection; a second call does nothing."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for underway in running:
            self.stop(underway)
        until = time.monotonic() + grace
        for underway in running:
            underway.ended.wait(max(0.0, until - time.monotonic()))
        self._pool.close()

    @property
    def counts(self) -> Counts:
        """What has become of the connections so far."""
        return self._pool.counts

    def _begin(self, underway: Underway, job: Job[Any], deadline: float) -> None:
        work = threading.Thread(
            target=self._work,
            args=(underway, job, deadline),
            name="moviegraph-statement",
            daemon=True,
        )
        try:
            with self._lock:
                if self._closed:
                    raise closed()
                self._running.add(underway)
            work.start()
        except BaseException:
            self._forget(underway)
            raise

    def _forget(self, underway: Underway) -> None:
        with self._lock:
            self._running.discard(underway)
        self._slots.release()

    def _work(self, underway: Underway, job: Job[Any], deadline: float) -> None:
        result, failure = None, None
        try:
            result = self._tried(underway, job, deadline)
        except BaseException as error:  # noqa: BLE001 (raised again in the caller's thread)
            failure = error
        self._forget(underway)
        underway.end(result, failure)

    def _tried(self, underway: Underway, job: Job[T], deadline: float) -> T:
        """Run the work, again on a fresh connection where that can help."""
        patience, fresh = Patience(), False
        while True:
            connection = self._connection(underway, deadline, patience, fresh=fresh)
            try:
                result = self._once(underway, connection, job, deadline)
            except import_pyodbc().Error as error:
                wait = patience.in_query(error, rows_seen=underway.rows_seen)
                self._settle(connection, good=wait is None and underway.detach())
                if wait is None or self._clock() + wait >= deadline:
                    raise
                self._rest(underway, wait)
                fresh = True
            except BaseException:
                self._settle(connection, good=underway.detach())
                raise
            else:
                self._settle(connection, good=underway.detach())
                return result

    def _connection(
        self, underway: Underway, deadline: float, patience: Patience, *, fresh: bool
    ) -> pyodbc.Connection:
        while True:
            underway.check()
            try:
                return self._pool.take(deadline - self._clock(), fresh=fresh)
            except import_pyodbc().Error as error:
                wait = patience.at_login(error)
                if wait is None or self._clock() + wait >= deadline:
                    raise
                LOG.warning("The database cannot be reached yet; next try in %.3g s.", wait)
                self._rest(underway, wait)

    def _rest(self, underway: Underway, seconds: float) -> None:
        if seconds:
            self._pause(underway.stopped, seconds)
        underway.check()

    def _once(
        self, underway: Underway, connection: pyodbc.Connection, job: Job[T], deadline: float
    ) -> T:
        with suppress(import_pyodbc().Error):  # some drivers refuse a time limit
            connection.timeout = math.ceil(max(0.0, deadline - self._clock()) + BELT)
        cursor = connection.cursor()
        try:
            underway.attach(cursor)
            return job(cursor, underway)
        finally:
            underway.detach()  # before closing: nobody may cancel from now on
            with suppress(import_pyodbc().Error):
                cursor.close()

    def _settle(self, connection: pyodbc.Connection, *, good: bool) -> None:
        """Roll back, and keep the connection if nothing speaks against it."""
        if good:
            try:
                connection.rollback()
            except import_pyodbc().Error:
                good = False
        if good:
            self._pool.give_back(connection)
        else:
            self._pool.drop(connection)


def _cancel_in_background(underway: Underway) -> None:
    start_new_thread(underway.cancel_until_ended, ())


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
