"""Hubs: nodes with so many edges that passing through them says nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.plural import plural
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.road import MOST_ROWS
from moviegraph.sql.routes import Route
from moviegraph.sql.statements import id_list
from moviegraph.sql.traversal_statements import hub_nodes, neighbours
from moviegraph.sql.walks import Hubs, Walk

LONGEST_LIST = 100
MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Hub:
    """A node by key and name, with the number of its edges."""

    key: int
    name: str
    degree: int


def hubs_of(recording: Recording, node: NodeTable) -> tuple[Hub, ...]:
    """Return the hubs of a kind, by degree; remembered as long as the graph is the same."""
    session = recording.session
    key = ("hubs", session.engine.describe().content_hash, node.name)
    statement = hub_nodes(session.contract, node, MOST_ROWS)
    return session.cache.get(key, lambda: tuple(Hub(*row) for row in recording.read(statement)))


def hubs_between(recording: Recording, walk: Walk, routes: Sequence[Route]) -> Hubs:
    """Return what the ways may not pass, and note the hubs next to the starts with their degree."""
    middles = dict.fromkeys(kind for route in routes for kind in route.kinds[1:-1])
    hubs = {kind: found for kind in middles if (found := hubs_of(recording, walk.node(kind)))}
    near = _next_to_starts(recording, walk, routes, hubs)
    met = [hub for each in near.values() for hub in each]
    if met:
        recording.notes.append(_note(walk.contract, met))
    if any(kind in hubs for route in routes for kind in route.kinds[2:-1]):
        recording.notes.append("Hubs further away from the starts are left out, too.")
    return Hubs(
        first={kind: _listed(near.get(kind, [])) for kind in hubs},
        later={kind: _listed(found) for kind, found in hubs.items()},
    )


def _next_to_starts(
    recording: Recording, walk: Walk, routes: Sequence[Route], hubs: dict[str, tuple[Hub, ...]]
) -> dict[str, list[Hub]]:
    first = [Route(route.start, route.hops[:1]) for route in routes if len(route.hops) > 1]
    wanted = [route for route in dict.fromkeys(first) if route.end in hubs]
    if not wanted:
        return {}
    among = {
        kind: f" AND n.{walk.node(kind).key} IN {id_list(hub.key for hub in found)}"
        for kind, found in hubs.items()
        if len(found) <= LONGEST_LIST
    }
    rows = set(recording.read(neighbours(walk, wanted, among, MOST_ROWS)))
    return {kind: [hub for hub in found if (kind, hub.key) in rows] for kind, found in hubs.items()}


def _listed(hubs: Sequence[Hub]) -> tuple[int, ...] | None:
    return None if len(hubs) > LONGEST_LIST else tuple(hub.key for hub in hubs)


def _note(contract: Contract, hubs: list[Hub]) -> str:
    ranked = sorted(hubs, key=lambda hub: (-hub.degree, hub.name))
    named = ", ".join(f"{hub.name} ({hub.degree:,})" for hub in ranked[:MOST_NAMED])
    more = f" and {len(ranked) - MOST_NAMED} more" if len(ranked) > MOST_NAMED else ""
    return (
        f"Left out of the middle of a way as hubs, with more than "
        f"{plural(contract.limits.hub_cut, 'edge')}: {named}{more}."
    )
