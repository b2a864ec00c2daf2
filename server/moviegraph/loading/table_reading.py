"""Adds the records of people's own tables to the nodes and edges that are read."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from moviegraph.loading.ids import Key
from moviegraph.loading.mapped_rows import MappedRows, Named
from moviegraph.loading.rejects import BadRow, Reason, Rejects
from moviegraph.loading.rows import Node, Tables
from moviegraph.loading.table_records import table_records

Ends = tuple[str, tuple[str, Key], tuple[str, Key]]


class TableReading:
    """Checks each record as a row of JSON Lines; one that is bad leaves no names behind."""

    def __init__(
        self,
        tables: Tables,
        rows: MappedRows,
        nodes: Mapping[str, dict[Key, Node]],
        edges: dict[Ends, None],
        rejects: Rejects,
    ) -> None:
        self._tables = tables
        self._rows = rows
        self._nodes = nodes
        self._edges = edges
        self._rejects = rejects

    def read(self, path: Path, advanced: Callable[[int], None]) -> None:
        """Read one file.

        Raises:
            SourceError: It is empty or damaged, or a column that was mapped is not there.
        """
        self._rows.begin()
        for record in table_records(path, self._rows.columns, advanced):
            try:
                if isinstance(record.values, BadRow):
                    raise record.values
                self._add(record.values)
            except BadRow as bad:
                self._rejects.add(path.name, record.line, record.raw(), bad)
        self._rows.check_columns(path.name)

    def _add(self, record: Mapping[str, Any]) -> None:
        row = self._rows.row(record)
        node = self._tables.node(self._rows.table, row)
        nodes = self._nodes[node.table.name]
        if node.key in nodes:
            message = f"{node.table.name} {node.key!r} stands in the source twice"
            raise BadRow(Reason.DUPLICATE_ID, f"{message}; the first is kept")
        named = [(each, self._concept(each)) for each in self._rows.names(record, node.key)]
        ends = [self._tables.ends(each.edge_table, each.edge) for each, _ in named]
        nodes[node.key] = node
        for (each, concept), (start, end) in zip(named, ends, strict=True):
            self._nodes[concept.table.name].setdefault(concept.key, concept)
            self._edges[each.edge_table.name, start, end] = None

    def _concept(self, named: Named) -> Node:
        return self._tables.node(named.table, named.node)
