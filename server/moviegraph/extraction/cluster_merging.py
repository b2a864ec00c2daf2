"""Clusters merged by the model: the questions about similar names, and what answers mean."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from moviegraph.contract.model import NodeTable
from moviegraph.extraction.clusters import Cluster, EntityIndex, chosen_sources, purpose, shortened
from moviegraph.extraction.merge_candidates import Group, group_pairs
from moviegraph.extraction.question_runner import QuestionRunner
from moviegraph.extraction.questions import Questionnaire, loading_prompt

PROMPT = "merge_names"
STAGE = "Merging names"
NAMES = 24
MAX_USES = 2
MAX_SHOWN_CHARS = 240
ANSWER_TOKENS = 60


class SameThing(BaseModel):
    """Numbers of lines that mean one thing, and the number of the one that names it."""

    numbers: list[int]
    canonical: int

    def within(self, numbers: range) -> tuple[int, ...]:
        """Return the positions of its lines among those with some numbers, the canonical first.

        Nothing if a number is not among them, or if it is no set of several lines.
        """
        members = tuple(dict.fromkeys((self.canonical, *self.numbers)))
        is_meant = self.canonical in self.numbers and all(n in numbers for n in members)
        return tuple(map(numbers.index, members)) if is_meant and len(members) > 1 else ()


class SameNames(BaseModel):
    """Which of the lines mean the same thing."""

    same: list[SameThing]

    def part(self, numbers: range) -> "SameNames":
        """Return the answer for some of the lines, numbered from one; a line is in one set only."""
        used = set[int]()
        same: list[SameThing] = []
        for thing in self.same:
            members = thing.within(numbers)
            if members and used.isdisjoint(thing.numbers):
                ordered = [position + 1 for position in members]
                same.append(SameThing(numbers=ordered, canonical=ordered[0]))
            used |= {thing.canonical, *thing.numbers}
        return SameNames(same=same)


@dataclass(frozen=True, slots=True)
class MergeQuestions:
    """Questions about the clusters of one kind.

    Attributes:
        table: The kind.
        index: The names of sources, and their texts.
        clusters: New ones and loaded ones.
    """

    table: NodeTable
    index: EntityIndex
    clusters: Sequence[Cluster]

    def ask(self, pairs: Mapping[tuple[int, int], float], runner: QuestionRunner) -> list[Cluster]:
        """Return the clusters, merged where the model says so."""
        prompt, groups = loading_prompt(PROMPT), group_pairs(pairs)
        values = {"kind": self.table.name, "description": purpose(self.table.description)}
        questions = [
            prompt.question(group, values, self._lines(group), SameNames, ANSWER_TOKENS)
            for group in groups
        ]
        sheet = Questionnaire(prompt, SameNames, SameNames.part, NAMES)
        answers = runner.answered(questions, sheet, STAGE)
        sets = [
            members
            for group in groups
            if group in answers
            for members in self.sets(group, answers[group])
        ]
        merges = {members[0]: members[1:] for members in sets}
        merged = {member for members in merges.values() for member in members}
        return [
            cluster.merged_with(self.clusters[other] for other in merges.get(index, ()))
            for index, cluster in enumerate(self.clusters)
            if index not in merged
        ]

    def sets(self, group: Group, answer: SameNames) -> Iterator[Group]:
        """Yield the sets of one thing in an answer, the canonical one first.

        A loaded node keeps its name; a set with two of them is ignored.
        """
        for thing in answer.same:
            members = [group[number - 1] for number in thing.numbers]
            loaded = [member for member in members if self.clusters[member].node is not None]
            if len(loaded) < 2:
                yield tuple(dict.fromkeys((*loaded, *members)))

    def _lines(self, group: Group) -> str:
        return "\n".join(self._line(self.clusters[position]) for position in group)

    def _line(self, cluster: Cluster) -> str:
        facts: dict[str, object] = {"name": cluster.name}
        if cluster.node is not None:
            facts["text"] = shortened(cluster.node.content, MAX_SHOWN_CHARS)
        facts["found_in"] = [
            {
                self.index.table.name: self.index.source(source).name,
                "text": self.index.passage(source, words, MAX_SHOWN_CHARS),
            }
            for source, words in chosen_sources(cluster, MAX_USES)
        ]
        return json.dumps(facts, ensure_ascii=False)
