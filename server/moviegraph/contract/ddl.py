"""Derives table definitions from the contract."""

from moviegraph.contract.model import Column, EdgeTable, NodeTable

EMBEDDED_TYPES = {
    "INT": "INTEGER",
    "BIGINT": "BIGINT",
    "FLOAT": "DOUBLE",
    "BIT": "BOOLEAN",
    "DATE": "DATE",
}


def node_ddl(node: NodeTable, dimensions: int) -> str:
    """Return the CREATE TABLE of a node table for the embedded engine.

    No key is declared: DuckDB would build an index for it, and loading has checked the ids.
    """
    columns = ['"$node_id" BIGINT NOT NULL']
    columns += [_column(column, dimensions) for column in node.columns]
    return f'CREATE TABLE "{node.name}" ({", ".join(columns)})'


def edge_ddl(edge: EdgeTable) -> str:
    """Return the CREATE TABLE of an edge table for the embedded engine."""
    columns = (
        '"$edge_id" BIGINT NOT NULL',
        '"$from_id" BIGINT NOT NULL',
        '"$to_id" BIGINT NOT NULL',
    )
    return f'CREATE TABLE "{edge.name}" ({", ".join(columns)})'


def _column(column: Column, dimensions: int) -> str:
    constraint = "" if column.nullable else " NOT NULL"
    return f'"{column.name}" {_embedded_type(column, dimensions)}{constraint}'


def _embedded_type(column: Column, dimensions: int) -> str:
    if column.type == "VECTOR":
        return f"FLOAT[{dimensions}]"
    return "VARCHAR" if column.is_text else EMBEDDED_TYPES[column.type]
