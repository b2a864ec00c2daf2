"""The tool run_readonly_sql: validates and runs the caller's own T-SQL."""

from typing import Annotated

from pydantic import Field

from moviegraph_tools.tool_definition import (
    Arguments,
    Sql,
    ToolDefinition,
    WordsOrNone,
    forwards_to,
    row_limit,
    text_limit,
)

MAX_PURPOSE_CHARS = 1_000


class RunReadonlySql(Arguments):
    """Arguments of run_readonly_sql."""

    sql: Sql
    query: Annotated[WordsOrNone, Field(description="Text behind @q.")] = None
    purpose: Annotated[str | None, text_limit(MAX_PURPOSE_CHARS)] = None
    top: Annotated[int | None, row_limit()] = None
    repair: bool = True


RUN_READONLY_SQL = ToolDefinition(
    name="run_readonly_sql",
    title="Run read-only SQL",
    description=(
        "Your own T-SQL SELECT: joins, CTEs, aggregates, windows, MATCH, CONTAINS, "
        "VECTOR_DISTANCE with @q; see moviegraph://rules. At most {top} rows. Not for plain "
        "searches. Example: SELECT {end}.{label} {one_hop} AND {start}.{label} = {name}"
    ),
    arguments=RunReadonlySql,
    work=forwards_to("moviegraph.query.readonly_sql:run"),
)
