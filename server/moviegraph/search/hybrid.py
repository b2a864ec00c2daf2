"""hybrid_search: meaning, words and links, fused by reciprocal rank."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Selection, node_ids
from moviegraph.errors import ArgumentError
from moviegraph.query.name_resolver import Item, node_names, node_table
from moviegraph.query.query_pipeline import CallRecorder, ToolOutput, query_vector
from moviegraph.search.fixed_tool import (
    Work,
    fixed_tool,
    node_output,
    ranks,
    row_count,
    where_decision,
)
from moviegraph.search.fulltext import all_words
from moviegraph.search.references import (
    NO_IDS,
    NodeSelection,
    combined_vector,
    nodes_named_by_query,
    select_nodes,
)
from moviegraph.search.semantic import APPROXIMATE
from moviegraph.sql.contains import indexed_words
from moviegraph.sql.match_patterns import Hop

Key = TypeVar("Key", bound=Hashable)

RANK_CONSTANT = 20
"""`k` of 1 / (k + rank): with two lists 200 deep, 10 to 20 found more than the usual 60."""

WORDS_WEIGHT = 0.5
"""What a place by the words of a query counts beside one by its meaning; measured."""

DEPTH = 200
"""How many places of each list are fused."""


def reciprocal_rank(
    lists: Iterable[Sequence[Key]], k: int = RANK_CONSTANT
) -> list[tuple[Key, float]]:
    """Return the keys of ranked lists with their fused scores, best first, ties by key as text.

    A key that a list names twice counts at its better rank. Sums are exact: those of floats depend
    on the order of the lists.
    """
    scores: dict[Key, Fraction] = defaultdict(Fraction)
    for ranking in lists:
        ranks: dict[Key, int] = {}
        for rank, key in enumerate(ranking, start=1):
            ranks.setdefault(key, rank)
        for key, rank in ranks.items():
            scores[key] += Fraction(1, k + rank)
    ordered = sorted(scores, key=lambda key: (-scores[key], _order(key)))
    return [(key, float(scores[key])) for key in ordered]


def _order(key: Hashable) -> tuple[bool, int, str]:
    """Numbers in their own order, everything else as text."""
    return (False, key, "") if isinstance(key, int) else (True, 0, repr(key))


MAX_ENDS = 60
"""How many of the nodes that edges lead to, those nearest to the query, lend their links."""

MIN_SIMILARITY = 0.2
SHARPNESS = 6
"""A link counts by the similarity of its end to this power: the nearest few decide, no hub does."""

SAMPLE = 50
SUPPORT = 0.3
"""What similarity an end gains if all of the `SAMPLE` nodes nearest to the query link to it."""

LINKS_WEIGHT = 1.5
MAX_LINKS_WEIGHT = 2.0


@dataclass(frozen=True, slots=True)
class LinkRanking:
    """Nodes by links, best first, the strongest link of each, and what a place counts.

    `has_links` is whether edges lead from this kind of node at all.
    """

    ids: Ids
    linked_to: dict[int, str]
    weight: float
    has_links: bool


@dataclass(frozen=True, slots=True)
class _End:
    """A node that edges lead to, by link, with its similarity to the vector."""

    hop: Hop
    id: int
    similarity: float


def rank_by_links(
    graph: GraphReader,
    contract: Contract,
    node: NodeTable,
    vector: Vector,
    examples: Ids,
    by_meaning: Ids,
    among: Selection | None,
) -> LinkRanking:
    """Return the nodes of a kind by their links to the ends nearest to a vector.

    With examples, only ends that the examples are linked to count. Where many of the nodes nearest
    in meaning share an end, it counts as nearer than its text says.
    """
    hops = _hops(contract, node)
    if not hops:
        return LinkRanking(NO_IDS, {}, LINKS_WEIGHT, has_links=False)
    ends = _nearest_ends(graph, node, hops, vector, examples)
    weight = LINKS_WEIGHT if len(examples) else _weight(graph, node, vector, ends)
    linked, which = _edges_to(graph, node, hops, ends)
    if not len(linked):
        return LinkRanking(NO_IDS, {}, weight, has_links=True)
    names = _end_names(graph, contract, ends)
    lifted = _lifted(ends, names, linked, which, by_meaning)
    ids, positions = np.unique(linked, return_inverse=True)
    shares = np.round(np.bincount(positions, lifted**SHARPNESS), 9)
    strongest = _strongest(linked, which, lifted, names)
    is_selected = np.isin(ids, graph.keep(node.name, ids, among))
    ids, shares = ids[is_selected], shares[is_selected]
    order = np.lexsort((ids, _distances(graph, node, vector, ids), -shares))
    return LinkRanking(ids[order], strongest, weight, has_links=True)


def _hops(contract: Contract, node: NodeTable) -> list[Hop]:
    """Return the hops that leave a kind of node along the direction of their edges."""
    leaving = [
        connection for connection in contract.connections if connection.from_table == node.name
    ]
    return [Hop(connection.name, forward=True, kind=connection.to_table) for connection in leaving]


def _nearest_ends(
    graph: GraphReader, node: NodeTable, hops: Sequence[Hop], vector: Vector, examples: Ids
) -> list[_End]:
    ends: list[_End] = []
    for hop in hops:
        among = None
        if len(examples):
            reached = graph.neighbors(node.name, hop, node_ids(examples.tolist())).targets
            among = graph.only(reached)
        ranked = graph.nearest(hop.kind, vector, MAX_ENDS, among)
        similarities = (1 - ranked.values).tolist()
        ends += [
            _End(hop, key, similarity)
            for key, similarity in zip(ranked.ids.tolist(), similarities, strict=True)
            if len(examples) or similarity >= MIN_SIMILARITY
        ]
    ends.sort(key=lambda end: (-end.similarity, end.hop.edge, end.hop.kind, end.id))
    return ends[:MAX_ENDS]


def _weight(graph: GraphReader, node: NodeTable, vector: Vector, ends: Sequence[_End]) -> float:
    """Return what a place by links counts beside one by meaning.

    The more, the nearer the nearest end is to the query than the nearest node itself: a query that
    retells a story means that story, one that describes an idea means what is linked to it.
    """
    nearest = graph.nearest(node.name, vector, 1).values
    similarity = 1 - float(nearest[0]) if len(nearest) else 0.0
    if similarity <= 0:
        return LINKS_WEIGHT
    best = ends[0].similarity if ends else 0.0
    return round(min(MAX_LINKS_WEIGHT, LINKS_WEIGHT * (best / similarity) ** 2), 3)


def _edges_to(
    graph: GraphReader, node: NodeTable, hops: Sequence[Hop], ends: Sequence[_End]
) -> tuple[Ids, NDArray[np.intp]]:
    """Return the edges to the ends: the node of each, and the position of its end."""
    linked, which = [NO_IDS], [np.zeros(0, dtype=np.intp)]
    for hop in hops:
        positions = {end.id: at for at, end in enumerate(ends) if end.hop == hop}
        if not positions:
            continue
        end_ids = node_ids(list(positions))
        pairs = graph.neighbors(hop.kind, Hop(hop.edge, forward=False, kind=node.name), end_ids)
        linked.append(pairs.targets)
        places = np.array([positions[key] for key in end_ids.tolist()], dtype=np.intp)
        which.append(places[np.searchsorted(end_ids, pairs.sources)])
    return np.concatenate(linked), np.concatenate(which)


def _end_names(graph: GraphReader, contract: Contract, ends: Sequence[_End]) -> list[str]:
    """Return kind and name of each end."""
    names = {
        kind: node_names(graph, contract, kind, (end.id for end in ends if end.hop.kind == kind))
        for kind in {end.hop.kind for end in ends}
    }
    return [f"{end.hop.kind}: {names[end.hop.kind][end.id]}" for end in ends]


def _lifted(
    ends: Sequence[_End],
    names: Sequence[str],
    linked: Ids,
    which: NDArray[np.intp],
    by_meaning: Ids,
) -> NDArray[np.float64]:
    """Return for each edge the similarity of its end, more where the nearest nodes share it.

    Ends of one name and similarity count as one.
    """
    groups: dict[tuple[str, float], int] = {}
    keys = [
        groups.setdefault((name, end.similarity), len(groups))
        for name, end in zip(names, ends, strict=True)
    ]
    group = np.array(keys)[which]
    supporters = np.bincount(group, np.isin(linked, by_meaning[:SAMPLE]))[group]
    similarities = np.array([end.similarity for end in ends])[which]
    lifted = np.maximum(similarities, 0.0) + SUPPORT / SAMPLE * supporters
    return lifted.astype(np.float64)


def _strongest(
    linked: Ids, which: NDArray[np.intp], lifted: NDArray[np.float64], names: Sequence[str]
) -> dict[int, str]:
    """Return the name of the end that counts most for each node."""
    order = np.lexsort((np.array(names)[which], -lifted, linked))
    nodes, first = np.unique(linked[order], return_index=True)
    strongest: list[int] = which[order][first].tolist()
    return {key: names[at] for key, at in zip(nodes.tolist(), strongest, strict=True)}


def _distances(
    graph: GraphReader, node: NodeTable, vector: Vector, ids: Ids
) -> NDArray[np.float64]:
    """Return the distance of each node to the vector; 2 where it has no vector."""
    ranked = graph.nearest(node.name, vector, len(ids), graph.only(ids)) if len(ids) else None
    distances = np.full(len(ids), 2.0)
    if ranked is not None:
        distances[np.searchsorted(ids, ranked.ids)] = ranked.values
    return distances


MAX_NAMED = 20
MAX_GUESSED = 3
MAX_WORDS_OF_A_GUESS = 6
MIN_GUESS_CLOSENESS = 0.8
AGREED_PLACES = 2
"""Nodes among so many first places by meaning and by words do not lose by a low place by links.

Measured with benchmarks.retrieval: 2 costs at most 0.014 of MRR and no recall, 5 up to 0.03.
"""

MAX_SUGGESTED = 3


@fixed_tool("hybrid_search")
def search(
    recording: CallRecorder,
    *,
    query: str,
    keywords: str | None = None,
    kind: str | None = None,
    like: Sequence[Item] = (),
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Work:
    """Return the nodes of a kind by fused score, each with its rank in every list.

    The lists are by meaning, by words (any word of `keywords`, else of the query), and by links:
    nodes whose edges lead to what is near to the query or, with `like`, to what the named nodes
    are linked to. Nodes that the whole query names come first.

    Raises:
        ModelVisibleError: An argument is wrong, nothing in `like` resolves, or `where` was refused.
    """
    session = recording.session
    recording.query = text = query.strip()
    words = keywords.strip() if keywords else None
    node = node_table(session.contract, kind)
    count = row_count(session, top)
    condition = where_decision(session, node, where)
    vector = query_vector(session, text)

    def work(graph: GraphReader) -> ToolOutput:
        selection = select_nodes(recording, graph, node, condition, like, exclude)
        search = _HybridSearch(recording, graph, node, selection)
        lists = search.ranked_lists(vector, words)
        if condition is not None and not len(lists.fused.ids):
            recording.notes.append(f"No {node.name} satisfies `where`.")
        elif not len(lists.by_words) and (words or not lists.gains):
            recording.notes.append(search.note_without_words(words or text))
        ids = lists.fused.ids[:count]
        return node_output(
            recording,
            graph,
            node,
            ids,
            detail=detail,
            has_more=len(lists.fused.ids) > count,
            computed=lists.columns(ids),
        )

    return work


@dataclass(frozen=True, slots=True)
class FusedNodes:
    """Nodes by fused score, best first, ties by id."""

    ids: Ids
    scores: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _RankedLists:
    """The lists of one search, what nodes gain by their name, and all of it fused."""

    by_meaning: Ids
    by_words: Ids
    by_links: LinkRanking
    gains: dict[int, float]
    fused: FusedNodes

    def columns(self, ids: Ids) -> dict[str, Sequence[Any]]:
        """Return the score of the first nodes, and their rank in each list."""
        columns: dict[str, Sequence[Any]] = {
            "Score": self.fused.scores[: len(ids)].tolist(),
            "SemanticRank": ranks(ids, self.by_meaning),
            "FulltextRank": ranks(ids, self.by_words),
        }
        if self.by_links.has_links:
            linked_to = [self.by_links.linked_to.get(key) for key in ids.tolist()]
            columns |= {"GraphRank": ranks(ids, self.by_links.ids), "LinkedTo": linked_to}
        return columns


@dataclass(frozen=True, slots=True)
class _HybridSearch:
    """One search by meaning, words and links, within its reader."""

    recording: CallRecorder
    graph: GraphReader
    node: NodeTable
    selection: NodeSelection

    def ranked_lists(self, vector: Vector, words: str | None) -> _RankedLists:
        """Return the nodes by meaning, by words (else by those of the query), and by links."""
        graph, node, contract = self.graph, self.node, self.recording.session.contract
        examples, among = self.selection.examples, self.selection.among
        gains = {} if len(examples) else self._named()
        combined = combined_vector(graph, node, examples, vector)
        nearest = graph.nearest(node.name, combined, DEPTH, among)
        if not nearest.is_exact:
            self.recording.notes.append(APPROXIMATE)
        searched = words or self.recording.query or ""
        by_words = graph.matching(node.name, searched, DEPTH, among, function="FREETEXT").ids
        by_links = rank_by_links(graph, contract, node, combined, examples, nearest.ids, among)
        weight = 1.0 if words else WORDS_WEIGHT
        fused = _fuse(nearest.ids, by_words, weight, by_links, gains)
        return _RankedLists(nearest.ids, by_words, by_links, gains, fused)

    def note_without_words(self, searched: str) -> str:
        """Return a note that no word counted, with the nearest names."""
        if not any(indexed_words(searched)):
            return "The query has stop words only: full-text search did not contribute."
        suggestions = self.selection.names.nearest_names(searched, [self.node], MAX_SUGGESTED)
        hint = f" Names with a similar spelling: {', '.join(suggestions)}." if suggestions else ""
        return f"No row contains the words: full-text search did not contribute.{hint}"

    def _named(self) -> dict[int, float]:
        """Return the nodes that the whole query names, exactly or nearly, and what each gains."""
        names, text = self.selection.names, self.recording.query or ""
        nodes = nodes_named_by_query(self.recording, names, self.node, MAX_NAMED)
        if not nodes and len(text.split()) <= MAX_WORDS_OF_A_GUESS and not self._is_contained():
            similar = names.similar(text, self.node, MAX_GUESSED)
            nodes = [node for node in similar if node.closeness >= MIN_GUESS_CLOSENESS]
            if nodes:
                described = ", ".join(node.described for node in nodes)
                self.recording.notes.append(
                    f"No text contains {text!r}; names with a similar spelling come first: "
                    f"{described}."
                )
        ids = node_ids([node.id for node in nodes])
        selected = set(self.graph.keep(self.node.name, ids, self.selection.among).tolist())
        return {node.id: round(node.closeness, 4) for node in nodes if node.id in selected}

    def _is_contained(self) -> bool:
        """Return whether a text contains all words of the query, or the query has none."""
        try:
            return bool(
                len(
                    self.graph.matching(
                        self.node.name, all_words(self.recording.query or ""), 1
                    ).ids
                )
            )
        except ArgumentError:
            return True


def _fuse(
    by_meaning: Ids,
    by_words: Ids,
    words_weight: float,
    by_links: LinkRanking,
    gains: dict[int, float],
) -> FusedNodes:
    """Fuse the lists by reciprocal rank (Cormack, Clarke, Buettcher 2009)."""
    gain_ids = node_ids(list(gains))
    ids = np.unique(np.concatenate([by_meaning, by_words, by_links.ids, gain_ids]))
    scores = np.zeros(len(ids))
    weighted = ((by_links.weight, by_links.ids), (1.0, by_meaning), (words_weight, by_words))
    for weight, ranked in weighted:
        scores[np.searchsorted(ids, ranked)] += weight * _shares(np.arange(1, len(ranked) + 1))
    for node_id, rank in _agreed(by_meaning, by_words).items():
        actual = np.flatnonzero(by_links.ids == node_id)
        if not len(by_links.ids) or (len(actual) and actual[0] < rank):
            continue
        share = _shares(np.array([rank])) - (_shares(actual[:1] + 1) if len(actual) else 0)
        scores[np.searchsorted(ids, node_id)] += by_links.weight * float(share[0])
    scores[np.searchsorted(ids, gain_ids)] += [gains[key] for key in gain_ids.tolist()]
    scores = np.round(scores, 6)
    best = np.lexsort((ids, -scores))
    return FusedNodes(ids[best], scores[best])


def _shares(places: NDArray[Any]) -> NDArray[np.float64]:
    return 1 / (RANK_CONSTANT + places.astype(np.float64))


def _agreed(by_meaning: Ids, by_words: Ids) -> dict[int, int]:
    """Return the nodes among the first by meaning and by words, with the later of both places."""
    worded = {key: rank for rank, key in enumerate(by_words[:AGREED_PLACES].tolist(), 1)}
    return {
        key: max(rank, worded[key])
        for rank, key in enumerate(by_meaning[:AGREED_PLACES].tolist(), 1)
        if key in worded
    }
