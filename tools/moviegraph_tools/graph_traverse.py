"""The tool graph_traverse: paths along edges from some nodes to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from moviegraph_tools.tool_definition import (
    MAX_HOPS,
    READ,
    Arguments,
    Detail,
    EdgeTables,
    Exclude,
    Kind,
    KindOrNone,
    Limit,
    Nodes,
    NoTruth,
    Only,
    Path,
    ToolDefinition,
    Where,
    WordsOrNone,
)

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session


class GraphTraverse(Arguments):
    """Arguments of graph_traverse."""

    start_kind: Annotated[Kind, Field(description="Kind of the starts.")] = None
    start: Annotated[Nodes, Field(description='Ids, names or Kind:Name, as "{{name}}".')] = None
    start_query: Annotated[
        WordsOrNone, Field(description="Instead of start: the nodes nearest to this text.")
    ] = None
    path: Annotated[Path, Field(description="Edge tables to follow, one a hop.")] = None
    to_kind: Annotated[
        KindOrNone, Field(description="All of this kind in reach; beside path or to, its end.")
    ] = None
    to: Annotated[Nodes, Field(description="Shortest paths to these nodes.")] = None
    max_hops: Annotated[
        int, Field(ge=1, le=MAX_HOPS, description="Of to_kind and to."), NoTruth
    ] = 2
    edges: Annotated[
        EdgeTables, Field(description="Edge tables that to and to_kind may use; else all.")
    ] = ()
    rank_by: Annotated[
        Literal["shared", "rarity", "similarity"],
        Field(description="By number of paths, rare shared nodes, or meaning."),
    ] = "shared"
    only: Only = ()
    exclude: Exclude = ()
    top: Limit = None
    where: Where = None
    where_edge: Annotated[
        WordsOrNone,
        Field(
            description="{{#edge_column}}Condition on columns of the edges: {{edge_column}} IS NOT "
            "NULL.{{/edge_column}}{{^edge_column}}No edge here has columns.{{/edge_column}}"
        ),
    ] = None
    detail: Detail = "concise"


def walk(session: Session, call: Call, arguments: GraphTraverse) -> Rows:
    """Walk along edges."""
    from moviegraph.search import traverse

    return traverse.traverse(session, call, **dict(arguments))


GRAPH_TRAVERSE = ToolDefinition(
    name="graph_traverse",
    title="Walk the graph",
    description=(
        "Walk edges in both directions from `start` by one of path, to_kind, to; ranks what is "
        "reached, Via names the way. The same edge twice in path: what shares something. Not for "
        "conditions on nodes on the way (run_readonly_sql)."
        "{{^edges}} This graph has no edges: use a search.{{/edges}}"
    ),
    arguments=GraphTraverse,
    work=walk,
    scope=READ,
    example=lambda data: data.walk,
    repeatable=True,
    seen=True,
)
