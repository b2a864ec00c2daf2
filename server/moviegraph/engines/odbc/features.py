"""What the server behind a connection is, and which optional parts of it the graph can use.

Properties come as sql_variant, which some drivers cannot read, so each is cast.
"""

from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.engines.odbc.reading import Read, Row, rows_or_none

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
# What a database does not know below a compatibility level; other functions of REGEXP have none.
# https://learn.microsoft.com/sql/t-sql/functions/regexp-like-transact-sql
# https://learn.microsoft.com/sql/t-sql/functions/generate-series-transact-sql
FROM_LEVEL = {"REGEXP_LIKE": 170, "GENERATE_SERIES": 160}
RAISE_LEVEL = f"ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = {max(FROM_LEVEL.values())}"
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
