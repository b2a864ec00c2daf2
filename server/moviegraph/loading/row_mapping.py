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

from moviegraph.contract.model import Column, Connection, Contract, EdgeTable, NodeTable
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import (
    ENDS,
    NAME,
    USUAL,
    ColumnMap,
    ListColumn,
    edge_of_list,
    fields_of,
    table_of_rows,
)
from moviegraph.loading.row_validation import BadRow, Reason, Row, Tables
from moviegraph.names import closest_names, fold_case

JOINED = " | "
MAX_SHOWN = 20
MAX_LITERAL_CHARS = 1 << 20
KEYS = ("id", *ENDS)
POINT_ZERO = re.compile(r"[0-9]{1,12}\.0")
WHOLE = re.compile(r"-?\d{1,18}(\.0*)?")
MONTH, DAY = "(?:0?[1-9]|1[0-2])", "(?:0?[1-9]|[12][0-9]|3[01])"
# Of two numbers, only 1979-05 is a date: with a point or a slash it may be any other number.
YEAR_FIRST = re.compile(rf"(\d{{4}})(?:-{MONTH}|([-/.]){MONTH}\2{DAY}([T ].*)?)")
YEAR_LAST = re.compile(
    rf"(?:(?:{DAY}[-/. ]{MONTH}|{MONTH}[-/. ]{DAY})[-/. ]"
    rf"|(?:{DAY} )?[A-Za-z]{{3,9}}\.?,? (?:{DAY}, ?)?)(\d{{4}})"
)
BITS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class ListedName:
    """A name that a list contains: the node it makes, and the edge to it."""

    table: NodeTable
    node: Row
    connection: Connection
    outgoing: bool


class LineMapper:
    """Rows that are what they should be: JSON Lines of nodes and edges.

    Like `ColumnMapper` it remembers the columns of a file that nothing was read from.
    """

    columns = ColumnMap()

    def __init__(self, tables: Tables, contract: Contract) -> None:
        self._tables = tables
        self._fields = {
            node.name.lower(): frozenset({"kind", *fields_of(node)}) for node in contract.nodes
        }
        self._unused: dict[str, None] = {}

    def table_of(self, record: Row) -> NodeTable | EdgeTable:
        """Return the table of a record's kind. Raises BadRow."""
        return self._tables.table(record)

    def row(self, record: Row) -> Row:
        """Return the record itself."""
        fields = self._fields.get(record["kind"].lower())
        if fields and (extra := record.keys() - fields):
            self._unused.update(dict.fromkeys(sorted(extra)))
        return record

    def names(self, record: Row) -> Iterable[ListedName]:  # noqa: ARG002 - as ColumnMapper
        """Return nothing: edges have rows of their own."""
        return ()

    def finish(self, file: str) -> list[str]:  # noqa: ARG002 - as ColumnMapper
        """Return the fields of nodes that their tables have no column for."""
        unused = list(self._unused)
        self._unused.clear()
        return unused


class ColumnMapper:
    """A column map against a contract that it fits."""

    def __init__(self, columns: ColumnMap, contract: Contract) -> None:
        self.columns = columns
        self._table = table = table_of_rows(columns, contract)
        self._absent = {"", *columns.absent}
        self._columns_read: dict[str, str] = {}
        self._sources = {
            field: _as_tuple(columns.columns.get(field, field)) for field in fields_of(table)
        }
        self._fixed = {field: kind for field, kind in columns.end_kinds.items() if kind}
        self._extra: dict[str, Column] = {}
        self._lists: list[tuple[str, ListColumn, Connection, NodeTable]] = []
        if isinstance(table, NodeTable):
            self._extra = {column.source_field: column for column in table.extra}
            for name, list_column in columns.lists.items():
                edge = edge_of_list(list_column, table, contract)
                self._lists.append((name, list_column, edge, _other_end(edge, table, contract)))

    def table_of(self, record: Row) -> NodeTable | EdgeTable:  # noqa: ARG002 - as ColumnMapper
        """Return the table of all rows."""
        return self._table

    def row(self, record: Row) -> Row:
        """Return a record as a row of its table."""
        for name in record:
            self._columns_read.setdefault(name.lower(), name)
        row: Row = {"kind": self._table.name}
        for field, sources in self._sources.items():
            row[field] = self._value(field, self._joined(record, sources))
        return row | self._fixed

    def names(self, record: Row) -> Iterator[ListedName]:
        """Yield the nodes that the lists of a record name, and the edges. Raises BadRow."""
        for column, list_column, edge, other in self._lists:
            outgoing = other.name.lower() == edge.to_table.lower()
            spelling: dict[str, str] = {}
            for name in cell_names(column, list_column, self._cell(record, column)):
                spelling.setdefault(fold_case(name), name)
            for key, name in spelling.items():
                node = {"id": key, "name": name, "content": list_column.text.replace(NAME, name)}
                yield ListedName(other, node, edge, outgoing)

    def finish(self, file: str) -> list[str]:
        """Return the columns that nothing was read from. Raises SourceError."""
        columns_read, self._columns_read = self._columns_read, {}
        usual = ENDS if isinstance(self._table, EdgeTable) else USUAL
        purposes = {
            name: f"for the field {field}"
            for field in (*usual, *self.columns.columns)
            for name in self._sources[field]
        }
        purposes |= {column: f"for {list_column.edge}" for column, list_column, *_ in self._lists}
        missing = {
            name: reason for name, reason in purposes.items() if name.lower() not in columns_read
        }
        if missing and columns_read:
            raise _missing_columns(file, missing, list(columns_read.values()))
        sources = (name for names in self._sources.values() for name in names)
        used = {name.lower() for name in (*sources, *self.columns.lists)}
        return [name for key, name in columns_read.items() if name and key not in used]

    def _cell(self, record: Row, column: str) -> Any:
        """Return the value of a column; None where the cell means: no value."""
        value = record.get(column)
        if value is None and column not in record:
            value = record.get(self._columns_read.get(column.lower(), column))
        is_nan = isinstance(value, float) and math.isnan(value)
        if is_nan or (isinstance(value, str) and value.strip() in self._absent):
            return None
        return float(value) if isinstance(value, Decimal) else value

    def _joined(self, record: Row, columns: tuple[str, ...]) -> Any:
        """Return the value of a column, or those of multiple as one text."""
        values = [self._cell(record, column) for column in columns]
        if len(values) > 1:
            return JOINED.join(map(str, values)) if None not in values else None
        return values[0]

    def _value(self, field: str, value: Any) -> Any:
        if field in KEYS:
            return _key(value)
        return column_value(self._extra[field], value) if field in self._extra else cell_text(value)


RowMapper = LineMapper | ColumnMapper


def _as_tuple(columns: str | tuple[str, ...]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else columns


def _missing_columns(file: str, missing: Mapping[str, str], columns: list[str]) -> SourceError:
    """Return the error that states every mapped column that no record of a file had."""
    problems = [f"{file} has no column {name} {reason}." for name, reason in missing.items()]
    close = closest_names(next(iter(missing)), columns) if len(missing) == 1 else ()
    column_list = ", ".join(
        name or "a column without a name" for name in close or columns[:MAX_SHOWN]
    )
    hint = f"{'Nearest' if close else 'It has'}: {column_list}."
    return SourceError(
        f"{problems[0]} {hint}" if len(problems) == 1 else "\n".join([*problems, hint]),
        hint="Fix the column map, or write one (--map). Nothing was changed.",
    )


def _other_end(edge: Connection, table: NodeTable, contract: Contract) -> NodeTable:
    ends = {edge.from_table.lower(), edge.to_table.lower()} - {table.name.lower()}
    return next(node for node in contract.nodes if node.name.lower() in ends)


def _key(value: Any) -> Any:
    """Return what identifies a node, 8 for 8.0: exports of columns with gaps write it so."""
    if isinstance(value, str) and POINT_ZERO.fullmatch(value.strip()):
        return int(value.partition(".")[0])
    return int(value) if isinstance(value, float) and value.is_integer() else value


def cell_text(value: Any) -> Any:
    """Return a number as text, and a list as lines; otherwise the value."""
    if isinstance(value, (list, tuple)):
        return "\n".join(filter(None, map(_longest_text, cast("list[Any]", value)))) or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _longest_text(item: Any) -> str:
    """Return a text, or the longest of an object: of the steps of a recipe, what to do."""
    texts = cast("Row", item).values() if isinstance(item, dict) else (item,)
    return max((text.strip() for text in texts if isinstance(text, str)), key=len, default="")


def column_value(column: Column, value: Any) -> Any:
    """Return a value as its column means it; what does not fit is left for the check."""
    if column.type in ("INT", "BIGINT"):
        return parse_whole_number(value)
    if column.type == "JSON" or (column.type == "DATETIME2" and isinstance(value, datetime)):
        return value
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, date):
        return value.isoformat()
    if column.is_text:
        return cell_text(value)
    if not isinstance(value, str):
        return value
    if column.type == "BIT":
        return BITS.get(value.strip().lower(), value)
    return _number(value) if column.type == "FLOAT" else value.strip()


def parse_whole_number(value: Any) -> Any:
    """Return the whole number that a value means, the year of a date; otherwise the value."""
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


def cell_names(column: str, list_column: ListColumn, value: Any) -> Iterator[str]:
    """Yield the names in a cell. Raises BadRow."""
    if value is None:
        return
    is_split = list_column.split and isinstance(value, str)
    for item in value.split(list_column.split) if is_split else cell_items(column, value):
        name = (
            cast("Row", item).get(list_column.json_name or "name")
            if isinstance(item, dict)
            else item
        )
        if name is None:
            continue
        if not isinstance(name, str):
            raise BadRow(
                Reason.WRONG_TYPE, f"the column {column} contains an item that is not a name"
            )
        if text := " ".join(name.split()):
            yield text


def cell_items(column: str, value: Any) -> list[Any]:
    """Return the items of a list, or an object as the one item. Raises BadRow."""
    values = _literal_list(value) if isinstance(value, str) else value
    if isinstance(values, (list, tuple)):
        return list(cast("list[Any]", values))
    if isinstance(values, dict):
        return [values]
    raise BadRow(
        Reason.WRONG_TYPE,
        f'the column {column} is not a list; for text, name its separator, as in split = ","',
    )


def _literal_list(text: str) -> Any:
    """Return a list written as JSON, or as Python prints it, which some public data sets do."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > MAX_LITERAL_CHARS:
        return None
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
