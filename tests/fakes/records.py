"""Graphs of records that a test makes, and the records of a graph."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.embedded import graph_builder
from moviegraph.engines.embedded.graph_builder import ignore_progress
from moviegraph.engines.graph_records import (
    EdgeRecord,
    Manifest,
    NodeColumns,
    NodeRecord,
    PairEdges,
    node_columns,
    pair_edges,
)
from moviegraph.loading.column_map import ColumnMap, require_fitting
from moviegraph.loading.preparation import add_neighbors
from moviegraph.loading.row_validation import Rejects
from moviegraph.loading.source_files import Source
from moviegraph.loading.source_graph import Records, records_of
from moviegraph.loading.staged_source import staged_source


def build_graph(
    nodes: Iterable[NodeRecord],
    edges: Iterable[EdgeRecord],
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    **more: Any,
) -> Manifest:
    """Build a graph folder of records."""
    rows = node_columns(contract, nodes), pair_edges(contract, edges)
    return graph_builder.build_graph(*rows, folder, contract, embedder, **more)


READ: Mapping[str, Callable[[str], Any]] = {
    "INT": int,
    "BIGINT": int,
    "FLOAT": float,
    "BIT": lambda text: text.lower() == "true",
}


def nodes_of(tables: Sequence[NodeColumns]) -> list[NodeRecord]:
    """Return the nodes with the values that the database makes of the texts."""
    nodes: list[NodeRecord] = []
    for table in tables:
        read = {column.name: READ.get(column.type, str) for column in table.table.extra}
        for node in table.records():
            values = {n: v if v is None else read[n](v) for n, v in node.values.items()}
            nodes.append(replace(node, values=values))
    return nodes


def edges_of(parts: Sequence[PairEdges]) -> list[EdgeRecord]:
    """Return the edges as the database keeps them: with read values, and without doubles."""
    edges: dict[EdgeRecord, None] = {}
    for part in parts:
        read = [READ.get(column.type, str) for column in part.table.columns]
        for edge in part.records():
            values = (v if v is None else of(v) for of, v in zip(read, edge.values, strict=True))
            edges[replace(edge, values=tuple(values))] = None
    return list(edges)


@dataclass(frozen=True)
class SourceRecords:
    """What a source contains, as records."""

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    found: Records


def read_records(
    source: Source,
    contract: Contract,
    rejects: Rejects,
    columns: ColumnMap | None = None,
) -> SourceRecords:
    if columns is not None:
        require_fitting(columns, contract)
    with staged_source(source, rejects, columns, contract, ignore_progress) as staged:
        found = records_of(staged, contract, rejects, ignore_progress)
    return SourceRecords(nodes_of(found.nodes), edges_of(found.edges), found)


def enriched(
    nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord], contract: Contract
) -> list[NodeRecord]:
    """Return the nodes, with texts that end with the names of their neighbors."""
    nodes = list(nodes)
    rows = node_columns(contract, nodes), pair_edges(contract, edges)
    found = {(n.kind, n.id): n.content for n in nodes_of(add_neighbors(*rows, contract))}
    return [replace(node, content=found[node.kind, node.id]) for node in nodes]
