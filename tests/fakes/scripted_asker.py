"""Answers the questions of folding without a model, and remembers them."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from moviegraph.errors import ModelError
from moviegraph.extraction.cluster_merging import SameNames, SameThing
from moviegraph.extraction.node_descriptions import NodeText
from moviegraph.extraction.question_runner import Question

Judge = Callable[[list[str]], Sequence[Sequence[int]]]
Writer = Callable[[str], str]
SENTENCE = "Something that those who name it return to."


class ScriptedAsker:
    """Judges names by a function of those shown, and writes texts by a function of the name.

    `asked` holds the questions that were not answered before: those that would be paid.

    Args:
        judge: Returns the sets of numbers whose names are one, the canonical one first.
        writer: Returns the text of a node.
        failing: Shapes that no answer comes for.
        ends: Ends the asking with this, as a ceiling does.
    """

    def __init__(
        self,
        judge: Judge = lambda names: (),
        writer: Writer = lambda name: SENTENCE,
        *,
        failing: tuple[type, ...] = (),
        ends: ModelError | None = None,
    ) -> None:
        self._judge = judge
        self._writer = writer
        self._failing = failing
        self._ends = ends
        self._kept = set[str]()
        self.asked: list[Question[Any]] = []

    def of(self, shape: type) -> list[Question[Any]]:
        return [each for each in self.asked if each.shape is shape]

    def ask(self, questions: Sequence[Question[Any]], stage: str) -> Iterator[Any]:
        for question in questions:
            if self._ends is not None:
                raise self._ends
            if question.shape in self._failing:
                yield question, ModelError("The model is silent.")
                continue
            if question.digest("m") not in self._kept:
                self._kept.add(question.digest("m"))
                self.asked.append(question)
            yield question, self._answer(question)

    def _answer(self, question: Question[Any]) -> SameNames | NodeText:
        if question.shape is NodeText:
            return NodeText(text=self._writer(question.user.split("\n")[1]))
        sets = self._judge(shown_names(question))
        return SameNames(same=[SameThing(numbers=sorted(each), canonical=each[0]) for each in sets])


def one_thing(*names: str) -> Judge:
    """Return a judge who holds these names for one thing, called as the first."""

    def judge(shown: list[str]) -> list[list[int]]:
        numbers = [shown.index(name) + 1 for name in names if name in shown]
        return [numbers] if len(numbers) > 1 else []

    return judge


def all_one(shown: list[str]) -> list[list[int]]:
    """Hold everything that is shown for one thing."""
    return [list(range(1, len(shown) + 1))]


def shown_names(question: Question[Any]) -> list[str]:
    """Return the names that a question shows, in order."""
    lines = [line for line in question.user.splitlines() if line.startswith("{")]
    return [json.loads(line)["name"] for line in lines]
