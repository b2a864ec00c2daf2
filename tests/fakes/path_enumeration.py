"""Reference path counts for graph_traverse, by exhaustive enumeration."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import log, prod

from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import EdgeRecord

Node = tuple[str, int]
Path = tuple[Node, ...]


class Graph:
    """Nodes and their neighbors over all edges, in both directions."""

    def __init__(self, contract: Contract, edges: Iterable[EdgeRecord]) -> None:
        self._near: dict[Node, list[tuple[str, int, Node]]] = defaultdict(list)
        self._cut = contract.limits.hub_cut
        known = {(e.kind, e.source, e.target, e.pair) for e in edges}
        for number, (kind, source, target, at) in enumerate(known):
            table = contract.edge(kind)
            assert table is not None
            pair = table.pairs[at]
            ends = ((pair.from_table, source), (pair.to_table, target))
            self._near[ends[0]].append((kind, number, ends[1]))
            self._near[ends[1]].append((kind, number, ends[0]))

    def degree(self, node: Node) -> int:
        return len(self._near[node])

    def rarity(self, path: Path) -> float:
        return prod(1 / log(1 + self.degree(node)) for node in path[1:-1])

    def paths(
        self,
        starts: Iterable[Node],
        hops: int,
        route: tuple[str, ...] | None = None,
        *,
        hubs: bool = False,
    ) -> Iterator[Path]:
        """Yield every path of that many hops; it passes a hub only if `hubs`.

        It uses no edge twice, and does not return to its start.
        """
        for start in starts:
            yield from self._extended(start, (start,), (), hops, route, hubs)

    def ends(
        self,
        starts: list[Node],
        kind: str,
        max_hops: int,
        route: tuple[str, ...] | None = None,
        *,
        hubs: bool = False,
    ) -> dict[int, list[Path]]:
        """Return, for each node reached, all paths to it, short ones first."""
        paths: dict[int, list[Path]] = defaultdict(list)
        for hops in range(1, max_hops + 1) if route is None else (len(route),):
            for path in self.paths(starts, hops, route, hubs=hubs):
                if path[-1][0] == kind and path[-1] not in starts:
                    paths[path[-1][1]].append(path)
        return dict(paths)

    def scores(
        self,
        starts: list[Node],
        kind: str,
        max_hops: int,
        route: tuple[str, ...] | None = None,
        *,
        hubs: bool = False,
    ) -> dict[int, tuple[int, int]]:
        """Return, for each node reached, the number of paths and the fewest hops."""
        ends = self.ends(starts, kind, max_hops, route, hubs=hubs)
        return {key: (len(paths), len(paths[0]) - 1) for key, paths in ends.items()}

    def _extended(
        self,
        start: Node,
        path: Path,
        used: tuple[int, ...],
        remaining: int,
        route: tuple[str, ...] | None,
        hubs: bool,
    ) -> Iterator[Path]:
        if remaining == 0:
            yield path
            return
        neighbors = self._near[path[-1]]
        if len(path) > 1 and len(neighbors) > self._cut and not hubs:
            return
        for kind, edge, node in neighbors:
            if node == start or edge in used:
                continue
            if route is None or route[len(path) - 1] == kind:
                longer, edges = (*path, node), (*used, edge)
                yield from self._extended(start, longer, edges, remaining - 1, route, hubs)
