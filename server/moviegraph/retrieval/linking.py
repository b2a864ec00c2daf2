"""What the nodes of a kind may be found by: their edges to what lies near to a query."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from moviegraph.contract.model import NodeTable
from moviegraph.engines.base import Measuring
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.road import query_vector
from moviegraph.sql.fusion_statements import (
    LEAST_LIKENESS,
    LINKS_WEIGHT,
    MOST_LINKS_WEIGHT,
    NEAR,
    Link,
    Links,
    ends_of,
    links_of,
    near_ends,
    nearest_likeness,
)

Near = tuple[str, int, float]


def linking(recording: Recording, node: NodeTable, examples: Sequence[int] = ()) -> Links:
    """Return the edges that lead to what is near to the query, or is linked to examples.

    A kind of node from which no edge leads has none, and costs nothing. Where nothing is near, one
    edge stands without keys, so that rows of a kind always have the same columns.
    """
    links = links_of(recording.session.contract, node)
    if not links:
        return Links()
    if examples:
        return Links(_keyed(links, recording.read(ends_of(node, links, examples))))
    engine = recording.session.engine
    if isinstance(engine, Measuring):
        near, likest = _measured(recording, engine, node, links)
    else:
        near, likest = _read(recording, node, links)
    return Links(_keyed(links, near), _weight(near[0][2] if near else 0, likest))


def _read(
    recording: Recording, node: NodeTable, links: Sequence[Link]
) -> tuple[Sequence[Near], float]:
    """Return the ends nearest to the query, the nearest first, and the likeness of the nodes."""
    likest = recording.read(nearest_likeness(node))
    return [(*row,) for row in recording.read(near_ends(links))], likest[0][0] if likest else 0


def _measured(
    recording: Recording, engine: Measuring, node: NodeTable, links: Sequence[Link]
) -> tuple[Sequence[Near], float]:
    """Return the same from the vectors at hand, which needs no statement."""
    vector = query_vector(recording.session, recording.query)
    ends = dict.fromkeys(link.end.name for link in links)
    found = {name: engine.nearest(name, NEAR, vector) for name in ends}
    near = [
        (link.name, key, likeness)
        for link in links
        for key, likeness in found[link.end.name]
        if likeness >= LEAST_LIKENESS
    ]
    near.sort(key=lambda each: (-each[2], *each[:2]))
    likest = engine.nearest(node.name, 1, vector)
    return near[:NEAR], likest[0][1] if likest else 0


def _keyed(links: Sequence[Link], near: Iterable[Sequence[Any]]) -> tuple[Link, ...]:
    keys: dict[str, list[int]] = defaultdict(list)
    for link, key, _ in near:
        keys[link].append(key)
    found = tuple(Link(each.edge, each.end, tuple(sorted(set(keys[each.name])))) for each in links)
    return tuple(each for each in found if each.keys) or found[:1]


def _weight(end: float, node: float) -> float:
    """Return what a place by links counts beside one by meaning.

    The more, the nearer the nearest end of a link is to the query than the nearest node itself: a
    query that tells a story wants that story, one that describes an idea what is linked to it.
    """
    if node <= 0:
        return LINKS_WEIGHT
    return round(min(MOST_LINKS_WEIGHT, LINKS_WEIGHT * (end / node) ** 2), 3)
