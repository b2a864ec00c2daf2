"""Asks the model which of a few names mean the same thing, and reads its answer."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from moviegraph.contract.model import NodeTable
from moviegraph.loading.extraction.asking import Question
from moviegraph.loading.extraction.chosen import chosen_sources, shortened
from moviegraph.loading.extraction.cluster import Cluster
from moviegraph.loading.extraction.ground import Ground
from moviegraph.loading.extraction.prompt import LoadingPrompt, loading_prompt

PROMPT = "merge_names"
MOST_USES = 2
MOST_SHOWN = 200
ANSWER_TOKENS = 120

Group = tuple[int, ...]


class SameThing(BaseModel):
    """Numbers of names that mean one thing, and the number of the name that it keeps."""

    numbers: list[int]
    canonical: int


class SameNames(BaseModel):
    """Which of the names that were shown mean the same thing."""

    same: list[SameThing]


@dataclass(frozen=True, slots=True)
class NamesAsked:
    """Asks about the clusters of one kind.

    Attributes:
        table: The kind.
        ground: Where names of sources and their texts stand.
        clusters: New ones and loaded ones.
    """

    table: NodeTable
    ground: Ground
    clusters: Sequence[Cluster]

    def questions(self, groups: Iterable[Group]) -> list[Question[SameNames]]:
        """Return a question for each group; its key is the group."""
        prompt = loading_prompt(PROMPT)
        return [self._question(prompt, group) for group in groups]

    def sets(self, group: Group, answer: SameNames) -> Iterator[Group]:
        """Yield the sets of one thing that an answer holds, the canonical one first.

        What an answer cannot mean is passed over: numbers that were not shown or that stand in
        two sets, a set of one, and a set with two loaded nodes.
        """
        taken = set[int]()
        for each in answer.same:
            numbers = dict.fromkeys((each.canonical, *each.numbers))
            wrong = any(number < 1 or number > len(group) or number in taken for number in numbers)
            taken |= set(numbers)
            if wrong or len(numbers) < 2 or each.canonical not in each.numbers:
                continue
            places = [group[number - 1] for number in numbers]
            loaded = [place for place in places if self.clusters[place].node is not None]
            if len(loaded) < 2:
                yield tuple(dict.fromkeys((*loaded, *places)))

    def _question(self, prompt: LoadingPrompt, group: Group) -> Question[SameNames]:
        task = prompt.of_task({"kind": self.table.name, "description": self.table.description})
        lines = [self._line(number, self.clusters[place]) for number, place in enumerate(group, 1)]
        text = prompt.of_text({"names": "\n".join(lines)})
        return Question(
            group, task, text, SameNames, version=prompt.version, answer_tokens=ANSWER_TOKENS
        )

    def _line(self, number: int, cluster: Cluster) -> str:
        told: dict[str, object] = {"number": number, "name": cluster.name}
        if cluster.node is not None:
            told["text"] = shortened(cluster.node.content, MOST_SHOWN)
        told["found_in"] = [
            {
                self.ground.table.name: self.ground.nodes[self.ground.table.name, source].name,
                "words": shortened(evidence, MOST_SHOWN),
            }
            for source, evidence in chosen_sources(self.table.name, cluster, MOST_USES)
        ]
        return json.dumps(told, ensure_ascii=False)
