"""The nodes and edges of a source, read in two passes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.engines.embedded.graph_builder import Progress
from moviegraph.engines.graph_records import EdgeRecord, Key, NodeRecord, stable_ids
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap, require_fitting
from moviegraph.loading.row_mapping import ColumnMapper, LineMapper, ListedName, RowMapper
from moviegraph.loading.row_validation import (
    BadRow,
    EdgeEnds,
    End,
    Node,
    Reason,
    Rejects,
    Row,
    Tables,
)
from moviegraph.loading.source_records import (
    SourceRecord,
    is_lines_file,
    read_records_of,
    source_files,
)
from moviegraph.names import fold_case

Item = TypeVar("Item")
MappedFile = tuple[Path, RowMapper]
Ids = Mapping[str, Mapping[str, int]]
NODES = "Reading nodes"
EDGES = "Reading edges"
MAX_SHOWN = 20


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The content of a source.

    Attributes:
        nodes: The nodes, in the order of the source.
        edges: The edges, in the order of the source.
        mapped: How many ids of the source were no integers, by kind.
        left_out: The files that the column map does not name.
        ids: The integers of ids that were no integers, by kind.
        unused: The columns that nothing was read from, by file.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    mapped: Mapping[str, int]
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
    """Read a folder, or one file; bad rows are rejected.

    Without `columns` JSON Lines contain nodes and edges, and other tables go by equal names.

    Raises:
        SourceError: There is nothing to read, a file is damaged, or the map does not fit.
    """
    files = source_files(source, mapped=columns is not None)
    tables = Tables(contract)
    mapped_files, omitted = _mapped_files(files, columns, tables, contract)
    reading = _SourceReading(tables, contract, rejects, progress)
    return reading.records(mapped_files, tuple(omitted))


def _mapped_files(
    files: list[Path], columns: ColumnMap | None, tables: Tables, contract: Contract
) -> tuple[list[MappedFile], list[str]]:
    """Return each file with its mapper, and the names of files that the map does not name."""
    lines: RowMapper = LineMapper(tables, contract)
    if columns is None:
        usual: RowMapper = ColumnMapper(ColumnMap(), contract)
        return [(path, lines if is_lines_file(path) else usual) for path in files], []
    require_fitting(columns, contract)
    if not columns.files:
        mapper: RowMapper = ColumnMapper(columns, contract)
        return [(path, mapper) for path in files], []
    mapped: list[MappedFile] = []
    patterns = {path: columns.pattern(path.name) for path in files}
    for pattern in columns.files:
        paths = [path for path in files if patterns[path] == pattern]
        if not paths:
            names = ", ".join(path.name for path in files[:MAX_SHOWN])
            raise SourceError(
                f"The column map contains files.{pattern!r}, but no file matches it.",
                hint=f"Files: {names}. The first pattern that matches a name is used.",
            )
        mapper = ColumnMapper(columns.under(pattern), contract)
        mapped += [(path, mapper) for path in paths]
    remaining = [path for path in files if patterns[path] is None]
    mapped += [(path, lines) for path in remaining if is_lines_file(path)]
    return mapped, [path.name for path in remaining if not is_lines_file(path)]


def with_progress(items: Sequence[Item], stage: str, progress: Progress) -> Iterator[Item]:
    """Yield the items, and report how many are done."""
    for done, item in enumerate(items):
        progress(stage, done, len(items))
        yield item
    progress(stage, len(items), len(items))


class _SourceReading:
    """Two passes: nodes first, then the edges between them, whatever the order of the files.

    Names in lists wait until all nodes of the source are known.
    """

    def __init__(
        self, tables: Tables, contract: Contract, rejects: Rejects, progress: Progress
    ) -> None:
        self._tables = tables
        self._rejects = rejects
        self._progress = progress
        self._nodes: dict[str, dict[Key, Node]] = {node.name: {} for node in contract.nodes}
        self._named: dict[tuple[str, str], Node] = {}
        self._list_edges: dict[tuple[str, End, tuple[str, str], bool], None] = {}
        self._edges: dict[EdgeRecord, None] = {}
        self._ids: Ids = {}
        self._unused: dict[str, list[str]] = {}

    def records(self, files: list[MappedFile], omitted: tuple[str, ...]) -> Records:
        with_edges = self._read_nodes(files)
        mapped = {
            kind: count
            for kind, nodes in self._nodes.items()
            if (count := sum(isinstance(key, str) for key in nodes))
        }
        list_edges = list(self._resolve_names())
        self._ids = {
            kind: stable_ids(nodes.keys(), self._tables.bits(kind))
            for kind, nodes in self._nodes.items()
        }
        self._edges = dict.fromkeys(map(self._edge_record, list_edges))
        self._read_edges(with_edges)
        nodes = [
            NodeRecord(node.table.name, self._integer((kind, key)), *_content(node))
            for kind, of_kind in self._nodes.items()
            for key, node in of_kind.items()
        ]
        return Records(nodes, list(self._edges), mapped, omitted, self._ids, self._unused)

    def _read_nodes(self, files: list[MappedFile]) -> list[MappedFile]:
        """Read all nodes; return the files that contain edges too."""
        nodes, edges = list[MappedFile](), list[MappedFile]()
        for path, mapper in files:
            (edges if mapper.columns.edge else nodes).append((path, mapper))
        for path, mapper in with_progress(nodes, NODES, self._progress):
            has_edges = False
            for record in read_records_of(path, mapper.columns):
                try:
                    values = record.checked()
                    table = mapper.table_of(values)
                    if isinstance(table, NodeTable):
                        self._add_node(table, mapper, values)
                    else:
                        has_edges = True
                except BadRow as bad:
                    self._reject(path, record, bad)
            self._unused[path.name] = mapper.finish(path.name)
            if has_edges:
                edges.append((path, mapper))
        return edges

    def _add_node(self, table: NodeTable, mapper: RowMapper, values: Row) -> None:
        """Add a node, and what its lists name. Raises BadRow, and then adds neither."""
        node = self._tables.node(table, mapper.row(values))
        nodes = self._nodes[table.name]
        if node.key in nodes:
            message = f"{table.name} {node.key!r} is in the source twice; the first is loaded"
            raise BadRow(Reason.DUPLICATE_ID, message)
        names = [(name, self._tables.node(name.table, name.node)) for name in mapper.names(values)]
        nodes[node.key] = node
        for name, target in names:
            self._add_name((table.name, node.key), name, target)

    def _add_name(self, row: End, name: ListedName, node: Node) -> None:
        key = node.table.name, fold_case(node.name)
        self._named.setdefault(key, node)
        self._list_edges[name.connection.name, row, key, name.outgoing] = None

    def _resolve_names(self) -> Iterator[EdgeEnds]:
        """Add the named nodes that the source lacks, and yield the edges to all."""
        resolved = {
            (kind, fold_case(node.name)): key
            for kind in {kind for kind, _ in self._named}
            for key, node in reversed(self._nodes[kind].items())
        }
        for name, node in self._named.items():
            of_kind = self._nodes[name[0]]
            if name not in resolved:
                key = node.key
                while key in of_kind:  # an id of the source that spells another node's name
                    key = f"name {key}"
                resolved[name] = key
                of_kind[key] = replace(node, key=key)
        for edge, row, name, outgoing in self._list_edges:
            resolved_name = name[0], resolved[name]
            yield self._tables.joined(
                edge, *((row, resolved_name) if outgoing else (resolved_name, row))
            )

    def _read_edges(self, files: list[MappedFile]) -> None:
        for path, mapper in with_progress(files, EDGES, self._progress):
            is_again = path.name in self._unused  # its bad rows and its nodes are known
            for record in read_records_of(path, mapper.columns):
                try:
                    values = record.checked()
                    table = mapper.table_of(values)
                except BadRow as bad:
                    if not is_again:
                        self._reject(path, record, bad)
                    continue
                if isinstance(table, EdgeTable):
                    try:
                        self._add_edge(table, mapper.row(values))
                    except BadRow as bad:
                        self._reject(path, record, bad)
            unused = mapper.finish(path.name)
            self._unused.setdefault(path.name, unused)

    def _add_edge(self, table: EdgeTable, row: Row) -> None:
        ends = self._tables.ends(table.name, row)
        for field_name, (kind, key) in (("from", ends.start), ("to", ends.end)):
            if key not in self._nodes[kind]:
                message = f"the field {field_name} is {key!r}, which is not a loaded {kind}"
                raise BadRow(Reason.NO_SUCH_NODE, message)
        edge = self._edge_record(ends)
        if edge in self._edges:
            raise BadRow(Reason.DUPLICATE_EDGE, "the edge is in the source twice")
        self._edges[edge] = None

    def _edge_record(self, ends: EdgeEnds) -> EdgeRecord:
        return EdgeRecord(ends.table, self._integer(ends.start), self._integer(ends.end), ends.pair)

    def _integer(self, end: End) -> int:
        kind, key = end
        return key if isinstance(key, int) else self._ids[kind][key]

    def _reject(self, path: Path, record: SourceRecord, bad: BadRow) -> None:
        self._rejects.add(path.name, record.line, record.raw(), bad)


def _content(node: Node) -> tuple[str, str, Mapping[str, Any]]:
    return node.name, node.content, node.values
