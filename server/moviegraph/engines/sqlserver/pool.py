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


@dataclass(frozen=True, slots=True)
class Counts:
    """How many connections were opened, dropped because of a doubt, retired idle, and are open."""

    opened: int
    dropped: int
    retired: int
    open: int


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
        self._changed = threading.Condition()
        self._idle: list[tuple[float, pyodbc.Connection]] = []
        self._opened = self._dropped = self._retired = 0
        self._closed = False
        self._sweeper: threading.Thread | None = None

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
        with self._changed:
            if self._idle and not fresh:
                return self._idle.pop()[1]
            self._retire(len(self._idle))
        connection = self._open_one(seconds)
        with self._changed:
            self._opened += 1
        return connection

    def give_back(self, connection: pyodbc.Connection) -> None:
        """Return a connection that is known good, with its transaction ended."""
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
        """Close the connections that have been idle too long."""
        oldest = self._clock() - self._idle_seconds
        with self._changed:
            self._retire(sum(since <= oldest for since, _ in self._idle))

    def close(self) -> None:
        """Close idle connections; others are closed when they are returned."""
        with self._changed:
            self._closed = True
            self._retire(len(self._idle))
            self._changed.notify()

    @property
    def counts(self) -> Counts:
        """The numbers of connections so far."""
        with self._changed:
            ended = self._dropped + self._retired
            return Counts(self._opened, self._dropped, self._retired, self._opened - ended)

    def _retire(self, count: int) -> None:
        """Close the connections that are idle longest; the lock is held.

        If one were opened meanwhile, there would be more connections than slots.
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
            with suppress(RuntimeError):  # no more threads: the next return tries again
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
