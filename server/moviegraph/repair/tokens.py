"""Splits a statement, however broken, into words, numbers, strings, names and marks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from moviegraph.sql.scan import Region, regions

Kind = Literal["word", "number", "string", "name", "mark"]
LEXEME = re.compile(
    r"(?P<word>[^\W\d][\w@#$]*|[@$][\w@#$]+)"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<mark><=>|<->|<#>|->|<-|<=|>=|<>|!=|==|\|\||&&|::|//|[^\s\w`])"
)


@dataclass(frozen=True, slots=True)
class RawToken:
    """One piece of the text with its half-open range."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """Text of a bare word or mark in upper case, else ''."""
        return self.text.upper() if self.kind in ("word", "mark") else ""

    @property
    def is_name(self) -> bool:
        """Whether it can name something: a bare word, or a delimited name."""
        return self.kind in ("word", "name")

    @property
    def name(self) -> str:
        """The name it stands for, without delimiters; of a string its content."""
        if self.kind == "name":
            closing = self.text[-1]
            return self.text[1:-1].replace(closing * 2, closing)
        if self.kind == "string":
            return self.text[self.text.index("'") + 1 : -1].replace("''", "'")
        return self.text


def split(sql: str) -> tuple[RawToken, ...]:
    """Return the pieces in order, comments and backticks left out.

    Raises RefusalError where a string, name or comment does not end.
    """
    found: list[RawToken] = []
    for region in regions(sql):
        if region.kind == "code":
            found += _code(sql, region)
        elif region.kind != "comment":
            found.append(_delimited(sql, region, found))
    return tuple(found)


def _code(sql: str, region: Region) -> Iterator[RawToken]:
    for match in LEXEME.finditer(sql, region.start, region.end):
        kind = match.lastgroup
        assert kind in ("word", "number", "mark")
        yield RawToken(kind, match.group(), match.start(), match.end())


def _delimited(sql: str, region: Region, before: list[RawToken]) -> RawToken:
    """Return a string or name; the N of N'...' belongs to the string."""
    start = region.start
    adjacent = bool(before) and before[-1].end == start
    if region.kind == "string" and adjacent and before[-1].upper == "N":
        start = before.pop().start
    kind = "string" if region.kind == "string" else "name"
    return RawToken(kind, sql[start : region.end], start, region.end)
