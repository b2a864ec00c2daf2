"""The language-model port: a question in, a structured answer out, bounded and counted."""

import time
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Requests that were answered, and the tokens that the endpoint reported.

    `silent` counts the answers with tokens that the endpoint did not report.
    """

    requests: int = 0
    prompt: int = 0
    completion: int = 0
    silent: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of both directions."""
        return self.prompt + self.completion

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            self.requests + other.requests,
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.silent + other.silent,
        )


class Meter:
    """The remaining time for an answer, and the usage of all requests for it.

    Args:
        seconds: The time limit from now; None is no limit.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds
        self.usage = TokenUsage()

    @property
    def remaining(self) -> float | None:
        """Seconds that remain, or None for no limit."""
        return None if self._until is None else self._until - time.monotonic()

    def add(self, reported: object) -> None:
        """Count one answer, with the usage that the endpoint reported."""
        prompt = getattr(reported, "prompt_tokens", None)
        completion = getattr(reported, "completion_tokens", None)
        if isinstance(prompt, int) and isinstance(completion, int):
            self.usage += TokenUsage(1, prompt, completion)
        else:
            self.usage += TokenUsage(1, silent=1)


Answer = TypeVar("Answer", bound=BaseModel)


class LanguageModel(Protocol):
    """Chat completion with structured output; off unless configured."""

    @property
    def name(self) -> str:
        """Provider and model, as configured."""
        ...

    def answer(
        self, system: str, user: str, shape: type[Answer], meter: Meter | None = None
    ) -> Answer:
        """Return the model's answer in the given shape; the meter bounds it, and counts.

        Raises ModelError on refusal, wrong shape after one repair turn, or failure.
        """
        ...
