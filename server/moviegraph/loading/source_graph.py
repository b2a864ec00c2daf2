"""The nodes and edges of a source: those of JSON Lines, and the rows of staged tables."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Connection, Contract, EdgeTable, NodeTable
from moviegraph.engines.embedded.graph_builder import Progress
from moviegraph.engines.graph_records import (
    Ids,
    Key,
    NodeColumns,
    PairEdges,
    Texts,
    id_bits,
    stable_ids,
)
from moviegraph.loading.column_map import ENDS, KINDS, NAME, ListColumn, fields_of
from moviegraph.loading.row_validation import (
    BadRow,
    Reason,
    Rejects,
    Tables,
    checked_key,
    checked_value,
)
from moviegraph.loading.source_files import parsed, read_lines
from moviegraph.loading.staged_rows import CellLosses, StagedRows, shortened, without_point
from moviegraph.loading.staged_source import StagedSource
from moviegraph.names import fold_case
from moviegraph.text import plural

Item = TypeVar("Item")
Ends = tuple[NDArray[np.int64], NDArray[np.int64]]
NODES = "Reading nodes"
EDGES = "Reading edges"
MAX_SHOWN = 3
SPACES = re.compile("[ \t\n\v\f\r]+")


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The content of a source.

    Attributes:
        nodes: The nodes of each table of the contract, in the order of the source.
        edges: The edges, in the order of the source.
        mapped: How many ids of the source were no integers, by kind.
        left_out: The files and tables that are not read, and why.
        ids: The integers of ids that were no integers, by kind.
        unused: The columns that nothing was read from, by file.
        cells: The cells that could not be read, by kind and column.
        columns: The columns that are not loaded and why, by file.
        notes: What the readers decided, and what became of unreadable cells.
    """

    nodes: list[NodeColumns]
    edges: list[PairEdges]
    mapped: Mapping[str, int]
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    ids: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])
    unused: Mapping[str, list[str]] = field(default_factory=dict[str, list[str]])
    cells: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, dict[str, int]])
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, dict[str, str]])
    notes: tuple[str, ...] = ()


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


class _Nodes:
    """The nodes of one table so far, in the order of the source; an edge gives their places."""

    def __init__(self, table: NodeTable) -> None:
        self.table = table
        self.bits = id_bits(table)
        self.places: dict[Key, int] = {}
        self.names: list[str] = []
        self.contents: list[str] = []
        self.values: dict[str, list[Any]] = {column.name: [] for column in table.extra}
        self._places_by_name: dict[str, int] | None = None

    def claim(self, key: Key) -> None:
        """Take a key for the next node. Raises BadRow where another has it."""
        if key in self.places:
            message = f"{self.table.name} {key!r} is in the source twice; the first is loaded"
            raise BadRow(Reason.DUPLICATE_ID, message)
        self.places[key] = len(self.places)

    def add(
        self, names: Sequence[str], contents: Iterable[str], values: Mapping[str, Iterable[Any]]
    ) -> None:
        """Add what belongs to the keys that were taken."""
        self.names.extend(names)
        self.contents.extend(contents)
        for name, column in self.values.items():
            column.extend(values.get(name, [None] * len(names)))

    def place(self, key: Key) -> int | None:
        """Return the place of a key; one of digits may be the text of a source key."""
        place = self.places.get(key)
        return self.places.get(str(key)) if place is None else place

    def find_named(self, name: str) -> int | None:
        """Return the place of the node of a name."""
        if self._places_by_name is None:
            places = range(len(self.names) - 1, -1, -1)  # the first of a name comes last, and stays
            self._places_by_name = {fold_case(self.names[place]): place for place in places}
        return self._places_by_name.get(fold_case(name))

    def named(self, name: str, text: str) -> int:
        """Return the place of the node of a name in a list, which is added where there is none."""
        place, folded = self.find_named(name), fold_case(name)
        if place is None:
            assert self._places_by_name is not None
            key: Key = name
            if not self.table.source_key:
                with suppress(BadRow):
                    key = checked_key("id", folded, self.bits)
            while key in self.places:  # an id of the source that spells another node's name
                key = f"name {key}"
            place = self._places_by_name[folded] = self.places[key] = len(self.names)
            self.add([shortened(name, self.table.max_label_chars)], [text.replace(NAME, name)], {})
        return place


class _SourceReading:
    """Two passes: nodes first, then the edges between them, whatever the order of the files.

    Names in lists, and ids in links, wait until all nodes of the source are known.
    """

    def __init__(
        self, staged: StagedSource, contract: Contract, rejects: Rejects, progress: Progress
    ) -> None:
        self._staged = staged
        self._contract = contract
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
        self._nodes = {table.name: _Nodes(table) for table in contract.nodes}
        self._edges: dict[tuple[str, int], dict[tuple[Any, ...], None]] = {}
        self._joined: dict[tuple[str, int], list[Ends]] = {}
        self._unused: dict[str, dict[str, None]] = {path.name: {} for path in staged.lines}

    def records(self) -> Records:
        of_nodes = [rows for rows in self._rows if isinstance(rows.table, NodeTable)]
        of_edges = [rows for rows in self._rows if isinstance(rows.table, EdgeTable)]
        with_edges: list[Path] = []
        places: list[tuple[StagedRows, Ids]] = []
        for item in with_progress([*of_nodes, *self._staged.lines], NODES, self._progress):
            if isinstance(item, StagedRows):
                places.append((item, self._add_rows(item)))
            elif self._read_nodes(item):
                with_edges.append(item)
        for rows, of_rows in places:
            self._add_lists(rows, of_rows)
        for rows, of_rows in places:
            self._add_links(rows, of_rows)
        for item in with_progress([*of_edges, *with_edges], EDGES, self._progress):
            if isinstance(item, StagedRows):
                self._add_edge_rows(item)
            else:
                self._read_edges(item)
        ids = {kind: stable_ids(nodes.places, nodes.bits) for kind, nodes in self._nodes.items()}
        columns = [self._columns(nodes, ids[kind]) for kind, nodes in self._nodes.items()]
        unused = {name: list(fields) for name, fields in self._unused.items()}
        unused |= {rows.profile.table.file: rows.unused for rows in self._rows}
        return Records(
            columns,
            list(self._pair_edges(columns)),
            {kind: len(mapped) for kind, mapped in ids.items() if mapped},
            self._staged.left_out,
            ids,
            unused,
            self._losses.counts,
            {name: found for name, found in map(_left_out, self._rows) if found},
            (*_reader_notes(self._rows), *self._losses.notes),
        )

    def _columns(self, nodes: _Nodes, ids: Mapping[str, int]) -> NodeColumns:
        numbers = (ids[key] if isinstance(key, str) else key for key in nodes.places)
        keys = np.fromiter(numbers, np.int64, len(nodes.places))
        return NodeColumns.of(
            self._contract, nodes.table, keys, nodes.names, nodes.contents, nodes.values
        )

    def _pair_edges(self, nodes: Sequence[NodeColumns]) -> Iterator[PairEdges]:
        ids = {columns.table.name: columns.ids for columns in nodes}
        for name, at in dict.fromkeys((*self._joined, *self._edges)):
            table, pair = self._tables.edges[name], at
            start, end = (ids[kind] for kind in self._tables.pairs[name][pair])
            if rows := self._edges.get((name, at)):
                edges = PairEdges.of(table, pair, rows)
                yield replace(edges, sources=start[edges.sources], targets=end[edges.targets])
            else:
                sources, targets = map(np.concatenate, zip(*self._joined[name, at], strict=True))
                absent = {c.name: np.full(len(sources), None) for c in table.columns}
                yield PairEdges(table, pair, start[sources], end[targets], absent)

    def _read_nodes(self, path: Path) -> bool:
        """Read the nodes of JSON Lines; return whether there are edges, too."""
        has_edges = False
        for number, line in read_lines(path):
            try:
                row = parsed(line)
                table = self._tables.table(row)
                if isinstance(table, NodeTable):
                    node, nodes = self._tables.node(table, row), self._nodes[table.name]
                    nodes.claim(node.key)
                    values = {name: (value,) for name, value in node.values.items()}
                    nodes.add((node.name,), (node.content,), values)
                else:
                    has_edges = True
                extra = row.keys() - self._fields[table.name]
                self._unused[path.name].update(dict.fromkeys(sorted(extra)))
            except BadRow as bad:
                self._rejects.add(path.name, number, line, bad)
        return has_edges

    def _add_rows(self, rows: StagedRows) -> Ids:
        """Add the nodes of a table; return the place of each row's node, -1 where it has none."""
        assert isinstance(rows.table, NodeTable)
        nodes, places = self._nodes[rows.table.name], np.full(rows.profile.rows, -1)
        required = [column.name for column in rows.table.extra if not column.nullable]
        for batch in rows.nodes(self._losses):
            self._progress(f"{NODES} of {rows.table.name}", int(batch.rows[0]), rows.profile.rows)
            first, kept = len(nodes.names), np.ones(len(batch.rows), dtype=bool)
            bad_rows: dict[int, BadRow] = {}
            for at, text in enumerate(batch.keys):
                try:
                    key = rows.key(text, int(batch.rows[at]), nodes.bits)
                    for name in required:
                        if batch.values[name][at] is None:
                            raise BadRow(Reason.MISSING, f"the column {name} is missing")
                    nodes.claim(key)
                except BadRow as bad:
                    bad_rows[int(batch.positions[at])] = bad
                    kept[at] = False
            names = list(compress(batch.names, kept))
            values = {name: column[kept] for name, column in batch.values.items()}
            nodes.add(names, batch.contents[kept], values)
            places[batch.rows[kept]] = np.arange(first, len(nodes.names))
            self._reject(rows, bad_rows)
        return places

    def _add_lists(self, rows: StagedRows, places: Ids) -> None:
        """Add the edges to the nodes that the lists of a table name, and those nodes."""
        for listed, edge, batches in rows.lists():
            kinds = self._tables.kinds_of(edge)
            nodes = self._nodes[kinds[kinds[0] == rows.table.name]]

            def named(text: str, nodes: _Nodes = nodes, listed: ListColumn = listed) -> int | None:
                name = SPACES.sub(" ", text).strip()
                return nodes.named(name, listed.text) if name else None

            self._join(rows, places, edge, batches, named)

    def _add_links(self, rows: StagedRows, places: Ids) -> None:
        """Add the edges to the nodes whose ids a column contains, and count the other ids."""
        for name, edge, batches in rows.links():
            _, kind = self._tables.kinds_of(edge)
            nodes = self._nodes[kind]

            by_name = rows.columns.links[name].by_name

            def linked(
                text: str, nodes: _Nodes = nodes, kind: str = kind, by_name: bool = by_name
            ) -> int | None:
                if by_name:
                    return nodes.find_named(text)
                text = text if nodes.table.source_key else without_point(text)
                with suppress(BadRow):
                    return nodes.place(self._tables.key("id", text, kind))
                return None

            if missing := self._join(rows, places, edge, batches, linked):
                shown = ", ".join(map(repr, list(missing)[:MAX_SHOWN]))
                count = plural(missing.total(), "name" if by_name else "id")
                note = f"{rows.profile.table.file}: {count} in {name} of no {kind}, such as {shown}"
                self._losses.notes.append(note)
                if not rows.fills(name):
                    self._losses.count(rows.table.name, name, missing.total())

    def _join(
        self,
        rows: StagedRows,
        places: Ids,
        edge: Connection,
        batches: Iterable[tuple[Ids, Texts]],
        place_of: Callable[[str], int | None],
    ) -> Counter[str]:
        """Add edges from rows to the nodes that a column states; return the texts without one."""
        outgoing = self._tables.kinds_of(edge)[0] == rows.table.name
        joined = self._joined.setdefault((edge.name, self._tables.pair(edge)), [])
        targets, missing = dict[str | None, int | None]({None: None}), Counter[str]()
        for numbers, texts in batches:
            is_node = places[numbers] >= 0
            starts, texts = places[numbers[is_node]], texts[is_node]
            for text in dict.fromkeys(texts):
                if text not in targets:
                    targets[text] = place_of(text)
            ends = [targets[text] for text in texts]
            if None in ends:
                found = np.array([end is not None for end in ends], dtype=bool)
                missing.update(text for text in texts[~found] if text and not text.isspace())
                starts, ends = starts[found], [end for end in ends if end is not None]
            others = np.array(ends, dtype=np.int64)
            joined.append((starts, others) if outgoing else (others, starts))
        return missing

    def _add_edge_rows(self, rows: StagedRows) -> None:
        """Add the edges of a table."""
        table = rows.table
        assert isinstance(table, EdgeTable)
        required = [column.name for column in table.columns if not column.nullable]
        for batch in rows.edges(self._losses):
            bad_rows: dict[int, BadRow] = {}
            ends, values = zip(*batch.ends.values(), strict=True), batch.values
            for at, said in enumerate(ends):
                try:
                    for name in required:
                        if values[name][at] is None:
                            raise BadRow(Reason.MISSING, f"the column {name} is missing")
                    cells = tuple(column[at] for column in values.values())
                    self._add_edge(table, said, cells, rows.columns.by_name)
                except BadRow as bad:
                    bad_rows[int(batch.positions[at])] = bad
            self._reject(rows, bad_rows)

    def _read_edges(self, path: Path) -> None:
        """Read the edges of JSON Lines."""
        for number, line in read_lines(path):
            try:
                row = parsed(line)
                table = self._tables.table(row)
            except BadRow:
                continue  # it is known from the first pass
            if isinstance(table, EdgeTable):
                try:
                    values = (checked_value(c, row.get(c.source_field)) for c in table.columns)
                    self._add_edge(table, [*map(row.get, (*ENDS, *KINDS))], tuple(values))
                except BadRow as bad:
                    self._rejects.add(path.name, number, line, bad)

    def _add_edge(
        self,
        table: EdgeTable,
        said: Sequence[Any],
        values: tuple[Any, ...],
        by_name: Collection[str] = (),
    ) -> None:
        """Add an edge of which a row says both ends, and maybe their kinds. Raises BadRow."""
        pair = self._tables.pair_of(table.name, *said[2:])
        places: list[int] = []
        for name, kind, value in zip(
            ENDS, self._tables.pairs[table.name][pair], said[:2], strict=True
        ):
            if name in by_name and value is not None:
                key, place = str(value), self._nodes[kind].find_named(str(value))
            else:
                key = self._tables.key(name, value, kind)
                place = self._nodes[kind].place(key)
            if place is None:
                message = f"the field {name} is {key!r}, which is not a loaded {kind}"
                raise BadRow(Reason.NO_SUCH_NODE, message)
            places.append(place)
        found = self._edges.get((table.name, pair))
        if found is None:
            found = self._edges[table.name, pair] = self._joined_rows(table, pair)
        edge = (*places, *values)
        if edge in found:
            raise BadRow(Reason.DUPLICATE_EDGE, "the edge is in the source twice")
        found[edge] = None

    def _joined_rows(self, table: EdgeTable, pair: int) -> dict[tuple[Any, ...], None]:
        """Return the edges from lists, which may be in tables of edges, too."""
        absent = (None,) * len(table.columns)
        return {
            (source, target, *absent): None
            for sources, targets in self._joined.get((table.name, pair), ())
            for source, target in zip(sources.tolist(), targets.tolist(), strict=True)
        }

    def _reject(self, rows: StagedRows, bad_rows: Mapping[int, BadRow]) -> None:
        """Reject the rows at these positions."""
        table = rows.profile.table
        for position, raw in rows.raw(bad_rows):
            self._rejects.add(table.file, position, raw, bad_rows[position], unit=table.unit)


def _left_out(rows: StagedRows) -> tuple[str, dict[str, str]]:
    """Return the file of a table, and the columns with values that are not loaded."""
    found = dict(rows.profile.table.left_out)
    found |= {
        name: "not in the column map" for name in rows.unused if rows.profile.columns[name].filled
    }
    return rows.profile.table.file, found


def _reader_notes(tables: Sequence[StagedRows]) -> Iterator[str]:
    for rows in tables:
        table = rows.profile.table
        yield from (f"{table.file}: {note}." for note in table.notes)
        if table.left_out:
            columns = ", ".join(f"{name} ({why})" for name, why in table.left_out.items())
            yield f"{table.file}: columns are left out: {columns}."
