"""How many ways lead from some nodes to others, counted hop by hop in the arrays of a graph."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract
from moviegraph.engines.duckdb.plan import WalkHop, WalkNeed
from moviegraph.engines.edge_rows import places_of
from moviegraph.engines.embedded.adjacency import Adjacencies, Ids
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.graph_records import KIND_BITS

Places = NDArray[np.intp]
Columns = dict[str, NDArray[Any]]


class WalkCounts:
    """Counts the ways of one statement."""

    def __init__(self, contract: Contract, adjacencies: Adjacencies, stop: StopSignal) -> None:
        self._contract = contract
        self._adjacencies = adjacencies
        self._stop = stop

    def count(self, need: WalkNeed) -> Columns:
        """Return the $node_id of each node at which a way ends, and how many ways end there."""
        table = need.start
        places = self._with_keys(table, need.keys)
        ways: Ids = np.ones(len(places), dtype=np.int64)
        for hop in need.hops:
            self._stop.check()
            table, places, ways = self._hopped(table, hop, places, ways)
        return {"node": self._adjacencies.nodes(table, self._stop)[places], "ways": ways}

    def _hopped(
        self, here: str, hop: WalkHop, places: Places, ways: Ids
    ) -> tuple[str, Places, Ids]:
        """Go one hop: a node is reached by as many ways as lead to all those before it."""
        edge = self._contract.edge(hop.edge)
        assert edge is not None
        (pair,) = edge.pairs  # only over such tables ways are counted
        there = pair.to_table if hop.forward else pair.from_table
        adjacency = self._adjacencies.edges(
            hop.edge, (here, there), forward=hop.forward, stop=self._stop
        )
        begin = adjacency.first[places]
        counts = adjacency.first[places + 1] - begin
        before = np.cumsum(counts) - counts
        at = np.repeat(begin - before, counts) + np.arange(int(counts.sum()))
        reached, which = np.unique(adjacency.targets[at], return_inverse=True)
        total = np.zeros(len(reached), dtype=np.int64)
        np.add.at(total, which, np.repeat(ways, counts))
        if hop.barred:
            passed = ~np.isin(reached, self._with_keys(there, hop.barred))
            reached, total = reached[passed], total[passed]
        return there, reached.astype(np.intp), total

    def _with_keys(self, table: str, keys: tuple[int, ...]) -> Places:
        """Return the places of the nodes that have these keys."""
        names = [each.name for each in self._contract.nodes]
        largest = (1 << KIND_BITS) - 1
        known = np.unique(np.array([key for key in keys if 0 <= key <= largest], dtype=np.int64))
        nodes = self._adjacencies.nodes(table, self._stop)
        return places_of(nodes, known + (names.index(table) << KIND_BITS))


def no_ways() -> Columns:
    """Return no ends."""
    return {name: np.zeros(0, dtype=np.int64) for name in ("node", "ways")}
