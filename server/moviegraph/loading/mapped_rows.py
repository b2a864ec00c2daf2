"""Turns the records of a person's own table into rows as JSON Lines has them."""

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, cast

from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable, nearest
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import (
    NAME,
    USUAL,
    ColumnMap,
    ListColumn,
    edge_table,
    fields_of,
    node_table,
)
from moviegraph.loading.rejects import BadRow, Reason
from moviegraph.loading.rows import Row

MOST_LITERAL = 1 << 20
JOINED = " | "
WHOLE = re.compile(r"-?\d{1,18}(\.0*)?")
YEAR_FIRST = re.compile(r"(\d{4})[-/.]\d{1,2}([-/.]\d{1,2}([T ].*)?)?")
YEAR_LAST = re.compile(
    r"(?:\d{1,2}[-/. ]\d{1,2}[-/. ]|(?:\d{1,2} )?[A-Za-z]{3,9}\.?,? (?:\d{1,2}, ?)?)(\d{4})"
)
BITS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Named:
    """A name that a list holds: the node it makes, and the edge to it."""

    table: NodeTable
    node: Row
    edge_table: EdgeTable
    edge: Row


class MappedRows:
    """A column map against a contract; it remembers which columns it has met."""

    def __init__(self, columns: ColumnMap, contract: Contract) -> None:
        self.table = node_table(columns, contract)
        self.columns = columns
        self._absent = {"", *columns.absent}
        self._extra = {column.source_field: column for column in self.table.extra}
        self._lists = [
            (name, each, edge, _other(edge, self.table, contract))
            for name, each in columns.lists.items()
            for edge in (edge_table(each, self.table, contract),)
        ]
        self._seen: dict[str, str] = {}

    def begin(self) -> None:
        """Forget the columns of the file before."""
        self._seen.clear()

    def row(self, record: Mapping[str, Any]) -> Row:
        """Return a record as the row of a node. Raises BadRow."""
        for name in record:
            self._seen.setdefault(name.lower(), name)
        row: Row = {"kind": self.table.name}
        for field in fields_of(self.table):
            row[field] = self._value(field, record)
        return row

    def names(self, record: Mapping[str, Any], key: object) -> Iterator[Named]:
        """Yield the nodes and edges that the lists of a record name. Raises BadRow."""
        for column, each, edge, other in self._lists:
            folded: dict[str, str] = {}
            for name in _names(column, each, self._given(record, column)):
                folded.setdefault(name.casefold(), name)
            for target, name in folded.items():
                node = {"id": target, "name": name, "content": each.text.replace(NAME, name)}
                ends = (
                    (key, target) if other.name.lower() == edge.to_table.lower() else (target, key)
                )
                yield Named(other, node, edge, {"from": ends[0], "to": ends[1]})

    def check_columns(self, file: str) -> None:
        """Refuse a mapped column that no record had. Raises SourceError."""
        if not self._seen:
            return
        for field in (*USUAL, *self.columns.columns):
            for column in self._wanted(field):
                self._check(file, column, f"for {field}")
        for column, each, *_ in self._lists:
            self._check(file, column, f"for {each.edge}")

    def _check(self, file: str, column: str, purpose: str) -> None:
        if column.lower() in self._seen:
            return
        close = nearest(column, list(self._seen.values()))
        shown = ", ".join(close or list(self._seen.values())[:20])
        has = f"{'Nearest' if close else 'It has'}: {shown}."
        raise SourceError(
            f"{file} has no column {column} {purpose}. {has}",
            hint="Say --column FIELD=COLUMN, or mend the column map; nothing was changed.",
        )

    def _wanted(self, field: str) -> tuple[str, ...]:
        said = self.columns.columns.get(field, field)
        return (said,) if isinstance(said, str) else said

    def _value(self, field: str, record: Mapping[str, Any]) -> Any:
        values = [self._given(record, column) for column in self._wanted(field)]
        if len(values) > 1:
            return JOINED.join(str(value) for value in values) if None not in values else None
        if field in self._extra:
            return _fitting(self._extra[field], values[0])
        return _key(values[0]) if field == "id" else _text(values[0])

    def _given(self, record: Mapping[str, Any], column: str) -> Any:
        value = record.get(column)
        if value is None and column not in record:
            value = record.get(self._seen.get(column.lower(), column))
        gap = isinstance(value, float) and math.isnan(value)
        if gap or (isinstance(value, str) and value.strip() in self._absent):
            return None
        return float(value) if isinstance(value, Decimal) else value


def _other(edge: EdgeTable, table: NodeTable, contract: Contract) -> NodeTable:
    ends = {edge.from_table.lower(), edge.to_table.lower()} - {table.name.lower()}
    return next(node for node in contract.nodes if node.name.lower() in ends)


def _key(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _fitting(column: Column, value: Any) -> Any:
    """Return a value as its column means it; what does not fit is left for the check."""
    if column.type in ("INT", "BIGINT"):
        return _whole(value)
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


def _whole(value: Any) -> Any:
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
            raise BadRow(Reason.WRONG_TYPE, f"the column {column} lists what is no name")
        if name := " ".join(item.split()):
            yield name


def _items(column: str, value: Any) -> list[Any]:
    listed = _literal(value) if isinstance(value, str) else value
    if isinstance(listed, (list, tuple)):
        return list(cast("list[Any]", listed))
    raise BadRow(Reason.WRONG_TYPE, f"the column {column} is no list; does it need a separator?")


def _literal(text: str) -> Any:
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
