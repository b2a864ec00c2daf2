"""What the server behind a connection is, and which optional parts of it the graph can use.

Properties come as sql_variant, which some drivers cannot read, so each is cast.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable
from moviegraph.engines.sqlserver.error_hints import FROM_LEVEL
from moviegraph.engines.sqlserver.metadata_connection import Read, Row, rows_or_none

# By name: in Azure SQL Database DB_ID() need not be the database_id of sys.databases.
# https://learn.microsoft.com/sql/t-sql/functions/db-id-transact-sql
SERVER = """SELECT CAST(SERVERPROPERTY('ProductVersion') AS NVARCHAR(128)),
  CAST(SERVERPROPERTY('Edition') AS NVARCHAR(128)),
  CAST(SERVERPROPERTY('EngineEdition') AS INT),
  CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT),
  CAST(DATABASEPROPERTYEX(DB_NAME(), 'Updateability') AS NVARCHAR(60)),
  CAST(d.compatibility_level AS INT), CAST(d.snapshot_isolation_state AS INT),
  CAST(d.collation_name AS NVARCHAR(128))
FROM sys.databases AS d WHERE d.name = DB_NAME()"""
VECTOR_INDEXES = """SELECT OBJECT_SCHEMA_NAME(v.object_id), OBJECT_NAME(v.object_id),
  COL_NAME(i.object_id, i.column_id), CAST(v.distance_metric AS NVARCHAR(60)),
  CAST(JSON_VALUE(CAST(v.build_parameters AS NVARCHAR(MAX)), '$.Version') AS NVARCHAR(20))
FROM sys.vector_indexes AS v
JOIN sys.index_columns AS i ON i.object_id = v.object_id AND i.index_id = v.index_id"""
EDITIONS = {
    1: "SQL Server, personal",
    2: "SQL Server",
    3: "SQL Server",
    4: "SQL Server Express",
    5: "Azure SQL Database",
    6: "Azure Synapse dedicated pool",
    8: "Azure SQL Managed Instance",
    9: "Azure SQL Edge",
    11: "Azure Synapse serverless pool",
    12: "SQL database in Fabric",
}
HOSTED = frozenset({5, 8, 12})  # full text is part of the service
FIRST_WITH_VECTORS = 17
FIRST_FULL_INDEX = 3
METRIC = "cosine"


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """One vector index; `version` is None where the server does not tell it."""

    schema: str
    table: str
    column: str
    metric: str
    version: int | None = None

    @property
    def takes_changes(self) -> bool:
        """Whether the table behind it may be written, and a search be filtered, as from v3 on."""
        return self.version is not None and self.version >= FIRST_FULL_INDEX


@dataclass(frozen=True, slots=True)
class Features:
    """What a server is and can do.

    Attributes:
        version: Its product version; Azure SQL Database says 12 of every one.
        edition: The edition's name.
        engine_edition: The kind of server as a number.
        fulltext: Whether full-text search is installed.
        read_only: Whether this database takes no changes, as on a read replica.
        compatibility: The compatibility level.
        snapshot: Whether readers may use snapshot isolation.
        collation: The database's collation.
        vector_indexes: Its vector indexes, as far as they are visible.
    """

    version: str
    edition: str
    engine_edition: int
    fulltext: bool
    read_only: bool
    compatibility: int
    snapshot: bool
    collation: str
    vector_indexes: tuple[VectorIndex, ...] = ()

    @property
    def kind(self) -> str:
        """What it is in words."""
        return EDITIONS.get(self.engine_edition, f"engine edition {self.engine_edition}")

    @property
    def hosted(self) -> bool:
        """Whether it is a service without versions of its own."""
        return self.engine_edition in HOSTED

    @property
    def knows_vectors(self) -> bool:
        """Whether this kind and version of server has the type VECTOR."""
        return self.hosted or _major(self.version) >= FIRST_WITH_VECTORS

    @property
    def unknown_functions(self) -> tuple[str, ...]:
        """The functions of the dialect that the compatibility level hides, where it is told."""
        level = self.compatibility
        return tuple(name for name, first in FROM_LEVEL.items() if 0 < level < first)

    def without_index(self, contract: Contract) -> tuple[str, ...]:
        """Return the node tables that no vector index of the cosine serves."""
        fit = {
            (each.schema.lower(), each.table.lower(), each.column.lower())
            for each in self.vector_indexes
            if each.metric == METRIC and each.takes_changes
        }
        schema = contract.schema_name.lower()
        return tuple(
            node.name
            for node in contract.nodes
            if (schema, node.name.lower(), node.vector.lower()) not in fit
        )


def read_features(read: Read) -> Features:
    """Ask the server what it is.

    Raises:
        MoviegraphError: It does not answer.
    """
    return judge_features(read(SERVER), rows_or_none(read, VECTOR_INDEXES))


def judge_features(server: list[Row], indexes: list[Row] | None) -> Features:
    """Make a record of the rows; a server without the view has no vector indexes."""
    row: Row = server[0] if server else (None,) * 8
    version, edition, number, fulltext, updateability, level, snapshot, collation = row
    return Features(
        version=str(version or ""),
        edition=str(edition or ""),
        engine_edition=int(number or 0),
        fulltext=bool(fulltext) or (fulltext is None and number in HOSTED),
        read_only=updateability == "READ_ONLY",
        compatibility=int(level or 0),
        snapshot=snapshot == 1,
        collation=str(collation or ""),
        vector_indexes=tuple(_index(each) for each in indexes or ()),
    )


def _index(row: Row) -> VectorIndex:
    schema, table, column, metric, version = row
    return VectorIndex(
        str(schema), str(table), str(column), str(metric or "").lower(), _number(version)
    )


def _number(text: str | None) -> int | None:
    return _major(text) if text and text[:1].isdigit() else None


def _major(version: str) -> int:
    head = version.partition(".")[0]
    return int(head) if head.isdigit() else 0


_COLUMNS = """SELECT s.name, t.name, CAST(t.is_node AS INT), CAST(t.is_edge AS INT), c.name,
  TYPE_NAME(c.system_type_id), TYPE_NAME(c.user_type_id), CAST(c.max_length AS INT), {dimensions}
FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id
JOIN sys.columns AS c ON c.object_id = t.object_id"""
COLUMNS = _COLUMNS.format(dimensions="CAST(c.vector_dimensions AS INT)")
COLUMNS_WITHOUT_DIMENSIONS = _COLUMNS.format(dimensions="CAST(NULL AS INT)")
FULLTEXT = """SELECT OBJECT_SCHEMA_NAME(f.object_id), OBJECT_NAME(f.object_id),
  COL_NAME(f.object_id, f.column_id)
FROM sys.fulltext_index_columns AS f
JOIN sys.fulltext_indexes AS i ON i.object_id = f.object_id WHERE i.is_enabled = 1"""
POPULATION = """SELECT OBJECT_SCHEMA_NAME(i.object_id), OBJECT_NAME(i.object_id),
  CAST(OBJECTPROPERTYEX(i.object_id, 'TableFulltextPopulateStatus') AS INT)
FROM sys.fulltext_indexes AS i"""
HEADER = 8  # bytes of a stored vector before its numbers
NUMBER = 4  # bytes of a float32
FAMILY = {"INT": "int", "BIGINT": "bigint", "FLOAT": "float", "BIT": "bit", "DATE": "date"}
VECTOR = "vector"
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LiveColumn:
    """One column of a live table; `dimensions` are those of a VECTOR."""

    name: str
    type: str
    dimensions: int | None = None


@dataclass(frozen=True, slots=True)
class LiveTable:
    """One live table, its columns by name in lower case."""

    name: str
    is_node: bool
    is_edge: bool
    columns: dict[str, LiveColumn] = field(default_factory=dict[str, LiveColumn])


@dataclass(frozen=True, slots=True)
class LiveSchema:
    """The tables that the principal can see, and which columns words can be searched in.

    Keys are schema and table in lower case, and the column for `indexed`.
    """

    tables: Mapping[Key, LiveTable]
    indexed: frozenset[tuple[str, str, str]]
    populating: frozenset[Key] = frozenset()

    def table(self, contract: Contract, name: str) -> LiveTable | None:
        """Return a table of the contract as it is in the database."""
        return self.tables.get((contract.schema_name.lower(), name.lower()))


def read_live_schema(read: Read) -> LiveSchema:
    """Ask for tables, columns and full-text indexes.

    Raises:
        MoviegraphError: The server does not answer.
    """
    columns = rows_or_none(read, COLUMNS)
    if columns is None:  # a server that knows no vectors has no such column
        columns = read(COLUMNS_WITHOUT_DIMENSIONS)
    fulltext = rows_or_none(read, FULLTEXT)
    return judge_rows(columns, fulltext or [], rows_or_none(read, POPULATION) or [])


def judge_rows(columns: list[Row], fulltext: list[Row], population: list[Row]) -> LiveSchema:
    """Make a record of the rows."""
    tables: dict[Key, LiveTable] = {}
    for schema, table, is_node, is_edge, *column in columns:
        key = (schema.lower(), table.lower())
        found = tables.setdefault(key, LiveTable(table, bool(is_node), bool(is_edge)))
        live = _column(*column)
        found.columns[live.name.lower()] = live
    return LiveSchema(
        tables,
        frozenset((s.lower(), t.lower(), c.lower()) for s, t, c in fulltext),
        frozenset((s.lower(), t.lower()) for s, t, status in population if status),
    )


def _column(
    name: str, system: str | None, user: str | None, length: int, dimensions: int | None
) -> LiveColumn:
    kind = VECTOR if VECTOR in (system, user) else (system or user or "unknown")
    if kind == VECTOR and dimensions is None:
        dimensions = (length - HEADER) // NUMBER
    return LiveColumn(name, kind, dimensions if kind == VECTOR else None)


def misfits(live: LiveSchema, contract: Contract) -> list[str]:
    """Return a phrase for each table and column of the contract that the database lacks."""
    found = [each for node in contract.nodes for each in _of_node(live, contract, node)]
    return found + [each for edge in contract.edges for each in _of_edge(live, contract, edge)]


def _of_node(live: LiveSchema, contract: Contract, node: NodeTable) -> Iterator[str]:
    table = live.table(contract, node.name)
    if table is None:
        yield _missing(contract, node.name)
        return
    if not table.is_node:
        yield f"{node.name} is no node table (AS NODE)"
    for column in node.columns:
        yield from _of_column(table, node, column)


def _of_edge(live: LiveSchema, contract: Contract, edge: EdgeTable) -> Iterator[str]:
    table = live.table(contract, edge.name)
    if table is None:
        yield _missing(contract, edge.name)
    elif not table.is_edge:
        yield f"{edge.name} is no edge table (AS EDGE)"


def _missing(contract: Contract, name: str) -> str:
    return f"table {contract.schema_name}.{name} is missing, or not granted"


def _of_column(table: LiveTable, node: NodeTable, column: Column) -> Iterator[str]:
    live = table.columns.get(column.name.lower())
    if live is None:
        yield f"column {node.name}.{column.name} is missing"
    elif live.type != _family(column):
        yield f"{node.name}.{column.name} is {live.type.upper()}, not {column.type}"


def _family(column: Column) -> str:
    if column.type == "VECTOR":
        return VECTOR
    return "nvarchar" if column.is_text else FAMILY[column.type]


def unsearchable(live: LiveSchema, contract: Contract) -> list[str]:
    """Return the columns that the contract calls searchable and no full-text index holds."""
    schema = contract.schema_name.lower()
    return [
        f"{node.name}.{name}"
        for node in contract.nodes
        for name in node.searchable
        if (schema, node.name.lower(), name.lower()) not in live.indexed
    ]


def populating(live: LiveSchema, contract: Contract) -> list[str]:
    """Return the node tables whose full-text index is still being filled."""
    schema = contract.schema_name.lower()
    return [node.name for node in contract.nodes if (schema, node.name.lower()) in live.populating]


def dimensions(live: LiveSchema, contract: Contract) -> dict[str, int]:
    """Return the dimensions of each node table's vector column, where there is one."""
    found: dict[str, int] = {}
    for node in contract.nodes:
        table = live.table(contract, node.name)
        column = table.columns.get(node.vector.lower()) if table else None
        if column is not None and column.dimensions is not None:
            found[node.name] = column.dimensions
    return found
