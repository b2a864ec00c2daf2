"""How much of a text a result shows."""

from collections.abc import Sequence
from typing import Any

CONCISE = 240


def shorten(text: str, length: int = CONCISE) -> str:
    """Return the text, cut to a length that includes the ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def detailed(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], text: str, detail: str
) -> list[tuple[Any, ...]]:
    """Return the rows, with the text column cut where the detail is concise."""
    if detail != "concise" or text not in columns:
        return list(rows)
    index = columns.index(text)
    return [_cut(row, index) for row in rows]


def _cut(row: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    cell = row[index]
    if not isinstance(cell, str):
        return row
    return (*row[:index], shorten(cell), *row[index + 1 :])


def cut_by(detail: str, truncated: str | None) -> str | None:
    """Return why a result was cut; concise texts are cut on purpose."""
    return None if detail == "concise" and truncated == "cells" else truncated
