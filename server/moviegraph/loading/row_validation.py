"""Checks of rows against the tables that their kinds name, and the rejected rows."""

import json
import re
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from moviegraph.contract.column_types import Problem, UnfitValueError, text_value
from moviegraph.contract.model import Column, Connection, Contract, EdgeTable, NodeTable
from moviegraph.engines.graph_records import Key, id_bits
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import KINDS
from moviegraph.names import closest_names
from moviegraph.text import sanitize

MAX_SHOWN = 5
PLAIN = re.compile(r"[ -~]+")  # what most keys and names consist of, and everything stores
Row = dict[str, Any]


class Reason(StrEnum):
    """Why a row is rejected."""

    NOT_UTF8 = "not UTF-8"
    NOT_JSON = "not JSON"
    NOT_CSV = "not CSV"
    RAGGED = "ragged row"
    NOT_AN_OBJECT = "not an object"
    TOO_LONG = "line too long"
    MISSING = "field missing"
    EMPTY = "field empty"
    WRONG_TYPE = "wrong type"
    OUT_OF_RANGE = "number out of range"
    UNKNOWN_KIND = "unknown kind"
    TEXT_TOO_LONG = "text too long"
    NUL = "NUL character"
    LONE_SURROGATE = "lone surrogate"
    DUPLICATE_ID = "duplicate id"
    NO_SUCH_NODE = "no such node"
    DUPLICATE_EDGE = "duplicate edge"


class BadRow(Exception):
    """A row cannot be loaded."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


@dataclass(frozen=True, slots=True)
class Reject:
    """One bad row: its position, in lines or records, and its problem."""

    file: str
    line: int
    reason: Reason
    message: str
    unit: str = "line"

    @property
    def place(self) -> str:
        """The position, as in films.csv:3 or films.json, record 3."""
        if self.unit == "line":
            return f"{self.file}:{self.line}"
        return f"{self.file}, {self.unit} {self.line}"


class Rejects:
    """The bad rows of one load; the first few of each reason are shown."""

    def __init__(self, file: IO[str] | None = None) -> None:
        self._file = file
        self._counts = Counter[Reason]()
        self._first: dict[Reason, list[Reject]] = {}

    @property
    def counts(self) -> Mapping[str, int]:
        """How many rows were rejected by each reason, the commonest first."""
        return {reason.value: count for reason, count in self._counts.most_common()}

    @property
    def first(self) -> tuple[Reject, ...]:
        """The first few of each reason."""
        return tuple(reject for rejects in self._first.values() for reject in rejects)

    def add(self, file: str, line: int, row: bytes, bad: BadRow, unit: str = "line") -> None:
        """Count a bad row, and write it to the file."""
        self._counts[bad.reason] += 1
        first = self._first.setdefault(bad.reason, [])
        if len(first) < MAX_SHOWN:
            first.append(Reject(file, line, bad.reason, bad.message, unit))
        if self._file:
            record = {
                "file": file,
                unit: line,
                "reason": bad.reason.value,
                "message": bad.message,
                "row": row.decode("utf-8", "backslashreplace").rstrip("\r\n"),
            }
            with _writing(self._file):
                self._file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def flush(self) -> None:
        """Write all rejected rows to the file. Raises SourceError."""
        if self._file:
            with _writing(self._file):
                self._file.flush()


@contextmanager
def open_rejects(path: Path | None) -> Generator[Rejects]:
    """Open the collection of bad rows; a file contains those of this load only.

    Raises:
        SourceError: The file cannot be written.
    """
    if path is None:
        yield Rejects()
        return
    with _writing(path):
        file = path.open("w", encoding="utf-8", newline="\n")
    with file:
        yield Rejects(file)


@contextmanager
def _writing(target: Path | IO[str]) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if not isinstance(target, Path):
            with suppress(OSError):
                target.close()  # its buffer would fail again, and hide this error
        raise SourceError(
            f"{target if isinstance(target, Path) else target.name} cannot be written: "
            f"{error.strerror}.",
            hint="Name a different file with --rejects.",
        ) from error


def checked_value(column: Column, value: Any) -> Any:
    """Return a value as the column stores it; None where it is absent.

    Raises:
        BadRow: The column cannot hold it.
    """
    field = column.source_field
    if value is None:
        if not column.nullable:
            raise BadRow(Reason.MISSING, f"the field {field} is missing")
        return None
    with _fitting(field):
        return column.column_type.stored_value(value)


def required_text(field: str, value: Any, limit: int) -> str:
    """Return a text that is present and not blank. Raises BadRow."""
    if value is None:
        raise BadRow(Reason.MISSING, f"the field {field} is missing")
    text = checked_text(field, value, limit)
    if not sanitize(text).strip():  # invisible characters are no text
        raise BadRow(Reason.EMPTY, f"the field {field} is empty")
    return text


def checked_text(field: str, value: Any, limit: int) -> str:
    """Return a text that SQL Server and SQLite can both store. Raises BadRow."""
    if isinstance(value, str) and len(value) <= limit and PLAIN.fullmatch(value):
        return value
    with _fitting(field):
        return text_value(value, limit)


PROBLEMS: Mapping[Problem, Reason] = {
    "wrong type": Reason.WRONG_TYPE,
    "out of range": Reason.OUT_OF_RANGE,
    "too long": Reason.TEXT_TOO_LONG,
    "NUL": Reason.NUL,
    "lone surrogate": Reason.LONE_SURROGATE,
}


@contextmanager
def _fitting(field: str) -> Generator[None]:
    """Raise BadRow for a value that a field cannot store."""
    try:
        yield
    except UnfitValueError as error:
        raise BadRow(PROBLEMS[error.problem], f"the field {field} {error.message}") from None


MAX_KEY_UNITS = 1000


def checked_key(field: str, value: Any, bits: int) -> Key:
    """Return an id: a whole number, or a text. A text of digits means the number.

    Raises:
        BadRow: It is neither, or a number that no id can be.
    """
    if value is None:
        raise BadRow(Reason.MISSING, f"the field {field} is missing")
    if isinstance(value, int) and not isinstance(value, bool):
        if 0 <= value < 2**bits:
            return value
        raise BadRow(
            Reason.OUT_OF_RANGE,
            f"the field {field} is outside 0 to 2^{bits} - 1; write it as text to map it",
        )
    if not isinstance(value, str):
        message = f"the field {field} is neither an integer nor text"
        raise BadRow(Reason.WRONG_TYPE, message)
    return _text_key(field, value, bits)


def _text_key(field: str, value: str, bits: int) -> Key:
    text = checked_text(field, value, MAX_KEY_UNITS).strip()
    if not sanitize(text).strip():
        raise BadRow(Reason.EMPTY, f"the field {field} is empty")
    digits = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    if digits and len(text) <= len(str(2**bits)) and int(text) < 2**bits:
        return int(text)
    return text


@dataclass(frozen=True, slots=True)
class Node:
    """A checked node; its key is the id that its row gives."""

    table: NodeTable
    key: Key
    name: str
    content: str
    values: Mapping[str, Any]


class Tables:
    """The tables of a contract by kind, and the check of nodes against theirs."""

    def __init__(self, contract: Contract) -> None:
        self._names = contract.table_names
        self._tables = {table.name.lower(): table for table in (*contract.nodes, *contract.edges)}
        self._bits = {node.name: id_bits(node) for node in contract.nodes}
        self._keyed = {node.name for node in contract.nodes if node.source_key}
        self.edges = {edge.name: edge for edge in contract.edges}
        self.pairs = {edge.name: [*map(self.kinds_of, edge.connections)] for edge in contract.edges}

    def table(self, row: Row) -> NodeTable | EdgeTable:
        """Return the table of a row. Raises BadRow."""
        kind = row.get("kind")
        if isinstance(kind, str) and (table := self._tables.get(kind.lower())):
            return table
        if not isinstance(kind, str) or not kind:
            if kind is None:
                raise BadRow(Reason.MISSING, "the field kind is missing")
            if kind:
                raise BadRow(Reason.WRONG_TYPE, "the field kind is not text")
            raise BadRow(Reason.EMPTY, "the field kind is empty")
        close = _closest(kind[:64], self._names)
        advice = f"; did you mean {close[0]}?" if close else ""
        raise BadRow(Reason.UNKNOWN_KIND, f"the contract has no kind {kind[:64]!r}{advice}")

    def node(self, table: NodeTable, row: Row) -> Node:
        """Return a row as a node. Raises BadRow."""
        values = {c.name: row.get(c.source_field) for c in table.extra}
        if table.source_key and values[table.source_key] is None and row.get("id") is not None:
            values[table.source_key] = str(row["id"]).strip()
        return Node(
            table,
            self.key("id", row.get("id"), table.name),
            required_text("name", row.get("name"), table.max_label_chars),
            required_text("content", row.get("content"), table.max_text_chars)
            if table.text
            else "",
            {c.name: checked_value(c, values[c.name]) for c in table.extra},
        )

    def key(self, field: str, value: Any, kind: str) -> Key:
        """Return an id; one of a kind with source keys may be a number beyond all ids."""
        if kind in self._keyed and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        return checked_key(field, value, self._bits[kind])

    def pair_of(self, table: str, from_kind: Any, to_kind: Any) -> int:
        """Return which pair an edge connects; a row states its kinds where there are multiple.

        Raises:
            BadRow: There is no such pair, or there are multiple.
        """
        said = dict(zip(KINDS, (from_kind, to_kind), strict=True))
        fitting = [
            at
            for at, pair in enumerate(self.pairs[table])
            if all(map(_is_kind, said.values(), pair))
        ]
        if len(fitting) == 1:
            return fitting[0]
        possible = [self.pairs[table][at] for at in fitting] or self.pairs[table]
        pairs = ", ".join(f"{start} to {end}" for start, end in possible)
        if fitting:
            absent = next(field for field, kind in said.items() if kind is None)
            raise BadRow(Reason.MISSING, f"the field {absent} is missing; {table} connects {pairs}")
        table_names = " to ".join(str(kind)[:64] for kind in said.values())
        raise BadRow(Reason.UNKNOWN_KIND, f"{table} connects {pairs}, not {table_names}")

    def pair(self, connection: Connection) -> int:
        """Return which pair of its edge table a connection is."""
        return self.pairs[connection.name].index(self.kinds_of(connection))

    def kinds_of(self, connection: Connection) -> tuple[str, str]:
        """Return both node tables of a pair, as they are called in the contract."""
        start, end = connection.from_table.lower(), connection.to_table.lower()
        return self._tables[start].name, self._tables[end].name

    def bits(self, kind: str) -> int:
        """Return how many bits the ids of a node table have."""
        return self._bits[kind]


@lru_cache(maxsize=1000)  # a source of a different domain has the same few kinds in every row
def _closest(kind: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return closest_names(kind, names, 1)


def _is_kind(value: Any, kind: str) -> bool:
    return value is None or (isinstance(value, str) and value.lower() == kind.lower())
