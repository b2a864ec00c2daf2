"""Loading into the tables of SQL Server: only what differs is written, batch by batch.

A load that was killed is simply begun again: each batch brings its digests in the same
transaction, so what is there is known, and what is missing follows.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from moviegraph.contract.ddl import LOADED, MANIFEST, OWN_SCHEMA
from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.contract.vector_space import VectorSpace
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.embedded.embedding_store import KnownVectors
from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.engines.graph_records import (
    EMBEDDED,
    EdgeColumns,
    Manifest,
    NodeColumns,
    edge_columns,
    embedded_text,
    keys_between,
    manifest_of,
    node_columns,
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
)
from moviegraph.engines.sqlserver.startup import require_dimensions
from moviegraph.engines.sqlserver.writing import (
    NewRow,
    Pair,
    StoredGraph,
    StoredRow,
    Writer,
    plain_columns,
)
from moviegraph.errors import DatabaseError, SourceError
from moviegraph.loading.folder_loader import LoadReport, reported
from moviegraph.loading.preparation import USUAL, Preparation, Prepared, check_apart, prepare
from moviegraph.loading.rejects import rejects_kept
from moviegraph.text import plural


@dataclass(frozen=True, slots=True)
class TargetNode:
    """A node as it must be stored.

    Attributes:
        values: Its plain columns in the order of the table.
        digest: Of all its values.
        embedded: The text whose vector it carries, or "".
        text: Digest of that text and of the space; None without a vector.
        keep: Whether the vector that is stored stays.
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

    `moved` are digests of texts that a stored row has whose vector another row will need.
    """

    table: NodeTable
    wanted: list[TargetNode]
    gone: list[int]
    moved: list[str]


@dataclass(frozen=True, slots=True)
class EdgeChanges:
    """The edges of a table between two node tables to be inserted, and those to be removed."""

    connection: Connection
    missing: list[Pair]
    gone: list[Pair]


def node_changes(
    columns: NodeColumns, stored: Mapping[int, StoredRow], space: VectorSpace | None
) -> NodeChanges:
    """Compare the nodes of a table with what is known of the stored ones."""
    wanted: list[TargetNode] = []
    for row in range(len(columns.ids)):
        old = stored.get(int(columns.ids[row]))
        new = _wanted(columns, row, old, space)
        if old is None or old.digest != new.digest or not new.keep:
            wanted.append(new)
    keys = {int(key) for key in columns.ids}
    there = {each.text for each in stored.values() if each.text and each.has_vector}
    moved = {each.text for each in wanted if each.text in there and not each.keep}
    return NodeChanges(
        columns.table, wanted, sorted(set(stored) - keys), sorted(each for each in moved if each)
    )


def edge_changes(connection: Connection, pairs: list[Pair], stored: Iterable[Pair]) -> EdgeChanges:
    """Compare the edges of a table between two node tables with the stored ones."""
    there, wanted = set(stored), set(pairs)
    missing = [pair for pair in pairs if pair not in there]
    return EdgeChanges(connection, missing, sorted(there - wanted))


def _wanted(
    columns: NodeColumns, row: int, there: StoredRow | None, space: VectorSpace | None
) -> TargetNode:
    values = tuple(_value(columns, row, name) for name in _names(columns.table))
    embedded = embedded_text(columns.names[row], columns.contents[row]) if space else ""
    text = _digest(f"{space.id}\0{embedded}") if space and embedded else None
    return TargetNode(values, _digest(json.dumps(values)), embedded, text, _keeps(there, text))


def _names(table: NodeTable) -> tuple[str, ...]:
    return tuple(column.name for column in plain_columns(table))


def _value(columns: NodeColumns, row: int, name: str) -> Any:
    table = columns.table
    if name == table.key:
        return int(columns.ids[row])
    if name == table.label:
        return columns.names[row]
    return columns.contents[row] if name == table.text else columns.extras[name][row]


def _keeps(there: StoredRow | None, text: str | None) -> bool:
    """Whether the stored vector is that of the same text in the same space."""
    return there is not None and there.text == text and there.has_vector == (text is not None)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


STAGE = "Indexing words"
# TableFulltextPopulateStatus: at rest, or only watching for changes (4); 6 is an error.
AT_REST = frozenset({0, 4, 6})
BROKEN = 6
States = Mapping[str, tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class FulltextWait:
    """How long and how often to ask.

    Attributes:
        seconds: When to stop waiting; the server goes on by itself.
        interval: Seconds between two questions, at first and at most; it doubles.
        clock: Tells the time in seconds.
        pause: Waits some seconds.
    """

    seconds: float = 900.0
    interval: tuple[float, float] = (0.5, 8.0)
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep

    def until_searchable(self, ask: Callable[[], States], progress: Progress) -> tuple[str, ...]:
        """Return what the operator should know when the waiting is over; nothing if all is well.

        Args:
            ask: Gives status and pending changes of each table; None where there is no index.
            progress: Called with stage, done and total.
        """
        end = self.clock() + self.seconds
        wait, longest = self.interval
        while busy := _busy(states := ask()):
            progress(STAGE, len(states) - len(busy), len(states))
            if self.clock() + wait > end:
                return (_unfinished(busy),)
            self.pause(wait)
            wait = min(wait * 2, longest)
        progress(STAGE, len(states), len(states))
        return tuple(_notes(states))


def _busy(states: States) -> list[str]:
    return [
        name for name, state in states.items() if state and (state[0] not in AT_REST or state[1])
    ]


def _unfinished(busy: list[str]) -> str:
    return (
        f"Full text is still being indexed in {', '.join(busy)}; full-text search is "
        "complete when the server has finished."
    )


def _notes(states: States) -> list[str]:
    notes: list[str] = []
    without = [name for name, state in states.items() if state is None]
    broken = [name for name, state in states.items() if state and state[0] == BROKEN]
    if without:
        notes.append(
            f"No full-text index on {', '.join(without)}: CONTAINS and FREETEXT fail there. "
            "Install full text on the server, and run the script of `moviegraph ddl` again."
        )
    if broken:
        notes.append(
            f"The full-text index of {', '.join(broken)} reports an error. Read the server's "
            "crawl log."
        )
    return notes


MAX_BATCH_ROWS = 250
MAX_BATCH_CHARS = 4_000_000
VECTOR_CHARS = 12  # of one number in a vector's JSON
MAX_BATCH_PAIRS = 5_000
MAX_SHOWN = 5
DDL = "Run the script of `moviegraph ddl --engine mssql`, which creates what is missing."
Item = TypeVar("Item")


def load_into_database(
    source: Path,
    contract: Contract,
    embedder: Embedder | None,
    writer: Writer,
    *,
    rejects: Path | None = None,
    known: KnownVectors | None = None,
    how: Preparation = USUAL,
    progress: Progress = ignore_progress,
    wait: FulltextWait | None = None,
) -> LoadReport:
    """Make the tables of a database hold what a source holds, and nothing else.

    Args:
        source: A folder of JSON Lines or tables, or one file.
        contract: What the rows must fit; its tables are there.
        embedder: Computes the vectors, or None for a graph without them.
        writer: The connection, closed by the caller.
        rejects: A file that bad rows are set aside in.
        how: How the source is read, and what is done to its texts.
        known: Vectors that need not be computed, by text digest.
        progress: Called with stage, done and total.
        wait: How long to wait for full text.

    Raises:
        SourceError: The source cannot be read, or holds no node that fits.
        DatabaseError: The tables do not fit, or the database failed; what was written stays.
        VectorSpaceError: The vector columns have other dimensions than the embedder.
        EmbeddingError: The embedder failed; what it computed and was written stays.
        SettingsError: Extraction has no price, or no ceiling that it stays below.
        ModelError: The language model failed; what it answered is kept.
    """
    started = time.perf_counter()
    check_apart(source, rejects)
    live = read_live_schema(writer.read)
    graph = _opened(writer, live, contract, embedder.space if embedder else None)
    try:
        with rejects_kept(rejects) as bad:
            prepared = prepare(source, contract, bad, how, progress)
    except OSError as error:
        raise SourceError(
            f"{rejects} cannot be written: {error.strerror}.",
            hint="Name a different file with --rejects.",
        ) from error
    load = _Load(graph, contract, embedder, known or {}, progress, has_aliases(live))
    manifest = load.run(prepared, source.resolve().name)
    notes = (
        (f"{NO_ALIAS_TABLE} {CREATE_ALIAS_TABLE}",)
        if prepared.aliases and not has_aliases(live)
        else ()
    )
    notes += (wait or FulltextWait()).until_searchable(graph.fulltext, progress)
    return reported(manifest, prepared, bad, time.perf_counter() - started, notes)


def _opened(
    writer: Writer, live: LiveSchema, contract: Contract, space: VectorSpace | None
) -> StoredGraph:
    """Return the tables, once they are known to fit. Raises DatabaseError or VectorSpaceError."""
    differences = schema_mismatches(live, contract)
    for name in (MANIFEST, LOADED):
        if (OWN_SCHEMA, name.lower()) not in live.tables:
            differences.append(f"table {OWN_SCHEMA}.{name} is missing, or access is not granted")
    if differences:
        raise DatabaseError(
            f"The database does not match the contract: {_listed(differences)}.", hint=DDL
        )
    widths = dimensions(live, contract)
    if space:
        require_dimensions(widths, space, "the embedder's vectors have")
    graph = StoredGraph(writer, contract, widths)
    _check_ours(graph)
    return graph


def _check_ours(graph: StoredGraph) -> None:
    """Refuse tables that somebody else filled: what is not in the source would be removed."""
    if graph.has_manifest():
        return
    filled = [f"{name} ({count.rows:,})" for name, count in graph.counts().items() if count.rows]
    if filled:
        raise DatabaseError(
            f"The tables contain rows that no load wrote: {_listed(filled)}. Nothing was changed.",
            hint="A load deletes rows that are not in its source. Empty the tables first, or "
            "load into a different database.",
        )


@dataclass(frozen=True, slots=True)
class _Load:
    """One load: what is written where, and in which order."""

    graph: StoredGraph
    contract: Contract
    embedder: Embedder | None
    known: KnownVectors
    progress: Progress
    has_aliases: bool
    moved: dict[str, str] = field(default_factory=dict[str, str])

    def run(self, prepared: Prepared, source: str) -> Manifest:
        """Write what differs, and the manifest last; returns that."""
        nodes = node_columns(self.contract, prepared.nodes)
        edges = edge_columns(self.contract, nodes, prepared.edges)
        manifest = manifest_of(
            self.contract,
            nodes,
            edges,
            self._space,
            {**EMBEDDED, **prepared.recipe},
            source,
            prepared.aliases,
        )
        changes = self._node_changes(nodes), self._edge_changes(edges)
        whole = StoredManifest(manifest, "whole")
        if any(map(_is_change, (*changes[0], *changes[1]))) or self.graph.manifest() != whole:
            self.graph.write_manifest(replace(whole, state="loading"))
            self._apply(*changes)
            if self.has_aliases:
                self.graph.keep_aliases(prepared.aliases)
        self._verify(manifest)
        self.graph.keep_contract()
        if self.graph.manifest() != whole:
            self.graph.write_manifest(whole)
        return manifest

    @property
    def _space(self) -> VectorSpace | None:
        return self.embedder.space if self.embedder else None

    def _node_changes(self, tables: Sequence[NodeColumns]) -> list[NodeChanges]:
        found: list[NodeChanges] = []
        for at, columns in enumerate(tables):
            self.progress("Comparing nodes", at, len(tables))
            found.append(node_changes(columns, self.graph.rows(columns.table), self._space))
        self.progress("Comparing nodes", len(tables), len(tables))
        return found

    def _edge_changes(self, tables: Sequence[EdgeColumns]) -> list[EdgeChanges]:
        found: list[EdgeChanges] = []
        for at, columns in enumerate(tables):
            self.progress("Comparing edges", at, len(tables))
            for each in columns.table.connections:
                keys = keys_between(columns, self.contract, each)
                found.append(edge_changes(each, keys, self.graph.edges(each)))
        self.progress("Comparing edges", len(tables), len(tables))
        return found

    def _apply(self, nodes: list[NodeChanges], edges: list[EdgeChanges]) -> None:
        """Edges go before the nodes that they hold, and come after those that they need."""
        for change in nodes:
            self._find_moved(change)
        self._write_nodes(nodes)
        self._remove_edges(edges)
        self._remove_nodes(nodes)
        self._write_edges(edges)

    def _find_moved(self, change: NodeChanges) -> None:
        """Read, before anything is changed, the vectors of texts that have another key now."""
        for part in _parts(change.moved, MAX_BATCH_ROWS):
            self.moved.update(self.graph.vectors(change.table, part))

    def _remove_edges(self, edges: list[EdgeChanges]) -> None:
        for change in edges:
            for part in _parts(change.gone, MAX_BATCH_PAIRS):
                self.graph.remove_edges(change.connection, part)

    def _remove_nodes(self, nodes: list[NodeChanges]) -> None:
        for change in nodes:
            for part in _parts(change.gone, MAX_BATCH_PAIRS):
                self.graph.remove_nodes(change.table, part)

    def _write_nodes(self, nodes: list[NodeChanges]) -> None:
        done, total = 0, sum(len(change.wanted) for change in nodes)
        self.progress("Loading nodes", done, total)
        for change in nodes:
            for part in _batches(change.wanted, self._space):
                self.graph.write_nodes(change.table, self._rows(part))
                done += len(part)
                self.progress("Loading nodes", done, total)

    def _write_edges(self, edges: list[EdgeChanges]) -> None:
        done, total = 0, sum(len(change.missing) for change in edges)
        self.progress("Loading edges", done, total)
        for change in edges:
            for part in _parts(change.missing, MAX_BATCH_PAIRS):
                self.graph.write_edges(change.connection, part)
                done += len(part)
                self.progress("Loading edges", done, total)

    def _rows(self, wanted: list[TargetNode]) -> list[NewRow]:
        vectors = self._vectors(wanted)
        return [
            NewRow(each.values, each.digest, each.text, vectors.get(each.text or ""), each.keep)
            for each in wanted
        ]

    def _vectors(self, wanted: list[TargetNode]) -> dict[str, str]:
        """Return the vectors of a batch as JSON, by digest: known ones, and the rest computed."""
        texts = {each.text: each.embedded for each in wanted if each.text and not each.keep}
        vectors = {digest: self.moved[digest] for digest in texts if digest in self.moved}
        for digest in [each for each in texts if each not in vectors]:
            vector = self.known.get(text_digest(texts[digest]))
            if vector is not None:
                vectors[digest] = vector_text(vector.astype("float32"))
        missing = [each for each in texts if each not in vectors]
        if missing and self.embedder:
            new_vectors = self.embedder.embed([texts[each] for each in missing])
            vectors.update((each, vector_text(new_vectors[at])) for at, each in enumerate(missing))
        return vectors

    def _verify(self, manifest: Manifest) -> None:
        """Raise DatabaseError unless the tables hold as much as was loaded."""
        self.progress("Verifying", 0, 1)
        node_counts = self.graph.counts()
        wrong = [
            f"{name} contains {plural(node_counts[name].rows, 'row')} and "
            f"{plural(node_counts[name].vectors, 'vector')}, not {rows:,} and "
            f"{manifest.vectors.get(name, 0):,}"
            for name, rows in manifest.counts.items()
            if (node_counts[name].rows, node_counts[name].vectors)
            != (rows, manifest.vectors.get(name, 0))
        ]
        if wrong:
            raise DatabaseError(
                f"The tables do not contain the loaded rows: {_listed(wrong)}.",
                hint="A different program writes to them, or the database rejected a row. Load "
                "again; until a load succeeds, the graph counts as half-loaded.",
            )
        self.progress("Verifying", 1, 1)


def _is_change(change: NodeChanges | EdgeChanges) -> bool:
    new = change.wanted if isinstance(change, NodeChanges) else change.missing
    return bool(new or change.gone)


def _batches(rows: list[TargetNode], space: VectorSpace | None) -> Iterator[list[TargetNode]]:
    """Yield batches that are bounded by rows and by characters; a long row is one by itself."""
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
    return (items[at : at + size] for at in range(0, len(items), size))


def _listed(items: Sequence[Any]) -> str:
    more = len(items) - MAX_SHOWN
    shown = "; ".join(map(str, items[:MAX_SHOWN]))
    return f"{shown}; and {more} more" if more > 0 else shown
