"""The language-model port: a question in, a structured answer out, bounded and counted."""

import time
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Requests that were answered, and the tokens that the endpoint says they took.

    `silent` counts the answers whose tokens the endpoint did not tell.
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

    def plus(self, reported: object) -> "TokenUsage":
        """Return the usage after one more answer; `told` is what the endpoint says it took."""
        prompt = getattr(reported, "prompt_tokens", None)
        completion = getattr(reported, "completion_tokens", None)
        if not isinstance(prompt, int) or not isinstance(completion, int):
            return replace(self, requests=self.requests + 1, silent=self.silent + 1)
        return replace(
            self,
            requests=self.requests + 1,
            prompt=self.prompt + prompt,
            completion=self.completion + completion,
        )


class Meter:
    """The time that is left for an answer, and the usage of all requests made for it.

    Args:
        seconds: From now until nobody waits for the answer any more; None waits for ever.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds
        self.usage = TokenUsage()

    @property
    def left(self) -> float | None:
        """Seconds that are left, or None for no end."""
        return None if self._until is None else self._until - time.monotonic()

    def add(self, reported: object) -> None:
        """Count one answer; `told` is what the endpoint says it took."""
        self.usage = self.usage.plus(reported)


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
