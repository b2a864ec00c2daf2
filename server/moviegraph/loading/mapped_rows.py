"""Turns the records of a person's own table into rows as JSON Lines has them."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from moviegraph.contract.model import Column, Connection, Contract, NodeTable
from moviegraph.loading.cells import Cells, Columns, listed
from moviegraph.loading.column_map import (
    NAME,
    USUAL,
    ColumnMap,
    ListColumn,
    edge_of_list,
    fields_of,
    node_table,
)
from moviegraph.loading.concepts import folded
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.rows import Row

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
class Named:
    """A name that a list holds: the node it makes, and the edge to it."""

    table: NodeTable
    node: Row
    connection: Connection
    outgoing: bool


class MappedRows:
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

    def names(self, record: Mapping[str, Any]) -> Iterator[Named]:
        """Yield the nodes that the lists of a record name, and the edges. Raises BadRow."""
        for column, each, edge, other in self._lists:
            outgoing = other.name.lower() == edge.to_table.lower()
            spelt: dict[str, str] = {}
            for name in _names(column, each, self._cells.given(record, column)):
                spelt.setdefault(folded(name), name)
            for key, name in spelt.items():
                node = {"id": key, "name": name, "content": each.text.replace(NAME, name)}
                yield Named(other, node, edge, outgoing)

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
    found = YEAR_FIRST.fullmatch(text) or YEAR_LAST.fullmatch(text)
    return int(found[1]) if found else value


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
    found = literal_list(value) if isinstance(value, str) else value
    if isinstance(found, (list, tuple)):
        return list(cast("list[Any]", found))
    if isinstance(found, dict):
        return [found]
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
