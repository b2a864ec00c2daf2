"""hybrid_search: meaning, words and links, fused by reciprocal rank."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import repeat
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import (
    GraphReader,
    Ids,
    Ranked,
    Selection,
    node_ids,
)
from moviegraph.errors import ArgumentError
from moviegraph.query.names import Item, node_names, node_table
from moviegraph.query.query_pipeline import CallRecorder, query_vector
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search.fixed_tool import (
    fixed_request,
    node_output,
    nothing_satisfies,
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
from moviegraph.sql.match_patterns import Hop, hops_from

NOTHING = Ranked(NO_IDS, np.zeros(0))
Key = TypeVar("Key", int, str, tuple[str, int])

RANK_CONSTANT = 20
"""`k` of 1 / (k + rank): with two lists 200 deep, 10 to 20 found more than the usual 60."""

WORDS_WEIGHT = 0.5
"""Weight of a rank by words, where a rank by meaning has 1; measured."""

DEPTH = 200
"""How many places of each list are fused."""

MAX_ENDS = 60
"""How many of the nodes that edges lead to, those nearest to the query, lend their links."""

MIN_SIMILARITY = 0.2
SHARPNESS = 6
"""A link counts by the similarity of its end to this power: the nearest few decide, no hub does."""

SAMPLE = 50
SUPPORT = 0.3
"""What similarity an end gains if all of the `SAMPLE` nodes nearest to the query link to it."""

FIRST_HITS = 10
SHARED_WEIGHT = 0.3
"""What a place counts by the links that the first hits share.

Measured with benchmarks.retrieval: 0.3 finds more of themes and archetypes and loses no plot, 0.5
loses one in fifteen.
"""

MIN_EXAMPLES = 5
"""From so many examples on, what only one of them is linked to is not shared."""

MAX_SHARED = 240
"""How many ends that examples share are compared with the query."""

LINKS_WEIGHT = 1.5
MAX_LINKS_WEIGHT = 2.0

SCORE_DECIMALS = 4  # of a score that is shown
MAX_NAMED = 20
MAX_GUESSED = 3
MAX_WORDS_OF_A_GUESS = 6
MIN_GUESS_CLOSENESS = 0.8
AGREED_PLACES = 2
"""Nodes among so many first places by meaning and by words do not lose by a low place by links.

Measured with benchmarks.retrieval: 2 costs at most 0.014 of MRR and no recall, 5 up to 0.03.
"""


@dataclass(frozen=True, slots=True)
class LinkRanking:
    """Nodes by links, best first, the strongest link of each, and the weight of a rank."""

    ids: Ids
    linked_to: dict[int, str]
    weight: float


def search(
    session: Session,
    call: Call,
    *,
    query: str | None = None,
    keywords: str | None = None,
    kind: str | None = None,
    like: Sequence[Item] = (),
    only: Sequence[Item] = (),
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Rows:
    """Return the nodes of a kind by fused score, each with its rank in every list.

    The lists are by meaning, by words (any word of `keywords`, else of the query), and by links:
    nodes whose edges lead to what is near to the query or, with `like`, to what the named nodes
    are linked to. Without `like`, what the first hits share counts a little, too. Nodes that the
    whole query names come first.

    Raises:
        ModelVisibleError: An argument is wrong, nothing in `like` resolves, or `where` was refused.
    """
    request = fixed_request(call, "hybrid_search", locals())
    with CallRecorder(session, call, request) as recording:
        if query is None and not like:
            raise ArgumentError("`query` is missing.", hint="Or pass nodes as `like`.")
        text = (query or "").strip()
        recording.query = text or None
        words = keywords.strip() if keywords else None
        node = node_table(session.contract, kind)
        count = row_count(session, top)
        condition = where_decision(session, node, where)
        has_vectors = session.engine.describe().space is not None
        vector = query_vector(session, text) if has_vectors and text else None
        if not has_vectors or node.vector is None:
            recording.notes.append(f"{node.name} has no vectors: meaning did not contribute.")

        with recording.reader("hybrid_search") as graph:
            selection = select_nodes(recording, graph, node, condition, like, only, exclude)
            examples, among = selection.examples, selection.among
            gains = {} if len(examples) else _named_by_query(recording, graph, node, selection)
            combined = combined_vector(graph, node, examples, vector) if len(examples) else vector
            nearest = worded = NOTHING
            if combined is not None:
                nearest = graph.nearest(node.name, combined, DEPTH, among)
            if not nearest.is_exact:
                recording.notes.append(APPROXIMATE)
            if words or text:
                worded = graph.matching(node.name, words or text, DEPTH, among, function="FREETEXT")
            meaning_ranks, word_ranks = _ranks(nearest.ids), _ranks(worded.ids)
            words_weight = 1.0 if words else WORDS_WEIGHT
            fuse = partial(_fuse, meaning_ranks, word_ranks, words_weight, gains)
            rank = partial(rank_by_links, session, graph, node, combined, nearest.ids, among)
            scores, links = _scored(fuse, rank, examples)
            if not scores and not graph.has_any(node.name, among):
                recording.notes += nothing_satisfies(node.name, where, only)
            elif not word_ranks and (words or text) and (words or not gains):
                recording.notes.append(_note_without_words(selection, node, words or text))
            ids = list(scores)[:count]
            columns: dict[str, Sequence[Any]] = {
                "Score": [round(scores[key], SCORE_DECIMALS) for key in ids],
                "SemanticRank": [meaning_ranks.get(key) for key in ids],
                "FulltextRank": [word_ranks.get(key) for key in ids],
            }
            if links is not None:
                link_ranks = _ranks(links.ids)
                columns["GraphRank"] = [link_ranks.get(key) for key in ids]
                columns["LinkedTo"] = [links.linked_to.get(key) for key in ids]
            output = node_output(
                recording,
                graph,
                node,
                np.array(ids, dtype=np.int64),
                detail=detail,
                has_more=len(scores) > count,
                computed=columns,
            )
        return recording.finish(output)


def _ranks(ranked: Ids) -> dict[int, int]:
    return {key: rank for rank, key in enumerate(ranked.tolist(), start=1)}


def _scored(
    fuse: Callable[[LinkRanking | None], dict[int, float]],
    rank: Callable[[Ids], LinkRanking | None],
    examples: Ids,
) -> tuple[dict[int, float], LinkRanking | None]:
    """Return the scores, best first, and the list by links.

    Without examples, what the first hits share counts a little: nodes are ranked once more by the
    links of those hits.
    """
    links = rank(examples)
    scores = fuse(links)
    if links and scores and not len(examples):
        shared = rank(node_ids([*_best_first(scores)][:FIRST_HITS]))
        if shared:
            for key, place in _ranks(shared.ids).items():
                scores[key] += SHARED_WEIGHT / (RANK_CONSTANT + place)
            links = replace(links, linked_to=shared.linked_to | links.linked_to)
    return _best_first(scores), links


def _best_first(scores: Mapping[int, float]) -> dict[int, float]:
    """Return rounded scores, best first, ties by id."""
    ids, values = np.array(list(scores), dtype=np.int64), np.round(list(scores.values()), 6)
    order = np.lexsort((ids, -values))
    return dict(zip(ids[order].tolist(), values[order].tolist(), strict=True))


def _fuse(
    meaning_ranks: Mapping[int, int],
    word_ranks: Mapping[int, int],
    words_weight: float,
    gains: Mapping[int, float],
    links: LinkRanking | None,
) -> dict[int, float]:
    """Return the score of each node: the weighted sum of 1 / (k + rank), and its gain by name."""
    link_ranks = _ranks(links.ids) if links else {}
    if link_ranks:
        for key in meaning_ranks.keys() & word_ranks.keys():
            agreed_rank = max(meaning_ranks[key], word_ranks[key])
            if agreed_rank <= AGREED_PLACES:
                link_ranks[key] = min(agreed_rank, link_ranks.get(key, agreed_rank))
    scores: dict[int, float] = defaultdict(float, gains)
    link_weight = links.weight if links else 0.0
    weighted_ranks = (
        (1.0, meaning_ranks),
        (words_weight, word_ranks),
        (link_weight, link_ranks),
    )
    for weight, ranks in weighted_ranks:
        for key, rank in ranks.items():
            scores[key] += weight / (RANK_CONSTANT + rank)
    return scores


def _note_without_words(selection: NodeSelection, node: NodeTable, searched: str) -> str:
    """Return a note that no word counted, with the nearest names."""
    if not any(indexed_words(searched)):
        return "The query has stop words only: full-text search did not contribute."
    similar = ", ".join(match.described for match in selection.names.nearest(searched, [node]))
    hint = f" Names with a similar spelling: {similar}." if similar else ""
    return f"No row contains the words: full-text search did not contribute.{hint}"


def _named_by_query(
    recording: CallRecorder, graph: GraphReader, node: NodeTable, selection: NodeSelection
) -> dict[int, float]:
    """Return the nodes that the whole query names, exactly or nearly, and what each gains."""
    names, text = selection.names, recording.query or ""
    nodes = nodes_named_by_query(recording, names, node, MAX_NAMED)
    is_short = len(text.split()) <= MAX_WORDS_OF_A_GUESS
    if not nodes and is_short and not _is_contained(graph, node, text):
        similar = names.similar(text, node, MAX_GUESSED)
        nodes = [node for node in similar if node.closeness >= MIN_GUESS_CLOSENESS]
        if nodes:
            described = ", ".join(node.described for node in nodes)
            recording.notes.append(
                f"No text contains {text!r}; names with a similar spelling come first: {described}."
            )
    ids = node_ids([node.id for node in nodes])
    selected = set(graph.keep(node.name, ids, selection.among).tolist())
    return {node.id: round(node.closeness, 4) for node in nodes if node.id in selected}


def _is_contained(graph: GraphReader, node: NodeTable, text: str) -> bool:
    """Return whether a text contains all words of the query, or the query has none."""
    try:
        return len(graph.matching(node.name, all_words(text), 1).ids) > 0
    except ArgumentError:
        return True


@dataclass(frozen=True, slots=True)
class _End:
    """A node that edges lead to, by link; `weight` is its similarity, or what examples share."""

    hop: Hop
    id: int
    weight: float


def rank_by_links(
    session: Session,
    graph: GraphReader,
    node: NodeTable,
    vector: Vector | None,
    by_meaning: Ids,
    among: Selection | None,
    examples: Ids,
) -> LinkRanking | None:
    """Return the nodes of a kind by their links to the ends nearest to a vector.

    With examples, only ends that the examples are linked to count, by how many of the examples
    share them and how few of all nodes do. Otherwise an end that many of the nodes
    nearest in meaning share counts as nearer than its text says. None if no edges lead from the
    kind, or without a vector.
    """
    contract, total = session.contract, session.engine.describe().counts[node.name]
    hops = [hop for hop in hops_from(contract, node.name) if hop.forward]
    if vector is None or not hops:
        return None
    if len(examples):
        ends = _shared_ends(graph, node, hops, vector, examples, total)
    else:
        ends = _nearest_ends(graph, hops, vector)
    weight = LINKS_WEIGHT if len(examples) else _weight(graph, node, vector, ends)
    linked, which = _edges_to(graph, node, ends)
    ids, positions = np.unique(linked, return_inverse=True)
    weights = np.array([end.weight for end in ends])
    if not len(examples):
        is_near = np.isin(ids, by_meaning[:SAMPLE])[positions]
        supporters = np.bincount(which, is_near, len(ends))
        weights = (np.maximum(weights, 0.0) + SUPPORT / SAMPLE * supporters) ** SHARPNESS
    sums = np.bincount(positions, weights[which], len(ids)).astype(np.float64)
    kept = graph.keep(node.name, ids, among)
    best = _best(graph, node, vector, kept, np.round(sums[np.searchsorted(ids, kept)], 9))
    is_best = np.zeros(len(ids), dtype=bool)
    is_best[np.searchsorted(ids, best)] = True
    linked, which = linked[is_best[positions]], which[is_best[positions]]
    names = _end_names(graph, contract, ends)
    strongest = np.lexsort((np.array(names, dtype=str)[which], -weights[which], linked))
    first = strongest[np.searchsorted(linked[strongest], best)]
    ends_shown: list[int] = which[first].tolist()
    linked_to = {key: names[end] for key, end in zip(best.tolist(), ends_shown, strict=True)}
    return LinkRanking(best, linked_to, weight)


def _nearest_ends(graph: GraphReader, hops: Sequence[Hop], vector: Vector) -> list[_End]:
    ends: list[_End] = []
    for hop in hops:
        ranked = graph.nearest(hop.kind, vector, MAX_ENDS)
        similarities = (1 - ranked.values).tolist()
        ends += [
            _End(hop, key, similarity)
            for key, similarity in zip(ranked.ids.tolist(), similarities, strict=True)
            if similarity >= MIN_SIMILARITY
        ]
    return _heaviest(ends, MAX_ENDS)


def _shared_ends(
    graph: GraphReader,
    node: NodeTable,
    hops: Sequence[Hop],
    vector: Vector,
    examples: Ids,
    total: int,
) -> list[_End]:
    """Return the ends that examples share more often than other nodes do.

    The weight is share * log(lift) * similarity: what most of them have and few others, and what
    is near in meaning. Of several examples one alone shares nothing.
    """
    sources = node_ids(examples.tolist())
    least = 2 if len(sources) >= MIN_EXAMPLES else 1
    ends: list[_End] = []
    for hop in hops:
        pairs = graph.neighbors(node.name, hop, sources)
        ids, counts = np.unique(pairs.targets, return_counts=True)
        ids, counts = ids[counts >= least], counts[counts >= least]
        shares, linked = counts / len(sources), graph.degrees(hop.kind, ids)[hop.edge]
        weights = shares * np.log(np.maximum(shares * total / linked, 1.0))
        ends += map(_End, repeat(hop), ids.tolist(), weights.tolist())
    ends = _heaviest(ends, MAX_SHARED)
    similarities = np.full(len(ends), MIN_SIMILARITY)
    for hop, places in _by_hop(ends).items():
        positions = {ends[place].id: place for place in places}
        near = graph.nearest(hop.kind, vector, len(places), graph.only(node_ids([*positions])))
        similarities[[positions[key] for key in near.ids.tolist()]] = 1 - near.values
    near = np.maximum(similarities, MIN_SIMILARITY).tolist()
    ends = [_End(end.hop, end.id, end.weight * n) for end, n in zip(ends, near, strict=True)]
    return _heaviest([end for end in ends if end.weight > 0], MAX_ENDS)


def _by_hop(ends: Sequence[_End]) -> dict[Hop, list[int]]:
    """Return the positions of the ends of each hop."""
    places: dict[Hop, list[int]] = defaultdict(list)
    for place, end in enumerate(ends):
        places[end.hop].append(place)
    return places


def _heaviest(ends: Iterable[_End], count: int) -> list[_End]:
    order = sorted(ends, key=lambda end: (-end.weight, end.hop.edge, end.hop.kind, end.id))
    return order[:count]


def _weight(graph: GraphReader, node: NodeTable, vector: Vector, ends: Sequence[_End]) -> float:
    """Return what a place by links counts beside one by meaning.

    The more, the nearer the nearest end is to the query than the nearest node itself: a query that
    retells a story means that story, one that describes an idea means what is linked to it.
    """
    nearest = graph.nearest(node.name, vector, 1).values
    similarity = 1 - float(nearest[0]) if len(nearest) else 0.0
    if similarity <= 0:
        return LINKS_WEIGHT
    best = ends[0].weight if ends else 0.0
    return round(min(MAX_LINKS_WEIGHT, LINKS_WEIGHT * (best / similarity) ** 2), 3)


def _edges_to(
    graph: GraphReader, node: NodeTable, ends: Sequence[_End]
) -> tuple[Ids, NDArray[np.intp]]:
    """Return the edges to the ends: the node of each, and the position of its end."""
    linked, which = [NO_IDS], [np.zeros(0, dtype=np.intp)]
    for hop, places in _by_hop(ends).items():
        ids = np.array([ends[place].id for place in places])
        order = np.argsort(ids)
        back = Hop(hop.edge, forward=False, kind=node.name)
        pairs = graph.neighbors(hop.kind, back, ids[order])
        linked.append(pairs.targets)
        which.append(np.array(places)[order][np.searchsorted(ids[order], pairs.sources)])
    return np.concatenate(linked), np.concatenate(which)


def _end_names(graph: GraphReader, contract: Contract, ends: Sequence[_End]) -> list[str]:
    """Return kind and name of each end."""
    names = {
        kind: node_names(graph, contract, kind, (end.id for end in ends if end.hop.kind == kind))
        for kind in {end.hop.kind for end in ends}
    }
    return [f"{end.hop.kind}: {names[end.hop.kind][end.id]}" for end in ends]


def _best(
    graph: GraphReader, node: NodeTable, vector: Vector, ids: Ids, shares: NDArray[np.float64]
) -> Ids:
    """Return the ids with the largest shares, best first, of equal ones those nearest in meaning.

    A node without a vector counts as the farthest, 2.
    """
    if len(ids) > DEPTH:
        is_large = shares >= -np.partition(-shares, DEPTH - 1)[DEPTH - 1]
        ids, shares = ids[is_large], shares[is_large]
    distances = np.full(len(ids), 2.0)
    if len(ids):
        ranked = graph.nearest(node.name, vector, len(ids), graph.only(ids))
        distances[np.searchsorted(ids, ranked.ids)] = ranked.values
    return ids[np.lexsort((ids, distances, -shares))[:DEPTH]]


def reciprocal_rank(
    lists: Iterable[Sequence[Key]], k: int = RANK_CONSTANT
) -> list[tuple[Key, float]]:
    """Return the keys of ranked lists with their fused scores, best first, ties by key.

    A key counts once in each list. Sums are exact: floats would depend on the order of the lists.
    """
    scores: dict[Key, Fraction] = defaultdict(Fraction)
    for ranking in lists:
        for rank, key in enumerate(dict.fromkeys(ranking), start=1):
            scores[key] += Fraction(1, k + rank)
    ordered = sorted(scores, key=lambda key: (-scores[key], key))
    return [(key, float(scores[key])) for key in ordered]
