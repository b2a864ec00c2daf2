"""Loading into the tables of SQL Server: only what differs is written, batch by batch.

A load that was killed is started again: each batch writes its digests in the same transaction, so
that only what is missing follows.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from moviegraph.contract.ddl import LOADED, MANIFEST, OWN_SCHEMA
from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.embeddings.embedder import Embedder, VectorSpace
from moviegraph.engines.embedded.embedding_store import KnownVectors
from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.engines.graph_records import (
    EMBEDDED,
    EdgeColumns,
    Manifest,
    NodeColumns,
    between,
    edge_columns,
    embed_texts,
    embedded_text,
    keys_between,
    manifest_of,
    text_digest,
)
from moviegraph.engines.sqlserver.batch import vector_text
from moviegraph.engines.sqlserver.internal_tables import (
    CREATE_ALIAS_TABLE,
    NO_ALIAS_TABLE,
    StoredManifest,
    has_aliases,
)
from moviegraph.engines.sqlserver.metadata import (
    LiveSchema,
    dimensions,
    read_live_schema,
    schema_mismatches,
    without_digest,
)
from moviegraph.engines.sqlserver.startup import require_dimensions
from moviegraph.engines.sqlserver.writing import (
    EdgeRow,
    NewRow,
    StoredGraph,
    StoredRow,
    Writer,
    plain_columns,
)
from moviegraph.errors import DatabaseError
from moviegraph.loading.folder_loader import LoadReport
from moviegraph.loading.preparation import (
    DEFAULT,
    Preparation,
    Prepared,
    prepare_source,
)
from moviegraph.loading.row_validation import open_rejects
from moviegraph.loading.source_files import Source, require_apart, source_name
from moviegraph.loading.source_graph import with_progress
from moviegraph.text import plural

STAGE = "Indexing words"
# TableFulltextPopulateStatus: idle, or only watching for changes (4); 6 is an error.
IDLE = frozenset({0, 4, 6})
FAILED = 6
MAX_WAIT_SECONDS = 900.0  # the server continues
MIN_PAUSE_SECONDS = 0.5
MAX_PAUSE_SECONDS = 8.0
MAX_BATCH_ROWS = 250
MAX_BATCH_CHARS = 4_000_000
VECTOR_CHARS = 12  # of one number in a vector's JSON
MAX_BATCH_PAIRS = 5_000
MAX_SHOWN = 5
DDL = "Run the script of `moviegraph ddl --engine mssql`, which creates what is missing."
States = Mapping[str, tuple[int, int] | None]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class TargetNode:
    """A node as it must be stored.

    Attributes:
        values: Its plain columns in the order of the table.
        digest: Of all its values.
        embedded: The text of its vector, or "".
        text: Digest of that text and of the space; None without a vector.
        keep: Whether the stored vector stays.
    """

    values: tuple[Any, ...]
    digest: str
    embedded: str
    text: str | None
    keep: bool

    @property
    def size(self) -> int:
        """How many characters its texts have."""
        return sum(len(value) for value in self.values if isinstance(value, str))


@dataclass(frozen=True, slots=True)
class NodeChanges:
    """The nodes of a table to be written, and the keys to be removed.

    `moved` are digests of stored texts with a vector that a different row will need.
    """

    table: NodeTable
    new: list[TargetNode]
    removed: list[int]
    moved: list[str]


@dataclass(frozen=True, slots=True)
class EdgeChanges:
    """The edges of a table between two node tables to be inserted, and those to be removed."""

    connection: Connection
    new: list[EdgeRow]
    removed: list[EdgeRow]


def node_changes(
    columns: NodeColumns, stored: Mapping[int, StoredRow], space: VectorSpace | None
) -> NodeChanges:
    """Compare the nodes of a table with the stored ones."""
    new, keys = list[TargetNode](), {int(key) for key in columns.ids}
    for row, key in enumerate(columns.ids):
        old = stored.get(int(key))
        node = _target_node(columns, row, old, space)
        if old is None or old.digest != node.digest or not node.keep:
            new.append(node)
    stored_texts = {row.text for row in stored.values() if row.has_vector}
    moved = {node.text for node in new if node.text in stored_texts and not node.keep}
    return NodeChanges(
        columns.table, new, sorted(stored.keys() - keys), sorted(text for text in moved if text)
    )


def _target_node(
    columns: NodeColumns, row: int, old: StoredRow | None, space: VectorSpace | None
) -> TargetNode:
    values = tuple(_value(columns, row, column.name) for column in plain_columns(columns.table))
    has_vector = space is not None and columns.table.vector is not None
    embedded = embedded_text(columns.names[row], columns.contents[row]) if has_vector else ""
    text = _digest(f"{space.id}\0{embedded}") if space and embedded else None
    keep = old is not None and old.text == text and old.has_vector == (text is not None)
    return TargetNode(values, _digest(json.dumps(values)), embedded, text, keep)


def _value(columns: NodeColumns, row: int, name: str) -> Any:
    table = columns.table
    if name == table.key:
        return int(columns.ids[row])
    if name == table.label:
        return columns.names[row]
    return columns.contents[row] if name == table.text else columns.extras[name][row]


def _edge_rows(
    columns: EdgeColumns, contract: Contract, connection: Connection
) -> dict[EdgeRow, EdgeRow]:
    """Return the edges of a table that connect one pair of tables, by what identifies them.

    That is both ends, and for a table with columns the digest of its values.
    """
    pairs = keys_between(columns, contract, connection)
    if not columns.extras:
        return {pair: pair for pair in pairs}
    places = between(columns, contract, connection).tolist()
    rows: dict[EdgeRow, EdgeRow] = {}
    for ends, place in zip(pairs, places, strict=True):
        values: list[Any] = [texts[place] for texts in columns.extras.values()]
        key = (*ends, _digest(json.dumps(values)))
        rows[key] = (*key, *values)
    return rows


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def wait_for_fulltext(
    ask: Callable[[], States],
    progress: Progress,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> tuple[str, ...]:
    """Return notes for the operator when the waiting is over; none if all is well.

    Args:
        ask: Returns status and pending changes of each table; None where there is no index.
        progress: Called with stage, done and total.
        clock: Returns the time in seconds.
        pause: Waits some seconds.
    """
    end, wait = clock() + MAX_WAIT_SECONDS, MIN_PAUSE_SECONDS
    while busy := _busy(states := ask()):
        progress(STAGE, len(states) - len(busy), len(states))
        if clock() + wait > end:
            note = (
                f"Full text is still being indexed in {', '.join(busy)}; full-text search is "
                "complete when the server has finished."
            )
            return (note,)
        pause(wait)
        wait = min(wait * 2, MAX_PAUSE_SECONDS)
    progress(STAGE, len(states), len(states))
    return tuple(_fulltext_notes(states))


def _busy(states: States) -> list[str]:
    return [name for name, state in states.items() if state and (state[0] not in IDLE or state[1])]


def _fulltext_notes(states: States) -> Iterator[str]:
    if missing := [name for name, state in states.items() if state is None]:
        yield (
            f"No full-text index on {', '.join(missing)}: CONTAINS and FREETEXT fail there. "
            "Install full text on the server, and run the script of `moviegraph ddl` again."
        )
    if failed := [name for name, state in states.items() if state and state[0] == FAILED]:
        yield (
            f"The full-text index of {', '.join(failed)} reports an error. Read the server's "
            "crawl log."
        )


def load_into_database(
    source: Source,
    contract: Contract,
    embedder: Embedder | None,
    writer: Writer,
    *,
    rejects: Path | None = None,
    known: KnownVectors | None = None,
    how: Preparation = DEFAULT,
    progress: Progress = ignore_progress,
    wait: Callable[[Callable[[], States], Progress], tuple[str, ...]] = wait_for_fulltext,
) -> LoadReport:
    """Make the tables of a database contain what a source contains, and nothing else.

    Args:
        source: A folder of JSON Lines or tables, a file, or several files.
        contract: The tables, which exist.
        embedder: Computes the vectors, or None for a graph without them.
        writer: The connection, closed by the caller.
        rejects: A file for rejected rows.
        how: How the source is read, and what is done to its texts.
        known: Vectors that need not be computed, by text digest.
        progress: Called with stage, done and total.
        wait: Waits for full text, and returns notes for the operator.

    Raises:
        SourceError: The source cannot be read, or contains no node that fits.
        DatabaseError: The tables do not fit, or the database failed; written rows stay.
        VectorSpaceError: The vector columns have other dimensions than the embedder.
        EmbeddingError: The embedder failed; what it computed and was written stays.
        SettingsError: Extraction has no price, or no ceiling above its estimate.
        ModelError: The language model failed; its answers are stored.
    """
    started = time.perf_counter()
    require_apart(source, rejects)
    live = read_live_schema(writer.read)
    graph = _stored_graph(writer, live, contract, embedder.space if embedder else None)
    with open_rejects(rejects) as bad:
        prepared = prepare_source(source, contract, bad, how, progress)
    load = _DatabaseLoad(graph, contract, embedder, known or {}, progress, has_aliases(live))
    manifest = load.run(prepared, source_name(source))
    notes = prepared.notes
    if prepared.aliases and not has_aliases(live):
        notes += (f"{NO_ALIAS_TABLE} {CREATE_ALIAS_TABLE}",)
    notes += wait(graph.fulltext, progress)
    return LoadReport(manifest, prepared, bad, time.perf_counter() - started, notes)


def _stored_graph(
    writer: Writer, live: LiveSchema, contract: Contract, space: VectorSpace | None
) -> StoredGraph:
    """Return the tables after checks that they fit, and that only loads filled them.

    Raises:
        DatabaseError: They do not fit, or a load would remove rows that are not its own.
        VectorSpaceError: The vector columns have other dimensions than the space.
    """
    differences = [*schema_mismatches(live, contract), *without_digest(live, contract)]
    differences += [
        f"table {OWN_SCHEMA}.{name} is missing, or access is not granted"
        for name in (MANIFEST, LOADED)
        if (OWN_SCHEMA, name.lower()) not in live.tables
    ]
    if differences:
        raise DatabaseError(
            f"The database does not match the contract: {_listed(differences)}.", hint=DDL
        )
    widths = dimensions(live, contract)
    if space:
        require_dimensions(widths, space, "the embedder's vectors have")
    graph = StoredGraph(writer, contract, widths)
    counts = {} if graph.has_manifest() else graph.counts()
    if filled := [f"{name} ({count.rows:,})" for name, count in counts.items() if count.rows]:
        raise DatabaseError(
            f"The tables contain rows that no load wrote: {_listed(filled)}. Nothing was changed.",
            hint="A load deletes rows that are not in its source. Empty the tables first, or "
            "load into a different database.",
        )
    return graph


@dataclass(frozen=True, slots=True)
class _DatabaseLoad:
    """One load: the writes and their order."""

    graph: StoredGraph
    contract: Contract
    embedder: Embedder | None
    known: KnownVectors
    progress: Progress
    has_aliases: bool
    moved: dict[str, str] = field(default_factory=dict[str, str])

    def run(self, prepared: Prepared, source: str) -> Manifest:
        """Write what differs, and the manifest last; return it."""
        nodes = [columns.in_order() for columns in prepared.nodes]
        edges = edge_columns(self.contract, nodes, prepared.edges)
        manifest = manifest_of(
            self.contract,
            nodes,
            edges,
            self._space,
            {**EMBEDDED, **prepared.recipe},
            source,
            prepared.aliases,
            prepared.losses,
        )
        node_differences = self._node_changes(nodes)
        edge_differences = self._edge_changes(edges)
        complete = StoredManifest(manifest, "whole")
        has_changes = any(c.new or c.removed for c in (*node_differences, *edge_differences))
        if has_changes or self.graph.manifest() != complete:
            self.graph.write_manifest(replace(complete, state="loading"))
            self._apply(node_differences, edge_differences)
            if self.has_aliases:
                self.graph.keep_aliases(prepared.aliases)
        self._verify(manifest)
        self.graph.keep_contract()
        if self.graph.manifest() != complete:
            self.graph.write_manifest(complete)
        return manifest

    @property
    def _space(self) -> VectorSpace | None:
        return self.embedder.space if self.embedder else None

    def _node_changes(self, tables: Sequence[NodeColumns]) -> list[NodeChanges]:
        return [
            node_changes(columns, self.graph.rows(columns.table), self._space)
            for columns in with_progress(tables, "Comparing nodes", self.progress)
        ]

    def _edge_changes(self, tables: Sequence[EdgeColumns]) -> list[EdgeChanges]:
        changes: list[EdgeChanges] = []
        for columns in with_progress(tables, "Comparing edges", self.progress):
            for connection in columns.table.connections:
                rows = _edge_rows(columns, self.contract, connection)
                stored = self.graph.edges(connection)
                new = [row for key, row in rows.items() if key not in stored]
                changes.append(EdgeChanges(connection, new, sorted(stored - rows.keys())))
        return changes

    def _apply(self, nodes: list[NodeChanges], edges: list[EdgeChanges]) -> None:
        """Remove edges before their nodes, and write edges after theirs."""
        for change in nodes:  # before any row changes: vectors of texts that get another key
            for part in _parts(change.moved, MAX_BATCH_ROWS):
                self.moved.update(self.graph.vectors(change.table, part))
        self._write_nodes(nodes)
        for change in edges:
            for part in _parts(change.removed, MAX_BATCH_PAIRS):
                self.graph.remove_edges(change.connection, part)
        for change in nodes:
            for part in _parts(change.removed, MAX_BATCH_PAIRS):
                self.graph.remove_nodes(change.table, part)
        self._write_edges(edges)

    def _write_nodes(self, nodes: list[NodeChanges]) -> None:
        done, total = 0, sum(len(change.new) for change in nodes)
        if missing := self._to_embed([node for change in nodes for node in change.new]):
            self.progress("Embedding while nodes are loaded", 0, len(missing))
        self.progress("Loading nodes", done, total)
        for change in nodes:
            for batch in _batches(change.new, self._space):
                vectors = self._vectors(batch)
                rows = [
                    NewRow(n.values, n.digest, n.text, vectors.get(n.text or ""), n.keep)
                    for n in batch
                ]
                self.graph.write_nodes(change.table, rows)
                done += len(batch)
                self.progress("Loading nodes", done, total)

    def _write_edges(self, edges: list[EdgeChanges]) -> None:
        done, total = 0, sum(len(change.new) for change in edges)
        self.progress("Loading edges", done, total)
        for change in edges:
            for part in _parts(change.new, MAX_BATCH_PAIRS):
                self.graph.write_edges(change.connection, part)
                done += len(part)
                self.progress("Loading edges", done, total)

    def _vectors(self, batch: list[TargetNode]) -> dict[str, str]:
        """Return the vectors of a batch as JSON, by digest: known ones, and the rest computed."""
        missing = self._to_embed(batch)
        vectors = {n.text: self.moved[n.text] for n in batch if n.text and n.text in self.moved}
        for node in batch:
            vector = self.known.get(text_digest(node.embedded)) if node.text else None
            if node.text and vector is not None:
                vectors.setdefault(node.text, vector_text(vector.astype("float32")))
        if missing and self.embedder:
            computed = embed_texts(self.embedder, list(missing.values()))
            vectors.update(zip(missing, map(vector_text, computed), strict=True))
        return vectors

    def _to_embed(self, nodes: Sequence[TargetNode]) -> dict[str, str]:
        """Return the texts without a vector by digest: neither kept, nor moved, nor known."""
        return {
            node.text: node.embedded
            for node in nodes
            if node.text and not node.keep and node.text not in self.moved
            if text_digest(node.embedded) not in self.known
        }

    def _verify(self, manifest: Manifest) -> None:
        """Raise DatabaseError unless the tables contain as much as was loaded."""
        self.progress("Verifying", 0, 1)
        counts = self.graph.counts()
        wrong = [
            f"{name} contains {plural(counts[name].rows, 'row')} and "
            f"{plural(counts[name].vectors, 'vector')}, not {rows:,} and {vectors:,}"
            for name, rows in manifest.counts.items()
            for vectors in (manifest.vectors.get(name, 0),)
            if (counts[name].rows, counts[name].vectors) != (rows, vectors)
        ]
        if wrong:
            raise DatabaseError(
                f"The tables do not contain the loaded rows: {_listed(wrong)}.",
                hint="A different program writes to them, or the database rejected a row. Load "
                "again; until a load succeeds, the graph counts as half-loaded.",
            )
        self.progress("Verifying", 1, 1)


def _batches(rows: list[TargetNode], space: VectorSpace | None) -> Iterator[list[TargetNode]]:
    """Yield batches with limited rows and characters; a long row is a batch."""
    width = VECTOR_CHARS * space.dimensions if space else 0
    batch, size = list[TargetNode](), 0
    for row in rows:
        more = row.size + width
        if batch and (len(batch) == MAX_BATCH_ROWS or size + more > MAX_BATCH_CHARS):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += more
    if batch:
        yield batch


def _parts(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _listed(items: Sequence[Any]) -> str:
    more = len(items) - MAX_SHOWN
    first_items = "; ".join(map(str, items[:MAX_SHOWN]))
    return f"{first_items}; and {more} more" if more > 0 else first_items
