"""The nodes and edges of a source: those of JSON Lines, and the rows of staged tables."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from moviegraph.contract.model import Connection, Contract, EdgeTable, NodeTable
from moviegraph.engines.embedded.graph_builder import Progress
from moviegraph.engines.graph_records import EdgeRecord, Key, NodeRecord, stable_ids
from moviegraph.loading.column_map import NAME, ColumnMap, ListColumn, fields_of, require_fitting
from moviegraph.loading.column_profile import ColumnProfile
from moviegraph.loading.row_validation import (
    BadRow,
    EdgeEnds,
    End,
    Node,
    Reason,
    Rejects,
    Row,
    Tables,
    checked_key,
)
from moviegraph.loading.source_files import Source, parsed, read_lines
from moviegraph.loading.staged_rows import CellLosses, StagedRows, shortened
from moviegraph.loading.staged_source import StagedSource, staged_source
from moviegraph.names import fold_case

Item = TypeVar("Item")
Ids = Mapping[str, Mapping[str, int]]
NODES = "Reading nodes"
EDGES = "Reading edges"
PROGRESS_ROWS = 4096
MAX_SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The content of a source.

    Attributes:
        nodes: The nodes, in the order of the source.
        edges: The edges, in the order of the source.
        mapped: How many ids of the source were no integers, by kind.
        left_out: The files and tables that the column map does not name.
        ids: The integers of ids that were no integers, by kind.
        unused: The columns that nothing was read from, by file.
        cells: The cells that could not be read, by kind and column.
        columns: The columns that are not loaded and why, by file.
        notes: What the readers decided, and what became of unreadable cells.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    mapped: Mapping[str, int]
    left_out: tuple[str, ...] = ()
    ids: Ids = field(default_factory=dict[str, Mapping[str, int]])
    unused: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    cells: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, dict[str, int]])
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, dict[str, str]])
    notes: tuple[str, ...] = ()


def read_records(
    source: Source,
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
    if columns is not None:
        require_fitting(columns, contract)
    with staged_source(source, rejects, columns, contract, progress) as staged:
        return records_of(staged, contract, rejects, progress)


def records_of(
    staged: StagedSource, contract: Contract, rejects: Rejects, progress: Progress
) -> Records:
    """Return the nodes and edges of a staged source.

    Raises:
        SourceError: A file is damaged, or a map does not fit.
    """
    return _SourceReading(staged, contract, rejects, progress).records()


def with_progress(items: Sequence[Item], stage: str, progress: Progress) -> Iterator[Item]:
    """Yield the items, and report how many are done."""
    for done, item in enumerate(items):
        progress(stage, done, len(items))
        yield item
    progress(stage, len(items), len(items))


class _SourceReading:
    """Two passes: nodes first, then the edges between them, whatever the order of the files.

    Names in lists, and ids in links, wait until all nodes of the source are known.
    """

    def __init__(
        self, staged: StagedSource, contract: Contract, rejects: Rejects, progress: Progress
    ) -> None:
        self._staged = staged
        self._tables = Tables(contract)
        self._rejects = rejects
        self._progress = progress
        self._fields = {
            table.name: frozenset({"kind", *fields_of(table)})
            for table in (*contract.nodes, *contract.edges)
        }
        self._rows = [
            StagedRows(staged.staging, file.profile, file.columns, contract)
            for file in staged.tables
        ]
        self._losses = CellLosses()
        self._nodes: dict[str, dict[Key, Node]] = {node.name: {} for node in contract.nodes}
        self._named: dict[tuple[str, str], Node] = {}
        self._list_edges: dict[tuple[str, End, tuple[str, str], bool], None] = {}
        self._links: list[tuple[StagedRows, ColumnProfile, Connection, Mapping[int, Key]]] = []
        self._edges: dict[EdgeRecord, None] = {}
        self._ids: Ids = {}
        self._unused: dict[str, dict[str, None]] = {path.name: {} for path in staged.lines}

    def records(self) -> Records:
        tables: list[StagedRows | Path] = [
            rows for rows in self._rows if isinstance(rows.table, NodeTable)
        ]
        with_edges: list[Path] = []
        for item in with_progress([*tables, *self._staged.lines], NODES, self._progress):
            if isinstance(item, StagedRows):
                self._add_rows(item)
            elif self._read_nodes(item):
                with_edges.append(item)
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
        for link in self._links:
            self._add_links(*link)
        edge_tables: list[StagedRows | Path] = [r for r in self._rows if r not in tables]
        for item in with_progress([*edge_tables, *with_edges], EDGES, self._progress):
            for record in self._edge_rows(item):
                self._add_edge(*record)
        nodes = [
            NodeRecord(kind, self._integer((kind, key)), node.name, node.content, node.values)
            for kind, of_kind in self._nodes.items()
            for key, node in of_kind.items()
        ]
        unused = {name: list(fields) for name, fields in self._unused.items()}
        unused |= {rows.profile.table.file: rows.unused for rows in self._rows}
        return Records(
            nodes,
            list(self._edges),
            mapped,
            self._staged.left_out,
            self._ids,
            unused,
            self._losses.counts,
            {name: found for name, found in map(_left_out, self._rows) if found},
            (*_reader_notes(self._rows), *self._losses.notes),
        )

    def _read_nodes(self, path: Path) -> bool:
        """Read the nodes of JSON Lines; return whether there are edges, too."""
        has_edges = False
        for number, line in read_lines(path):
            try:
                row = parsed(line)
                table = self._tables.table(row)
                if isinstance(table, NodeTable):
                    self._add_node(self._tables.node(table, row))
                else:
                    has_edges = True
                extra = row.keys() - self._fields[table.name]
                self._unused[path.name].update(dict.fromkeys(sorted(extra)))
            except BadRow as bad:
                self._rejects.add(path.name, number, line, bad)
        return has_edges

    def _add_node(self, node: Node) -> None:
        """Add a node. Raises BadRow."""
        nodes = self._nodes[node.table.name]
        if node.key in nodes:
            message = f"{node.table.name} {node.key!r} is in the source twice; the first is loaded"
            raise BadRow(Reason.DUPLICATE_ID, message)
        nodes[node.key] = node

    def _add_rows(self, rows: StagedRows) -> None:
        """Add the nodes of a table, and what its lists name."""
        table, keys = rows.table, dict[int, Key]()
        assert isinstance(table, NodeTable)
        total = rows.profile.rows
        for found in rows.nodes(self._losses):
            if found.row % PROGRESS_ROWS == 0:
                self._progress(f"{NODES} of {table.name}", found.row, total)
            try:
                if found.bad:
                    raise found.bad
                self._add_node(Node(table, found.key, found.name, found.content, found.values))
                keys[found.row] = found.key
            except BadRow as bad:
                self._reject_row(rows, found.position, bad)
        made: dict[tuple[int, str], tuple[str, str]] = {}
        for row, name, listed, edge in rows.listed():
            if row in keys:
                outgoing = edge.from_table.lower() == table.name.lower()
                target = made.get((id(listed), name))
                if target is None:
                    other = edge.to_table if outgoing else edge.from_table
                    target = made[id(listed), name] = self._listed_node(other, name, listed)
                row_end = table.name, keys[row]
                self._list_edges[edge.name, row_end, target, outgoing] = None
        self._links += ((rows, column, edge, keys) for column, edge in rows.links)

    def _add_links(
        self, rows: StagedRows, column: ColumnProfile, edge: Connection, keys: Mapping[int, Key]
    ) -> None:
        """Add the edges to the nodes whose ids a column contains, and count the other ids."""
        start, end = self._tables.kinds_of(edge)
        missing = Counter[str]()
        for row, text in rows.linked(column):
            target = end, self._tables.key(end, text)
            if row not in keys:
                continue
            if found := self._found(target):
                ends = self._tables.joined(edge.name, (start, keys[row]), found)
                self._edges[self._edge_record(ends)] = None
            else:
                missing[text] += 1
        if missing:
            shown = ", ".join(map(repr, list(missing)[:MAX_SHOWN]))
            count = f"{rows.profile.table.file}: {missing.total():,} ids in {column.name}"
            self._losses.notes.append(f"{count} are of no {end}, such as {shown}")
            if not rows.fills(column.name):
                self._losses.count(start, column.name, missing.total())

    def _found(self, end: End) -> End | None:
        """Return the end of an edge, where there is such a node.

        An id of digits alone is a number, but a source key is a text.
        """
        kind, key = end
        keys = (key, str(key))
        return next(((kind, key) for key in keys if key in self._nodes[kind]), None)

    def _listed_node(self, kind: str, name: str, listed: ListColumn) -> tuple[str, str]:
        """Return what finds the node that a list names, after keeping it."""
        table = self._tables.table({"kind": kind})
        assert isinstance(table, NodeTable)
        found = table.name, fold_case(name)
        if found not in self._named:
            key: Key = name
            if not table.source_key:
                with suppress(BadRow):
                    key = checked_key("id", found[1], self._tables.bits(table.name))
            label = shortened(name, table.max_label_chars)
            self._named[found] = Node(table, key, label, listed.text.replace(NAME, name), {})
        return found

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

    def _edge_rows(
        self, item: StagedRows | Path
    ) -> Iterator[tuple[StagedRows | Path, int, EdgeTable, Row, bytes]]:
        """Yield source, position, table, row and bytes of each edge."""
        if isinstance(item, StagedRows):
            assert isinstance(item.table, EdgeTable)
            for position, row in item.edges(self._losses):
                yield item, position, item.table, row, b""
            return
        for number, line in read_lines(item):
            try:
                row = parsed(line)
                table = self._tables.table(row)
            except BadRow:
                continue  # it is known from the first pass
            if isinstance(table, EdgeTable):
                yield item, number, table, row, line

    def _add_edge(
        self, item: StagedRows | Path, position: int, table: EdgeTable, row: Row, line: bytes
    ) -> None:
        try:
            ends = self._tables.ends(table, row)
            for field_name, end in (("from", ends.start), ("to", ends.end)):
                found = self._found(end)
                if not found:
                    kind, key = end
                    message = f"the field {field_name} is {key!r}, which is not a loaded {kind}"
                    raise BadRow(Reason.NO_SUCH_NODE, message)
                ends = replace(ends, **{"start" if field_name == "from" else "end": found})
            edge = self._edge_record(ends)
            if edge in self._edges:
                raise BadRow(Reason.DUPLICATE_EDGE, "the edge is in the source twice")
            self._edges[edge] = None
        except BadRow as bad:
            if isinstance(item, StagedRows):
                self._reject_row(item, position, bad)
            else:
                self._rejects.add(item.name, position, line, bad)

    def _edge_record(self, ends: EdgeEnds) -> EdgeRecord:
        start, end = self._integer(ends.start), self._integer(ends.end)
        return EdgeRecord(ends.table, start, end, ends.pair, ends.values)

    def _integer(self, end: End) -> int:
        kind, key = end
        return key if isinstance(key, int) else self._ids[kind][key]

    def _reject_row(self, rows: StagedRows, position: int, bad: BadRow) -> None:
        row = {name: cell for name, cell in rows.raw(position).items() if cell is not None}
        raw = json.dumps(row, ensure_ascii=False).encode()
        table = rows.profile.table
        self._rejects.add(table.file, position, raw, bad, unit=table.unit)


def _left_out(rows: StagedRows) -> tuple[str, dict[str, str]]:
    """Return the file of a table, and the columns with values that are not loaded."""
    found = dict.fromkeys(rows.profile.table.binary, "binary")
    found |= {
        name: "not in the column map" for name in rows.unused if rows.profile.columns[name].filled
    }
    return rows.profile.table.file, found


def _reader_notes(tables: Sequence[StagedRows]) -> Iterator[str]:
    for rows in tables:
        table = rows.profile.table
        yield from (f"{table.file}: {note}." for note in table.notes)
        if table.binary:
            yield f"{table.file}: binary columns are left out: {', '.join(table.binary)}."
