"""A bounded number of places, given out in the order of asking."""

import threading
from collections import deque

from moviegraph.engines.base import Cancellation
from moviegraph.errors import UnavailableError


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
