"""The records of a person's own file: CSV, TSV, JSON, JSON Lines or Parquet, one by one."""

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, cast

from moviegraph.engines.embedded.duckdb_files import parquet_rows
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.csv_records import ENCODED, csv_records
from moviegraph.loading.json_array import CHUNK, JsonArray
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.rows import Row, parsed
from moviegraph.loading.source import (
    AGAIN,
    MOST_BYTES,
    UTF8_MARK,
    is_wide,
    read_lines,
    unpacked,
    unzipped_name,
)

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
