"""The files of a source, and the records of CSV, TSV, JSON, JSON Lines and Parquet."""

import csv
import gzip
import json
import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from moviegraph.engines.embedded.duckdb_files import parquet_rows
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ENCODINGS, ColumnMap
from moviegraph.loading.row_validation import BadRow, Reason, Row
from moviegraph.text import plural

LINES = (".jsonl", ".jsonl.gz")
TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".json", ".json.gz", ".parquet")
ALIASES = ("aliases.jsonl", "aliases.jsonl.gz")
MAX_BYTES = 64 * 1024 * 1024
MAX_ARRAY_BYTES = 512 << 20  # it is decoded as a whole, which takes up to 5 times as much memory
CHUNK = 1 << 20
GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
WIDE_ENCODINGS = ("utf-16", "utf16", "utf_16", "utf-32")
DELIMITERS = ",;\t|"
BETWEEN = re.compile(r"[ \t\r\n,]*")
FORMAT = (
    "Name a folder of .jsonl files, or your own .csv, .tsv, .json or .parquet files, "
    "optionally as .gz."
)
AGAIN = "Get the file again. Nothing was changed."
ENCODED = 'Save it as UTF-8, or set encoding = "utf-16" in the column map. Nothing was changed.'
SHEET = "Save the sheet as CSV, or unpack it. Nothing was changed."
BY_LINE = "Fix it, or save it with one object per line. Nothing was changed."
AS_LINES = "Save it with one object per line (JSON Lines), which has no limit. Nothing was changed."
ALONE = "Fix the JSON, or save only the list of records. Nothing was changed."


def is_source_file(path: Path) -> bool:
    """Return whether the name is that of a file that loading reads."""
    return path.name.lower().endswith((*LINES, *TABLES))


def is_lines_file(path: Path) -> bool:
    """Return whether the name is that of a file of JSON Lines."""
    return path.name.lower().endswith(LINES)


def source_files(source: Path, *, mapped: bool = False) -> list[Path]:
    """Return the files of a folder, or the one file that is named.

    A folder with JSON Lines is read for them alone, unless columns are mapped.

    Raises:
        SourceError: There is nothing that can be read.
    """
    if source.is_file():
        if not is_source_file(source):
            raise SourceError(f"{source.name} does not have a supported format.", hint=FORMAT)
        return [source]
    if not source.is_dir():
        there = f"{source} is neither a file nor a folder" if source.exists() else ""
        raise SourceError(f"{there or f'There is nothing at {source}'}.", hint=FORMAT)
    try:
        entries = sorted(source.iterdir())
    except OSError as error:
        raise SourceError(f"{source} cannot be read: {error.strerror}.") from error
    paths = [path for path in entries if is_source_file(path) and path.name.lower() not in ALIASES]
    if irregular := [path.name for path in paths if not path.is_file()]:
        raise SourceError(
            f"{source} contains {irregular[0]}, which is not a readable file.",
            hint="Fix or remove the link. If it is a folder, name it as the source.",
        )
    if not paths:
        raise SourceError(f"{source} contains no supported file.", hint=FORMAT)
    lines = [path for path in paths if is_lines_file(path)]
    return paths if mapped or not lines else lines


def aliases_file(source: Path) -> Path | None:
    """Return the file of aliases in a folder of sources, where there is one."""
    files = (source / name for name in ALIASES)
    return next((path for path in files if path.is_file()), None)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A record, or its problem; `raw` returns the bytes for the file of rejects."""

    line: int
    values: Row | BadRow
    raw: Callable[[], bytes]

    def checked(self) -> Row:
        """Return the values. Raises BadRow."""
        if isinstance(self.values, BadRow):
            raise self.values
        return self.values


def read_records_of(path: Path, columns: ColumnMap) -> Iterator[SourceRecord]:
    """Yield the records of a file, by the end of its name.

    Args:
        path: The file; gzip is recognized by its first bytes, not by its name.
        columns: Encoding, delimiter and quotes of CSV and TSV.

    Raises:
        SourceError: The file is damaged, empty, in another encoding, or cannot be read.
    """
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(".parquet"):
        yield from _numbered(parquet_rows(path))
    elif name.endswith(".json"):
        yield from _json_records(path)
    elif name.endswith(".jsonl"):
        yield from _line_records(path)
    else:
        yield from _csv_records(path, columns)


@contextmanager
def _opened(path: Path) -> Generator[IO[bytes]]:
    """Open the content of a file, unzipped according to its first bytes."""
    try:
        with path.open("rb") as stored:
            is_packed = stored.read(2) == GZIP
            stored.seek(0)
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=stored)) if is_packed else stored
    except EOFError as error:
        raise SourceError(f"{path.name} ends early.", hint=AGAIN) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise SourceError(f"{path.name} is damaged.", hint=AGAIN) from error
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or 'damaged'}.") from error


def _is_wide(start: bytes) -> bool:
    """Return whether a text starts as UTF-16 does, with a mark or without."""
    return start.startswith(UTF16_MARKS) or b"\0" in start[:4]


def _wide(path: Path, hint: str) -> SourceError:
    return SourceError(
        f"{path.name} is encoded in UTF-16, according to its first bytes.", hint=hint
    )


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers.

    A line of more than `MAX_BYTES` is truncated to one byte more than that.

    Raises:
        SourceError: The file is damaged, in another encoding, or cannot be read.
    """
    with _opened(path) as content:
        for number, line in enumerate(_capped_lines(content), 1):
            if number == 1 and _is_wide(line):
                raise _wide(path, "Save it as UTF-8. Nothing was changed.")
            text = line.removeprefix(UTF8_MARK) if number == 1 else line
            if text and not text.isspace():
                yield number, text


def _capped_lines(content: IO[bytes]) -> Iterator[bytes]:
    while line := content.readline(MAX_BYTES + 1):
        remaining = line
        while len(remaining) > MAX_BYTES and not remaining.endswith(b"\n"):
            remaining = content.readline(MAX_BYTES + 1)
        yield line


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def parsed(line: bytes) -> Row:
    """Return the object of a line. Raises BadRow."""
    if len(line) > MAX_BYTES:
        raise BadRow(Reason.TOO_LONG, f"the line has more than {MAX_BYTES >> 20} MB")
    try:
        row = DECODER.decode(line.decode().rstrip())
    except UnicodeDecodeError as error:
        raise BadRow(Reason.NOT_UTF8, f"byte {error.start + 1} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadRow(Reason.NOT_JSON, f"{error.msg} at character {error.pos + 1}") from None
    except ValueError as error:
        raise BadRow(Reason.NOT_JSON, str(error).partition(";")[0]) from None
    except RecursionError:
        raise BadRow(Reason.NOT_JSON, "nested too deeply") from None
    return _object(row)


def _object(value: Any) -> Row:
    if not isinstance(value, dict):
        raise BadRow(Reason.NOT_AN_OBJECT, f"a {type(value).__name__} instead of an object")
    return cast("Row", value)


def _line_records(path: Path, *, is_guess: bool = False) -> Iterator[SourceRecord]:
    """Yield a record per line; if that is a guess, the first line must be one."""
    for number, line in read_lines(path):
        try:
            values: Row | BadRow = parsed(line)
        except BadRow as bad:
            if is_guess and bad.reason == Reason.NOT_JSON:
                raise SourceError(
                    f"{path.name} is neither a JSON list of records nor one record per line.",
                    hint=ALONE,
                ) from None
            values = bad
        is_guess = False
        yield SourceRecord(number, values, lambda line=line: line)


def _numbered(rows: Iterable[Row]) -> Iterator[SourceRecord]:
    for number, row in enumerate(rows, 1):
        yield SourceRecord(number, row, lambda row=row: _json(row))


def _json(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")


def _json_records(path: Path) -> Iterator[SourceRecord]:
    """Yield the records of a list, of the one list in an object, or one per line."""
    with _opened(path) as content:
        start = content.read(CHUNK)
        is_array = start.removeprefix(UTF8_MARK).lstrip()[:1] == b"["
        limit = MAX_ARRAY_BYTES if is_array else MAX_BYTES
        content.seek(0)
        data = content.read(limit + 1)
    if _is_wide(start):
        raise _wide(path, "Save it as UTF-8. Nothing was changed.")
    if is_array and len(data) > limit:
        size = f"{MAX_ARRAY_BYTES >> 20} MB"
        raise SourceError(f"{path.name} is a JSON array of more than {size}.", hint=AS_LINES)
    if is_array:
        text = data.decode("utf-8-sig", "surrogateescape")
        del data  # the text alone is in memory while its records are read
        yield from _array_records(path.name, text)
    elif len(data) <= limit and (records := _records_of_object(path.name, data)):
        yield from _numbered(records)
    else:
        del data
        yield from _line_records(path, is_guess=True)


def _array_records(name: str, text: str) -> Iterator[SourceRecord]:
    """Yield the elements of an array; commas may be missing or spare."""
    counted, index, line = 0, text.index("[") + 1, 1
    while True:
        match = BETWEEN.match(text, index)
        index = match.end() if match else index
        line += text.count("\n", counted, index)
        counted = index
        if text.startswith("]", index):
            break
        try:
            value, index = DECODER.raw_decode(text, index)
        except json.JSONDecodeError as error:
            problem = "the array is incomplete" if counted == len(text) else error.msg
            position = f"line {error.lineno}, character {error.colno}"
            raise _not_json(name, f"{problem} in {position}") from None
        except (ValueError, RecursionError) as error:
            raise _not_json(name, f"{str(error).partition(';')[0]} in line {line}") from None
        raw = text[counted:index]
        try:
            _require_utf8(raw)
            values: Row | BadRow = _object(value)
        except BadRow as bad:
            values = bad
        yield SourceRecord(line, values, lambda raw=raw: raw.encode("utf-8", "surrogateescape"))
    if text[index + 1 :].strip():
        raise _not_json(name, f"there is more text after the array, which ends in line {line}")


def _not_json(name: str, problem: str) -> SourceError:
    return SourceError(f"{name} is not JSON: {problem}.", hint=BY_LINE)


def _require_utf8(text: str, fix: str = "save the file as UTF-8") -> None:
    """Raise BadRow for bytes that were not UTF-8, which the decoder left as surrogates."""
    if not text.isascii() and any("\udc80" <= char <= "\udcff" for char in text):
        raise BadRow(Reason.NOT_UTF8, f"not UTF-8; {fix}")


def _records_of_object(name: str, data: bytes) -> list[Row]:
    """Return the one list of records in an object; empty if there is none.

    Raises:
        SourceError: The object has multiple lists of records.
    """
    try:
        members: Any = json.loads(data.removeprefix(UTF8_MARK))
    except (ValueError, RecursionError):
        return []  # one object per line, or not JSON
    if not isinstance(members, dict):
        return []
    lists = {
        member: cast("list[Row]", items)
        for member, items in cast("dict[str, Any]", members).items()
        if isinstance(items, list)
        and items
        and all(isinstance(item, dict) for item in cast("list[Any]", items))
    }
    if len(lists) > 1:
        raise SourceError(
            f"{name} contains several lists of records: {', '.join(lists)}.",
            hint="Save the list to load in a file of its own; nothing was changed.",
        )
    return next(iter(lists.values()), list[Row]())


def _csv_records(path: Path, columns: ColumnMap) -> Iterator[SourceRecord]:
    """Yield the records of CSV or TSV by column.

    Raises:
        SourceError: The file is empty, in UTF-16 without notice, or its header is unusable.
    """
    csv.field_size_limit(MAX_BYTES)
    is_tsv = path.name.lower().removesuffix(".gz").endswith(".tsv")
    quoting = csv.QUOTE_MINIMAL if columns.quoted else csv.QUOTE_NONE
    with _opened(path) as content:
        try:
            retained = list[str]()
            text = _decoded(path, content, columns.encoding)
            lines = _retained_lines(path, text, retained)
            header = next(lines, "")
            usual = "\t" if is_tsv else max(DELIMITERS, key=header.count)
            delimiter = columns.delimiter or usual
            reader = csv.reader(
                chain([header], lines), delimiter=delimiter, quoting=quoting, strict=True
            )
            names = _header(path, reader)
            while True:
                retained.clear()
                first = reader.line_num + 1
                cells: list[str] | BadRow | None
                try:
                    cells = next(reader, None)
                except csv.Error as error:
                    last = reader.line_num
                    span = f"; it spans lines {first} to {last}" if last > first else ""
                    cells = BadRow(Reason.NOT_CSV, f"{error}{span}")
                if cells is None:
                    return
                raw = "".join(retained)
                if isinstance(cells, BadRow) or cells:
                    values = cells if isinstance(cells, BadRow) else _values(names, cells, raw)
                    yield SourceRecord(
                        first, values, lambda raw=raw: raw.encode("utf-8", "surrogateescape")
                    )
        except UnicodeError as error:
            reason = error.reason if isinstance(error, UnicodeDecodeError) else error
            message = f"{path.name} is not {columns.encoding}: {reason}."
            raise SourceError(message, hint=ENCODED) from None


def _retained_lines(path: Path, text: TextIOWrapper, retained: list[str]) -> Iterator[str]:
    """Yield the lines of a text, which are also appended to a list."""
    while line := text.readline(MAX_BYTES):
        if len(line) == MAX_BYTES:
            raise SourceError(f"A line of {path.name} has over 64 million characters.")
        retained.append(line)
        yield line


def _decoded(path: Path, content: IO[bytes], encoding: str) -> TextIOWrapper:
    start = content.read(4096)
    content.seek(0)
    if not start.strip(b"\xef\xbb\xbf \t\r\n"):
        raise SourceError(f"{path.name} is empty.", hint="Add a first line with column names.")
    if start.startswith(ZIP):
        raise SourceError(f"{path.name} is a workbook, or a ZIP archive.", hint=SHEET)
    if _is_wide(start) and not encoding.lower().startswith(WIDE_ENCODINGS):
        raise _wide(path, ENCODED)
    is_utf8 = encoding.lower() in ("utf-8", "utf8", "utf_8")
    try:
        return TextIOWrapper(
            cast("Any", content),
            encoding="utf-8-sig" if is_utf8 else encoding,
            errors="surrogateescape" if is_utf8 else "strict",
            newline="",
        )
    except (LookupError, ValueError) as error:
        raise SourceError(f"{error}.", hint=ENCODINGS) from None


def _header(path: Path, reader: Iterator[list[str]]) -> list[str]:
    try:
        names = [name.strip() for name in next(reader, list[str]())]
    except csv.Error as error:
        raise SourceError(f"The header of {path.name} is not CSV: {error}.") from None
    repeated = sorted({name for name in names if name and names.count(name) > 1})
    if repeated:
        raise SourceError(f"The header of {path.name} repeats {', '.join(repeated)}.")
    return names


def _values(names: list[str], cells: list[str], raw: str) -> Row | BadRow:
    if len(cells) != len(names):
        message = f"{plural(len(cells), 'cell')}, but the header has {len(names)}"
        return BadRow(Reason.RAGGED, message)
    try:
        _require_utf8(
            raw, 'for files of older Windows programs, set encoding = "cp1252" in the column map'
        )
    except BadRow as bad:
        return bad
    return dict(zip(names, cells, strict=True))
