"""A source read without moviegraph, and what reading and indexing it cost alone.

DuckDB reads it; where that needs an extension, SQLite or calamine do.
"""

import json
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from benchmarks.own_data.tables import Table

TEXT_FILES, DATABASES, WORKBOOKS = (
    {".csv", ".tsv", ".txt"},
    {".db", ".sqlite", ".sqlite3"},
    {".xlsx", ".xls"},
)


def read_source(path: Path, *, typed: bool = False) -> list[Table]:
    """Return the tables of a file, of a database or of the files of a folder.

    Cells of text files are texts, and objects of JSON become columns with a dot. With `typed`,
    DuckDB stores a file with types of its choice, and only the texts are returned.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and file.name[0] != ".")
        return [table for file in files for table in read_source(file, typed=typed)]
    suffix = next(end for end in reversed(path.suffixes) if end != ".gz")
    if suffix in WORKBOOKS:
        return _read_workbook(path)
    if suffix in DATABASES and path.open("rb").read(6) == b"SQLite":
        return _read_sqlite(path)
    if suffix in {*DATABASES, ".duckdb", ".ddb"}:
        with duckdb.connect(str(path), read_only=True) as database:
            names = [
                name
                for [name] in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()
            ]
            return [_table(database, name, f'FROM "{name}"') for name in names]
    return _read_file(path, suffix, typed=typed)


def _read_file(path: Path, suffix: str, *, typed: bool) -> list[Table]:
    file = str(path).replace("'", "''")
    with duckdb.connect() as connection:
        if suffix in TEXT_FILES:
            text = f"FROM read_csv('{file}', all_varchar={str(not typed).lower()}, sample_size=-1)"
        elif suffix == ".parquet":
            text = f"FROM read_parquet('{file}')"
        else:
            text = f"FROM read_json('{file}', sample_size=-1, maximum_object_size=1000000000)"
        if typed:
            connection.execute(f"CREATE TABLE stored AS {text}")
            described = connection.execute("DESCRIBE stored").fetchall()
            texts = [f'"{column[0]}"' for column in described if column[1] == "VARCHAR"]
            text = f"SELECT {', '.join(texts)} FROM stored" if texts else "FROM stored"
        table = _table(connection, _name(path), text)
    if suffix in {*TEXT_FILES, ".parquet"}:
        return [table]
    lists = [isinstance(value, list) for row in table.rows[:1] for value in row]
    if len(table.rows) == 1 and any(lists):
        return [
            _flat(name, value)
            for name, value in zip(table.columns, table.rows[0], strict=True)
            if isinstance(value, list)
        ]
    if typed:
        return [table]
    return [_flat(table.name, [dict(zip(table.columns, row, strict=True)) for row in table.rows])]


def _name(path: Path) -> str:
    return path.name.partition(".")[0]


def _table(connection: duckdb.DuckDBPyConnection, name: str, query: str) -> Table:
    cursor = connection.execute(query)
    columns = tuple(str(column[0]) for column in cursor.description or ())
    return Table(name, columns, cursor.fetchall())


def _read_sqlite(path: Path) -> list[Table]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        listed = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        tables: list[Table] = []
        for [name] in database.execute(listed).fetchall():
            cursor = database.execute(f'SELECT * FROM "{name}"')
            tables.append(Table(name, tuple(c[0] for c in cursor.description), cursor.fetchall()))
        return tables


def _read_workbook(path: Path) -> list[Table]:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_path(str(path))
    tables: list[Table] = []
    for name in book.sheet_names:
        rows = [tuple(row) for row in book.get_sheet_by_name(name).to_python()]
        if rows:
            tables.append(Table(name, tuple(map(str, rows[0])), rows[1:]))
    return tables


def _flat(name: str, records: Sequence[Any]) -> Table:
    """Return records as a table; columns with a dot for objects."""
    rows = [
        _leaves(record) if isinstance(record, dict) else {"value": record} for record in records
    ]
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    return Table(name, columns, [tuple(map(row.get, columns)) for row in rows])


def _leaves(record: dict[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            found |= _leaves(value, f"{before}{name}.")
        else:
            plain = json.loads(json.dumps(value, default=str)) if isinstance(value, list) else value
            found[f"{before}{name}"] = plain
    return found


def cost_alone(path: Path) -> float:
    """Return the CPU seconds of reading a source, and of FTS5's indexing of its prose.

    Prose is columns of texts of more than two words on average.
    """
    started = time.process_time()
    tables = read_source(path, typed=True)
    with (
        TemporaryDirectory() as folder,
        closing(sqlite3.connect(Path(folder) / "texts")) as database,
    ):
        for number, table in enumerate(tables):
            columns = [at for at in range(len(table.columns)) if _is_prose(table, at)]
            if not columns:
                continue
            names = ", ".join(f"c{at}" for at in columns)
            database.execute(f"CREATE VIRTUAL TABLE t{number} USING fts5({names}, content='')")
            rows = ((row, *(values[at] for at in columns)) for row, values in enumerate(table.rows))
            marks = ", ".join("?" * (len(columns) + 1))
            database.executemany(f"INSERT INTO t{number}(rowid, {names}) VALUES ({marks})", rows)
        database.commit()
    return time.process_time() - started


def _is_prose(table: Table, at: int) -> bool:
    values = [row[at] for row in table.rows[:1_000] if row[at] is not None]
    return (
        bool(values)
        and all(isinstance(value, str) for value in values)
        and sum(value.count(" ") for value in values) > 2 * len(values) - 1
    )
