"""Reads the nodes and edges of JSON Lines files; a row's kind says what it is, not its file."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.engines.records import EdgeRecord, NodeRecord
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.ids import Key, stable_ids
from moviegraph.loading.mapped_rows import MappedRows
from moviegraph.loading.rejects import BadRow, Reason, Rejects
from moviegraph.loading.rows import Node, Row, Tables, parsed
from moviegraph.loading.source import is_lines_file, read_lines, source_files
from moviegraph.loading.table_reading import Ends, TableReading

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
        mapped: How many ids of each kind were no integers.
        ignored: How many nodes had a field that their table has no column for, by field.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    mapped: Mapping[str, int]
    ignored: Mapping[str, int]


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
    lines = [each for each in files if columns is None and is_lines_file(each)]
    reading = _Reading(lines, contract, rejects, progress)
    if tables := [each for each in files if each not in lines]:
        reading.read_tables(tables, MappedRows(columns or ColumnMap(), contract))
    return reading.records()


class _Reading:
    """Two passes: nodes first, then the edges between them, whatever the order of the files."""

    def __init__(
        self, files: list[Path], contract: Contract, rejects: Rejects, progress: Progress
    ) -> None:
        self._files = files
        self._tables = Tables(contract)
        self._known = {each.name: USUAL | _fields(each) for each in contract.nodes}
        self._rejects = rejects
        self._progress = progress
        self._nodes: dict[str, dict[Key, Node]] = {each.name: {} for each in contract.nodes}
        self._ignored = Counter[str]()
        self._named: dict[Ends, None] = {}

    def read_tables(self, files: list[Path], rows: MappedRows) -> None:
        """Read people's own tables: a node a record, and nodes and edges of its lists."""
        reading = TableReading(self._tables, rows, self._nodes, self._named, self._rejects)
        for path, before, total in _sizes(files):
            reading.read(path, _shifted(self._progress, NODES, before, total))
            self._progress(NODES, before + path.stat().st_size, total)

    def records(self) -> Records:
        with_edges = self._read_nodes()
        ids = {
            kind: stable_ids(nodes.keys(), self._tables.bits(kind))
            for kind, nodes in self._nodes.items()
        }
        return Records(
            [_record(node, ids[kind]) for kind, nodes in self._nodes.items()
             for node in nodes.values()],
            self._read_edges(with_edges, ids),
            {kind: len(mapped) for kind, mapped in ids.items() if mapped},
            dict(self._ignored),
        )  # fmt: skip

    def _read_nodes(self) -> list[Path]:
        """Read the nodes, and return the files in which edges stand."""
        with_edges: dict[Path, None] = {}
        for path, number, line in self._lines(NODES, self._files):
            try:
                row = parsed(line)
                table = self._tables.table(row)
                if isinstance(table, NodeTable):
                    self._add(table, row)
                else:
                    with_edges[path] = None
            except BadRow as bad:
                self._rejects.add(path.name, number, line, bad)
        return list(with_edges)

    def _add(self, table: NodeTable, row: Row) -> None:
        node = self._tables.node(table, row)
        nodes = self._nodes[table.name]
        if node.key in nodes:
            message = f"{table.name} {node.key!r} stands in the source twice; the first is kept"
            raise BadRow(Reason.DUPLICATE_ID, message)
        nodes[node.key] = node
        if unknown := row.keys() - self._known[table.name]:
            self._ignored.update(unknown)

    def _read_edges(
        self, files: list[Path], ids: Mapping[str, Mapping[str, int]]
    ) -> list[EdgeRecord]:
        edges = {
            EdgeRecord(name, _integer(start, ids), _integer(end, ids)): None
            for name, start, end in self._named
        }
        for path, number, line in self._lines(EDGES, files):
            row, table = self._edge_row(line)
            if table is None:
                continue
            try:
                edge = self._edge(table, row, ids)
                if edge in edges:
                    raise BadRow(Reason.DUPLICATE_EDGE, "the edge stands in the source twice")
                edges[edge] = None
            except BadRow as bad:
                self._rejects.add(path.name, number, line, bad)
        return list(edges)

    def _edge_row(self, line: bytes) -> tuple[Row, EdgeTable | None]:
        """Return a row that is an edge; what is bad was found with the nodes already."""
        try:
            row = parsed(line)
            table = self._tables.table(row)
        except BadRow:
            return {}, None
        return row, table if isinstance(table, EdgeTable) else None

    def _edge(self, table: EdgeTable, row: Row, ids: Mapping[str, Mapping[str, int]]) -> EdgeRecord:
        start, end = self._tables.ends(table, row)
        for field, (kind, key) in (("from", start), ("to", end)):
            if key not in self._nodes[kind]:
                reason = Reason.NO_SUCH_NODE
                raise BadRow(reason, f"the field {field} is {key!r}, which is no {kind} loaded")
        return EdgeRecord(table.name, _integer(start, ids), _integer(end, ids))

    def _lines(self, stage: str, files: list[Path]) -> Iterator[tuple[Path, int, bytes]]:
        total = 0
        for path, before, total in _sizes(files):
            self._progress(stage, before, total)
            for number, line in read_lines(path, _shifted(self._progress, stage, before, total)):
                yield path, number, line
        self._progress(stage, total, total)


def _sizes(files: list[Path]) -> Iterator[tuple[Path, int, int]]:
    """Yield each file with the bytes before it, and those of all."""
    sizes = [path.stat().st_size for path in files]
    for index, path in enumerate(files):
        yield path, sum(sizes[:index]), sum(sizes)


def _shifted(progress: Progress, stage: str, before: int, total: int) -> Callable[[int], None]:
    return lambda done: progress(stage, before + done, total)


def _fields(table: NodeTable) -> frozenset[str]:
    return frozenset(column.source_field for column in table.extra)


def _integer(end: tuple[str, Key], ids: Mapping[str, Mapping[str, int]]) -> int:
    kind, key = end
    return key if isinstance(key, int) else ids[kind][key]


def _record(node: Node, ids: Mapping[str, int]) -> NodeRecord:
    number = node.key if isinstance(node.key, int) else ids[node.key]
    return NodeRecord(node.table.name, number, node.name, node.content, node.values)
