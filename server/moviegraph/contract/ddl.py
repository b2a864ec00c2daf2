"""Derives table definitions from the contract."""

from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable

EMBEDDED_TYPES = {
    "INT": "INTEGER",
    "BIGINT": "BIGINT",
    "FLOAT": "DOUBLE",
    "BIT": "BOOLEAN",
    "DATE": "DATE",
}


def embedded_ddl(contract: Contract, dimensions: int | None) -> tuple[str, ...]:
    """Return the CREATE TABLE statements of the embedded engine, nodes first.

    Without `dimensions` the vector columns are left out.
    """
    nodes = tuple(node_ddl(node, dimensions) for node in contract.nodes)
    return nodes + tuple(edge_ddl(edge) for edge in contract.edges)


def node_ddl(node: NodeTable, dimensions: int | None) -> str:
    """Return the CREATE TABLE of a node table."""
    columns = ['"$node_id" BIGINT NOT NULL UNIQUE']
    for column in node.columns:
        kind = _embedded_type(column, dimensions)
        if kind is not None:
            columns.append(f'"{column.name}" {kind}{_constraint(node, column)}')
    return f'CREATE TABLE "{node.name}" ({", ".join(columns)})'


def edge_ddl(edge: EdgeTable) -> str:
    """Return the CREATE TABLE of an edge table."""
    columns = (
        '"$edge_id" BIGINT NOT NULL',
        '"$from_id" BIGINT NOT NULL',
        '"$to_id" BIGINT NOT NULL',
    )
    return f'CREATE TABLE "{edge.name}" ({", ".join(columns)})'


def _embedded_type(column: Column, dimensions: int | None) -> str | None:
    if column.type == "VECTOR":
        return f"FLOAT[{dimensions}]" if dimensions else None
    return "VARCHAR" if column.is_text else EMBEDDED_TYPES[column.type]


def _constraint(node: NodeTable, column: Column) -> str:
    if column.name == node.key:
        return " PRIMARY KEY"
    return "" if column.nullable else " NOT NULL"
