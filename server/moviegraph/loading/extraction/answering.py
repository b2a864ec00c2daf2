"""Puts questions to a model that folding can do without: what is not answered stays open."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol

from moviegraph.errors import ModelError
from moviegraph.loading.extraction.asking import Question, Shape


class Asking(Protocol):
    """What asks questions, as `Asker` does."""

    def ask(
        self, questions: Sequence[Question[Shape]], stage: str
    ) -> Iterator[tuple[Question[Shape], Shape | ModelError]]:
        """Yield each question with its answer, or why there is none. Raises ModelError."""
        ...


class NotedQuestions:
    """Answers nothing, and notes what would be asked."""

    def __init__(self) -> None:
        self.questions: list[Question[Any]] = []

    def ask(
        self, questions: Sequence[Question[Shape]], stage: str
    ) -> Iterator[tuple[Question[Shape], Shape | ModelError]]:
        """Yield nothing."""
        self.questions += questions
        return iter(())


def answered(
    asker: Asking, questions: Sequence[Question[Shape]], stage: str
) -> tuple[dict[Hashable, Shape], str]:
    """Return the answers by the keys of their questions, and why the first open one is open."""
    found: dict[Hashable, Shape] = {}
    reason = ""
    try:
        for question, outcome in asker.ask(questions, stage):
            if isinstance(outcome, ModelError):
                reason = reason or outcome.message
            else:
                found[question.key] = outcome
    except ModelError as error:  # the ceiling is reached, or nothing is answered any more
        reason = reason or error.message
    return found, reason
