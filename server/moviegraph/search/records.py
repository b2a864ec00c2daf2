"""get_records: whole records, with their edges counted by edge table."""

from collections.abc import Sequence

import numpy as np

from moviegraph.contract.model import NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, node_ids
from moviegraph.errors import ArgumentError
from moviegraph.query.name_resolver import Item, NameResolver, node_table
from moviegraph.query.query_pipeline import CallRecorder, ToolOutput
from moviegraph.search.fixed_tool import Work, fixed_tool, node_output
from moviegraph.search.references import References


@fixed_tool("get_records")
def fetch(
    recording: CallRecorder,
    *,
    kind: str | None = None,
    ids: Sequence[Item] | None = None,
    names: Sequence[Item] | None = None,
    detail: str = "full",
) -> Work:
    """Return the records of a kind by ids or by names, in the order given.

    Raises:
        ArgumentError: Both or neither of `ids` and `names` were given.
        NotFoundError: No id exists, or no name means a node.
    """
    session = recording.session
    default = node_table(session.contract, kind)
    if (ids is None) == (names is None):
        raise ArgumentError(
            "Pass exactly one of `ids` (a list of integers) and `names` (a list of strings)."
        )
    items, argument = (ids, "ids") if ids is not None else (names or (), "names")

    def work(graph: GraphReader) -> ToolOutput:
        node = NameResolver(graph, session.contract).kind_of(items, default)
        resolved = References(graph, session.contract, node).nodes(items, argument)
        recording.notes += resolved.notes
        count = session.caps.top_expanded
        shown_ids = resolved.ids[:count]
        return node_output(
            recording,
            graph,
            node,
            shown_ids,
            detail=detail,
            has_more=len(resolved.ids) > count,
            trailing={"Edges": _edge_counts(graph, node, shown_ids)},
        )

    return work


def _edge_counts(graph: GraphReader, node: NodeTable, ids: Ids) -> list[dict[str, int]]:
    """Return the edges of each node by edge table."""
    ascending = node_ids(ids.tolist())
    counts = graph.degrees(node.name, ascending)
    places = np.searchsorted(ascending, ids).tolist()
    return [{edge: int(values[index]) for edge, values in counts.items()} for index in places]
