"""The nodes and edges of a source, read in two passes."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.engines.graph_records import EdgeRecord, Key, NodeRecord, stable_ids
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap, require_fitting
from moviegraph.loading.rejects import BadRow, Reason, Rejects
from moviegraph.loading.row_mapping import EdgeRowMapper, NodeRowMapper
from moviegraph.loading.row_validation import EdgeEnds, End, Node, Row, Tables, name_key, parsed
from moviegraph.loading.source_files import is_lines_file, read_lines, source_files
from moviegraph.loading.table_readers import table_records

Progress = Callable[[str, int, int], None]
NamedEdge = tuple[str, End, End]


class ListedNodes:
    """Names and the edges to them, until all nodes of the source are known."""

    def __init__(self) -> None:
        self._named: dict[tuple[str, str], Node] = {}
        self._edges: dict[tuple[str, End, tuple[str, str], bool], None] = {}

    def add(self, edge: str, row: End, node: Node, *, outgoing: bool) -> None:
        """Keep what a row names.

        Args:
            edge: The edge table.
            row: Kind and id of the row.
            node: What is named, as it is where the source has no node of that name.
            outgoing: Whether the edge leads from the row.
        """
        name = node.table.name, name_key(node.name)
        self._named.setdefault(name, node)
        self._edges[edge, row, name, outgoing] = None

    def settle(self, nodes: Mapping[str, dict[Key, Node]]) -> Iterator[NamedEdge]:
        """Add the nodes that the source lacks, and yield the edges to all."""
        ends = self._ends(nodes)
        for edge, row, name, outgoing in self._edges:
            yield (edge, row, ends[name]) if outgoing else (edge, ends[name], row)

    def _ends(self, nodes: Mapping[str, dict[Key, Node]]) -> dict[tuple[str, str], End]:
        known: dict[tuple[str, str], Key] = {}
        for kind in {kind for kind, _ in self._named}:
            for node in nodes[kind].values():
                known.setdefault((kind, name_key(node.name)), node.key)
        endpoints: dict[tuple[str, str], End] = {}
        for name, node in self._named.items():
            of_kind = nodes[name[0]]
            if name not in known:
                known[name] = _free(node.key, of_kind)
                of_kind[known[name]] = replace(node, key=known[name])
            endpoints[name] = name[0], known[name]
        return endpoints


def _free(key: Key, nodes: Mapping[Key, Node]) -> Key:
    """Return an id that no node of another name has."""
    while key in nodes:
        key = f"name {key}"
    return key


@dataclass(frozen=True, slots=True)
class FilePlan:
    """The files of a source by what they hold; `left_out` are those that a map does not name."""

    lines: list[Path] = field(default_factory=list[Path])
    nodes: list[tuple[Path, NodeRowMapper]] = field(
        default_factory=list[tuple[Path, NodeRowMapper]]
    )
    edges: list[tuple[Path, EdgeRowMapper]] = field(
        default_factory=list[tuple[Path, EdgeRowMapper]]
    )
    left_out: list[str] = field(default_factory=list[str])


def file_plan(files: list[Path], columns: ColumnMap | None, contract: Contract) -> FilePlan:
    """Sort the files of a source; without a map, tables go by equal names.

    Raises:
        SourceError: The map does not fit the contract, or names files that are not there.
    """
    plan = FilePlan()
    if columns is not None:
        require_fitting(columns, contract)
    if columns is not None and columns.files:
        _sort_by_name(plan, files, columns, contract)
        return plan
    plan.lines.extend(each for each in files if columns is None and is_lines_file(each))
    if tables := [each for each in files if each not in plan.lines]:
        _add(plan, tables, columns or ColumnMap(), contract)
    return plan


def shifted_sizes(
    files: list[Path], stage: str, progress: Progress
) -> Iterator[tuple[Path, Callable[[int], None]]]:
    """Yield each file with what to call with the bytes of it that are read."""
    sizes = [path.stat().st_size for path in files]
    total, before = sum(sizes), 0
    for path, size in zip(files, sizes, strict=True):
        progress(stage, before, total)
        yield path, lambda done, before=before: progress(stage, before + done, total)
        before += size
    progress(stage, total, total)


def _sort_by_name(
    plan: FilePlan, files: list[Path], columns: ColumnMap, contract: Contract
) -> None:
    paths_by_pattern: dict[str, list[Path]] = {pattern: [] for pattern in columns.files}
    for path in files:
        if (pattern := columns.pattern(path.name)) is not None:
            paths_by_pattern[pattern].append(path)
        elif is_lines_file(path):
            plan.lines.append(path)
        else:
            plan.left_out.append(path.name)
    for pattern, paths in paths_by_pattern.items():
        if not paths:
            names = ", ".join(path.name for path in files[:20])
            raise SourceError(
                f"The column map contains files.{pattern!r}, but no file matches it.",
                hint=f"Files: {names}. The first pattern that matches a name is used.",
            )
        _add(plan, paths, columns.under(pattern), contract)


def _add(plan: FilePlan, paths: list[Path], columns: ColumnMap, contract: Contract) -> None:
    if columns.edge:
        edges = EdgeRowMapper(columns, contract)
        plan.edges.extend((path, edges) for path in paths)
    else:
        rows = NodeRowMapper(columns, contract)
        plan.nodes.extend((path, rows) for path in paths)


class TableReader:
    """Checks each record as a row of JSON Lines; one that is bad leaves no names behind."""

    def __init__(
        self,
        tables: Tables,
        nodes: Mapping[str, dict[Key, Node]],
        concepts: ListedNodes,
        rejects: Rejects,
    ) -> None:
        self._tables = tables
        self._nodes = nodes
        self._concepts = concepts
        self._rejects = rejects
        self.unused: dict[str, list[str]] = {}

    def read(self, path: Path, rows: NodeRowMapper, advanced: Callable[[int], None]) -> None:
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

    def _add(self, rows: NodeRowMapper, record: Mapping[str, Any]) -> None:
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


Advanced = Callable[[int], None]
Ids = Mapping[str, Mapping[str, int]]


class EdgeReader:
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

    def read_table(self, path: Path, rows: EdgeRowMapper, advanced: Advanced) -> None:
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

    def _edge(self, ends: EdgeEnds) -> EdgeRecord:
        start, end = self._integer(ends.start), self._integer(ends.end)
        return EdgeRecord(ends.table, start, end, ends.pair)

    def _integer(self, end: End) -> int:
        kind, key = end
        return key if isinstance(key, int) else self._ids[kind][key]


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
        concepts = ListedNodes()
        reading = TableReader(self._tables, self._nodes, concepts, self._rejects)
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
        edges = EdgeReader(self._tables, self._nodes, ids, self._rejects, named)
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

    def _read_edges(self, edges: EdgeReader, with_edges: list[Path]) -> None:
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
