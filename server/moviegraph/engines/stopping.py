"""Stops a statement when its time is out or its caller cancels."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count

from moviegraph.engines.base import Budget
from moviegraph.errors import GraphError, QueryTimeoutError

REPEAT = 0.02


def out_of_time(seconds: float) -> QueryTimeoutError:
    """Return the error of a statement that ran longer than it may."""
    return QueryTimeoutError(
        f"The statement ran longer than {seconds:.3g} s and was stopped.",
        hint="Narrow it: filter earlier, join fewer tables, or search with TOP first.",
    )


def closed() -> GraphError:
    """Return the error of a call to an engine that was closed."""
    return GraphError("The graph is closed.")


class Stop:
    """Watches one statement: interrupts what is under way until it has ended."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._interrupts: list[Callable[[], None]] = []
        self._expired = False

    def on_start(self, interrupt: Callable[[], None]) -> Callable[[], None]:
        """Register what interrupts a step; returns what to call when the step has ended.

        After that the interrupt is never called: its connection may serve another statement.
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
            raise out_of_time(self._budget.seconds)

    def watch(self) -> None:
        """Wait for the end, the time limit or a cancellation (runs in its own thread)."""
        woken = self._wake.wait(self._budget.seconds)
        if self._ended.is_set():
            return
        self._expired = not woken
        # Repeated, because an interrupt between two steps hits neither.
        while not self._ended.wait(REPEAT):
            with self._lock:
                for interrupt in self._interrupts:
                    interrupt()

    def wake(self) -> None:
        """Make the watcher act now."""
        self._wake.set()

    def end(self) -> None:
        """Let the watcher go."""
        self._ended.set()
        self._wake.set()


@contextmanager
def stopping(budget: Budget) -> Generator[Stop]:
    """Watch the statement that runs inside the block."""
    stop = Stop(budget)
    forget = budget.cancellation.on_cancel(stop.wake)
    threading.Thread(target=stop.watch, name="moviegraph-stop", daemon=True).start()
    try:
        yield stop
    finally:
        forget()
        stop.end()


class Stops:
    """The stops of running statements, by the number under which a statement asks for its own."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._running: dict[int, Stop] = {}

    @contextmanager
    def known(self, stop: Stop) -> Generator[int]:
        """Give a stop a number while a statement runs."""
        number = next(self._numbers)
        self._running[number] = stop
        try:
            yield number
        finally:
            del self._running[number]

    def check(self, number: int) -> bool:
        """Return True, or raise QueryTimeoutError if that statement is to end."""
        self._running[number].check()
        return True
