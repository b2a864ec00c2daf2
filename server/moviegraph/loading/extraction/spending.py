"""The money that questions take, and the ceiling that it stays below."""

import threading
from dataclasses import replace

from moviegraph.llm.language_model import TokenUsage
from moviegraph.loading.extraction.price import Price


class Spending:
    """Counts what was spent; sums are reserved before a question, so that many do not overshoot.

    Args:
        price: What the model charges, or None where that is not known.
        ceiling: Most dollars, or None for no ceiling; it needs a price.
    """

    def __init__(self, price: Price | None = None, ceiling: float | None = None) -> None:
        self.price = price
        self.ceiling = ceiling
        self._usage = TokenUsage()
        self._reserved = 0.0
        self._longest = 0
        self._on_their_way = 0
        self._lock = threading.Condition()

    @property
    def usage(self) -> TokenUsage:
        """Requests and tokens so far; tokens that an endpoint did not tell are estimated."""
        return self._usage

    @property
    def dollars(self) -> float | None:
        """What was spent, or None where the price is not known."""
        return None if self.price is None else self.price.of(self._usage)

    @property
    def left(self) -> float | None:
        """Dollars below the ceiling, or None where there is none or the price is not known."""
        if self.ceiling is None or self.dollars is None:
            return None
        return max(0.0, self.ceiling - self.dollars)

    def expected(self, usage: TokenUsage) -> TokenUsage:
        """Return what questions will take, thinking included."""
        thought = self.price.thought * usage.requests if self.price else 0
        return replace(usage, completion=usage.completion + thought)

    def most(self, usage: TokenUsage) -> TokenUsage:
        """Return what one question may take: the longest answer so far, and a repair turn."""
        answer = max(self.expected(usage).completion, self._longest)
        return TokenUsage(2, 2 * usage.prompt + answer, 2 * answer)

    def reserve(self, expected: TokenUsage) -> bool:
        """Set the price of a question aside; False where the ceiling has no room for it.

        Waits while questions are on their way, because most take less than was set aside.
        """
        with self._lock:
            while not (room := self._has_room(expected)) and self._on_their_way:
                self._lock.wait()
            if room:
                self._on_their_way += 1
                self._reserved += self._price(expected)
            return room

    def settle(self, reserved: TokenUsage, taken: TokenUsage) -> None:
        """Count what a question really took, in the place of what was set aside for it."""
        with self._lock:
            self._usage += taken
            if taken.requests:
                self._longest = max(self._longest, -(-taken.completion // taken.requests))
            self._on_their_way -= 1
            self._reserved -= self._price(reserved)
            self._lock.notify_all()

    def _has_room(self, expected: TokenUsage) -> bool:
        needed = self._price(expected)
        if self.ceiling is None or not needed:
            return True
        return self._price(self._usage) + self._reserved + needed <= self.ceiling

    def _price(self, usage: TokenUsage) -> float:
        return self.price.of(usage) if self.price is not None else 0.0
