"""Databases as sources: the base tables of a SQLite or DuckDB file become tables of a staging.

A file may come from somebody else. Views, triggers, virtual tables, macros and computed columns of
it never run: each table is read by one statement that names its stored columns.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

from moviegraph.engines.embedded.source_staging import (
    MAX_COLUMNS,
    Reference,
    SourceTable,
    Staging,
    TableWriter,
    literal,
    quoted,
    require_few,
    require_width,
)
from moviegraph.errors import SourceError
from moviegraph.text import one_line, shorten

SQLITE = b"SQLite format 3\0"
DUCKDB = b"DUCK"  # after a checksum of eight bytes
MAX_VALUE = 64 << 20
ROWS = 4096
STORED = (0, 3)  # in table_xinfo; 1 is a hidden column of a virtual table, 2 a computed one
# Tables in which the modules of SQLite keep the content of virtual tables.
SHADOWS = tuple(
    "_data _idx _content _docsize _config _segments _segdir _stat _node _rowid _parent".split()
)
PRAGMAS = ("table_xinfo", "foreign_key_list")
EXPORT = "Export its tables to CSV or Parquet with the program that wrote it. Nothing was changed."
Has = Callable[[str], bool]


def is_database(start: bytes) -> bool:
    """Return whether a file that starts with these bytes is a database."""
    return start.startswith(SQLITE) or start[8:12] == DUCKDB


def read_database(staging: Staging, path: Path, start: bytes, has: Has) -> Iterator[SourceTable]:
    """Read the base tables of a database that are wanted.

    Raises:
        SourceError: The database cannot be read, or has too many tables.
    """
    read = _sqlite_tables if start.startswith(SQLITE) else _duckdb_tables
    try:
        yield from read(staging, path, has)
    except (duckdb.Error, sqlite3.Error) as error:
        reason = shorten(one_line(str(error)), 120).rstrip(".")
        raise SourceError(f"{path.name} cannot be read: {reason}.", hint=EXPORT) from error


def _sqlite_tables(staging: Staging, path: Path, has: Has) -> Iterator[SourceTable]:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
        database.execute("PRAGMA trusted_schema = OFF")
        database.set_authorizer(_only_reads)
        rows = database.execute(
            "SELECT name, rootpage, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"
        ).fetchall()
        virtual = [name for name, page, _ in rows if not page]
        shadows = {f"{name}{suffix}" for name in virtual for suffix in SHADOWS}
        names = [
            name
            for name, page, _ in rows
            if page and name not in shadows and not name.startswith("sqlite_")
        ]
        wanted = [name for name in names if has(name)]
        require_few(path.name, len(wanted))
        for name in wanted:
            table = staging.new_table(path, "record", name)
            if virtual and name == wanted[0]:
                table.notes.append(f"virtual tables are not read: {', '.join(virtual)}")
            yield _sqlite_table(staging, database, table, name)


def _only_reads(action: int, first: str | None, *_: str | None) -> int:
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ):
        return sqlite3.SQLITE_OK
    allowed = action == sqlite3.SQLITE_PRAGMA and first in PRAGMAS
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _sqlite_table(
    staging: Staging, database: sqlite3.Connection, table: SourceTable, name: str
) -> SourceTable:
    described = database.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
    columns = [str(column) for _, column, *_, hidden in described if hidden in STORED]
    table.left_out |= {row[1]: "computed" for row in described if row[-1] not in STORED}
    keys = sorted((row[5], row[1]) for row in described if row[5])
    table.key = tuple(column for _, column in keys)
    table.references += _sqlite_references(database, name)
    table.columns += columns
    require_width(table)
    writer, blobs = TableWriter(staging, table), dict[int, int]()
    damaged = 0

    def decoded(text: bytes) -> str:
        nonlocal damaged
        try:
            return text.decode()
        except UnicodeDecodeError:
            damaged += 1
            return text.decode(errors="replace")

    database.text_factory = decoded
    selected = ", ".join(map(quoted, columns))
    cursor = database.execute(f"SELECT {selected} FROM {quoted(name)}")  # noqa: S608
    position = 0
    while rows := cursor.fetchmany(ROWS):
        for row in rows:
            position += 1
            for at, value in enumerate(row):
                if isinstance(value, bytes):
                    blobs[at] = blobs.get(at, 0) + 1
            writer.add_row(position, [_text(value, writer) for value in row])
    writer.finish()
    if damaged:
        table.notes.append(f"{damaged:,} texts are not UTF-8; their wrong bytes became \ufffd")
    for at, count in blobs.items():
        table.left_out[columns[at]] = f"binary in {count:,} of {position:,} records"
    return table


def _sqlite_references(database: sqlite3.Connection, name: str) -> Iterator[Reference]:
    rows = database.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall()
    keys: dict[int, list[tuple[Any, ...]]] = {}
    for row in sorted(rows, key=lambda row: (row[0], row[1])):
        keys.setdefault(row[0], []).append(row)
    for key in reversed(keys.values()):  # SQLite lists the last one first
        targets = tuple(row[4] for row in key if row[4])
        yield Reference(tuple(row[3] for row in key), key[0][2], targets)


def _text(value: Any, writer: TableWriter) -> str | None:
    if value is None or isinstance(value, bytes):
        return None
    return writer.without_nul(value) if isinstance(value, str) else repr(value)


def _duckdb_tables(staging: Staging, path: Path, has: Has) -> Iterator[SourceTable]:
    staging.run(f"ATTACH {literal(str(path.resolve()))} AS source (READ_ONLY)")
    try:
        tables = staging.run(
            "SELECT schema_name, table_name, table_oid FROM duckdb_tables() "
            "WHERE database_name = 'source' ORDER BY table_oid"
        ).fetchall()
        schemas = {schema for schema, *_ in tables}
        wanted = [
            (title, schema, name)
            for schema, name, _ in tables
            if has(title := name if len(schemas) == 1 else f"{schema}.{name}")
        ]
        require_few(path.name, len(wanted))
        for title, schema, name in wanted:
            table = staging.new_table(path, "record", title)
            relation = f"source.{quoted(schema)}.{quoted(name)}"
            _declared(staging, table, schema, name, len(schemas) > 1)
            staging.fill(table, relation)
            yield table
    finally:
        staging.run("DETACH source")


def _declared(
    staging: Staging, table: SourceTable, schema: str, name: str, in_schemas: bool
) -> None:
    """Add the keys that a table declares."""
    (width,) = staging.row(
        "SELECT count(*) FROM duckdb_columns() WHERE database_name = 'source' "  # noqa: S608
        f"AND schema_name = {literal(schema)} AND table_name = {literal(name)}"
    )
    if width > MAX_COLUMNS:
        table.columns += [""] * width
        require_width(table)
    constraints = staging.run(
        "SELECT constraint_type, constraint_column_names, referenced_table, "
        "referenced_column_names FROM duckdb_constraints() WHERE database_name = 'source' "
        "AND schema_name = ? AND table_name = ? ORDER BY constraint_index",
        [schema, name],
    ).fetchall()
    for sort, columns, other, others in constraints:
        if sort == "PRIMARY KEY":
            table.key = tuple(columns)
        elif sort == "FOREIGN KEY":
            target = f"{schema}.{other}" if in_schemas else other
            table.references.append(Reference(tuple(columns), target, tuple(others)))
