"""The rows of a build as sorted, checked columns: one bundle for each node and edge table."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.engines.records import EdgeRecord, NodeRecord
from moviegraph.errors import GraphError

KIND_BITS = 40
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NodeColumns:
    """The nodes of one table in id order; `node_ids` are unique over all node tables."""

    table: NodeTable
    ids: Ids
    node_ids: Ids
    names: list[str]
    contents: list[str]
    extras: dict[str, list[str | None]]


@dataclass(frozen=True, slots=True, eq=False)
class EdgeColumns:
    """The edges of one table, without doubles, sorted by from and to."""

    table: EdgeTable
    edge_ids: Ids
    from_ids: Ids
    to_ids: Ids


def node_columns(contract: Contract, nodes: Iterable[NodeRecord]) -> list[NodeColumns]:
    """Sort nodes into the columns of their tables.

    Raises:
        GraphError: An unknown kind, an id out of range, or two nodes of one id.
    """
    rows: dict[str, list[NodeRecord]] = {node.name: [] for node in contract.nodes}
    for node in nodes:
        if node.kind not in rows:
            raise GraphError(f"The contract has no node table {node.kind!r}.")
        rows[node.kind].append(node)
    return [_nodes(table, at, rows[table.name]) for at, table in enumerate(contract.nodes)]


def _nodes(table: NodeTable, at: int, rows: list[NodeRecord]) -> NodeColumns:
    rows.sort(key=lambda row: row.id)
    ids = np.array([row.id for row in rows], dtype=np.int64)
    if len(ids) and (ids[0] < 0 or ids[-1] >= 1 << KIND_BITS):
        raise GraphError(f"An id of {table.name} is outside 0 to 2^{KIND_BITS} - 1.")
    doubles = ids[1:][ids[1:] == ids[:-1]]
    if len(doubles):
        raise GraphError(f"{table.name} has two nodes with the id {doubles[0]}.")
    return NodeColumns(
        table,
        ids,
        ids + (at << KIND_BITS),
        [row.name.rstrip() for row in rows],
        [row.content.rstrip() for row in rows],
        {c.name: [_text(row.values.get(c.name)) for row in rows] for c in table.extra},
    )


def _text(value: Any) -> str | None:
    """Give a value as text, which the database casts to the column's type."""
    return None if value is None else str(value).rstrip()


def edge_columns(
    contract: Contract, nodes: list[NodeColumns], edges: Iterable[EdgeRecord]
) -> list[EdgeColumns]:
    """Sort edges into the columns of their tables.

    Raises:
        GraphError: An unknown kind, or an end that is no node.
    """
    ends: dict[str, tuple[list[int], list[int]]] = {e.name: ([], []) for e in contract.edges}
    for edge in edges:
        if edge.kind not in ends:
            raise GraphError(f"The contract has no edge table {edge.kind!r}.")
        sources, targets = ends[edge.kind]
        sources.append(edge.source)
        targets.append(edge.target)
    by_table = {columns.table.name.lower(): columns for columns in nodes}
    return [
        _edges(table, at, by_table, *ends[table.name]) for at, table in enumerate(contract.edges)
    ]


def _edges(
    table: EdgeTable, at: int, nodes: dict[str, NodeColumns], sources: list[int], targets: list[int]
) -> EdgeColumns:
    start, end = nodes[table.from_table.lower()], nodes[table.to_table.lower()]
    from_ids = _node_ids(table, "from", start, np.array(sources, dtype=np.int64))
    to_ids = _node_ids(table, "to", end, np.array(targets, dtype=np.int64))
    order = np.lexsort((to_ids, from_ids))
    from_ids, to_ids = from_ids[order], to_ids[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (from_ids[1:] != from_ids[:-1]) | (to_ids[1:] != to_ids[:-1])
    from_ids, to_ids = from_ids[new], to_ids[new]
    edge_ids = np.arange(len(from_ids), dtype=np.int64) + (at << KIND_BITS)
    return EdgeColumns(table, edge_ids, from_ids, to_ids)


def _node_ids(table: EdgeTable, end: str, nodes: NodeColumns, ids: Ids) -> Ids:
    places = np.searchsorted(nodes.ids, ids)
    inside = places < len(nodes.ids)
    known = np.zeros(len(ids), dtype=bool)
    known[inside] = nodes.ids[places[inside]] == ids[inside]
    if not known.all():
        raise GraphError(
            f"An edge of {table.name} has {end} {ids[~known][0]}, which is no {nodes.table.name}."
        )
    return nodes.node_ids[places]
