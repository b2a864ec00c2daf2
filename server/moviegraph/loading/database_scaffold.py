"""Draft of a contract for the graph tables of a database, from its catalog views."""

import re
from dataclasses import dataclass, field

from moviegraph.contract.ddl import OWN_SCHEMA
from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable, Pair, closest_names
from moviegraph.engines.sqlserver.metadata import FULLTEXT
from moviegraph.engines.sqlserver.metadata_connection import Read, Row, rows_or_none
from moviegraph.errors import DatabaseError
from moviegraph.loading.contract_draft import ContractDraft

_COLUMNS = """SELECT s.name, t.name, CAST(t.is_node AS INT), CAST(t.is_edge AS INT), c.name,
  TYPE_NAME(c.system_type_id), TYPE_NAME(c.user_type_id), CAST(c.max_length AS INT),
  CAST(c.is_nullable AS INT), CAST(c.graph_type AS INT), {dimensions},
  CASE WHEN EXISTS (SELECT 1 FROM sys.indexes AS i JOIN sys.index_columns AS k
    ON k.object_id = i.object_id AND k.index_id = i.index_id WHERE i.object_id = t.object_id
    AND i.is_primary_key = 1 AND k.column_id = c.column_id) THEN 1 ELSE 0 END
FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
JOIN sys.columns AS c ON c.object_id = t.object_id
WHERE t.is_node = 1 OR t.is_edge = 1 ORDER BY s.name, t.name, c.column_id"""
COLUMNS = _COLUMNS.format(dimensions="CAST(c.vector_dimensions AS INT)")
COLUMNS_WITHOUT_DIMENSIONS = _COLUMNS.format(dimensions="CAST(NULL AS INT)")
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
class CatalogColumn:
    """One column of a graph table."""

    name: str
    type: str
    nullable: bool
    is_key: bool
    is_indexed: bool


@dataclass(slots=True)
class CatalogTable:
    """One graph table, without the columns that the server adds to a graph table."""

    schema: str
    name: str
    is_node: bool
    columns: list[CatalogColumn] = field(default_factory=list[CatalogColumn])


def draft_database(read: Read) -> ContractDraft:
    """Return a draft of the contract for the graph tables of a database.

    Args:
        read: Runs a query and returns its rows.

    Raises:
        DatabaseError: The database has no graph tables that fit; the message names the gaps.
    """
    indexed = {(s, t, c) for s, t, c in rows_or_none(read, FULLTEXT) or []}
    rows = rows_or_none(read, COLUMNS)
    tables = _tables(rows if rows is not None else read(COLUMNS_WITHOUT_DIMENSIONS), indexed)
    schemas = [table.schema for table in tables if table.is_node]
    if not schemas:
        raise DatabaseError(
            "The login can see no node tables in the database (CREATE TABLE ... AS NODE).",
            hint=f"Grant SELECT on them, or create graph tables: {DDL}",
        )
    schema = max(set(schemas), key=schemas.count)
    omitted = {
        f"{table.schema}.{table.name}": f"in a different schema than {schema}"
        for table in tables
        if table.schema != schema
    }
    tables = [table for table in tables if table.schema == schema]
    omitted |= {table.name: ODD_NAME for table in tables if not NAME.fullmatch(table.name)}
    tables = [table for table in tables if NAME.fullmatch(table.name)]
    nodes = [n for t in tables if t.is_node and (n := _node(t, omitted)) is not None]
    if not nodes:
        raise DatabaseError(f"No node table is usable. {_listed(omitted)}.", hint=DDL)
    names = {node.name for node in nodes}
    pairs: dict[str, list[tuple[str, str]]] = {}
    for edge_schema, edge, start, end in rows_or_none(read, CONSTRAINTS) or []:
        if edge_schema == schema:
            pairs.setdefault(edge, []).append((start, end))
    edges = [
        edge
        for table in tables
        if not table.is_node
        and (edge := _edge(table.name, pairs.get(table.name, []), names, omitted)) is not None
    ]
    if not edges:
        raise DatabaseError(
            f"The database has no edge table that connects such nodes. {_listed(omitted)}".rstrip(),
            hint="Create one with CREATE TABLE ... AS EDGE and a CONNECTION constraint. " + DDL,
        )
    linked = {pair.from_table for edge in edges for pair in edge.pairs}
    contract = Contract(
        name="database",
        title="Graph of a database",
        version="1.0",
        description=f"The graph tables of the schema {schema}.",
        schema_name=schema,
        nodes=tuple(sorted(nodes, key=lambda node: node.name not in linked)),
        edges=tuple(edges),
    )
    return ContractDraft(contract, omitted)


def _listed(omitted: dict[str, str]) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in omitted.items())


def _tables(rows: list[Row], indexed: set[tuple[str, str, str]]) -> list[CatalogTable]:
    tables: dict[tuple[str, str], CatalogTable] = {}
    for schema, name, is_node, _, column, system, user, size, nullable, graph, _, key in rows:
        if schema.lower() == OWN_SCHEMA:
            continue
        table = tables.setdefault((schema, name), CatalogTable(schema, name, bool(is_node)))
        if graph is None:
            table.columns.append(
                CatalogColumn(
                    column,
                    _type(system or "", user or "", size),
                    bool(nullable),
                    bool(key),
                    (schema, name, column) in indexed,
                )
            )
    return list(tables.values())


def _type(system: str, user: str, size: int) -> str:
    """Return the type as a contract writes it, or the server's name of one that it lacks."""
    if "vector" in (system, user):
        return "VECTOR"
    if system == "nvarchar":
        return "NVARCHAR(MAX)" if size < 0 else f"NVARCHAR({size // 2})"
    return TYPES.get(system, system or user)


def _node(table: CatalogTable, omitted: dict[str, str]) -> NodeTable | None:
    texts = [column for column in table.columns if column.type.startswith("NVARCHAR")]
    names = [c for c in texts if not c.nullable and c.type != "NVARCHAR(MAX)"]
    keys = [c for c in table.columns if c.type == "INT" and c.is_key and not c.nullable]
    label = _preferred(names, LABELS) or next(iter(names), None)
    remaining = [column for column in texts if column != label]
    text = _preferred(remaining, TEXTS) or max(remaining, key=_size, default=None)
    vector = next((column for column in table.columns if column.type == "VECTOR"), None)
    words = [column for column in texts if column.is_indexed]
    roles = {"key": keys, "label": label, "text": text, "vector": vector, "words": words}
    missing = [MISSING[role] for role, candidates in roles.items() if not candidates]
    if missing or not keys or not label or not text or not vector:
        omitted[table.name] = f"it lacks {', '.join(missing)}"
        return None
    columns = list[Column]()
    for column in table.columns:
        is_known = column.type in TYPES.values() or column.type.startswith("NVARCHAR")
        unsupported = f"type {column.type}, which contracts do not support"
        problem = unsupported if not is_known and column != vector else ""
        if problem or not NAME.fullmatch(column.name):
            omitted[f"{table.name}.{column.name}"] = problem or ODD_NAME
            continue
        is_vector = column == vector
        about = "compare with @q, never select it" if is_vector else "describe its meaning"
        columns.append(
            Column(
                name=column.name,
                type=column.type,
                nullable=column.nullable,
                searchable=column.is_indexed,
                description=f"{column.name}; {about}.",
            )
        )
    return NodeTable(
        name=table.name,
        description=f"One row of {table.name}; describe here what that is.",
        columns=tuple(columns),
        key=keys[0].name,
        label=label.name,
        text=text.name,
        vector=vector.name,
    )


def _edge(
    name: str, pairs: list[tuple[str, str]], nodes: set[str], omitted: dict[str, str]
) -> EdgeTable | None:
    fitting = [pair for pair in pairs if set(pair) <= nodes]
    if not fitting:
        omitted[name] = (
            "it has no CONNECTION constraint, which defines what it connects"
            if not pairs
            else f"it connects {' and '.join(sorted({n for p in pairs for n in p} - nodes))}"
        )
        return None
    words = name.replace("_", " ").lower()
    return EdgeTable(
        name=name,
        pairs=tuple(Pair(from_table=start, to_table=end) for start, end in fitting),
        meaning=f"{words}; describe here what the edge means",
    )


def _preferred(columns: list[CatalogColumn], names: tuple[str, ...]) -> CatalogColumn | None:
    """Return the column with the likeliest name."""
    for name in names:
        close = closest_names(name, [column.name for column in columns], 1, cutoff=0.9)
        if close:
            return next(column for column in columns if column.name == close[0])
    return None


def _size(column: CatalogColumn) -> int:
    digits = column.type.removeprefix("NVARCHAR(").removesuffix(")")
    return int(digits) if digits.isdigit() else 1 << 30
