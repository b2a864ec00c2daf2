"""Rows of SQL Server's catalog views for a contract's graph tables, for drafting it."""

from collections.abc import Iterator
from typing import Any

from moviegraph.contract.column_types import MAX
from moviegraph.contract.ddl import EDGE_DIGEST
from moviegraph.contract.model import Column, Contract
from moviegraph.engines.sqlserver import database_draft

Row = tuple[Any, ...]


def graph_catalog(contract: Contract, dimensions: int = 64) -> dict[str, list[Row]]:
    """Return the rows of each question that drafting asks."""
    return {
        database_draft.COLUMNS: list(_columns(contract, dimensions)),
        database_draft.FULLTEXT: [
            (contract.schema_name, node.name, name)
            for node in contract.nodes
            for name in node.searchable
        ],
        database_draft.CONSTRAINTS: [
            (contract.schema_name, edge.name, edge.from_table, edge.to_table)
            for edge in contract.connections
        ],
    }


def _columns(contract: Contract, dimensions: int) -> Iterator[Row]:
    schema = contract.schema_name
    for node in contract.nodes:
        for column in node.columns:
            identifies = 2 if column.name == node.key else 0
            yield (schema, node.name, 1, *_column(column, dimensions, identifies))
        if node.source_key:  # computed, for its collation
            yield catalog_row(node.name, f"_{node.source_key}", "nvarchar", size=900, identifies=1)
    for edge in contract.edges:
        for column in edge.columns:
            yield (schema, edge.name, 0, *_column(column, dimensions, 0))
        own = (EDGE_DIGEST, "char", "char", 32, 0) if edge.columns else (None,) * 5
        yield (schema, edge.name, 0, *own, 0, 0, 0, 0)


def catalog_row(
    table: str,
    column: str,
    kind: str,
    size: int = 8,
    *,
    schema: str = "dbo",
    is_node: bool = True,
    nullable: bool = True,
    identifies: int = 0,
) -> Row:
    """Return what the catalog says of a column that no contract declares."""
    head = (schema, table, int(is_node), column, kind, kind, size, int(nullable), identifies)
    return (*head, 0, 0, 0)


def _column(column: Column, dimensions: int, identifies: int) -> Row:
    declared = column.column_type
    kind, size = declared.server_names[0], 8
    if declared.name == "VECTOR":
        size = 8 + 4 * dimensions
    elif declared.is_text:
        size = -1 if declared.max_chars == MAX else 2 * declared.max_chars
    is_json = int(declared.name == "JSON")
    head = (column.name, kind, kind, size, int(column.nullable), identifies)
    return (*head, declared.precision, declared.scale, is_json)
