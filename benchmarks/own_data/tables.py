"""Tables as a source holds them, and how they are written as files, databases and workbooks."""

import csv
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

Value = Any
TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", Decimal: "DECIMAL(12,2)", date: "DATE"}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a source.

    Attributes:
        name: The name of the table, file, sheet or list.
        columns: The names of the columns.
        rows: The values.
        key: The columns that identify a row; none where a source declares and needs no key.
        links: Columns with a key of another table, or of the same one, by the table's name. A
            table without a key joins the tables of its links: its rows are edges.
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Value, ...]]
    key: tuple[str, ...] = ()
    links: Mapping[str, str] | None = None

    def values(self, column: str) -> list[Value]:
        """Return the values of a column."""
        at = self.columns.index(column)
        return [row[at] for row in self.rows]


def text_of(value: Value) -> str | None:
    """Return a value as a text file has it; None for no value."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return json.dumps(value, sort_keys=True, default=str)
    return str(value)


def write_csvs(folder: Path, tables: Sequence[Table]) -> None:
    """Write a folder of CSV files."""
    folder.mkdir()
    for table in tables:
        write_csv(folder / f"{table.name}.csv", [table])


def write_csv(path: Path, tables: Sequence[Table]) -> None:
    """Write one CSV file."""
    [table] = tables
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([table.columns, *(map(text_of, row) for row in table.rows)])


def write_lists(path: Path, tables: Sequence[Table]) -> None:
    """Write one JSON object with a list for each table."""
    path.write_text(json.dumps({table.name: _records(table) for table in tables}), "utf-8")


def write_lines(path: Path, tables: Sequence[Table]) -> None:
    """Write one JSON object per line; a dot in the name of a column is an object in the record."""
    [table] = tables
    path.write_text("".join(json.dumps(record) + "\n" for record in _records(table)), "utf-8")


def write_sqlite(path: Path, tables: Sequence[Table]) -> None:
    """Write a SQLite database with declared keys."""
    with closing(sqlite3.connect(path)) as database:
        _fill(database, tables, lambda value: value if type(value) is int else text_of(value))
        database.commit()


def write_duckdb(path: Path, tables: Sequence[Table]) -> None:
    """Write a DuckDB database with declared keys."""
    with closing(duckdb.connect(str(path))) as database:
        _fill(database, tables, lambda value: value)


def write_workbook(path: Path, tables: Sequence[Table]) -> None:
    """Write a workbook with a sheet for each table."""
    from tests.fakes.workbook import write_workbook

    def cell(value: Value) -> Any:
        return value if type(value) in {int, float} else text_of(value)

    sheets = {
        table.name: [table.columns, *([*map(cell, row)] for row in table.rows)] for table in tables
    }
    write_workbook(path, sheets)


def _records(table: Table) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for row in table.rows:
        record: dict[str, Any] = {}
        for column, value in zip(table.columns, row, strict=True):
            outer, _, inner = column.partition(".")
            plain = float(value) if isinstance(value, Decimal) else value
            plain = str(plain) if isinstance(plain, date) else plain
            if inner:
                record.setdefault(outer, {})[inner] = plain
            else:
                record[outer] = plain
        records.append(record)
    return records


def _fill(database: Any, tables: Sequence[Table], cell: Callable[[Value], Value]) -> None:
    keys = {table.name: table.key for table in tables}
    for table in tables:
        parts = [f'"{column}" {_type(table.values(column))}' for column in table.columns]
        if table.key:
            parts.append(f"PRIMARY KEY ({', '.join(table.key)})")
        for column, other in (table.links or {}).items():
            parts.append(f"FOREIGN KEY ({column}) REFERENCES {other}({keys[other][0]})")
        database.execute(f"CREATE TABLE {table.name} ({', '.join(parts)})")
        marks = ", ".join("?" * len(table.columns))
        rows = [tuple(map(cell, row)) for row in table.rows]
        database.executemany(f"INSERT INTO {table.name} VALUES ({marks})", rows)


def _type(values: Sequence[Value]) -> str:
    return next((TYPES.get(type(value), "TEXT") for value in values if value is not None), "TEXT")
