"""Ranking of nodes by their links to what lies near to a vector."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Vector
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Selection, node_ids
from moviegraph.query.name_resolver import node_names
from moviegraph.sql.match_patterns import Hop

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
NO_IDS: Ids = np.zeros(0, dtype=np.int64)


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
