"""Sends a request again where that may help, all tries within the time of one request."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any, TypeVar

import openai

PASSING = frozenset({408, 409, 429})
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Persistence:
    """How often a request is sent again; what waits and what tells the time may be replaced."""

    retries: int
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def send(self, request: Callable[[Any], Done], seconds: float | None) -> Done:
        """Return what a request brings; it is given the seconds that are left for it.

        A wait that would outlast the time is not begun: the failure before it is raised at once.

        Args:
            request: Sends it once.
            seconds: The time of all tries together; None leaves it to the client.
        """
        until = None if seconds is None else self.clock() + seconds
        for tried in count():
            left = openai.NOT_GIVEN if until is None else max(until - self.clock(), 0.001)
            try:
                return request(left)
            except openai.APIError as error:
                wait = _wait(error, tried) if tried < self.retries else None
                if wait is None or (until is not None and self.clock() + wait >= until):
                    raise
            self.pause(wait)
        raise AssertionError("the tries have an end")


def _wait(error: openai.APIError, tried: int) -> float | None:
    """Return the seconds until the next try, or None where it would fail alike."""
    usual = min(FIRST_WAIT * 2**tried, LONGEST_WAIT)
    if isinstance(error, openai.APIConnectionError):
        return usual
    if not isinstance(error, openai.APIStatusError):
        return None
    said = error.response.headers.get("x-should-retry")
    passes = error.status_code in PASSING or error.status_code >= 500
    if said == "false" or (not passes and said != "true"):
        return None
    told = _told(error.response.headers)
    return usual if told is None else told


def _told(headers: Any) -> float | None:
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
