"""Tokens of a statement that may not parse."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from moviegraph.sql.lexer import Region, regions

Kind = Literal["word", "number", "string", "name", "mark"]
LEXEME = re.compile(
    r"(?P<word>[^\W\d][\w@#$]*|[@$][\w@#$]+)"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<mark><=>|<->|<#>|->|<-|<=|>=|<>|!=|==|\|\||&&|::|//|[^\s\w`])"
)


@dataclass(frozen=True, slots=True)
class RawToken:
    """One token of the text with its half-open range."""

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
        """Return whether it can name something: a bare word, or a delimited name."""
        return self.kind in ("word", "name")

    @property
    def name(self) -> str:
        """The name without delimiters; of a string its content."""
        if self.kind == "name":
            closing = self.text[-1]
            return self.text[1:-1].replace(closing * 2, closing)
        if self.kind == "string":
            return self.text[self.text.index("'") + 1 : -1].replace("''", "'")
        return self.text


def split(sql: str) -> tuple[RawToken, ...]:
    """Return the tokens in order, comments and backticks omitted.

    Raises RefusalError where a string, name or comment does not end.
    """
    tokens: list[RawToken] = []
    for region in regions(sql):
        if region.kind == "code":
            tokens += _code(sql, region)
        elif region.kind != "comment":
            tokens.append(_delimited(sql, region, tokens))
    return tuple(tokens)


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


@dataclass(frozen=True, slots=True)
class TokenRange:
    """A half-open range of token indexes."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first


def past_parenthesis(tokens: Sequence[RawToken], index: int) -> int:
    """Return the index past the parenthesis that closes the one at `index`, or past the last."""
    closing = closing_parenthesis(tokens, index)
    return len(tokens) if closing is None else closing + 1


def closing_parenthesis(tokens: Sequence[RawToken], index: int) -> int | None:
    """Return the index of the parenthesis that closes the one at `index`, or None."""
    depth = 0
    for current in range(index, len(tokens)):
        depth += (tokens[current].upper == "(") - (tokens[current].upper == ")")
        if depth == 0:
            return current
    return None


def listed(tokens: Sequence[RawToken], within: TokenRange) -> list[TokenRange]:
    """Split a range at its commas outside parentheses."""
    parts: list[TokenRange] = []
    index = first = within.first
    while index < within.last:
        if tokens[index].upper == ",":
            parts.append(TokenRange(first, index))
            first = index + 1
        index = past_parenthesis(tokens, index) if tokens[index].upper == "(" else index + 1
    return [*parts, TokenRange(first, within.last)] if first < within.last else parts
