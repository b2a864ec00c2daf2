"""A scripted database that keeps what a load sends, and says what it keeps.

It knows the statements of a load by their exact text, and nothing of SQL: what it does with one is
what the statement's builder promises.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from fakes.tds.script import Call, Rows, Step
from fakes.tds.types import BIGINT, INT, NVARCHAR, NVARCHAR_MAX, Column

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.engines.odbc import live_schema, manifest
from moviegraph.engines.odbc import load_statements as statements

TYPES = {"INT": "int", "BIGINT": "bigint", "FLOAT": "float", "BIT": "bit", "DATE": "date"}
Document = Callable[[Any], Sequence[Step]]


class ScriptedGraph:
    """Answers a load; a `Script`.

    `faults` holds, by the number of the write (from 1), what is answered instead of doing it;
    with `late` it is done all the same, as when the connection is lost after the commit.
    """

    def __init__(self, contract: Contract, dimensions: int, own_tables: bool = True) -> None:
        self.contract = contract
        self.dimensions = dimensions
        self.nodes: dict[str, dict[int, list[Any]]] = {n.name: {} for n in contract.nodes}
        self.vectors: dict[str, dict[int, list[float] | None]] = {
            n.name: {} for n in contract.nodes
        }
        self.edges: dict[str, set[tuple[int, int]]] = {e.name: set() for e in contract.edges}
        self.loaded: dict[tuple[str, int], tuple[str, str | None]] = {}
        self.manifest: str | None = None
        self.states: list[str] = []
        self.fulltext: list[tuple[int | None, int | None]] = [(0, 0)]
        self.lock = 0
        self.writes: list[str] = []
        self.faults: dict[int, Sequence[Step]] = {}
        self.late = False
        self.missing: set[str] = set()
        self.own_tables = own_tables
        self._reads = dict(self._read_table())
        self._writes = dict(self._write_table())

    def __call__(self, call: Call) -> Sequence[Step]:
        """Answer a call."""
        sql = call.sql.replace("@P1", "?")
        if sql in self._reads:
            return self._reads[sql](call.parameters[0].value if call.parameters else None)
        if sql in self._writes:
            name, work = self._writes[sql]
            self.writes.append(name)
            fault = self.faults.get(len(self.writes), ())
            if not fault or self.late:
                work(json.loads(call.parameters[0].value))
            return fault
        assert sql.lstrip().upper().startswith(("SET ", "IF ")), sql
        return []

    def _read_table(self) -> Any:
        yield statements.LOCK, lambda _: [Rows([("Result", INT)], [(self.lock,)])]
        yield manifest.READ, lambda _: _rows([NVARCHAR_MAX], self._manifest_rows())
        yield statements.counts(self.contract), lambda _: _rows([NVARCHAR, BIGINT, BIGINT], self._counts())
        yield statements.fulltext_states(self.contract), lambda _: self._fulltext()
        yield live_schema.COLUMNS, lambda _: _rows([NVARCHAR, NVARCHAR, INT, INT, NVARCHAR, NVARCHAR, NVARCHAR, INT, INT], self._columns())
        yield live_schema.FULLTEXT, lambda _: _rows([NVARCHAR] * 3, [])
        yield live_schema.POPULATION, lambda _: _rows([NVARCHAR, NVARCHAR, INT], [])
        for node in self.contract.nodes:
            yield statements.stored_rows(self.contract, node), self._stored_rows(node)
            yield statements.stored_vectors(self.contract, node), self._stored_vectors(node)
        for edge in self.contract.edges:
            yield statements.stored_edges(self.contract, edge), self._stored_edges(edge)

    def _write_table(self) -> Any:
        yield manifest.WRITE, ("manifest", self._write_manifest)
        for node in self.contract.nodes:
            sql = statements.write_nodes(self.contract, node, self.dimensions)
            yield sql, (f"write {node.name}", self._write_nodes(node))
            yield statements.remove_nodes(self.contract, node), (f"remove {node.name}", self._remove_nodes(node))
        for edge in self.contract.edges:
            yield statements.write_edges(self.contract, edge), (f"write {edge.name}", self._write_edges(edge))
            yield statements.remove_edges(self.contract, edge), (f"remove {edge.name}", self._remove_edges(edge))
