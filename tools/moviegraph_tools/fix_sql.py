"""The tool fix_sql: the diagnosis of a statement, and its repair where that is safe."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from moviegraph_tools.sampling import RepairRequest, repair_request
from moviegraph_tools.tool_definition import Arguments, Sql, Text, ToolDefinition

if TYPE_CHECKING:
    from moviegraph.query.session import Call, Session

MAX_ERROR_CHARS = 8_000


class FixSql(Arguments):
    """Arguments of fix_sql."""

    sql: Sql
    error: Annotated[str | None, Text(MAX_ERROR_CHARS)] = None
    query: Annotated[str | None, Text()] = None


def diagnose(session: Session, call: Call, arguments: FixSql) -> dict[str, Any]:
    """Diagnose and repair."""
    from moviegraph.query import repair_pipeline

    return asdict(repair_pipeline.fix(session, call, **vars(arguments)))


def fix_requests(session: Session, call: Call, arguments: FixSql) -> list[RepairRequest]:
    """Return the request to the client's model: the statement, where nothing else repairs it."""
    from moviegraph.query import repair_pipeline

    sql, query = arguments.sql, arguments.query
    error = repair_pipeline.unrepaired(session, call, sql, query, arguments.error)
    return [] if error is None else [repair_request(session, sql, error, query)]


FIX_SQL = ToolDefinition(
    name="fix_sql",
    title="Repair SQL",
    description=(
        "Diagnose refused or failing T-SQL and repair it, naming each change; runs nothing. Not "
        "for new SQL (get_planning_context). "
        "Example: {{sql: 'SELECT {label} FORM {node}'}}"
    ),
    arguments=FixSql,
    work=diagnose,
    asks=fix_requests,
)
