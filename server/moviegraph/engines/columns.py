"""The rows of a build as sorted, checked columns: one bundle for each node and edge table."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, EdgeTable, NodeTable, Pair
from moviegraph.engines.records import EdgeRecord, NodeRecord
from moviegraph.errors import GraphError

KIND_BITS = 40
LOW = (1 << KIND_BITS) - 1
Ids = NDArray[np.int64]
Ends = tuple[list[int], list[int]]


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
    ends: dict[str, list[Ends]] = {e.name: [([], []) for _ in e.pairs] for e in contract.edges}
    for edge in edges:
        if edge.kind not in ends:
            raise GraphError(f"The contract has no edge table {edge.kind!r}.")
        sources, targets = ends[edge.kind][edge.pair]
        sources.append(edge.source)
        targets.append(edge.target)
    by_table = {columns.table.name.lower(): columns for columns in nodes}
    return [
        _edges(table, at, by_table, ends[table.name]) for at, table in enumerate(contract.edges)
    ]


def keys_between(edges: EdgeColumns, contract: Contract, pair: Pair) -> list[tuple[int, int]]:
    """Return the keys of both ends of the edges of a table that connect one pair of tables."""
    numbers = {node.name.lower(): number for number, node in enumerate(contract.nodes)}
    start, end = numbers[pair.from_table.lower()], numbers[pair.to_table.lower()]
    here = (edges.from_ids >> KIND_BITS == start) & (edges.to_ids >> KIND_BITS == end)
    sources, targets = edges.from_ids[here] & LOW, edges.to_ids[here] & LOW
    return list(zip(sources.tolist(), targets.tolist(), strict=True))


def _edges(
    table: EdgeTable, at: int, nodes: dict[str, NodeColumns], ends: list[Ends]
) -> EdgeColumns:
    starts, targets = list[Ids](), list[Ids]()
    for pair, (from_keys, to_keys) in zip(table.pairs, ends, strict=True):
        start, end = nodes[pair.from_table.lower()], nodes[pair.to_table.lower()]
        starts.append(_node_ids(table, "from", start, np.array(from_keys, dtype=np.int64)))
        targets.append(_node_ids(table, "to", end, np.array(to_keys, dtype=np.int64)))
    from_ids, to_ids = np.concatenate(starts), np.concatenate(targets)
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
