"""A statement under repair: its text, why it was refused, and views of it that rules share."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.errors import Span
from moviegraph.sql.decision import Refused
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.repair.changes import Edit
from moviegraph.sql.repair.outline import (
    Range,
    Select,
    Source,
    before_parenthesis,
    is_closed,
    listed,
    outline,
    past_parenthesis,
)
from moviegraph.sql.repair.pieces import Piece, split
from moviegraph.sql.reserved import RESERVED

VIEWS = frozenset(
    "readable pieces selects sources aliases output_names cte_names _uppers _calls".split()
)


@dataclass(frozen=True)
class CalledFunction:
    """A call `NAME(a, b)`: the number of the name, and the ranges of its arguments."""

    at: int
    last: int
    arguments: tuple[Range, ...]


@dataclass(frozen=True)
class Broken:
    """One statement that failed, as every rule sees it.

    `code`, `message`, `span` and `suggestions` are the refusal's; of a statement that the guard
    accepted, `message` is the engine's error.
    """

    sql: str
    contract: Contract
    code: str = ""
    message: str = ""
    span: Span | None = None
    suggestions: tuple[str, ...] = ()
    accepted: bool = False

    @cached_property
    def readable(self) -> bool:
        """Whether every string, name and comment ends."""
        try:
            split(self.sql)
        except RefusalError:
            return False
        return True

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the text; none where it cannot be split."""
        try:
            return split(self.sql)
        except RefusalError:
            return ()

    @cached_property
    def selects(self) -> tuple[Select, ...]:
        """Every SELECT, in the order of the text."""
        return outline(self.pieces)

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """Every source of every FROM, those of joins in parentheses included."""
        return tuple(each for select in self.selects for each in select.sources + select.nested)

    def upper(self, at: int) -> str:
        """Return the bare word or mark at a number in upper case, or ''."""
        return self._uppers[at] if 0 <= at < len(self._uppers) else ""

    @cached_property
    def _uppers(self) -> tuple[str, ...]:
        return tuple(piece.upper for piece in self.pieces)

    @cached_property
    def _calls(self) -> dict[str, list[CalledFunction]]:
        """Every call that is closed, by its name in upper case and in the order of the text."""
        found: dict[str, list[CalledFunction]] = {}
        for at, name in enumerate(self._uppers):
            if self.pieces[at].kind != "word" or self.upper(at + 1) != "(":
                continue
            if self.upper(at - 1) != "." and is_closed(self.pieces, at + 1):
                last = past_parenthesis(self.pieces, at + 1)
                arguments = tuple(listed(self.pieces, Range(at + 2, last - 1)))
                found.setdefault(name, []).append(CalledFunction(at, last, arguments))
        return found

    def words(self, first: int, *expected: str) -> bool:
        """Whether the words stand in a row from a number on."""
        return all(self.upper(first + at) == word for at, word in enumerate(expected))

    def text(self, within: Range) -> str:
        """Return the text of a range of pieces."""
        held = self.pieces[within.first : within.last]
        return self.sql[held[0].start : held[-1].end] if held else ""

    def start(self, at: int) -> int:
        """Return where a piece begins; past the last one, where the text ends."""
        return self.pieces[at].start if at < len(self.pieces) else len(self.sql)

    def over(self, call: CalledFunction, text: str) -> Edit:
        """Return the edit that puts a text in the place of a whole call."""
        return Edit(self.start(call.at), self.pieces[call.last - 1].end, text)

    def calls(self, *names: str) -> Iterator[CalledFunction]:
        """Yield the calls of functions of these names (of any, without names)."""
        called = self._calls
        held = [called[name] for name in (names or called) if name in called]
        yield from sorted((each for found in held for each in found), key=lambda each: each.at)

    def calls_in(self, select: Select, *names: str) -> list[CalledFunction]:
        """Return the calls of these names that stand in one SELECT itself."""
        return [call for call in self.calls(*names) if self.around(call.at)[:1] == [select]]

    def operand_before(self, at: int) -> int:
        """Return the number at which the operand that ends before `at` begins."""
        here = at - 1
        if here >= 0 and self.upper(here) == ")":
            here = before_parenthesis(self.pieces, here)
            called = here > 0 and self.pieces[here - 1].kind == "word"
            if called and (self.upper(here - 1) not in RESERVED or _is_function(self, here - 1)):
                here -= 1
        while here > 1 and self.upper(here - 1) == "." and self.pieces[here - 2].is_name:
            here -= 2
        return max(here, 0)

    def operand_after(self, at: int) -> int:
        """Return the number past the operand that begins behind `at`."""
        here = at + 1
        while self.upper(here + 1) == ".":
            here += 2
        if self.upper(here) != "(":
            here += 1
        past = past_parenthesis(self.pieces, here) if self.upper(here) == "(" else here
        return min(past, len(self.pieces))

    def around(self, at: int) -> list[Select]:
        """Return the SELECTs that hold a piece, innermost first."""
        return [s for s in reversed(self.selects) if s.first <= at < s.last]

    def at_span(self) -> int | None:
        """Return the number of the piece that the refusal points at."""
        if self.span is None:
            return None
        for at, piece in enumerate(self.pieces):
            if piece.start <= self.span[0] < piece.end:
                return at
        return None

    def source_of(self, alias: str, at: int) -> Source | None:
        """Return the source that an alias means at a piece: of the innermost SELECT that has it."""
        for select in self.around(at):
            for source in select.sources + select.nested:
                if source.alias.lower() == alias.lower():
                    return source
        return None

    def node_of(self, source: Source | None) -> NodeTable | None:
        """Return the node table of a source."""
        return self.contract.node(source.table) if source is not None else None

    def edge_of(self, source: Source | None) -> EdgeTable | None:
        """Return the edge table of a source."""
        return self.contract.edge(source.table) if source is not None else None

    @cached_property
    def aliases(self) -> frozenset[str]:
        """Lower-case names by which sources, CTEs and select items are known."""
        named = {source.alias.lower() for source in self.sources}
        return frozenset(named | self.output_names | self.cte_names)

    @cached_property
    def output_names(self) -> frozenset[str]:
        """Lower-case names given to select items by AS."""
        return frozenset(
            self.pieces[at + 1].name.lower()
            for at in range(len(self.pieces) - 1)
            if self.upper(at) == "AS" and self.pieces[at + 1].is_name
        )

    @cached_property
    def cte_names(self) -> frozenset[str]:
        """Lower-case names of CTEs."""
        return frozenset(
            self.pieces[at].name.lower()
            for at in range(len(self.pieces) - 2)
            if self.pieces[at].is_name and self._begins_cte(at + 1)
        )

    def _begins_cte(self, at: int) -> bool:
        """Whether AS ( stands here, perhaps behind the names of columns."""
        if self.upper(at) == "(" and self.upper(at - 2) in ("WITH", ",", "RECURSIVE"):
            at = past_parenthesis(self.pieces, at)
        return self.words(at, "AS", "(")

    def refused(self, decision: Refused) -> "Broken":
        """Return the same text with why it was refused; what was read of it is kept."""
        why = (decision.code, decision.message, decision.span, decision.suggestions)
        again = Broken(self.sql, self.contract, *why)
        read = {name: value for name, value in vars(self).items() if name in VIEWS}
        vars(again).update(read)
        return again


def _is_function(broken: Broken, at: int) -> bool:
    """Reserved words that call: LEFT(x, 1), COALESCE(a, b), CONVERT(INT, x)."""
    return broken.upper(at) in ("LEFT", "RIGHT", "COALESCE", "NULLIF", "CONVERT", "TRY_CONVERT")
