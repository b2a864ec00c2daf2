"""Stops a statement when its time is out or its caller cancels."""

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

    def interrupt(self) -> None:
        """Interrupt the running steps."""
        with self._lock:
            for interrupt in self._interrupts:
                interrupt()


@contextmanager
def watched(budget: Budget) -> Generator[StopSignal]:
    """Stop the statement that runs inside the block when its time is out, or at a cancellation.

    A thread interrupts it then, again and again: an interrupt between two steps hits neither.
    """
    stop, due, ended = StopSignal(budget), threading.Event(), threading.Event()

    def watch() -> None:
        due.wait(min(budget.seconds, threading.TIMEOUT_MAX))
        while not ended.is_set():
            stop.interrupt()
            ended.wait(REPEAT)

    forget = budget.cancellation.on_cancel(due.set)
    try:
        threading.Thread(target=watch, name="moviegraph-stop", daemon=True).start()
        yield stop
    finally:
        forget()
        ended.set()
        due.set()
