"""hybrid_search: meaning, words and links, fused by reciprocal rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import NodeTable
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, node_ids
from moviegraph.errors import ArgumentError
from moviegraph.query.name_resolver import Item, node_table
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
from moviegraph.search.fusion import DEPTH, RANK_CONSTANT, WORDS_WEIGHT
from moviegraph.search.links import LinkRanking, rank_by_links
from moviegraph.search.references import (
    NodeSelection,
    combined_vector,
    nodes_named_by_query,
    select_nodes,
)
from moviegraph.search.semantic import APPROXIMATE
from moviegraph.sql.contains import indexed_words

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
