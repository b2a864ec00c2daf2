"""The tool get_records: whole records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from moviegraph_tools.tool_definition import READ, Arguments, Kind, Nodes, ToolDefinition

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session


class GetRecords(Arguments):
    """Arguments of get_records."""

    kind: Kind = None
    ids: Annotated[Nodes, Field(description="Ids, or source keys.")] = None
    names: Annotated[Nodes, Field(description='Instead of ids: "{{name}}".')] = None
    detail: Annotated[
        Literal["full", "concise"], Field(description="concise: shortened texts.")
    ] = "full"


def fetch_records(session: Session, call: Call, arguments: GetRecords) -> Rows:
    """Fetch records."""
    from moviegraph.search import records

    return records.fetch(session, call, **dict(arguments))


GET_RECORDS = ToolDefinition(
    name="get_records",
    title="Whole records",
    description=(
        "Whole records whose ids or names are known, with their edges counted by table. Not to "
        "search."
    ),
    arguments=GetRecords,
    work=fetch_records,
    scope=READ,
    example=lambda data: {"names": [data.reference]},
    repeatable=True,
)
