"""The SELECTs of a statement that may not parse: their clauses, and the sources of each FROM."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from moviegraph.sql.repair.pieces import Piece

CLAUSES = frozenset(
    {"FROM", "WHERE", "HAVING", "QUALIFY", "OFFSET", "FETCH", "FOR", "LIMIT", "OPTION"}
)
ENDINGS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS", ";"})
JOIN_WORDS = frozenset({"INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "JOIN", "APPLY"})
NO_ALIAS = JOIN_WORDS | CLAUSES | frozenset({"ON", "USING", "AS", "GROUP", "ORDER", "WITH", "AND"})


@dataclass(frozen=True, slots=True)
class Range:
    """A half-open range of piece numbers."""

    first: int
    last: int

    def __contains__(self, at: object) -> bool:
        return isinstance(at, int) and self.first <= at < self.last


@dataclass(frozen=True, slots=True)
class Source:
    """One item of a FROM, by piece numbers.

    Attributes:
        range: From the name or parenthesis to the end of the alias.
        parts: The pieces of a qualified name; empty for a subquery or function.
        alias: The name that columns use ('' for a subquery without one).
        alias_at: Number of the alias piece, or None where the table's name serves.
        joined: The words that join it: "" for the first, ",", "JOIN", "LEFT JOIN" ...
        joined_at: Number of the first joining piece.
        on: The condition behind ON.
        path: Where FOR PATH stands, behind the name or, wrongly, behind the alias.
    """

    range: Range
    parts: tuple[Piece, ...]
    alias: str
    alias_at: int | None
    joined: str
    joined_at: int
    on: Range | None = None
    path: Range | None = None

    @property
    def table(self) -> str:
        """Last part of the name, or ''."""
        return self.parts[-1].name if self.parts else ""


@dataclass(slots=True)
class Select:
    """One SELECT: the numbers of its first piece and past its last, its clauses and sources.

    A clause's range begins behind its keyword (GROUP and ORDER: behind BY). A join in parentheses
    is one source; what it joins is `nested`.
    """

    first: int
    depth: int
    last: int = -1
    arm: bool = False
    clauses: dict[str, Range] = field(default_factory=dict[str, Range])
    sources: tuple[Source, ...] = ()
    nested: tuple[Source, ...] = ()


def outline(pieces: Sequence[Piece]) -> tuple[Select, ...]:
    """Return every SELECT in the order of their first piece."""
    builder = _Builder(pieces)
    for at in range(len(pieces)):
        builder.step(at)
    builder.finish()
    for select in builder.found:
        if "FROM" in select.clauses:
            select.sources = tuple(_sources(pieces, select.clauses["FROM"]))
            select.nested = tuple(_nested(pieces, select.sources))
    return tuple(builder.found)


class _Builder:
    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.found: list[Select] = []
        self._open: list[Select | None] = [None]
        self._clause: dict[int, tuple[str, int]] = {}

    def step(self, at: int) -> None:
        word = self.pieces[at].upper
        if word == "(":
            self._open.append(None)
        elif word == ")":
            self._close(at)
            if len(self._open) > 1:
                self._open.pop()
        elif word in ENDINGS:
            self._close(at, arm=word != ";")
        elif word == "SELECT":
            self._begin(at)
        elif self._open[-1] is not None:
            self._enter(word, at)

    def finish(self) -> None:
        while self._open:
            self._close(len(self.pieces))
            self._open.pop()

    def _begin(self, at: int) -> None:
        arm = any(s.arm and s.last == at - 1 for s in self.found[-1:])
        arm = arm or self.pieces[at - 1].upper == "ALL" if at else False
        self._close(at)
        select = Select(at, len(self._open) - 1, arm=arm)
        self.found.append(select)
        self._open[-1] = select
        self._clause[id(select)] = ("SELECT", at + 1)

    def _enter(self, word: str, at: int) -> None:
        following = self.pieces[at + 1].upper if at + 1 < len(self.pieces) else ""
        if word in ("GROUP", "ORDER") and following == "BY":
            self._turn(word, at, at + 2)
        elif word == "FOR" and following == "PATH" and self._in_from():
            return
        elif word in CLAUSES:
            self._turn(word, at, at + 1)

    def _in_from(self) -> bool:
        return self._clause[id(self._open[-1])][0] == "FROM"

    def _turn(self, word: str, at: int, first: int) -> None:
        select = self._open[-1]
        assert select is not None
        self._end_clause(select, at)
        self._clause[id(select)] = (word, first)

    def _end_clause(self, select: Select, at: int) -> None:
        word, first = self._clause.pop(id(select))
        select.clauses.setdefault(word, Range(first, at))

    def _close(self, at: int, *, arm: bool = False) -> None:
        select = self._open[-1]
        if select is None:
            return
        self._end_clause(select, at)
        select.last, select.arm = at, select.arm or arm
        self._open[-1] = None


def _sources(pieces: Sequence[Piece], clause: Range) -> Iterator[Source]:
    at = clause.first
    while at < clause.last:
        start = at
        at = _past_join(pieces, at, clause.last)
        joined = " ".join(piece.upper for piece in pieces[start:at])
        if at >= clause.last:
            return
        source, at = _source(pieces, at, clause.last, joined, start)
        yield source


def _nested(pieces: Sequence[Piece], sources: Sequence[Source]) -> Iterator[Source]:
    """Yield the sources of joins in parentheses, those in further parentheses behind them."""
    for source in sources:
        first = source.range.first
        if pieces[first].upper == "(" and pieces[first + 1].upper != "SELECT":
            inside = Range(first + 1, past_parenthesis(pieces, first) - 1)
            inner = list(_sources(pieces, inside))
            if len(inner) > 1 and inner[1].joined.endswith("JOIN"):
                yield from inner
                yield from _nested(pieces, inner)


def _past_join(pieces: Sequence[Piece], at: int, last: int) -> int:
    if at < last and pieces[at].upper == ",":
        return at + 1
    while at < last and pieces[at].upper in JOIN_WORDS:
        at += 1
    return at


def _source(
    pieces: Sequence[Piece], at: int, last: int, joined: str, joined_at: int
) -> tuple[Source, int]:
    first, parts = at, list[Piece]()
    if pieces[at].is_name:
        parts.append(pieces[at])
        at += 1
        while at + 1 < last and pieces[at].upper == "." and pieces[at + 1].is_name:
            parts.append(pieces[at + 1])
            at += 2
    if at < last and pieces[at].upper == "(":
        at, parts = past_parenthesis(pieces, at), []
    at = max(at, first + 1)
    path = _for_path(pieces, at, last)
    at = path.last if path else at
    alias_at = _alias_at(pieces, at, last)
    end = at if alias_at is None else alias_at + 1
    late = _for_path(pieces, end, last)
    path, end = (late, late.last) if late else (path, end)
    alias = pieces[alias_at].name if alias_at is not None else (parts[-1].name if parts else "")
    item = Range(first, end)
    on_first, on_last = _condition(pieces, end, last)
    on = Range(on_first, on_last) if on_first < on_last else None
    return Source(item, tuple(parts), alias, alias_at, joined, joined_at, on, path), on_last


def _for_path(pieces: Sequence[Piece], at: int, last: int) -> Range | None:
    found = at + 1 < last and pieces[at].upper == "FOR" and pieces[at + 1].upper == "PATH"
    return Range(at, at + 2) if found else None


def _alias_at(pieces: Sequence[Piece], at: int, last: int) -> int | None:
    if at + 1 < last and pieces[at].upper == "AS" and pieces[at + 1].is_name:
        return at + 1
    if at < last and pieces[at].is_name and pieces[at].upper not in NO_ALIAS:
        return at
    return None


def _condition(pieces: Sequence[Piece], at: int, last: int) -> tuple[int, int]:
    """Return the range behind ON up to the next source; an empty one where there is no ON."""
    first = at + 1 if at < last and pieces[at].upper == "ON" else last
    end = at
    while end < last and pieces[end].upper != "," and pieces[end].upper not in JOIN_WORDS:
        is_open = pieces[end].upper == "("
        end = past_parenthesis(pieces, end) if is_open else end + 1
        # LEFT( and RIGHT( inside a condition are functions.
        while end + 1 < last and pieces[end].upper in ("LEFT", "RIGHT"):
            if pieces[end + 1].upper != "(":
                break
            end = past_parenthesis(pieces, end + 1)
    end = min(end, last)
    return (first, end) if first < end else (end, end)


def past_parenthesis(pieces: Sequence[Piece], at: int) -> int:
    """Return the number past the parenthesis that closes the one at `at`, or past the last."""
    depth = 0
    for here in range(at, len(pieces)):
        depth += (pieces[here].upper == "(") - (pieces[here].upper == ")")
        if depth == 0:
            return here + 1
    return len(pieces)


def is_closed(pieces: Sequence[Piece], at: int) -> bool:
    """Whether the parenthesis at `at` is closed anywhere."""
    depth = 0
    for here in range(at, len(pieces)):
        depth += (pieces[here].upper == "(") - (pieces[here].upper == ")")
        if depth == 0:
            return True
    return False


def before_parenthesis(pieces: Sequence[Piece], at: int) -> int:
    """Return the number of the parenthesis that opens the one closed at `at`, or 0."""
    depth = 0
    for here in range(at, -1, -1):
        depth += (pieces[here].upper == ")") - (pieces[here].upper == "(")
        if depth == 0:
            return here
    return 0


def listed(pieces: Sequence[Piece], within: Range) -> list[Range]:
    """Split a range at its commas outside parentheses."""
    found: list[Range] = []
    at = first = within.first
    while at < within.last:
        if pieces[at].upper == ",":
            found.append(Range(first, at))
            first = at + 1
        at = past_parenthesis(pieces, at) if pieces[at].upper == "(" else at + 1
    return [*found, Range(first, within.last)] if first < within.last else found
