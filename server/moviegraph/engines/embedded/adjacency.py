"""The edges of a graph as arrays: for each edge table and direction, the edges out of each node."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.duckdb.plan import CATALOG, NodesNeed
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.graph_files import GraphFiles
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.retrieval_primitives import LOW
from moviegraph.errors import ExecutionError

Ids = NDArray[np.int64]
Endpoints = tuple[str, str]
Made = TypeVar("Made")
WAIT = 0.05
MAX_PATHS = 2_000_000
MAX_STATES = 6_000_000
PIECE = 500_000
BLOCK = 4_000_000
Positions = NDArray[np.int64]
Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """The edges of one table in one direction, between positions in the sorted ids of node tables.

    Of multiple edges between two nodes the first is kept: paths and counts are those of pairs.

    Attributes:
        first: Where the edges of a node begin; one entry more than there are nodes.
        targets: The node that each edge leads to.
        edges: The $edge_id of each edge.
    """

    first: NDArray[np.int64]
    targets: NDArray[np.int32]
    edges: Ids


class Adjacencies:
    """The nodes and edges of a graph, read when they are first needed; safe for threads."""

    def __init__(self, files: GraphFiles, database: Database) -> None:
        self._files = files
        self._database = database
        self._lock = threading.RLock()
        self._nodes: dict[str, Ids] = {}
        self._edges: dict[tuple[str, Endpoints, bool], Adjacency] = {}

    def nodes(self, table: str, stop: StopSignal) -> Ids:
        """Return every $node_id of a node table, in order."""
        return self._cached(self._nodes, table, lambda: self._read_nodes(table, stop), stop)

    def keys(self, table: str, stop: StopSignal) -> Ids:
        """Return every key of a node table, in order: the lower bits of a $node_id."""
        return self.nodes(table, stop) & LOW

    def edges(self, table: str, ends: Endpoints, *, forward: bool, stop: StopSignal) -> Adjacency:
        """Return the edges of a table, from $from_id or, backward, from $to_id.

        `ends` are the node tables that are left and reached.
        """
        key = (table, ends, forward)
        return self._cached(self._edges, key, lambda: self._read_edges(*key, stop), stop)

    def _cached(
        self, values: dict[Any, Made], key: Any, make: Callable[[], Made], stop: StopSignal
    ) -> Made:
        cached = values.get(key)
        if cached is not None:
            return cached
        while not self._lock.acquire(timeout=WAIT):
            stop.check()
        try:
            if key not in values:
                values[key] = make()
            return values[key]
        finally:
            self._lock.release()

    def _read_nodes(self, table: str, stop: StopSignal) -> Ids:
        ids = self._read(table, ("$node_id",), stop)["$node_id"]
        return np.sort(ids)

    def _read_edges(
        self, table: str, ends: Endpoints, forward: bool, stop: StopSignal
    ) -> Adjacency:
        columns = self._read(table, ("$edge_id", "$from_id", "$to_id"), stop)
        nodes, opposite_nodes = (self.nodes(end, stop) for end in ends)
        edges, sources, targets = columns["$edge_id"], columns["$from_id"], columns["$to_id"]
        if not forward:
            sources, targets = targets, sources
        if self._files.pairs(table) > 1:
            of_pair = np.isin(sources, nodes) & np.isin(targets, opposite_nodes)
            edges, sources, targets = edges[of_pair], sources[of_pair], targets[of_pair]
        order = _order(sources, edges)
        sources, targets, edges = sources[order], targets[order], edges[order]
        is_new = np.ones(len(order), dtype=bool)  # edges between the same two nodes are adjacent
        is_new[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
        sources, targets, edges = sources[is_new], targets[is_new], edges[is_new]
        first = np.searchsorted(sources, nodes)
        positions = positions_of(opposite_nodes, targets).astype(np.int32)
        return Adjacency(np.append(first, len(sources)), positions, edges)

    def _read(
        self, table: str, columns: tuple[str, ...], stop: StopSignal
    ) -> dict[str, NDArray[Any]]:
        column_list = ", ".join(f'"{name}"' for name in columns)
        sql = f'SELECT {column_list} FROM {CATALOG}.main."{table}"'  # noqa: S608
        query = NodesNeed(sql, vector=False)
        return self._database.arrays(query, {}, {}, stop)


def _order(sources: Ids, edges: Ids) -> NDArray[np.intp]:
    """Return the order by source, then by edge; edges are stored in the order of their ids."""
    if bool(np.all(edges[1:] > edges[:-1])):
        return np.argsort(sources, kind="stable")
    return np.lexsort((edges, sources))


def positions_of(ascending: Ids, ids: Ids) -> NDArray[np.intp]:
    """Return the positions of ids that are all present."""
    if len(ascending) and ascending[-1] - ascending[0] + 1 == len(ascending):  # without a gap
        return ids - ascending[0]
    return np.searchsorted(ascending, ids)


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """The unit that a path repeats: the edges of each step, and how many nodes its table has.

    `nodes` has one number more than there are steps: that of the table of the start comes first.
    """

    steps: tuple[Adjacency, ...]
    nodes: tuple[int, ...]

    @property
    def returns(self) -> bool:
        """Return whether it can be repeated: it ends in the table in which it begins."""
        return self.nodes[0] == self.nodes[-1]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The result of one step: positions of nodes, where each came from, and by which edge.

    `keys` are start * nodes + node, `origins` positions in the layer before.
    """

    keys: Positions
    origins: Positions
    edges: Positions


@dataclass(frozen=True, slots=True, eq=False)
class PathEnds:
    """The paths of one length: positions in the layer of their last step."""

    hops: int
    positions: Positions


@dataclass(slots=True, eq=False)
class Block:
    """The search from a block of starts, layer by layer."""

    starts: Positions
    layers: list[Layer] = field(default_factory=list[Layer])
    ends: list[PathEnds] = field(default_factory=list[PathEnds])

    @property
    def paths(self) -> int:
        """How many paths were found."""
        return sum(len(end.positions) for end in self.ends)


class BreadthFirstSearch:
    """Searches from many starts, block by block, within bounds on paths and memory."""

    def __init__(
        self, unit: Unit, max_hops: int | None, goals: Flags | None, check: Callable[[], None]
    ) -> None:
        """Prepare a search.

        Args:
            unit: The repeated unit.
            max_hops: Maximum rounds, or None.
            goals: The nodes at which paths may end, or None for all.
            check: Called often; raises to stop the search.
        """
        self._unit = unit
        self._max_hops = max_hops
        self._goals = goals
        self._check = check
        self._paths = 0
        self._states = 0

    def run(self, starts: Positions) -> list[Block]:
        """Return the blocks of the search. Raises ExecutionError when it grows too large."""
        size = max(1, BLOCK // max(1, *self._unit.nodes))
        return [self._block(starts[begin : begin + size]) for begin in range(0, len(starts), size)]

    def _block(self, starts: Positions) -> Block:
        block = Block(starts)
        nodes = self._unit.nodes
        visited = [np.zeros(len(starts) * count, dtype=bool) for count in nodes[1:]]
        scratch = np.empty(len(starts) * max(nodes[1:]), dtype=np.int32)
        keys = np.arange(len(starts), dtype=np.int64) * nodes[0] + starts
        hops = 0
        while len(keys) and (self._max_hops is None or hops < self._max_hops):
            hops += 1
            for step in range(len(self._unit.steps)):
                layer = self._layer(keys, step, visited[step], scratch)
                block.layers.append(layer)
                keys = layer.keys
            self._end(block, hops, keys)
            if not self._unit.returns or self._is_complete(block):
                break
        return block

    def _end(self, block: Block, hops: int, keys: Positions) -> None:
        positions = np.arange(len(keys))
        if self._goals is not None:
            positions = np.flatnonzero(self._goals[keys % self._unit.nodes[-1]])
        block.ends.append(PathEnds(hops, positions))
        self._paths += len(positions)
        if self._paths > MAX_PATHS:
            raise _too_many(MAX_PATHS)

    def _is_complete(self, block: Block) -> bool:
        if self._goals is None:
            return False
        return block.paths == len(block.starts) * np.count_nonzero(self._goals)

    def _layer(
        self, keys: Positions, step: int, visited: Flags, scratch: NDArray[np.int32]
    ) -> Layer:
        """Take one step from every node of a layer; the first path to a node stays."""
        edges, before, after = self._unit.steps[step], *self._unit.nodes[step : step + 2]
        owners, nodes = _divided(keys, before)
        begins = edges.first[nodes]
        counts = edges.first[nodes + 1] - begins
        parts: list[Layer] = []
        for begin, end in _pieces(counts):
            self._check()
            inside = np.arange(begin, end, dtype=np.int64)
            origins = np.repeat(inside, counts[begin:end])
            edge_indexes = ranges(begins[begin:end], counts[begin:end])
            reached = owners[origins] * after + edges.targets[edge_indexes].astype(np.int64)
            new = _first_new(reached, visited, scratch)
            self._states += len(new)
            if self._states > MAX_STATES:
                raise _too_many(self._paths)
            parts.append(Layer(reached[new], origins[new], edges.edges[edge_indexes[new]]))
        return _joined(parts)


def _divided(keys: Positions, nodes: int) -> tuple[Positions, Positions]:
    """Return the number of the start, and the node, of each key."""
    owners: Positions = keys // nodes
    return owners, keys - owners * nodes


def _first_new(reached: Positions, visited: Flags, scratch: NDArray[np.int32]) -> Positions:
    """Return the positions of the first path to each unvisited node, and mark it as visited."""
    new = np.flatnonzero(~visited[reached])
    keys = reached[new]
    order = np.arange(len(keys), dtype=np.int32)
    scratch[keys[::-1]] = order[::-1]  # written last to first: the first path stays
    first = scratch[keys] == order
    visited[keys] = True
    return new[first]


def _pieces(counts: Positions) -> list[tuple[int, int]]:
    """Divide nodes so that the edges of a piece are few; a node is never divided."""
    if not len(counts):
        return []
    numbers = np.cumsum(counts) // PIECE
    cuts = (np.flatnonzero(np.diff(numbers)) + 1).tolist()
    return [*pairwise([0, *cuts, len(counts)])]


def ranges(first: Ids, counts: Ids) -> Ids:
    """Return first, first + 1, ... of every range, one range after the other."""
    numbers: Ids = np.repeat(first - np.cumsum(counts) + counts, counts)
    return numbers + np.arange(len(numbers))


def _joined(parts: Sequence[Layer]) -> Layer:
    if len(parts) == 1:
        return parts[0]
    empty = np.zeros(0, dtype=np.int64)
    return Layer(
        np.concatenate([empty, *(part.keys for part in parts)]),
        np.concatenate([empty, *(part.origins for part in parts)]),
        np.concatenate([empty, *(part.edges for part in parts)]),
    )


def _too_many(paths: int) -> ExecutionError:
    return ExecutionError(
        f"SHORTEST_PATH found more than {paths:,} paths.",
        code="too_complex",
        hint="Pin the start (s.Id = 1 or s.Name = '...'), or repeat less often: {1,2}.",
    )
