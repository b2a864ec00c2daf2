"""Decisions of the guard: Allowed with the statement to run, Refused with a code and the reason.

A code is named where it is raised, as in `RefusalError(code, ...)`; hints.py adds advice by code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from moviegraph.errors import RefusedError, Span
from moviegraph.sql.match_patterns import Match


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


@dataclass(frozen=True, slots=True)
class ComparedName:
    """A literal that a statement compares the name column of a node table with.

    `pattern` is the condition over the alias n where the literal is a LIKE pattern.
    """

    table: str
    text: str
    pattern: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """A statement that may run.

    Attributes:
        sql: The T-SQL rendered from the judged tree; the only text that may be sent.
        notes: What was changed and why, one sentence each.
        tree: The judged tree in lowered form (described in sql.lowering); copy before rewriting.
        matches: The MATCH patterns, by the number in `__MATCH(n)`.
        outputs: The columns of the result with their lineage.
        cap: Most rows that the statement can return.
        cap_note: The note on that cap if the guard added or lowered it: more rows may exist.
        uses_query: Whether @q occurs.
        parameters: The other parameters that occur, by name, with their T-SQL types.
        json: Whether the root is FOR JSON: one row, one column, whole.
        compared_names: The literals that columns of names are compared with.
        sort_columns: The places of the columns by which the rows are sorted; none where a sort key
            is no column of the result.
        habits: The notes on what was no T-SQL and was read as if it were (LIMIT, a fence, ...).
    """

    sql: str
    notes: tuple[str, ...]
    tree: exp.Query
    matches: tuple[Match, ...]
    outputs: tuple[Output, ...]
    cap: int
    cap_note: str | None
    uses_query: bool
    json: bool
    habits: tuple[str, ...] = ()
    compared_names: tuple[ComparedName, ...] = ()
    sort_columns: tuple[int, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Refused:
    """A statement that may not run: a stable code, what and why, and the nearest alternatives.

    `fault` is an exception within the guard itself (code `internal_error`), for the log of a layer
    that has one.
    """

    code: str
    message: str
    span: Span | None = None
    suggestions: tuple[str, ...] = ()
    fault: Exception | None = None

    def error(self) -> RefusedError:
        """Return the decision as an error for the model."""
        return RefusedError(
            self.message, code=self.code, span=self.span, suggestions=self.suggestions
        )


Decision = Allowed | Refused


class RefusalError(Exception):
    """Carries a Refused out of a pass; never leaves the sql floor."""

    def __init__(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        suggestions: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.refused = Refused(code, message, span, suggestions)


class DialectError(RefusalError):
    """Refuses what is no T-SQL of this dialect (code `syntax`)."""

    def __init__(
        self, message: str, span: Span | None = None, suggestions: tuple[str, ...] = ()
    ) -> None:
        super().__init__("syntax", message, span, suggestions)
