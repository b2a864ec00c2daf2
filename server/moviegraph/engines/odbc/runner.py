"""Runs work on a connection in a thread of its own, so that nobody waits longer than agreed."""

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
from moviegraph.engines.odbc.cancelling import Underway
from moviegraph.engines.odbc.driver import import_pyodbc
from moviegraph.engines.odbc.pool import Counts, Open, Pool
from moviegraph.engines.odbc.slots import Slots
from moviegraph.engines.odbc.transient import Patience
from moviegraph.errors import MoviegraphError, UnavailableError

if TYPE_CHECKING:
    import pyodbc

LOG = logging.getLogger("moviegraph")
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
