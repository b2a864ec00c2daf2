"""semantic_search: the nodes nearest in meaning to a text, to other nodes, or to both."""

from collections.abc import Sequence

import numpy as np

from moviegraph.engines.retrieval_primitives import GraphReader, node_ids
from moviegraph.errors import ArgumentError
from moviegraph.query.argument_checks import (
    DETAILS,
    check_choice,
    check_top,
    clean_text,
    node_table,
)
from moviegraph.query.name_resolver import Item
from moviegraph.query.recorder import CallRecorder, ToolOutput
from moviegraph.query.session import Call, Rows, Session
from moviegraph.search.fixed_tool import (
    Work,
    condition_text,
    embed,
    node_finding,
    note_unmatched_names,
    run_tool,
    where_decision,
)
from moviegraph.search.references import References, combined_vector, resolve_references
from moviegraph.search.statements import MAX_LISTED_IDS, nearest_nodes

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
    arguments = {
        "query": query,
        "kind": kind,
        "like": list(like),
        "exclude": list(exclude),
        "top": top,
        "where": where,
        "detail": detail,
    }

    def prepare(recording: CallRecorder) -> Work:
        node = node_table(session.contract, kind)
        count = check_top(top, session)
        check_choice(detail, DETAILS, "detail")
        if query is None and not like:
            raise ArgumentError(
                "semantic_search needs `query` or `like`.",
                hint="Pass a text as `query`, similar nodes as `like`, or both.",
            )
        condition = where_decision(session, node, where)
        recording.query = None if query is None else clean_text(query, "query")
        vector = None if recording.query is None else embed(recording, recording.query)

        def work(graph: GraphReader) -> ToolOutput:
            references = References(graph, session.contract, node)
            note_unmatched_names(recording, graph, condition)
            examples, excluded = resolve_references(recording, references, like, exclude)
            combined = combined_vector(graph, node, examples, vector)
            left_out = node_ids([*excluded.tolist(), *examples.tolist()])
            among = graph.select(node.name, condition, left_out)
            ranked = graph.nearest(node.name, combined, count + 1, among)
            similarities = np.round(1 - ranked.values, 4)
            order = np.lexsort((ranked.ids, -similarities))[:count]
            if not ranked.is_exact:
                recording.notes.append(APPROXIMATE)
            if where and not len(order):
                recording.notes.append(f"No {node.name} satisfies `where`.")
            has_statement = ranked.is_exact and not like and len(left_out) <= MAX_LISTED_IDS
            filtered = condition_text(condition) if condition else None
            return node_finding(
                recording,
                graph,
                node,
                ranked.ids[order],
                detail=detail,
                has_more=len(ranked.ids) > count,
                computed={"Similarity": similarities[order].tolist()},
                sql=nearest_nodes(node, count, filtered, left_out) if has_statement else None,
            )

        return work

    return run_tool(session, call, "semantic_search", arguments, prepare)
