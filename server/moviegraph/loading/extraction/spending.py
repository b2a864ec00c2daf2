"""The money that questions take, and the ceiling that it stays below."""

import threading
from dataclasses import replace

from moviegraph.llm.usage import Usage
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
        self._usage = Usage()
        self._reserved = 0.0
        self._lock = threading.Lock()

    @property
    def usage(self) -> Usage:
        """Requests and tokens so far; tokens that an endpoint did not tell are estimated."""
        return self._usage

    @property
    def dollars(self) -> float | None:
        """What was spent, or None where the price is not known."""
        return None if self.price is None else self.price.of(self._usage)

    def expected(self, usage: Usage) -> Usage:
        """Return what a question will take, thinking included, or as much as those before took."""
        thought = self.price.thought * usage.requests if self.price else 0
        before = self._usage.completion // self._usage.requests if self._usage.requests else 0
        completion = max(usage.completion + thought, before * usage.requests)
        return replace(usage, completion=completion)

    def reserve(self, expected: Usage) -> bool:
        """Set the price of a question aside; False where the ceiling has no room for it."""
        if self.price is None or self.ceiling is None:
            return True
        with self._lock:
            needed = self.price.of(expected)
            spent = self.price.of(self._usage) + self._reserved
            if needed and spent + needed > self.ceiling:
                return False
            self._reserved += needed
            return True

    def settle(self, expected: Usage, taken: Usage) -> None:
        """Count what a question really took, in the place of what was set aside for it."""
        with self._lock:
            self._usage += taken
            if self.price is not None and self.ceiling is not None:
                self._reserved -= self.price.of(expected)
