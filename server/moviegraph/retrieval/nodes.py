"""Turns the rows of a statement over one node table into what a fixed tool gives back."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from moviegraph.contract.model import NodeTable
from moviegraph.retrieval.detail import cut_by, detailed
from moviegraph.retrieval.recording import Answer, Finding
from moviegraph.sql.search_texts import SILENT


def node_finding(
    answer: Answer, node: NodeTable, detail: str, notes: tuple[str, ...] = ()
) -> Finding:
    """Return rows whose key column names the node that each row is."""
    columns = answer.result.columns
    key = columns.index(node.key)
    rows = detailed(columns, answer.result.rows, node.text, detail)
    return Finding(
        answer=answer,
        columns=columns,
        rows=rows,
        truncated=cut_by(detail, answer.truncated),
        notes=(*answer.allowed.notes, *notes),
        keys=tuple((node.name, row[key]) for row in rows),
        lineage=answer.allowed.outputs,
    )


def but_stop_words(finding: Finding) -> Finding:
    """Leave out that the words of a name, such as It, find nothing: the name itself was found."""
    notes = tuple(each for each in finding.notes if SILENT not in each)
    return replace(finding, notes=notes)


def as_listed(finding: Finding, top: int | None, count: int) -> Finding:
    """Return what was found, marked as cut where the server chose the number, and it was reached.

    A `top` that its author gave and got cuts nothing.
    """
    if top is not None or finding.truncated or len(finding.rows) < count:
        return finding
    return replace(finding, truncated="rows")


def unmet(rows: Sequence[Any], where: object, said: str) -> tuple[str, ...]:
    """Return what is said where a condition of the caller left nothing."""
    return (said,) if where and not rows else ()


def given(**arguments: Any) -> str:
    """Return the arguments of a call as they are recorded, those that were not given left out."""
    named = {name: value for name, value in arguments.items() if value is not None}
    return json.dumps(named, ensure_ascii=False, default=str)
