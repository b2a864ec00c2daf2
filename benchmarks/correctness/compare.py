"""Whether two lists of rows are the same answer."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

DIGITS = 6


def same(one: Iterable[Sequence[Any]], other: Iterable[Sequence[Any]], *, ordered: bool) -> bool:
    """Return whether rows are equal: numbers to six digits, in order or as a multiset."""
    first, second = [[*map(_plain, row)] for row in one], [[*map(_plain, row)] for row in other]
    if not ordered:
        first, second = sorted(first, key=_key), sorted(second, key=_key)
    return len(first) == len(second) and all(map(_same_row, first, second))


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, Decimal | Fraction) else value


def _key(row: Sequence[Any]) -> list[tuple[str, Any]]:
    return [_sortable(value) for value in row]


def _sortable(value: Any) -> tuple[str, Any]:
    if isinstance(value, int | float):
        return "number", round(value, 4)
    return type(value).__name__, str(value)


def _same_row(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(map(_same_value, one, other))


def _same_value(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        if one is None or other is None or isinstance(one, str) or isinstance(other, str):
            return False
        return abs(one - other) <= 10**-DIGITS * max(1, abs(one))
    return one == other
