"""Adds the records of people's own tables to the nodes and edges that are read."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from moviegraph.loading.concepts import Concepts
from moviegraph.loading.ids import Key
from moviegraph.loading.mapped_rows import MappedRows
from moviegraph.loading.rejects import BadRow, Reason, Rejects
from moviegraph.loading.rows import Node, Tables
from moviegraph.loading.table_records import table_records


class TableReading:
    """Checks each record as a row of JSON Lines; one that is bad leaves no names behind."""

    def __init__(
        self,
        tables: Tables,
        nodes: Mapping[str, dict[Key, Node]],
        concepts: Concepts,
        rejects: Rejects,
    ) -> None:
        self._tables = tables
        self._nodes = nodes
        self._concepts = concepts
        self._rejects = rejects
        self.unused: dict[str, list[str]] = {}

    def read(self, path: Path, rows: MappedRows, advanced: Callable[[int], None]) -> None:
        """Read one file.

        Raises:
            SourceError: It is empty or damaged, or a column that was mapped is not there.
        """
        rows.begin()
        for record in table_records(path, rows.columns, advanced):
            try:
                if isinstance(record.values, BadRow):
                    raise record.values
                self._add(rows, record.values)
            except BadRow as bad:
                self._rejects.add(path.name, record.line, record.raw(), bad)
        rows.check_columns(path.name)
        self.unused[path.name] = rows.unused_columns()

    def _add(self, rows: MappedRows, record: Mapping[str, Any]) -> None:
        node = self._tables.node(rows.table, rows.row(record))
        nodes = self._nodes[node.table.name]
        if node.key in nodes:
            message = f"{node.table.name} {node.key!r} is in the source twice"
            raise BadRow(Reason.DUPLICATE_ID, f"{message}; the first is loaded")
        named = [(each, self._tables.node(each.table, each.node)) for each in rows.names(record)]
        nodes[node.key] = node
        end = node.table.name, node.key
        for each, concept in named:
            self._concepts.add(each.connection.name, end, concept, outgoing=each.outgoing)
