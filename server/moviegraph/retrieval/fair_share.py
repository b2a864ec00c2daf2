"""Divides what is left of a plan's time among its strategies, so that the last ones run too."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager


class FairShare:
    """The time of a plan: so many statements at once, and for each its part of what is left.

    Args:
        strategies: How many there are.
        places: How many of their statements run at once.
        deadline: When the time is over, on the clock.
        clock: Tells the time.
    """

    def __init__(
        self,
        strategies: int,
        places: int,
        deadline: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._left = strategies
        self._places = places
        self._deadline = deadline
        self._clock = clock
        self._lock = threading.Lock()
        self._free = threading.Semaphore(places)

    @contextmanager
    def turn(self) -> Generator[float]:
        """Wait for a place, no longer than the time lasts; yield the seconds of a statement."""
        free = self._free.acquire(timeout=max(0.0, self._deadline - self._clock()))
        try:
            yield self.seconds
        finally:
            if free:
                self._free.release()

    @property
    def seconds(self) -> float:
        """What one statement may take, so that each strategy that is not done gets as much."""
        with self._lock:
            left = max(1, self._left)
        remaining = max(0.0, self._deadline - self._clock())
        return remaining * min(self._places, left) / left

    def done(self) -> None:
        """Take out one strategy, whose time falls to the others."""
        with self._lock:
            self._left -= 1
