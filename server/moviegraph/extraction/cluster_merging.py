"""Clusters merged by the model: similar names, and the questions about them."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from moviegraph.contract.model import NodeTable
from moviegraph.embeddings.embedder import Embedder
from moviegraph.extraction.clusters import (
    Cluster,
    EntityIndex,
    Scope,
    chosen_sources,
    name_numbers,
    shortened,
)
from moviegraph.extraction.question_runner import (
    LoadingPrompt,
    Question,
    QuestionRunner,
    loading_prompt,
)

Matrix = NDArray[np.float32]
Group = tuple[int, ...]
Similarities = dict[tuple[int, int], float]
"""Pairs of names that may mean the same, by their indexes in a list, the lower one first."""

PROMPT = "merge_names"
STAGE = "Merging names"
ROWS = 256
WIDTH = 512
HASH_FACTOR = 2654435761  # 2^32 over the golden ratio: near numbers fall far from each other
NEAREST = 6
MIN_SPELLING = 0.7
MIN_MEANING = 0.8
MIN_SHARE = 0.75
MAX_USES = 2
MAX_SHOWN_CHARS = 200
ANSWER_TOKENS = 120
MAX_GROUP = 8


def similar_pairs(
    names: Sequence[str], requested: Sequence[int], vectors: Matrix | None
) -> Similarities:
    """Return the pairs of similar names, of which at least one is requested.

    A name has only its few nearest, so that the result grows with the names and not with their
    pairs. Names that differ in a number are no pair.

    Args:
        names: Normal forms.
        requested: Indexes of the names whose neighbors are searched.
        vectors: The meaning of the names, a row of length 1 for each, or None.
    """
    scores: Similarities = {}
    for matrix, minimum in ((_trigrams(names), MIN_SPELLING), (vectors, MIN_MEANING)):
        if matrix is not None:
            for first, second, score in _nearest(matrix, requested, minimum):
                if name_numbers(names[first]) == name_numbers(names[second]):
                    pair = min(first, second), max(first, second)
                    scores[pair] = max(scores.get(pair, 0.0), score)
    return scores


def _trigrams(names: Sequence[str]) -> Matrix:
    """Return how often each name has each three letters in a row, hashed; rows of length 1."""
    padded = [f" {name} ".encode() for name in names]
    matrix = np.zeros((len(names), WIDTH), np.float32)
    letters = np.frombuffer(b"".join(padded), np.uint8).astype(np.uint64)
    rows = np.repeat(np.arange(len(names)), [len(name) for name in padded])
    threes = letters[:-2] << 16 | letters[1:-1] << 8 | letters[2:]
    columns = (threes * HASH_FACTOR & 0xFFFFFFFF) * WIDTH >> 32
    of_one_name = rows[:-2] == rows[2:]
    np.add.at(matrix, (rows[:-2][of_one_name], columns[of_one_name]), 1)
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def _nearest(
    matrix: Matrix, requested: Sequence[int], minimum: float
) -> Iterator[tuple[int, int, float]]:
    """Yield for each requested row its nearest others, with their cosines."""
    count = min(NEAREST + 1, len(matrix))
    for start in range(0, len(requested), ROWS):
        rows = np.asarray(requested[start : start + ROWS])
        scores = matrix[rows] @ matrix.T
        scores[np.arange(len(rows)), rows] = -1.0
        best = np.argpartition(-scores, count - 1, axis=1)[:, :count]
        for index, row in enumerate(rows):
            for other in best[index]:
                if scores[index, other] >= minimum:
                    yield int(row), int(other), round(float(scores[index, other]), 4)


def merge_candidates(
    table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster], embedder: Embedder | None
) -> Similarities:
    """Return the pairs that the model is asked about; never two loaded nodes.

    Where names are shared, these are similar names within a home, and the same name in several.

    Raises:
        EmbeddingError: The embedder failed.
    """
    new = [index for index, cluster in enumerate(clusters) if cluster.node is None]
    if not new:
        return {}
    if table.named_within is None:
        names = [cluster.normal for cluster in clusters]
        return similar_pairs(names, new, None if embedder is None else embedder.embed(names))
    pairs = _within_homes(table, index, clusters) | _namesakes(clusters)
    return {pair: score for pair, score in pairs.items() if not set(pair).isdisjoint(new)}


def _within_homes(
    table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster]
) -> Similarities:
    """Return the pairs of one home where one name has most of the other's trigrams."""
    linked = index.linked(table)
    members: dict[Scope, list[int]] = defaultdict(list)
    for position, cluster in enumerate(clusters):
        sources = {*cluster.sources, *(linked.get(cluster.node.id, ()) if cluster.node else ())}
        for home in {index.home(table, source) for source in sources}:
            members[home].append(position)
    names = [f" {cluster.normal} " for cluster in clusters]
    trigrams = [{name[at : at + 3] for at in range(len(name) - 2)} for name in names]
    scores: Similarities = {}
    for first, second in (pair for home in members.values() for pair in combinations(home, 2)):
        common = len(trigrams[first] & trigrams[second])
        share = common / min(len(trigrams[first]), len(trigrams[second]))
        if share >= MIN_SHARE and name_numbers(names[first]) == name_numbers(names[second]):
            scores[first, second] = share
    return scores


def _namesakes(clusters: Sequence[Cluster]) -> Similarities:
    """Return pairs of one name, in a chain; a single word with very many nodes says too little."""
    positions_by_name: dict[str, list[int]] = defaultdict(list)
    for position, cluster in enumerate(clusters):
        positions_by_name[cluster.normal].append(position)
    return {
        pair: 1.0
        for name, positions in positions_by_name.items()
        if " " in name or len(positions) <= MAX_GROUP
        for pair in pairwise(positions)
    }


def group_pairs(pairs: Mapping[tuple[int, int], float]) -> list[Group]:
    """Return groups in which the model compares names, the most similar pairs first.

    No name is in two groups, and a group is answered as a whole, so merges do not chain.
    """
    groups: dict[int, list[int]] = {}
    for first, second in sorted(pairs, key=lambda pair: (-pairs[pair], pair)):
        left, right = (groups.setdefault(member, [member]) for member in (first, second))
        if left is not right and len(left) + len(right) <= MAX_GROUP:
            left += right
            groups.update(dict.fromkeys(right, left))
    distinct = {tuple(sorted(group)) for group in groups.values() if len(group) > 1}
    return sorted(distinct)


class SameThing(BaseModel):
    """Numbers of names that mean one thing, and the number of the name that it keeps."""

    numbers: list[int]
    canonical: int


class SameNames(BaseModel):
    """Which of the names that were shown mean the same thing."""

    same: list[SameThing]


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

    def ask(
        self, pairs: Mapping[tuple[int, int], float], runner: QuestionRunner
    ) -> tuple[list[Cluster], int, str]:
        """Return the clusters, merged where the model says so.

        With them come the number of groups that it did not answer, and the reason of the first.
        """
        prompt, groups = loading_prompt(PROMPT), group_pairs(pairs)
        questions = [self._question(prompt, group) for group in groups]
        answers, reason = runner.answered(questions, STAGE)
        sets = [
            members
            for group in groups
            if group in answers
            for members in self.sets(group, answers[group])
        ]
        merges = {members[0]: members[1:] for members in sets}
        merged = {member for members in merges.values() for member in members}
        remaining = [
            cluster.merged_with(self.clusters[other] for other in merges.get(index, ()))
            for index, cluster in enumerate(self.clusters)
            if index not in merged
        ]
        return remaining, len(groups) - len(answers), reason

    def sets(self, group: Group, answer: SameNames) -> Iterator[Group]:
        """Yield the sets of one thing in an answer, the canonical one first.

        What an answer cannot mean is ignored: numbers that were not shown or are in two sets, a
        set of one, and a set with two loaded nodes.
        """
        used = set[int]()
        for thing in answer.same:
            numbers = dict.fromkeys((thing.canonical, *thing.numbers))
            is_invalid = any(n < 1 or n > len(group) or n in used for n in numbers)
            used |= set(numbers)
            if is_invalid or len(numbers) < 2 or thing.canonical not in thing.numbers:
                continue
            members = [group[number - 1] for number in numbers]
            loaded = [member for member in members if self.clusters[member].node is not None]
            if len(loaded) < 2:
                yield tuple(dict.fromkeys((*loaded, *members)))

    def _question(self, prompt: LoadingPrompt, group: Group) -> Question[SameNames]:
        task = prompt.of_task({"kind": self.table.name, "description": self.table.description})
        lines = [self._line(number, self.clusters[c]) for number, c in enumerate(group, 1)]
        text = prompt.of_text({"names": "\n".join(lines)})
        return Question(
            group, task, text, SameNames, version=prompt.version, answer_tokens=ANSWER_TOKENS
        )

    def _line(self, number: int, cluster: Cluster) -> str:
        facts: dict[str, object] = {"number": number, "name": cluster.name}
        if cluster.node is not None:
            facts["text"] = shortened(cluster.node.content, MAX_SHOWN_CHARS)
        facts["found_in"] = [
            {
                self.index.table.name: self.index.source(source).name,
                "words": shortened(evidence, MAX_SHOWN_CHARS),
            }
            for source, evidence in chosen_sources(cluster, MAX_USES)
        ]
        return json.dumps(facts, ensure_ascii=False)
