"""What questions will take and have taken: an estimate, and a ceiling in dollars or in tokens."""

import threading
from dataclasses import dataclass

from moviegraph.errors import SettingsError
from moviegraph.llm.language_model import TokenUsage
from moviegraph.text import plural

COUNT_DOLLARS = (
    "set MOVIEGRAPH_LLM_PRICE to dollars per million input and output tokens (0.40/1.60)"
)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each direction."""

    prompt: float
    completion: float

    def of(self, usage: TokenUsage) -> float:
        """Return the dollars that requests took, as if no prompt were cached."""
        return (self.prompt * usage.prompt + self.completion * usage.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the questions of a stage will take, estimated high.

    Attributes:
        stage: What they are for.
        questions: How many are to be asked.
        stored: How many were answered before.
        usage: Their requests and tokens.
        dollars: Their price, or None where it is not known.
    """

    stage: str
    questions: int
    stored: int
    usage: TokenUsage
    dollars: float | None = None

    def message(self, model: str) -> str:
        """Return the estimate as a message."""
        stored = f" ({self.stored:,} already answered)" if self.stored else ""
        price = "" if self.dollars is None else f", ${self.dollars:,.4f}"
        return (
            f"{self.stage}: {plural(self.questions, 'request')} to {model}{stored}. Estimate: "
            f"{plural(self.usage.prompt, 'token')} in and {self.usage.completion:,} out{price}."
        )


class CostTracker:
    """Costs so far; sums are reserved before a question, so that concurrent ones do not overshoot.

    Args:
        price: What the model charges, or None where that is not stated.
        ceiling: Most dollars, or most tokens without a price; None for no ceiling.
        may_charge: The model may charge although no price is stated.
    """

    def __init__(
        self, price: Price | None = None, ceiling: float | None = None, *, may_charge: bool = False
    ) -> None:
        self.price = price
        self.ceiling = ceiling
        self.usage = TokenUsage()
        """So far; tokens that an endpoint did not report are estimated."""
        self._charges = may_charge if price is None else bool(price.prompt or price.completion)
        self._reserved = 0.0
        self._longest = 0
        self._in_flight = 0
        self._lock = threading.Condition()

    @property
    def dollars(self) -> float | None:
        """The cost so far, or None if the price is not known."""
        return None if self.price is None else self.price.of(self.usage)

    def limit_of(self, usage: TokenUsage) -> TokenUsage:
        """Return what one question may take: the longest answer so far, and a repair turn."""
        answer = max(usage.completion, self._longest)
        return TokenUsage(2, 2 * usage.prompt + answer, 2 * answer)

    def reserve(self, limit: TokenUsage) -> bool:
        """Reserve the cost of a question; return False where the ceiling has no room for it.

        Waits while questions are in flight, because most take less than was reserved.
        """
        with self._lock:
            while not (has_room := self._has_room(limit)) and self._in_flight:
                self._lock.wait()
            if has_room:
                self._in_flight += 1
                self._reserved += self._cost(limit)
            return has_room

    def record(self, reserved: TokenUsage, used: TokenUsage) -> None:
        """Count the usage of a question instead of its reservation."""
        with self._lock:
            self.usage += used
            if used.requests:
                self._longest = max(self._longest, -(-used.completion // used.requests))
            self._in_flight -= 1
            self._reserved -= self._cost(reserved)
            self._lock.notify_all()

    def require_budget(self, estimate: Estimate, model: str) -> None:
        """Raise SettingsError if the estimate is above the ceiling, or a model may charge without.

        Without a price the ceiling counts tokens of both directions.
        """
        if self.ceiling is None:
            if self._charges:
                unit = "tokens" if self.price is None else "dollars"
                more = f"; or {COUNT_DOLLARS}" if self.price is None else ""
                raise SettingsError(
                    f"{model} may charge for its responses, and no maximum cost is set.",
                    hint=f"Set the most that this load may take in {unit} with --max-cost{more}.",
                )
        elif self._cost(estimate.usage) > self.ceiling:
            more = f"; or {COUNT_DOLLARS}" if self.price is None else ""
            raise SettingsError(
                f"The estimate, {self._amount(self._cost(estimate.usage))}, is above --max-cost "
                f"{self._amount(self.ceiling)}. No request was sent.",
                hint=f"Raise it, use a cheaper model, or load fewer records{more}.",
            )

    def exhausted(self) -> str:
        """Return why no further question is asked."""
        return (
            f"The next request could exceed --max-cost {self._amount(self.ceiling or 0.0)}: "
            f"{self._amount(self._cost(self.usage))} is used."
        )

    def _has_room(self, limit: TokenUsage) -> bool:
        cost = self._cost(limit)
        if self.ceiling is None or not cost:
            return True
        return self._cost(self.usage) + self._reserved + cost <= self.ceiling

    def _cost(self, usage: TokenUsage) -> float:
        return usage.tokens if self.price is None else self.price.of(usage)

    def _amount(self, cost: float) -> str:
        return f"{cost:,.0f} tokens" if self.price is None else f"${cost:,.4f}"
