"""Finds the nodes nearest to a text by meaning."""

from dataclasses import replace

from moviegraph.retrieval.arguments import (
    DETAILS,
    check_choice,
    check_top,
    clean_text,
    condition,
    node_table,
)
from moviegraph.retrieval.indexed import NOTE, by_index
from moviegraph.retrieval.nodes import given, node_finding, unmet
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.session import Call, Rows, Session
from moviegraph.sql.statements import nearest_by_index, nearest_nodes


def search(
    session: Session,
    call: Call,
    *,
    query: str,
    kind: str | None = None,
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Rows:
    """Return the nodes of a kind by similarity to the query, highest first, ties by key.

    Raises:
        ForModel: An argument is wrong, or `where` was refused.
    """
    arguments = given(query=query, kind=kind, top=top, where=where, detail=detail)
    with Recording(session, call, arguments) as recording:
        recording.query = clean_text(query, "query")
        node = node_table(session.contract, kind)
        count = check_top(top, session)
        check_choice(detail, DETAILS, "detail")
        filtered = condition(where, node)
        indexed = by_index(session, node, filtered)
        answer = recording.show(
            (nearest_by_index if indexed else nearest_nodes)(node, count),
            where=filtered,
            concise=detail == "concise",
            own=True,
        )
        if indexed:
            recording.notes.append(NOTE)
        notes = unmet(answer.result.rows, where, f"No {node.name} satisfies `where`.")
        finding = node_finding(answer, node, detail, notes)
        key, value = (finding.columns.index(name) for name in (node.key, "Similarity"))
        ordered = sorted(finding.rows, key=lambda row: (-row[value], row[key]))
        return recording.finish(replace(finding, rows=ordered))
