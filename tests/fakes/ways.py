"""Counts the ways between nodes the slow and simple way, as a reference for the statements."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from moviegraph.contract.model import Contract
from moviegraph.engines.records import EdgeRecord

Node = tuple[str, int]
Way = tuple[Node, ...]


class Graph:
    """Nodes and their neighbours through every edge, both ways."""

    def __init__(self, contract: Contract, edges: Iterable[EdgeRecord]) -> None:
        self._near: dict[Node, list[tuple[str, Node]]] = defaultdict(list)
        self._cut = contract.limits.hub_cut
        for kind, source, target, at in {(e.kind, e.source, e.target, e.pair) for e in edges}:
            table = contract.edge(kind)
            assert table is not None
            pair = table.pairs[at]
            ends = ((pair.from_table, source), (pair.to_table, target))
            self._near[ends[0]].append((kind, ends[1]))
            self._near[ends[1]].append((kind, ends[0]))

    def ways(
        self, starts: Iterable[Node], hops: int, path: tuple[str, ...] | None = None
    ) -> Iterator[Way]:
        """Yield every way of that many hops; it passes no node twice and no hub."""
        for start in starts:
            yield from self._extended((start,), hops, path)

    def scores(
        self, starts: list[Node], kind: str, most: int, path: tuple[str, ...] | None = None
    ) -> dict[int, tuple[int, int]]:
        """Return, for each node reached, the number of ways and the fewest hops."""
        found: dict[int, tuple[int, int]] = {}
        for hops in range(1, most + 1) if path is None else (len(path),):
            for way in self.ways(starts, hops, path):
                if way[-1][0] == kind and way[-1] not in starts:
                    count, fewest = found.get(way[-1][1], (0, hops))
                    found[way[-1][1]] = (count + 1, fewest)
        return found

    def _extended(self, way: Way, left: int, path: tuple[str, ...] | None) -> Iterator[Way]:
        if left == 0:
            yield way
            return
        near = self._near[way[-1]]
        if len(way) > 1 and len(near) > self._cut:
            return
        for edge, node in near:
            if node not in way and (path is None or path[len(way) - 1] == edge):
                yield from self._extended((*way, node), left - 1, path)
