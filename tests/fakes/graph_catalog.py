"""Rows of SQL Server's catalog views for a contract's graph tables, for drafting it."""

from collections.abc import Iterator
from typing import Any

from moviegraph.contract.ddl import EDGE_DIGEST
from moviegraph.contract.model import Column, Contract
from moviegraph.engines.sqlserver import database_draft

Row = tuple[Any, ...]
TYPES = {"INT": "int", "BIGINT": "bigint", "FLOAT": "float", "BIT": "bit", "DATE": "date"}


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
            kind, size = _type(column, dimensions)
            is_key, nullable = int(column.name == node.key), int(column.nullable)
            yield (schema, node.name, 1, column.name, kind, kind, size, nullable, is_key)
    for edge in contract.edges:
        for column in edge.columns:
            kind, size = _type(column, dimensions)
            yield (schema, edge.name, 0, column.name, kind, kind, size, int(column.nullable), 0)
        own = (EDGE_DIGEST, "char", "char", 32, 0) if edge.columns else (None,) * 5
        yield (schema, edge.name, 0, *own, 0)


def _type(column: Column, dimensions: int) -> tuple[str, int]:
    if column.type == "VECTOR":
        return "vector", 8 + 4 * dimensions
    if not column.is_text:
        return TYPES[column.type], 8
    size = column.type.removeprefix("NVARCHAR(").removesuffix(")")
    return "nvarchar", -1 if size == "MAX" else 2 * int(size)
