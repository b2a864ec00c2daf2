"""Price, estimate and costs limit of requests to a language model."""

import re
import threading
from dataclasses import dataclass, replace

from moviegraph.errors import SettingsError
from moviegraph.llm.language_model import TokenUsage
from moviegraph.openai_api.endpoint import Endpoint
from moviegraph.text import plural

AS_OF = "March 2026"
"""Date of the prices below, from https://developers.openai.com/api/docs/pricing."""

DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
REASONING_TOKENS = 800
LATENCY_SECONDS = 1.5  # seconds until a model begins to write
TOKENS_PER_SECOND = 50.0  # tokens a second


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each direction.

    `reasoning` is a guess of the tokens that a model charges for before each answer.
    """

    prompt: float
    completion: float
    reasoning: int = 0

    @property
    def is_free(self) -> bool:
        """Whether nothing is charged."""
        return not (self.prompt or self.completion)

    def of(self, usage: TokenUsage) -> float:
        """Return the dollars that requests took, as if no prompt were cached."""
        return (self.prompt * usage.prompt + self.completion * usage.completion) / 1e6


PRICES = {
    "gpt-4.1": Price(2.00, 8.00),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4o-mini": Price(0.15, 0.60),
    "gpt-5": Price(1.25, 10.00, REASONING_TOKENS),
    "gpt-5-mini": Price(0.25, 2.00, REASONING_TOKENS),
    "gpt-5-nano": Price(0.05, 0.40, REASONING_TOKENS),
    "gpt-5.4": Price(2.50, 15.00, REASONING_TOKENS),
    "gpt-5.4-mini": Price(0.75, 4.50, REASONING_TOKENS),
    "gpt-5.4-nano": Price(0.20, 1.25, REASONING_TOKENS),
}


def price_of(endpoint: Endpoint, configured: tuple[float, float] | None) -> Price | None:
    """Return the price of a model: the stated one, nothing on this machine, or the vendor's.

    None where it is not known: the name of a deployment does not state its model, and other
    servers set their own prices.
    """
    price = PRICES.get(DATED.sub("", endpoint.model))
    if configured is not None:
        return Price(*configured, price.reasoning if price else 0)
    if endpoint.is_loopback:
        return Price(0, 0)
    if endpoint.provider == "azure" or not endpoint.is_vendors:
        return None
    return price


@dataclass(frozen=True, slots=True)
class Estimate:
    """What questions will take, estimated high.

    Attributes:
        questions: How many are to be asked.
        stored: How many were answered before.
        prompt: Tokens in.
        completion: Tokens out.
        seconds: Time, at a usual rate.
        dollars: Price, or None where it is not known.
        following: How many more are guessed to follow from the answers.
    """

    questions: int
    stored: int
    prompt: int
    completion: int
    seconds: float
    dollars: float | None
    following: int = 0

    def message(self, model: str) -> str:
        """Return the estimate as a message."""
        if not self.questions:
            return (
                f"Requests to {model}: {self.stored:,} already answered, none new; some "
                "requests about the extracted names may follow."
            )
        stored = f" ({self.stored:,} already answered)" if self.stored else ""
        more = f", and about {self.following:,} that follow" if self.following else ""
        price = f"${self.dollars:,.2f}" if self.dollars else "no charge"
        price = "an unknown price" if self.dollars is None else price
        return (
            f"Requests to {model}: {self.questions:,}{stored}{more}. "
            f"Estimate: {plural(self.prompt, 'token')} in and {self.completion:,} out, "
            f"{price}, {_duration(self.seconds)}."
        )


def seconds_for(questions: int, completion: int, concurrency: int) -> float:
    """Return how long questions take at a usual rate."""
    return (LATENCY_SECONDS * questions + completion / TOKENS_PER_SECOND) / max(
        1, min(concurrency, questions)
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:,.1f} h"


class CostTracker:
    """Costs so far; sums are reserved before a question, so that concurrent ones do not overshoot.

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
        self._in_flight = 0
        self._lock = threading.Condition()

    @property
    def usage(self) -> TokenUsage:
        """Requests and tokens so far; tokens that an endpoint did not report are estimated."""
        return self._usage

    @property
    def dollars(self) -> float | None:
        """The cost so far, or None if the price is not known."""
        return None if self.price is None else self.price.of(self._usage)

    def expected(self, usage: TokenUsage) -> TokenUsage:
        """Return what questions will take, reasoning included."""
        reasoning = self.price.reasoning * usage.requests if self.price else 0
        return replace(usage, completion=usage.completion + reasoning)

    def limit_of(self, usage: TokenUsage) -> TokenUsage:
        """Return what one question may take: the longest answer so far, and a repair turn."""
        answer = max(self.expected(usage).completion, self._longest)
        return TokenUsage(2, 2 * usage.prompt + answer, 2 * answer)

    def reserve(self, expected: TokenUsage) -> bool:
        """Reserve the price of a question; return False where the ceiling has no room for it.

        Waits while questions are in flight, because most take less than was reserved.
        """
        with self._lock:
            while not (room := self._has_room(expected)) and self._in_flight:
                self._lock.wait()
            if room:
                self._in_flight += 1
                self._reserved += self._price(expected)
            return room

    def record(self, reserved: TokenUsage, used: TokenUsage) -> None:
        """Count the usage of a question instead of its reservation."""
        with self._lock:
            self._usage += used
            if used.requests:
                self._longest = max(self._longest, -(-used.completion // used.requests))
            self._in_flight -= 1
            self._reserved -= self._price(reserved)
            self._lock.notify_all()

    def _has_room(self, expected: TokenUsage) -> bool:
        expected_price = self._price(expected)
        if self.ceiling is None or not expected_price:
            return True
        return self._price(self._usage) + self._reserved + expected_price <= self.ceiling

    def _price(self, usage: TokenUsage) -> float:
        return self.price.of(usage) if self.price is not None else 0.0


SET_PRICE = (
    "Set MOVIEGRAPH_LLM_PRICE to dollars per million input and output tokens, such as "
    "0.40/1.60, or 0/0 for your own server."
)


def require_budget(estimate: Estimate, costs: CostTracker, model: str) -> None:
    """Raise SettingsError unless the price is known and the estimate is below the ceiling."""
    if costs.price is None:
        raise SettingsError(
            f"The price of {model} is unknown (the package includes prices of {AS_OF}).",
            hint=SET_PRICE,
        )
    if costs.price.is_free:
        return
    if costs.ceiling is None:
        raise SettingsError(
            f"{model} charges for its responses, and no maximum cost is set.",
            hint="Set the maximum cost of this load in dollars with --max-cost.",
        )
    if (estimate.dollars or 0.0) > costs.ceiling:
        raise SettingsError(
            f"The estimate, ${estimate.dollars:,.2f}, is above --max-cost "
            f"{costs.ceiling:g}. No request was sent.",
            hint="Raise it, use a cheaper model, or load fewer records.",
        )
