"""The tables of a graph on SQL Server as a load sees them: what they hold, and how that changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moviegraph.engines.odbc import load_statements as statements
from moviegraph.engines.odbc.aliases import READ as READ_ALIASES
from moviegraph.engines.odbc.aliases import WRITE as WRITE_ALIASES
from moviegraph.engines.odbc.aliases import alias_document
from moviegraph.engines.odbc.manifest import (
    READ,
    READ_CONTRACT,
    WRITE,
    WRITE_CONTRACT,
    StoredManifest,
    contract_document,
    read_manifest,
    written,
)
from moviegraph.errors import GraphError

if TYPE_CHECKING:
    from moviegraph.contract.model import Connection, Contract, NodeTable
    from moviegraph.engines.graph_records import AliasRecord
    from moviegraph.engines.odbc.writer import Writer

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StoredRow:
    """What is known of a row in the database; digests are None where no load wrote it."""

    digest: str | None
    text: str | None
    has_vector: bool


@dataclass(frozen=True, slots=True)
class NewRow:
    """A node to be written.

    Attributes:
        values: Its plain columns in the order of the table.
        digest: Of all its values.
        text: Digest of the embedded text and its space, or None without a vector.
        vector: The vector as JSON, or None.
        keep: Whether the vector that is stored stays.
    """

    values: Sequence[Any]
    digest: str
    text: str | None
    vector: str | None
    keep: bool


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows of a table there are, and how many have a vector."""

    rows: int
    vectors: int


class StoredGraph:
    """Reads and writes a graph's tables, a transaction a call.

    Args:
        writer: The connection.
        contract: The contract of the tables.
        dimensions: Those of each node table's VECTOR column.
    """

    def __init__(self, writer: Writer, contract: Contract, dimensions: Mapping[str, int]) -> None:
        self._writer = writer
        self._contract = contract
        self._dimensions = dimensions

    def has_manifest(self) -> bool:
        """Whether a load wrote to these tables before, of whatever version."""
        return bool(self._writer.read(READ))

    def manifest(self) -> StoredManifest | None:
        """Return the manifest, or None where there is none that this version can read."""
        with suppress(GraphError):
            return read_manifest(self._writer.read)
        return None

    def write_manifest(self, stored: StoredManifest) -> None:
        """Write the manifest."""
        self._writer.write(WRITE, written(stored))

    def keep_contract(self) -> None:
        """Write the contract, unless it is the one that is stored, or was read from no files."""
        document = contract_document(self._contract)
        if self._contract.files and self._writer.read(READ_CONTRACT) != [(document,)]:
            self._writer.write(WRITE_CONTRACT, document)

    def keep_aliases(self, aliases: Sequence[AliasRecord]) -> None:
        """Write the aliases, unless they are those that are stored."""
        stored = {tuple(row) for row in self._writer.read(READ_ALIASES)}
        if stored != {(each.kind, each.id, each.alias) for each in aliases}:
            self._writer.write(WRITE_ALIASES, alias_document(aliases))

    def rows(self, node: NodeTable) -> dict[int, StoredRow]:
        """Return what is known of the rows of a table, by key."""
        found = self._writer.read(statements.stored_rows(self._contract, node))
        return {key: StoredRow(digest, text, bool(has)) for key, digest, text, has in found}

    def vectors(self, node: NodeTable, texts: Iterable[str]) -> dict[str, str]:
        """Return the stored vectors of texts as JSON, by the digests of those."""
        document = json.dumps(sorted(texts))
        found = self._writer.read(statements.stored_vectors(self._contract, node), document)
        return dict(found)

    def edges(self, edge: Connection) -> set[Pair]:
        """Return the keys of both ends of every edge of a table between two node tables."""
        found = self._writer.read(statements.stored_edges(self._contract, edge))
        return {(start, end) for start, end in found}

    def write_nodes(self, node: NodeTable, rows: Sequence[NewRow]) -> None:
        """Update or insert nodes."""
        sql = statements.write_nodes(self._contract, node, self._dimensions[node.name])
        self._writer.write(sql, "[" + ",".join(map(_row, rows)) + "]")

    def remove_nodes(self, node: NodeTable, keys: Sequence[int]) -> None:
        """Remove nodes without edges."""
        self._writer.write(statements.remove_nodes(self._contract, node), json.dumps(keys))

    def write_edges(self, edge: Connection, pairs: Sequence[Pair]) -> None:
        """Insert edges where they are missing."""
        self._writer.write(statements.write_edges(self._contract, edge), json.dumps(pairs))

    def remove_edges(self, edge: Connection, pairs: Sequence[Pair]) -> None:
        """Remove edges."""
        self._writer.write(statements.remove_edges(self._contract, edge), json.dumps(pairs))

    def counts(self) -> dict[str, Count]:
        """Return how much each table holds."""
        found = self._writer.read(statements.counts(self._contract))
        return {name: Count(rows, vectors) for name, rows, vectors in found}

    def fulltext(self) -> dict[str, tuple[int, int] | None]:
        """Return status and pending changes of each node table's full text; None without one."""
        found = self._writer.read(statements.fulltext_states(self._contract))
        return {
            name: None if status is None or pending is None else (status, pending)
            for name, status, pending in found
        }


def _row(row: NewRow) -> str:
    values = json.dumps(row.values, ensure_ascii=False)[1:-1]
    about = json.dumps([row.digest, row.text, int(row.keep)])[1:-1]
    return f"[{values},{row.vector or 'null'},{about}]"
