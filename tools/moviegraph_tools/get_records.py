"""The tool get_records: whole records."""

from typing import Literal

from moviegraph_tools.tool_definition import Arguments, Kind, Nodes, ToolDefinition, forwards_to


class GetRecords(Arguments):
    """Arguments of get_records."""

    kind: Kind = None
    ids: Nodes = None
    names: Nodes = None
    detail: Literal["full", "concise"] = "full"


GET_RECORDS = ToolDefinition(
    name="get_records",
    title="Whole records",
    description=(
        "Records by ids or names, with edges counted by table. Not to search. "
        "Example: {{names: [{name}]}}"
    ),
    arguments=GetRecords,
    work=forwards_to("moviegraph.search.records:fetch"),
)
