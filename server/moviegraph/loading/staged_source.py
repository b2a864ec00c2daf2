"""The tables of a source: staged, each under its part of the column map, and profiled."""

from calendar import month_abbr, month_name
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from glob import escape
from itertools import product, takewhile
from pathlib import Path
from typing import Any

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
from moviegraph.loading.column_profile import (
    TableProfile,
    literal_json,
    profile_table,
    words_of_header,
)
from moviegraph.loading.readers import read_tables
from moviegraph.loading.relations import KEYS
from moviegraph.loading.row_validation import Rejects
from moviegraph.loading.source_files import (
    EmptyFileError,
    Source,
    is_lines_file,
    source_files,
    source_name,
)
from moviegraph.loading.staged_rows import typed_columns
from moviegraph.names import singular
from moviegraph.text import shorten

MAX_SHOWN = 20
MAX_SHOWN_CHARS = 120
FILE_COLUMN = "SourceFile"
NUMBER, MONTH = "0", "(month)"
MONTHS = frozenset(map(str.lower, [*month_name, *month_abbr]))
NOT_IN_NUMBERS = "[,.$€£% ]"


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
        left_out: The files and tables that are not read, and why.
    """

    staging: Staging
    tables: list[StagedTable]
    lines: list[Path]
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])


@contextmanager
def staged_source(
    source: Source,
    rejects: Rejects,
    columns: ColumnMap | None,
    contract: Contract | None,
    progress: Progress,
    *,
    is_joined: bool = False,
) -> Generator[StagedSource]:
    """Yield the tables of a source.

    Args:
        source: A folder, a file, or several files.
        rejects: Takes the records that cannot be read.
        columns: The column map; without one JSON Lines contain nodes and edges.
        contract: The contract of the rows; None for a draft.
        progress: Called with stage, done and total.
        is_joined: Tables of the same columns whose names differ in numbers or months become one.

    Raises:
        SourceError: There is nothing to read, a file is damaged, or the map names no table.
    """
    files = source_files(source, mapped=columns is not None)
    lines = [path for path in files if is_lines_file(path) and _has_graph_form(path, columns)]
    tables = [path for path in files if path not in lines]
    if columns is None or not columns.tables:
        names = [path.name.split(".")[0] for path in tables]
        alike = is_joined or (columns is not None and columns.file_column)
        require_few(source_name(source), len(set(map(_form, names)) if alike else names))
    with staging_of(tables, progress) as staging:
        staging.function("literal_json", literal_json)
        found = _Matching(staging, columns or ColumnMap())
        for path in tables:
            try:
                how = found.of_file(path.name)
                found.tables += read_tables(staging, path, how, rejects, found.has)
            except EmptyFileError:
                if len(files) == 1:
                    raise
                found.left_out[path.name] = "it is empty"
        if not columns or not columns.tables:
            _require_content([*found.tables, *lines], found.left_out)
        staged: list[StagedTable] = []
        if is_joined:
            found.tables = _joined(staging, found.tables, source_name(source))
        matched = found.matched()
        require_few(source_name(source), len(matched))
        for done, (table, part) in enumerate(matched):
            progress("Reading columns", done, len(matched))
            staged.append(StagedTable(part, _profile(staging, table, part, contract)))
        yield StagedSource(staging, staged, lines, found.left_out)


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

    def __init__(self, staging: Staging, columns: ColumnMap) -> None:
        self._staging, self._columns = staging, columns
        self.tables: list[SourceTable] = []
        self.left_out: dict[str, str] = {}

    def of_file(self, name: str) -> ColumnMap:
        """Return how a file is read."""
        pattern = self._columns.pattern(name)
        return self._columns.under(pattern) if pattern else self._columns

    def has(self, name: str) -> bool:
        """Return whether a table is read; else it is left out."""
        if not self._columns.tables or self._columns.pattern(name):
            return True
        self.left_out[name] = "the map does not name it"
        return False

    def matched(self) -> list[tuple[SourceTable, ColumnMap]]:
        """Return the tables with their maps in the order of the column map.

        Raises:
            SourceError: A pattern fits no table.
        """
        if not self._columns.tables:
            return self._under("", self.tables, self._columns)
        matched: list[tuple[SourceTable, ColumnMap]] = []
        patterns = {table.name: self._columns.pattern(table.name) for table in self.tables}
        for pattern in self._columns.tables:
            named = [table for table in self.tables if patterns[table.name] == pattern]
            if not named:
                missed = [name for name in self.left_out if self._columns.pattern(name) == pattern]
                _require_content([], missed)
                names = ", ".join([*patterns, *self.left_out][:MAX_SHOWN])
                raise SourceError(
                    f"The column map contains tables.{pattern!r}, but no table matches it.",
                    hint=f"Tables: {names}. The first pattern that matches a name is used.",
                )
            matched += self._under(pattern, named, self._columns.under(pattern))
        return matched

    def _under(
        self, pattern: str, tables: list[SourceTable], part: ColumnMap
    ) -> list[tuple[SourceTable, ColumnMap]]:
        if part.file_column and tables:
            name = pattern or tables[0].name
            tables = [self._staging.join(tables, name, tables[0].title, part.file_column)]
        return [(table, part) for table in tables]


def _require_content(found: Sequence[object], empty: Collection[str]) -> None:
    """Raise SourceError where nothing is found but empty files."""
    if empty and not found:
        files = shorten(", ".join(empty), MAX_SHOWN_CHARS)
        hint = "Add a first line with column names, or remove the file from source and column map."
        raise SourceError(f"{files} {'is' if len(empty) == 1 else 'are'} empty.", hint=hint)


def _form(title: str) -> tuple[str, ...]:
    """Return the words of a title, with one word for all numbers, and one for all months."""
    return tuple(
        NUMBER if word.isdigit() else MONTH if word in MONTHS else word
        for word in words_of_header(title)
    )


def _joined(staging: Staging, tables: list[SourceTable], source: str) -> list[SourceTable]:
    """Return the tables, with one for those that are parts of one table by all that shows."""
    result, patterns = list[SourceTable](), dict[str, list[str]]()
    for group in _groups(staging, tables):
        if len(group) == 1:
            result += group
            continue
        others = [table for table in tables if table not in group]
        names = [table.name.lower() for table in group]
        pattern = _pattern([table.name for table in group])
        is_unclear = any(  # a column map could not tell two such groups apart
            fnmatchcase(name, other)
            for known, others in patterns.items()
            for name, other in (*product(names, [known]), *product(others, [pattern.lower()]))
        )
        words = [word for word in _form(group[0].title) if word not in (NUMBER, MONTH)]
        reason = _obstacle(staging, group, others, words[-1:])
        if not reason and (is_unclear or (others and not words)):
            reason = "no pattern names them alone"
        if reason:
            _tell_apart(group, reason)
            result += group
            continue
        patterns[pattern.lower()] = names
        title = "_".join(word for word in words if len(word) > 1)  # of q1 and v2, the number tells
        table = staging.join(group, pattern, title or source.split(".")[0], FILE_COLUMN)
        table.file = pattern if title else source
        files = shorten(", ".join(table.name for table in group), MAX_SHOWN_CHARS)
        note = (
            f"{len(group)} tables of the same columns are one, and {table.file_column} says which"
        )
        table.notes.insert(0, f"{note}: {files}")
        result.append(table)
    return result


def _tell_apart(tables: Sequence[SourceTable], reason: str) -> None:
    names = shorten(", ".join(table.name for table in tables), MAX_SHOWN_CHARS)
    tables[0].notes.append(f"{names} have equal columns and stay apart: {reason}")


def _groups(staging: Staging, tables: list[SourceTable]) -> Iterator[list[SourceTable]]:
    """Yield tables together that have the same columns, and differ in parts of their titles."""
    alike: dict[tuple[Any, ...], list[SourceTable]] = {}
    for table in tables:
        columns = tuple(sorted(map(str.lower, table.columns)))
        form = (_form(table.container), _form(table.title))
        is_part = columns and any({NUMBER, MONTH} & set(words) for words in form)
        is_apart = table.key or table.references or not is_part
        alike.setdefault((table.name,) if is_apart else (form, columns), []).append(table)
    for group in alike.values():
        fitting: list[tuple[dict[str, float], list[SourceTable]]] = []
        for table in group:
            shares = _number_shares(staging, table) if len(group) > 1 else {}
            same = next((same for other, same in fitting if _are_alike(shares, other)), None)
            if same is None:
                fitting.append((shares, [table]))
            else:
                same.append(table)
        if len(fitting) > 1:
            reason = "a column holds numbers in one and texts in another"
            _tell_apart([same[0] for _, same in fitting], reason)
        yield from (same for _, same in fitting)


def _obstacle(
    staging: Staging, group: list[SourceTable], others: list[SourceTable], thing: list[str]
) -> str:
    """Return why tables must not be one: another refers to them, and no id is unique in all."""
    header = next(
        (
            f"{name} of {other.name}"
            for other in others
            for name in other.columns
            if _refers(name, group[0], thing)
        ),
        "",
    )
    if not header:
        return ""
    for name in group[0].columns:
        if words_of_header(name)[-1:] and words_of_header(name)[-1] in KEYS:
            cells = " UNION ALL ".join(
                f"SELECT c{[*map(str.lower, table.columns)].index(name.lower())} AS id "  # noqa: S608
                f"FROM {table.relation}"
                for table in group
            )
            if staging.row(f"SELECT count(*) = count(DISTINCT id) FROM ({cells})")[0]:  # noqa: S608
                return ""
    return f"{header} may refer to them, and no id is unique in all"


def _refers(name: str, table: SourceTable, thing: list[str]) -> bool:
    """Return whether a column of another table is named after a table, or as its id."""
    words = words_of_header(name)
    is_its_id = name.lower() in map(str.lower, table.columns) and len(words) > 1
    is_named = any(singular(word) == singular(other) for word in words for other in thing)
    return is_named or (is_its_id and words[-1] in KEYS)


def _pattern(names: list[str]) -> str:
    """Return the pattern of a column map for names that differ in one place."""
    start = _shared_start(names).rstrip("0123456789")
    end = _shared_start([name[len(start) :][::-1] for name in names])[::-1].lstrip("0123456789")
    return f"{escape(start)}*{escape(end)}"


def _shared_start(names: list[str]) -> str:
    letters = zip(*map(str.lower, names), strict=False)
    return names[0][: sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, letters))]


def _number_shares(staging: Staging, table: SourceTable) -> dict[str, float]:
    """Return the share of numbers in each column with values."""
    counts = ", ".join(
        f"avg((TRY_CAST(regexp_replace(c{at}, '{NOT_IN_NUMBERS}', '', 'g') AS DOUBLE) "
        f"IS NOT NULL)::INT) "
        f"FILTER (WHERE c{at} IS NOT NULL)"
        for at in range(len(table.columns))
    )
    shares = staging.row(f"SELECT {counts} FROM {table.relation}")  # noqa: S608
    return {
        name.lower(): share
        for name, share in zip(table.columns, shares, strict=False)
        if share is not None
    }


def _are_alike(shares: Mapping[str, float], others: Mapping[str, float]) -> bool:
    """Return whether no column holds numbers in one table and texts in the other."""
    pairs = ((share, others[name]) for name, share in shares.items() if name in others)
    return all(min(pair) > 0.1 or max(pair) < 0.9 for pair in pairs)
