"""Edges at some nodes, read from the arrays of a graph instead of its tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract
from moviegraph.engines.duckdb.plan import EdgeNeed
from moviegraph.engines.embedded.adjacency import Adjacencies, Ids
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.graph_records import KIND_BITS

Columns = dict[str, NDArray[Any]]
NAMES = ("$edge_id", "$from_id", "$to_id")


class EdgeRows:
    """The edge tables of one statement, beside the side tables computed so far."""

    def __init__(
        self,
        contract: Contract,
        adjacencies: Adjacencies,
        sides: Mapping[str, Columns],
        stop: StopSignal,
    ) -> None:
        self._contract = contract
        self._adjacencies = adjacencies
        self._sides = sides
        self._stop = stop

    def near(self, need: EdgeNeed) -> Columns:
        """Return the edges that leave some nodes, or lead to them, as rows of their table."""
        edge = self._contract.edge(need.edge)
        assert edge is not None
        (pair,) = edge.pairs  # only such tables are walked
        here, there = pair.from_table, pair.to_table
        if not need.forward:
            here, there = there, here
        nodes = self._adjacencies.nodes(here, self._stop)
        others = self._adjacencies.nodes(there, self._stop)
        adjacency = self._adjacencies.edges(
            need.edge, (here, there), forward=need.forward, stop=self._stop
        )
        places = places_of(nodes, self._starts(need, here))
        begin = adjacency.first[places]
        counts = adjacency.first[places + 1] - begin
        before = np.cumsum(counts) - counts
        at: Ids = np.repeat(begin - before, counts) + np.arange(int(counts.sum()))
        ends = (np.repeat(nodes[places], counts), others[adjacency.targets[at]])
        ordered = ends if need.forward else ends[::-1]
        return dict(zip(NAMES, (adjacency.edges[at], *ordered), strict=True))

    def _starts(self, need: EdgeNeed, table: str) -> Ids:
        if need.side:
            return np.unique(self._sides[need.side][need.column])
        names = [each.name for each in self._contract.nodes]
        largest = (1 << KIND_BITS) - 1
        keys = np.array([min(each, largest) for each in need.keys], dtype=np.int64)
        return np.unique(keys) + (names.index(table) << KIND_BITS)


def places_of(nodes: Ids, ids: Ids) -> NDArray[np.intp]:
    """Return the places of those of these ids that are there."""
    places = np.searchsorted(nodes, ids)
    inside = places < len(nodes)
    places, ids = places[inside], ids[inside]
    return places[nodes[places] == ids]


def no_edges() -> Columns:
    """Return an edge table without rows."""
    return {name: np.zeros(0, dtype=np.int64) for name in NAMES}
