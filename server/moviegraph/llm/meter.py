"""Bounds one question to a language model, and counts what it takes."""

import time

from moviegraph.llm.usage import Usage


class Meter:
    """The time that is left for an answer, and the usage of all requests made for it.

    Args:
        seconds: From now until nobody waits for the answer any more; None waits for ever.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds
        self.usage = Usage()

    @property
    def left(self) -> float | None:
        """Seconds that are left, or None for no end."""
        return None if self._until is None else self._until - time.monotonic()

    def add(self, told: object) -> None:
        """Count one answer; `told` is what the endpoint says it took."""
        self.usage = self.usage.plus(told)
