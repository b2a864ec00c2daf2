"""The rows of a table as JSON Lines has them, by a column map."""

import ast
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, cast

from moviegraph.contract.model import Column, Connection, Contract, EdgeTable, NodeTable, nearest
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import (
    ENDS,
    KINDS,
    NAME,
    USUAL,
    ColumnMap,
    ListColumn,
    edge_of_list,
    fields_of,
    node_table,
    unknown,
)
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.row_validation import Row, name_key

JOINED = " | "
MOST_SHOWN = 20
POINT_NOUGHT = re.compile(r"[0-9]{1,12}\.0")
Columns = str | tuple[str, ...]


class Cells:
    """Gives the cells of records, and remembers which columns they had."""

    def __init__(self, absent: tuple[str, ...]) -> None:
        self._absent = {"", *absent}
        self._seen: dict[str, str] = {}

    def begin(self) -> None:
        """Forget the columns of the file before."""
        self._seen.clear()

    def see(self, record: Mapping[str, Any]) -> None:
        """Remember the columns of a record."""
        for name in record:
            self._seen.setdefault(name.lower(), name)

    def given(self, record: Mapping[str, Any], column: str) -> Any:
        """Return the value of a column; None where the cell means: no value."""
        value = record.get(column)
        if value is None and column not in record:
            value = record.get(self._seen.get(column.lower(), column))
        gap = isinstance(value, float) and math.isnan(value)
        if gap or (isinstance(value, str) and value.strip() in self._absent):
            return None
        return float(value) if isinstance(value, Decimal) else value

    def joined(self, record: Mapping[str, Any], columns: Columns) -> Any:
        """Return the value of a column, or those of several as one text."""
        values = [self.given(record, column) for column in listed(columns)]
        if len(values) > 1:
            return JOINED.join(str(value) for value in values) if None not in values else None
        return values[0]

    def key(self, record: Mapping[str, Any], columns: Columns) -> Any:
        """Return what names a node, 8 for 8.0: exports of columns with gaps write it so."""
        value = self.joined(record, columns)
        if isinstance(value, str) and POINT_NOUGHT.fullmatch(value.strip()):
            return int(value.partition(".")[0])
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def require(self, file: str, purposes: Mapping[str, str]) -> None:
        """Refuse columns that no record of a file had.

        Args:
            file: The name of the file.
            purposes: What each column is needed for.

        Raises:
            SourceError: The message states every missing column.
        """
        missing = [name for name in purposes if name.lower() not in self._seen]
        if not missing or not self._seen:
            return
        problems = [f"{file} has no column {name} {purposes[name]}." for name in missing]
        close = nearest(missing[0], list(self._seen.values())) if len(missing) == 1 else ()
        shown = ", ".join(name or "a column without a name" for name in close or self._first())
        known = f"{'Nearest' if close else 'It has'}: {shown}."
        raise SourceError(
            f"{problems[0]} {known}" if len(problems) == 1 else "\n".join([*problems, known]),
            hint="Use --column FIELD=COLUMN, or fix the column map. Nothing was changed.",
        )

    def unused(self, used: Iterable[str]) -> list[str]:
        """Return the columns of the records that nothing uses."""
        names = {name.lower() for name in used}
        return [name for key, name in self._seen.items() if name and key not in names]

    def _first(self) -> list[str]:
        return list(self._seen.values())[:MOST_SHOWN]


def listed(columns: Columns) -> tuple[str, ...]:
    """Return the columns as a tuple, also a single one."""
    return (columns,) if isinstance(columns, str) else columns


MOST_LITERAL = 1 << 20
WHOLE = re.compile(r"-?\d{1,18}(\.0*)?")
MONTH, DAY = "(?:0?[1-9]|1[0-2])", "(?:0?[1-9]|[12][0-9]|3[01])"
# Of two numbers, 1979-05 alone is a date: with a point or a stroke it may be any other number.
YEAR_FIRST = re.compile(rf"(\d{{4}})(?:-{MONTH}|([-/.]){MONTH}\2{DAY}([T ].*)?)")
YEAR_LAST = re.compile(
    rf"(?:(?:{DAY}[-/. ]{MONTH}|{MONTH}[-/. ]{DAY})[-/. ]"
    rf"|(?:{DAY} )?[A-Za-z]{{3,9}}\.?,? (?:{DAY}, ?)?)(\d{{4}})"
)
BITS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class ListedName:
    """A name that a list holds: the node it makes, and the edge to it."""

    table: NodeTable
    node: Row
    connection: Connection
    outgoing: bool


class NodeRowMapper:
    """A column map against a contract; it remembers which columns it has met."""

    def __init__(self, columns: ColumnMap, contract: Contract) -> None:
        self.table = node_table(columns, contract)
        self.columns = columns
        self._cells = Cells(columns.absent)
        self._extra = {column.source_field: column for column in self.table.extra}
        self._lists = [
            (name, each, edge, _other(edge, self.table, contract))
            for name, each in columns.lists.items()
            for edge in (edge_of_list(each, self.table, contract),)
        ]

    def begin(self) -> None:
        """Forget the columns of the file before."""
        self._cells.begin()

    def row(self, record: Mapping[str, Any]) -> Row:
        """Return a record as the row of a node. Raises BadRow."""
        self._cells.see(record)
        row: Row = {"kind": self.table.name}
        for field in fields_of(self.table):
            row[field] = self._value(field, record)
        return row

    def names(self, record: Mapping[str, Any]) -> Iterator[ListedName]:
        """Yield the nodes that the lists of a record name, and the edges. Raises BadRow."""
        for column, each, edge, other in self._lists:
            outgoing = other.name.lower() == edge.to_table.lower()
            spelt: dict[str, str] = {}
            for name in _names(column, each, self._cells.given(record, column)):
                spelt.setdefault(name_key(name), name)
            for key, name in spelt.items():
                node = {"id": key, "name": name, "content": each.text.replace(NAME, name)}
                yield ListedName(other, node, edge, outgoing)

    def check_columns(self, file: str) -> None:
        """Refuse mapped columns that no record had. Raises SourceError."""
        purposes = {
            name: f"for the field {field}"
            for field in (*USUAL, *self.columns.columns)
            for name in listed(self._wanted(field))
        }
        purposes |= {column: f"for {each.edge}" for column, each, *_ in self._lists}
        self._cells.require(file, purposes)

    def unused_columns(self) -> list[str]:
        """Return the columns of the file that no field and no list is read from."""
        fields = [name for field in fields_of(self.table) for name in listed(self._wanted(field))]
        return self._cells.unused([*fields, *(column for column, *_ in self._lists)])

    def _wanted(self, field: str) -> Columns:
        return self.columns.columns.get(field, field)

    def _value(self, field: str, record: Mapping[str, Any]) -> Any:
        wanted = self._wanted(field)
        if field == "id":
            return self._cells.key(record, wanted)
        value = self._cells.joined(record, wanted)
        return _fitting(self._extra[field], value) if field in self._extra else _text(value)


def _other(edge: Connection, table: NodeTable, contract: Contract) -> NodeTable:
    ends = {edge.from_table.lower(), edge.to_table.lower()} - {table.name.lower()}
    return next(node for node in contract.nodes if node.name.lower() in ends)


def _text(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return "\n".join(_sentences(cast("list[Any]", value))) or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _sentences(items: Iterable[Any]) -> Iterator[str]:
    """Yield the texts of a list of texts, or of objects that each have one: steps of a recipe."""
    for item in items:
        texts = list(cast("Row", item).values()) if isinstance(item, dict) else [item]
        strings = [text.strip() for text in texts if isinstance(text, str)]
        if longest := max(strings, key=len, default=""):
            yield longest


def _fitting(column: Column, value: Any) -> Any:
    """Return a value as its column means it; what does not fit is left for the check."""
    if column.type in ("INT", "BIGINT"):
        return whole_number(value)
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, date):
        return value.isoformat()
    if column.is_text:
        return _text(value)
    if not isinstance(value, str):
        return value
    if column.type == "BIT":
        return BITS.get(value.strip().lower(), value)
    return _number(value) if column.type == "FLOAT" else value.strip()


def whole_number(value: Any) -> Any:
    """Return the whole number that a value means, the year of a date; else the value itself."""
    if isinstance(value, date):
        return value.year
    if not isinstance(value, str):
        return value
    text = value.strip()
    if WHOLE.fullmatch(text):
        return int(text.partition(".")[0])
    match = YEAR_FIRST.fullmatch(text) or YEAR_LAST.fullmatch(text)
    return int(match[1]) if match else value


def _number(value: str) -> Any:
    try:
        return float(value)
    except ValueError:
        return value


def _names(column: str, each: ListColumn, value: Any) -> Iterator[str]:
    if value is None:
        return
    items = (
        value.split(each.split) if each.split and isinstance(value, str) else _items(column, value)
    )
    for item in items:
        if isinstance(item, dict):
            item = cast("Row", item).get(each.json_name or "name")
        if item is None:
            continue
        if not isinstance(item, str):
            raise BadRow(
                Reason.WRONG_TYPE, f"the column {column} contains an item that is not a name"
            )
        if name := " ".join(item.split()):
            yield name


def _items(column: str, value: Any) -> list[Any]:
    values = literal_list(value) if isinstance(value, str) else value
    if isinstance(values, (list, tuple)):
        return list(cast("list[Any]", values))
    if isinstance(values, dict):
        return [values]
    raise BadRow(
        Reason.WRONG_TYPE,
        f"the column {column} is not a list; for text, name its separator, as in --list "
        f"{column}=EDGE:,",
    )


def literal_list(text: str) -> Any:
    """Return a list written as JSON, or as Python prints it, which some public data sets do."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > MOST_LITERAL:
        return None
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


class EdgeRowMapper:
    """A column map of edges against a contract; it remembers which columns it has met."""

    def __init__(self, columns: ColumnMap, contract: Contract) -> None:
        self.table = _table(columns, contract)
        self.columns = columns
        self._cells = Cells(columns.absent)
        self._kinds = columns.end_kinds

    def begin(self) -> None:
        """Forget the columns of the file before."""
        self._cells.begin()

    def row(self, record: Mapping[str, Any]) -> Row:
        """Return a record as the row of an edge."""
        self._cells.see(record)
        row: Row = {end: self._cells.key(record, self._wanted(end)) for end in ENDS}
        for field in KINDS:
            row[field] = self._kinds[field] or self._cells.joined(record, self._wanted(field))
        return row

    def check_columns(self, file: str) -> None:
        """Refuse mapped columns that no record had. Raises SourceError."""
        self._cells.require(file, self._purposes())

    def unused_columns(self) -> list[str]:
        """Return the columns of the file that no end is read from."""
        return self._cells.unused(self._purposes())

    def _purposes(self) -> dict[str, str]:
        fields = (*ENDS, *(each for each in KINDS if each in self.columns.columns))
        return {
            name: f"for the field {field}"
            for field in fields
            for name in listed(self._wanted(field))
        }

    def _wanted(self, field: str) -> Columns:
        return self.columns.columns.get(field, field)


def _table(columns: ColumnMap, contract: Contract) -> EdgeTable:
    wanted = columns.edge or ""
    edge_table = next((e for e in contract.edges if e.name.lower() == wanted.lower()), None)
    if edge_table is None:
        names = [edge.name for edge in contract.edges]
        raise unknown(f"The contract has no edge table {wanted}", wanted, names)
    for field in columns.columns:
        if field not in (*ENDS, *KINDS):
            raise unknown(f"{edge_table.name} has no field {field}", field, (*ENDS, *KINDS))
    _check_kinds(columns, edge_table)
    return edge_table


def _check_kinds(columns: ColumnMap, edge: EdgeTable) -> None:
    """Refuse kinds that stand at no such end of the edges. Raises SourceError."""
    known = {
        "from_kind": [pair.from_table for pair in edge.pairs],
        "to_kind": [pair.to_table for pair in edge.pairs],
    }
    for field, kind in columns.end_kinds.items():
        if kind is not None and kind.lower() not in [each.lower() for each in known[field]]:
            names = list(dict.fromkeys(known[field]))
            raise unknown(f"{edge.name} has no {field} {kind}", kind, names)
