"""Adds the edges of a source to those that lists made, once all nodes are known."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from moviegraph.contract.model import EdgeTable
from moviegraph.engines.graph_records import EdgeRecord
from moviegraph.loading.concepts import NamedEdge
from moviegraph.loading.ids import Key
from moviegraph.loading.mapped_edges import MappedEdges
from moviegraph.loading.rejects import BadRow, Reason, Rejects
from moviegraph.loading.rows import End, Ends, Node, Row, Tables, parsed
from moviegraph.loading.source import read_lines
from moviegraph.loading.table_records import table_records

Advanced = Callable[[int], None]
Ids = Mapping[str, Mapping[str, int]]


class EdgeReading:
    """Checks that each edge is new, and that both of its ends are nodes."""

    def __init__(
        self,
        tables: Tables,
        nodes: Mapping[str, Mapping[Key, Node]],
        ids: Ids,
        rejects: Rejects,
        named: Iterable[NamedEdge],
    ) -> None:
        self._tables = tables
        self._nodes = nodes
        self._ids = ids
        self._rejects = rejects
        self.unused: dict[str, list[str]] = {}
        self._edges = {self._edge(tables.joined(*each)): None for each in named}

    def edges(self) -> list[EdgeRecord]:
        """Return the edges, in the order of the source."""
        return list(self._edges)

    def read_lines(self, path: Path, advanced: Advanced) -> None:
        """Read the edges of a file of JSON Lines; its nodes, and what is bad, are known."""
        for number, line in read_lines(path, advanced):
            row, table = self._edge_row(line)
            if table is not None:
                self._add(path.name, number, lambda line=line: line, table, row)

    def read_table(self, path: Path, rows: MappedEdges, advanced: Advanced) -> None:
        """Read a table of edges.

        Raises:
            SourceError: It is empty or damaged, or a column that was mapped is not there.
        """
        rows.begin()
        for record in table_records(path, rows.columns, advanced):
            if isinstance(record.values, BadRow):
                self._rejects.add(path.name, record.line, record.raw(), record.values)
            else:
                row = rows.row(record.values)
                self._add(path.name, record.line, record.raw, rows.table, row)
        rows.check_columns(path.name)
        self.unused[path.name] = rows.unused_columns()

    def _edge_row(self, line: bytes) -> tuple[Row, EdgeTable | None]:
        try:
            row = parsed(line)
            table = self._tables.table(row)
        except BadRow:
            return {}, None
        return row, table if isinstance(table, EdgeTable) else None

    def _add(
        self, file: str, line: int, raw: Callable[[], bytes], table: EdgeTable, row: Row
    ) -> None:
        try:
            ends = self._tables.ends(table.name, row)
            self._check("from", ends.start)
            self._check("to", ends.end)
            edge = self._edge(ends)
            if edge in self._edges:
                raise BadRow(Reason.DUPLICATE_EDGE, "the edge is in the source twice")
            self._edges[edge] = None
        except BadRow as bad:
            self._rejects.add(file, line, raw(), bad)

    def _check(self, field: str, end: End) -> None:
        kind, key = end
        if key not in self._nodes[kind]:
            reason = Reason.NO_SUCH_NODE
            raise BadRow(reason, f"the field {field} is {key!r}, which is not a loaded {kind}")

    def _edge(self, ends: Ends) -> EdgeRecord:
        start, end = self._integer(ends.start), self._integer(ends.end)
        return EdgeRecord(ends.table, start, end, ends.pair)

    def _integer(self, end: End) -> int:
        kind, key = end
        return key if isinstance(key, int) else self._ids[kind][key]
