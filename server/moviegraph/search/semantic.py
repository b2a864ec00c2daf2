"""semantic_search: the nodes nearest in meaning to a text, to other nodes, or to both."""

from collections.abc import Sequence

import numpy as np

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.retrieval_primitives import Ids
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.query.names import Item, node_table
from moviegraph.query.query_pipeline import CallRecorder, query_vector
from moviegraph.query.recorded_reader import condition_text
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search.fixed_tool import (
    MAX_LISTED_IDS,
    fixed_request,
    head_columns,
    node_output,
    row_count,
    statement_conditions,
    text_column,
    where_decision,
)
from moviegraph.search.references import combined_vector, select_nodes

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
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Rows:
    """Return the nodes of a kind by similarity to a text and to nodes, highest first, ties by id.

    Raises:
        ModelVisibleError: An argument is wrong, nothing in `like` resolves, or `where` was refused.
    """
    request = fixed_request(
        call,
        "semantic_search",
        query=query,
        kind=kind,
        like=like,
        exclude=exclude,
        top=top,
        where=where,
        detail=detail,
    )
    with CallRecorder(session, call, request) as recording:
        node = node_table(session.contract, kind)
        count = row_count(session, top)
        if query is None and not like:
            raise ArgumentError(
                "semantic_search needs `query` or `like`.",
                hint="Pass a text as `query`, similar nodes as `like`, or both.",
            )
        require_vectors(session.contract, node)
        condition = where_decision(session, node, where)
        recording.query = query.strip() if query else None
        vector = query_vector(session, recording.query) if query else None

        with recording.reader("semantic_search") as graph:
            selection = select_nodes(recording, graph, node, condition, like, exclude)
            combined = combined_vector(graph, node, selection.examples, vector)
            ranked = graph.nearest(node.name, combined, count + 1, selection.among)
            similarities = np.round(1 - ranked.values, 4)
            order = np.lexsort((ranked.ids, -similarities))[:count]
            if not ranked.is_exact:
                recording.notes.append(APPROXIMATE)
            if where and not len(order):
                recording.notes.append(f"No {node.name} satisfies `where`.")
            excluded, filters = selection.left_out, condition_text(condition)
            has_statement = ranked.is_exact and not like and len(excluded) <= MAX_LISTED_IDS
            output = node_output(
                recording,
                graph,
                node,
                ranked.ids[order],
                detail=detail,
                has_more=len(ranked.ids) > count,
                computed={"Similarity": similarities[order].tolist()},
                sql=nearest_nodes(node, count, filters, excluded) if has_statement else None,
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


def nearest_nodes(node: NodeTable, top: int, where: str | None, excluded: Ids) -> str:
    """Return the statement of semantic_search; NULL sorts first, so it is filtered by name."""
    distance = f"VECTOR_DISTANCE('cosine', n.{node.vector}, @q)"
    columns = [*head_columns(node), f"ROUND(1 - {distance}, 4) AS Similarity", text_column(node)]
    conditions = [f"n.{node.vector} IS NOT NULL", *statement_conditions(node, where, excluded)]
    return (
        f"SELECT TOP ({top}) {', '.join(columns)} "
        f"FROM {node.name} AS n "
        f"WHERE {' AND '.join(conditions)} "
        f"ORDER BY ROUND({distance}, 4), n.{node.key}"
    )
