"""Table definitions derived from the contract, for both engines."""

from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable
from moviegraph.errors import ContractError

OWN_SCHEMA = "moviegraph"
MANIFEST = "Manifest"
LOADED = "Loaded"
ALIAS = "Alias"
READER = "moviegraph_reader"
LOADER = "moviegraph_loader"
CATALOG = "moviegraph"
ENGLISH = 1033
MAX_DIMENSIONS = 1998
MAX_INDEXED_CHARS = 850  # 1,700 bytes of an index key
# CONTROL is not among them: denying it would take SELECT away as well.
DENIED = "INSERT, UPDATE, DELETE, EXECUTE, ALTER, REFERENCES, TAKE OWNERSHIP"
WRITES = "SELECT, INSERT, UPDATE, DELETE"


@dataclass(frozen=True, slots=True)
class ScriptBatch:
    """One batch of the script, and the comment above it."""

    comment: str
    sql: str


def script(contract: Contract, dimensions: int, *, vector_index: bool = False) -> str:
    """Return the script.

    Args:
        contract: What the tables hold.
        dimensions: Of the VECTOR columns.
        vector_index: Add a vector index for each node table, for approximate search.

    Raises:
        ContractError: The contract or the dimensions cannot be had on SQL Server.
    """
    parts = [
        "\n".join(f"-- {line}".rstrip() for line in batch.comment.splitlines())
        + ("\n" if batch.comment else "")
        + batch.sql
        for batch in script_batches(contract, dimensions, vector_index=vector_index)
    ]
    return "\nGO\n\n".join(parts) + "\nGO\n"


def script_batches(
    contract: Contract, dimensions: int, *, vector_index: bool = False
) -> tuple[ScriptBatch, ...]:
    """Return the batches of the script in order. Raises ContractError as `script` does."""
    _check(contract, dimensions)
    return (
        *_opening(contract, dimensions),
        *(_node_batch(contract, node, dimensions) for node in contract.nodes),
        *(_edge_batch(contract, edge) for edge in contract.edges),
        *_fulltext(contract),
        *(_vector_indexes(contract) if vector_index else ()),
        ScriptBatch(READER_COMMENT, "\n".join(reader_statements(contract))),
        ScriptBatch(LOADER_COMMENT, "\n".join(loader_statements(contract))),
    )


def bracketed(name: str) -> str:
    """Return a name as a delimited identifier."""
    return f"[{name.replace(']', ']]')}]"


def table_name(contract: Contract, table: str) -> str:
    """Return the name of a contract's table with its schema, both delimited."""
    return f"{bracketed(contract.schema_name)}.{bracketed(table)}"


def internal_table(table: str) -> str:
    """Return the name of one of our own tables with its schema, both delimited."""
    return f"{bracketed(OWN_SCHEMA)}.{bracketed(table)}"


def primary_key(node: NodeTable) -> str:
    """Return the name of a node table's primary key, which full text refers to."""
    return f"PK_{node.name}"


def column_type(column: Column, dimensions: int) -> str:
    """Return the T-SQL type of a column."""
    return f"VECTOR({dimensions})" if column.type == "VECTOR" else column.type


def reader_statements(contract: Contract) -> tuple[str, ...]:
    """Return what makes the role that may read the contract's tables and nothing else."""
    tables = [table_name(contract, name) for name in contract.table_names]
    granted = [f"GRANT SELECT ON OBJECT::{table} TO {READER};" for table in tables]
    return (
        _role(READER),
        *granted,
        *(
            f"GRANT SELECT ON OBJECT::{internal_table(name)} TO {READER};"
            for name in (MANIFEST, ALIAS)
        ),
        *(f"DENY {DENIED} ON SCHEMA::{schema} TO {READER};" for schema in _schemas(contract)),
    )


def loader_statements(contract: Contract) -> tuple[str, ...]:
    """Return what makes the role that `moviegraph load` needs."""
    tables = [table_name(contract, name) for name in contract.table_names]
    tables += [internal_table(name) for name in (MANIFEST, LOADED, ALIAS)]
    return (_role(LOADER), *(f"GRANT {WRITES} ON OBJECT::{table} TO {LOADER};" for table in tables))


READER_COMMENT = f"""\
The role of `moviegraph serve` (MOVIEGRAPH_MSSQL): SELECT on each table. Do not use db_datareader,
which includes all future tables. CONTROL is not denied, because that would deny SELECT too.
Then create the principal, with one of:
  CREATE USER [app-identity] FROM EXTERNAL PROVIDER;   (Microsoft Entra)
  CREATE USER moviegraph_serve WITH PASSWORD = '...';   (contained database, Azure SQL)
  CREATE USER moviegraph_serve FOR LOGIN moviegraph_serve;   (a server login)
and: ALTER ROLE {READER} ADD MEMBER [app-identity];"""
LOADER_COMMENT = f"""\
The role of `moviegraph load` (MOVIEGRAPH_MSSQL_LOAD). Grant it to a different principal than
the one that serves: ALTER ROLE {LOADER} ADD MEMBER [load-identity];"""
OPENING_COMMENT = """\
{title}: tables, indexes and roles for moviegraph, contract {name} {version} ({hash}).
Runs on Azure SQL Database, Azure SQL Managed Instance and SQL Server 2025 (the first version with
VECTOR), in every edition. Run it as the database owner, in that database, outside a transaction
(full text requires that), for example: sqlcmd -I -b -d DATABASE -i FILE. It can run again: existing
objects stay. VECTOR has {dimensions} dimensions, those of the embedder that loads and queries.
On SQL Server (Azure SQL has it by default), to let readers run without waiting for a load:
  ALTER DATABASE CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON;"""
COLLATION_COMMENT = (
    "Text comparison ignores case but not accents, by the collation of the database."
)
FULLTEXT_COMMENT = """\
Full text. Azure SQL includes it; on SQL Server it is a separate feature (on Linux the package
mssql-server-fts; container images lack it). If it is missing, no index is created here, and
CONTAINS and FREETEXT fail. The catalog is accent-sensitive, as in the embedded engine."""
VECTOR_INDEX_COMMENT = """\
Vector indexes (DiskANN), for MOVIEGRAPH_MSSQL_APPROXIMATE. In preview. Azure SQL: the table stays
writable, and an index needs 100 rows with a vector: run the script again after the first load.
SQL Server 2025: requires ALTER DATABASE SCOPED CONFIGURATION SET PREVIEW_FEATURES = ON, and makes
the table read-only, so drop the index before each load."""


def _check(contract: Contract, dimensions: int) -> None:
    if not 1 <= dimensions <= MAX_DIMENSIONS:
        raise ContractError(
            f"A VECTOR column has 1 to {MAX_DIMENSIONS} dimensions, but the embedder has "
            f"{dimensions}.",
            hint="Set MOVIEGRAPH_EMBEDDER_DIMENSIONS to fewer dimensions, if the model supports "
            "it.",
        )
    internal = {name.lower() for name in INTERNAL_TABLES}
    reserved = [name for name in contract.table_names if name.lower() in internal]
    if contract.schema_name.lower() == OWN_SCHEMA and reserved:
        raise ContractError(
            f"The contract {contract.name} has a table {reserved[0]} in the schema "
            f"{OWN_SCHEMA}, where moviegraph has an internal table of that name.",
            hint="Use a different schema in contract.toml.",
        )


def _schemas(contract: Contract) -> tuple[str, ...]:
    return tuple(dict.fromkeys(bracketed(name) for name in (contract.schema_name, OWN_SCHEMA)))


def _role(name: str) -> str:
    return f"IF DATABASE_PRINCIPAL_ID(N'{name}') IS NULL CREATE ROLE {name};"


def _opening(contract: Contract, dimensions: int) -> Iterator[ScriptBatch]:
    about = OPENING_COMMENT.format(
        title=contract.title,
        name=contract.name,
        version=contract.version,
        hash=contract.hash,
        dimensions=dimensions,
    )
    yield ScriptBatch(about, "SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, QUOTED_IDENTIFIER ON;")
    yield ScriptBatch(COLLATION_COMMENT, COLLATION)
    for schema in dict.fromkeys((contract.schema_name, OWN_SCHEMA)):
        if schema.lower() != "dbo":
            create = f"CREATE SCHEMA {bracketed(schema)};"
            yield ScriptBatch("", f"IF SCHEMA_ID(N'{schema}') IS NULL EXEC (N'{create}');")
    for table, (comment, columns) in INTERNAL_TABLES.items():
        yield ScriptBatch(comment, _created(internal_table(table), columns))


COLLATION = """\
IF CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS NVARCHAR(128)) NOT LIKE N'%[_]CI[_]AS%'
    PRINT N'The collation of this database is not a CI_AS collation: text comparison will differ \
from the moviegraph documentation.';"""


INTERNAL_TABLES = {
    MANIFEST: (
        "Metadata of the load: sources, counts and vector space.",
        f"""\
    Name NVARCHAR(100) NOT NULL CONSTRAINT PK_{MANIFEST} PRIMARY KEY,
    Value NVARCHAR(MAX) NOT NULL""",
    ),
    ALIAS: (
        "Aliases of nodes.",
        f"""\
    Kind NVARCHAR(64) NOT NULL,
    Id INT NOT NULL,
    Alias NVARCHAR(200) NOT NULL,
    INDEX IX_{ALIAS}_node CLUSTERED (Kind, Id)""",
    ),
    LOADED: (
        "State of each loaded node, so that load can resume.",
        f"""\
    TableName NVARCHAR(64) NOT NULL,
    Id INT NOT NULL,
    RowDigest CHAR(32) NOT NULL,
    TextDigest CHAR(32) NULL,
    CONSTRAINT PK_{LOADED} PRIMARY KEY (TableName, Id),
    INDEX IX_{LOADED}_text NONCLUSTERED (TableName, TextDigest)""",
    ),
}


def _created(table: str, columns: str, kind: str = "") -> str:
    return f"IF OBJECT_ID(N'{table}', N'U') IS NULL\nCREATE TABLE {table} (\n{columns}\n){kind};"


def _node_batch(contract: Contract, node: NodeTable, dimensions: int) -> ScriptBatch:
    lines = [_column(node, column, dimensions) for column in node.columns]
    lines.append(f"INDEX UX_{node.name}_node UNIQUE NONCLUSTERED ($node_id)")
    if node.max_label_chars <= MAX_INDEXED_CHARS:
        name = bracketed(node.label)
        lines.append(f"INDEX IX_{node.name}_label NONCLUSTERED ({name})")
    body = ",\n".join(f"    {line}" for line in lines)
    return ScriptBatch("", _created(table_name(contract, node.name), body, " AS NODE"))


def _column(node: NodeTable, column: Column, dimensions: int) -> str:
    text = f"{bracketed(column.name)} {column_type(column, dimensions)}"
    text += " NULL" if column.nullable else " NOT NULL"
    if column.name == node.key:
        text += f" CONSTRAINT {primary_key(node)} PRIMARY KEY CLUSTERED"
    return text


def _edge_batch(contract: Contract, edge: EdgeTable) -> ScriptBatch:
    pairs = ", ".join(
        f"{table_name(contract, pair.from_table)} TO {table_name(contract, pair.to_table)}"
        for pair in edge.pairs
    )
    lines = (
        f"INDEX UX_{edge.name}_from UNIQUE NONCLUSTERED ($from_id, $to_id)",
        f"INDEX IX_{edge.name}_to NONCLUSTERED ($to_id, $from_id)",
        f"CONSTRAINT EC_{edge.name} CONNECTION ({pairs}) ON DELETE NO ACTION",
    )
    body = ",\n".join(f"    {line}" for line in lines)
    return ScriptBatch("", _created(table_name(contract, edge.name), body, " AS EDGE"))


INSTALLED = "CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1"


def _fulltext(contract: Contract) -> Iterator[ScriptBatch]:
    there = f"SELECT 1 FROM sys.fulltext_catalogs WHERE name = N'{CATALOG}'"
    yield ScriptBatch(
        FULLTEXT_COMMENT,
        f"IF {INSTALLED} AND NOT EXISTS ({there})\n"
        f"CREATE FULLTEXT CATALOG {CATALOG} WITH ACCENT_SENSITIVITY = ON;",
    )
    for node in contract.nodes:
        yield ScriptBatch("", _fulltext_index(contract, node))


def _fulltext_index(contract: Contract, node: NodeTable) -> str:
    table = table_name(contract, node.name)
    there = f"SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'{table}')"
    columns = ", ".join(f"{bracketed(name)} LANGUAGE {ENGLISH}" for name in node.searchable)
    return (
        f"IF {INSTALLED} AND NOT EXISTS ({there})\n"
        f"CREATE FULLTEXT INDEX ON {table} ({columns})\n"
        f"    KEY INDEX {primary_key(node)} ON {CATALOG}\n"
        "    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);"
    )


MIN_INDEXED_ROWS = 100


def _vector_indexes(contract: Contract) -> Iterator[ScriptBatch]:
    comment = VECTOR_INDEX_COMMENT
    for node in contract.nodes:
        yield ScriptBatch(comment, _vector_index(contract, node))
        comment = ""


def _vector_index(contract: Contract, node: NodeTable) -> str:
    table, column = table_name(contract, node.name), bracketed(node.vector)
    there = f"SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'{table}')"
    rows = f"SELECT COUNT_BIG(*) FROM {table} WHERE {column} IS NOT NULL"
    return (
        f"IF NOT EXISTS ({there})\n"
        f"    IF ({rows}) >= {MIN_INDEXED_ROWS}\n"
        f"        CREATE VECTOR INDEX VX_{node.name} ON {table} ({column})\n"
        "            WITH (METRIC = 'cosine', TYPE = 'DiskANN');\n"
        f"    ELSE PRINT N'{node.name} has fewer than {MIN_INDEXED_ROWS} vectors: "
        "no vector index was made.';"
    )


EMBEDDED_TYPES = {
    "INT": "INTEGER",
    "BIGINT": "BIGINT",
    "FLOAT": "DOUBLE",
    "BIT": "BOOLEAN",
    "DATE": "DATE",
}


def node_ddl(node: NodeTable, dimensions: int) -> str:
    """Return the CREATE TABLE of a node table for the embedded engine.

    No key is declared: DuckDB would build an index for it, and loading has checked the ids.
    """
    columns = ['"$node_id" BIGINT NOT NULL']
    columns += [_embedded_column(column, dimensions) for column in node.columns]
    return f'CREATE TABLE "{node.name}" ({", ".join(columns)})'


def edge_ddl(edge: EdgeTable) -> str:
    """Return the CREATE TABLE of an edge table for the embedded engine."""
    columns = (
        '"$edge_id" BIGINT NOT NULL',
        '"$from_id" BIGINT NOT NULL',
        '"$to_id" BIGINT NOT NULL',
    )
    return f'CREATE TABLE "{edge.name}" ({", ".join(columns)})'


def _embedded_column(column: Column, dimensions: int) -> str:
    constraint = "" if column.nullable else " NOT NULL"
    return f'"{column.name}" {_embedded_type(column, dimensions)}{constraint}'


def _embedded_type(column: Column, dimensions: int) -> str:
    if column.type == "VECTOR":
        return f"FLOAT[{dimensions}]"
    return "VARCHAR" if column.is_text else EMBEDDED_TYPES[column.type]
