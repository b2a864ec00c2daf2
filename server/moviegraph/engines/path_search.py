"""Runs the path searches of one statement: where they start, what they find, as side tables."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from moviegraph.engines.adjacency import Adjacencies, Adjacency, Ids
from moviegraph.engines.breadth_first import Flags, Places, Search, Unit
from moviegraph.engines.columns import KIND_BITS
from moviegraph.engines.duckdb.plan import AlongNeed, NodesNeed, PathNeed
from moviegraph.engines.node_queries import NodeQueries
from moviegraph.engines.shortest_paths import Columns, ShortestPaths
from moviegraph.engines.stopping import Stop
from moviegraph.errors import ExecutionError


class PathSearch:
    """Searches for one statement, beside the side tables computed so far."""

    def __init__(
        self,
        queries: NodeQueries,
        adjacencies: Adjacencies,
        sides: Mapping[str, Columns],
        stop: Stop,
    ) -> None:
        self._queries = queries
        self._adjacencies = adjacencies
        self._sides = sides
        self._stop = stop
        self._found: dict[str, ShortestPaths] = {}

    def search(self, name: str, need: PathNeed) -> Columns:
        """Return the paths of a pattern: number, start, last node and hops of each."""
        tables = (need.start, *(hop.node for hop in need.hops))
        ids = tuple(self._adjacencies.nodes(table, self._stop) for table in tables)
        starts = self._starts(need, ids[0])
        ends = self._ends(need, ids[-1])
        turned = ends is not None and len(ends) < len(starts)
        if turned:
            assert ends is not None
            starts, ends, ids = ends, starts, ids[::-1]
        wanted = None if ends is None else _flags(ends, len(ids[-1]))
        unit = Unit(self._steps(need, turned=turned), tuple(len(each) for each in ids))
        blocks = Search(unit, need.most, wanted, self._stop.check).run(starts)
        self._found[name] = ShortestPaths(blocks, ids, turned, self._stop.check)
        return self._found[name].summary()

    def along(self, need: AlongNeed) -> Columns:
        """Return what lies along paths that were found."""
        found = self._found[need.paths]
        ids = {each.column: found.passed(each.step, edges=each.edges) for each in need.passed}
        return found.steps() | ids

    def _steps(self, need: PathNeed, *, turned: bool) -> tuple[Adjacency, ...]:
        tables = pairwise((need.start, *(hop.node for hop in need.hops)))
        steps = [
            self._adjacencies.edges(
                hop.edge,
                (ends[1], ends[0]) if turned else ends,
                forward=hop.forward != turned,
                stop=self._stop,
            )
            for hop, ends in zip(need.hops, tables, strict=True)
        ]
        return tuple(steps[::-1] if turned else steps)

    def _starts(self, need: PathNeed, ids: Ids) -> Places:
        if need.starts is None:
            return np.arange(len(ids))
        if isinstance(need.starts, NodesNeed):
            return self._places(need.starts, ids)
        return np.searchsorted(ids, np.unique(self._sides[need.starts]["last"]))

    def _ends(self, need: PathNeed, ids: Ids) -> Places | None:
        """Return where paths of use can end, or None for anywhere."""
        if need.ends is None:
            return None
        try:
            return self._places(need.ends, ids)
        except ExecutionError:  # it may fail on a node that no path reaches
            return None

    def _places(self, need: NodesNeed, ids: Ids) -> Places:
        if need.key is not None:
            return _place(need.key, ids)
        return np.searchsorted(ids, self._queries.ids(need))


def empty(need: PathNeed | AlongNeed) -> Columns:
    """Return the side table of a need without rows."""
    names = ["path", "start", "last", "hops"]
    if isinstance(need, AlongNeed):
        names = ["path", "position", *(each.column for each in need.passed)]
    return {name: np.zeros(0, dtype=np.int64) for name in names}


def _place(key: int, ids: Ids) -> Places:
    """Return the place of the node with a key, or none; `ids` are those of one table."""
    if not len(ids) or key >= 1 << KIND_BITS:
        return np.zeros(0, dtype=np.int64)
    wanted = key + (int(ids[0]) >> KIND_BITS << KIND_BITS)
    place = int(np.searchsorted(ids, wanted))
    found = place < len(ids) and ids[place] == wanted
    return np.array([place] if found else [], dtype=np.int64)


def _flags(places: Places, size: int) -> Flags:
    flags = np.zeros(size, dtype=bool)
    flags[places] = True
    return flags
