"""Counts the paths between nodes the slow and simple way, as a reference for graph_traverse."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import log, prod

from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import EdgeRecord

Node = tuple[str, int]
Way = tuple[Node, ...]


class Graph:
    """Nodes and their neighbors through every edge, both ways."""

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

    def degree(self, node: Node) -> int:
        return len(self._near[node])

    def rarity(self, way: Way) -> float:
        return prod(1 / log(1 + self.degree(node)) for node in way[1:-1])

    def ways(
        self,
        starts: Iterable[Node],
        hops: int,
        path: tuple[str, ...] | None = None,
        *,
        hubs: bool = False,
    ) -> Iterator[Way]:
        """Yield every path of that many hops; it passes no node twice, and a hub only if told."""
        for start in starts:
            yield from self._extended((start,), hops, path, hubs)

    def ends(
        self,
        starts: list[Node],
        kind: str,
        most: int,
        path: tuple[str, ...] | None = None,
        *,
        hubs: bool = False,
    ) -> dict[int, list[Way]]:
        """Return, for each node reached, all paths to it, short ones first."""
        paths: dict[int, list[Way]] = defaultdict(list)
        for hops in range(1, most + 1) if path is None else (len(path),):
            for way in self.ways(starts, hops, path, hubs=hubs):
                if way[-1][0] == kind and way[-1] not in starts:
                    paths[way[-1][1]].append(way)
        return dict(paths)

    def scores(
        self,
        starts: list[Node],
        kind: str,
        most: int,
        path: tuple[str, ...] | None = None,
        *,
        hubs: bool = False,
    ) -> dict[int, tuple[int, int]]:
        """Return, for each node reached, the number of paths and the fewest hops."""
        ends = self.ends(starts, kind, most, path, hubs=hubs)
        return {key: (len(ways), len(ways[0]) - 1) for key, ways in ends.items()}

    def _extended(
        self, way: Way, left: int, path: tuple[str, ...] | None, hubs: bool
    ) -> Iterator[Way]:
        if left == 0:
            yield way
            return
        near = self._near[way[-1]]
        if len(way) > 1 and len(near) > self._cut and not hubs:
            return
        for edge, node in near:
            if node not in way and (path is None or path[len(way) - 1] == edge):
                yield from self._extended((*way, node), left - 1, path, hubs)
