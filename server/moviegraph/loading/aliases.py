"""Aliases of nodes: the file next to a source."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.graph_records import MAX_ALIAS_CHARS, AliasRecord, Key, NodeColumns
from moviegraph.loading.row_validation import (
    BadRow,
    Reason,
    Rejects,
    Row,
    Tables,
    checked_key,
    required_text,
)
from moviegraph.loading.source_files import parsed, read_lines
from moviegraph.names import fold_case

COMMENT = b"#"
Ids = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class AliasRow:
    """One line of a file: a node by its id or its name, and its other names."""

    file: str
    line: int
    raw: bytes
    kind: str
    key: Key | None
    name: str | None
    aliases: tuple[str, ...]


def read_alias_rows(path: Path | None, contract: Contract, rejects: Rejects) -> list[AliasRow]:
    """Return the rows of a file of aliases; bad ones are rejected. Raises SourceError."""
    if path is None:
        return []
    tables, rows = Tables(contract), list[AliasRow]()
    for number, line in read_lines(path):
        if not line.lstrip().startswith(COMMENT):
            try:
                rows.append(_row(path.name, number, line, tables))
            except BadRow as bad:
                rejects.add(path.name, number, line, bad)
    return rows


def names_by_alias(rows: Iterable[AliasRow]) -> dict[str, dict[str, str]]:
    """Return kind -> alias -> name of the nodes that rows name, for extraction."""
    names: dict[str, dict[str, str]] = {}
    for row in rows:
        if row.name is not None:
            names.setdefault(row.kind, {}).update(dict.fromkeys(row.aliases, row.name))
    return names


def resolve_aliases(
    rows: Iterable[AliasRow],
    nodes: Iterable[NodeColumns],
    ids: Ids,
    rejects: Rejects,
) -> list[AliasRecord]:
    """Return the aliases of the nodes that are loaded; a row of another node is rejected."""
    rows = list(rows)
    kinds = {row.kind for row in rows}
    index = _NodeIndex((columns for columns in nodes if columns.table.name in kinds), ids)
    aliases: dict[tuple[str, int, str], AliasRecord] = {}
    for row in rows:
        try:
            keys = index.keys_of(row)
        except BadRow as bad:
            rejects.add(row.file, row.line, row.raw, bad)
            continue
        aliases.update(_records(row.kind, keys, row.aliases, index))
    return sorted(aliases.values(), key=lambda record: (record.kind, record.id, record.alias))


class _NodeIndex:
    def __init__(self, nodes: Iterable[NodeColumns], ids: Ids) -> None:
        self._ids = ids
        self.names: dict[tuple[str, int], str] = {}
        self._keys: dict[tuple[str, str], list[int]] = {}
        for columns in nodes:
            kind = columns.table.name
            for key, name in zip(columns.ids.tolist(), map(fold_case, columns.names), strict=True):
                self.names[kind, key] = name
                self._keys.setdefault((kind, name), []).append(key)

    def named(self, kind: str, name: str) -> list[int]:
        """Return the ids of the nodes of that name."""
        return self._keys.get((kind, fold_case(name)), [])

    def keys_of(self, row: AliasRow) -> list[int]:
        """Return the ids of the nodes that a row means. Raises BadRow."""
        if row.name is not None:
            keys = self.named(row.kind, row.name)
            reference = f"name is {row.name!r}"
        else:
            key = self._ids.get(row.kind, {}).get(row.key) if isinstance(row.key, str) else row.key
            keys = [key] if key is not None and (row.kind, key) in self.names else []
            reference = f"id is {row.key!r}"
        if not keys:
            message = f"the field {reference}, which is not a loaded {row.kind}"
            raise BadRow(Reason.NO_SUCH_NODE, message)
        return keys


def _records(
    kind: str, keys: Iterable[int], aliases: Iterable[str], index: _NodeIndex
) -> Iterator[tuple[tuple[str, int, str], AliasRecord]]:
    """Yield each alias of each node once; the name itself is not one."""
    return (
        ((kind, key, fold_case(alias)), AliasRecord(kind, key, alias))
        for key in keys
        for alias in aliases
        if fold_case(alias) != index.names[kind, key]
    )


def _row(file: str, number: int, line: bytes, tables: Tables) -> AliasRow:
    row = parsed(line)
    table = tables.table(row)
    if not isinstance(table, NodeTable):
        raise BadRow(Reason.UNKNOWN_KIND, f"{table.name} is an edge table; only nodes have aliases")
    aliases = tuple(_aliases(row))
    if row.get("name") is not None:
        name = required_text("name", row["name"], 1 << 31)
        return AliasRow(file, number, line, table.name, None, name, aliases)
    if row.get("id") is None:
        raise BadRow(Reason.MISSING, "the fields id and name are missing; set one of them")
    key = checked_key("id", row["id"], tables.bits(table.name))
    return AliasRow(file, number, line, table.name, key, None, aliases)


def _aliases(row: Row) -> Iterator[str]:
    values = row.get("aliases")
    if not isinstance(values, list) or not values:
        reason = Reason.MISSING if values is None else Reason.WRONG_TYPE
        raise BadRow(reason, "the field aliases is not a list of names")
    for alias in cast("list[Any]", values):
        yield " ".join(required_text("aliases", alias, MAX_ALIAS_CHARS).split())
