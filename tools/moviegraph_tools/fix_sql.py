"""The tool fix_sql: the diagnosis of a statement, and its repair where that is safe."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from moviegraph.errors import ExecutionError
from moviegraph_tools.sampling import RepairRequest, repair_request
from moviegraph_tools.tool_definition import SQL, Arguments, Sql, ToolDefinition, text_limit

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Session

MAX_ERROR_CHARS = 8_000


class FixSql(Arguments):
    """Arguments of fix_sql."""

    sql: Annotated[Sql, Field(description="The statement as it was sent.")]
    error: Annotated[
        str | None, text_limit(MAX_ERROR_CHARS), Field(description="Its error, if it ran.")
    ] = None
    query: Annotated[str | None, text_limit(), Field(description="Text behind @q.")] = None


def diagnose(session: Session, call: Call, arguments: FixSql) -> dict[str, Any]:
    """Diagnose and repair."""
    from moviegraph.query import repair_pipeline

    fix = repair_pipeline.fix(
        session, call, sql=arguments.sql, error=arguments.error, query=arguments.query
    )
    return asdict(fix)


def unrepaired_statement(
    session: Session, arguments: FixSql, output: dict[str, Any]
) -> list[RepairRequest]:
    """Return the request to the client's model: the statement, where nothing else repairs it."""
    from moviegraph.query.repair_pipeline import BEYOND_REPAIR

    problem = output["diagnosis"]
    if output["status"] == "fixed" or problem is None or problem["code"] in BEYOND_REPAIR:
        return []
    error = ExecutionError(problem["message"], code=problem["code"], hint=problem["hint"])
    return [repair_request(session, arguments.sql, error, arguments.query)]


FIX_SQL = ToolDefinition(
    name="fix_sql",
    title="Repair SQL",
    description=(
        "Diagnose refused or failing T-SQL and repair it, naming each change; runs nothing. Not "
        "for new SQL (get_planning_context)."
    ),
    arguments=FixSql,
    work=diagnose,
    scope=SQL,
    example=lambda data: {"sql": data.foreign},
    statements=lambda arguments: [arguments.sql],
    unrepaired=unrepaired_statement,
)
