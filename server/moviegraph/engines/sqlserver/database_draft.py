"""A draft of the contract of a database: its graph tables, by what its catalog says of them."""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from moviegraph.contract.ddl import EDGE_DIGEST, OWN_SCHEMA
from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable, Pair
from moviegraph.contract.validation import RESERVED, UNRESERVED_STATEMENTS
from moviegraph.engines.sqlserver.metadata import FULLTEXT
from moviegraph.engines.sqlserver.metadata_connection import Read, rows_or_none
from moviegraph.errors import DatabaseError

COLUMNS = """SELECT s.name, t.name, CAST(t.is_node AS INT), c.name, TYPE_NAME(c.system_type_id),
  TYPE_NAME(c.user_type_id), CAST(c.max_length AS INT), CAST(c.is_nullable AS INT),
  CASE WHEN EXISTS (SELECT 1 FROM sys.indexes AS i JOIN sys.index_columns AS k
    ON k.object_id = i.object_id AND k.index_id = i.index_id WHERE i.object_id = t.object_id
    AND i.is_primary_key = 1 AND k.column_id = c.column_id) THEN 1 ELSE 0 END
FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
LEFT JOIN sys.columns AS c ON c.object_id = t.object_id AND c.graph_type IS NULL
WHERE t.is_node = 1 OR t.is_edge = 1 ORDER BY s.name, t.name, c.column_id"""
CONSTRAINTS = """SELECT OBJECT_SCHEMA_NAME(e.parent_object_id), OBJECT_NAME(e.parent_object_id),
  OBJECT_NAME(c.from_object_id), OBJECT_NAME(c.to_object_id)
FROM sys.edge_constraints AS e
JOIN sys.edge_constraint_clauses AS c ON c.object_id = e.object_id
ORDER BY 1, 2, c.clause_number"""
LABELS = ("Name", "Title", "Label", "Caption")
TEXTS = ("Content", "Text", "Description", "Body", "Plot", "Summary")
TYPES = {"int": "INT", "bigint": "BIGINT", "float": "FLOAT", "bit": "BIT", "date": "DATE"}
MISSING = {
    "key": "an INT NOT NULL column as primary key",
    "label": "an NVARCHAR NOT NULL column for the name",
    "text": "a second NVARCHAR column for the text",
    "vector": "a VECTOR column for the embedding of name and text",
    "words": "a full-text index on the name or the text",
}
NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,63}")
ODD_NAME = "its name has more than letters, digits and underscores"
DDL = "`moviegraph ddl --engine mssql` writes such tables for a contract."


@dataclass(frozen=True, slots=True)
class ContractDraft:
    """A drafted contract, and the omitted tables and columns.

    Attributes:
        contract: The tables.
        left_out: What of the source the contract has no place for, and why.
    """

    contract: Contract
    left_out: dict[str, str]


class CatalogColumn(NamedTuple):
    """One column of a graph table; the name is None where an edge table has no columns."""

    schema: str
    table: str
    is_node: int
    name: str
    system_type: str | None
    user_type: str | None
    size: int
    nullable: int
    is_key: int

    @property
    def type(self) -> str:
        """The type as a contract writes it, or the server's name of one that it lacks."""
        system, user = self.system_type or "", self.user_type or ""
        if "vector" in (system, user):
            return "VECTOR"
        if system == "nvarchar":
            return "NVARCHAR(MAX)" if self.size < 0 else f"NVARCHAR({self.size // 2})"
        return TYPES.get(system, system or user)


def draft_database(read: Read) -> ContractDraft:
    """Return a draft of the contract for the graph tables of a database.

    Args:
        read: Runs a query and returns its rows.

    Raises:
        DatabaseError: The database has no graph tables that fit; the message names the gaps.
    """
    indexed = {tuple(row) for row in rows_or_none(read, FULLTEXT) or []}
    columns = [
        column
        for row in read(COLUMNS)
        if (column := CatalogColumn(*row)).schema.lower() != OWN_SCHEMA
    ]
    schemas = [schema for schema, _ in {(c.schema, c.table) for c in columns if c.is_node}]
    if not schemas:
        raise DatabaseError(
            "The login can see no node tables in the database (CREATE TABLE ... AS NODE).",
            hint=f"Grant SELECT on them, or create graph tables: {DDL}",
        )
    schema = max(sorted(schemas), key=schemas.count)
    omitted: dict[str, str] = {}
    tables: dict[str, list[CatalogColumn]] = {}
    for column in columns:
        if column.schema != schema:
            omitted[f"{column.schema}.{column.table}"] = f"in a different schema than {schema}"
        elif not NAME.fullmatch(column.table):
            omitted[column.table] = ODD_NAME
        elif column.table.upper() in RESERVED | UNRESERVED_STATEMENTS:
            omitted[column.table] = "its name is a word of T-SQL"
        else:
            tables.setdefault(column.table, []).append(column)
    nodes = [
        node
        for table in tables.values()
        if table[0].is_node and (node := _node(table, indexed, omitted))
    ]
    if not nodes:
        raise DatabaseError(f"No node table is usable. {_listed(omitted)}.", hint=DDL)
    pairs: dict[str, list[tuple[str, str]]] = {}
    for edge_schema, edge, start, end in rows_or_none(read, CONSTRAINTS) or []:
        if edge_schema == schema:
            pairs.setdefault(edge, []).append((start, end))
    names = {node.name for node in nodes}
    edges = [
        edge
        for name, table in tables.items()
        if not table[0].is_node and (edge := _edge(table, pairs.get(name, []), names, omitted))
    ]
    if not edges:
        raise DatabaseError(
            f"The database has no edge table that connects such nodes. {_listed(omitted)}".rstrip(),
            hint="Create one with CREATE TABLE ... AS EDGE and a CONNECTION constraint. " + DDL,
        )
    sources = {pair.from_table for edge in edges for pair in edge.pairs}
    contract = Contract(
        name="database",
        title="Graph of a database",
        version="1.0",
        description=f"The graph tables of the schema {schema}.",
        schema_name=schema,
        nodes=tuple(sorted(nodes, key=lambda node: node.name not in sources)),
        edges=tuple(edges),
    )
    return ContractDraft(contract, omitted)


def _listed(omitted: dict[str, str]) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in omitted.items())


def _node(
    columns: list[CatalogColumn], indexed: Container[tuple[str, ...]], omitted: dict[str, str]
) -> NodeTable | None:
    table = columns[0].table
    texts = [column for column in columns if column.type.startswith("NVARCHAR")]
    names = [c for c in texts if not c.nullable and c.type != "NVARCHAR(MAX)"]
    label = _preferred(names, LABELS) or next(iter(names), None)
    remaining = [column for column in texts if column != label]
    longest = max(remaining, key=lambda c: c.size if c.size > 0 else 1 << 31, default=None)
    text = _preferred(remaining, TEXTS) or longest
    key = next((c for c in columns if c.type == "INT" and c.is_key and not c.nullable), None)
    vector = next((column for column in columns if column.type == "VECTOR"), None)
    words = [column for column in texts if (column.schema, table, column.name) in indexed]
    roles = {"key": key, "label": label, "text": text, "vector": vector, "words": words}
    missing = [MISSING[role] for role, column in roles.items() if not column]
    if missing or not key or not label or not text or not vector:
        omitted[table] = f"it lacks {', '.join(missing)}"
        return None
    contract_columns: list[Column] = []
    for column in _usable(columns, (*texts, vector), omitted):
        about = "compare with @q, never select it" if column == vector else "describe its meaning"
        contract_columns.append(_contract_column(column, about, is_searchable=column in words))
    return NodeTable(
        name=table,
        description=f"One row of {table}.",
        columns=tuple(contract_columns),
        key=key.name,
        label=label.name,
        text=text.name,
        vector=vector.name,
    )


def _usable(
    columns: Iterable[CatalogColumn], known: Container[CatalogColumn], omitted: dict[str, str]
) -> Iterator[CatalogColumn]:
    """Yield the columns that a contract can have."""
    for column in columns:
        is_known = column.type in TYPES.values() or column in known
        if is_known and NAME.fullmatch(column.name):
            yield column
        elif column.name != EDGE_DIGEST:
            unsupported = f"type {column.type}, which contracts do not support"
            omitted[f"{column.table}.{column.name}"] = ODD_NAME if is_known else unsupported


def _contract_column(column: CatalogColumn, about: str, *, is_searchable: bool = False) -> Column:
    return Column(
        name=column.name,
        type=column.type,
        nullable=bool(column.nullable),
        searchable=is_searchable,
        description=f"{column.name}; {about}.",
    )


def _edge(
    columns: list[CatalogColumn],
    pairs: list[tuple[str, str]],
    nodes: set[str],
    omitted: dict[str, str],
) -> EdgeTable | None:
    name = columns[0].table
    fitting = [pair for pair in pairs if set(pair) <= nodes]
    if not fitting:
        omitted[name] = (
            "it has no CONNECTION constraint, which defines what it connects"
            if not pairs
            else f"it connects {' and '.join(sorted({n for p in pairs for n in p} - nodes))}"
        )
        return None
    words = name.replace("_", " ").lower()
    own: list[CatalogColumn] = [column for column in columns if column.name]
    texts = [column for column in own if column.type.startswith("NVARCHAR")]
    return EdgeTable(
        name=name,
        pairs=tuple(Pair(from_table=start, to_table=end) for start, end in fitting),
        meaning=words,
        columns=tuple(
            _contract_column(column, "describe its meaning")
            for column in _usable(own, texts, omitted)
        ),
    )


def _preferred(columns: list[CatalogColumn], names: tuple[str, ...]) -> CatalogColumn | None:
    """Return the column with the likeliest name."""
    by_name = {column.name.lower(): column for column in columns}
    return next((by_name[name.lower()] for name in names if name.lower() in by_name), None)
