"""Clusters merged by the model: similar names, and the questions about them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

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
ROUNDS = 2


@dataclass(frozen=True, slots=True, order=True)
class SimilarPair:
    """Two names that may mean the same, by their indexes in a list, the lower one first."""

    first: int
    second: int
    score: float


def similar_pairs(
    names: Sequence[str], requested: Sequence[int], vectors: Matrix | None
) -> list[SimilarPair]:
    """Return the pairs of similar names, of which at least one is requested.

    A name has only its few nearest, so that the result grows with the names and not with their
    pairs. Names that differ in a number are no pair.

    Args:
        names: Normal forms.
        requested: Indexes of the names whose neighbors are searched.
        vectors: The meaning of the names, a row of length 1 for each, or None.
    """
    scores: dict[tuple[int, int], float] = {}
    spelling = _trigrams(names)
    spelling /= np.maximum(np.linalg.norm(spelling, axis=1, keepdims=True), 1e-9)
    for matrix, minimum in ((spelling, MIN_SPELLING), (vectors, MIN_MEANING)):
        if matrix is not None:
            for row, other, score in _nearest(matrix, requested, minimum):
                pair = (min(row, other), max(row, other))
                scores[pair] = max(scores.get(pair, 0.0), score)
    return [
        SimilarPair(*pair, round(score, 4))
        for pair, score in sorted(scores.items())
        if name_numbers(names[pair[0]]) == name_numbers(names[pair[1]])
    ]


def _trigrams(names: Sequence[str]) -> Matrix:
    """Return how often each name has each three letters in a row, hashed into columns."""
    padded = [f" {name} ".encode() for name in names]
    matrix = np.zeros((len(names), WIDTH), np.float32)
    letters = np.frombuffer(b"".join(padded), np.uint8).astype(np.uint64)
    if len(letters) < 3:
        return matrix
    rows = np.repeat(np.arange(len(names)), [len(name) for name in padded])
    threes = letters[:-2] << 16 | letters[1:-1] << 8 | letters[2:]
    columns = (threes * HASH_FACTOR & 0xFFFFFFFF) * WIDTH >> 32
    of_one_name = rows[:-2] == rows[2:]
    np.add.at(matrix, (rows[:-2][of_one_name], columns[of_one_name]), 1)
    return matrix


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
                    yield int(row), int(other), float(scores[index, other])


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

    def questions(self, groups: Iterable[Group]) -> list[Question[SameNames]]:
        """Return a question for each group; its key is the group."""
        prompt = loading_prompt(PROMPT)
        return [self._question(prompt, group) for group in groups]

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


def merge_by_model(
    questions: MergeQuestions, pairs: Sequence[SimilarPair], runner: QuestionRunner
) -> tuple[list[Cluster], int, str]:
    """Return the clusters, merged where the model says so; a name it denied may fit elsewhere.

    With them come the number of groups that it did not answer, and the reason of the first. A
    merged cluster is in no other group, so that no two are one by way of a third.
    """
    clusters = questions.clusters
    merges, closed, compared = dict[int, Group](), set[int](), set[tuple[int, int]]()
    unanswered, reason = 0, ""
    for _ in range(ROUNDS):
        open_pairs = [pair for pair in pairs if (pair.first, pair.second) not in compared]
        groups = star_groups(clusters, open_pairs, closed)
        answers, problem = runner.answered(questions.questions(groups), STAGE)
        for group in groups:
            if group in answers:
                for members in questions.sets(group, answers[group]):
                    merges[members[0]] = members[1:]
                    closed.update(members)
            compared.update(combinations(sorted(group), 2))
        unanswered, reason = unanswered + len(groups) - len(answers), reason or problem
    merged = {member for members in merges.values() for member in members}
    remaining = [
        cluster.merged_with(clusters[other] for other in merges.get(index, ()))
        for index, cluster in enumerate(clusters)
        if index not in merged
    ]
    return remaining, unanswered, reason


def star_groups(
    clusters: Sequence[Cluster], pairs: Iterable[SimilarPair], closed: Iterable[int]
) -> list[Group]:
    """Return groups of a center and its nearest; no cluster is in two of them.

    Loaded nodes are the first centers, then the most frequent ones. Because each cluster has one
    group, and a group is answered as a whole, merges do not chain.

    Args:
        clusters: The clusters of the pairs.
        pairs: Those that may be the same.
        closed: Those that belong to no group any more.
    """
    neighbors: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for pair in pairs:
        neighbors[pair.first].append((-pair.score, pair.second))
        neighbors[pair.second].append((-pair.score, pair.first))
    used, groups = set(closed), list[Group]()
    for center in sorted(neighbors, key=lambda index: _weight(clusters[index])):
        members = [other for _, other in sorted(neighbors[center]) if other not in used]
        if center not in used and members:
            group = (center, *members[: MAX_GROUP - 1])
            used |= set(group)
            groups.append(group)
    return groups


def _weight(cluster: Cluster) -> tuple[bool, int, str]:
    """Return the sort key of clusters: loaded ones first, then the most frequent ones."""
    return cluster.node is None, -len(cluster.sources), cluster.key


def merge_candidates(
    table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster], embedder: Embedder | None
) -> list[SimilarPair]:
    """Return the pairs that the model is asked about; never two loaded nodes.

    Where names are shared, these are similar names within a home, and the same name in several.

    Raises:
        EmbeddingError: The embedder failed.
    """
    new = [index for index, cluster in enumerate(clusters) if cluster.node is None]
    if not new:
        return []
    if table.named_within is None:
        names = [cluster.normal for cluster in clusters]
        vectors = embedder.embed(names) if embedder is not None else None
        return similar_pairs(names, new, vectors)
    pairs = [*_within_homes(table, index, clusters), *_namesakes(clusters)]
    return [pair for pair in pairs if not {pair.first, pair.second}.isdisjoint(new)]


def _within_homes(
    table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster]
) -> Iterator[SimilarPair]:
    """Yield pairs of one home where one name has most of the other's trigrams."""
    linked = index.linked(table)
    members: dict[Scope, list[int]] = defaultdict(list)
    for position, cluster in enumerate(clusters):
        sources = {*cluster.sources, *(linked.get(cluster.node.id, ()) if cluster.node else ())}
        for home in {index.home(table, source) for source in sources}:
            members[home].append(position)
    pairs = {pair for positions in members.values() for pair in combinations(positions, 2)}
    names = [f" {cluster.normal} " for cluster in clusters]
    trigrams = [{name[at : at + 3] for at in range(len(name) - 2)} for name in names]
    for first, second in sorted(pairs):
        common = len(trigrams[first] & trigrams[second])
        share = common / min(len(trigrams[first]), len(trigrams[second]))
        if share >= MIN_SHARE and name_numbers(names[first]) == name_numbers(names[second]):
            yield SimilarPair(first, second, round(share, 4))


def _namesakes(clusters: Sequence[Cluster]) -> Iterator[SimilarPair]:
    """Yield pairs of one name in groups; a single word with very many nodes says too little."""
    positions_by_name: dict[str, list[int]] = defaultdict(list)
    for position in sorted(range(len(clusters)), key=lambda index: _weight(clusters[index])):
        positions_by_name[clusters[position].normal].append(position)
    for name, positions in sorted(positions_by_name.items()):
        if " " in name or len(positions) <= MAX_GROUP:
            for start in range(0, len(positions), MAX_GROUP):
                for pair in combinations(sorted(positions[start : start + MAX_GROUP]), 2):
                    yield SimilarPair(*pair, 1.0)
