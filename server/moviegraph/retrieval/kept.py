"""The first rows of a result, as the journal keeps them where its operator asks for that."""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from moviegraph.journal.execution_records import Cell
from moviegraph.retrieval.session import RowPaths

LONGEST_CELL = 1_000
LONGEST_KEPT = 20_000
MAX_PATHS_CHARS = 60_000
RecordedPaths = tuple[tuple[dict[str, Cell], ...], ...]


def kept(rows: Iterable[Sequence[Any]]) -> tuple[tuple[Cell, ...], ...]:
    """Return the first rows, each whole but for long texts, that fit into the journal's bound."""
    found: list[tuple[Cell, ...]] = []
    length = 0
    for row in rows:
        cells = tuple(_cell(value) for value in row)
        length += len(json.dumps(cells))
        if length > LONGEST_KEPT:
            break
        found.append(cells)
    return tuple(found)


def kept_paths(paths: Iterable[RowPaths] | None) -> tuple[RecordedPaths, ...] | None:
    """Return the paths of the first rows that fit into the journal's bound."""
    if paths is None:
        return None
    recorded: list[RecordedPaths] = []
    length = 0
    for row_paths in paths:
        steps = tuple(
            tuple({name: _cell(value) for name, value in step._asdict().items()} for step in path)
            for path in row_paths
        )
        length += len(json.dumps(steps))
        if length > MAX_PATHS_CHARS:
            break
        recorded.append(steps)
    return tuple(recorded)


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    text = str(value)
    text = text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}..."
    return text.encode("utf-8", "replace").decode()
