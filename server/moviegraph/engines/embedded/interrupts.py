"""Stops a statement when its time is out or its caller cancels."""

import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from math import inf

from moviegraph.engines.base import Budget, timeout_error

LOG = logging.getLogger("moviegraph")
REPEAT = 0.02


class StopSignal:
    """Whether one statement is to stop, and the interrupts of its running steps."""

    def __init__(self, budget: Budget) -> None:
        self.deadline = time.monotonic() + budget.seconds
        self._budget = budget
        self._lock = threading.Lock()
        self._interrupts: list[Callable[[], None]] = []

    def on_start(self, interrupt: Callable[[], None]) -> Callable[[], None]:
        """Register what interrupts a step; returns what to call when the step has ended.

        After that the interrupt is never called: its connection may serve a different statement.
        """
        self.check()
        with self._lock:
            self._interrupts.append(interrupt)
        return lambda: self._forget(interrupt)

    def _forget(self, interrupt: Callable[[], None]) -> None:
        with self._lock:
            self._interrupts.remove(interrupt)

    def check(self) -> None:
        """Raise QueryTimeoutError if the statement is to stop."""
        self._budget.cancellation.check()
        if time.monotonic() >= self.deadline:
            raise timeout_error(self._budget.seconds)

    def is_due(self, now: float) -> bool:
        """Return whether the statement is to stop."""
        return now >= self.deadline or self._budget.cancellation.cancelled

    def interrupt(self) -> None:
        """Interrupt the running steps."""
        with self._lock:
            for interrupt in self._interrupts:
                interrupt()


class _Watch(threading.Thread):
    """Interrupts the statements of the process that are to stop, from one thread.

    A thread for each statement would cost a wait for the interpreter at its start: with 16
    clients that was a third of the time of a call. It sleeps until the nearest deadline that it
    knows of, so that a short statement wakes nothing.
    """

    def __init__(self) -> None:
        super().__init__(name="moviegraph-stop", daemon=True)
        self._changed = threading.Condition()
        self._running: set[StopSignal] = set()
        self._until = inf

    def add(self, stop: StopSignal) -> None:
        with self._changed:
            if not self.ident:
                self.start()
            self._running.add(stop)
            if stop.deadline < self._until:
                self._changed.notify()

    def remove(self, stop: StopSignal) -> None:
        with self._changed:
            self._running.remove(stop)

    def wake(self) -> None:
        with self._changed:
            self._changed.notify()

    def run(self) -> None:
        while True:
            with self._changed:
                now = time.monotonic()
                due = [stop for stop in self._running if stop.is_due(now)]
                self._until = min((stop.deadline for stop in self._running), default=inf)
                if not due:
                    self._changed.wait(min(self._until - now, threading.TIMEOUT_MAX))
            for stop in due:
                try:
                    stop.interrupt()
                except Exception:
                    LOG.exception("A statement could not be interrupted.")
            if due:
                time.sleep(REPEAT)  # an interrupt between two steps hits neither: again then


_WATCH = _Watch()


@contextmanager
def watched(budget: Budget) -> Generator[StopSignal]:
    """Stop the statement that runs inside the block when its time is out, or at a cancellation."""
    stop = StopSignal(budget)
    forget = budget.cancellation.on_cancel(_WATCH.wake)
    _WATCH.add(stop)
    try:
        yield stop
    finally:
        _WATCH.remove(stop)
        forget()
