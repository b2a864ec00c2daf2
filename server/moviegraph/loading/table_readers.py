"""The records of CSV, TSV, JSON, JSON Lines and Parquet files, one by one."""

import csv
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from moviegraph.engines.embedded.duckdb_files import parquet_rows
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.row_validation import DECODER, Row, parsed
from moviegraph.loading.source_files import (
    AGAIN,
    MOST_BYTES,
    STEP,
    UTF8_MARK,
    is_wide,
    read_lines,
    unpacked,
    unzipped_name,
)
from moviegraph.text import plural

Values = Mapping[str, Any] | BadRow
DELIMITERS = ",;\t|"
SNIFFED = 4096
ZIP = b"PK\x03\x04"
SHEET = "Save the sheet as CSV, or unpack it. Nothing was changed."
ENCODED = "Save it as UTF-8, or name the encoding: --encoding utf-16. Nothing was changed."


def csv_records(
    path: Path, columns: ColumnMap, advanced: Callable[[int], None]
) -> Iterator[tuple[int, Values, Callable[[], bytes]]]:
    """Yield first line, values by column, and the bytes as they stand, of each record.

    Raises:
        SourceError: The file is empty, in UTF-16 unannounced, or its header is unusable.
    """
    with path.open("rb") as stored, unpacked(stored) as content:
        lines = _Lines(_decoded(path, content, columns.encoding), path.name)
        header = next(lines, "")
        delimiter = columns.delimiter or _delimiter(path, header)
        reader = _reader(chain([header], lines), delimiter, quoted=columns.quoted)
        names = _header(path, reader)
        lines.taken()
        for count, (line, cells) in enumerate(_cells(reader, lines)):
            if count % STEP == 0:
                advanced(stored.tell())
            raw = lines.taken()
            if cells:
                checked = cells if isinstance(cells, BadRow) else _values(names, cells, raw)
                yield line, checked, lambda raw=raw: raw.encode("utf-8", "surrogateescape")


class _Lines:
    """The lines of a text, kept until they are taken."""

    def __init__(self, text: TextIOWrapper, name: str) -> None:
        self._text, self._name = text, name
        self._kept: list[str] = []
        self.number = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._text.readline(MOST_BYTES)
        if not line:
            raise StopIteration
        self.number += 1
        if len(line) == MOST_BYTES:
            raise SourceError(f"Line {self.number} of {self._name} has over 64 million characters.")
        self._kept.append(line)
        return line

    def taken(self) -> str:
        """Return the lines since the last call."""
        text = "".join(self._kept)
        self._kept.clear()
        return text


def _decoded(path: Path, content: IO[bytes], encoding: str) -> TextIOWrapper:
    start = content.read(SNIFFED)
    content.seek(0)
    if not start.strip(b"\xef\xbb\xbf \t\r\n"):
        raise SourceError(f"{path.name} is empty.", hint="Add a first line with column names.")
    if start.startswith(ZIP):
        raise SourceError(f"{path.name} is a workbook, or a ZIP archive.", hint=SHEET)
    if is_wide(start) and not encoding.lower().startswith(("utf-16", "utf16", "utf_16", "utf-32")):
        raise SourceError(
            f"{path.name} is encoded in UTF-16, according to its first bytes.", hint=ENCODED
        )
    plain = encoding.lower() in ("utf-8", "utf8", "utf_8")
    wrapped = TextIOWrapper(
        cast("Any", content),
        encoding="utf-8-sig" if plain else encoding,
        errors="surrogateescape" if plain else "strict",
        newline="",
    )
    return wrapped


def _delimiter(path: Path, header: str) -> str:
    if unzipped_name(path).endswith(".tsv"):
        return "\t"
    return next((sign for sign in DELIMITERS if sign in header), ",")


def _reader(lines: Iterator[str], delimiter: str, *, quoted: bool) -> Iterator[list[str]]:
    csv.field_size_limit(MOST_BYTES)
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    return csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)


def _header(path: Path, reader: Iterator[list[str]]) -> list[str]:
    try:
        names = [name.strip() for name in next(reader, list[str]())]
    except csv.Error as error:
        raise SourceError(f"The header of {path.name} is not CSV: {error}.") from None
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise SourceError(f"The header of {path.name} repeats {', '.join(twice)}.")
    return names


def _cells(reader: Iterator[list[str]], lines: _Lines) -> Iterator[tuple[int, list[str] | BadRow]]:
    while True:
        first = lines.number + 1
        try:
            yield first, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            span = f"; it spans lines {first} to {lines.number}" if lines.number > first else ""
            yield first, BadRow(Reason.NOT_CSV, f"{error}{span}")


def _values(names: list[str], cells: list[str], raw: str) -> Values:
    if len(cells) != len(names):
        message = f"{plural(len(cells), 'cell')}, but the header has {len(names)}"
        return BadRow(Reason.RAGGED, message)
    if not raw.isascii() and any("\udc80" <= sign <= "\udcff" for sign in raw):
        message = "not UTF-8; for files of older Windows programs, use --encoding cp1252"
        return BadRow(Reason.NOT_UTF8, message)
    return dict(zip(names, cells, strict=True))


CHUNK = 1 << 20
SPACE = " \t\r\n"
LONGEST_SIGN = 16  # what an error this near to the end may lack: a number, a literal, an escape
Element = tuple[int, Row | BadRow, str]


class _Broken(Exception):
    """No value stands where one should."""


class JsonArray:
    """A text that is read on demand."""

    def __init__(self, text: TextIOWrapper, name: str) -> None:
        self._text, self._name = text, name
        self._buffer, self._at, self._line, self._dropped = "", 0, 1, 0
        self._ended = False
        self._start: str | None = None
        self._nests = False

    def elements(self) -> Iterator[Element]:
        """Yield line, value and text of each record.

        Raises:
            SourceError: The array ends early, or is broken where nothing tells the next record.
        """
        self._skip("[")
        while (sign := self._next()) != "]":
            if not sign:
                raise self._unreadable("the array is incomplete")
            yield self._element()
            if between := self._between():
                yield between
        self._skip("]")
        if self._next():
            raise self._unreadable("there is more text after the array")

    def _element(self) -> Element:
        self._note_start()
        line = self._line
        try:
            value, end = self._decoded()
        except _Broken as error:
            text = self._passed_over(str(error))
            return line, BadRow(Reason.NOT_JSON, str(error)), text
        text = self._buffer[self._at : end]
        self._move(end)
        self._nests = self._nests or (bool(self._start) and str(self._start) in text)
        return line, _checked(value, text), text

    def _decoded(self) -> tuple[Any, int]:
        """Return the next value and where it ends. Raises _Broken or SourceError."""
        while True:
            try:
                value, end = DECODER.raw_decode(self._buffer, self._at)
                if end < len(self._buffer) or self._ended:
                    return value, end
            except json.JSONDecodeError as error:
                self._require_cut(error)
            except (ValueError, RecursionError) as error:
                raise _Broken(str(error).partition(";")[0]) from None
            if len(self._buffer) - self._at > MOST_BYTES:
                raise self._unreadable(f"a record has over {MOST_BYTES >> 20} million characters")
            self._fill()

    def _require_cut(self, error: json.JSONDecodeError) -> None:
        """Raise _Broken unless what is wrong may be that more has to be read."""
        there = len(self._buffer.rstrip(SPACE) if self._ended else self._buffer)
        most = there if self._ended else there - LONGEST_SIGN
        cut = error.msg.startswith("Unterminated") or error.pos >= most
        if cut and self._ended:
            raise self._unreadable(f"a record is incomplete ({error.msg})")
        if not cut:
            line = self._line + self._buffer.count("\n", self._at, error.pos)
            raise _Broken(f"{error.msg} in line {line}")

    def _passed_over(self, why: str) -> str:
        """Move to the next record, and return what stands before it."""
        if not self._start or self._nests:
            raise self._unreadable(why)
        while (end := self._buffer.find(self._start, self._at)) < 0:
            if self._ended:
                end = self._closing(why)
                break
            if len(self._buffer) - self._at > MOST_BYTES:
                raise self._unreadable(why)
            self._fill()
        text = self._buffer[self._at : end]
        self._move(end)
        return text.rstrip(SPACE + ",")

    def _closing(self, why: str) -> int:
        """Return where the bracket of the array stands after the last record."""
        end = len(self._buffer.rstrip(SPACE)) - 1
        if end <= self._at or self._buffer[end] != "]":
            raise self._unreadable(why)
        return end

    def _between(self) -> Element | None:
        """Pass over a comma, missing or spare as it may be; return what else stands there."""
        sign = self._next()
        if sign == ",":
            self._skip(sign)
        elif sign not in ("]", "{", ""):
            line, why = self._line, "a comma is missing between two records"
            return line, BadRow(Reason.NOT_JSON, why), self._passed_over(why)
        return None

    def _note_start(self) -> None:
        """Remember how the first record starts its line, if it has one of its own."""
        if self._start is None:
            line = self._buffer.rfind("\n", 0, self._at)
            before = self._buffer[line : self._at] if line >= 0 else "["
            self._start = "" if before.strip() else f"{before}{{"

    def _next(self) -> str:
        """Return the next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in SPACE:
                    return self._buffer[self._at]
                self._move(self._at + 1)
            if self._ended:
                return ""
            self._fill()

    def _skip(self, sign: str) -> None:
        if self._next() == sign:
            self._move(self._at + 1)

    def _move(self, end: int) -> None:
        self._line += self._buffer.count("\n", self._at, end)
        self._at = end

    def _fill(self) -> None:
        self._dropped += self._at
        self._buffer = self._buffer[self._at :]
        self._at = 0
        added = self._text.read(max(CHUNK, len(self._buffer)))
        self._ended = not added
        self._buffer += added

    def _unreadable(self, why: str) -> SourceError:
        line, character = self._line, self._dropped + self._at + 1
        place = f"line {line}" if line > 1 else f"character {character:,}"
        return SourceError(
            f"{self._name} is not JSON from {place}: {why}.",
            hint="Fix it, or save it with one object per line. Nothing was changed.",
        )


def _checked(value: Any, text: str) -> Row | BadRow:
    if not isinstance(value, dict):
        message = f"a {type(value).__name__} instead of an object"
        return BadRow(Reason.NOT_AN_OBJECT, message)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return BadRow(Reason.NOT_UTF8, "not UTF-8; save the file as UTF-8")
    return cast("Row", value)


Advanced = Callable[[int], None]
ALONE = "Fix the JSON, or save only the list of records. Nothing was changed."


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A record, or what is wrong with it; `raw` gives what is set aside."""

    line: int
    values: Mapping[str, Any] | BadRow
    raw: Callable[[], bytes]


def table_records(path: Path, columns: ColumnMap, advanced: Advanced) -> Iterator[TableRecord]:
    """Yield the records of a file, by the end of its name.

    Raises:
        SourceError: The file is damaged, empty, in another encoding, or cannot be read.
    """
    name = unzipped_name(path)
    try:
        if name.endswith(".parquet"):
            yield from _of_parquet(path)
        elif name.endswith(".json") and _is_array(path):
            yield from _of_array(path, advanced)
        elif name.endswith(".json") and (records := _records_of_object(path)):
            for number, values in enumerate(records, 1):
                yield TableRecord(number, values, lambda values=values: _json(values))
        elif name.endswith((".json", ".jsonl")):
            yield from _of_lines(path, advanced, whole=name.endswith(".json"))
        else:
            for line, values, raw in csv_records(path, columns, advanced):
                yield TableRecord(line, values, raw)
    except UnicodeDecodeError as error:
        message = f"{path.name} is not {columns.encoding}: {error.reason}."
        raise SourceError(message, hint=ENCODED) from None
    except (EOFError, zlib.error) as error:
        raise SourceError(f"{path.name} ends early, or is damaged.", hint=AGAIN) from error
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or 'damaged'}.") from error


def _of_parquet(path: Path) -> Iterator[TableRecord]:
    for number, values in enumerate(parquet_rows(path), 1):
        yield TableRecord(number, values, lambda values=values: _json(values))


def _json(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")


def _of_lines(path: Path, advanced: Advanced, *, whole: bool) -> Iterator[TableRecord]:
    """Read a record a line; with `whole` the first must be one, or the file is of another form."""
    first = whole
    for number, line in read_lines(path, advanced):
        try:
            values: Row | BadRow = parsed(line)
        except BadRow as bad:
            if first and bad.reason == Reason.NOT_JSON:
                raise SourceError(
                    f"{path.name} is neither a JSON list of records nor one record per line.",
                    hint=ALONE,
                ) from None
            values = bad
        first = False
        yield TableRecord(number, values, lambda line=line: line)


def _is_array(path: Path) -> bool:
    with path.open("rb") as stored, unpacked(stored) as content:
        start = content.read(CHUNK).removeprefix(UTF8_MARK)
        return start.lstrip()[:1] == b"[" and not is_wide(start)


def _records_of_object(path: Path) -> list[Row]:
    """Return the one list of records in a file that is a single object; empty if it is not.

    Raises:
        SourceError: The object has several lists of records.
    """
    with path.open("rb") as stored, unpacked(stored) as content:
        data = content.read(MOST_BYTES + 1)
    try:
        members: Any = json.loads(data.removeprefix(UTF8_MARK)) if len(data) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        return []  # one object per line, or not JSON
    if not isinstance(members, dict):
        return []
    lists = {
        name: cast("list[Row]", items)
        for name, items in cast("dict[str, Any]", members).items()
        if isinstance(items, list) and _are_records(cast("list[Any]", items))
    }
    if len(lists) > 1:
        raise SourceError(
            f"{path.name} contains several lists of records: {', '.join(lists)}.",
            hint="Save the list to load in a file of its own; nothing was changed.",
        )
    return next(iter(lists.values()), list[Row]())


def _are_records(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, dict) for item in items)


def _of_array(path: Path, advanced: Advanced) -> Iterator[TableRecord]:
    """Decode an array record by record; no more than one of them is held."""
    with path.open("rb") as stored, unpacked(stored) as content:
        text = TextIOWrapper(cast("Any", content), "utf-8-sig", errors="surrogateescape")
        for line, values, raw in JsonArray(text, path.name).elements():
            advanced(stored.tell())
            yield TableRecord(line, values, lambda raw=raw: raw.encode("utf-8", "surrogateescape"))
