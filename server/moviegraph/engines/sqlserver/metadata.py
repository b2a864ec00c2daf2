"""Properties and optional features of a server, and the tables of its database.

Properties come as sql_variant, which some drivers cannot read, so each is cast.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from moviegraph.contract.ddl import EDGE_DIGEST
from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.engines.sqlserver.metadata_connection import Read, rows_or_none

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
# Whether the connection is encrypted; a login without VIEW SERVER SECURITY STATE may not ask.
# https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-connections-transact-sql
ENCRYPTION = """SELECT CAST(c.encrypt_option AS NVARCHAR(40))
FROM sys.dm_exec_connections AS c WHERE c.session_id = @@SPID"""
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
    """One vector index; `version` is None where the server does not report it."""

    schema: str
    table: str
    column: str
    metric: str
    version: int | None = None

    @property
    def supports_writes(self) -> bool:
        """Return whether its table is writable and its searches can be filtered, as from v3 on."""
        return self.version is not None and self.version >= FIRST_FULL_INDEX


@dataclass(frozen=True, slots=True)
class Features:
    """Properties and features of a server.

    Attributes:
        version: Its product version; Azure SQL Database always reports 12.
        edition: The edition's name.
        engine_edition: The kind of server as a number.
        fulltext: Whether full-text search is installed.
        read_only: Whether this database takes no changes, as on a read replica.
        compatibility: The compatibility level.
        snapshot: Whether readers may use snapshot isolation.
        vector_indexes: Its vector indexes, as far as they are visible.
    """

    version: str
    edition: str
    engine_edition: int
    fulltext: bool
    read_only: bool
    compatibility: int
    snapshot: bool
    vector_indexes: tuple[VectorIndex, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of server in words."""
        return EDITIONS.get(self.engine_edition, f"engine edition {self.engine_edition}")

    @property
    def supports_vectors(self) -> bool:
        """Return whether this kind and version of server has the type VECTOR."""
        version = _major(self.version) or 0
        return self.engine_edition in HOSTED or version >= FIRST_WITH_VECTORS

    def without_index(self, contract: Contract) -> tuple[str, ...]:
        """Return the node tables that no vector index of the cosine serves."""
        usable = {
            (index.schema.lower(), index.table.lower(), index.column.lower())
            for index in self.vector_indexes
            if index.metric == METRIC and index.supports_writes
        }
        schema = contract.schema_name.lower()
        return tuple(
            node.name
            for node in contract.nodes
            if node.vector and (schema, node.name.lower(), node.vector.lower()) not in usable
        )


def read_features(read: Read) -> Features:
    """Return the features of a server; one without the view has no vector indexes."""
    rows, indexes = read(SERVER), rows_or_none(read, VECTOR_INDEXES)
    version, edition, number, fulltext, updateability, level, snapshot, _ = (
        rows[0] if rows else (None,) * 8
    )
    return Features(
        version=str(version or ""),
        edition=str(edition or ""),
        engine_edition=int(number or 0),
        fulltext=bool(fulltext) or (fulltext is None and number in HOSTED),
        read_only=updateability == "READ_ONLY",
        compatibility=int(level or 0),
        snapshot=snapshot == 1,
        vector_indexes=tuple(
            VectorIndex(schema, table, column, str(metric or "").lower(), _major(version))
            for schema, table, column, metric, version in indexes or ()
        ),
    )


def _major(version: str | None) -> int | None:
    major = (version or "").partition(".")[0]
    return int(major) if major.isdigit() else None


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
    """Return tables, columns and full-text indexes."""
    columns = rows_or_none(read, COLUMNS)
    if columns is None:  # a server without vectors has no such column
        columns = read(COLUMNS_WITHOUT_DIMENSIONS)
    tables: dict[Key, LiveTable] = {}
    for schema, name, is_node, is_edge, *column in columns:
        key = (schema.lower(), name.lower())
        table = tables.setdefault(key, LiveTable(name, bool(is_node), bool(is_edge)))
        live = _column(*column)
        table.columns[live.name.lower()] = live
    indexed, population = rows_or_none(read, FULLTEXT), rows_or_none(read, POPULATION)
    return LiveSchema(
        tables,
        frozenset((s.lower(), t.lower(), c.lower()) for s, t, c in indexed or ()),
        frozenset((s.lower(), t.lower()) for s, t, status in population or () if status),
    )


def _column(
    name: str, system: str | None, user: str | None, length: int, dimensions: int | None
) -> LiveColumn:
    if VECTOR not in (system, user):
        return LiveColumn(name, system or user or "unknown")
    return LiveColumn(
        name, VECTOR, (length - HEADER) // NUMBER if dimensions is None else dimensions
    )


def schema_mismatches(live: LiveSchema, contract: Contract) -> list[str]:
    """Return a phrase for each table and column of the contract that the database lacks."""
    mismatches: list[str] = []
    for table in (*contract.nodes, *contract.edges):
        live_table = live.table(contract, table.name)
        if live_table is None:
            name = f"{contract.schema_name}.{table.name}"
            mismatches.append(f"table {name} is missing, or not granted")
        else:
            mismatches += _table_mismatches(live_table, table)
    return mismatches


def _table_mismatches(live: LiveTable, table: NodeTable | EdgeTable) -> Iterator[str]:
    if isinstance(table, NodeTable) and not live.is_node:
        yield f"{table.name} is not a node table (AS NODE)"
    elif isinstance(table, EdgeTable) and not live.is_edge:
        yield f"{table.name} is not an edge table (AS EDGE)"
    for column in table.columns:
        live_column = live.columns.get(column.name.lower())
        if live_column is None:
            yield f"column {table.name}.{column.name} is missing"
        elif live_column.type not in column.column_type.server_names:
            yield f"{table.name}.{column.name} is {live_column.type.upper()}, not {column.type}"


def without_digest(live: LiveSchema, contract: Contract) -> list[str]:
    """Return a phrase for each edge table with columns that a load cannot tell the edges of."""
    tables = {edge.name: live.table(contract, edge.name) for edge in contract.edges if edge.columns}
    return [
        f"column {name}.{EDGE_DIGEST} is missing"
        for name, table in tables.items()
        if table is not None and EDGE_DIGEST.lower() not in table.columns
    ]


def unsearchable(live: LiveSchema, contract: Contract) -> list[str]:
    """Return the searchable columns of the contract that no full-text index contains."""
    schema = contract.schema_name.lower()
    return [
        f"{node.name}.{name}"
        for node in contract.nodes
        for name in node.searchable
        if (schema, node.name.lower(), name.lower()) not in live.indexed
    ]


def populating(live: LiveSchema, contract: Contract) -> list[str]:
    """Return the node tables with a full-text index that is still being populated."""
    schema = contract.schema_name.lower()
    return [node.name for node in contract.nodes if (schema, node.name.lower()) in live.populating]


def dimensions(live: LiveSchema, contract: Contract) -> dict[str, int]:
    """Return the dimensions of each node table's vector column, where there is one."""
    sizes: dict[str, int] = {}
    for node in contract.nodes:
        table = live.table(contract, node.name)
        column = table.columns.get(node.vector.lower()) if table and node.vector else None
        if column is not None and column.dimensions is not None:
            sizes[node.name] = column.dimensions
    return sizes
