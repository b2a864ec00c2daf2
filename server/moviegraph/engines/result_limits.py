"""Cuts fetched rows to a budget."""

from collections.abc import Iterable
from itertools import islice
from math import isinf
from typing import TYPE_CHECKING, Any

from moviegraph.engines.base import Budget, ResultSet, Truncated
from moviegraph.errors import ExecutionError, ResultTooLargeError

if TYPE_CHECKING:  # a worker process has no parser
    from moviegraph.sql.decision import Allowed

Row = tuple[Any, ...]


def limit_rows(allowed: "Allowed", rows: Iterable[Row], budget: Budget) -> ResultSet:
    """Return the rows of a statement within the budget, as `limited` does."""
    return limited(column_names(allowed), rows, budget, json=allowed.json)


def limited(
    columns: tuple[str, ...], rows: Iterable[Row], budget: Budget, *, json: bool
) -> ResultSet:
    """Return the rows within the budget, and take no more than it needs; FOR JSON stays whole.

    Raises:
        ResultTooLargeError: A FOR JSON document exceeds the budget's bytes.
    """
    if json:
        return _document(rows, budget)
    fetched = iter(rows)
    fitted, truncated = fit_rows(islice(fetched, budget.rows), budget)
    beyond = next(fetched, None) if truncated != "bytes" else None
    return ResultSet(columns, fitted, truncated if beyond is None else "rows", next_row=beyond)


def fit_rows(rows: Iterable[Row], budget: Budget) -> tuple[list[Row], Truncated]:
    """Return the rows that fit, their texts truncated, and the exhausted budget."""
    truncated: Truncated = None
    fitting: list[Row] = []
    size = 0
    for row in rows:
        if len(fitting) == budget.rows:
            return fitting, "rows"
        fitted, row_bytes, is_whole = _fitted(row, budget.cell)
        size += row_bytes
        if size > budget.bytes:
            return fitting, "bytes"
        if not is_whole:
            truncated = "cells"
        fitting.append(fitted)
    return fitting, truncated


def column_names(allowed: "Allowed") -> tuple[str, ...]:
    """Return the names of the result's columns; nameless ones are numbered."""
    if allowed.json:
        return ("JSON",)
    return tuple(out.name or f"column{at}" for at, out in enumerate(allowed.outputs, 1))


def _document(rows: Iterable[Row], budget: Budget) -> ResultSet:
    """Return the document, which SQL Server sends in pieces of about 2,000 characters."""
    pieces: list[str] = []
    size = 0
    for (piece,) in rows:
        if piece is not None:
            pieces.append(piece)
            size += _size(piece)
        if size > budget.bytes:
            raise ResultTooLargeError(
                f"The JSON document has more than the {budget.bytes:,} bytes that are returned, "
                "and JSON is never cut.",
                hint="Select fewer columns or rows, or shorten strings with LEFT(Content, 240).",
            )
    return ResultSet(("JSON",), [("".join(pieces),)] if pieces else [])


def _fitted(row: Row, max_chars: int) -> tuple[Row, int, bool]:
    """Return a row with its texts truncated, its size in bytes, and whether none was truncated."""
    size, long = 0, False
    for value in row:
        if isinstance(value, str):
            long = long or len(value) > max_chars
            size += _size(value[:max_chars] if len(value) > max_chars else value)
        elif value is None:
            size += 4
        else:
            _check_finite(value)
            size += len(str(value))
    return (_cut(row, max_chars) if long else tuple(row)), size, not long


def _cut(row: Row, max_chars: int) -> Row:
    return tuple(value[:max_chars] if isinstance(value, str) else value for value in row)


def _check_finite(value: Any) -> None:
    if isinstance(value, float) and isinf(value):
        raise ExecutionError(
            "Arithmetic overflow error for data type float.",
            code="conversion_failed",
            hint="Compute with smaller numbers.",
        )


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
