"""Readers: delimited text, JSON of any shape, Parquet, workbooks and databases become tables."""

import csv
import json
import math
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise, product
from pathlib import Path
from typing import IO, Any, cast

from moviegraph.engines.embedded.source_databases import Has, is_database, read_database
from moviegraph.engines.embedded.source_staging import (
    COMPACT,
    MAX_COLUMNS,
    MAX_DEPTH,
    MAX_LEAVES,
    SourceTable,
    Staging,
    TableWriter,
    unique_header,
)
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.row_validation import BadRow, Reason, Rejects
from moviegraph.loading.source_files import (
    BAD_BYTES,
    MAX_BYTES,
    WORKBOOKS,
    ZIP,
    EmptyFileError,
    opened,
    opened_text,
)
from moviegraph.loading.workbooks import read_sheets
from moviegraph.text import one_line, plural, shorten

PARQUET = b"PAR1"
MAX_TEXT = 512 << 20  # JSON that is not one record per line is in memory as a whole
SAMPLE_CHARS = 1 << 18
SAMPLE_ROWS = 2000
MAX_PREAMBLE = 50
FEATURE = ("type", "properties", "geometry")
BETWEEN = re.compile(r"[ \t\r\n,]*")
NUMBER = re.compile(r"[-+]?\d[\d.,]*")
YEAR = re.compile(r"(1[5-9]|20)\d\d")
BY_LINE = "Fix it, or save it with one object per line. Nothing was changed."
UTF8 = 'save the file as UTF-8, or name its encoding, as in encoding = "cp1252"'


def read_tables(
    staging: Staging,
    path: Path,
    how: ColumnMap,
    rejects: Rejects,
    has: Has,
) -> Iterator[SourceTable]:
    """Read the tables of a file that are wanted; unreadable records are rejected.

    Raises:
        EmptyFileError: There is nothing in the file.
        SourceError: The file cannot be read.
    """
    name = path.name.lower().removesuffix(".gz")
    with path.open("rb") as stored:
        start = stored.read(16)
    if not start:
        raise EmptyFileError(path)
    if is_database(start):
        yield from read_database(staging, path, start, has)
    elif start.startswith(ZIP) and name.endswith(WORKBOOKS):
        yield from _read_workbook(staging, path, has)
    elif name.endswith((".json", ".jsonl", ".ndjson")):
        yield from _JsonReading(staging, path, how, rejects, has).read()
    elif has(path.name):
        with opened(path) as content:
            is_parquet = content.read(4) == PARQUET
        if is_parquet or name.endswith(".parquet"):
            yield staging.read_parquet(path)
        else:
            yield _read_delimited(staging, path, how, rejects)


def _read_workbook(staging: Staging, path: Path, has: Has) -> Iterator[SourceTable]:
    """Read each sheet; what precedes the header is skipped, as in delimited text."""
    sheets = list(read_sheets(path))
    for name, rows in sheets:
        if not has(name if len(sheets) > 1 else path.name):
            continue
        table = staging.new_table(path, "line", name if len(sheets) > 1 else None)
        sample = [[cell or "" for cell in row] for row in islice(rows, SAMPLE_ROWS)]
        plain = Dialect(",", True, None, 0, [], has_header=False)
        dialect = _with_header(plain, sample, len(sample[0]))
        table.columns[:] = dialect.header
        _note_header(table, dialect, [" ".join(filter(None, row)) for row in sample])
        writer, skip = TableWriter(staging, table), dialect.skip + dialect.has_header
        for position, row in enumerate(chain(sample, rows), 1):
            if position > skip and any(row):
                writer.add_row(position, [cell and writer.without_nul(cell) for cell in row])
        writer.finish()
        yield table


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited text is written: its cells, the rows before the first record, its header."""

    delimiter: str
    quoted: bool
    escape: str | None
    skip: int
    header: list[str]
    has_header: bool

    def reader(self, lines: Iterator[str], *, strict: bool = True) -> Iterator[list[str]]:
        """Return the rows of lines."""
        if self.delimiter == " ":  # at the end of a line it separates nothing
            lines = (line.rstrip(" \r\n") + "\n" for line in lines)
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
            escapechar=self.escape,
            doublequote=self.escape is None,
            skipinitialspace=True,
            strict=strict,
        )


def dialect_of(sample: str, how: ColumnMap) -> Dialect:
    """Return the dialect in which most rows of a sample have equally many cells."""
    lines = sample.splitlines(keepends=True)
    if len(sample) >= SAMPLE_CHARS and len(lines) > 1:
        lines.pop()
    stated = lines[0].strip().lower() if lines else ""
    usual = ",;\t| " if _are_aligned(lines) else ",;\t|"
    delimiters = how.delimiter or (stated[4:5] if re.fullmatch("sep=.", stated) else usual)
    best: tuple[Any, ...] | None = None
    for delimiter, escape, quoted in product(delimiters, (None, "\\"), (True, False)):
        is_idle = (escape and '\\"' not in sample) or (not quoted and ('"' not in sample or escape))
        if is_idle or (quoted and not how.quoted):
            continue
        dialect = Dialect(delimiter, quoted, escape, 0, [], has_header=False)
        try:
            rows = list(islice(dialect.reader(iter(lines), strict=False), SAMPLE_ROWS))
        except csv.Error:
            continue
        plain = [row for row in rows if any(row) and not row[0].startswith("#")]
        widths = Counter(len(row) for row in plain or rows if any(row))
        if not widths:
            continue
        width = max(widths, key=lambda size: (widths[size] * (size > 1), size))
        stray = sum('"' in cell for row in rows for cell in row) / (len(rows) * width)
        share = round(widths[width] / widths.total() - 0.5 * stray, 2)
        if delimiter == " ":
            share -= 0.1  # any other delimiter that divides all rows alike is likelier
        is_tab = delimiter == "\t"  # which texts and lists in cells do not contain
        score = (width > 1, share, quoted, escape is None, is_tab, width)
        if best is None or score > best[0]:
            best = score, dialect, rows, width
    if best is None:
        return Dialect(",", how.quoted, None, 0, [], has_header=False)
    return _with_header(*best[1:])


def _are_aligned(lines: list[str]) -> bool:
    """Return whether lines are a table in columns of blanks, one below the other.

    An empty cell or a blank in one would shift the others: all rows must have all cells, and a
    column of numbers, which texts that happen to align do not have.
    """
    texts = [line for line in lines if line.strip() and not line.startswith("#")]
    rows = [list(re.finditer(r"[^ \r\n]+", line)) for line in texts]
    if len({len(row) for row in rows}) != 1 or any('"' in line for line in texts):
        return False
    columns = list(zip(*rows, strict=True))
    for left, right in pairwise(columns):
        spaces = [after.start() - cell.end() for cell, after in zip(left, right, strict=True)]
        is_apart = max(cell.end() for cell in left) < min(cell.start() for cell in right)
        if not is_apart or max(spaces) < 2:
            return False
    return any(all(NUMBER.fullmatch(cell[0]) for cell in column[1:]) for column in columns)


def _with_header(dialect: Dialect, rows: list[list[str]], width: int) -> Dialect:
    """Return the dialect with the first row of usual width, as header or as first record."""
    starts = [
        at
        for at, row in enumerate(rows[:MAX_PREAMBLE])
        if len(row) >= width - (width > 2)
        and sum(map(bool, map(str.strip, row))) > 0.5 * width
        and not row[0].startswith("sep=")
    ]
    start = next((at for at in starts if not _is_comment(rows[at], width, dialect)), 0)
    has_header = _is_header(rows, start)
    names = [at for at in starts if at < start and dialect.delimiter != " "]
    if names and not has_header and _is_header(rows, names[-1]):  # # time, low, high
        start, has_header = names[-1], True
    first = rows[start]
    size, headers = max(width, len(first)), list[str]()
    for at in range(min(size, MAX_COLUMNS + 1)):  # more are refused anyway
        cell = " ".join(first[at].split()) if has_header and at < len(first) else ""
        headers.append(unique_header(cell or f"column{at + 1}", headers))
    return replace(dialect, skip=start, header=headers, has_header=has_header)


def _is_comment(row: list[str], width: int, dialect: Dialect) -> bool:
    """Return whether a row is a comment; a cell that is # alone names a column of numbers."""
    is_name = row[0].strip() == "#" and dialect.delimiter != " "
    is_text = len(row) != width or not row[0][1:2].strip()
    return row[0].startswith("#") and not is_name and is_text


def _is_header(rows: list[list[str]], start: int) -> bool:
    """Return whether a row names columns: words over numbers, or words that do not come again."""
    cells = [cell.strip() for cell in rows[start]]
    rest = [row for row in rows[start + 1 : start + 200] if len(row) == len(cells)]
    below = [[cell.strip() for cell in column] for column in zip(*rest, strict=False)]
    numbers = [cell for cell in cells if NUMBER.fullmatch(cell)]
    if not numbers and not any(char.isalpha() for cell in cells for char in cell):
        return False
    if len(numbers) > 1 and all(map(YEAR.fullmatch, numbers)):
        return True
    for cell, column in zip(cells, below, strict=False):
        filled = [value for value in column if value]
        is_word = bool(cell) and not NUMBER.fullmatch(cell)
        numeric = sum(NUMBER.fullmatch(value) is not None for value in filled)
        if is_word and filled and numeric > 0.8 * len(filled):
            return True
    again = sum(bool(c) and c in column for c, column in zip(cells, below, strict=False))
    return not numbers and not 0 < again < len(cells)


class _Lines:
    """The lines of a text; those of the present record can be read again but for the first."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._again = deque[str]()
        self.number = 0
        self.record: list[str] = []

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.number += 1
        self.record.append(line)
        return line

    def back(self) -> str:
        """Return the first line of the present record, and go on behind it."""
        first, *others = self.record
        self._again.extendleft(reversed(others))
        self.number -= len(others)
        return first


def _read_delimited(staging: Staging, path: Path, how: ColumnMap, rejects: Rejects) -> SourceTable:
    csv.field_size_limit(MAX_BYTES)
    table = staging.new_table(path, "line")
    writer = TableWriter(staging, table)
    with opened_text(path, how.encoding) as (text, note):
        sample = text.read(SAMPLE_CHARS)
        if path.name.lower().removesuffix(".gz").endswith(".tsv") and not how.delimiter:
            how = how.model_copy(update={"delimiter": "\t"})
        dialect = dialect_of(sample.replace("\0", ""), how)
        table.columns[:] = dialect.header
        table.notes += [note] if note else []
        staging.ensure(table)
        lines = _Lines(_capped(path, chain(_split(sample, text), text)))
        for position, cells in _records(lines, dialect, table, rejects):
            if "\0" in "".join(lines.record):
                writer.nuls += 1
                cells = [cell.replace("\0", "") for cell in cells]
            writer.add_row(position, cells)
    writer.finish()
    return table


def _split(sample: str, text: IO[str]) -> Iterator[str]:
    """Yield the lines of a sample, the last one completed from the text that follows."""
    if sample.endswith("\r"):
        sample += text.read(1)
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", sample)
    yield from lines[:-1]
    if lines:
        is_whole = lines[-1].endswith(("\r", "\n"))
        yield lines[-1] if is_whole else lines[-1] + text.readline(MAX_BYTES)


def _capped(path: Path, lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if len(line) >= MAX_BYTES:
            raise SourceError(f"A line of {path.name} has over 64 million characters.")
        yield line


def _records(
    lines: _Lines, dialect: Dialect, table: SourceTable, rejects: Rejects
) -> Iterator[tuple[int, list[str]]]:
    """Yield line and cells of each record.

    A record with an open quote is rejected with its first line only: what follows is read again.
    """
    width, skipped, preamble = len(table.columns), 0, list[str]()
    rows = dialect.reader(lines)
    while True:
        lines.record = []
        first = lines.number + 1
        try:
            cells = next(rows, None)
        except csv.Error as error:
            span = f"; it spans lines {first} to {lines.number}" if lines.number > first else ""
            message = f"{error}{span}".replace("unexpected end of data", "a quote is never closed")
            raw = lines.back()
            rejects.add(table.file, first, raw.encode(), BadRow(Reason.NOT_CSV, message))
            rows = dialect.reader(lines)
            continue
        if cells is None:
            break
        if skipped < dialect.skip:
            skipped += 1
            preamble += ["".join(lines.record)]
        elif skipped == dialect.skip and dialect.has_header:
            skipped += 1
            if len(cells) < width:
                have = f"the header has {plural(len(cells), 'cell')}, the rows {width}"
                others = f"the others are called {table.columns[-1]} and so on"
                table.notes.append(f"{have}: {others}")
        elif bad := _problem(cells, width, dialect, "".join(lines.record)):
            raw = "".join(lines.record).encode("utf-8", "surrogateescape")
            rejects.add(table.file, first, raw, bad)
        elif any(cells):
            yield first, cells[:width]
    _note_header(table, dialect, preamble)


def _note_header(table: SourceTable, dialect: Dialect, preamble: list[str]) -> None:
    if text := one_line(" ".join(preamble[: dialect.skip]).strip()):
        count = plural(dialect.skip, "line")
        table.notes.append(f"skipped {count} before the header: {shorten(text, 60)}")
    if not dialect.has_header:
        table.notes.append("no header found: the columns are called column1, column2, ...")


def _problem(cells: list[str], width: int, dialect: Dialect, record: str) -> BadRow | None:
    is_short = dialect.delimiter == " " and 0 < len(cells) < width  # which one is missing?
    if any(cells[width:]) or is_short:
        count = plural(len(cells), "cell")
        return BadRow(Reason.RAGGED, f"{count}, but the header has {width}")
    if not record.isascii() and BAD_BYTES.search(record):
        return BadRow(Reason.NOT_UTF8, f"not UTF-8; {UTF8}")
    return None


class _Overflow(Exception):
    """An object whose keys are data."""


class _SeveralTables(Exception):
    """An object with several lists of records."""

    def __init__(self, lists: Mapping[str, list[Any]]) -> None:
        super().__init__()
        self.lists = lists


class _JsonReading:
    """One file of JSON: records become rows, objects columns `a.b`, lists text in JSON."""

    def __init__(
        self,
        staging: Staging,
        path: Path,
        how: ColumnMap,
        rejects: Rejects,
        has: Has,
    ) -> None:
        self._staging, self._path, self._how, self._rejects = staging, path, how, rejects
        self._has = has
        self._whole: set[str] = set()
        self._leaves: dict[str, set[str]] = {}
        self._extra: list[str] = []
        self._bad: list[tuple[int, bytes, BadRow]] = []

    def read(self) -> Iterator[SourceTable]:
        """Yield the table of the file, or those of an object with several lists of records."""
        try:
            table = self._table(None, self._read_file)
        except _SeveralTables as several:
            for name, records in several.lists.items():
                if self._has(name):
                    self._whole.clear()
                    yield self._table(name, partial(self._add_all, enumerate(records, 1)))
            return
        if self._has(self._path.name):
            yield table

    def _table(self, part: str | None, fill: Callable[[TableWriter], None]) -> SourceTable:
        """Return a table. Filled again where an object turns out to have too many members."""
        while True:
            table = self._staging.new_table(self._path, "record", part)
            writer = TableWriter(self._staging, table)
            self._leaves.clear()
            self._bad.clear()
            try:
                fill(writer)
                writer.finish()
            except (_Overflow, _SeveralTables) as problem:
                self._staging.run(f"DROP TABLE IF EXISTS {table.relation}")
                self._staging.tables.remove(table)
                if isinstance(problem, _SeveralTables):
                    raise
                continue
            for position, raw, bad in self._bad:
                self._rejects.add(table.file, position, raw, bad, table.unit)
            table.notes += self._extra
            return table

    def _read_file(self, writer: TableWriter) -> None:
        with opened_text(self._path, self._how.encoding) as (text, note):
            self._extra = [note] if note else []
            self._read_text(text, writer)

    def _read_text(self, text: IO[str], writer: TableWriter) -> None:
        sample = text.read(SAMPLE_CHARS)
        start = sample.lstrip("\ufeff \t\r\n")
        heads = [line for line in start.split("\n")[:20] if line.strip()]
        heads = heads[:-1] or heads
        by_line = start[:1] == "{" and sum(map(_is_json, heads)) >= 0.5 * len(heads)
        if by_line:
            self._read_lines(chain(_split(sample, text), text), writer)
            return
        whole = sample + text.read(MAX_TEXT)
        if len(whole) > MAX_TEXT:
            message = f"{self._path.name} is a JSON array of more than {MAX_TEXT >> 20} MB."
            hint = "Save it with one object per line (JSON Lines), which has no limit."
            raise SourceError(message, hint=f"{hint} Nothing was changed.")
        self._add_values(list(self._values(whole.lstrip("\ufeff"))), writer)

    def _read_lines(self, lines: Iterator[str], writer: TableWriter) -> None:
        writer.table.unit = "line"
        held, is_single = list[tuple[int, Any]](), True
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                value = _decoded(line.lstrip("\ufeff"))
            except BadRow as bad:
                self._bad.append((number, line.encode("utf-8", "surrogateescape"), bad))
                continue
            if is_single and not held:  # a single object may be a wrapper of records
                held.append((number, value))
                continue
            if is_single:
                self._add(*held.pop(), writer)
                is_single = False
            self._add(number, value, writer)
        self._add_values(held, writer)

    def _values(self, text: str) -> Iterator[tuple[int, Any]]:
        """Yield the elements of an array, or the values that follow each other."""
        index = BETWEEN.match(text, 0).end()  # pyright: ignore[reportOptionalMemberAccess]
        in_array = text[index : index + 1] == "["
        index += in_array
        for number in range(1, len(text) + 2):
            match = BETWEEN.match(text, index)
            index = match.end() if match else index
            if index >= len(text) and not in_array:
                return
            if in_array and text.startswith("]", index):
                break
            try:
                value, index = DECODER.raw_decode(text, index)
            except json.JSONDecodeError as error:
                problem = "the array is incomplete" if index >= len(text) else error.msg
                raise self._not_json(f"{problem} in line {error.lineno}", error.colno) from None
            except (ValueError, RecursionError) as error:
                reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                raise self._not_json(f"record {number}: {reason.partition(';')[0]}") from None
            yield number, value
        if text[index + 1 :].strip():
            line = text.count("\n", 0, index) + 1
            raise self._not_json(f"there is more text after the array, which ends in line {line}")

    def _not_json(self, problem: str, column: int | None = None) -> SourceError:
        place = f", character {column}" if column else ""
        return SourceError(f"{self._path.name} is not JSON: {problem}{place}.", hint=BY_LINE)

    def _add_values(self, values: list[tuple[int, Any]], writer: TableWriter) -> None:
        if len(values) == 1 and isinstance(values[0][1], dict):
            values = list(enumerate(self._records_of(cast("dict[str, Any]", values[0][1])), 1))
        self._add_all(values, writer)

    def _add_all(self, values: Iterable[tuple[int, Any]], writer: TableWriter) -> None:
        for number, value in values:
            self._add(number, value, writer)

    def _records_of(self, members: dict[str, Any]) -> Sequence[Any]:
        """Return the records of one object: a list in it, records by key, columns, or itself."""
        lists = {key: value for key, value in members.items() if _is_list_of_objects(value)}
        if lists:
            if others := [key for key in members if key not in lists]:
                of_lists = f"read the records of {', '.join(lists)}"
                self._extra += [f"{of_lists}, not {', '.join(others[:20])}"]
            if len(lists) > 1:
                raise _SeveralTables(lists)
            (records,) = lists.values()
            if all(map(_is_feature, records)):
                return _features(records)
            return cast("list[Any]", records)
        values = list(members.values())
        if len(values) > 1 and all(isinstance(value, dict) for value in values):
            keys = {tuple(value) for value in values}
            indexes = next(iter(keys))
            if len(keys) == 1 and len(indexes) > 1 and all(map(str.isdigit, indexes)):
                return [{name: members[name][at] for name in members} for at in indexes]
            return [
                value if {"id", "key"} & value.keys() else {"key": key, **value}
                for key, value in members.items()
            ]
        if values and all(isinstance(value, list) for value in values):
            sizes = {len(value) for value in values}
            if len(sizes) == 1 and max(sizes) > 1:
                return [dict(zip(members, row, strict=True)) for row in zip(*values, strict=True)]
        return [members]

    def _add(self, position: int, value: Any, writer: TableWriter) -> None:
        if isinstance(value, list):
            value = {f"column{at + 1}": item for at, item in enumerate(cast("list[Any]", value))}
        record = cast("dict[str, Any]", value) if isinstance(value, dict) else {"value": value}
        try:
            row = dict(self._cells(record, writer))
        except BadRow as bad:
            self._bad.append((position, json.dumps(value).encode(), bad))
            return
        except RecursionError:  # Python 3.14 decodes values that it cannot encode
            self._bad.append((position, b"", BadRow(Reason.NOT_JSON, "nested too deeply")))
            return
        writer.add_record(position, row)

    def _cells(self, record: Mapping[str, Any], writer: TableWriter) -> Iterator[tuple[str, Any]]:
        for key, value in record.items():
            key = one_line(key) or "column"
            if isinstance(value, dict) and key not in self._whole:
                value = cast("dict[str, Any]", value)
                leaves = dict(_leaves(key, value, 1))
                known = self._leaves.setdefault(key, set())
                known.update(leaves)
                are_keys_data = len(value) > 2 and all(map(str.isdigit, value))
                if len(known) > MAX_LEAVES or are_keys_data:
                    self._whole.add(key)
                    raise _Overflow
                for name, leaf in leaves.items():
                    yield name, self._text(name, leaf, writer)
            else:
                yield key, self._text(key, value, writer)

    def _text(self, name: str, value: Any, writer: TableWriter) -> str | None:
        if value is None or value in ([], {}):
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, dict)):
            writer.table.nested.add(name)
            value = json.dumps(value, ensure_ascii=False, separators=COMPACT)
        text = value if isinstance(value, str) else str(value)
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                message = f"the field {shorten(name, 40)} contains half a surrogate pair"
                raise BadRow(Reason.LONE_SURROGATE, message) from None
        return writer.without_nul(text)


def _leaves(path: str, members: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in members.items():
        name = path if key.startswith("$") else f"{path}.{one_line(key)}"
        if isinstance(value, dict) and depth < MAX_DEPTH and value:
            yield from _leaves(name, cast("dict[str, Any]", value), depth + 1)
        else:
            yield name, value


def _is_feature(record: Mapping[str, Any]) -> bool:
    """Return whether an object is a feature of GeoJSON."""
    return record.get("type") == "Feature" and isinstance(record.get("properties") or {}, dict)


def _features(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the properties of GeoJSON features; members called alike get names of their own."""
    properties: list[dict[str, Any]] = [record.get("properties") or {} for record in records]
    members = dict.fromkeys(name for record in records for name in record if name not in FEATURE)
    used = list(dict.fromkeys(name for record in properties for name in record))
    names = dict[str, str]()
    for member in (*members, "geometry"):
        names[member] = unique_header(member, used)
        used.append(names[member])
    rows = list[dict[str, Any]]()
    for record, row in zip(records, properties, strict=True):
        shape = record.get("geometry")
        outer = {name: record[name] for name in members if name in record}
        outer["geometry"] = [shape] if shape else None
        rows.append({names[name]: value for name, value in outer.items()} | row)
    return rows


def _is_list_of_objects(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    items = cast("list[Any]", value)
    return bool(items) and all(isinstance(item, dict) for item in items)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, with a second value of a key under a name of its own."""
    members = dict(pairs)
    if len(members) < len(pairs):
        members = dict[str, Any]()
        for key, value in pairs:
            members[unique_header(key, members) if key in members else key] = value
    return members


def _float(text: str) -> float | str:
    """Return a number, or its text where a float would not hold all of its digits."""
    number = float(text)
    return number if len(text) <= 17 and math.isfinite(number) else text


DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_float, parse_constant=str, strict=False
)


def _is_json(line: str) -> bool:
    try:
        DECODER.decode(line.strip())
    except (ValueError, RecursionError):
        return False
    return True


def _decoded(line: str) -> Any:
    """Return the value of a line. Raises BadRow."""
    if not line.isascii() and BAD_BYTES.search(line):
        raise BadRow(Reason.NOT_UTF8, f"not UTF-8; {UTF8}")
    try:
        return DECODER.decode(line.strip())
    except json.JSONDecodeError as error:
        raise BadRow(Reason.NOT_JSON, f"{error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise BadRow(Reason.NOT_JSON, "nested too deeply") from None
    except ValueError as error:
        raise BadRow(Reason.NOT_JSON, str(error).partition(";")[0]) from None
