"""Stops a statement when its time is out or its caller cancels."""

import math
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from moviegraph.engines.base import Budget, timeout_error

REPEAT = 0.02


class StopSignal:
    """Whether one statement is to stop, and the interrupts of its running steps."""

    def __init__(self, budget: Budget) -> None:
        self.deadline = time.monotonic() + budget.seconds
        self._budget = budget
        self._lock = threading.Lock()
        self._interrupts: list[Callable[[], None]] = []
        self._expired = False

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
        """Raise QueryTimeoutError if stopped."""
        self._budget.cancellation.check()
        if self._expired:
            raise timeout_error(self._budget.seconds)

    def due(self, now: float) -> bool:
        """Return whether the statement is to end."""
        if self._budget.cancellation.cancelled:
            return True
        self._expired = self._expired or now >= self.deadline
        return self._expired

    def interrupt(self) -> None:
        """Interrupt the running steps."""
        with self._lock:
            for interrupt in self._interrupts:
                interrupt()


class Watchdog:
    """Stops the statements of an engine, all from one thread.

    The thread sleeps until the nearest deadline that it knew of, so that a short statement wakes
    no thread; where it then finds none running, it ends.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: set[StopSignal] = set()
        self._until = math.inf
        self._watched = False

    @contextmanager
    def over(self, budget: Budget) -> Generator[StopSignal]:
        """Watchdog the statement that runs inside the block."""
        stop = StopSignal(budget)
        self._begin(stop)
        forget = budget.cancellation.on_cancel(self._wake)
        try:
            yield stop
        finally:
            forget()
            with self._changed:
                self._running.remove(stop)

    def _begin(self, stop: StopSignal) -> None:
        with self._changed:
            if not self._watched:
                threading.Thread(target=self._run, name="moviegraph-stop", daemon=True).start()
                self._watched = True
            elif stop.deadline < self._until:
                self._changed.notify()
            self._running.add(stop)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify()

    def _run(self) -> None:
        while (due := self._due()) is not None:
            for stop in due:  # without the lock: other statements begin and end meanwhile
                stop.interrupt()
            self._pause()

    def _due(self) -> list[StopSignal] | None:
        """Wait for statements that are to end, and return them; None where none is running."""
        with self._changed:
            while self._running:
                now = time.monotonic()
                if due := [stop for stop in self._running if stop.due(now)]:
                    return due
                self._until = min(stop.deadline for stop in self._running)
                self._changed.wait(self._until - now)
            self._watched = False
            return None

    def _pause(self) -> None:
        """Wait a little, because an interrupt between two steps hits neither."""
        with self._changed:
            self._until = time.monotonic() + REPEAT
            self._changed.wait(REPEAT)
