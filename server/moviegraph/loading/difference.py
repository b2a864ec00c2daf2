"""What must be written so that stored tables hold what was loaded."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from moviegraph.contract.model import Connection, NodeTable
from moviegraph.contract.vector_space import VectorSpace
from moviegraph.engines.graph_records import NodeColumns, embedded_text
from moviegraph.engines.sqlserver.writing import Pair, StoredRow, plain_columns


@dataclass(frozen=True, slots=True)
class Wanted:
    """A node as it must be stored.

    Attributes:
        values: Its plain columns in the order of the table.
        digest: Of all its values.
        embedded: The text whose vector it carries, or "".
        text: Digest of that text and of the space; None without a vector.
        keep: Whether the vector that is stored stays.
    """

    values: tuple[Any, ...]
    digest: str
    embedded: str
    text: str | None
    keep: bool

    @property
    def size(self) -> int:
        """How many characters its texts have."""
        return sum(len(value) for value in self.values if isinstance(value, str))


@dataclass(frozen=True, slots=True)
class NodeChanges:
    """The nodes of a table to be written, and the keys to be removed.

    `moved` are digests of texts that a stored row has whose vector another row will need.
    """

    table: NodeTable
    wanted: list[Wanted]
    gone: list[int]
    moved: list[str]


@dataclass(frozen=True, slots=True)
class EdgeChanges:
    """The edges of a table between two node tables to be inserted, and those to be removed."""

    connection: Connection
    missing: list[Pair]
    gone: list[Pair]


def node_changes(
    columns: NodeColumns, stored: Mapping[int, StoredRow], space: VectorSpace | None
) -> NodeChanges:
    """Compare the nodes of a table with what is known of the stored ones."""
    wanted: list[Wanted] = []
    for row in range(len(columns.ids)):
        old = stored.get(int(columns.ids[row]))
        new = _wanted(columns, row, old, space)
        if old is None or old.digest != new.digest or not new.keep:
            wanted.append(new)
    keys = {int(key) for key in columns.ids}
    there = {each.text for each in stored.values() if each.text and each.has_vector}
    moved = {each.text for each in wanted if each.text in there and not each.keep}
    return NodeChanges(
        columns.table, wanted, sorted(set(stored) - keys), sorted(each for each in moved if each)
    )


def edge_changes(connection: Connection, pairs: list[Pair], stored: Iterable[Pair]) -> EdgeChanges:
    """Compare the edges of a table between two node tables with the stored ones."""
    there, wanted = set(stored), set(pairs)
    missing = [pair for pair in pairs if pair not in there]
    return EdgeChanges(connection, missing, sorted(there - wanted))


def _wanted(
    columns: NodeColumns, row: int, there: StoredRow | None, space: VectorSpace | None
) -> Wanted:
    values = tuple(_value(columns, row, name) for name in _names(columns.table))
    embedded = embedded_text(columns.names[row], columns.contents[row]) if space else ""
    text = _digest(f"{space.id}\0{embedded}") if space and embedded else None
    return Wanted(values, _digest(json.dumps(values)), embedded, text, _keeps(there, text))


def _names(table: NodeTable) -> tuple[str, ...]:
    return tuple(column.name for column in plain_columns(table))


def _value(columns: NodeColumns, row: int, name: str) -> Any:
    table = columns.table
    if name == table.key:
        return int(columns.ids[row])
    if name == table.label:
        return columns.names[row]
    return columns.contents[row] if name == table.text else columns.extras[name][row]


def _keeps(there: StoredRow | None, text: str | None) -> bool:
    """Whether the stored vector is that of the same text in the same space."""
    return there is not None and there.text == text and there.has_vector == (text is not None)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
