"""Staging: the tables of a source in an in-process DuckDB, every cell as text, nothing decided.

Names of columns are data: in DuckDB a column is called c0, c1, ...
"""

import shutil
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Literal, cast

import duckdb
import numpy as np
from duckdb.func import FunctionNullHandling
from numpy.typing import NDArray

from moviegraph.engines.embedded.graph_builder import Progress
from moviegraph.errors import SourceError
from moviegraph.text import one_line, shorten

MAX_TABLES = 200
MAX_COLUMNS = 1000  # a profile of 4,000 columns ends the process
MEMORY = "800MB"
CHUNK = 16_384
SPECIAL = FunctionNullHandling.SPECIAL
ABSENT = "\\N"
COMPACT = (",", ":")  # separators of JSON, as DuckDB writes it
BLANKS = "chr(32) || chr(9) || chr(10) || chr(13)"
MAX_LEAVES = 40  # an object of more members is kept as JSON: its keys are data
MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key that a source declares: columns of a table, and those that they refer to.

    Without `others` they refer to the key of the other table.
    """

    columns: tuple[str, ...]
    table: str
    others: tuple[str, ...]


@dataclass(slots=True, eq=False)
class SourceTable:
    """A table of a source.

    Attributes:
        title: What its rows are named after: the file's name without its endings, or a table's.
        name: What a column map calls it: the name of the file, or of a table within it.
        file: What messages call it.
        relation: The table in DuckDB: `pos`, the position of the record, and c0, c1, ...
        unit: What positions count.
        columns: The names of the columns, unique without regard to case.
        notes: What the reader decided, for the operator.
        left_out: Columns that are not read, or not all of their cells, and why.
        nested: Columns that the source writes as lists or objects; their cells are JSON.
        key: The columns of the key that the source declares.
        references: The foreign keys that it declares.
        file_column: The column that says from which of several joined tables a row is.
        container: Of a part of a file, the name of that without its endings.
    """

    title: str
    name: str
    file: str
    relation: str
    unit: Literal["line", "record"] = "record"
    columns: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    nested: set[str] = field(default_factory=set[str])
    key: tuple[str, ...] = ()
    references: list[Reference] = field(default_factory=list[Reference])
    file_column: str | None = None
    container: str = ""


class Staging:
    """The tables of a source. Only files that a reader opens are ever read, and only Parquet."""

    def __init__(self, files: Sequence[Path], folder: Path, progress: Progress) -> None:
        self.progress = progress
        self._connection = duckdb.connect(config={"memory_limit": MEMORY, "threads": 2})
        self._links = {path: folder / f"{at}.parquet" for at, path in enumerate(files)}
        self.tables: list[SourceTable] = []
        self.run("SET GLOBAL TimeZone = 'UTC'")
        self.run(f"SET temp_directory = {literal(str(folder))}")
        self.run("SET preserve_insertion_order = true")
        paths = [*self._links.values(), *(path.resolve() for path in files)]
        paths += [path.with_name(f"{path.name}.wal") for path in paths]  # what DuckDB wrote last
        allowed = ", ".join(literal(str(path)) for path in paths)
        self.run(f"SET allowed_paths = [{allowed}]")
        self.run("SET enable_external_access = false")
        self.run("SET lock_configuration = true")

    def readable(self, path: Path) -> Path:
        """Return a name of a file under which DuckDB may read it, without wildcards."""
        link = self._links[path]
        if not link.exists():
            try:
                link.symlink_to(path.resolve())
            except OSError:  # Windows, without the right to make links
                shutil.copyfile(path, link)
        return link

    def run(self, sql: str, parameters: object = None) -> duckdb.DuckDBPyConnection:
        """Run a statement."""
        return self._connection.execute(sql, parameters)

    def row(self, sql: str) -> tuple[Any, ...]:
        """Return the first row of a query."""
        found = self._connection.execute(sql).fetchone()
        assert found is not None
        return found

    def columns(self, sql: str) -> list[NDArray[Any]]:
        """Return the columns of a query, whose names differ; a text that is NULL is None."""
        found: Any = self._connection.execute(sql)
        return [np.ma.getdata(values) for values in found.fetchnumpy().values()]

    def function(self, name: str, call: Any) -> None:
        """Define a function of text to text."""
        self._connection.create_function(  # pyright: ignore[reportUnknownMemberType]
            name, call, ["VARCHAR"], "VARCHAR", null_handling=SPECIAL
        )

    def read_parquet(self, path: Path) -> SourceTable:
        """Read a Parquet file; lists, maps and large objects become JSON, other objects columns.

        Raises:
            SourceError: It is no Parquet, or damaged, or has too many columns.
        """
        table = self.new_table(path, "record")
        file = literal(str(self.readable(path)))
        try:
            (width,) = self.row(f"SELECT num_children FROM parquet_schema({file}) LIMIT 1")  # noqa: S608
            if width > MAX_COLUMNS:  # to describe 30,000 takes ten seconds
                raise _too_wide(table)
            self.run(f"CREATE VIEW parquet AS FROM read_parquet({file})")
            self.fill(table, "parquet")
            self.run("DROP VIEW parquet")
        except duckdb.Error as error:
            reason = one_line(str(error)).partition("LINE 1:")[0].replace(file, path.name)
            reason = shorten(reason.removeprefix("Invalid Input Error: ").strip(), 120).rstrip(".")
            raise SourceError(
                f"{path.name} cannot be read as Parquet: {reason}.",
                hint="Get or write the file again. Nothing was changed.",
            ) from error
        return table

    def fill(self, table: SourceTable, relation: str) -> None:
        """Copy a typed relation of DuckDB; lists and maps become JSON, other objects columns."""
        described = self.run(f"DESCRIBE {relation}").fetchall()
        cells = (
            cell
            for name, sql_type, *_ in described
            for cell in _typed_cells(quoted(name), str(name), str(sql_type), table, 0)
        )
        expressions = ["row_number() OVER () AS pos"]
        for name, expression in islice(cells, MAX_COLUMNS + 1):
            expressions.append(f"{expression} AS c{len(table.columns)}")
            table.columns.append(unique_header(name, table.columns))
        require_width(table)
        selected = ", ".join(expressions)
        self.run(f"CREATE TABLE {table.relation} AS SELECT {selected} FROM {relation}")  # noqa: S608

    def new_table(
        self, path: Path, unit: Literal["line", "record"], part: str | None = None
    ) -> SourceTable:
        """Return a new table without columns: a file, or the part of one that has a name."""
        title, file, container = path.name.split(".")[0], path.name, ""
        if part is not None:
            title, file, container = part, f"{one_line(part)} of {path.name}", title
        name = unique_header(part or path.name, (table.name for table in self.tables))
        table = SourceTable(title, name, file, f"s{len(self.tables)}", unit, container=container)
        self.tables.append(table)
        return table

    def join(
        self, tables: Sequence[SourceTable], name: str, title: str, column: str
    ) -> SourceTable:
        """Return one table of the rows of several, with a column that says which; drops them."""
        columns: dict[str, str] = {}
        for column_name in (name for table in tables for name in table.columns):
            columns.setdefault(column_name.lower(), column_name)
        column = unique_header(column, columns)
        joined = SourceTable(title, name, name, f"s{len(self.tables)}", file_column=column)
        joined.columns += [*columns.values(), column]
        self.tables.append(joined)
        self.ensure(joined)
        notes: dict[str, list[str]] = {}
        is_told = len({table.title for table in tables}) == len(tables)
        for table in tables:
            which = table.name if is_told else table.file
            own = [column.lower() for column in table.columns]
            cells = [f"c{own.index(column)}" if column in own else "NULL" for column in columns]
            selected = ", ".join([*cells, literal(which)])
            self.run(
                f"INSERT INTO {joined.relation} SELECT row_number() OVER () + "  # noqa: S608
                f"(SELECT count(*) FROM {joined.relation}), {selected} FROM {table.relation}"
            )
            self.run(f"DROP TABLE {table.relation}")
            joined.left_out |= table.left_out
            joined.nested |= {columns[name.lower()] for name in table.nested}
            for note in table.notes:
                notes.setdefault(note, []).append(table.file)
        for note, files in notes.items():
            more = f" and {len(files) - 1} more" if len(files) > 1 else ""
            joined.notes.append(f"{note} ({files[0]}{more})")
        return joined

    def insert(
        self, table: SourceTable, positions: Sequence[int], rows: Iterable[Sequence[str | None]]
    ) -> None:
        """Insert rows of texts, shorter ones with NULL at their end; adds missing columns.

        Blanks around a text are removed; an empty one, and that of database exports, is NULL.
        """
        if len(positions):
            self.ensure(table)
            chunk: dict[str, Any] = {"pos": np.array(positions, dtype=np.int64)}
            columns: Iterator[tuple[str | None, ...]] = zip_longest(*rows)
            for number, values in enumerate(columns):
                array = np.empty(len(positions), dtype=object)
                array[:] = [_clean(value) for value in values]
                chunk[f"c{number}"] = array
            self._connection.register("chunk", chunk)
            names = ", ".join(chunk)
            self.run(f"INSERT INTO {table.relation}({names}) SELECT {names} FROM chunk")  # noqa: S608
            self._connection.unregister("chunk")

    def ensure(self, table: SourceTable) -> None:
        """Create the table, or the columns that it lacks."""
        require_width(table)
        self.run(f"CREATE TABLE IF NOT EXISTS {table.relation} (pos BIGINT)")
        have = {row[0] for row in self.run(f"DESCRIBE {table.relation}").fetchall()}
        for number in range(len(table.columns)):
            if f"c{number}" not in have:
                self.run(f"ALTER TABLE {table.relation} ADD COLUMN c{number} VARCHAR")

    def close(self) -> None:
        """Drop everything."""
        self._connection.close()


@contextmanager
def staging_of(files: Sequence[Path], progress: Progress) -> Generator[Staging]:
    """Yield an empty staging that may read these files; it spills to a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="moviegraph-") as folder:
        staging = Staging(files, Path(folder), progress)
        try:
            yield staging
        finally:
            staging.close()


class TableWriter:
    """Fills a table, a chunk at a time."""

    def __init__(self, staging: Staging, table: SourceTable) -> None:
        self._staging = staging
        self.table = table
        self.nuls = 0
        self._done = 0
        self._known: dict[str, int] = {}
        self._positions: list[int] = []
        self._rows: list[Sequence[str | None]] = []

    def add_row(self, position: int, cells: Sequence[str | None]) -> None:
        """Add the cells of the first columns."""
        self._positions.append(position)
        self._rows.append(cells)
        if len(self._rows) >= CHUNK:
            self.flush()

    def add_record(self, position: int, values: Mapping[str, str | None]) -> None:
        """Add values by column; a new column is added to the table."""
        cells: list[str | None] = [None] * len(self.table.columns)
        for name, value in values.items():
            at = self._known.get(name)
            if at is None:
                at = self._known[name] = len(self.table.columns)
                self.table.columns.append(unique_header(name, self.table.columns))
                cells.append(None)
                if at >= MAX_COLUMNS:
                    require_width(self.table)
            cells[at] = value
        self.add_row(position, cells)

    def flush(self) -> None:
        """Write what was added."""
        self._staging.insert(self.table, self._positions, self._rows)
        self._done += len(self._rows)
        if self._done >= CHUNK:
            self._staging.progress(f"Reading {self.table.file}", self._done, 0)
        self._positions, self._rows = [], []

    def finish(self) -> None:
        """Write the rest, and note what was removed."""
        self.flush()
        self._staging.ensure(self.table)
        if self.nuls:
            self.table.notes.append(f"NUL characters removed from {self.nuls:,} records")

    def without_nul(self, text: str) -> str:
        """Return a text that every database can store, and count it where it changed."""
        if "\0" not in text:
            return text
        self.nuls += 1
        return text.replace("\0", "")


def require_few(source: str, tables: int) -> None:
    """Raise SourceError for more tables than a graph is drafted of."""
    if tables > MAX_TABLES:
        raise SourceError(
            f"{source} has more than {MAX_TABLES} tables.",
            hint="Name those that you need one by one, or in a column map.",
        )


def require_width(table: SourceTable) -> None:
    """Raise SourceError for a table that is too wide to be profiled."""
    if len(table.columns) > MAX_COLUMNS:
        raise _too_wide(table)


def _too_wide(table: SourceTable) -> SourceError:
    return SourceError(
        f"{table.file} has more than {MAX_COLUMNS:,} columns.",
        hint="Turn the columns into rows (column, value), or keep only those you need.",
    )


def unique_header(name: str, used: Iterable[str]) -> str:
    """Return a header unlike those in use: title, title 2."""
    lowered, unique, number = {other.lower() for other in used}, name, 2
    while unique.lower() in lowered:
        unique, number = f"{name} {number}", number + 1
    return unique


def literal(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _clean(text: str | None) -> str | None:
    if not text:
        return None
    text = text.strip()
    return None if not text or text == ABSENT else text


def _typed_cells(
    expression: str, name: str, sql_type: str, table: SourceTable, depth: int
) -> Iterator[tuple[str, str]]:
    if sql_type in ("BLOB", "BIT", "GEOMETRY"):
        table.left_out[name] = "binary"
    elif sql_type.startswith("STRUCT(") and sql_type.endswith(")"):
        members = duckdb.type(sql_type).children
        if len(members) > MAX_LEAVES or depth >= MAX_DEPTH:
            yield name, f"to_json({expression})::VARCHAR"
            return
        for member, member_type in cast("list[tuple[str, Any]]", members):
            inner = f"struct_extract({expression}, {literal(member)})"
            yield from _typed_cells(inner, f"{name}.{member}", str(member_type), table, depth + 1)
    elif sql_type.endswith("]") or sql_type.startswith(("MAP", "UNION", "JSON", "VARIANT")):
        table.nested.add(name)
        text = f"to_json({expression})::VARCHAR"
        yield name, f"CASE WHEN {text} NOT IN ('[]', '{{}}', 'null') THEN {text} END"
    else:
        yield name, f"nullif(trim(replace({expression}::VARCHAR, chr(0), ''), {BLANKS}), '')"


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'
