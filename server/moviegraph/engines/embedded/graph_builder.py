"""Builds a graph folder from validated records, and replaces the old one atomically."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.lib.format import open_memmap

from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder, VectorSpace
from moviegraph.engines.embedded.duckdb_files import DatabaseFile
from moviegraph.engines.embedded.embedding_store import (
    EmbeddingStore,
    KnownVectors,
    TableVectors,
    digest_array,
    embed_tables,
    vectors_of_graph,
)
from moviegraph.engines.embedded.fulltext_index import index_name
from moviegraph.engines.embedded.graph_files import DATABASE, ENGLISH_STEMS, FULLTEXT, vector_files
from moviegraph.engines.embedded.graph_folder import (
    building,
    write_aliases,
    write_contract,
    write_manifest,
)
from moviegraph.engines.embedded.stemmer import open_stemmer, stems_of_language
from moviegraph.engines.embedded.vector_table import stored_type, unit
from moviegraph.engines.graph_records import (
    EMBEDDED,
    FORMAT,
    AliasRecord,
    EdgeColumns,
    Manifest,
    NodeColumns,
    PairEdges,
    edge_columns,
    manifest_of,
)
from moviegraph.engines.load_facts import Losses
from moviegraph.errors import GraphError
from moviegraph.sql.contains import with_placeholders

CHUNK = 8192
MEMORY = 64 << 20  # bytes
INDEXING = "Indexing text"
Progress = Callable[[str, int, int], None]
RECIPE = {
    **EMBEDDED,
    "format": FORMAT,
    "words": "without stop words",
}


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Ignore progress."""


def build_graph(
    nodes: Sequence[NodeColumns],
    edges: Iterable[PairEdges],
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    *,
    source: str,
    aliases: Iterable[AliasRecord] = (),
    recipe: Mapping[str, Any] | None = None,
    losses: Losses | None = None,
    known: KnownVectors | None = None,
    progress: Progress = ignore_progress,
) -> Manifest:
    """Build a graph folder and put it in the target's place; on failure the target is untouched.

    Vectors are taken from `known` and from the graph that is replaced where the text is the same;
    computed ones are stored next to the target at once, so that a killed build resumes.

    Args:
        nodes: The nodes of each table of the contract, in any order.
        edges: The edges in any order; doubles are folded.
        folder: The target.
        contract: The contract that the graph is built for.
        embedder: Computes vectors, or None for a graph without vectors.
        source: Where the data come from, in the operator's words.
        aliases: Other names of the nodes.
        recipe: How the texts were prepared, for the manifest.
        losses: What of the source is not among the records, for the manifest.
        known: Precomputed vectors by text digest, of the embedder's space.
        progress: Called with stage, done and total.

    Raises:
        GraphError: The rows contradict each other or the contract, or the target is no graph.
        EmbeddingError: The embedder failed; computed vectors are stored for the next build.
    """
    aliases = tuple(aliases)
    progress("Sorting", 0, 1)
    node_tables = [columns.in_order() for columns in nodes]
    edge_tables = edge_columns(contract, node_tables, edges)
    progress("Sorting", 1, 1)
    space = embedder.space if embedder else None
    stems = stems_of_language(contract.language)
    recipe = {**RECIPE, **({} if stems == ENGLISH_STEMS else {"stems": stems}), **(recipe or {})}
    manifest = manifest_of(
        contract, node_tables, edge_tables, space, recipe, source, aliases, losses
    )
    try:
        with ExitStack() as stack:
            vectors: dict[str, TableVectors] = {}
            store = EmbeddingStore(folder.absolute(), embedder.space) if embedder else None
            if store:  # entered first, so that it is removed only after the swap
                stack.enter_context(store)
            built = stack.enter_context(building(folder))
            if embedder and store:
                reusable = {**vectors_of_graph(folder, embedder.space), **(known or {})}
                vectors = embed_tables(node_tables, embedder, store, reusable, progress)
            write_files(built, node_tables, edge_tables, vectors, space, stems, progress)
            write_aliases(built, aliases)
            write_contract(built, contract)
            write_manifest(manifest, built)
    except (duckdb.Error, sqlite3.Error) as error:  # usually the disk is full
        raise GraphError(
            f"{folder} cannot be written: {error}.",
            hint="Free disk space and load again: the old graph is unchanged, vectors are reused.",
        ) from error
    return manifest


def write_files(
    folder: Path,
    nodes: Sequence[NodeColumns],
    edges: Sequence[EdgeColumns],
    vectors: Mapping[str, TableVectors],
    space: VectorSpace | None,
    stems: str,
    progress: Progress,
) -> None:
    """Write tables, vectors and full text; `vectors` are those of tables that have any."""
    total = len(nodes) + len(edges)
    with DatabaseFile(folder / DATABASE) as database:
        for at, columns in enumerate(nodes):
            stored = vectors.get(columns.table.name)
            matrix = stored.matrix if stored and stored.present.any() else None
            database.write_nodes(columns, matrix, space.dimensions if space else 1)
            progress("Writing tables", at + 1, total)
        for at, columns in enumerate(edges):
            database.write_edges(columns)
            progress("Writing tables", len(nodes) + at + 1, total)
    (folder / "vectors").mkdir()
    for columns in nodes:
        if table := vectors.get(columns.table.name):
            _write_vectors(folder, columns, table)
    write_fulltext(folder / FULLTEXT, nodes, progress, stems)


def _write_vectors(folder: Path, columns: NodeColumns, table: TableVectors) -> None:
    matrix, ids, texts = vector_files(folder, columns.table.name)
    rows = np.flatnonzero(table.present)
    dimensions = table.matrix.shape[1]
    kind = stored_type(len(rows), dimensions)
    if len(rows):  # nothing of no length can be mapped
        stored = open_memmap(matrix, mode="w+", dtype=kind, shape=(len(rows), dimensions))
        for start in range(0, len(rows), CHUNK):
            part = table.matrix[rows[start : start + CHUNK]]
            stored[start : start + CHUNK] = unit(part) if kind is np.float32 else part
        stored.flush()
    else:
        np.save(matrix, np.zeros((0, dimensions), dtype=kind))
    np.save(ids, columns.ids[table.present])
    np.save(texts, digest_array(table.digests))


def write_fulltext(
    path: Path, tables: Sequence[NodeColumns], progress: Progress, stems: str = ENGLISH_STEMS
) -> None:
    """Index the searchable columns of every node table, with the stems of `stems_of_language`."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        done, total = 0, sum(len(table.names) for table in tables)

        def report(before: int, written: int) -> None:
            progress(INDEXING, before + written, total)

        report(0, 0)
        for at, table in enumerate(tables):
            if table.table.searchable:
                _write_table(connection, at, table, stems, partial(report, done))
            done += len(table.names)
        report(done, 0)
        connection.commit()
    finally:
        connection.close()


def _write_table(
    connection: sqlite3.Connection,
    at: int,
    table: NodeColumns,
    stems: str,
    report: Callable[[int], None],
) -> None:
    name = index_name(at)
    sources = [_texts(table, column) for column in table.table.searchable]
    columns = ", ".join(f"c{number}" for number in range(len(sources)))
    connection.execute(
        f"CREATE VIRTUAL TABLE {name} USING fts5({columns}, content='', "
        "tokenize='unicode61 remove_diacritics 0')"
    )
    # As much is sorted in memory before it is written: merging smaller parts takes half again.
    connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('hashsize', {MEMORY})")  # noqa: S608
    placeholders = ", ".join("?" * (len(sources) + 1))
    rows = list(zip(table.ids.tolist(), *sources, strict=True))
    for start in range(0, len(rows), CHUNK):
        connection.executemany(
            f"INSERT INTO {name}(rowid, {columns}) VALUES ({placeholders})",  # noqa: S608
            rows[start : start + CHUNK],
        )
        report(start)
    connection.execute(f"INSERT INTO {name}({name}) VALUES ('optimize')")  # noqa: S608
    connection.execute(f"CREATE VIRTUAL TABLE {name}_words USING fts5vocab({name}, 'row')")
    connection.execute(f"CREATE VIRTUAL TABLE {name}_places USING fts5vocab({name}, 'instance')")
    _write_stems(connection, name, stems)


def _texts(table: NodeColumns, column: str) -> list[str]:
    usual = {table.table.label: table.names, table.table.text: table.contents}
    texts = usual[column] if column in usual else table.extras[column]
    return [with_placeholders(_storable(text)) if text else "" for text in texts]


def _storable(text: str) -> str:
    """Replace what SQLite cannot store (lone surrogates) or would stop at (NUL)."""
    if text.isascii():
        return text.replace("\0", " ") if "\0" in text else text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def _write_stems(connection: sqlite3.Connection, name: str, stems: str) -> None:
    stems_of = open_stemmer(stems)
    connection.execute(
        f"CREATE TABLE {name}_stems (stem TEXT, word TEXT, PRIMARY KEY (stem, word)) WITHOUT ROWID"
    )
    # In English any other word is the only one of its stem.
    inflected = "WHERE term NOT GLOB '*[^a-z]*'" if stems == ENGLISH_STEMS else ""
    words = connection.execute(f"SELECT term FROM {name}_words {inflected}")  # noqa: S608
    connection.executemany(
        f"INSERT INTO {name}_stems VALUES (?, ?)",  # noqa: S608
        sorted((stem, word) for (word,) in words for stem in stems_of(word)),
    )
