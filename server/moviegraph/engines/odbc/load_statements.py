"""T-SQL by which a load reads and writes the tables of a graph, built from the contract.

Rows travel as one JSON document a batch, its only parameter: one round trip, the types in our
words and not in what a driver infers, the same on every driver. Staged rows are matched by key, so
a batch may be sent again, and what the table already holds stays as it is.
"""

from collections.abc import Iterable

from moviegraph.contract.ddl_mssql import (
    LOADED,
    bracketed,
    column_type,
    own_table,
    table_name,
)
from moviegraph.contract.model import Column, Connection, Contract, NodeTable

ROWS = "DECLARE @rows NVARCHAR(MAX) = ?;"
DIGEST = "CHAR(32)"
LOCK_MILLISECONDS = 10_000
OWN = own_table(LOADED)
LOCK = f"""\
DECLARE @result INT;
EXEC @result = sp_getapplock @Resource = N'moviegraph load', @LockMode = N'Exclusive',
    @LockOwner = N'Session', @LockTimeout = {LOCK_MILLISECONDS};
SELECT @result AS Result;"""


def stored_rows(contract: Contract, node: NodeTable) -> str:
    """Return key, digests and whether there is a vector, for every row of a node table."""
    return (
        f"SELECT n.{bracketed(node.key)}, d.RowDigest, d.TextDigest,\n"
        f"    CASE WHEN n.{bracketed(node.vector)} IS NULL THEN 0 ELSE 1 END\n"
        f"FROM {table_name(contract, node.name)} AS n\n"
        f"LEFT JOIN {OWN} AS d ON {_of(node, f'n.{bracketed(node.key)}')};"
    )


def stored_vectors(contract: Contract, node: NodeTable) -> str:
    """Return digest and vector of the rows whose texts have one of the digests."""
    return (
        f"{ROWS}\n"
        f"SELECT d.TextDigest, CAST(n.{bracketed(node.vector)} AS NVARCHAR(MAX))\n"
        f"FROM OPENJSON(@rows) WITH (Digest {DIGEST} '$') AS j\n"
        f"JOIN {OWN} AS d ON d.TableName = N'{node.name}' AND d.TextDigest = j.Digest\n"
        f"JOIN {table_name(contract, node.name)} AS n ON n.{bracketed(node.key)} = d.Id\n"
        f"WHERE n.{bracketed(node.vector)} IS NOT NULL;"
    )


def stored_edges(contract: Contract, edge: Connection) -> str:
    """Return the keys of both ends of every edge of a table between two node tables."""
    start, end = ends(contract, edge)
    return (
        f"SELECT f.{bracketed(start.key)}, t.{bracketed(end.key)}\n"
        f"FROM {table_name(contract, edge.name)} AS e\n"
        f"JOIN {table_name(contract, start.name)} AS f ON f.$node_id = e.$from_id\n"
        f"JOIN {table_name(contract, end.name)} AS t ON t.$node_id = e.$to_id;"
    )


def plain_columns(node: NodeTable) -> tuple[Column, ...]:
    """Return the columns of a row of the document, before vector, digests and flag."""
    return tuple(column for column in node.columns if column.name != node.vector)


def write_nodes(contract: Contract, node: NodeTable, dimensions: int) -> str:
    """Return what updates and inserts the nodes of a document, with their digests.

    A row is an array: the plain columns in order, vector, digest of the row, digest of the text,
    and 1 where a stored vector stays.
    """
    table, key, vector = (
        table_name(contract, node.name),
        bracketed(node.key),
        bracketed(node.vector),
    )
    columns = plain_columns(node)
    names = [bracketed(column.name) for column in columns]
    changed = [f"{name} = r.{name}" for name in names if name != key]
    cast = f"CAST(r._Vector AS VECTOR({dimensions}))"
    joined = f"FROM {table} AS n JOIN @new AS r ON r.{key} = n.{key}"
    return "\n".join(
        (
            ROWS,
            _staged(node, columns),
            f"UPDATE n SET {', '.join(changed)}\n    {joined};",
            f"UPDATE n SET {vector} = {cast}\n    {joined} WHERE r._Keep = 0;",
            f"INSERT {table} ({', '.join([*names, vector])})",
            f"SELECT {', '.join([*(f'r.{name}' for name in names), cast])} FROM @new AS r",
            f"    WHERE NOT EXISTS (SELECT 1 FROM {table} AS n WHERE n.{key} = r.{key});",
            _digests(node),
        )
    )


def _staged(node: NodeTable, columns: tuple[Column, ...]) -> str:
    """Declare the table of the new rows, and fill it from the document."""
    fields = [
        *((bracketed(c.name), column_type(c, 0), c.nullable) for c in columns),
        ("_Vector", "NVARCHAR(MAX)", True),
        ("_RowDigest", DIGEST, False),
        ("_TextDigest", DIGEST, True),
        ("_Keep", "BIT", False),
    ]
    declared = [f"{name} {kind}{'' if null else ' NOT NULL'}" for name, kind, null in fields]
    declared[_place(columns, node)] += " PRIMARY KEY"
    read = [
        f"{name} {kind} '$[{place}]'{' AS JSON' if name == '_Vector' else ''}"
        for place, (name, kind, _) in enumerate(fields)
    ]
    names = ", ".join(name for name, _, _ in fields)
    return (
        f"DECLARE @new TABLE ({', '.join(declared)});\n"
        f"INSERT @new ({names})\nSELECT {names} FROM OPENJSON(@rows) WITH (\n    "
        + ",\n    ".join(read)
        + ");"
    )


def _place(columns: tuple[Column, ...], node: NodeTable) -> int:
    return next(place for place, column in enumerate(columns) if column.name == node.key)


def _digests(node: NodeTable) -> str:
    key = f"r.{bracketed(node.key)}"
    return (
        "UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest\n"
        f"    FROM {OWN} AS d JOIN @new AS r ON {_of(node, key)};\n"
        f"INSERT {OWN} (TableName, Id, RowDigest, TextDigest)\n"
        f"SELECT N'{node.name}', {key}, r._RowDigest, r._TextDigest FROM @new AS r\n"
        f"    WHERE NOT EXISTS (SELECT 1 FROM {OWN} AS d WHERE {_of(node, key)});"
    )


def _of(node: NodeTable, key: str) -> str:
    return f"d.TableName = N'{node.name}' AND d.Id = {key}"


def remove_nodes(contract: Contract, node: NodeTable) -> str:
    """Return what removes the nodes whose keys a document lists; their edges must be gone."""
    key = bracketed(node.key)
    listed = "OPENJSON(@rows) WITH (Id INT '$') AS j"
    return (
        f"{ROWS}\n"
        f"DELETE n FROM {table_name(contract, node.name)} AS n JOIN {listed} ON j.Id = n.{key};\n"
        f"DELETE d FROM {OWN} AS d JOIN {listed} ON {_of(node, 'j.Id')};"
    )


def write_edges(contract: Contract, edge: Connection) -> str:
    """Return what inserts the edges of a document, pairs of keys, where they are not there."""
    table = table_name(contract, edge.name)
    return (
        f"{ROWS}\n"
        f"INSERT {table} ($from_id, $to_id)\n"
        f"SELECT f.$node_id, t.$node_id FROM {_pairs(contract, edge)}\n"
        f"WHERE NOT EXISTS (SELECT 1 FROM {table} AS e\n"
        "    WHERE e.$from_id = f.$node_id AND e.$to_id = t.$node_id);"
    )


def remove_edges(contract: Contract, edge: Connection) -> str:
    """Return what removes the edges that a document lists as pairs of keys."""
    table = table_name(contract, edge.name)
    return (
        f"{ROWS}\n"
        f"DELETE e FROM {_pairs(contract, edge)}\n"
        f"JOIN {table} AS e ON e.$from_id = f.$node_id AND e.$to_id = t.$node_id;"
    )


def _pairs(contract: Contract, edge: Connection) -> str:
    start, end = ends(contract, edge)
    return (
        "OPENJSON(@rows) WITH (Source INT '$[0]', Target INT '$[1]') AS j\n"
        f"JOIN {table_name(contract, start.name)} AS f ON f.{bracketed(start.key)} = j.Source\n"
        f"JOIN {table_name(contract, end.name)} AS t ON t.{bracketed(end.key)} = j.Target"
    )


def ends(contract: Contract, edge: Connection) -> tuple[NodeTable, NodeTable]:
    """Return the node tables of a connection."""
    start, end = contract.node(edge.from_table), contract.node(edge.to_table)
    assert start is not None and end is not None, "the contract is checked when it is read"
    return start, end


def counts(contract: Contract) -> str:
    """Return name, rows and vectors of every table."""
    nodes = [
        f"SELECT N'{node.name}' AS TableName, COUNT_BIG(*) AS AllRows, "
        f"COUNT_BIG(CASE WHEN {bracketed(node.vector)} IS NOT NULL THEN 1 END) AS Vectors "
        f"FROM {table_name(contract, node.name)}"
        for node in contract.nodes
    ]
    edges = [
        f"SELECT N'{edge.name}', COUNT_BIG(*), 0 FROM {table_name(contract, edge.name)}"
        for edge in contract.edges
    ]
    return _united([*nodes, *edges])


def fulltext_states(contract: Contract) -> str:
    """Return name, status and pending changes of every node table's full-text index.

    https://learn.microsoft.com/sql/t-sql/functions/objectpropertyex-transact-sql
    """
    return _united(
        f"SELECT N'{node.name}' AS TableName, "
        f"CAST(OBJECTPROPERTYEX({place}, 'TableFulltextPopulateStatus') AS INT) AS Status, "
        f"CAST(OBJECTPROPERTYEX({place}, 'TableFulltextPendingChanges') AS INT) AS Pending"
        for node in contract.nodes
        for place in [f"OBJECT_ID(N'{table_name(contract, node.name)}')"]
    )


def _united(parts: Iterable[str]) -> str:
    return "\nUNION ALL ".join(parts) + ";"
