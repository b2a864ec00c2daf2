"""semantic_search: the nodes nearest in meaning to a text, to other nodes, or to both."""

from collections.abc import Sequence

import numpy as np

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.query.names import Item, node_table
from moviegraph.query.query_pipeline import CallRecorder, query_vector
from moviegraph.query.recorded_reader import condition_text
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search.fixed_tool import (
    fixed_request,
    head_columns,
    node_output,
    nothing_satisfies,
    row_count,
    statement_conditions,
    text_column,
    where_decision,
)
from moviegraph.search.references import NodeSelection, combined_vector, select_nodes
from moviegraph.sql.decision import Allowed

APPROXIMATE = (
    "This used an approximate vector index, so near rows may be missing. VECTOR_DISTANCE in "
    "run_readonly_sql is exact."
)


def search(
    session: Session,
    call: Call,
    *,
    query: str | None = None,
    kind: str | None = None,
    like: Sequence[Item] = (),
    only: Sequence[Item] = (),
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Rows:
    """Return the nodes of a kind by similarity to a text and to nodes, highest first, ties by id.

    Raises:
        ModelVisibleError: An argument is wrong, nothing in `like` resolves, or `where` was refused.
    """
    request = fixed_request(call, "semantic_search", locals())
    with CallRecorder(session, call, request) as recording:
        node = node_table(session.contract, kind)
        count = row_count(session, top)
        if query is None and not like:
            raise ArgumentError(
                "Both `query` and `like` are missing.",
                hint="Pass a text as `query`, similar nodes as `like`, or both.",
            )
        require_vectors(session.contract, node)
        condition = where_decision(session, node, where)
        recording.query = query.strip() if query else None
        vector = query_vector(session, recording.query) if query else None

        with recording.reader("semantic_search") as graph:
            selection = select_nodes(recording, graph, node, condition, like, only, exclude)
            combined = combined_vector(graph, node, selection.examples, vector)
            ranked = graph.nearest(node.name, combined, count + 1, selection.among)
            similarities = np.round(1 - ranked.values, 4)
            order = np.lexsort((ranked.ids, -similarities))[:count]
            if not ranked.is_exact:
                recording.notes.append(APPROXIMATE)
            if not len(order):
                recording.notes += nothing_satisfies(node.name, where, only)
            sql = None
            if detail == "full" and ranked.is_exact and not like:
                sql = nearest_nodes(session.contract, node, count, condition, selection)
            output = node_output(
                recording,
                graph,
                node,
                ranked.ids[order],
                detail=detail,
                has_more=len(ranked.ids) > count,
                computed={"Similarity": similarities[order].tolist()},
                sql=sql,
            )
        return recording.finish(output)


def require_vectors(contract: Contract, node: NodeTable) -> None:
    """Raise ExecutionError (code no_vectors) for a kind that is not searched by meaning."""
    if node.vector is None:
        kinds = ", ".join(kind.name for kind in contract.nodes_with_vectors)
        others = f"; {kinds} {'have' if ',' in kinds else 'has'} them" if kinds else ""
        raise ExecutionError(
            f"{node.name} has no vectors, so it cannot be searched by meaning{others}.",
            code="no_vectors",
            hint="Use fulltext_search for its words, or graph_traverse from what it is linked to."
            if contract.connections_of(node.name)
            else "Use fulltext_search for its words, or run_readonly_sql for its columns.",
        )


def nearest_nodes(
    contract: Contract,
    node: NodeTable,
    top: int,
    where: Allowed | None,
    selection: NodeSelection,
) -> str | None:
    """Return the statement of semantic_search; NULL sorts first, so it is filtered by name.

    None where its conditions would be too long.
    """
    conditions = statement_conditions(contract, node, condition_text(where), selection)
    if conditions is None:
        return None
    distance = f"VECTOR_DISTANCE('cosine', n.{node.vector}, @q)"
    columns = [*head_columns(node), f"ROUND(1 - {distance}, 4) AS Similarity", text_column(node)]
    conditions = [f"n.{node.vector} IS NOT NULL", *conditions]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)} "
        f"FROM {node.name} AS n "
        f"WHERE {' AND '.join(conditions)} "
        f"ORDER BY ROUND({distance}, 4), n.{node.key}"
    )
