"""The tool get_records: whole records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from moviegraph_tools.tool_definition import READ, Arguments, Kind, Nodes, ToolDefinition

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session


class GetRecords(Arguments):
    """Arguments of get_records."""

    kind: Kind = None
    ids: Nodes = None
    names: Nodes = None
    detail: Literal["full", "concise"] = "full"


def fetch_records(session: Session, call: Call, arguments: GetRecords) -> Rows:
    """Fetch records."""
    from moviegraph.search import records

    return records.fetch(session, call, **dict(arguments))


GET_RECORDS = ToolDefinition(
    name="get_records",
    title="Whole records",
    description=(
        "Records by ids or names, with edges counted by table. Not to search. "
        "Example: {{names: [{name}]}}"
    ),
    arguments=GetRecords,
    work=fetch_records,
    scope=READ,
    repeatable=True,
)
