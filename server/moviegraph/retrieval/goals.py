"""Where a traversal goes: along a path, to a kind of node, or to given nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from moviegraph.contract.model import Contract, NodeTable, nearest
from moviegraph.errors import ArgumentError
from moviegraph.plural import plural
from moviegraph.retrieval.arguments import check_count, node_table
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.resolve import resolve
from moviegraph.sql.routes import Route, hops_from, routes_between, routes_through

MOST_HOPS = 4
MOST_ROUTES = 60
MOST_ROUTES_OF_PATHS = 80  # short ones are walked first, and mostly end the search


@dataclass(frozen=True, slots=True)
class Goal:
    """The routes to take, shortest first, and the nodes to reach, with their names (None: any)."""

    node: NodeTable
    routes: tuple[Route, ...]
    names: Mapping[int, str] | None = None


def goal(
    recording: Recording,
    start: NodeTable,
    *,
    path: Sequence[str] | None,
    to_kind: str | None,
    to: Sequence[int | str] | None,
    max_hops: int,
) -> Goal:
    """Return where the caller wants to go. Raises ArgumentError, NotFoundError."""
    contract = recording.session.contract
    check_count(max_hops, MOST_HOPS, "max_hops")
    if path is None and to_kind is None and to is None:
        raise _one_of_three()
    if path is not None:
        if to is not None:
            raise _one_of_three()
        return _along(contract, start, path, to_kind)
    node = node_table(contract, to_kind or start.name, "to_kind")
    most = MOST_ROUTES if to is None else MOST_ROUTES_OF_PATHS
    routes = _within(recording, start, node, max_hops, most)
    if to is None:
        return Goal(node, routes)
    found = resolve(recording, node, to, "to")
    recording.notes.extend(found.notes)
    return Goal(node, routes, dict(zip(found.ids, found.names, strict=True)))


def _one_of_three() -> ArgumentError:
    return ArgumentError(
        "Give exactly one of `path` (edge tables to walk), `to_kind` (everything of that kind) "
        "and `to` (ids or names to find the shortest paths to).",
        hint="With `to` and with `path`, `to_kind` only says of which kind those nodes are.",
    )


def _along(contract: Contract, start: NodeTable, path: Sequence[str], to_kind: str | None) -> Goal:
    if not 1 <= len(path) <= MOST_HOPS:
        raise ArgumentError(f"`path` takes 1 to {MOST_HOPS} edge tables, not {len(path)}.")
    edges = tuple(_edge_name(contract, each) for each in path)
    for done, edge in enumerate(edges):
        if not routes_through(contract, start.name, edges[: done + 1]):
            raise _astray(contract, start, edges[:done], edge)
    routes = routes_through(contract, start.name, edges)
    end = _end_of(contract, tuple(dict.fromkeys(route.end for route in routes)), to_kind)
    return Goal(end, tuple(route for route in routes if route.end == end.name))


def _end_of(contract: Contract, ends: tuple[str, ...], to_kind: str | None) -> NodeTable:
    """Return the kind at which a path ends; where it may end at several, `to_kind` says which."""
    wanted = ends[0] if to_kind is None else node_table(contract, to_kind, "to_kind").name
    if wanted not in ends and len(ends) == 1:
        raise ArgumentError(
            f"`path` leads to {ends[0]}, not to {wanted}.",
            hint="Leave out `to_kind`, or give another `path`.",
            suggestions=ends,
        )
    if (to_kind is None and len(ends) > 1) or wanted not in ends:
        raise ArgumentError(
            f"`path` leads to {' and to '.join(ends)}; say as `to_kind` which of them is meant.",
            suggestions=ends,
        )
    node = contract.node(wanted)
    assert node is not None
    return node


def _edge_name(contract: Contract, name: str) -> str:
    edge = contract.edge(name)
    if edge is None:
        known = tuple(each.name for each in contract.edges)
        raise ArgumentError(
            f"`path` holds {name[:60]!a}, which is no edge table; there are {', '.join(known)}.",
            suggestions=nearest(name, known),
        )
    return edge.name


def _astray(
    contract: Contract, start: NodeTable, walked: tuple[str, ...], edge: str
) -> ArgumentError:
    """Say which edge table does not continue the path, and which ones would."""
    ends = tuple(dict.fromkeys(r.end for r in routes_through(contract, start.name, walked)))
    here = " or ".join(ends)
    open_ways = tuple(dict.fromkeys(hop.edge for end in ends for hop in hops_from(contract, end)))
    after = f" after {', '.join(walked)}" if walked else ""
    return ArgumentError(
        f"`path` cannot go through {edge}{after}: it does not touch {here}.",
        hint=f"From {here} one can walk {', '.join(open_ways) or 'nowhere'}.",
        suggestions=open_ways,
    )


def _within(
    recording: Recording, start: NodeTable, node: NodeTable, max_hops: int, most: int
) -> tuple[Route, ...]:
    """Return the routes of up to so many hops, or of fewer where those would be too many."""
    contract = recording.session.contract
    found: list[Route] = []
    for length in range(1, max_hops + 1):
        ways = routes_between(contract, start.name, node.name, length)
        longer = list(islice(ways, most + 1 - len(found)))
        if len(found) + len(longer) > most:
            recording.notes.append(
                f"Ways of {plural(length - 1, 'hop')} at most: of {length} there are more than "
                f"{most} sequences of edge tables; give the one that is meant as `path`."
            )
            break
        found += longer
    if not found:
        raise ArgumentError(
            f"No edge tables lead from {start.name} to {node.name} within "
            f"{plural(max_hops, 'hop')}.",
            hint=_further(contract, start, node, max_hops),
        )
    return tuple(found)


def _further(contract: Contract, start: NodeTable, node: NodeTable, max_hops: int) -> str:
    for length in range(max_hops + 1, MOST_HOPS + 1):
        if next(routes_between(contract, start.name, node.name, length), None) is not None:
            return f"With `max_hops` {length} there is a way."
    return "Choose another kind; the contract's edge tables say what touches what."
