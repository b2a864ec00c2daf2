"""A reader over edges in memory, with the primitives that traversal needs."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract
from moviegraph.engines.graph_records import EdgeRecord
from moviegraph.engines.retrieval_primitives import Ids, Pairs, Ranked, SelectedIds, Selection
from moviegraph.sql.match_patterns import Hop, hops_from


class MemoryGraph:
    """Follows and counts edges; `followed` counts how many edges were read."""

    def __init__(self, contract: Contract, edges: Iterable[EdgeRecord]) -> None:
        self._contract = contract
        self._near: dict[tuple[str, Hop, int], list[int]] = defaultdict(list)
        self.followed = 0
        for edge in set(edges):
            table = contract.edge(edge.kind)
            assert table is not None
            pair = table.pairs[edge.pair]
            there = Hop(edge.kind, forward=True, kind=pair.to_table)
            back = Hop(edge.kind, forward=False, kind=pair.from_table)
            self._near[pair.from_table, there, edge.source].append(edge.target)
            self._near[pair.to_table, back, edge.target].append(edge.source)

    def neighbors(self, kind: str, hop: Hop, ids: Ids, where: None = None) -> Pairs:
        pairs = [(key, other) for key in ids.tolist() for other in self._near[kind, hop, key]]
        self.followed += len(pairs)
        array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return Pairs(array[:, 0], array[:, 1])

    def spread(
        self,
        kind: str,
        hop: Hop,
        ids: Ids,
        weights: NDArray[np.float64],
        k: int,
        among: Selection | None = None,
        where: None = None,
    ) -> Ranked:
        sums: Counter[int] = Counter()
        for key, weight in zip(ids.tolist(), weights.tolist(), strict=True):
            for other in self._near[kind, hop, key]:
                sums[other] += weight
        assert among is None or isinstance(among, SelectedIds)
        kept = set() if among is None else set(among.ids.tolist())
        ranked = sorted(
            (key for key in sums if among is None or key in kept),
            key=lambda key: (-sums[key], key),
        )[:k]
        return Ranked(np.array(ranked, dtype=np.int64), np.array([sums[key] for key in ranked]))

    def degrees(self, kind: str, ids: Ids) -> dict[str, Ids]:
        counts: dict[str, Ids] = {}
        for hop in hops_from(self._contract, kind):
            of_hop = np.array([len(self._near[kind, hop, key]) for key in ids.tolist()], np.int64)
            counts[hop.edge] = counts.get(hop.edge, 0) + of_hop
        return counts

    def only(self, ids: Ids) -> SelectedIds:
        return SelectedIds(np.unique(ids))
