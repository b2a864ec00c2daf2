"""T-SQL by which a load reads and writes the tables of a graph, built from the contract.

Rows travel as one JSON document per batch, its only parameter: one round trip, with declared
types instead of those that a driver infers, the same on every driver. Staged rows are matched by
key, so a batch may be sent again, and rows that the table already contains stay as they are.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moviegraph.contract.ddl import (
    EDGE_DIGEST,
    LOADED,
    bracketed,
    column_type,
    internal_table,
    table_name,
)
from moviegraph.contract.model import Column, Connection, Contract, NodeTable
from moviegraph.engines.sqlserver.diagnostics import (
    CANNOT_OPEN,
    DEADLOCK,
    PASSING,
    TOKEN_EXPIRED,
    is_lost,
    is_unreached,
    numbers,
    primary,
    redact,
    state,
)
from moviegraph.engines.sqlserver.error_translation import LOAD_HINTS, login_failure
from moviegraph.engines.sqlserver.internal_tables import (
    READ_ALIASES,
    READ_CONTRACT,
    READ_MANIFEST,
    WRITE_ALIASES,
    WRITE_CONTRACT,
    WRITE_MANIFEST,
    StoredManifest,
    contract_document,
    read_stored_manifest,
)
from moviegraph.engines.sqlserver.metadata_connection import Row, first_result_rows
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc
from moviegraph.errors import DatabaseError, GraphError

if TYPE_CHECKING:
    import pyodbc

    from moviegraph.engines.graph_records import AliasRecord


ROWS = "DECLARE @rows NVARCHAR(MAX) = ?;"
DIGEST = "CHAR(32)"
LOCK_MILLISECONDS = 10_000
OWN = internal_table(LOADED)
LOCK = f"""\
DECLARE @result INT;
EXEC @result = sp_getapplock @Resource = N'moviegraph load', @LockMode = N'Exclusive',
    @LockOwner = N'Session', @LockTimeout = {LOCK_MILLISECONDS};
SELECT @result AS Result;"""


def stored_rows(contract: Contract, node: NodeTable) -> str:
    """Return key, digests and whether there is a vector, for every row of a node table."""
    has_vector = f"CASE WHEN n.{_vector(node)} IS NULL THEN 0 ELSE 1 END" if node.vector else "0"
    return (
        f"SELECT n.{bracketed(node.key)}, d.RowDigest, d.TextDigest,\n"
        f"    {has_vector}\n"
        f"FROM {table_name(contract, node.name)} AS n\n"
        f"LEFT JOIN {OWN} AS d ON {_of(node, f'n.{bracketed(node.key)}')};"
    )


def stored_vectors(contract: Contract, node: NodeTable) -> str:
    """Return digest and vector of the rows with texts of these digests."""
    return (
        f"{ROWS}\n"
        f"SELECT d.TextDigest, CAST(n.{_vector(node)} AS NVARCHAR(MAX))\n"
        f"FROM OPENJSON(@rows) WITH (Digest {DIGEST} '$') AS j\n"
        f"JOIN {OWN} AS d ON d.TableName = N'{node.name}' AND d.TextDigest = j.Digest\n"
        f"JOIN {table_name(contract, node.name)} AS n ON n.{bracketed(node.key)} = d.Id\n"
        f"WHERE n.{_vector(node)} IS NOT NULL;"
    )


def stored_edges(contract: Contract, edge: Connection) -> str:
    """Return the keys of both ends of every edge of a table between two node tables.

    With the digest of its values, where the table has columns.
    """
    start, end = ends(contract, edge)
    digest = f", e.{EDGE_DIGEST}" if _edge_fields(contract, edge) else ""
    return (
        f"SELECT f.{bracketed(start.key)}, t.{bracketed(end.key)}{digest}\n"
        f"FROM {table_name(contract, edge.name)} AS e\n"
        f"JOIN {table_name(contract, start.name)} AS f ON f.$node_id = e.$from_id\n"
        f"JOIN {table_name(contract, end.name)} AS t ON t.$node_id = e.$to_id;"
    )


def plain_columns(node: NodeTable) -> tuple[Column, ...]:
    """Return the columns of a row of the document, before vector, digests and flag."""
    return tuple(column for column in node.columns if column.name != node.vector)


def write_nodes(contract: Contract, node: NodeTable, dimensions: int) -> str:
    """Return the statement that updates and inserts the nodes of a document, with their digests.

    A row is an array: the plain columns in order, vector, digest of the row, digest of the text,
    and 1 where a stored vector stays. A kind without vectors has null for them.
    """
    table = table_name(contract, node.name)
    key = bracketed(node.key)
    columns = plain_columns(node)
    names = [bracketed(column.name) for column in columns]
    changed = [f"{name} = r.{name}" for name in names if name != key]
    cast = f"CAST(r._Vector AS VECTOR({dimensions}))"
    from_clause = f"FROM {table} AS n JOIN @new AS r ON r.{key} = n.{key}"
    updates = [f"UPDATE n SET {', '.join(changed)}\n    {from_clause};"] if changed else []
    inserted = [f"r.{name}" for name in names]
    if node.vector:
        vector = bracketed(node.vector)
        updates.append(f"UPDATE n SET {vector} = {cast}\n    {from_clause} WHERE r._Keep = 0;")
        names, inserted = [*names, vector], [*inserted, cast]
    return "\n".join(
        (
            ROWS,
            _staged(node, columns),
            *updates,
            f"INSERT {table} ({', '.join(names)})",
            f"SELECT {', '.join(inserted)} FROM @new AS r",
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
        f"{name} {kind} '$[{index}]'{' AS JSON' if name == '_Vector' else ''}"
        for index, (name, kind, _) in enumerate(fields)
    ]
    names = ", ".join(name for name, _, _ in fields)
    return (
        f"DECLARE @new TABLE ({', '.join(declared)});\n"
        f"INSERT @new ({names})\nSELECT {names} FROM OPENJSON(@rows) WITH (\n    "
        + ",\n    ".join(read)
        + ");"
    )


def _place(columns: tuple[Column, ...], node: NodeTable) -> int:
    return next(index for index, column in enumerate(columns) if column.name == node.key)


def _digests(node: NodeTable) -> str:
    key = f"r.{bracketed(node.key)}"
    return (
        "UPDATE d SET RowDigest = r._RowDigest, TextDigest = r._TextDigest\n"
        f"    FROM {OWN} AS d JOIN @new AS r ON {_of(node, key)};\n"
        f"INSERT {OWN} (TableName, Id, RowDigest, TextDigest)\n"
        f"SELECT N'{node.name}', {key}, r._RowDigest, r._TextDigest FROM @new AS r\n"
        f"    WHERE NOT EXISTS (SELECT 1 FROM {OWN} AS d WHERE {_of(node, key)});"
    )


def _vector(node: NodeTable) -> str:
    assert node.vector is not None, "only nodes with vectors have texts of them"
    return bracketed(node.vector)


def _key_type(node: NodeTable) -> str:
    column = node.column(node.key)
    assert column is not None, "the contract is checked when it is read"
    return column.type


def _of(node: NodeTable, key: str) -> str:
    return f"d.TableName = N'{node.name}' AND d.Id = {key}"


def remove_nodes(contract: Contract, node: NodeTable) -> str:
    """Return the statement that removes the nodes of a document; they must have no edges."""
    key = bracketed(node.key)
    removed = f"OPENJSON(@rows) WITH (Id {_key_type(node)} '$') AS j"
    return (
        f"{ROWS}\n"
        f"DELETE n FROM {table_name(contract, node.name)} AS n JOIN {removed} ON j.Id = n.{key};\n"
        f"DELETE d FROM {OWN} AS d JOIN {removed} ON {_of(node, 'j.Id')};"
    )


def write_edges(contract: Contract, edge: Connection) -> str:
    """Return the statement that inserts the missing edges of a document.

    A row is an array: the keys of both ends, and for a table with columns the digest of the values
    and the values in order.
    """
    table, fields = table_name(contract, edge.name), _edge_fields(contract, edge)
    return (
        f"{ROWS}\n"
        f"INSERT {table} ({', '.join(('$from_id', '$to_id', *fields))})\n"
        f"SELECT {', '.join(('f.$node_id', 't.$node_id', *(f'j.{name}' for name in fields)))} "
        f"FROM {_edge_rows(contract, edge, fields)}\n"
        f"WHERE NOT EXISTS (SELECT 1 FROM {table} AS e\n"
        f"    WHERE {_same_edge(fields)});"
    )


def remove_edges(contract: Contract, edge: Connection) -> str:
    """Return the statement that removes the edges of a document: keys of the ends, and digest."""
    table = table_name(contract, edge.name)
    fields = dict(list(_edge_fields(contract, edge).items())[:1])
    return (
        f"{ROWS}\n"
        f"DELETE e FROM {_edge_rows(contract, edge, fields)}\n"
        f"JOIN {table} AS e ON {_same_edge(fields)};"
    )


def _edge_fields(contract: Contract, edge: Connection) -> dict[str, str]:
    """Return digest and columns of an edge table with their types; empty without columns."""
    table = contract.edge(edge.name)
    if table is None or not table.columns:
        return {}
    types = {bracketed(column.name): column_type(column, 0) for column in table.columns}
    return {EDGE_DIGEST: DIGEST, **types}


def _same_edge(fields: Mapping[str, str]) -> str:
    same = f" AND e.{EDGE_DIGEST} = j.{EDGE_DIGEST}" if fields else ""
    return f"e.$from_id = f.$node_id AND e.$to_id = t.$node_id{same}"


def _edge_rows(contract: Contract, edge: Connection, fields: Mapping[str, str]) -> str:
    start, end = ends(contract, edge)
    types = {"Source": _key_type(start), "Target": _key_type(end), **fields}
    read = ", ".join(f"{name} {kind} '$[{at}]'" for at, (name, kind) in enumerate(types.items()))
    return (
        f"OPENJSON(@rows) WITH ({read}) AS j\n"
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
        f"{_vector_count(node)} AS Vectors FROM {table_name(contract, node.name)}"
        for node in contract.nodes
    ]
    edges = [
        f"SELECT N'{edge.name}', COUNT_BIG(*), 0 FROM {table_name(contract, edge.name)}"
        for edge in contract.edges
    ]
    return _united([*nodes, *edges])


def _vector_count(node: NodeTable) -> str:
    return f"COUNT_BIG(CASE WHEN {_vector(node)} IS NOT NULL THEN 1 END)" if node.vector else "0"


def fulltext_states(contract: Contract) -> str:
    """Return name, status and pending changes of every node table's full-text index.

    https://learn.microsoft.com/sql/t-sql/functions/objectpropertyex-transact-sql
    """
    return _united(
        f"SELECT N'{node.name}' AS TableName, "
        f"CAST(OBJECTPROPERTYEX({object_id}, 'TableFulltextPopulateStatus') AS INT) AS Status, "
        f"CAST(OBJECTPROPERTYEX({object_id}, 'TableFulltextPendingChanges') AS INT) AS Pending"
        for node in contract.nodes
        for object_id in [f"OBJECT_ID(N'{table_name(contract, node.name)}')"]
    )


def _united(parts: Iterable[str]) -> str:
    return "\nUNION ALL ".join(parts) + ";"


# About two minutes in all: a paused or moving database is back within one.
WAITS = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
STATEMENT_SECONDS = 600
LOCK_TIMEOUT = 1222
VARIABLE = "MOVIEGRAPH_MSSQL_LOAD"
# Unlike a reader, a load waits for the locks of others.
SESSION = (
    "SET NOCOUNT ON; SET XACT_ABORT ON; SET LANGUAGE us_english; SET LOCK_TIMEOUT 60000; "
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
)
PASSES = PASSING | {DEADLOCK, TOKEN_EXPIRED, CANNOT_OPEN, LOCK_TIMEOUT}
AGAIN = "Load again to continue: what was written stays."
Open = Callable[[], "pyodbc.Connection"]


class _HeldElsewhereError(Exception):
    """A different session has the lock of loads."""


class Writer:
    """Runs the statements of a load; one load per database, which a lock of its session ensures.

    After an error the connection is opened again, so that nothing of it lives on. Everything that
    is sent may be sent again, which the statements above see to.

    Args:
        open_one: Opens a connection without autocommit.
        pause: Waits some seconds.
    """

    def __init__(self, open_one: Open, *, pause: Callable[[float], None] = time.sleep) -> None:
        self._open_one = open_one
        self._pause = pause
        self._connection: pyodbc.Connection | None = None
        self._has_held_lock = False

    def read(self, sql: str, document: str | None = None) -> list[Row]:
        """Return the rows of a statement. Raises DatabaseError."""
        return self._run(sql, document, commit=False)

    def write(self, sql: str, document: str) -> None:
        """Run a batch and commit it. Raises DatabaseError."""
        self._run(sql, document, commit=True)

    def close(self) -> None:
        """Close the connection, which lets the lock go."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(import_pyodbc().Error):
                connection.close()

    def _run(self, sql: str, document: str | None, *, commit: bool) -> list[Row]:
        """Run a statement, again where a retry may help."""
        pyodbc, waits = import_pyodbc(), iter(WAITS)
        parameters = () if document is None else (document,)
        while True:
            try:
                connection = self._connected()
                rows = first_result_rows(connection, sql, *parameters)
                (connection.commit if commit else connection.rollback)()
                return rows
            except (pyodbc.Error, _HeldElsewhereError) as error:
                is_login = self._connection is None
                self.close()
                wait = next(waits, None)
                if wait is None or not self._passes(error):
                    raise _failure(error, is_login=is_login) from error
                self._pause(wait)

    def _passes(self, error: Exception) -> bool:
        """Return whether a retry may help; the lock may belong to our lost session."""
        if isinstance(error, _HeldElsewhereError):
            return self._has_held_lock
        return is_lost(error) or is_unreached(error) or bool(numbers(error) & PASSES)

    def _connected(self) -> pyodbc.Connection:
        if self._connection is None:
            connection = self._connection = self._open_one()
            with suppress(import_pyodbc().Error):  # not every driver knows it
                connection.timeout = STATEMENT_SECONDS
            rows = first_result_rows(connection, LOCK)
            connection.rollback()
            if rows[0][0] < 0:
                raise _HeldElsewhereError
            self._has_held_lock = True
        return self._connection


def _failure(error: Exception, *, is_login: bool) -> DatabaseError:
    if is_login:
        return login_failure(error, VARIABLE)
    if isinstance(error, _HeldElsewhereError):
        return DatabaseError(
            "Another load into this database is running.",
            hint="Wait until it has finished, and try again.",
        )
    record = primary(error)
    if record is None or is_lost(error):
        return DatabaseError(
            f"The connection to the database failed (state {state(error) or 'unknown'}).",
            hint=f"Check server, port and network. {AGAIN}",
        )
    hint = LOAD_HINTS[record.number].hint if record.number in LOAD_HINTS else AGAIN
    return DatabaseError(
        f"The database rejected a statement of the load: {redact(record.text)} ({record.number})",
        hint=hint.format(name=VARIABLE),
    )


EdgeRow = tuple[Any, ...]
"""The keys of both ends; for a table with columns also the digest of the values, and those."""


@dataclass(frozen=True, slots=True)
class StoredRow:
    """The stored state of a row; digests are None where no load wrote it."""

    digest: str | None
    text: str | None
    has_vector: bool


@dataclass(frozen=True, slots=True)
class NewRow:
    """A node to be written.

    Attributes:
        values: Its plain columns in the order of the table.
        digest: Of all its values.
        text: Digest of the embedded text and its space, or None without a vector.
        vector: The vector as JSON, or None.
        keep: Whether the vector that is stored stays.
    """

    values: Sequence[Any]
    digest: str
    text: str | None
    vector: str | None
    keep: bool


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows of a table there are, and how many have a vector."""

    rows: int
    vectors: int


class StoredGraph:
    """Reads and writes a graph's tables, a transaction a call.

    Args:
        writer: The connection.
        contract: The contract of the tables.
        dimensions: Those of each node table's VECTOR column.
    """

    def __init__(self, writer: Writer, contract: Contract, dimensions: Mapping[str, int]) -> None:
        self._writer = writer
        self._contract = contract
        self._dimensions = dimensions

    def has_manifest(self) -> bool:
        """Return whether a load wrote to these tables before, of whatever version."""
        return bool(self._writer.read(READ_MANIFEST))

    def manifest(self) -> StoredManifest | None:
        """Return the manifest, or None where there is none that this version can read."""
        with suppress(GraphError):
            return read_stored_manifest(self._writer.read)
        return None

    def write_manifest(self, stored: StoredManifest) -> None:
        """Write the manifest."""
        self._writer.write(WRITE_MANIFEST, stored.document())

    def keep_contract(self) -> None:
        """Write the contract, unless it is the one that is stored, or was read from no files."""
        document = contract_document(self._contract)
        if self._contract.files and self._writer.read(READ_CONTRACT) != [(document,)]:
            self._writer.write(WRITE_CONTRACT, document)

    def keep_aliases(self, aliases: Sequence[AliasRecord]) -> None:
        """Write the aliases, unless they are those that are stored."""
        stored = {tuple(row) for row in self._writer.read(READ_ALIASES)}
        if stored != {(alias.kind, alias.id, alias.alias) for alias in aliases}:
            document = json.dumps([[a.kind, a.id, a.alias] for a in aliases], ensure_ascii=False)
            self._writer.write(WRITE_ALIASES, document)

    def rows(self, node: NodeTable) -> dict[int, StoredRow]:
        """Return the stored state of the rows of a table, by key."""
        rows = self._writer.read(stored_rows(self._contract, node))
        return {key: StoredRow(digest, text, bool(has)) for key, digest, text, has in rows}

    def vectors(self, node: NodeTable, texts: Iterable[str]) -> dict[str, str]:
        """Return the stored vectors of texts as JSON, by the digests of those."""
        document = json.dumps(sorted(texts))
        rows = self._writer.read(stored_vectors(self._contract, node), document)
        return dict(rows)

    def edges(self, edge: Connection) -> set[EdgeRow]:
        """Return ends, and digest, of every edge of a table between two node tables."""
        return set(map(tuple, self._writer.read(stored_edges(self._contract, edge))))

    def write_nodes(self, node: NodeTable, rows: Sequence[NewRow]) -> None:
        """Update or insert nodes."""
        sql = write_nodes(self._contract, node, self._dimensions[node.name])
        self._writer.write(sql, "[" + ",".join(map(_row, rows)) + "]")

    def remove_nodes(self, node: NodeTable, keys: Sequence[int]) -> None:
        """Remove nodes without edges."""
        self._writer.write(remove_nodes(self._contract, node), json.dumps(keys))

    def write_edges(self, edge: Connection, rows: Sequence[EdgeRow]) -> None:
        """Insert edges where they are missing."""
        document = json.dumps(rows, ensure_ascii=False)
        self._writer.write(write_edges(self._contract, edge), document)

    def remove_edges(self, edge: Connection, rows: Sequence[EdgeRow]) -> None:
        """Remove edges."""
        self._writer.write(remove_edges(self._contract, edge), json.dumps(rows))

    def counts(self) -> dict[str, Count]:
        """Return the rows and vectors of each table."""
        rows = self._writer.read(counts(self._contract))
        return {name: Count(rows, vectors) for name, rows, vectors in rows}

    def fulltext(self) -> dict[str, tuple[int, int] | None]:
        """Return status and pending changes of each node table's full text; None without one."""
        rows = self._writer.read(fulltext_states(self._contract))
        return {
            name: None if status is None or pending is None else (status, pending)
            for name, status, pending in rows
        }


def _row(row: NewRow) -> str:
    values = json.dumps(row.values, ensure_ascii=False)[1:-1]
    about = json.dumps([row.digest, row.text, int(row.keep)])[1:-1]
    return f"[{values},{row.vector or 'null'},{about}]"
