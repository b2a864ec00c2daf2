"""Scripted answers to the questions of entity resolution, with a record of the questions."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from moviegraph.errors import ModelError
from moviegraph.extraction.cluster_merging import SameNames, SameThing
from moviegraph.extraction.node_descriptions import NodeText
from moviegraph.extraction.question_runner import Question, QuestionRunner

Judge = Callable[[list[str]], Sequence[Sequence[int]]]
Writer = Callable[[str], str]
SENTENCE = "Something that those who name it return to."


class ScriptedQuestionRunner(QuestionRunner):
    """Judges names by a function of those shown, and writes texts by a function of the name.

    `asked` holds the questions not asked before, for which a model would be paid.

    Args:
        judge: Returns the sets of numbers whose names are the same, the canonical one first.
        writer: Returns the text of a node.
        failing: Response schemas without an answer.
        ends: Raised for every question, as at a cost ceiling.
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
        self._digests = set[str]()
        self.asked: list[Question[Any]] = []

    def of(self, shape: type) -> list[Question[Any]]:
        return [members for members in self.asked if members.shape is shape]

    def ask(self, questions: Sequence[Question[Any]], stage: str) -> Iterator[Any]:
        for question in questions:
            if self._ends is not None:
                raise self._ends
            if question.shape in self._failing:
                yield question, ModelError("The model is silent.")
                continue
            if question.digest("m") not in self._digests:
                self._digests.add(question.digest("m"))
                self.asked.append(question)
            yield question, self._answer(question)

    def _answer(self, question: Question[Any]) -> SameNames | NodeText:
        if question.shape is NodeText:
            return NodeText(text=self._writer(question.user.split("\n")[1]))
        sets = self._judge(shown_names(question))
        return SameNames(
            same=[SameThing(numbers=sorted(members), canonical=members[0]) for members in sets]
        )


def one_thing(*names: str) -> Judge:
    """Return a judge for which these names are one entity, called as the first."""

    def judge(candidates: list[str]) -> list[list[int]]:
        numbers = [candidates.index(name) + 1 for name in names if name in candidates]
        return [numbers] if len(numbers) > 1 else []

    return judge


def all_one(names: list[str]) -> list[list[int]]:
    """Merge all names."""
    return [list(range(1, len(names) + 1))]


def shown_names(question: Question[Any]) -> list[str]:
    """Return the names that a question shows, in order."""
    lines = [line for line in question.user.splitlines() if line.startswith("{")]
    return [json.loads(line)["name"] for line in lines]
