"""A scripted database that keeps what a load sends, and says what it keeps.

It knows the statements of a load by their exact text, and nothing of SQL: what it does with one is
what the statement's builder promises.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from fakes.tds.script import Call, Rows, Step
from fakes.tds.types import BIGINT, INT, NVARCHAR, NVARCHAR_MAX, SqlType

from moviegraph.contract.ddl import EDGE_DIGEST
from moviegraph.contract.model import Connection, Contract
from moviegraph.engines.sqlserver import internal_tables, metadata
from moviegraph.engines.sqlserver import writing as statements

TYPES = {"INT": "int", "BIGINT": "bigint", "FLOAT": "float", "BIT": "bit", "DATE": "date"}
INTERNAL_TABLES = {
    "Manifest": ("Name", "Value"),
    "Loaded": ("TableName", "Id", "RowDigest", "TextDigest"),
    "Alias": ("Kind", "Id", "Alias"),
}
Values = list[tuple[Any, ...]]
Table = tuple[tuple[SqlType, ...], Callable[[Any], Values]]
Work = Callable[[Any], None]
Edge = tuple[Any, ...]  # both ends, and the digest where the table has columns


class ScriptedGraph:
    """Answers a load; a `Script`.

    `faults` holds, by the number of the write (from 1), what is answered instead of doing it;
    with `late` it is done all the same, as when a connection is lost after the commit.
    """

    def __init__(self, contract: Contract, dimensions: int) -> None:
        self.contract = contract
        self.dimensions = dimensions
        self.nodes: dict[str, dict[int, list[Any]]] = {n.name: {} for n in contract.nodes}
        self.vectors: dict[str, dict[int, list[float] | None]] = {
            n.name: {} for n in contract.nodes
        }
        self.edges: dict[str, set[Edge]] = {self._of(e): set() for e in contract.connections}
        self.edge_values: dict[tuple[Any, ...], list[Any]] = {}
        self.digests: dict[tuple[str, int], tuple[str, str | None]] = {}
        self.manifest: str | None = None
        self.carried: str | None = None
        self.aliases: Values = []
        self.states: list[str] = []
        self.fulltext: list[tuple[int | None, int | None]] = [(0, 0)]
        self.lock = [0]
        self.missing: set[str] = set()
        self.missing_columns: set[tuple[str, str]] = set()
        self.writes: list[str] = []
        self.faults: dict[int, Sequence[Step]] = {}
        self.late = False
        self._reads = dict(self._readable())
        self._writes = dict(self._writable())

    def __call__(self, call: Call) -> Sequence[Step]:
        """Answer a call."""
        sql = call.sql.replace("@P1", "?")
        document = call.parameters[0].value if call.parameters else None
        if sql in self._reads:
            types, answer = self._reads[sql]
            columns = [(f"c{place}", kind) for place, kind in enumerate(types)]
            return [Rows(columns, answer(document))]
        if sql not in self._writes:
            assert sql.startswith("SET "), sql
            return []
        name, work = self._writes[sql]
        self.writes.append(name)
        fault = self.faults.get(len(self.writes), ())
        if not fault or self.late:
            work(document)
        return fault

    @property
    def known(self) -> set[str]:
        """The statements that it answers."""
        return {*self._reads, *self._writes}

    @property
    def holds(self) -> tuple[Any, ...]:
        """The content that a reader finds, for comparing two databases."""
        return self.nodes, self.vectors, self.edges, self.digests, self.manifest

    def _readable(self) -> Iterator[tuple[str, Table]]:
        two, three = (NVARCHAR,) * 2, (NVARCHAR,) * 3
        yield statements.LOCK, ((INT,), self._locked)
        yield internal_tables.READ_MANIFEST, ((NVARCHAR_MAX,), self._manifest_rows)
        yield internal_tables.READ_CONTRACT, ((NVARCHAR_MAX,), self._carried_rows)
        yield internal_tables.READ_ALIASES, ((NVARCHAR, INT, NVARCHAR), lambda _: self.aliases)
        yield statements.counts(self.contract), ((NVARCHAR, BIGINT, BIGINT), self._counts)
        yield statements.fulltext_states(self.contract), ((NVARCHAR, INT, INT), self._fulltext)
        yield metadata.COLUMNS, ((*two, INT, INT, *three, INT, INT), self._columns)
        yield metadata.FULLTEXT, (three, lambda _: [])
        yield metadata.POPULATION, ((*two, INT), lambda _: [])
        for node in self.contract.nodes:
            stored = statements.stored_rows(self.contract, node)
            yield stored, ((INT, *two, INT), partial(self._known_rows, node.name))
            vectors = statements.stored_vectors(self.contract, node)
            yield vectors, ((NVARCHAR, NVARCHAR_MAX), partial(self._known_vectors, node.name))
        for edge in self.contract.connections:
            pairs = statements.stored_edges(self.contract, edge)
            digest = (NVARCHAR,) * self._has_columns(edge)
            yield pairs, ((INT, INT, *digest), partial(self._known_edges, edge))

    def _writable(self) -> Iterator[tuple[str, tuple[str, Work]]]:
        yield internal_tables.WRITE_MANIFEST, ("manifest", self._keep_manifest)
        yield internal_tables.WRITE_ALIASES, ("aliases", self._keep_aliases)
        yield internal_tables.WRITE_CONTRACT, ("contract", self._keep_contract)
        for node in self.contract.nodes:
            place = [c.name for c in statements.plain_columns(node)].index(node.key)
            sql = statements.write_nodes(self.contract, node, self.dimensions)
            yield sql, (f"write {node.name}", partial(self._keep_nodes, node.name, place))
            sql = statements.remove_nodes(self.contract, node)
            yield sql, (f"remove {node.name}", partial(self._drop_nodes, node.name))
        for edge in self.contract.connections:
            sql = statements.write_edges(self.contract, edge)
            yield sql, (f"write {edge.name}", partial(self._keep_edges, edge))
            sql = statements.remove_edges(self.contract, edge)
            yield sql, (f"remove {edge.name}", partial(self._drop_edges, edge))

    def _locked(self, _: Any) -> Values:
        return [(self.lock.pop(0) if len(self.lock) > 1 else self.lock[0],)]

    def _manifest_rows(self, _: Any) -> Values:
        return [] if self.manifest is None else [(self.manifest,)]

    def _carried_rows(self, _: Any) -> Values:
        return [] if self.carried is None else [(self.carried,)]

    def _keep_aliases(self, document: str) -> None:
        self.aliases = [tuple(row) for row in json.loads(document)]

    def _keep_contract(self, document: str) -> None:
        self.carried = document

    def _counts(self, _: Any) -> Values:
        nodes = [
            (name, len(rows), sum(vector is not None for vector in self.vectors[name].values()))
            for name, rows in self.nodes.items()
        ]
        edges = Counter[str]()
        for connection in self.contract.connections:
            edges[connection.name] += len(self.edges[self._of(connection)])
        return [*nodes, *((name, count, 0) for name, count in edges.items())]

    def _fulltext(self, _: Any) -> Values:
        state = self.fulltext.pop(0) if len(self.fulltext) > 1 else self.fulltext[0]
        return [(node.name, *state) for node in self.contract.nodes]

    def _columns(self, _: Any) -> Values:
        result: Values = []
        for node in self.contract.nodes:
            for column in node.columns:
                kind = TYPES.get(column.type) or column.type.partition("(")[0].lower()
                width = self.dimensions if kind == "vector" else None
                result.append(
                    (*self._qualified(node.name), 1, 0, column.name, kind, kind, 4, width)
                )
        for edge in self.contract.edges:
            pseudo = ("graph_id", "bigint", "bigint", 8, None)
            result.append((*self._qualified(edge.name), 0, 1, *pseudo))
            names = {column.name: column.column_type.server_names[0] for column in edge.columns}
            names |= {EDGE_DIGEST: "char"} if edge.columns else {}
            result += [
                (*self._qualified(edge.name), 0, 1, name, kind, kind, 4, None)
                for name, kind in names.items()
            ]
        for table, names in INTERNAL_TABLES.items():
            own = [("moviegraph", table, 0, 0, n, "nvarchar", "nvarchar", -1, None) for n in names]
            result += own
        return [
            row
            for row in result
            if row[1] not in self.missing and (row[1], row[4]) not in self.missing_columns
        ]

    def _qualified(self, table: str) -> tuple[str, str]:
        return self.contract.schema_name, table

    def _known_rows(self, name: str, _: Any) -> Values:
        return [
            (key, *self.digests.get((name, key), (None, None)), int(has is not None))
            for key, has in self.vectors[name].items()
        ]

    def _known_vectors(self, name: str, document: str) -> Values:
        requested_ids = set(json.loads(document))
        return [
            (text, json.dumps(self.vectors[table][key]))
            for (table, key), (_, text) in self.digests.items()
            if table == name and text in requested_ids and self.vectors[table][key] is not None
        ]

    def _keep_manifest(self, document: str) -> None:
        self.manifest = document
        self.states.append(json.loads(document)["state"])

    def _keep_nodes(self, name: str, place: int, document: str) -> None:
        for *values, vector, row, text, keep in json.loads(document):
            key = values[place]
            self.nodes[name][key] = values
            self.digests[name, key] = (row, text)
            if not keep:
                self.vectors[name][key] = vector

    def _drop_nodes(self, name: str, document: str) -> None:
        for key in json.loads(document):
            ends = [(e.from_table, 0, self._of(e)) for e in self.contract.connections]
            ends += [(e.to_table, 1, self._of(e)) for e in self.contract.connections]
            for table, side, edge in ends:
                is_referenced = table == name and any(
                    pair[side] == key for pair in self.edges[edge]
                )
                assert not is_referenced, "the edges of a node go first"
            del self.nodes[name][key], self.vectors[name][key]
            self.digests.pop((name, key), None)

    def _known_edges(self, edge: Connection, _: Any) -> Values:
        return [*sorted(self.edges[self._of(edge)])]

    def _of(self, edge: Connection) -> str:
        """Return the name of an edge table, with the ends where it connects several pairs."""
        alike = [
            connection for connection in self.contract.connections if connection.name == edge.name
        ]
        ends = f" from {edge.from_table} to {edge.to_table}"
        return edge.name if len(alike) == 1 else edge.name + ends

    def _keep_edges(self, edge: Connection, document: str) -> None:
        ends = 2 + self._has_columns(edge)
        for row in json.loads(document):
            if row[0] in self.nodes[edge.from_table] and row[1] in self.nodes[edge.to_table]:
                self.edges[self._of(edge)].add(tuple(row[:ends]))
                self.edge_values[self._of(edge), *row[:ends]] = row[ends:]

    def _drop_edges(self, edge: Connection, document: str) -> None:
        self.edges[self._of(edge)] -= set(map(tuple, json.loads(document)))

    def _has_columns(self, edge: Connection) -> bool:
        table = self.contract.edge(edge.name)
        return table is not None and bool(table.columns)
