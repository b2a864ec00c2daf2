"""The records of a person's own file: CSV, TSV, JSON, JSON Lines or Parquet, one by one."""

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, cast

from moviegraph.engines.parquet import parquet_rows
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.csv_records import ENCODED, csv_records
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.rows import DECODER, Row, parsed
from moviegraph.loading.source import AGAIN, MOST_BYTES, read_lines, unpacked, unzipped_name

Advanced = Callable[[int], None]
CHUNK = 1 << 20
JSON_SPACE = " \t\r\n"


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
        elif name.endswith(".jsonl") or (name.endswith(".json") and not _is_array(path)):
            yield from _of_lines(path, advanced)
        elif name.endswith(".json"):
            yield from _of_array(path, advanced)
        else:
            for line, values, raw in csv_records(path, columns, advanced):
                yield TableRecord(line, values, raw)
    except UnicodeDecodeError as error:
        wanted = "utf-8" if ".json" in name else columns.encoding
        raise SourceError(f"{path.name} is not {wanted}: {error.reason}.", hint=ENCODED) from None
    except (EOFError, zlib.error) as error:
        raise SourceError(f"{path.name} ends early, or is damaged.", hint=AGAIN) from error
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or 'damaged'}.") from error


def _of_parquet(path: Path) -> Iterator[TableRecord]:
    for number, values in enumerate(parquet_rows(path), 1):
        yield TableRecord(number, values, lambda values=values: _json(values))


def _json(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")


def _of_lines(path: Path, advanced: Advanced) -> Iterator[TableRecord]:
    for number, line in read_lines(path, advanced):
        try:
            values: Row | BadRow = parsed(line)
        except BadRow as bad:
            values = bad
        yield TableRecord(number, values, lambda line=line: line)


def _is_array(path: Path) -> bool:
    with path.open("rb") as stored, unpacked(stored) as content:
        return content.read(CHUNK).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def _of_array(path: Path, advanced: Advanced) -> Iterator[TableRecord]:
    """Decode an array element by element; no more than one of them is held."""
    with path.open("rb") as stored, unpacked(stored) as content:
        array = _Array(TextIOWrapper(cast("Any", content), encoding="utf-8-sig"), path.name)
        for line, value, text in array.elements():
            advanced(stored.tell())
            values = cast("Row", value) if isinstance(value, dict) else _no_object(value)
            yield TableRecord(line, values, lambda text=text: text.encode())


def _no_object(value: object) -> BadRow:
    return BadRow(Reason.NOT_AN_OBJECT, f"a {type(value).__name__} where an object should be")


class _Array:
    """A JSON array that is read as far as its next element needs."""

    def __init__(self, text: TextIOWrapper, name: str) -> None:
        self._text, self._name = text, name
        self._buffer, self._at, self._line = "", 0, 1
        self._ended = False

    def elements(self) -> Iterator[tuple[int, Any, str]]:
        """Yield line, value and text of each element. Raises SourceError."""
        self._skip("[")
        more = self._next() != "]"
        while more:
            yield self._element()
            sign = self._next()
            if sign not in (",", "]"):
                raise self._broken("no comma between two records")
            self._skip(sign)
            more = sign == ","
        if self._next():
            raise self._broken("more after the end of the array")

    def _element(self) -> tuple[int, Any, str]:
        self._next()
        while True:
            try:
                value, end = DECODER.raw_decode(self._buffer, self._at)
                if end < len(self._buffer) or self._ended:
                    break
            except (ValueError, RecursionError) as error:
                if self._ended or len(self._buffer) - self._at > MOST_BYTES:
                    raise self._broken(getattr(error, "msg", None) or str(error)) from None
            self._fill()
        line, text = self._line, self._buffer[self._at : end]
        self._move(end)
        return line, value, text

    def _next(self) -> str:
        """Return the next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in JSON_SPACE:
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
        self._buffer = self._buffer[self._at :]
        self._at = 0
        added = self._text.read(max(CHUNK, len(self._buffer)))
        self._ended = not added
        self._buffer += added

    def _broken(self, why: str) -> SourceError:
        return SourceError(
            f"{self._name} is not JSON after line {self._line}: {why}.",
            hint="Mend it, or save it with one object a line; nothing was changed.",
        )
