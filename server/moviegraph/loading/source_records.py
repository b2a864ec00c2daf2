"""Reads the nodes and edges of a source, whatever its files are, in two passes."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.concepts import Concepts
from moviegraph.loading.edge_reading import EdgeReading, Ids
from moviegraph.loading.file_plan import FilePlan, file_plan, shifted_sizes
from moviegraph.loading.ids import Key, stable_ids
from moviegraph.loading.rejects import BadRow, Reason, Rejects
from moviegraph.loading.rows import Node, Row, Tables, parsed
from moviegraph.loading.source import read_lines, source_files
from moviegraph.loading.table_reading import TableReading

Progress = Callable[[str, int, int], None]
NODES = "Reading nodes"
EDGES = "Reading edges"
USUAL = frozenset({"kind", "id", "name", "content"})


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """What a source holds.

    Attributes:
        nodes: The nodes, in the order of the source.
        edges: The edges, in the order of the source.
        mapped: How many ids that the source gives were no integers, by kind.
        ignored: How many nodes had a field that their table has no column for, by field.
        left_out: The files that the column map does not name.
        ids: The integers of ids that were no integers, by kind.
        unused: The columns that nothing was read from, by file.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    mapped: Mapping[str, int]
    ignored: Mapping[str, int]
    left_out: tuple[str, ...] = ()
    ids: Ids = field(default_factory=dict[str, Mapping[str, int]])
    unused: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])


def read_records(
    source: Path,
    contract: Contract,
    rejects: Rejects,
    progress: Progress,
    columns: ColumnMap | None = None,
) -> Records:
    """Read a folder, or one file; bad rows are set aside.

    Without `columns` JSON Lines hold nodes and edges, and other tables go by equal names.

    Raises:
        SourceError: There is nothing to read, or a file is damaged.
    """
    files = source_files(source, mapped=columns is not None)
    return _Reading(file_plan(files, columns, contract), contract, rejects, progress).records()


class _Reading:
    """Two passes: nodes first, then the edges between them, whatever the order of the files."""

    def __init__(
        self, plan: FilePlan, contract: Contract, rejects: Rejects, progress: Progress
    ) -> None:
        self._plan = plan
        self._tables = Tables(contract)
        self._known = {each.name: USUAL | _fields(each) for each in contract.nodes}
        self._rejects = rejects
        self._progress = progress
        self._nodes: dict[str, dict[Key, Node]] = {each.name: {} for each in contract.nodes}
        self._ignored = Counter[str]()

    def records(self) -> Records:
        concepts = Concepts()
        reading = TableReading(self._tables, self._nodes, concepts, self._rejects)
        rows, files = dict(self._plan.nodes), [path for path, _ in self._plan.nodes]
        with_edges: list[Path] = []
        for path, advanced in shifted_sizes([*files, *self._plan.lines], NODES, self._progress):
            if path in rows:
                reading.read(path, rows[path], advanced)
            elif self._read_nodes(path, advanced):
                with_edges.append(path)
        mapped = {kind: _texts(nodes) for kind, nodes in self._nodes.items() if _texts(nodes)}
        named = list(concepts.settle(self._nodes))
        ids = {
            kind: stable_ids(nodes.keys(), self._tables.bits(kind))
            for kind, nodes in self._nodes.items()
        }
        edges = EdgeReading(self._tables, self._nodes, ids, self._rejects, named)
        self._read_edges(edges, with_edges)
        return Records(
            [_record(node, ids[kind]) for kind, nodes in self._nodes.items()
             for node in nodes.values()],
            edges.edges(),
            mapped,
            dict(self._ignored),
            tuple(self._plan.left_out),
            ids,
            reading.unused | edges.unused,
        )  # fmt: skip

    def _read_edges(self, edges: EdgeReading, with_edges: list[Path]) -> None:
        rows, files = dict(self._plan.edges), [path for path, _ in self._plan.edges]
        for path, advanced in shifted_sizes([*files, *with_edges], EDGES, self._progress):
            if path in rows:
                edges.read_table(path, rows[path], advanced)
            else:
                edges.read_lines(path, advanced)

    def _read_nodes(self, path: Path, advanced: Callable[[int], None]) -> bool:
        """Read the nodes of a file of JSON Lines; return whether edges stand in it."""
        edges = False
        for number, line in read_lines(path, advanced):
            try:
                row = parsed(line)
                table = self._tables.table(row)
                if isinstance(table, NodeTable):
                    self._add(table, row)
                else:
                    edges = True
            except BadRow as bad:
                self._rejects.add(path.name, number, line, bad)
        return edges

    def _add(self, table: NodeTable, row: Row) -> None:
        node = self._tables.node(table, row)
        nodes = self._nodes[table.name]
        if node.key in nodes:
            message = f"{table.name} {node.key!r} is in the source twice; the first is loaded"
            raise BadRow(Reason.DUPLICATE_ID, message)
        nodes[node.key] = node
        if unknown := row.keys() - self._known[table.name]:
            self._ignored.update(unknown)


def _fields(table: NodeTable) -> frozenset[str]:
    return frozenset(column.source_field for column in table.extra)


def _texts(nodes: Mapping[Key, Node]) -> int:
    return sum(isinstance(key, str) for key in nodes)


def _record(node: Node, ids: Mapping[str, int]) -> NodeRecord:
    number = node.key if isinstance(node.key, int) else ids[node.key]
    return NodeRecord(node.table.name, number, node.name, node.content, node.values)
