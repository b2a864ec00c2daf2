"""hybrid_search: meaning, words and links, fused by reciprocal rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import NodeTable
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Selection, node_ids
from moviegraph.errors import ArgumentError
from moviegraph.query.argument_checks import (
    DETAILS,
    check_choice,
    check_top,
    clean_text,
    node_table,
)
from moviegraph.query.name_resolver import Item, NameResolver
from moviegraph.query.recorder import CallRecorder, ToolOutput
from moviegraph.query.session import Call, Rows, Session
from moviegraph.search.fixed_tool import (
    Work,
    embed,
    node_finding,
    note_unmatched_names,
    ranks,
    run_tool,
    where_decision,
)
from moviegraph.search.fulltext import MAX_NAME_CHARS, all_words
from moviegraph.search.fusion import DEPTH, RANK_CONSTANT, WORDS_WEIGHT
from moviegraph.search.links import LinkRanking, rank_by_links
from moviegraph.search.references import References, combined_vector, resolve_references
from moviegraph.search.semantic import APPROXIMATE
from moviegraph.sql.contains import indexed_words
from moviegraph.sql.decision import Allowed

MAX_NAMED = 20
MAX_GUESSED = 3
MAX_WORDS_OF_A_GUESS = 6
MIN_GUESS_CLOSENESS = 0.8
AGREED_PLACES = 2
"""Nodes among so many first places by meaning and by words do not lose by a low place by links.

Measured with benchmarks.retrieval: 2 costs at most 0.014 of MRR and no recall, 5 up to 0.03.
"""

MAX_SUGGESTED = 3


def search(
    session: Session,
    call: Call,
    *,
    query: str,
    keywords: str | None = None,
    kind: str | None = None,
    like: Sequence[Item] = (),
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Rows:
    """Return the nodes of a kind by fused score, each with its rank in every list.

    The lists are by meaning, by words (any word of `keywords`, else of the query), and by links:
    nodes whose edges lead to what is near to the query or, with `like`, to what the named nodes
    are linked to. Nodes that the whole query names come first.

    Raises:
        ModelVisibleError: An argument is wrong, nothing in `like` resolves, or `where` was refused.
    """
    arguments = {
        "query": query,
        "keywords": keywords,
        "kind": kind,
        "like": list(like),
        "exclude": list(exclude),
        "top": top,
        "where": where,
        "detail": detail,
    }

    def prepare(recording: CallRecorder) -> Work:
        recording.query = text = clean_text(query, "query")
        words = clean_text(keywords, "keywords") if keywords and keywords.strip() else None
        node = node_table(session.contract, kind)
        count = check_top(top, session)
        check_choice(detail, DETAILS, "detail")
        condition = where_decision(session, node, where)
        vector = embed(recording, text)

        return lambda graph: _Hybrid(
            recording, graph, node, text, words, condition, like, exclude
        ).finding(vector, count, detail)

    return run_tool(session, call, "hybrid_search", arguments, prepare)


@dataclass(frozen=True, slots=True)
class _Hybrid:
    """One search by meaning, words and links, within its reader."""

    recording: CallRecorder
    graph: GraphReader
    node: NodeTable
    text: str
    words: str | None
    condition: Allowed | None
    like: Sequence[Item]
    exclude: Sequence[Item]

    def finding(self, vector: Vector, count: int, detail: str) -> ToolOutput:
        """Return the best nodes, with their rank in each list."""
        graph, node, notes = self.graph, self.node, self.recording.notes
        contract = self.recording.session.contract
        references = References(graph, contract, node)
        note_unmatched_names(self.recording, graph, self.condition)
        examples, excluded = resolve_references(self.recording, references, self.like, self.exclude)
        left_out = node_ids([*excluded.tolist(), *examples.tolist()])
        among = graph.select(node.name, self.condition, left_out)
        gains = {} if self.like else self._named(references.names, among)
        combined = combined_vector(graph, node, examples, vector)
        nearest = graph.nearest(node.name, combined, DEPTH, among)
        if not nearest.is_exact:
            notes.append(APPROXIMATE)
        searched = self.words or self.text
        by_words = graph.matching(node.name, searched, DEPTH, among, function="FREETEXT").ids
        by_links = rank_by_links(graph, contract, node, combined, examples, nearest.ids, among)
        weight = 1.0 if self.words else WORDS_WEIGHT
        fused = _fuse(nearest.ids, by_words, weight, by_links, gains)
        if self.condition is not None and not len(fused.ids):
            notes.append(f"No {node.name} satisfies `where`.")
        elif not len(by_words) and (self.words or not gains):
            notes.append(self._without_words(references.names, searched))
        shown = fused.ids[:count]
        computed: dict[str, Sequence[Any]] = {
            "Score": fused.scores[:count].tolist(),
            "SemanticRank": ranks(shown, nearest.ids),
            "FulltextRank": ranks(shown, by_words),
        }
        if by_links.has_links:
            linked_to = [by_links.linked_to.get(key) for key in shown.tolist()]
            computed |= {"GraphRank": ranks(shown, by_links.ids), "LinkedTo": linked_to}
        return node_finding(
            self.recording,
            graph,
            node,
            shown,
            detail=detail,
            has_more=len(fused.ids) > count,
            computed=computed,
        )

    def _named(self, names: NameResolver, among: Selection | None) -> dict[int, float]:
        """Return the nodes that the whole query names, exactly or nearly, and what each gains."""
        text, notes = self.text, self.recording.notes
        if len(text) > MAX_NAME_CHARS:
            return {}
        nodes = names.named([text], [self.node])[text][:MAX_NAMED]
        for node in nodes:
            if node.found_by in ("alias", "suffix"):
                notes.append(f"{text!r} was interpreted as {node.described}.")
        if not nodes and len(text.split()) <= MAX_WORDS_OF_A_GUESS and not self._is_contained():
            near = names.similar(text, self.node, MAX_GUESSED)
            nodes = [node for node in near if node.closeness >= MIN_GUESS_CLOSENESS]
            if nodes:
                described = ", ".join(node.described for node in nodes)
                notes.append(
                    f"No text contains {text!r}; names with a similar spelling come first: "
                    f"{described}."
                )
        selected = self.graph.keep(self.node.name, node_ids([node.id for node in nodes]), among)
        is_selected = set(selected.tolist())
        return {node.id: round(node.closeness, 4) for node in nodes if node.id in is_selected}

    def _is_contained(self) -> bool:
        """Return whether a text contains all words of the query, or the query has none."""
        try:
            return bool(len(self.graph.matching(self.node.name, all_words(self.text), 1).ids))
        except ArgumentError:
            return True

    def _without_words(self, names: NameResolver, searched: str) -> str:
        """Return a note that no word counted, with the nearest names."""
        if not any(indexed_words(searched)):
            return "The query has stop words only: full-text search did not contribute."
        near = names.nearest_names(searched, [self.node], MAX_SUGGESTED)
        hint = f" Names with a similar spelling: {', '.join(near)}." if near else ""
        return f"No row contains the words: full-text search did not contribute.{hint}"


@dataclass(frozen=True, slots=True)
class FusedNodes:
    """Nodes by fused score, best first, ties by id."""

    ids: Ids
    scores: NDArray[np.float64]


def _fuse(
    by_meaning: Ids,
    by_words: Ids,
    words_weight: float,
    by_links: LinkRanking,
    gains: dict[int, float],
) -> FusedNodes:
    """Fuse the lists by reciprocal rank (Cormack, Clarke, Buettcher 2009)."""
    named = node_ids(list(gains))
    ids = np.unique(np.concatenate([by_meaning, by_words, by_links.ids, named]))
    scores = np.zeros(len(ids))
    weighted = ((by_links.weight, by_links.ids), (1.0, by_meaning), (words_weight, by_words))
    for weight, ranked in weighted:
        scores[np.searchsorted(ids, ranked)] += weight * _shares(np.arange(1, len(ranked) + 1))
    for node_id, place in _agreed(by_meaning, by_words).items():
        actual = np.flatnonzero(by_links.ids == node_id)
        if not len(by_links.ids) or (len(actual) and actual[0] < place):
            continue
        share = _shares(np.array([place])) - (_shares(actual[:1] + 1) if len(actual) else 0)
        scores[np.searchsorted(ids, node_id)] += by_links.weight * float(share[0])
    scores[np.searchsorted(ids, named)] += [gains[key] for key in named.tolist()]
    scores = np.round(scores, 6)
    best = np.lexsort((ids, -scores))
    return FusedNodes(ids[best], scores[best])


def _shares(places: NDArray[Any]) -> NDArray[np.float64]:
    return 1 / (RANK_CONSTANT + places.astype(np.float64))


def _agreed(by_meaning: Ids, by_words: Ids) -> dict[int, int]:
    """Return the nodes among the first by meaning and by words, with the later of both places."""
    worded = {key: place for place, key in enumerate(by_words[:AGREED_PLACES].tolist(), 1)}
    return {
        key: max(place, worded[key])
        for place, key in enumerate(by_meaning[:AGREED_PLACES].tolist(), 1)
        if key in worded
    }
