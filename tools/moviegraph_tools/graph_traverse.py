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
    Entries,
    Kind,
    KindOrNone,
    Limit,
    Nodes,
    NoTruth,
    Path,
    References,
    ToolDefinition,
    WordsOrNone,
)

if TYPE_CHECKING:
    from moviegraph.query.rows import Rows
    from moviegraph.query.session import Call, Session


class GraphTraverse(Arguments):
    """Arguments of graph_traverse."""

    start_kind: Kind = None
    start: Annotated[Nodes, Field(description="Ids or names.")] = None
    start_query: Annotated[WordsOrNone, Field(description="Or nodes near to this text.")] = None
    path: Annotated[Path, Field(description="Edge tables, one a hop.")] = None
    to_kind: Annotated[KindOrNone, Field(description="All in reach.")] = None
    to: Annotated[Nodes, Field(description="Shortest paths to these.")] = None
    max_hops: Annotated[int, Field(ge=1, le=MAX_HOPS), NoTruth] = 2
    edges: Annotated[
        EdgeTables, Field(description="Edge tables that to and to_kind may use; all.")
    ] = ()
    rank_by: Literal["shared", "rarity", "similarity"] = "shared"
    only: Entries = ()
    exclude: References = ()
    top: Limit = None
    where: WordsOrNone = None
    where_edge: Annotated[
        WordsOrNone, Field(description="Condition over columns of the edges on the way.")
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
        "Follow edges from `start` or `start_query`; rank what is reached. "
        "One of path, to_kind, to. Shared neighbors: the same edge twice; rarity favors rare ones. "
        "Not for conditions on the way (run_readonly_sql). "
        "Example: {{start: [{first}], {hops}}}"
    ),
    arguments=GraphTraverse,
    work=walk,
    scope=READ,
    repeatable=True,
    seen=True,
)
