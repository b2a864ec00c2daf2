"""Routes of a traversal over edge tables, and the paths from some nodes along them.

A path is a row of an array of node ids, one column for each node. It uses no edge twice, and does
not return to its start: whoever directed a film and also wrote it is the end of a path over both
edges, but no path goes back over the edge that it came by. Paths are extended in blocks, and how
many a step makes is known before their array is.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Pairs, Selection
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.query.names import node_table
from moviegraph.search.references import NO_IDS
from moviegraph.sql.decision import Allowed
from moviegraph.sql.match_patterns import Hop, hops_from
from moviegraph.text import plural

MAX_HOPS = 4
MAX_ROUTES = 100
MAX_PATHS = 20_000_000
MAX_EDGES = 8_000_000
"""Of one step: its edges are read into memory."""

BLOCK_PATHS = 100_000
MAX_EVIDENCE = 200_000
"""Paths of one route that are looked at to show a few of them."""

EVERY_NODE = 2**31 - 1
SCORE_DECIMALS = 6
Weights = NDArray[np.float64]
Conditions = Callable[[str, Hop], Allowed | None]


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

    @property
    def repeats(self) -> list[tuple[int, int]]:
        """Where a path may have used the edge of the last hop: columns of its source and target."""
        *earlier, last = zip(self.kinds, self.hops, strict=False)
        return [
            columns
            for at, (source, hop) in enumerate(earlier)
            for step, columns in (
                ((source, hop), (at, at + 1)),
                ((hop.kind, Hop(hop.edge, not hop.forward, source)), (at + 1, at)),
            )
            if step == last
        ]

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
    contract: Contract,
    start: NodeTable,
    end: NodeTable,
    max_hops: int,
    edges: Sequence[str] = (),
) -> Destination:
    """Return the routes of up to so many hops, or of fewer where those would be too many.

    Args:
        contract: The contract.
        start: Where they begin.
        end: Where they end.
        max_hops: How long they are at most.
        edges: The edge tables that they may use; all by default.

    Raises:
        ArgumentError: No route is so short.
    """
    routes: list[Route] = []
    notes: list[str] = []
    for length in range(1, max_hops + 1):
        limit = MAX_ROUTES - len(routes)
        of_length = _routes_of(contract, Route(start.name), end.name, length, edges)
        longer = list(islice(of_length, limit + 1))
        if len(longer) > limit:
            notes.append(
                f"Only paths of up to {plural(length - 1, 'hop')} were searched: with "
                f"{length} hops there are more than {MAX_ROUTES} sequences of edge tables. "
                "Pass the sequence as `path`."
            )
            break
        routes += longer
    if not routes:
        over = f" over {', '.join(edges)}" if edges else ""
        raise ArgumentError(
            f"No edge tables lead from {start.name} to {end.name}{over} within "
            f"{plural(max_hops, 'hop')}.",
            hint=_advice(contract, start, end, max_hops, edges),
        )
    return Destination(end, tuple(routes), tuple(notes))


def _routes_of(
    contract: Contract, route: Route, end: str, length: int, edges: Sequence[str]
) -> Iterator[Route]:
    """Yield the continuations of a route by so many hops that lead to a kind."""
    if length == 0:
        if route.end == end:
            yield route
        return
    for hop in hops_from(contract, route.end):
        if not edges or hop.edge in edges:
            yield from _routes_of(contract, route.then(hop), end, length - 1, edges)


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


def _advice(
    contract: Contract, start: NodeTable, end: NodeTable, max_hops: int, edges: Sequence[str]
) -> str:
    """Return how many hops would do, if any number does."""
    for length in range(max_hops + 1, MAX_HOPS + 1):
        routes = _routes_of(contract, Route(start.name), end.name, length, edges)
        if next(routes, None) is not None:
            return f"Set `max_hops` to {length}."
    if edges:
        return "Add edge tables to `edges`, or omit it."
    return "Use a different kind; the contract lists the kinds that each edge table connects."


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """The nodes that paths end in, ascending, with their scores and the fewest hops to them."""

    ids: Ids
    scores: Weights
    hops: Ids


@dataclass(frozen=True, slots=True)
class Path:
    """The nodes that a path passes along a route."""

    route: Route
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PathEvidence:
    """Paths of one length, by the node that they end in.

    `scores` are over all paths, `paths` the best of them. Where two hops lead back to the kind of
    the start, `shared` counts the nodes between, by kind.
    """

    scores: dict[int, float]
    paths: dict[int, list[Path]]
    shared: dict[int, dict[str, int]]


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """The nodes at which the walks along a route are, ascending, and how many walks are at each.

    Walks may use an edge twice, so that they are at least as many as the paths. `degrees` are
    those of the nodes by edge table.
    """

    ids: Ids
    walks: Weights
    edges: Pairs
    degrees: Mapping[str, Ids]

    @property
    def total_degrees(self) -> Ids:
        """How many edges each node has."""
        return _total(self.degrees)


class Walks:
    """The paths from some nodes, within one call.

    Args:
        graph: The reader of the call.
        starts: Where paths begin, ascending.
        hub_cut: The degree beyond which a node between start and end is left out; None for none.
        by_rarity: Whether a path counts by the product of 1 / log(1 + degree) over the nodes
            between (Adamic, Adar 2003), instead of 1.
        check: Raises if the call is to end; called between steps.
        where: Returns what the edges of a hop from a kind have to satisfy, or None. Degrees are
            those of the graph, whatever it says.
    """

    def __init__(
        self,
        graph: GraphReader,
        starts: Ids,
        *,
        hub_cut: int | None,
        by_rarity: bool,
        check: Callable[[], None],
        where: Conditions = lambda _kind, _hop: None,
    ) -> None:
        self._where = where
        self._graph = graph
        self._starts = starts
        self._hub_cut = hub_cut
        self._by_rarity = by_rarity
        self._check = check
        self._levels: dict[Route, _Level] = {}
        self._cached: dict[Route, Ids] = {}
        self._extended_paths = 0
        self.hubs: dict[tuple[str, int], int] = {}
        """The degree of each node that was left out as a hub."""

    def reached(self, routes: Sequence[Route], among: Selection | None) -> Reached:
        """Return the end nodes of the paths along some routes; no start is among it."""
        parts = [self._ends_of(route, among) for route in routes]
        counts = [len(ids) for ids, _ in parts]
        lengths = np.repeat([len(route.hops) for route in routes], counts)
        ids, which = np.unique(np.concatenate([ids for ids, _ in parts]), return_inverse=True)
        scores = _sums(which, np.concatenate([sums for _, sums in parts]), len(ids))
        hops = np.full(len(ids), EVERY_NODE, dtype=np.int64)
        np.minimum.at(hops, which, lengths)
        is_reached = scores > 0
        if routes[0].start == routes[0].end:
            is_reached &= ~np.isin(ids, self._starts)
        return Reached(ids[is_reached], scores[is_reached], hops[is_reached])

    def evidence(
        self, routes: Sequence[Route], ends: Ids, limit: int, *, complete: bool = True
    ) -> PathEvidence:
        """Return the best paths to each of some ends (ascending, no starts).

        Args:
            routes: Routes of one length.
            ends: Where the paths end.
            limit: How many paths are returned for each end; one of each shared kind comes first.
            complete: Whether all paths are looked at, however many they are.
        """
        scores = np.zeros(len(ends))
        candidates: dict[int, list[tuple[tuple[bool, bool, float, int, int], Path]]] = defaultdict(
            list
        )
        named: set[tuple[int, str]] = set()
        middles: dict[str, list[Ids]] = defaultdict(list)
        for number, route in enumerate(routes):
            best = np.zeros((0, len(route.kinds)), dtype=np.int64)
            returns, middle, count = route.returns, route.kinds[1], 0
            for paths in self._paths_to(route, ends):
                weights = self._weights(route, paths)
                scores += _sums(np.searchsorted(ends, paths[:, -1]), weights, len(ends))
                best = self._best(route, np.concatenate([best, paths]), limit)
                if returns:
                    middles[middle].append(paths[:, 1:])
                count += len(paths)
                if not complete and count > MAX_EVIDENCE:
                    break
            places = _numbers_within_runs(best[:, -1]).tolist()
            weights = self._weights(route, best).tolist()
            seen: set[tuple[int, ...]] = set()
            for row, place, weight in zip(best.tolist(), places, weights, strict=True):
                ids: tuple[int, ...] = tuple(row)
                end_and_kind = (ids[-1], middle)
                is_another = returns and end_and_kind in named  # one of each kind comes first
                rank = (ids[1:] in seen, is_another, -weight, place, number)
                candidates[ids[-1]].append((rank, Path(route, ids)))
                seen.add(ids[1:])
                named.add(end_and_kind)
        paths_by_end = {
            end: [path for _, path in sorted(ranked, key=lambda pair: pair[0])[:limit]]
            for end, ranked in sorted(candidates.items())
        }
        scores_by_end = dict(zip(ends.tolist(), scores.tolist(), strict=True))
        return PathEvidence(scores_by_end, paths_by_end, _count_middles(middles))

    def _ends_of(self, route: Route, among: Selection | None) -> tuple[Ids, Weights]:
        """Return the ends of the paths along one route, with the sums of their weights."""
        prefix = route.before
        level = self._level(prefix)
        totals = np.zeros(len(level.ids))
        repeated_ids, repeated_weights = [NO_IDS], [np.zeros(0)]
        for paths in self._paths(prefix):
            weights = self._weights(prefix, paths, with_last=True)
            totals += _sums(np.searchsorted(level.ids, paths[:, -1]), weights, len(level.ids))
            for source, target in route.repeats:
                is_repeated = paths[:, source] == paths[:, -1]
                repeated_ids.append(paths[is_repeated, target])
                repeated_weights.append(weights[is_repeated])
        hop = route.hops[-1]
        where = self._where(prefix.end, hop)
        ends = self._graph.spread(prefix.end, hop, level.ids, totals, EVERY_NODE, among, where)
        ids, which = np.unique(np.concatenate([ends.ids, *repeated_ids]), return_inverse=True)
        sums = _sums(which[: len(ends.ids)], ends.values, len(ids))
        repeats = _sums(which[len(ends.ids) :], np.concatenate(repeated_weights), len(ids))
        sums = np.round(sums - repeats, SCORE_DECIMALS)
        return ids[sums > 0], sums[sums > 0]

    def _paths(self, route: Route) -> Iterator[Ids]:
        """Yield all paths along a route; those that fit into one block are kept."""
        if not route.hops:
            yield self._starts[:, None]
            return
        if route not in self._cached:
            level = self._level(route)
            blocks = (
                longer
                for paths in self._paths(route.before)
                for longer in self._extend(route, paths, level.edges)
            )
            if level.walks.sum() > BLOCK_PATHS:
                yield from blocks
                return
            empty = np.zeros((0, len(route.kinds)), dtype=np.int64)
            self._cached[route] = np.concatenate([empty, *blocks])
        yield self._cached[route]

    def _paths_to(self, route: Route, ends: Ids) -> Iterator[Ids]:
        """Yield the paths along a route that lead to some ends, which may be hubs."""
        last = self._last_edges(route, ends)
        prefix = route.before
        if not prefix.hops:
            yield from self._extend(route, self._starts[:, None], last)
            return
        middle = self._level(prefix).edges
        is_linked = np.isin(middle.targets, last.sources)
        middle = Pairs(middle.sources[is_linked], middle.targets[is_linked])
        for paths in self._paths(prefix.before):
            for longer in self._extend(prefix, paths, middle):
                yield from self._extend(route, longer, last)

    def _last_edges(self, route: Route, ends: Ids) -> Pairs:
        """Return the edges of the last hop that lead to some ends, read from the side with fewer.

        A genre may have a hundred thousand films, and a film has a few genres.
        """
        hop, level = route.hops[-1], self._level(route.before)
        degrees = self._graph.degrees(route.end, ends)
        if level.degrees[hop.edge].sum() <= degrees[hop.edge].sum():
            edges = self._neighbors(route.before.end, hop, level.ids, level.degrees)
            is_wanted = np.isin(edges.targets, ends)
            return Pairs(edges.sources[is_wanted], edges.targets[is_wanted])
        edges = self._neighbors(route.end, route.back, ends, degrees)
        order = np.argsort(edges.targets, kind="stable")
        return Pairs(edges.targets[order], edges.sources[order])

    def _level(self, route: Route) -> _Level:
        """Return the nodes between start and end that the walks along a route lead to."""
        if route not in self._levels:
            self._levels[route] = (
                self._next_level(route) if route.hops else self._first_level(route)
            )
        return self._levels[route]

    def _first_level(self, route: Route) -> _Level:
        degrees = self._graph.degrees(route.start, self._starts)
        return _Level(self._starts, np.ones(len(self._starts)), Pairs(NO_IDS, NO_IDS), degrees)

    def _next_level(self, route: Route) -> _Level:
        previous = self._level(route.before)
        edges = self._neighbors(route.before.end, route.hops[-1], previous.ids, previous.degrees)
        ids, which = np.unique(edges.targets, return_inverse=True)
        degrees = self._graph.degrees(route.end, ids)
        if self._hub_cut is not None:
            totals = _total(degrees)
            is_hub = totals > self._hub_cut
            hub_degrees = zip(ids[is_hub].tolist(), totals[is_hub].tolist(), strict=True)
            self.hubs |= {(route.end, node_id): degree for node_id, degree in hub_degrees}
            is_passed = ~is_hub[which]
            edges = Pairs(edges.sources[is_passed], edges.targets[is_passed])
            degrees = {edge: counts[~is_hub] for edge, counts in degrees.items()}
            ids, which = np.unique(edges.targets, return_inverse=True)
        walks = previous.walks[np.searchsorted(previous.ids, edges.sources)]
        level = _Level(ids, _sums(which, walks, len(ids)), edges, degrees)
        if level.walks.sum() > MAX_PATHS:
            raise _too_many(int(level.walks.sum()), "paths")
        return level

    def _neighbors(self, kind: str, hop: Hop, ids: Ids, degrees: Mapping[str, Ids]) -> Pairs:
        """Return the edges along a hop, if they are not too many."""
        self._check()
        count = int(degrees[hop.edge].sum())
        if count > MAX_EDGES:
            raise _too_many(count, "edges")
        return self._graph.neighbors(kind, hop, ids, self._where(kind, hop))

    def _extend(self, route: Route, paths: Ids, edges: Pairs) -> Iterator[Ids]:
        """Yield the paths that continue some paths along the last hop of a route, in blocks."""
        first = np.searchsorted(edges.sources, paths[:, -1])
        counts = np.searchsorted(edges.sources, paths[:, -1], "right") - first
        self._extended_paths += int(counts.sum())
        if self._extended_paths > MAX_PATHS:
            raise _too_many(self._extended_paths, "paths")
        starts: Ids = np.arange(BLOCK_PATHS, counts.sum(), BLOCK_PATHS, dtype=np.int64)
        block_starts = np.unique(np.searchsorted(np.cumsum(counts), starts))
        for numbers in np.split(np.arange(len(paths)), block_starts.tolist()):
            self._check()
            repeated = np.repeat(numbers, counts[numbers])
            edge = first[repeated] + _numbers_within(counts[numbers])
            added = edges.targets[edge]
            is_path = np.ones(len(added), dtype=bool)
            if route.end == route.start:
                is_path = paths[repeated, 0] != added
            for source, target in route.repeats:
                is_last = paths[repeated, source] == paths[repeated, -1]
                is_path &= ~(is_last & (paths[repeated, target] == added))
            yield np.column_stack([paths[repeated[is_path]], added[is_path]])

    def _weights(self, route: Route, paths: Ids, *, with_last: bool = False) -> Weights:
        """Return what each path counts; its last node is one between where it continues."""
        weights = np.ones(len(paths))
        if self._by_rarity:
            for length in range(1, len(route.hops) + with_last):
                level = self._level(Route(route.start, route.hops[:length]))
                places = np.searchsorted(level.ids, paths[:, length])
                weights /= np.log1p(level.total_degrees[places])
        return weights

    def _best(self, route: Route, paths: Ids, limit: int) -> Ids:
        """Return the best paths to each end, ordered by end; those with another start come last."""
        weights = self._weights(route, paths)
        ordered = paths[np.lexsort((*paths.T[:-1], -weights, paths[:, -1]))]
        is_repeated = np.zeros(len(ordered), dtype=bool)
        is_repeated[1:] = (ordered[1:, 1:] == ordered[:-1, 1:]).all(axis=1)
        ordered = ordered[np.lexsort((is_repeated, ordered[:, -1]))]
        return ordered[_numbers_within_runs(ordered[:, -1]) < limit]


def _total(degrees: Mapping[str, Ids]) -> Ids:
    """Return how many edges of any table each node has."""
    totals: Ids = np.sum(list(degrees.values()), axis=0)
    return totals


def _sums(places: NDArray[np.intp], weights: Weights, count: int) -> Weights:
    """Return the sum of the weights at each of so many places."""
    return np.bincount(places, weights, count).astype(np.float64)


def _count_middles(middles: dict[str, list[Ids]]) -> dict[int, dict[str, int]]:
    """Return for each end how many nodes of each kind lie between, from (middle, end) pairs."""
    shared: dict[int, dict[str, int]] = defaultdict(dict)
    for kind, parts in middles.items():
        pairs = np.unique(np.concatenate(parts), axis=0)
        ends, counts = np.unique(pairs[:, 1], return_counts=True)
        for end, count in zip(ends.tolist(), counts.tolist(), strict=True):
            shared[end][kind] = count
    return shared


def _numbers_within_runs(ascending: Ids) -> Ids:
    """Return the numbers from 0 up of each run of equal values."""
    return np.arange(len(ascending), dtype=np.int64) - np.searchsorted(ascending, ascending)


def _numbers_within(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the numbers from 0 up to each count, one run after the other."""
    numbers = np.arange(counts.sum(), dtype=np.intp)
    return numbers - np.repeat(np.cumsum(counts) - counts, counts)


def _too_many(count: int, noun: str) -> ExecutionError:
    return ExecutionError(
        f"This traversal has too many {noun}: at least {count:,}.",
        code="too_many_paths",
        hint="Pass fewer starts, a smaller `max_hops`, or the relevant edge tables as `path`.",
    )
