"""Drafts a contract for the graph tables of a database, from its catalog views."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from moviegraph.contract.ddl import OWN_SCHEMA
from moviegraph.contract.model import nearest
from moviegraph.engines.sqlserver.metadata import FULLTEXT
from moviegraph.engines.sqlserver.metadata_connection import Read, Row, rows_or_none
from moviegraph.errors import DatabaseError
from moviegraph.loading.contract_draft import Draft, DraftColumn, DraftEdge, DraftNode

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
DDL = "`moviegraph ddl --engine mssql` writes such tables for a contract."


@dataclass(frozen=True, slots=True)
class CatalogColumn:
    """One column of a graph table."""

    name: str
    type: str
    nullable: bool
    is_key: bool


@dataclass(slots=True)
class CatalogTable:
    """One graph table; the columns that the server adds to a graph table are not among its."""

    schema: str
    name: str
    is_node: bool
    columns: list[CatalogColumn] = field(default_factory=list[CatalogColumn])


def draft_database(read: Read) -> Draft:
    """Return a draft of the contract for the graph tables of a database.

    Args:
        read: Runs a query and returns its rows.

    Raises:
        DatabaseError: The database has no graph tables that fit; the message says what is missing.
    """
    rows = rows_or_none(read, COLUMNS)
    tables = _tables(rows if rows is not None else read(COLUMNS_WITHOUT_DIMENSIONS))
    nodes = [table for table in tables if table.is_node]
    if not nodes:
        raise DatabaseError(
            "The login can see no node tables in the database (CREATE TABLE ... AS NODE).",
            hint=f"Grant SELECT on them, or create graph tables: {DDL}",
        )
    schema = max({table.schema for table in nodes}, key=[table.schema for table in nodes].count)
    indexed = {(s, t, c) for s, t, c in rows_or_none(read, FULLTEXT) or []}
    pairs = rows_or_none(read, CONSTRAINTS) or []
    return _Drafting(schema, tables, indexed, pairs).draft()


def _tables(rows: list[Row]) -> list[CatalogTable]:
    tables: dict[tuple[str, str], CatalogTable] = {}
    for schema, name, is_node, _, column, system, user, size, nullable, graph, _, key in rows:
        table = tables.setdefault((schema, name), CatalogTable(schema, name, bool(is_node)))
        if graph is None and schema.lower() != OWN_SCHEMA:
            kind = _type(system or "", user or "", size)
            table.columns.append(CatalogColumn(column, kind, bool(nullable), bool(key)))
    return [table for table in tables.values() if table.schema.lower() != OWN_SCHEMA]


def _type(system: str, user: str, size: int) -> str:
    """Return the type as a contract writes it, or the server's name of one that it lacks."""
    if "vector" in (system, user):
        return "VECTOR"
    if system == "nvarchar":
        return "NVARCHAR(MAX)" if size < 0 else f"NVARCHAR({size // 2})"
    return TYPES.get(system, system or user)


class _Drafting:
    """Turns graph tables into drafted tables, and collects what has no place."""

    def __init__(
        self,
        schema: str,
        tables: list[CatalogTable],
        indexed: set[tuple[str, str, str]],
        pairs: list[Row],
    ) -> None:
        self._schema = schema
        self._tables = [table for table in tables if table.schema == schema]
        self._indexed = indexed
        self._pairs = pairs
        self._left_out = {
            f"{table.schema}.{table.name}": f"in a different schema than {schema}"
            for table in tables
            if table.schema != schema
        }

    def draft(self) -> Draft:
        nodes = [n for t in self._tables if t.is_node and (n := self._node(t)) is not None]
        if not nodes:
            problems = "; ".join(f"{name}: {why}" for name, why in self._left_out.items())
            raise DatabaseError(f"No node table is usable. {problems}.", hint=DDL)
        names = {node.name for node in nodes}
        edges = [
            e for t in self._tables if not t.is_node and (e := self._edge(t, names)) is not None
        ]
        if not edges:
            problems = "; ".join(f"{name}: {why}" for name, why in self._left_out.items())
            raise DatabaseError(
                f"The database has no edge table that connects such nodes. {problems}".rstrip(),
                hint="Create one with CREATE TABLE ... AS EDGE and a CONNECTION constraint. " + DDL,
            )
        linked = {start for edge in edges for start, _ in edge.pairs}
        nodes.sort(key=lambda node: node.name not in linked)
        return Draft(
            "database",
            "Graph of a database",
            f"The graph tables of the schema {self._schema}.",
            nodes,
            edges,
            self._schema,
            self._left_out,
        )

    def _node(self, table: CatalogTable) -> DraftNode | None:
        texts = [each for each in table.columns if each.type.startswith("NVARCHAR")]
        names = [each for each in texts if not each.nullable and each.type != "NVARCHAR(MAX)"]
        keys = [c for c in table.columns if c.type == "INT" and c.is_key and not c.nullable]
        label = _preferred(names, LABELS)
        rest = [each for each in texts if each != label]
        text = _preferred(rest, TEXTS) or max(rest, key=_size, default=None)
        vector = next((each for each in table.columns if each.type == "VECTOR"), None)
        words = [each for each in texts if self._is_indexed(table, each)]
        roles = {"key": keys, "label": label, "text": text, "vector": vector, "words": words}
        missing = [MISSING[role] for role, names in roles.items() if not names]
        if missing or not keys or not label or not text or not vector:
            self._left_out[table.name] = f"it lacks {', '.join(missing)}"
            return None
        columns = list(self._columns(table, vector))
        about = f"One row of {table.name}; describe here what that is."
        return DraftNode(
            table.name, about, columns, keys[0].name, label.name, text.name, vector.name
        )

    def _columns(self, table: CatalogTable, vector: CatalogColumn) -> Iterator[DraftColumn]:
        for column in table.columns:
            known = column.type in TYPES.values() or column.type.startswith("NVARCHAR")
            if not known and column != vector:
                reason = f"type {column.type}, which contracts do not support"
                self._left_out[f"{table.name}.{column.name}"] = reason
                continue
            about = (
                "compare with @q, never select it" if column == vector else "describe its meaning"
            )
            yield DraftColumn(
                column.name,
                column.type,
                f"{column.name}; {about}.",
                "",
                nullable=column.nullable,
                searchable=self._is_indexed(table, column),
            )

    def _is_indexed(self, table: CatalogTable, column: CatalogColumn) -> bool:
        return (table.schema, table.name, column.name) in self._indexed

    def _edge(self, table: CatalogTable, names: set[str]) -> DraftEdge | None:
        pairs = [
            (start, end)
            for schema, edge, start, end in self._pairs
            if (schema, edge) == (table.schema, table.name)
        ]
        fitting = tuple(pair for pair in pairs if set(pair) <= names)
        if not fitting:
            self._left_out[table.name] = (
                "it has no CONNECTION constraint, which defines what it connects"
                if not pairs
                else f"it connects {' and '.join(sorted({n for p in pairs for n in p} - names))}"
            )
            return None
        words = table.name.replace("_", " ").lower()
        return DraftEdge(table.name, fitting, f"{words}; describe here what the edge means")


def _preferred(columns: list[CatalogColumn], names: tuple[str, ...]) -> CatalogColumn | None:
    """Return the column with the likeliest name, else the first."""
    for name in names:
        close = nearest(name, [column.name for column in columns], 1, cutoff=0.9)
        if close:
            return next(column for column in columns if column.name == close[0])
    return columns[0] if columns and names is LABELS else None


def _size(column: CatalogColumn) -> int:
    digits = column.type.removeprefix("NVARCHAR(").removesuffix(")")
    return int(digits) if digits.isdigit() else 1 << 30
