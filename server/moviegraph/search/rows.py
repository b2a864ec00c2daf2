"""Rows of nodes as the fixed tools return them: columns, concise texts, and how they were cut."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import ResultSet
from moviegraph.engines.result_limits import fit_rows
from moviegraph.engines.retrieval_primitives import GraphReader, Ids
from moviegraph.query.recorder import CallRecorder, ToolOutput
from moviegraph.sql.decision import Output
from moviegraph.text import shorten

MAX_PROSE_CHARS = 240
MAX_LINKS_CHARS = 160
CONCISE_CELL = 1_000
Columns = Mapping[str, Sequence[Any]]


def node_finding(
    recording: CallRecorder,
    graph: GraphReader,
    node: NodeTable,
    ids: Ids,
    *,
    detail: str,
    has_more: bool,
    leading: Columns | None = None,
    computed: Columns | None = None,
    trailing: Columns | None = None,
    without_text: Sequence[bool] | None = None,
    sql: str | None = None,
) -> ToolOutput:
    """Return nodes as rows, in the order of the ids.

    Args:
        recording: The call.
        graph: Its reader.
        node: The kind of the nodes.
        ids: The nodes; one may occur more than once.
        detail: "concise" shortens texts.
        has_more: Whether more nodes exist than are returned.
        leading: Columns before the key.
        computed: Columns between those of the node and its text.
        trailing: Columns after the text.
        without_text: For each row whether its text is left out.
        sql: A statement that returns the same rows.
    """
    leading, computed, trailing = leading or {}, computed or {}, trailing or {}
    head = (node.key, node.label, *(column.name for column in node.extra))
    columns = (*leading, *head, *computed, node.text, *trailing)
    rows: list[tuple[Any, ...]] = []
    stored = graph.fetch(node.name, ids, (*head, node.text)) if len(ids) else []
    for index, row in enumerate(stored):
        text = row[-1]
        if without_text is not None and without_text[index]:
            text = None
        elif detail == "concise" and text:
            text = concise_text(text, recording.session.contract)
        before, between, after = (
            tuple(values[index] for values in part.values())
            for part in (leading, computed, trailing)
        )
        rows.append((*before, *row[:-1], *between, text, *after))
    is_concise = detail == "concise"
    budget = recording.budget(
        len(rows), CONCISE_CELL if is_concise else recording.session.caps.cell
    )
    fitting, truncated = fit_rows(rows, budget)
    if is_concise and truncated == "cells":
        truncated = None  # concise texts are short on purpose
    if has_more and truncated in (None, "cells"):
        truncated = "rows"
    result = ResultSet(columns, fitting, truncated)
    return ToolOutput(
        columns=columns,
        rows=result.rows,
        truncated=truncated,
        result=result,
        sql=sql,
        keys=tuple((node.name, node_id) for node_id in ids[: len(fitting)].tolist()),
        lineage=_lineage(node, columns, len(leading)),
    )


def concise_text(text: str, contract: Contract) -> str:
    """Return the beginning of a text, followed by its last line if that lists linked nodes."""
    prose, line = split_links(text, contract)
    short = shorten(" ".join(prose.split()), MAX_PROSE_CHARS)
    return f"{short}\n{_fitting_links(line)}" if line else short


def split_links(text: str, contract: Contract) -> tuple[str, str]:
    """Return a text without the line of linked nodes that loading may have added, and that line."""
    prose, newline, line = text.rstrip().rpartition("\n")
    kinds = {pair.to_table for edge in contract.edges if edge.in_text for pair in edge.pairs}
    kind = line.partition(": ")[0]
    if newline and kind in kinds and line.endswith("."):
        return prose, line
    return text, ""


def _fitting_links(line: str) -> str:
    """Return as many of the listed names as fit, none of them cut in two."""
    if len(line) <= MAX_LINKS_CHARS:
        return line
    cut = line[: MAX_LINKS_CHARS - 1]
    ends = [match.start() for match in re.finditer("[,;]", cut)]
    return (cut[: ends[-1]] if ends else cut.rstrip()) + "…"


def ranks(ids: Ids, ranked: Ids) -> list[int | None]:
    """Return the place of each node in a ranked list, from 1; None where it is not in it."""
    places = dict(zip(ranked.tolist(), range(1, len(ranked) + 1), strict=True))
    return [places.get(node_id) for node_id in ids.tolist()]


def first_occurrences(ids: Ids) -> list[bool]:
    """Return for each id whether it did not occur before."""
    _, first = np.unique(ids, return_index=True)
    is_first = np.zeros(len(ids), dtype=bool)
    is_first[first] = True
    return is_first.tolist()


def _lineage(node: NodeTable, columns: Sequence[str], leading: int) -> tuple[Output, ...]:
    """Return for each column of the node its origin."""
    stored = {node.key, node.label, node.text, *(column.name for column in node.extra)}
    return tuple(
        Output(name, node.name, name, "n") if name in stored and index >= leading else Output(name)
        for index, name in enumerate(columns)
    )
