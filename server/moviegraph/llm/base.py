"""What a language model is to this project: a question in, a structured answer out."""

from typing import Protocol, TypeVar

from pydantic import BaseModel

from moviegraph.llm.meter import Meter

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
