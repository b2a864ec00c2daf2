"""Path searches of one statement: their starts, and their results as side tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.base import Vector
from moviegraph.engines.duckdb.plan import AlongNeed, NodesNeed, PathNeed
from moviegraph.engines.embedded.adjacency import (
    Adjacencies,
    Adjacency,
    Block,
    BreadthFirstSearch,
    Flags,
    Ids,
    Layer,
    PathEnds,
    Positions,
    Unit,
)
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.errors import ExecutionError

Columns = dict[str, NDArray[Any]]
MAX_ROWS = 8_000_000


_Rows = tuple[Positions, Positions, Positions]


@dataclass(frozen=True, slots=True, eq=False)
class _Passing:
    """The paths that pass a layer: their numbers, their hops, and their positions in the layer."""

    paths: Positions
    hops: Positions
    positions: Positions

    def joined_by(self, ends: PathEnds, first: int) -> "_Passing":
        """Return these and the paths that end in the layer, numbered from `first`."""
        count = len(ends.positions)
        return _Passing(
            np.append(self.paths, np.arange(first, first + count)),
            np.append(self.hops, np.full(count, ends.hops)),
            np.append(self.positions, ends.positions),
        )

    def before(self, layer: Layer) -> "_Passing":
        """Return the same paths in the layer before."""
        return _Passing(self.paths, self.hops, layer.origins[self.positions])


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """Paths by number, in the order of blocks and of their lengths.

    Attributes:
        blocks: The result of the search.
        ids: Every $node_id of the table of the start of the search, then of each of its steps.
        turned: Whether the search went from the ends of the paths to their starts.
        check: Called often; raises to stop.
    """

    blocks: Sequence[Block]
    ids: tuple[Positions, ...]
    turned: bool
    check: Callable[[], None]

    @property
    def _steps(self) -> int:
        return len(self.ids) - 1

    def summary(self) -> Columns:
        """Return number, start, last node and hops of each path."""
        first, last = list[Positions](), list[Positions]()
        for block in self.blocks:
            for ends in block.ends:
                keys = block.layers[ends.hops * self._steps - 1].keys[ends.positions]
                owners, nodes = np.divmod(keys, len(self.ids[-1]))
                first.append(self.ids[0][block.starts[owners]])
                last.append(self.ids[-1][nodes])
        names = ("last", "start") if self.turned else ("start", "last")
        ends_of_paths = dict(zip(names, (_joined(first), _joined(last)), strict=True))
        return {"path": np.arange(len(self._hops)), "hops": self._hops, **ends_of_paths}

    def steps(self) -> Columns:
        """Return path and position (from 1) of every repetition of the unit, in order.

        Raises:
            ExecutionError: There are too many.
        """
        hops = self._hops
        if hops.sum() > MAX_ROWS:
            raise ExecutionError(
                f"The paths of SHORTEST_PATH have more than {MAX_ROWS:,} steps together.",
                code="too_complex",
                hint="Pin the start, or repeat less often: {1,3}.",
            )
        paths = np.repeat(np.arange(len(hops)), hops)
        return {"path": paths, "position": np.arange(len(paths)) - self._first[paths] + 1}

    def passed(self, step: int, *, edges: bool) -> Positions:
        """Return the id of the node or edge of one step, for every row of `steps`."""
        ids, before = np.zeros(self._hops.sum(), dtype=np.int64), 0
        for block in self.blocks:
            for paths, positions, passed_ids in self._rows(block, before, step, edges=edges):
                ids[self._first[paths] + positions - 1] = passed_ids
            before += block.paths
        return ids

    @cached_property
    def _hops(self) -> Positions:
        counts = [(e.hops, len(e.positions)) for block in self.blocks for e in block.ends]
        return _joined([np.full(count, hops) for hops, count in counts])

    @cached_property
    def _first(self) -> Positions:
        """The first row of each path."""
        return np.cumsum(self._hops) - self._hops

    def _rows(self, block: Block, before: int, step: int, *, edges: bool) -> Iterator[_Rows]:
        """Yield paths, positions and ids, walking back from the ends through every layer."""
        steps, passing = self._steps, _Passing(*[np.zeros(0, dtype=np.int64)] * 3)
        ends = {end.hops * steps - 1: end for end in block.ends}
        number = before + block.paths
        for at in range(len(block.layers) - 1, -1, -1):
            self.check()
            layer, path_ends = block.layers[at], ends.get(at)
            if path_ends is not None:
                number -= len(path_ends.positions)
                passing = passing.joined_by(path_ends, number)
            if self._step(at, edges=edges) == step:
                keys = layer.keys[passing.positions]
                table = self.ids[at % steps + 1]
                ids = layer.edges[passing.positions] if edges else table[keys % len(table)]
                positions = self._positions(at, passing.hops, edges=edges)
                is_passed = positions > 0  # turned, the last layer is the start
                yield passing.paths[is_passed], positions[is_passed], ids[is_passed]
            passing = passing.before(layer)
        if self.turned and not edges and step == steps - 1:
            yield passing.paths, passing.hops, self.ids[0][block.starts[passing.positions]]

    def _step(self, layer: int, *, edges: bool) -> int:
        """Return the step, as the pattern is written, that a layer belongs to."""
        return (-layer - (1 if edges else 2) if self.turned else layer) % self._steps

    def _positions(self, layer: int, hops: Positions, *, edges: bool) -> Positions:
        """Return in which repetition, from the start of each path, a layer was passed."""
        if not self.turned:
            return np.full(len(hops), layer // self._steps + 1)
        return (hops * self._steps - layer - (1 if edges else 2)) // self._steps + 1


def _joined(parts: Sequence[Positions]) -> Positions:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


class PathSearch:
    """Searches for one statement, with the side tables computed so far."""

    def __init__(
        self,
        database: Database,
        adjacencies: Adjacencies,
        side_tables: Mapping[str, Columns],
        vector: Vector | None,
        stop: StopSignal,
        values: Mapping[str, Any],
    ) -> None:
        self._database = database
        self._adjacencies = adjacencies
        self._sides = side_tables
        self._vector = vector
        self._values = values
        self._stop = stop
        self._paths: dict[str, ShortestPaths] = {}

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
        goals = None if ends is None else _flags(ends, len(ids[-1]))
        unit = Unit(self._steps(need, turned=turned), tuple(len(item) for item in ids))
        blocks = BreadthFirstSearch(unit, need.most, goals, self._stop.check).run(starts)
        self._paths[name] = ShortestPaths(blocks, ids, turned, self._stop.check)
        return self._paths[name].summary()

    def along(self, need: AlongNeed) -> Columns:
        """Return what lies along paths that were found."""
        paths = self._paths[need.paths]
        ids = {step.column: paths.passed(step.step, edges=step.edges) for step in need.passed}
        return paths.steps() | ids

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

    def _starts(self, need: PathNeed, ids: Ids) -> Positions:
        if need.starts is None:
            return np.arange(len(ids))
        if isinstance(need.starts, NodesNeed):
            return self._places(need.starts, ids)
        return np.searchsorted(ids, np.unique(self._sides[need.starts]["last"]))

    def _ends(self, need: PathNeed, ids: Ids) -> Positions | None:
        """Return where paths of use can end, or None for anywhere."""
        if need.ends is None:
            return None
        try:
            return self._places(need.ends, ids)
        except ExecutionError:  # it may fail on a node that no path reaches
            return None

    def _places(self, need: NodesNeed, ids: Ids) -> Positions:
        vector = self._vector
        parameters = {"q": vector.tolist()} if need.vector and vector is not None else {}
        parameters |= self._values
        used = {name: side for name, side in self._sides.items() if f'"{name}"' in need.sql}
        columns = self._database.arrays(need, parameters, used, self._stop)
        return np.searchsorted(ids, np.unique(np.ma.compressed(next(iter(columns.values())))))


def empty(need: PathNeed | AlongNeed) -> Columns:
    """Return the side table of a need without rows."""
    names = ["path", "start", "last", "hops"]
    if isinstance(need, AlongNeed):
        names = ["path", "position", *(step.column for step in need.passed)]
    return {name: np.zeros(0, dtype=np.int64) for name in names}


def _flags(positions: Positions, size: int) -> Flags:
    flags = np.zeros(size, dtype=bool)
    flags[positions] = True
    return flags
