"""Scripted answers to the questions of entity resolution, with a record of the questions."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from moviegraph.errors import ModelAccessError, ModelError
from moviegraph.extraction.cluster_merging import SameNames, SameThing
from moviegraph.extraction.node_descriptions import NodeTexts, NumberedText
from moviegraph.extraction.question_runner import QuestionRunner
from moviegraph.extraction.questions import AnswerStore
from moviegraph.llm.language_model import Meter

Judge = Callable[[list[str]], Sequence[Sequence[int]]]
Writer = Callable[[str], str]
SENTENCE = "Something that those who name it return to."


@dataclass(frozen=True)
class Asked:
    """A request to the model, and what it shows."""

    system: str
    user: str
    shape: type[BaseModel]

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.user.splitlines() if line.startswith("{")]

    @property
    def groups(self) -> list[list[str]]:
        """The names that are compared with each other."""
        paragraphs = self.user.split("\n\n")
        lines = [[line for line in p.splitlines() if line.startswith("{")] for p in paragraphs]
        return [[json.loads(line)["name"] for line in group] for group in lines]


class _Memory(AnswerStore):
    """Answers without a file that a test would have to close."""

    def __init__(self) -> None:
        super().__init__(Path())
        self._answers: dict[str, str] = {}

    def create(self) -> None:
        pass

    def read(self, digest: str) -> str | None:
        return self._answers.get(digest)

    def write(self, digest: str, answer: str) -> None:
        self._answers[digest] = answer


class ScriptedQuestionRunner(QuestionRunner):
    """Judges names by a function of those shown, and writes texts by a function of the name.

    `asked` holds the requests, for which a model would be paid.

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
        super().__init__(_Scripted(self), _Memory(), concurrency=1)
        self.judge = judge
        self.writer = writer
        self.failing = failing
        self.ends = ends
        self.asked: list[Asked] = []

    def of(self, shape: type) -> list[Asked]:
        return [asked for asked in self.asked if asked.shape is shape]

    def answer(self, asked: Asked) -> BaseModel:
        if asked.shape is NodeTexts:
            return NodeTexts(
                texts=[
                    NumberedText(number=line["number"], text=self.writer(line["name"]))
                    for line in asked.lines
                ]
            )
        same: list[SameThing] = []
        start = 0
        for group in asked.groups:
            same += [
                SameThing(
                    numbers=sorted(start + number for number in members),
                    canonical=start + members[0],
                )
                for members in self.judge(group)
            ]
            start += len(group)
        return SameNames(same=same)


class _Scripted:
    """The model of a scripted runner."""

    name = "scripted:model"

    def __init__(self, runner: ScriptedQuestionRunner) -> None:
        self._runner = runner

    def answer(self, system: str, user: str, shape: type[Any], meter: Meter | None = None) -> Any:
        if self._runner.ends is not None:
            raise ModelAccessError(self._runner.ends.message)
        if shape in self._runner.failing:
            raise ModelError("The model is silent.")
        asked = Asked(system, user, shape)
        self._runner.asked.append(asked)
        return self._runner.answer(asked)


def one_thing(*names: str) -> Judge:
    """Return a judge for which these names are one entity, called as the first."""

    def judge(candidates: list[str]) -> list[list[int]]:
        numbers = [candidates.index(name) + 1 for name in names if name in candidates]
        return [numbers] if len(numbers) > 1 else []

    return judge


def all_one(names: list[str]) -> list[list[int]]:
    """Merge all names."""
    return [list(range(1, len(names) + 1))]


def shown_names(asked: Asked) -> list[str]:
    """Return the names that a request shows, in order."""
    return [line["name"] for line in asked.lines]
