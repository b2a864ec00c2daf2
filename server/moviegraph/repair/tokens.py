"""Tokens of a statement that may not parse, and the SELECTs with their clauses and sources."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from moviegraph.sql.lexer import Region, regions

Kind = Literal["word", "number", "string", "name", "mark"]
LEXEME = re.compile(
    r"(?P<word>[^\W\d][\w@#$]*|[@$][\w@#$]+)"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<mark><=>|<->|<#>|->|<-|<=|>=|<>|!=|==|\|\||&&|::|//|[^\s\w`])"
)
CLAUSES = frozenset(
    {"FROM", "WHERE", "HAVING", "QUALIFY", "OFFSET", "FETCH", "FOR", "LIMIT", "OPTION"}
)
SORTING = frozenset({"GROUP", "ORDER"})
ENDINGS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS", ";"})
JOIN_WORDS = frozenset({"INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "JOIN", "APPLY"})
NO_ALIAS = JOIN_WORDS | CLAUSES | frozenset({"ON", "USING", "AS", "GROUP", "ORDER", "WITH", "AND"})


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

    def __contains__(self, index: object) -> bool:
        return isinstance(index, int) and self.first <= index < self.last


@dataclass(frozen=True, slots=True)
class SourceTokens:
    """One item of a FROM, by token indexes.

    Attributes:
        range: From the name or parenthesis to the end of the alias.
        parts: The tokens of a qualified name; empty for a subquery or function.
        alias: The name that columns use ('' for a subquery without one).
        alias_at: Number of the alias token, or None where the table's name serves.
        joined: The words that join it: "" for the first, ",", "JOIN", "LEFT JOIN" ...
        joined_at: Number of the first joining token.
        on: The condition after ON.
        path: The range of FOR PATH, after the name or, wrongly, after the alias.
    """

    range: TokenRange
    parts: tuple[RawToken, ...]
    alias: str
    alias_at: int | None
    joined: str
    joined_at: int
    on: TokenRange | None = None
    path: TokenRange | None = None

    @property
    def table(self) -> str:
        """Last part of the name, or ''."""
        return self.parts[-1].name if self.parts else ""


@dataclass(slots=True)
class Select:
    """One SELECT: the numbers of its first token and past its last, its clauses and sources.

    A clause's range begins after its keyword (GROUP and ORDER: after BY). A join in parentheses
    is one source; what it joins is `nested`.
    """

    first: int
    depth: int
    last: int = -1
    arm: bool = False
    clause: tuple[str, int] = ("", 0)
    clauses: dict[str, TokenRange] = field(default_factory=dict[str, TokenRange])
    sources: tuple[SourceTokens, ...] = ()
    nested: tuple[SourceTokens, ...] = ()


def outline(tokens: Sequence[RawToken]) -> tuple[Select, ...]:
    """Return every SELECT in the order of their first token."""
    selects: list[Select] = []
    opened: list[Select | None] = [None]  # the SELECT that is read at each depth
    for index, token in enumerate(tokens):
        word, current = token.upper, opened[-1]
        following = tokens[index + 1].upper if index + 1 < len(tokens) else ""
        if word == "(":
            opened.append(None)
        elif word == ")":
            _close(opened, index)
            opened = opened[:-1] or [None]
        elif word in ENDINGS:
            _close(opened, index)
            if current is not None:
                current.arm = current.arm or word != ";"
        elif word == "SELECT":
            _close(opened, index)
            arm = any(select.arm and select.last == index - 1 for select in selects[-1:])
            arm = arm or (index > 0 and tokens[index - 1].upper == "ALL")
            opened[-1] = Select(index, len(opened) - 1, arm=arm, clause=("SELECT", index + 1))
            selects.append(opened[-1])
        elif current is not None and _starts_clause(current, word, following):
            _end_clause(current, index)
            current.clause = (word, index + (2 if word in SORTING else 1))
    for depth in range(len(opened), 0, -1):
        _close(opened[:depth], len(tokens))
    for select in selects:
        select.sources = tuple(_sources(tokens, select.clauses.get("FROM", TokenRange(0, 0))))
        select.nested = tuple(_nested(tokens, select.sources))
    return tuple(selects)


def _starts_clause(select: Select, word: str, following: str) -> bool:
    """Return whether a word starts a clause; FOR PATH in FROM belongs to a table."""
    if word in SORTING:
        return following == "BY"
    return word in CLAUSES and not (
        word == "FOR" and following == "PATH" and select.clause[0] == "FROM"
    )


def _end_clause(select: Select, index: int) -> None:
    word, first = select.clause
    select.clauses.setdefault(word, TokenRange(first, index))


def _close(opened: list[Select | None], index: int) -> None:
    """End the SELECT that is read at the last depth."""
    select = opened[-1]
    if select is not None:
        _end_clause(select, index)
        select.last = index
        opened[-1] = None


def _sources(tokens: Sequence[RawToken], clause: TokenRange) -> Iterator[SourceTokens]:
    index = clause.first
    while index < clause.last:
        start = index
        index = _past_join(tokens, index, clause.last)
        joined = " ".join(token.upper for token in tokens[start:index])
        if index >= clause.last:
            return
        source, index = _source(tokens, index, clause.last, joined, start)
        yield source


def _nested(tokens: Sequence[RawToken], sources: Sequence[SourceTokens]) -> Iterator[SourceTokens]:
    """Yield the sources of joins in parentheses, those in further parentheses after them."""
    for source in sources:
        first = source.range.first
        if tokens[first].upper == "(" and tokens[first + 1].upper != "SELECT":
            inside = TokenRange(first + 1, past_parenthesis(tokens, first) - 1)
            inner = list(_sources(tokens, inside))
            if len(inner) > 1 and inner[1].joined.endswith("JOIN"):
                yield from inner
                yield from _nested(tokens, inner)


def _past_join(tokens: Sequence[RawToken], index: int, last: int) -> int:
    if index < last and tokens[index].upper == ",":
        return index + 1
    while index < last and tokens[index].upper in JOIN_WORDS:
        index += 1
    return index


def _source(
    tokens: Sequence[RawToken], index: int, last: int, joined: str, joined_at: int
) -> tuple[SourceTokens, int]:
    first, parts = index, list[RawToken]()
    if tokens[index].is_name:
        parts.append(tokens[index])
        index += 1
        while index + 1 < last and tokens[index].upper == "." and tokens[index + 1].is_name:
            parts.append(tokens[index + 1])
            index += 2
    if index < last and tokens[index].upper == "(":
        index, parts = past_parenthesis(tokens, index), []
    index = max(index, first + 1)
    path = _for_path(tokens, index, last)
    index = path.last if path else index
    alias_at = _alias_at(tokens, index, last)
    end = index if alias_at is None else alias_at + 1
    late = _for_path(tokens, end, last)
    path, end = (late, late.last) if late else (path, end)
    alias = tokens[alias_at].name if alias_at is not None else (parts[-1].name if parts else "")
    item = TokenRange(first, end)
    on_first, on_last = _condition(tokens, end, last)
    on = TokenRange(on_first, on_last) if on_first < on_last else None
    return SourceTokens(item, tuple(parts), alias, alias_at, joined, joined_at, on, path), on_last


def _for_path(tokens: Sequence[RawToken], index: int, last: int) -> TokenRange | None:
    is_path = (
        index + 1 < last and tokens[index].upper == "FOR" and tokens[index + 1].upper == "PATH"
    )
    return TokenRange(index, index + 2) if is_path else None


def _alias_at(tokens: Sequence[RawToken], index: int, last: int) -> int | None:
    if index + 1 < last and tokens[index].upper == "AS" and tokens[index + 1].is_name:
        return index + 1
    if index < last and tokens[index].is_name and tokens[index].upper not in NO_ALIAS:
        return index
    return None


def _condition(tokens: Sequence[RawToken], index: int, last: int) -> tuple[int, int]:
    """Return the range after ON up to the next source; an empty one where there is no ON."""
    first = index + 1 if index < last and tokens[index].upper == "ON" else last
    end = index
    while end < last and tokens[end].upper != "," and tokens[end].upper not in JOIN_WORDS:
        is_open = tokens[end].upper == "("
        end = past_parenthesis(tokens, end) if is_open else end + 1
        # LEFT( and RIGHT( inside a condition are functions.
        while end + 1 < last and tokens[end].upper in ("LEFT", "RIGHT"):
            if tokens[end + 1].upper != "(":
                break
            end = past_parenthesis(tokens, end + 1)
    end = min(end, last)
    return (first, end) if first < end else (end, end)


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
