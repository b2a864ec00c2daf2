"""Cases and comparison of rows, with T-SQL's operators in plain Python."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from benchmarks.correctness.graphs import Records

Row = tuple[Any, ...]
Rows = Iterable[Row]
Expected = Callable[[Records], Rows]
DEPTH = {"(": 1, ")": -1}


@dataclass(frozen=True, slots=True)
class Case:
    """A SELECT, the text of @q, and the function that computes its rows from the records."""

    sql: str
    expected: Expected
    query: str | None = None

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the rows counts: there is an ORDER BY outside of parentheses."""
        depth, outer = 0, ""
        for letter in self.sql:
            depth += DEPTH.get(letter, 0)
            outer += letter if depth == 0 else ""
        return "ORDER BY" in outer


class Cases(list[Case]):
    """A list that functions are added to by a decorator."""

    def select(self, sql: str, query: str | None = None) -> Callable[[Expected], Expected]:
        """Add the function as what the statement returns."""

        def add(expected: Expected) -> Expected:
            self.append(Case(sql, expected, query))
            return expected

        return add


def divide(dividend: int, divisor: int) -> int:
    """Return the quotient of integers, cut towards zero."""
    return int(Fraction(dividend, divisor))


def average(values: Sequence[int]) -> int:
    """Return AVG of integers."""
    return divide(sum(values), len(values))


def like(text: str | None, pattern: str, escape: str = "") -> bool:
    """Return whether a text is LIKE a pattern, case ignored and accents not."""
    expression, rest = "", pattern
    while rest:
        letter, rest = rest[0], rest[1:]
        if escape and letter == escape:
            expression, rest = expression + re.escape(rest[0]), rest[1:]
        elif letter == "[":
            inside, _, rest = rest.partition("]")
            expression += f"[{inside}]"
        else:
            expression += {"%": ".*", "_": "."}.get(letter, re.escape(letter))
    return text is not None and bool(re.fullmatch(expression, text, re.IGNORECASE | re.DOTALL))


def plain(text: str) -> str:
    """Return a text without case and accents."""
    folded = unicodedata.normalize("NFD", text.casefold())
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"[^\W_]+", text.casefold())


def has_phrase(text: str, phrase: str) -> bool:
    """Return whether the words of a phrase follow each other in a text."""
    wanted, result = words(phrase), words(text)
    starts = range(len(result) - len(wanted) + 1)
    return any(result[start : start + len(wanted)] == wanted for start in starts)


def has_prefix(text: str, prefix: str) -> bool:
    """Return whether a word of a text begins with a prefix."""
    return any(word.startswith(prefix.casefold()) for word in words(text))


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
