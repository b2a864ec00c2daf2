"""One statement under way, and how it is stopped without harm to the driver."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from moviegraph.engines.odbc.driver import import_pyodbc

if TYPE_CHECKING:
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
