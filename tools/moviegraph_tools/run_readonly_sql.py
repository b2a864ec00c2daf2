"""The tool run_readonly_sql: validates and runs the caller's own T-SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    SQL,
    Arguments,
    Sql,
    ToolDefinition,
    WordsOrNone,
    row_limit,
    text_limit,
)

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session

MAX_PURPOSE_CHARS = 1_000


class RunReadonlySql(Arguments):
    """Arguments of run_readonly_sql."""

    sql: Annotated[Sql, Field(description="One SELECT; every table has an alias.")]
    query: Annotated[WordsOrNone, Field(description="Text whose embedding is @q.")] = None
    purpose: Annotated[
        str | None, text_limit(MAX_PURPOSE_CHARS), Field(description="A note for the journal.")
    ] = None
    top: Annotated[
        int | None, row_limit(has_default=False), Field(description="Caps TOP further.")
    ] = None
    repair: Annotated[bool, Field(description="Fix unambiguous slips.")] = True


def run_statement(session: Session, call: Call, arguments: RunReadonlySql) -> Rows:
    """Validate and run the statement."""
    from moviegraph.query import readonly_sql

    return readonly_sql.run(session, call, **dict(arguments))


RUN_READONLY_SQL = ToolDefinition(
    name="run_readonly_sql",
    title="Run read-only SQL",
    description=(
        "Your own T-SQL SELECT, for counts, exact conditions and lists: joins, CTEs, aggregates, "
        "windows, MATCH, CONTAINS, VECTOR_DISTANCE with @q; see moviegraph://rules. At most "
        "{{top}} rows. Not for plain searches."
    ),
    arguments=RunReadonlySql,
    work=run_statement,
    scope=SQL,
    example=lambda data: {"sql": data.statement},
)
