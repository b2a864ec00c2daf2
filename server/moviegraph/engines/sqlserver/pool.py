"""A bounded number of places, given out in the order of asking."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moviegraph.engines.base import Cancellation
from moviegraph.engines.sqlserver.driver import import_pyodbc
from moviegraph.errors import UnavailableError

if TYPE_CHECKING:
    import pyodbc


class _Waiter:
    """Somebody who waits for a place."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.granted = False


class Slots:
    """Places for statements; who waits is woken by a free place, by a cancellation or by time."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._free = size
        self._waiting: deque[_Waiter] = deque()
        self._lock = threading.Lock()

    def acquire(self, seconds: float, cancellation: Cancellation) -> None:
        """Wait for a place.

        Raises:
            UnavailableError: None became free in time (code busy); nothing was sent.
            QueryTimeoutError: Cancelled meanwhile.
        """
        cancellation.check()
        with self._lock:
            if self._free and not self._waiting:
                self._free -= 1
                return
            waiter = _Waiter()
            self._waiting.append(waiter)
        forget = cancellation.on_cancel(waiter.woken.set)
        waiter.woken.wait(seconds)
        forget()
        self._settle(waiter, seconds, cancellation)

    def _settle(self, waiter: _Waiter, seconds: float, cancellation: Cancellation) -> None:
        with self._lock:
            if not waiter.granted:
                self._waiting.remove(waiter)
        if waiter.granted and not cancellation.cancelled:
            return
        if waiter.granted:
            self.release()
        cancellation.check()
        raise UnavailableError(
            f"The database is busy: no connection became free within {seconds:.3g} s, and nothing "
            "was run.",
            code="busy",
            hint="Make the same call again in a few seconds.",
        )

    def release(self) -> None:
        """Give a place back, to who has waited longest."""
        with self._lock:
            if self._waiting:
                waiter = self._waiting.popleft()
                waiter.granted = True
                waiter.woken.set()
            else:
                self._free += 1

    @property
    def used(self) -> int:
        """How many places are taken."""
        return self.size - self._free

    @property
    def waiting(self) -> int:
        """How many wait for a place."""
        return len(self._waiting)


# Open sessions keep a serverless database from pausing; Azure pauses after 15 minutes at least.
IDLE_SECONDS = 60.0
Open = Callable[[float], "pyodbc.Connection"]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many connections were opened, dropped because of a doubt, retired idle, and are open."""

    opened: int
    dropped: int
    retired: int
    open: int


class Pool:
    """Connections that no statement uses; how many exist is bounded by whoever lends them."""

    def __init__(
        self,
        open_one: Open,
        *,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_one = open_one
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._changed = threading.Condition()
        self._idle: list[tuple[float, pyodbc.Connection]] = []
        self._opened = self._dropped = self._retired = 0
        self._closed = False
        self._sweeper: threading.Thread | None = None

    def take(self, seconds: float, *, fresh: bool = False) -> pyodbc.Connection:
        """Return the connection that was used last, or a new one.

        Args:
            seconds: Time for a log-in.
            fresh: Whether to open a new one in any case, because a kept one was found lost; those
                that are still kept are then lost as well, and are closed.

        Raises:
            pyodbc.Error: A new one could not be opened.
        """
        self.sweep()
        with self._changed:
            if self._idle and not fresh:
                return self._idle.pop()[1]
            self._retire(len(self._idle))
        connection = self._open_one(seconds)
        with self._changed:
            self._opened += 1
        return connection

    def give_back(self, connection: pyodbc.Connection) -> None:
        """Keep a connection that is known good, with its transaction ended."""
        with self._changed:
            self._idle.append((self._clock(), connection))
            if self._closed:
                self._retire(len(self._idle))
                return
            self._sweep_in_background()
            self._changed.notify()

    def drop(self, connection: pyodbc.Connection) -> None:
        """Close a connection that may not be used again."""
        with self._changed:
            self._dropped += 1
        _close(connection)

    def sweep(self) -> None:
        """Close what has been idle too long."""
        oldest = self._clock() - self._idle_seconds
        with self._changed:
            self._retire(sum(since <= oldest for since, _ in self._idle))

    def close(self) -> None:
        """Close what is idle; what is lent is closed when it comes back."""
        with self._changed:
            self._closed = True
            self._retire(len(self._idle))
            self._changed.notify()

    @property
    def counts(self) -> Counts:
        """What has become of the connections so far."""
        with self._changed:
            ended = self._dropped + self._retired
            return Counts(self._opened, self._dropped, self._retired, self._opened - ended)

    def _retire(self, count: int) -> None:
        """Close the connections that are idle longest; the lock is held.

        Whoever opens one meanwhile would have more connections than places.
        """
        for _, connection in self._idle[:count]:
            _close(connection)
        del self._idle[:count]
        self._retired += count

    def _sweep_in_background(self) -> None:
        if self._sweeper is None:
            sweeper = threading.Thread(
                target=self._sweep_until_empty, name="moviegraph-idle", daemon=True
            )
            with suppress(RuntimeError):  # no more threads: whoever gives one back next tries again
                sweeper.start()
                self._sweeper = sweeper

    def _sweep_until_empty(self) -> None:
        while True:
            self.sweep()
            with self._changed:
                if not self._idle:
                    self._sweeper = None
                    return
                self._changed.wait(self._idle[0][0] + self._idle_seconds - self._clock())


def _close(connection: pyodbc.Connection) -> None:
    with suppress(import_pyodbc().Error):
        connection.close()
