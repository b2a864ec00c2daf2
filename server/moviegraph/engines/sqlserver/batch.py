"""Batches that are sent for a statement, and their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moviegraph.engines.base import Budget, ResultSet, Statement, Vector
from moviegraph.engines.result_limits import Row, limit_rows
from moviegraph.engines.sqlserver.execution import RunningStatement
from moviegraph.engines.sqlserver.odbc_driver import fix_surrogates
from moviegraph.sql.lexer import regions

if TYPE_CHECKING:
    import pyodbc


FETCHED = 50
DIGITS = "%.9g"  # as many as a float32 needs to come back the same
LARGEST_TEXT = 2_147_483_647
# UTF-16 takes up to 4 bytes a character, and one more character shows that a text was truncated.
BYTES_A_CHARACTER = 4


@dataclass(frozen=True, slots=True)
class Batch:
    """Text with ? for its parameters."""

    text: str
    parameters: tuple[Any, ...] = ()


def batch(statement: Statement, budget: Budget) -> Batch:
    """Return what runs a statement: its prelude with its parameters, and its text.

    A vector arrives as NVARCHAR(MAX): without the inner cast a long one is taken as NTEXT,
    from which there is no way to VECTOR; the dimension of the type must be a literal.
    """
    allowed = statement.allowed
    max_chars = budget.bytes if allowed.json else budget.cell
    texts = min(BYTES_A_CHARACTER * (max_chars + 1), LARGEST_TEXT)
    prelude = f"SET NOCOUNT ON; SET TEXTSIZE {texts};"
    sql = unicode_literals(allowed.sql)
    lines, values = [prelude], list[Any]()
    for name, kind in allowed.parameters.items():
        lines.append(f"DECLARE @{name} {kind} = ?;")
        values.append(statement.values[name])
    if allowed.uses_query and statement.vector is not None:
        kind = vector_type(len(statement.vector))
        lines.append(f"DECLARE @q {kind} = CAST(CAST(? AS NVARCHAR(MAX)) AS {kind});")
        values.append(vector_text(statement.vector))
    return Batch("\n".join([*lines, f"{sql};"]), tuple(values))


def describing(statement: Statement, dimensions: int) -> Batch:
    """Return what compiles a statement without running it.

    https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-first-result-set-transact-sql
    """
    declared = f"N'@q {vector_type(dimensions)}'" if statement.allowed.uses_query else "NULL"
    text = f"EXEC sys.sp_describe_first_result_set @tsql = ?, @params = {declared};"
    return Batch(text, (unicode_literals(statement.allowed.sql),))


def vector_type(dimensions: int) -> str:
    """Return the type of a vector of single precision."""
    return f"VECTOR({dimensions})"


def vector_text(vector: Vector) -> str:
    """Return a vector as a JSON array that reads back as the same single-precision numbers."""
    numbers = vector.tolist()
    return "[" + ",".join([DIGITS] * len(numbers)) % tuple(numbers) + "]"


def unicode_literals(sql: str) -> str:
    """Return the text with N before each literal that is not plain ASCII.

    Without it the server reads the literal in the code page of the database, and what that lacks
    becomes a question mark.
    """
    if sql.isascii():
        return sql
    parts: list[str] = []
    for region in regions(sql):
        text = sql[region.start : region.end]
        bare = region.kind == "string" and not text.isascii()
        marked = sql[max(0, region.start - 1) : region.start].upper() == "N"
        parts.append(f"N{text}" if bare and not marked else text)
    return "".join(parts)


def execute_batch(
    cursor: pyodbc.Cursor, statement_batch: Batch, running: RunningStatement
) -> Iterator[Row]:
    """Send a batch and yield the rows of its first result.

    With the last row, the rest of the batch has been read: an error in a later part of it
    shows only there.
    """
    cursor.execute(statement_batch.text, *statement_batch.parameters)
    while not cursor.description and cursor.nextset():
        pass
    while cursor.description and (rows := cursor.fetchmany(FETCHED)):
        running.rows_seen = True
        for row in rows:
            yield tuple(row)
    while cursor.nextset():
        pass


def result(
    cursor: pyodbc.Cursor, statement: Statement, budget: Budget, running: RunningStatement
) -> ResultSet:
    """Run a statement and return its rows within the budget."""
    rows = execute_batch(cursor, batch(statement, budget), running)
    complete_rows = (
        _joined(rows)
        if statement.allowed.json
        else (tuple(map(fix_surrogates, row)) for row in rows)
    )
    return limit_rows(statement.allowed, complete_rows, budget)


def _joined(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the pieces of a document, no character parted between two of them."""
    pending = ""
    for (piece,) in rows:
        text = pending + (piece or "")
        pending = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        if len(text) > len(pending):
            yield (fix_surrogates(text[: len(text) - len(pending)]),)
    if pending:
        yield (fix_surrogates(pending),)
