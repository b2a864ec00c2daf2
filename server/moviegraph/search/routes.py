"""Routes of a traversal: sequences of edge tables, along a path or up to a number of hops."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.errors import ArgumentError
from moviegraph.query.name_resolver import node_table
from moviegraph.sql.match_patterns import Hop, hops_from
from moviegraph.text import plural

MAX_HOPS = 4
MAX_ROUTES = 100


@dataclass(frozen=True, slots=True)
class Route:
    """A kind of node to start from, and the hops away from it."""

    start: str
    hops: tuple[Hop, ...] = ()

    @property
    def end(self) -> str:
        """The kind of node that the route leads to."""
        return self.hops[-1].kind if self.hops else self.start

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of every node on the way, both ends included."""
        return (self.start, *(hop.kind for hop in self.hops))

    @property
    def before(self) -> "Route":
        """The route without its last hop."""
        return Route(self.start, self.hops[:-1])

    @property
    def back(self) -> Hop:
        """The last hop, traversed backward."""
        last = self.hops[-1]
        return Hop(last.edge, not last.forward, self.before.end)

    @property
    def returns(self) -> bool:
        """Whether its two hops lead back to the kind of the start."""
        return len(self.hops) == 2 and self.start == self.end

    def then(self, hop: Hop) -> "Route":
        """Return the route with one more hop."""
        return Route(self.start, (*self.hops, hop))


@dataclass(frozen=True, slots=True)
class Destination:
    """The kind of node to reach, the routes to it, shortest first, and notes on their choice."""

    node: NodeTable
    routes: tuple[Route, ...]
    notes: tuple[str, ...] = ()


def routes_along(
    contract: Contract, start: NodeTable, path: Sequence[str], end: NodeTable | None
) -> Destination:
    """Return the routes that take these edge tables in turn.

    There are several where an edge table joins nodes of one kind and can be walked either way.

    Raises:
        ArgumentError: An edge table does not continue the path, or the path leads to
            another kind than `end`, or to several kinds and `end` is None.
    """
    routes = [Route(start.name)]
    for count, edge in enumerate(path):
        longer = [
            route.then(hop) for route in routes for hop in hops_from(contract, route.end, edge)
        ]
        if not longer:
            raise _disconnected(contract, routes, path[:count], edge)
        routes = longer
    node = _end_of(contract, tuple(dict.fromkeys(route.end for route in routes)), end)
    return Destination(node, tuple(route for route in routes if route.end == node.name))


def routes_within(
    contract: Contract, start: NodeTable, end: NodeTable, max_hops: int
) -> Destination:
    """Return the routes of up to so many hops, or of fewer where those would be too many.

    Raises:
        ArgumentError: No route is so short.
    """
    routes: list[Route] = []
    notes: list[str] = []
    for length in range(1, max_hops + 1):
        limit = MAX_ROUTES - len(routes)
        longer = list(islice(_routes_of(contract, Route(start.name), end.name, length), limit + 1))
        if len(longer) > limit:
            notes.append(
                f"Only paths of up to {plural(length - 1, 'hop')} were searched: with "
                f"{length} hops there are more than {MAX_ROUTES} sequences of edge tables. "
                "Pass the sequence as `path`."
            )
            break
        routes += longer
    if not routes:
        raise ArgumentError(
            f"No edge tables lead from {start.name} to {end.name} within "
            f"{plural(max_hops, 'hop')}.",
            hint=_advice(contract, start, end, max_hops),
        )
    return Destination(end, tuple(routes), tuple(notes))


def _routes_of(contract: Contract, route: Route, end: str, length: int) -> Iterator[Route]:
    """Yield the continuations of a route by so many hops that lead to a kind."""
    if length == 0:
        if route.end == end:
            yield route
        return
    for hop in hops_from(contract, route.end):
        yield from _routes_of(contract, route.then(hop), end, length - 1)


def _end_of(contract: Contract, ends: tuple[str, ...], requested: NodeTable | None) -> NodeTable:
    """Return the kind in which a path ends; where that may be several, the wanted one of them."""
    if requested is not None and requested.name in ends:
        return requested
    if len(ends) > 1:
        raise ArgumentError(
            f"`path` leads to {' and to '.join(ends)}.",
            hint="Set `to_kind` to one of them.",
            suggestions=ends,
        )
    end = next(iter(ends))
    if requested is not None:
        raise ArgumentError(
            f"`path` leads to {end}, not to {requested.name}.",
            hint="Omit `to_kind`, or use a different `path`.",
            suggestions=ends,
        )
    return node_table(contract, end)


def _disconnected(
    contract: Contract, routes: Sequence[Route], walked: Sequence[str], edge: str
) -> ArgumentError:
    """Return the error of an edge table that does not continue a path, with those that would."""
    kinds = tuple(dict.fromkeys(route.end for route in routes))
    reached = " or ".join(kinds)
    possible = tuple(dict.fromkeys(hop.edge for kind in kinds for hop in hops_from(contract, kind)))
    after = f" after {', '.join(walked)}" if walked else ""
    return ArgumentError(
        f"`path` cannot continue with {edge}{after}: it does not connect to {reached}.",
        hint=f"From {reached} continue with {' or '.join(possible) or 'nothing: it has no edges'}.",
        suggestions=possible,
    )


def _advice(contract: Contract, start: NodeTable, end: NodeTable, max_hops: int) -> str:
    """Return how many hops would do, if any number does."""
    for length in range(max_hops + 1, MAX_HOPS + 1):
        if next(_routes_of(contract, Route(start.name), end.name, length), None) is not None:
            return f"Set `max_hops` to {length}."
    return "Use a different kind; the contract lists the kinds that each edge table connects."
