"""Sends a request again where that may help, all tries within the time of one request."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any, TypeVar

import openai

PASSING = frozenset({408, 409, 429})
MOST_TIMEOUTS = 2
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
Done = TypeVar("Done")


class RetryAfterHold:
    """Holds back all requests to an endpoint until the time that it asked one of them to wait."""

    def __init__(self) -> None:
        self._until = 0.0
        self._lock = threading.Lock()

    def close(self, until: float) -> None:
        """Let nothing pass before a time of the clock."""
        with self._lock:
            self._until = max(self._until, until)

    def left(self, now: float) -> float:
        """Return the seconds until it opens; 0 where it is open."""
        with self._lock:
            return max(0.0, self._until - now)


@dataclass(frozen=True, slots=True)
class RequestRetry:
    """How often a request is sent again; what waits and what tells the time may be replaced.

    Attributes:
        retries: Further tries.
        pause: Waits some seconds.
        clock: Tells the time.
        total: Seconds of all tries together, where that is more than the time of one.
        gate: Shared by requests that wait together for an endpoint that limits their rate.
    """

    retries: int
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    total: float | None = None
    gate: RetryAfterHold | None = None

    def send(self, request: Callable[[Any], Done], seconds: float | None) -> Done:
        """Return what a request brings; it is given the seconds that are left for it.

        A wait that would outlast the time is not begun: the failure before it is raised at once.

        Args:
            request: Sends it once.
            seconds: The time of one try, and of all together unless there is a total; None
                leaves it to the client.
        """
        self._pass()  # that wait is not the request's own
        together = seconds if self.total is None else self.total
        until = None if together is None else self.clock() + together
        for tried in count():
            self._pass()
            try:
                return request(self._left(until, seconds))
            except openai.APIError as error:
                wait = _wait(error, tried) if tried < self.retries else None
                if wait is None or (until is not None and self.clock() + wait >= until):
                    raise
                self._hold(error, wait)
            self.pause(wait)
        raise AssertionError("the tries have an end")

    def _left(self, until: float | None, seconds: float | None) -> Any:
        """Return the time for one try, or what is left if less."""
        if until is None:
            return openai.NOT_GIVEN if seconds is None else seconds
        left = max(until - self.clock(), 0.001)
        return left if seconds is None else min(left, seconds)

    def _pass(self) -> None:
        """Wait until the gate is open; another may have closed it anew meanwhile."""
        while self.gate and (wait := self.gate.left(self.clock())):
            self.pause(wait)

    def _hold(self, error: openai.APIError, wait: float) -> None:
        if self.gate and isinstance(error, openai.RateLimitError):
            self.gate.close(self.clock() + wait)


def _wait(error: openai.APIError, tried: int) -> float | None:
    """Return the seconds until the next try, or None where it would fail alike."""
    usual = min(FIRST_WAIT * 2**tried, LONGEST_WAIT)
    if isinstance(error, openai.APITimeoutError) and tried + 1 >= MOST_TIMEOUTS:
        return None  # what is silent twice is silent, and each time may be a minute
    if isinstance(error, openai.APIConnectionError):
        return usual
    if not isinstance(error, openai.APIStatusError):
        return None
    said = error.response.headers.get("x-should-retry")
    passes = error.status_code in PASSING or error.status_code >= 500
    if said == "false" or (not passes and said != "true"):
        return None
    requested = _requested(error.response.headers)
    return usual if requested is None else requested


def _requested(headers: Any) -> float | None:
    """Return the seconds that an endpoint asks to wait: milliseconds, seconds or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name, "")) * unit)
        except ValueError:
            continue
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, (date.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None
