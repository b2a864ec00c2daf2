"""One rule of SQL Server: a statement, and the rows or the error that its documentation states."""

from dataclasses import dataclass, field
from typing import Any

PAGES = "https://learn.microsoft.com/en-us/sql/"

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A statement over the small graph (`fakes.small_graph`), and what SQL Server makes of it.

    Attributes:
        name: What the case shows; unique.
        rule: What SQL Server documents, in our words.
        source: The page that states it, below `PAGES`.
        sql: The statement.
        rows: The rows it returns; without ORDER BY in any order.
        error: The code of the error it ends with, instead of rows.
        query: The text behind @q.
        gaps: By engine, why it refuses the statement by name instead of answering.
    """

    name: str
    rule: str
    source: str
    sql: str
    rows: tuple[Row, ...] = ()
    error: str = ""
    query: str | None = None
    gaps: dict[str, str] = field(default_factory=dict[str, str])


def value(
    expression: str, expected: Any, rule: str, source: str, *, gaps: dict[str, str] | None = None
) -> Case:
    """Return the case of one expression and its value."""
    return Case(
        expression, rule, source, f"SELECT {expression} AS x", ((expected,),), gaps=gaps or {}
    )


def failure(expression: str, code: str, rule: str, source: str) -> Case:
    """Return the case of one expression that ends with an error."""
    return Case(expression, rule, source, f"SELECT {expression} AS x", error=code)
