"""What a language model charges, and what many questions will take."""

import re
from dataclasses import dataclass

from moviegraph.llm.language_model import TokenUsage
from moviegraph.openai_api.endpoint import Endpoint
from moviegraph.text import plural

AS_OF = "March 2026"
"""When https://developers.openai.com/api/docs/pricing said what the table below repeats."""

DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
THOUGHT = 800
LATENCY = 1.5  # seconds until a model begins to write
WRITTEN = 50.0  # tokens a second


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each direction.

    `thought` are the tokens that a model thinks before each answer, which it charges for: a guess.
    """

    prompt: float
    completion: float
    thought: int = 0

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
    "gpt-5": Price(1.25, 10.00, THOUGHT),
    "gpt-5-mini": Price(0.25, 2.00, THOUGHT),
    "gpt-5-nano": Price(0.05, 0.40, THOUGHT),
    "gpt-5.4": Price(2.50, 15.00, THOUGHT),
    "gpt-5.4-mini": Price(0.75, 4.50, THOUGHT),
    "gpt-5.4-nano": Price(0.20, 1.25, THOUGHT),
}


def price_of(endpoint: Endpoint, stated: tuple[float, float] | None) -> Price | None:
    """Return the price of a model: the stated one, nothing on this machine, or the vendor's.

    None where it is not known: a deployment's name does not tell its model, and other servers ask
    what they want.
    """
    listed = PRICES.get(DATED.sub("", endpoint.model))
    if stated is not None:
        return Price(*stated, listed.thought if listed else 0)
    if endpoint.is_loopback:
        return Price(0, 0)
    if endpoint.provider == "azure" or not endpoint.is_vendors:
        return None
    return listed


@dataclass(frozen=True, slots=True)
class Estimate:
    """What questions will take, estimated high.

    Attributes:
        questions: How many are to be asked.
        kept: How many were answered before.
        prompt: Tokens in.
        completion: Tokens out.
        seconds: Time, at a usual rate.
        dollars: Price, or None where it is not known.
        following: How many more are guessed to follow from the answers.
    """

    questions: int
    kept: int
    prompt: int
    completion: int
    seconds: float
    dollars: float | None
    following: int = 0

    def told(self, model: str) -> str:
        """Return it as a sentence."""
        if not self.questions:
            return (
                f"Requests to {model}: {self.kept:,} already answered, none new; some "
                "requests about the extracted names may follow."
            )
        more = f", and about {self.following:,} that follow" if self.following else ""
        return f"Requests to {model}: {self._counted}{more}. {self._taken}"

    def told_of_names(self, model: str) -> str:
        """Return it as a sentence on the names that were found."""
        return f"Requests to {model} about these names: at most {self._counted}. {self._taken}"

    @property
    def _counted(self) -> str:
        kept = f" ({self.kept:,} already answered)" if self.kept else ""
        return f"{self.questions:,}{kept}"

    @property
    def _taken(self) -> str:
        price = f"${self.dollars:,.2f}" if self.dollars else "no charge"
        price = "an unknown price" if self.dollars is None else price
        return (
            f"Estimate: {plural(self.prompt, 'token')} in and {self.completion:,} out, "
            f"{price}, {_duration(self.seconds)}."
        )


def seconds_for(questions: int, completion: int, concurrency: int) -> float:
    """Return how long questions take at a usual rate."""
    return (LATENCY * questions + completion / WRITTEN) / max(1, min(concurrency, questions))


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:,.1f} h"
