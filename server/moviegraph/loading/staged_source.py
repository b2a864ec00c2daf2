"""The tables of a source: staged, each under its part of the column map, and profiled."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.graph_builder import Progress
from moviegraph.engines.embedded.source_staging import (
    SourceTable,
    Staging,
    require_few,
    staging_of,
)
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.column_profile import TableProfile, literal_json, profile_table
from moviegraph.loading.readers import read_tables
from moviegraph.loading.row_validation import Rejects
from moviegraph.loading.source_files import (
    Source,
    is_lines_file,
    source_files,
    source_name,
)
from moviegraph.loading.staged_rows import typed_columns

MAX_SHOWN = 20


@dataclass(frozen=True, slots=True, eq=False)
class StagedTable:
    """A table in a staging, profiled as its column map says."""

    columns: ColumnMap
    profile: TableProfile


@dataclass(frozen=True, slots=True, eq=False)
class StagedSource:
    """The content of a source: tables of a staging, and JSON Lines of nodes and edges.

    Attributes:
        staging: The staging.
        tables: Its tables in the order of the source, or of the column map.
        lines: The files of JSON Lines.
        left_out: The files and tables that the column map does not name.
    """

    staging: Staging
    tables: list[StagedTable]
    lines: list[Path]
    left_out: tuple[str, ...] = ()


@contextmanager
def staged_source(
    source: Source,
    rejects: Rejects,
    columns: ColumnMap | None,
    contract: Contract | None,
    progress: Progress,
) -> Generator[StagedSource]:
    """Yield the tables of a source.

    Args:
        source: A folder, a file, or several files.
        rejects: Takes the records that cannot be read.
        columns: The column map; without one JSON Lines contain nodes and edges.
        contract: The contract of the rows; None for a draft.
        progress: Called with stage, done and total.

    Raises:
        SourceError: There is nothing to read, a file is damaged, or the map names no table.
    """
    files = source_files(source, mapped=columns is not None)
    lines = [path for path in files if is_lines_file(path) and _has_graph_form(path, columns)]
    tables = [path for path in files if path not in lines]
    if columns is None or not columns.tables:
        require_few(source_name(source), len(tables))
    with staging_of(tables, progress) as staging:
        staging.function("literal_json", literal_json)
        found = _Matching(columns or ColumnMap())
        for path in tables:
            for table in read_tables(staging, path, found.of_file(path.name), rejects, found.has):
                found.tables.append(table)
        staged: list[StagedTable] = []
        matched = found.matched()
        require_few(source_name(source), len(matched))
        for done, (table, part) in enumerate(matched):
            progress("Reading columns", done, len(matched))
            staged.append(StagedTable(part, _profile(staging, table, part, contract)))
        yield StagedSource(staging, staged, lines, tuple(found.left_out))


def _has_graph_form(path: Path, columns: ColumnMap | None) -> bool:
    """Return whether JSON Lines are read as nodes and edges: those that no map names."""
    return columns is None or bool(columns.tables and not columns.pattern(path.name))


def _profile(
    staging: Staging, table: SourceTable, part: ColumnMap, contract: Contract | None
) -> TableProfile:
    return profile_table(
        staging,
        table,
        day_first=part.dates == "day first",
        absent=part.absent_words,
        wanted=None if contract is None else typed_columns(part, contract),
    )


class _Matching:
    """Which map a table has, by its name."""

    def __init__(self, columns: ColumnMap) -> None:
        self._columns = columns
        self.tables: list[SourceTable] = []
        self.left_out: list[str] = []

    def of_file(self, name: str) -> ColumnMap:
        """Return how a file is read."""
        pattern = self._columns.pattern(name)
        return self._columns.under(pattern) if pattern else self._columns

    def has(self, name: str) -> bool:
        """Return whether a table is read; else it is left out."""
        if not self._columns.tables or self._columns.pattern(name):
            return True
        self.left_out.append(name)
        return False

    def matched(self) -> list[tuple[SourceTable, ColumnMap]]:
        """Return the tables with their maps in the order of the column map.

        Raises:
            SourceError: A pattern fits no table.
        """
        if not self._columns.tables:
            return [(table, self._columns) for table in self.tables]
        matched: list[tuple[SourceTable, ColumnMap]] = []
        patterns = {table.name: self._columns.pattern(table.name) for table in self.tables}
        for pattern in self._columns.tables:
            named = [table for table in self.tables if patterns[table.name] == pattern]
            if not named:
                names = ", ".join([*patterns, *self.left_out][:MAX_SHOWN])
                raise SourceError(
                    f"The column map contains tables.{pattern!r}, but no table matches it.",
                    hint=f"Tables: {names}. The first pattern that matches a name is used.",
                )
            matched += [(table, self._columns.under(pattern)) for table in named]
        return matched
