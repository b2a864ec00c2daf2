"""A pool of open connections, each of which one statement uses at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc

if TYPE_CHECKING:
    import pyodbc


# Open sessions keep a serverless database from pausing; Azure pauses after 15 minutes at least.
IDLE_SECONDS = 60.0
Open = Callable[[float], "pyodbc.Connection"]


@dataclass(slots=True)
class Counts:
    """The numbers of connections that were opened, dropped in doubt, and retired when idle."""

    opened: int = 0
    dropped: int = 0
    retired: int = 0

    @property
    def open(self) -> int:
        """The number of open connections."""
        return self.opened - self.dropped - self.retired


class Pool:
    """Connections that no statement uses; the caller bounds how many exist."""

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
        self._lock = threading.Lock()
        self._idle: list[tuple[float, pyodbc.Connection]] = []
        self.counts = Counts()
        self._closed = False
        self._timer: threading.Timer | None = None

    def take(self, seconds: float, *, fresh: bool = False) -> pyodbc.Connection:
        """Return the connection that was used last, or a new one.

        Args:
            seconds: Time for a login.
            fresh: Whether to open a new one in any case, because an idle one was lost; those
                that are still idle are then lost as well, and are closed.

        Raises:
            pyodbc.Error: A new one could not be opened.
        """
        self.sweep()
        with self._lock:
            if self._idle and not fresh:
                return self._idle.pop()[1]
            self._retire(len(self._idle))
        connection = self._open_one(seconds)
        with self._lock:
            self.counts.opened += 1
        return connection

    def give_back(self, connection: pyodbc.Connection) -> None:
        """Return a connection that is known good, with its transaction ended."""
        with self._lock:
            self._idle.append((self._clock(), connection))
            if self._closed:
                self._retire(len(self._idle))
                return
            self._sweep_later()

    def drop(self, connection: pyodbc.Connection) -> None:
        """Close a connection that may not be used again."""
        with self._lock:
            self.counts.dropped += 1
        _close(connection)

    def sweep(self) -> None:
        """Close the connections that have been idle too long."""
        oldest = self._clock() - self._idle_seconds
        with self._lock:
            self._retire(sum(since <= oldest for since, _ in self._idle))

    def close(self) -> None:
        """Close idle connections; others are closed when they are returned."""
        with self._lock:
            self._closed = True
            self._retire(len(self._idle))
            if self._timer is not None:
                self._timer.cancel()

    def _retire(self, count: int) -> None:
        """Close the connections that are idle longest; the lock is held.

        If one were opened meanwhile, there would be more connections than slots.
        """
        self.counts.retired += count
        for _, connection in self._idle[:count]:
            _close(connection)
        del self._idle[:count]

    def _sweep_later(self) -> None:
        """Sweep after the idle time, unless a timer runs; the lock is held."""
        if self._timer is None:
            timer = threading.Timer(self._idle_seconds, self._sweep_by_timer)
            timer.name, timer.daemon = "moviegraph-idle", True
            with suppress(RuntimeError):  # no more threads: the next return tries again
                timer.start()
                self._timer = timer

    def _sweep_by_timer(self) -> None:
        self.sweep()
        with self._lock:
            self._timer = None
            if self._idle:
                self._sweep_later()


def _close(connection: pyodbc.Connection) -> None:
    with suppress(import_pyodbc().Error):
        connection.close()
