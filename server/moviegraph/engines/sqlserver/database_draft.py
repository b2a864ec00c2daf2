"""A draft of the contract of a database: its graph tables, by what its catalog says of them."""

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import NamedTuple

from moviegraph.contract.column_types import MAX_KEY_CHARS
from moviegraph.contract.ddl import EDGE_DIGEST, OWN_SCHEMA
from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable, Pair
from moviegraph.contract.validation import EDGE_FIELDS, RESERVED, UNRESERVED_STATEMENTS
from moviegraph.engines.sqlserver.metadata import FULLTEXT
from moviegraph.engines.sqlserver.metadata_connection import Read, rows_or_none
from moviegraph.errors import DatabaseError

COLUMNS = """SELECT s.name, t.name, CAST(t.is_node AS INT), c.name, TYPE_NAME(c.system_type_id),
  TYPE_NAME(c.user_type_id), CAST(c.max_length AS INT), CAST(c.is_nullable AS INT),
  ISNULL((SELECT MAX(1 + CAST(i.is_primary_key AS INT)) FROM sys.indexes AS i
    JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
    WHERE i.object_id = c.object_id AND i.is_unique = 1 AND i.has_filter = 0
    AND k.column_id = c.column_id AND k.key_ordinal = 1 AND NOT EXISTS (
      SELECT 1 FROM sys.index_columns AS o
      WHERE o.object_id = i.object_id AND o.index_id = i.index_id AND o.key_ordinal > 1)), 0),
  CAST(c.precision AS INT), CAST(c.scale AS INT), CASE WHEN EXISTS (
    SELECT 1 FROM sys.check_constraints AS j WHERE j.parent_object_id = c.object_id
    AND j.parent_column_id = c.column_id AND LOWER(j.definition) LIKE N'%isjson(%')
    THEN 1 ELSE 0 END
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
TYPES = {
    "int": "INT",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "bit": "BIT",
    "date": "DATE",
    "datetime2": "DATETIME2",
}
MISSING = {
    "key": "an INT or BIGINT NOT NULL column that alone is the primary key or unique",
    "label": "an NVARCHAR NOT NULL column for the name",
    "words": "a full-text index on the name or the text",
}
NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,63}")
ODD_NAME = "its name has more than letters, digits and underscores, or is too long"
RESERVED_NAME = "its name is a word of T-SQL"
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
    """One column of a graph table; the name is None where an edge table has no columns.

    `identifies` is 2 of a column that alone is the primary key, 1 if it alone is unique, else 0.
    """

    schema: str
    table: str
    is_node: int
    name: str
    system_type: str | None
    user_type: str | None
    size: int
    nullable: int
    identifies: int
    precision: int
    scale: int
    is_json: int

    @property
    def type(self) -> str:
        """The type as a contract writes it, or an empty text for one that it lacks."""
        system = self.system_type or ""
        if "vector" in (system, self.user_type):
            return "VECTOR"
        if system == "nvarchar":
            if self.size < 0:
                return "JSON" if self.is_json else "NVARCHAR(MAX)"
            return f"NVARCHAR({self.size // 2})"
        if system in ("decimal", "numeric"):
            return f"DECIMAL({self.precision},{self.scale})"
        return TYPES.get(system, "")

    @property
    def is_text(self) -> bool:
        """Whether words can be searched in it."""
        return self.type.startswith("NVARCHAR")

    @property
    def problem(self) -> str:
        """Why a contract cannot have the column, or an empty text."""
        if not self.type:
            name = self.user_type or self.system_type
            return f"type {name}, which contracts do not support"
        if not NAME.fullmatch(self.name):
            return ODD_NAME
        return RESERVED_NAME if self.name.upper() in RESERVED else ""


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
            omitted[column.table] = RESERVED_NAME
        else:
            tables.setdefault(column.table, []).append(column)
    nodes = [
        node
        for table in tables.values()
        if table[0].is_node and (node := _node(table, indexed, omitted))
    ]
    if not nodes:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in omitted.items())
        raise DatabaseError(f"No node table is usable. {reasons}.", hint=DDL)
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


def _node(
    columns: list[CatalogColumn], indexed: Container[tuple[str, ...]], omitted: dict[str, str]
) -> NodeTable | None:
    table = columns[0].table
    usable = [column for column in columns if not column.problem]
    texts = [column for column in usable if column.is_text]
    names = [c for c in texts if not c.nullable and c.type != "NVARCHAR(MAX)"]
    words = [column for column in texts if (column.schema, table, column.name) in indexed]
    keys = [c for c in usable if c.type in ("INT", "BIGINT") and c.identifies and not c.nullable]
    key = max(keys, key=lambda column: column.identifies, default=None)
    label = _preferred(names, LABELS) or next(iter(names), None)
    roles = {"key": key, "label": label, "words": words}
    missing = [MISSING[role] for role, column in roles.items() if not column]
    if missing or not key or not label:
        omitted[table] = f"it lacks {', '.join(missing)}"
        return None
    unique = {column.name for column in columns if column.identifies}
    own = [
        column
        for column in names
        if column != label
        and unique & {column.name, f"_{column.name}"}  # `moviegraph ddl` writes the latter
        and column.size <= 2 * MAX_KEY_CHARS
    ]
    source_key = next(iter(own), None)
    remaining = [column for column in texts if column not in (label, source_key)]
    longest = max(remaining, key=lambda c: c.size if c.size > 0 else 1 << 31, default=None)
    text = _preferred(remaining, TEXTS) or longest
    vectors = [column for column in usable if column.type == "VECTOR"]
    for column in columns:
        if column in vectors[1:]:
            omitted[f"{table}.{column.name}"] = "a table has one vector"
        elif column.problem and not (source_key and column.name == f"_{source_key.name}"):
            omitted[f"{table}.{column.name}"] = column.problem
    return NodeTable(
        name=table,
        description=f"One row of {table}.",
        columns=tuple(
            _contract_column(column, is_searchable=column in words)
            for column in usable
            if column not in vectors[1:]
        ),
        key=key.name,
        label=label.name,
        text=text.name if text else None,
        vector=vectors[0].name if vectors else None,
        source_key=source_key.name if source_key else None,
    )


def _contract_column(column: CatalogColumn, *, is_searchable: bool = False) -> Column:
    is_vector = column.type == "VECTOR"
    about = "compare with @q, never select it" if is_vector else "describe its meaning"
    is_taken = not column.is_node and column.name.lower() in EDGE_FIELDS
    return Column(
        name=column.name,
        type=column.type,
        nullable=bool(column.nullable),
        searchable=is_searchable,
        description=f"{column.name}; {about}.",
        field=f"edge_{column.name.lower()}" if is_taken else None,
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
    own = [column for column in columns if column.name and column.name != EDGE_DIGEST]
    usable = [column for column in own if not column.problem and column.type != "VECTOR"]
    for column in own:
        if column not in usable:
            problem = column.problem or "only a node table can have a vector"
            omitted[f"{name}.{column.name}"] = problem
    return EdgeTable(
        name=name,
        pairs=tuple(Pair(from_table=start, to_table=end) for start, end in fitting),
        meaning=name.replace("_", " ").lower(),
        columns=tuple(map(_contract_column, usable)),
    )


def _preferred(columns: list[CatalogColumn], names: tuple[str, ...]) -> CatalogColumn | None:
    """Return the column with the likeliest name."""
    by_name = {column.name.lower(): column for column in columns}
    return next((by_name[name.lower()] for name in names if name.lower() in by_name), None)
