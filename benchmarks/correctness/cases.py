"""SELECT cases, comparison of rows, and T-SQL's operators in plain Python."""

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
PARENTHESES = {"(": 1, ")": -1}


@dataclass(frozen=True, slots=True)
class SelectCase:
    """A SELECT, the text of @q, and the function that computes its rows from the records."""

    sql: str
    expected: Expected
    query: str | None = None

    @property
    def is_ordered(self) -> bool:
        """Whether the rows are ordered: there is an ORDER BY outside of parentheses."""
        depth, outer = 0, ""
        for letter in self.sql:
            depth += PARENTHESES.get(letter, 0)
            outer += letter if depth == 0 else ""
        return "ORDER BY" in outer


class SelectCases(list[SelectCase]):
    """List of cases whose functions are added by a decorator."""

    def select(self, sql: str, query: str | None = None) -> Callable[[Expected], Expected]:
        """Add a case whose rows the decorated function computes."""

        def add(expected: Expected) -> Expected:
            self.append(SelectCase(sql, expected, query))
            return expected

        return add


def divide(dividend: int, divisor: int) -> int:
    """Return the quotient of integers, truncated towards zero."""
    return int(Fraction(dividend, divisor))


def average(values: Sequence[int]) -> int:
    """Return AVG of integers."""
    return divide(sum(values), len(values))


def like(text: str | None, pattern: str, escape: str = "") -> bool:
    """Return whether a text is LIKE a pattern; case is ignored, accents are not."""
    expression, remaining = "", pattern
    while remaining:
        letter, remaining = remaining[0], remaining[1:]
        if escape and letter == escape:
            expression, remaining = expression + re.escape(remaining[0]), remaining[1:]
        elif letter == "[":
            inside, _, remaining = remaining.partition("]")
            expression += f"[{inside}]"
        else:
            expression += {"%": ".*", "_": "."}.get(letter, re.escape(letter))
    return text is not None and bool(re.fullmatch(expression, text, re.IGNORECASE | re.DOTALL))


def fold(text: str) -> str:
    """Return a text without case and accents."""
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"[^\W_]+", text.casefold())


def has_phrase(text: str, phrase: str) -> bool:
    """Return whether the words of a phrase follow each other in a text."""
    phrase_words, text_words = words(phrase), words(text)
    count = len(phrase_words)
    starts = range(len(text_words) - count + 1)
    return any(text_words[start : start + count] == phrase_words for start in starts)


def has_prefix(text: str, prefix: str) -> bool:
    """Return whether a word of a text starts with a prefix."""
    return any(word.startswith(prefix.casefold()) for word in words(text))


DIGITS = 6


def same(left: Iterable[Sequence[Any]], right: Iterable[Sequence[Any]], *, ordered: bool) -> bool:
    """Return whether rows are equal: numbers to six digits, in order or as a multiset."""
    left_rows = [[*map(_number, row)] for row in left]
    right_rows = [[*map(_number, row)] for row in right]
    if not ordered:
        left_rows.sort(key=_sort_key)
        right_rows.sort(key=_sort_key)
    return len(left_rows) == len(right_rows) and all(map(_same_row, left_rows, right_rows))


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, Decimal | Fraction) else value


def _sort_key(row: Sequence[Any]) -> list[tuple[str, Any]]:
    return [_sortable(value) for value in row]


def _sortable(value: Any) -> tuple[str, Any]:
    if isinstance(value, int | float):
        return "number", round(value, 4)
    return type(value).__name__, str(value)


def _same_row(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return len(left) == len(right) and all(map(_same_value, left, right))


def _same_value(left: Any, right: Any) -> bool:
    if isinstance(left, float) or isinstance(right, float):
        if left is None or right is None or isinstance(left, str) or isinstance(right, str):
            return False
        return abs(left - right) <= 10**-DIGITS * max(1, abs(left))
    return left == right
