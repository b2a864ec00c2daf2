"""Clusters merged by the model: similar names, and the questions about them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
    merged,
    numbers,
    shortened,
)
from moviegraph.extraction.question_runner import Question, QuestionPort, answered
from moviegraph.extraction.relation_schema import LoadingPrompt, loading_prompt

Matrix = NDArray[np.float32]
ROWS = 256
WIDTH = 512
HASH_FACTOR = 2654435761  # 2^32 over the golden ratio: near numbers fall far from each other
NEAREST = 6
MIN_SPELT = 0.7
MIN_MEANT = 0.8
MIN_WITHIN = 0.75


@dataclass(frozen=True, slots=True, order=True)
class SimilarPair:
    """Two names that may mean the same, by their places in a list, the lower one first."""

    first: int
    second: int
    score: float


def alike(names: Sequence[str], asked: Sequence[int], vectors: Matrix | None) -> list[SimilarPair]:
    """Return the pairs of names that are near each other, of which one at least is asked for.

    A name has its few nearest alone, so that what comes back grows with the names and not with
    their pairs. Names that differ in a number are no pair.

    Args:
        names: Normal forms.
        asked: Places of the names whose neighbours are looked for.
        vectors: What the names mean, a row of length 1 for each, or None.
    """
    similarities: dict[tuple[int, int], float] = {}
    spelt = _of_length_one(trigrams(names))
    for matrix, least in ((spelt, MIN_SPELT), (vectors, MIN_MEANT)):
        if matrix is not None:
            for one, other, score in _nearest(matrix, asked, least):
                ends = (min(one, other), max(one, other))
                similarities[ends] = max(similarities.get(ends, 0.0), score)
    return _kept(names, similarities)


def alike_within(names: Sequence[str]) -> list[SimilarPair]:
    """Return the pairs of a few names where one has most of the other's letters in a row."""
    has = trigrams(names, 2 * WIDTH) > 0
    counts = has.sum(axis=1)
    common = has.astype(np.float32) @ has.T.astype(np.float32)
    shares = common / np.maximum(1, np.minimum.outer(counts, counts))
    ones, others = np.nonzero(np.triu(shares >= MIN_WITHIN, 1))
    pairs_by_kind = {
        (int(one), int(other)): float(shares[one, other])
        for one, other in zip(ones, others, strict=True)
    }
    return _kept(names, pairs_by_kind)


def same_spelling(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the places of each name that occurs more than once."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        places[name].append(place)
    return {name: each for name, each in sorted(places.items()) if len(each) > 1}


def trigrams(names: Sequence[str], width: int = WIDTH) -> Matrix:
    """Return how often each name has each three letters in a row, hashed into columns."""
    padded = [f" {name} ".encode() for name in names]
    matrix = np.zeros((len(names), width), np.float32)
    letters = np.frombuffer(b"".join(padded), np.uint8).astype(np.uint64)
    if len(letters) < 3:
        return matrix
    rows = np.repeat(np.arange(len(names)), [len(each) for each in padded])
    threes = letters[:-2] << 16 | letters[1:-1] << 8 | letters[2:]
    columns = (threes * HASH_FACTOR & 0xFFFFFFFF) * width >> 32
    of_one_name = rows[:-2] == rows[2:]
    np.add.at(matrix, (rows[:-2][of_one_name], columns[of_one_name]), 1)
    return matrix


def _of_length_one(matrix: Matrix) -> Matrix:
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


def _nearest(
    matrix: Matrix, asked: Sequence[int], least: float
) -> Iterator[tuple[int, int, float]]:
    """Yield for each row that is asked for its nearest others, with their cosines."""
    most = min(NEAREST + 1, len(matrix))
    for start in range(0, len(asked), ROWS):
        rows = np.asarray(asked[start : start + ROWS])
        scores = matrix[rows] @ matrix.T
        scores[np.arange(len(rows)), rows] = -1.0
        best = np.argpartition(-scores, most - 1, axis=1)[:, :most]
        for at, row in enumerate(rows):
            for other in best[at]:
                if scores[at, other] >= least:
                    yield int(row), int(other), float(scores[at, other])


def _kept(names: Sequence[str], similarities: dict[tuple[int, int], float]) -> list[SimilarPair]:
    return [
        SimilarPair(one, other, round(score, 4))
        for (one, other), score in sorted(similarities.items())
        if numbers(names[one]) == numbers(names[other])
    ]


PROMPT = "merge_names"
MAX_USES = 2
MAX_SHOWN = 200
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
        index: Where names of sources and their texts stand.
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
        facts: dict[str, object] = {"number": number, "name": cluster.name}
        if cluster.node is not None:
            facts["text"] = shortened(cluster.node.content, MAX_SHOWN)
        facts["found_in"] = [
            {
                self.index.table.name: self.index.nodes[self.index.table.name, source].name,
                "words": shortened(evidence, MAX_SHOWN),
            }
            for source, evidence in chosen_sources(cluster, MAX_USES)
        ]
        return json.dumps(facts, ensure_ascii=False)


STAGE = "Merging names"
MAX_IN_GROUP = 8
ROUNDS = 2


@dataclass(frozen=True, slots=True)
class MergedClusters:
    """What became of clusters.

    Attributes:
        clusters: Those that are left.
        merged: How many are not.
        unasked: How many groups the model did not judge.
        reason: Why it did not judge the first of them.
    """

    clusters: list[Cluster]
    merged: int
    unasked: int
    reason: str


def merged_by_model(
    asked: NamesAsked, pairs: Sequence[SimilarPair], runner: QuestionPort
) -> MergedClusters:
    """Return the clusters, merged where the model says so; what it denied may fit elsewhere.

    A cluster that was merged is in no further group, so that no two are one by way of a third.
    """
    sets, closed, seen = list[Group](), set[int](), set[tuple[int, int]]()
    unasked, reason = 0, ""
    for _ in range(ROUNDS):
        left = [pair for pair in pairs if (pair.first, pair.second) not in seen]
        groups = star_groups(asked.clusters, left, closed)
        answers, reason = answered(runner, asked.questions(groups), STAGE)
        for group in groups:
            if group in answers:
                sets += asked.sets(group, answers[group])
        closed.update(place for each in sets for place in each)
        seen |= _together(groups)
        unasked, reason = unasked + len(groups) - len(answers), reason or reason
    return MergedClusters(
        _merge(asked.clusters, sets), sum(len(s) - 1 for s in sets), unasked, reason
    )


def star_groups(
    clusters: Sequence[Cluster], pairs: Iterable[SimilarPair], closed: Iterable[int]
) -> list[Group]:
    """Return groups of a centre and its nearest; no cluster is in two of them.

    Loaded nodes are the first centres, then what is named most. Because each cluster has one
    group, and a group is judged as a whole, what is merged never chains.

    Args:
        clusters: What the pairs are of.
        pairs: Which may be the same.
        closed: Those that belong to no group any more.
    """
    near: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for pair in pairs:
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            near[one].append((-pair.score, other))
    used, groups = set(closed), list[Group]()
    for centre in sorted(near, key=lambda place: weight(clusters[place])):
        if centre in used:
            continue
        members = [other for _, other in sorted(near[centre]) if other not in used]
        if members:
            group = (centre, *members[: MAX_IN_GROUP - 1])
            used |= set(group)
            groups.append(group)
    return groups


def _merge(clusters: Sequence[Cluster], sets: Iterable[Group]) -> list[Cluster]:
    """Return the clusters with each set merged into its first."""
    into = {places[0]: places[1:] for places in sets}
    gone = {place for others in into.values() for place in others}
    return [
        merged(cluster, [clusters[other] for other in into[place]]) if place in into else cluster
        for place, cluster in enumerate(clusters)
        if place not in gone
    ]


def _together(groups: Iterable[Group]) -> set[tuple[int, int]]:
    """Return the pairs that stood in one group."""
    return {(one, other) for group in groups for one in group for other in group if one < other}


def weight(cluster: Cluster) -> tuple[bool, int, str]:
    """Return by what clusters are ordered: loaded ones first, then what is named most."""
    return cluster.node is None, -len(cluster.sources), cluster.key


def candidates(
    table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster], embedder: Embedder | None
) -> list[SimilarPair]:
    """Return the pairs that the model is asked about; never two loaded nodes.

    Where names are shared, these are names alike within a scope, and the same name in several.

    Raises:
        EmbeddingError: The embedder failed.
    """
    if table.named_within is None:
        pairs = _near(clusters, embedder)
    else:
        pairs = [*_within(table, index, clusters), *_namesakes(clusters)]
    return [
        pair
        for pair in pairs
        if clusters[pair.first].node is None or clusters[pair.second].node is None
    ]


def _near(clusters: Sequence[Cluster], embedder: Embedder | None) -> list[SimilarPair]:
    names = [each.normal for each in clusters]
    asked = [place for place, each in enumerate(clusters) if each.node is None]
    vectors = embedder.embed(names) if embedder is not None and asked else None
    return alike(names, asked, vectors) if asked else []


def _within(
    table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster]
) -> Iterator[SimilarPair]:
    seen = set[tuple[int, int]]()
    names = [each.normal for each in clusters]
    for places in _by_scope(table, index, clusters):
        if all(clusters[place].node is not None for place in places):
            continue
        for pair in alike_within([names[place] for place in places]):
            ends = (places[pair.first], places[pair.second])
            if ends not in seen:
                seen.add(ends)
                yield SimilarPair(*ends, pair.score)


def _by_scope(
    table: NodeTable, index: EntityIndex, clusters: Sequence[Cluster]
) -> Iterable[list[int]]:
    linked: Mapping[int, set[int]] = index.linked(table)
    ids_by_scope: dict[Scope, list[int]] = defaultdict(list)
    for place, cluster in enumerate(clusters):
        sources = {*cluster.sources, *(linked.get(cluster.node.id, ()) if cluster.node else ())}
        for scope in {scope for source in sources for scope in index.scopes(table, source)}:
            ids_by_scope[scope].append(place)
    return [places for _, places in sorted(ids_by_scope.items()) if len(places) > 1]


def _namesakes(clusters: Sequence[Cluster]) -> Iterator[SimilarPair]:
    """Yield pairs of one name in groups; a single word that very many bear says too little."""
    for name, places in same_spelling([each.normal for each in clusters]).items():
        if " " not in name and len(places) > MAX_IN_GROUP:
            continue
        ordered = sorted(places, key=lambda place: weight(clusters[place]))
        for start in range(0, len(ordered), MAX_IN_GROUP):
            group = sorted(ordered[start : start + MAX_IN_GROUP])
            for at, one in enumerate(group):
                yield from (SimilarPair(one, other, 1.0) for other in group[at + 1 :])
