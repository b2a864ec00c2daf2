"""The shortest paths that a search found, as columns: one row a path, and one row a step of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.breadth_first import Block, Ends, Layer, Places
from moviegraph.errors import ExecutionError

Columns = dict[str, NDArray[Any]]
_Rows = tuple[Places, Places, Places]
MOST_ROWS = 8_000_000


@dataclass(frozen=True, slots=True, eq=False)
class _Passing:
    """The paths that pass a layer: their numbers, their hops, and their places in the layer."""

    paths: Places
    hops: Places
    places: Places

    def joined_by(self, ends: Ends, first: int) -> "_Passing":
        """Return these and the paths that end in the layer, numbered from `first`."""
        count = len(ends.places)
        return _Passing(
            np.append(self.paths, np.arange(first, first + count)),
            np.append(self.hops, np.full(count, ends.hops)),
            np.append(self.places, ends.places),
        )

    def before(self, layer: Layer) -> "_Passing":
        """Return the same paths in the layer before."""
        return _Passing(self.paths, self.hops, layer.origins[self.places])


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """Paths by number, in the order of blocks and of their lengths.

    Attributes:
        blocks: What the search found.
        ids: Every $node_id of the table of the start of the search, then of each of its steps.
        turned: Whether the search went from the ends of the paths to their starts.
        check: Called often; raises to stop.
    """

    blocks: Sequence[Block]
    ids: tuple[Places, ...]
    turned: bool
    check: Callable[[], None]

    @property
    def _steps(self) -> int:
        return len(self.ids) - 1

    def summary(self) -> Columns:
        """Return number, start, last node and hops of each path."""
        first, last = list[Places](), list[Places]()
        for block in self.blocks:
            for ends in block.ends:
                keys = block.layers[ends.hops * self._steps - 1].keys[ends.places]
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
        if hops.sum() > MOST_ROWS:
            raise ExecutionError(
                f"The paths of SHORTEST_PATH have more than {MOST_ROWS:,} steps together.",
                code="too_complex",
                hint="Pin the start, or repeat less often: {1,3}.",
            )
        paths = np.repeat(np.arange(len(hops)), hops)
        return {"path": paths, "position": np.arange(len(paths)) - self._first[paths] + 1}

    def passed(self, step: int, *, edges: bool) -> Places:
        """Return the id of the node or edge of one step, for every row of `steps`."""
        ids, before = np.zeros(self._hops.sum(), dtype=np.int64), 0
        for block in self.blocks:
            for paths, positions, found in self._rows(block, before, step, edges=edges):
                ids[self._first[paths] + positions - 1] = found
            before += block.paths
        return ids

    @cached_property
    def _hops(self) -> Places:
        counts = [(e.hops, len(e.places)) for block in self.blocks for e in block.ends]
        return _joined([np.full(count, hops) for hops, count in counts])

    @cached_property
    def _first(self) -> Places:
        """The first row of each path."""
        return np.cumsum(self._hops) - self._hops

    def _rows(self, block: Block, before: int, step: int, *, edges: bool) -> Iterator[_Rows]:
        """Yield paths, positions and ids, walking back from the ends through every layer."""
        steps, here = self._steps, _Passing(*[np.zeros(0, dtype=np.int64)] * 3)
        ends = {each.hops * steps - 1: each for each in block.ends}
        number = before + block.paths
        for at in range(len(block.layers) - 1, -1, -1):
            self.check()
            layer, found = block.layers[at], ends.get(at)
            if found is not None:
                number -= len(found.places)
                here = here.joined_by(found, number)
            if self._step(at, edges=edges) == step:
                keys = layer.keys[here.places]
                table = self.ids[at % steps + 1]
                ids = layer.edges[here.places] if edges else table[keys % len(table)]
                positions = self._positions(at, here.hops, edges=edges)
                kept = positions > 0  # turned, the last layer holds the start
                yield here.paths[kept], positions[kept], ids[kept]
            here = here.before(layer)
        if self.turned and not edges and step == steps - 1:
            yield here.paths, here.hops, self.ids[0][block.starts[here.places]]

    def _step(self, layer: int, *, edges: bool) -> int:
        """Return the step, as the pattern is written, that a layer belongs to."""
        return (-layer - (1 if edges else 2) if self.turned else layer) % self._steps

    def _positions(self, layer: int, hops: Places, *, edges: bool) -> Places:
        """Return in which repetition, from the start of each path, a layer was passed."""
        if not self.turned:
            return np.full(len(hops), layer // self._steps + 1)
        return (hops * self._steps - layer - (1 if edges else 2)) // self._steps + 1


def _joined(parts: Sequence[Places]) -> Places:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])
