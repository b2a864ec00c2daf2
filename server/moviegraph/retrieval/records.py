"""Fetches whole records, with their edges counted by edge table."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from moviegraph.contract.model import NodeTable
from moviegraph.errors import ArgumentError
from moviegraph.retrieval.arguments import DETAILS, check_choice, node_table
from moviegraph.retrieval.nodes import given, node_finding
from moviegraph.retrieval.recording import Finding, Recording
from moviegraph.retrieval.resolve import resolve
from moviegraph.retrieval.road import listed
from moviegraph.retrieval.session import Call, Rows, Session
from moviegraph.sql.statements import edge_counts, edge_ends, whole_records


def fetch(
    session: Session,
    call: Call,
    *,
    kind: str | None = None,
    ids: Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    detail: str = "full",
) -> Rows:
    """Return the records of a kind by ids or by names, in the order given.

    Raises:
        ArgumentError: Both or neither of `ids` and `names` were given.
        NotFoundError: None of the ids is known, or none of the names means a node.
    """
    with Recording(session, call, given(kind=kind, ids=ids, names=names, detail=detail)) as record:
        check_choice(detail, DETAILS, "detail")
        node = node_table(session.contract, kind)
        found = resolve(record, node, *_wanted(ids, names), partly=True)
        answer = record.show(
            whole_records(node, found.ids, len(found.ids)),
            limits=listed(session, session.caps.top_expanded),
            concise=detail == "concise",
            own=True,
        )
        finding = node_finding(answer, node, detail, found.notes)
        return record.finish(_with_edges(record, node, finding, found.ids))


def _wanted(
    ids: Sequence[int] | None, names: Sequence[str] | None
) -> tuple[Sequence[int | str], str]:
    if (ids is None) == (names is None):
        raise ArgumentError(
            "Give exactly one of `ids` (a list of integers) and `names` (a list of strings)."
        )
    return (ids, "ids") if ids is not None else (names or (), "names")


def _with_edges(
    record: Recording, node: NodeTable, finding: Finding, wanted: tuple[int, ...]
) -> Finding:
    key = finding.columns.index(node.key)
    counts = _edges(record, node, wanted)
    rows = sorted(finding.rows, key=lambda row: wanted.index(row[key]))
    return replace(
        finding,
        columns=(*finding.columns, "Edges"),
        rows=[(*row, counts[row[key]]) for row in rows],
        keys=tuple((node.name, row[key]) for row in rows),
    )


def _edges(
    record: Recording, node: NodeTable, wanted: tuple[int, ...]
) -> dict[Any, dict[str, int]]:
    """Return the edges of each node by edge table; an edge of its own kind counts at both ends."""
    contract = record.session.contract
    tables = dict.fromkeys((edge for edge, _ in edge_ends(contract, node)), 0)
    counts = {key: dict(tables) for key in wanted}
    sql = edge_counts(contract, node, wanted, len(wanted) * max(1, len(tables)))
    for key, edge, count in record.read(sql) if sql else ():
        counts[key][edge] = count
    return counts
