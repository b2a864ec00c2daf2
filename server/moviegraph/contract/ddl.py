"""Table definitions derived from the contract, for both engines."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from moviegraph.contract.languages import locale_number
from moviegraph.contract.markdown import fill
from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable
from moviegraph.errors import ContractError

OWN_SCHEMA = "moviegraph"
MANIFEST = "Manifest"
LOADED = "Loaded"
ALIAS = "Alias"
READER = "moviegraph_reader"
LOADER = "moviegraph_loader"
CATALOG = "moviegraph"
MAX_DIMENSIONS = 1998
EDGE_DIGEST = "_Digest"  # of an edge's columns: tells edges between the same two nodes apart
MAX_INDEXED_CHARS = 850  # 1,700 bytes of an index key
MIN_INDEXED_ROWS = 100
EXACT_COLLATION = "Latin1_General_100_BIN2"
# CONTROL is not among them: denying it would take SELECT away as well.
DENIED = "INSERT, UPDATE, DELETE, EXECUTE, ALTER, REFERENCES, TAKE OWNERSHIP"
WRITES = "SELECT, INSERT, UPDATE, DELETE"
FULLTEXT_INSTALLED = "CAST(FULLTEXTSERVICEPROPERTY('IsFullTextInstalled') AS INT) = 1"
VECTOR_INDEX_COMMENT = """\
-- Vector indexes (DiskANN), for MOVIEGRAPH_MSSQL_APPROXIMATE. In preview. Azure SQL: the table
-- stays writable, and an index needs 100 rows with a vector: run the script again after the first
-- load. SQL Server 2025: requires ALTER DATABASE SCOPED CONFIGURATION SET PREVIEW_FEATURES = ON,
-- and makes the table read-only, so drop the index before each load.
"""


def script(contract: Contract, dimensions: int, *, vector_index: bool = False) -> str:
    """Return the script that creates tables, indexes and roles on SQL Server.

    Args:
        contract: Defines the tables.
        dimensions: Of the VECTOR columns.
        vector_index: Add a vector index for each node table, for approximate search.

    Raises:
        ContractError: The contract or the dimensions are not possible on SQL Server.
    """
    _check(contract, dimensions)
    nodes = contract.nodes
    tables = [_node_table(contract, node, dimensions) for node in nodes]
    tables += [_edge_table(contract, edge) for edge in contract.edges]
    vector_indexes = _batches(
        _vector_index(contract, node, node.vector) for node in nodes if node.vector
    )
    values = {
        "title": " ".join(contract.title.split()),  # it is in a comment, which a line ends
        "name": contract.name,
        "version": " ".join(contract.version.split()),
        "hash": contract.hash,
        "dimensions": str(dimensions),
        "schemas": _batches(_schema(name) for name in _schemas(contract) if name != "dbo"),
        "tables": _batches(tables),
        "fulltext_indexes": _batches(_fulltext_index(contract, node) for node in nodes),
        "vector_indexes": VECTOR_INDEX_COMMENT + vector_indexes if vector_index else "",
        "reader": "\n".join(reader_statements(contract)),
        "loader": "\n".join(loader_statements(contract)),
    }
    template = (Path(__file__).parent / "schema.sql").read_text(encoding="utf-8")
    return fill(template, values)


def bracketed(name: str) -> str:
    """Return a name as a delimited identifier."""
    return f"[{name.replace(']', ']]')}]"


def table_name(contract: Contract, table: str) -> str:
    """Return the name of a contract's table with its schema, both delimited."""
    return f"{bracketed(contract.schema_name)}.{bracketed(table)}"


def internal_table(table: str) -> str:
    """Return the name of an internal table with its schema, both delimited."""
    return f"{bracketed(OWN_SCHEMA)}.{bracketed(table)}"


def column_type(column: Column, dimensions: int) -> str:
    """Return the T-SQL type of a column."""
    declared = column.column_type
    return f"VECTOR({dimensions})" if declared.name == "VECTOR" else declared.sql_server


def reader_statements(contract: Contract) -> tuple[str, ...]:
    """Return the statements of the role that may read the contract's tables and nothing else."""
    tables = [table_name(contract, name) for name in contract.table_names]
    granted = [f"GRANT SELECT ON OBJECT::{table} TO {READER};" for table in tables]
    return (
        _role(READER),
        *granted,
        *(
            f"GRANT SELECT ON OBJECT::{internal_table(name)} TO {READER};"
            for name in (MANIFEST, ALIAS)
        ),
        *(
            f"DENY {DENIED} ON SCHEMA::{bracketed(schema)} TO {READER};"
            for schema in _schemas(contract)
        ),
    )


def loader_statements(contract: Contract) -> tuple[str, ...]:
    """Return the statements of the role that `moviegraph load` needs."""
    tables = [table_name(contract, name) for name in contract.table_names]
    tables += [internal_table(name) for name in (MANIFEST, LOADED, ALIAS)]
    return (_role(LOADER), *(f"GRANT {WRITES} ON OBJECT::{table} TO {LOADER};" for table in tables))


def _check(contract: Contract, dimensions: int) -> None:
    if not 1 <= dimensions <= MAX_DIMENSIONS:
        raise ContractError(
            f"A VECTOR column has 1 to {MAX_DIMENSIONS} dimensions, but the embedder has "
            f"{dimensions}.",
            hint="Set MOVIEGRAPH_EMBEDDER_DIMENSIONS to fewer dimensions, if the model supports "
            "it.",
        )
    internal = {name.lower() for name in (MANIFEST, ALIAS, LOADED)}
    reserved = [name for name in contract.table_names if name.lower() in internal]
    if contract.schema_name.lower() == OWN_SCHEMA and reserved:
        raise ContractError(
            f"The contract {contract.name} has a table {reserved[0]} in the schema "
            f"{OWN_SCHEMA}, where moviegraph has an internal table of that name.",
            hint="Use a different schema in contract.toml.",
        )


def _schemas(contract: Contract) -> tuple[str, ...]:
    return tuple(dict.fromkeys((contract.schema_name, OWN_SCHEMA)))


def _schema(name: str) -> str:
    return f"IF SCHEMA_ID(N'{name}') IS NULL EXEC (N'CREATE SCHEMA {bracketed(name)};');"


def _role(name: str) -> str:
    return f"IF DATABASE_PRINCIPAL_ID(N'{name}') IS NULL CREATE ROLE {name};"


def _batches(statements: Iterable[str]) -> str:
    return "".join(f"{statement}\nGO\n\n" for statement in statements)


def _create_table(table: str, lines: Iterable[str], kind: str) -> str:
    columns = ",\n".join(f"    {line}" for line in lines)
    return (
        f"IF OBJECT_ID(N'{table}', N'U') IS NULL\nCREATE TABLE {table} (\n{columns}\n) AS {kind};"
    )


def _node_table(contract: Contract, node: NodeTable, dimensions: int) -> str:
    lines = [_column(node, column, dimensions) for column in node.columns]
    lines.append(f"INDEX UX_{node.name}_node UNIQUE NONCLUSTERED ($node_id)")
    if node.max_label_chars <= MAX_INDEXED_CHARS:
        lines.append(f"INDEX IX_{node.name}_label NONCLUSTERED ({bracketed(node.label)})")
    if node.source_key:
        lines += _source_key(node, node.source_key)
    return _create_table(table_name(contract, node.name), lines, "NODE")


def _source_key(node: NodeTable, name: str) -> Iterator[str]:
    """Yield what makes a source key unique by its exact text, and found without regard to case.

    The exact text is a computed column, because T-SQL compares and concatenates a column of a
    collation of its own with no other text column (errors 451 and 468).
    """
    column, exact = bracketed(name), bracketed(f"_{name}")
    yield f"{exact} AS ({column} COLLATE {EXACT_COLLATION})"
    yield f"CONSTRAINT UQ_{node.name}_source UNIQUE NONCLUSTERED ({exact})"
    yield f"INDEX IX_{node.name}_source NONCLUSTERED ({column})"


def _declared_column(column: Column, dimensions: int) -> str:
    null = "NULL" if column.nullable else "NOT NULL"
    return f"{bracketed(column.name)} {column_type(column, dimensions)} {null}"


def _column(node: NodeTable, column: Column, dimensions: int) -> str:
    text = _declared_column(column, dimensions)
    if column.name == node.key:
        text += f" CONSTRAINT PK_{node.name} PRIMARY KEY CLUSTERED"
    return text


def _edge_table(contract: Contract, edge: EdgeTable) -> str:
    pairs = ", ".join(
        f"{table_name(contract, pair.from_table)} TO {table_name(contract, pair.to_table)}"
        for pair in edge.pairs
    )
    identity = f", {EDGE_DIGEST}" if edge.columns else ""
    lines = (
        *(_declared_column(column, 0) for column in edge.columns),
        *([f"{EDGE_DIGEST} CHAR(32) NOT NULL"] if edge.columns else []),
        f"INDEX UX_{edge.name}_from UNIQUE NONCLUSTERED ($from_id, $to_id{identity})",
        f"INDEX IX_{edge.name}_to NONCLUSTERED ($to_id, $from_id)",
        f"CONSTRAINT EC_{edge.name} CONNECTION ({pairs}) ON DELETE NO ACTION",
    )
    return _create_table(table_name(contract, edge.name), lines, "EDGE")


def _fulltext_index(contract: Contract, node: NodeTable) -> str:
    table = table_name(contract, node.name)
    existing = f"SELECT 1 FROM sys.fulltext_indexes WHERE object_id = OBJECT_ID(N'{table}')"
    language = locale_number(contract.language)
    columns = ", ".join(f"{bracketed(name)} LANGUAGE {language}" for name in node.searchable)
    return (
        f"IF {FULLTEXT_INSTALLED} AND NOT EXISTS ({existing})\n"
        f"CREATE FULLTEXT INDEX ON {table} ({columns})\n"
        f"    KEY INDEX PK_{node.name} ON {CATALOG}\n"
        "    WITH (CHANGE_TRACKING = AUTO, STOPLIST = SYSTEM);"
    )


def _vector_index(contract: Contract, node: NodeTable, vector: str) -> str:
    table, column = table_name(contract, node.name), bracketed(vector)
    existing = f"SELECT 1 FROM sys.vector_indexes WHERE object_id = OBJECT_ID(N'{table}')"
    rows = f"SELECT COUNT_BIG(*) FROM {table} WHERE {column} IS NOT NULL"
    return (
        f"IF NOT EXISTS ({existing})\n"
        f"    IF ({rows}) >= {MIN_INDEXED_ROWS}\n"
        f"        CREATE VECTOR INDEX VX_{node.name} ON {table} ({column})\n"
        "            WITH (METRIC = 'cosine', TYPE = 'DiskANN');\n"
        f"    ELSE PRINT N'{node.name} has fewer than {MIN_INDEXED_ROWS} vectors: "
        "no vector index was made.';"
    )


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
        *(_embedded_column(column, 0) for column in edge.columns),
    )
    return f'CREATE TABLE "{edge.name}" ({", ".join(columns)})'


def _embedded_column(column: Column, dimensions: int) -> str:
    constraint = "" if column.nullable else " NOT NULL"
    return f'"{column.name}" {_embedded_type(column, dimensions)}{constraint}'


def _embedded_type(column: Column, dimensions: int) -> str:
    declared = column.column_type
    return f"FLOAT[{dimensions}]" if declared.name == "VECTOR" else declared.duckdb
