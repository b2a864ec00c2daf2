"""get_records: whole records, with their edges counted by edge table."""

from collections.abc import Sequence

import numpy as np

from moviegraph.contract.model import NodeTable
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, node_ids
from moviegraph.errors import ArgumentError
from moviegraph.query.argument_checks import DETAILS, check_choice, node_table
from moviegraph.query.name_resolver import Item, NameResolver
from moviegraph.query.recorder import CallRecorder, ToolOutput
from moviegraph.query.session import Call, Rows, Session
from moviegraph.search.fixed_tool import Work, node_finding, run_tool
from moviegraph.search.references import References


def fetch(
    session: Session,
    call: Call,
    *,
    kind: str | None = None,
    ids: Sequence[Item] | None = None,
    names: Sequence[Item] | None = None,
    detail: str = "full",
) -> Rows:
    """Return the records of a kind by ids or by names, in the order given.

    Raises:
        ArgumentError: Both or neither of `ids` and `names` were given.
        NotFoundError: No id exists, or no name means a node.
    """
    arguments = {"kind": kind, "ids": ids, "names": names, "detail": detail}

    def prepare(recording: CallRecorder) -> Work:
        check_choice(detail, DETAILS, "detail")
        default = node_table(session.contract, kind)
        if (ids is None) == (names is None):
            raise ArgumentError(
                "Pass exactly one of `ids` (a list of integers) and `names` (a list of strings)."
            )
        items, argument = (ids, "ids") if ids is not None else (names or (), "names")

        def work(graph: GraphReader) -> ToolOutput:
            node = _kind_of(graph, session, default, items)
            resolved = References(graph, session.contract, node).nodes(items, argument)
            recording.notes.extend(resolved.notes)
            count = session.caps.top_expanded
            shown_ids = resolved.ids[:count]
            return node_finding(
                recording,
                graph,
                node,
                shown_ids,
                detail=detail,
                has_more=len(resolved.ids) > count,
                trailing={"Edges": _edge_counts(graph, node, shown_ids)},
            )

        return work

    return run_tool(session, call, "get_records", arguments, prepare)


def _kind_of(
    graph: GraphReader, session: Session, default: NodeTable, items: Sequence[Item]
) -> NodeTable:
    """Return the kind in front of every item, unless another kind than the first was given."""
    contract = session.contract
    if default.name != contract.nodes[0].name or not items:
        return default
    return NameResolver(graph, contract).kind_in_front(items) or default


def _edge_counts(graph: GraphReader, node: NodeTable, ids: Ids) -> list[dict[str, int]]:
    """Return the edges of each node by edge table."""
    ascending = node_ids(ids.tolist())
    counts = graph.degrees(node.name, ascending)
    places = np.searchsorted(ascending, ids).tolist()
    return [{edge: int(values[place]) for edge, values in counts.items()} for place in places]
