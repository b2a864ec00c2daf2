"""The edges of a graph as arrays: for each edge table and direction, the edges out of each node."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract
from moviegraph.engines.columns import LOW
from moviegraph.engines.connections import Database
from moviegraph.engines.duckdb.expressions import CATALOG
from moviegraph.engines.duckdb.plan import NodesNeed
from moviegraph.engines.stopping import Stop

Ids = NDArray[np.int64]
Ends = tuple[str, str]
Made = TypeVar("Made")
WAIT = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """The edges of one table in one direction; nodes are places in the sorted ids of their table.

    Attributes:
        first: Where the edges of a node begin; one entry more than there are nodes.
        targets: The node that each edge leads to.
        edges: The $edge_id of each edge.
    """

    first: NDArray[np.int64]
    targets: NDArray[np.int32]
    edges: Ids

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return self.first.nbytes + self.targets.nbytes + self.edges.nbytes


class Adjacencies:
    """Reads nodes and edges when they are first needed, and keeps them; safe for threads."""

    def __init__(self, contract: Contract, database: Database) -> None:
        self._contract = contract
        self._database = database
        self._lock = threading.RLock()
        self._nodes: dict[str, Ids] = {}
        self._keys: dict[str, Ids] = {}
        self._edges: dict[tuple[str, Ends, bool], Adjacency] = {}

    @property
    def nbytes(self) -> int:
        """Memory that is taken so far."""
        with self._lock:
            arrays = [*self._nodes.values(), *self._keys.values(), *self._edges.values()]
        return sum(each.nbytes for each in arrays)

    def nodes(self, table: str, stop: Stop) -> Ids:
        """Return every $node_id of a node table, in order."""
        return self._kept(self._nodes, table, lambda: self._read_nodes(table, stop), stop)

    def keys(self, table: str, stop: Stop) -> Ids:
        """Return every key of a node table, in order: a $node_id holds it in its lower bits."""
        known = self._keys.get(table)
        if known is None:
            known = self._keys[table] = self.nodes(table, stop) & LOW
        return known

    def edges(self, table: str, ends: Ends, *, forward: bool, stop: Stop) -> Adjacency:
        """Return the edges of a table, from $from_id or, backward, from $to_id.

        `ends` are the node tables that are left and reached.
        """
        key = (table, ends, forward)
        return self._kept(self._edges, key, lambda: self._read_edges(*key, stop), stop)

    def _kept(self, known: dict[Any, Made], key: Any, make: Callable[[], Made], stop: Stop) -> Made:
        found = known.get(key)
        if found is not None:
            return found
        while not self._lock.acquire(timeout=WAIT):
            stop.check()
        try:
            if key not in known:
                known[key] = make()
            return known[key]
        finally:
            self._lock.release()

    def _read_nodes(self, table: str, stop: Stop) -> Ids:
        ids = self._read(table, ("$node_id",), stop)["$node_id"]
        return np.sort(ids)

    def _read_edges(self, table: str, ends: Ends, forward: bool, stop: Stop) -> Adjacency:
        edge = self._contract.edge(table)
        assert edge is not None
        columns = self._read(table, ("$edge_id", "$from_id", "$to_id"), stop)
        nodes, others = (self.nodes(each, stop) for each in ends)
        edges, sources, targets = columns["$edge_id"], columns["$from_id"], columns["$to_id"]
        if not forward:
            sources, targets = targets, sources
        if len(edge.pairs) > 1:
            here = np.isin(sources, nodes) & np.isin(targets, others)
            edges, sources, targets = edges[here], sources[here], targets[here]
        order = _order(sources, edges)
        first = np.searchsorted(sources[order], nodes)
        places = _places(others, targets[order]).astype(np.int32)
        return Adjacency(np.append(first, len(order)), places, edges[order])

    def _read(self, table: str, columns: tuple[str, ...], stop: Stop) -> dict[str, NDArray[Any]]:
        listed = ", ".join(f'"{name}"' for name in columns)
        sql = f'SELECT {listed} FROM {CATALOG}.main."{table}"'  # noqa: S608
        query = NodesNeed(sql, vector=False, paired=False)
        return self._database.arrays(query, {}, {}, stop)


def _order(sources: Ids, edges: Ids) -> NDArray[np.intp]:
    """Return the order by source, then by edge; edges are stored in the order of their ids."""
    if bool(np.all(edges[1:] > edges[:-1])):
        return np.argsort(sources, kind="stable")
    return np.lexsort((edges, sources))


def _places(nodes: Ids, ids: Ids) -> NDArray[np.intp]:
    """Return the places of ids that are all there."""
    if len(nodes) and nodes[-1] - nodes[0] + 1 == len(nodes):  # without a gap
        return ids - nodes[0]
    return np.searchsorted(nodes, ids)
