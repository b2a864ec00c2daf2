"""What the guard decides: Allowed with the statement to run, or Refused with the reason."""

from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from moviegraph.errors import RefusedError, Span
from moviegraph.sql.compared_names import ComparedName
from moviegraph.sql.patterns import Match


@dataclass(frozen=True, slots=True)
class Output:
    """One column of the result: its name, and the contract column that it carries unchanged.

    `table` and `column` are canonical contract names, or both None for anything computed.
    `alias` is the FROM alias, at the root, of the source that it came through: two outputs of one
    row belong to the same node when table and alias agree.
    """

    name: str
    table: str | None = None
    column: str | None = None
    alias: str | None = None


class Grown(Protocol):
    """A tree that is made when it is asked for."""

    def tree(self) -> exp.Query:
        """Return the tree."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """A statement that may run.

    Attributes:
        sql: The T-SQL rendered from the judged tree; the only text that may be sent.
        notes: What was changed and why, one sentence each.
        judged: The judged tree, or what it is made of (a shape that was judged, and values).
        matches: The MATCH patterns, by the number in `__MATCH(n)`.
        outputs: The columns of the result with their lineage.
        cap: Most rows that the statement can return.
        capped: Whether the guard added or lowered that cap: more rows may exist.
        uses_query: Whether @q occurs.
        json: Whether the root is FOR JSON: one row, one column, whole.
        compared_names: The literals that columns of names are compared with.
        habits: The notes on what was no T-SQL and was read as if it were (LIMIT, a fence, ...).
    """

    sql: str
    notes: tuple[str, ...]
    judged: exp.Query | Grown
    matches: tuple[Match, ...]
    outputs: tuple[Output, ...]
    cap: int
    capped: bool
    uses_query: bool
    json: bool
    habits: tuple[str, ...] = ()
    compared_names: tuple[ComparedName, ...] = ()

    @property
    def tree(self) -> exp.Query:
        """The judged tree in lowered form (sql.lowering says how); copy before rewriting."""
        return self.judged if isinstance(self.judged, exp.Query) else self.judged.tree()


@dataclass(frozen=True, slots=True)
class Refused:
    """A statement that may not run: a stable code, what and why, and the nearest alternatives."""

    code: str
    message: str
    span: Span | None = None
    suggestions: tuple[str, ...] = ()

    def error(self) -> RefusedError:
        """Return the decision as an error for the model."""
        return RefusedError(
            self.message, code=self.code, span=self.span, suggestions=self.suggestions
        )


Decision = Allowed | Refused
