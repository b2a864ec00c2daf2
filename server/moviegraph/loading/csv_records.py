"""CSV and TSV record by record: strict, with the lines that each record takes.

Python's reader does it rather than DuckDB's: it neither guesses types nor drops a row without
saying which, holds one record at a time, and gives back the lines that a bad one stood in.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.source import MOST_BYTES, STEP, is_wide, unpacked, unzipped_name
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
