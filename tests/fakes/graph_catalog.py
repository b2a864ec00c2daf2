"""Rows of SQL Server's catalog views for a contract's graph tables, for drafting it."""

from collections.abc import Iterator
from typing import Any

from moviegraph.contract.model import Column, Contract
from moviegraph.loading import contract_draft

Row = tuple[Any, ...]
TYPES = {"INT": "int", "BIGINT": "bigint", "FLOAT": "float", "BIT": "bit", "DATE": "date"}


def graph_catalog(contract: Contract, dimensions: int = 64) -> dict[str, list[Row]]:
    """Return the rows of each question that drafting asks."""
    return {
        contract_draft.COLUMNS: list(_columns(contract, dimensions)),
        contract_draft.FULLTEXT: [
            (contract.schema_name, node.name, name)
            for node in contract.nodes
            for name in node.searchable
        ],
        contract_draft.CONSTRAINTS: [
            (contract.schema_name, edge.name, edge.from_table, edge.to_table)
            for edge in contract.connections
        ],
    }


def _columns(contract: Contract, dimensions: int) -> Iterator[Row]:
    schema = contract.schema_name
    for node in contract.nodes:
        pseudo = ("graph_id_0", "bigint", "bigint", 8, 0, 1, None, 0)
        yield (schema, node.name, 1, 0, *pseudo)
        for column in node.columns:
            kind, size = _type(column, dimensions)
            width = dimensions if kind == "vector" else None
            is_key = int(column.name == node.key)
            nullable = int(column.nullable)
            row = (column.name, kind, kind, size, nullable, None, width, is_key)
            yield (schema, node.name, 1, 0, *row)
    for edge in contract.edges:
        yield (schema, edge.name, 0, 1, "graph_id_0", "bigint", "bigint", 8, 0, 1, None, 0)
    yield ("moviegraph", "Manifest", 0, 0, "Name", "nvarchar", "nvarchar", 200, 0, None, None, 1)


def _type(column: Column, dimensions: int) -> tuple[str, int]:
    if column.type == "VECTOR":
        return "vector", 8 + 4 * dimensions
    if not column.is_text:
        return TYPES[column.type], 8
    size = column.type.removeprefix("NVARCHAR(").removesuffix(")")
    return "nvarchar", -1 if size == "MAX" else 2 * int(size)
