"""The first rows of a result, as the journal keeps them where its operator asks for that."""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from moviegraph.journal.records import Cell

LONGEST_CELL = 1_000
LONGEST_KEPT = 20_000


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


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    text = str(value)
    text = text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}..."
    return text.encode("utf-8", "replace").decode()
