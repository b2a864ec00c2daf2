"""Builds a graph folder from validated records, and swaps it in whole."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract
from moviegraph.contract.space import VectorSpace
from moviegraph.embeddings.base import Embedder
from moviegraph.engines.columns import EdgeColumns, NodeColumns, edge_columns, node_columns
from moviegraph.engines.content import EMBEDDED, manifest_of
from moviegraph.engines.database_file import DatabaseFile
from moviegraph.engines.fulltext_file import write_fulltext
from moviegraph.engines.graph_folder import (
    DATABASE,
    FORMAT,
    FULLTEXT,
    Manifest,
    building,
    vector_files,
)
from moviegraph.engines.known_vectors import (
    EmbeddingStore,
    KnownVectors,
    digest_array,
    vectors_of_graph,
)
from moviegraph.engines.records import EdgeRecord, NodeRecord, embedded_text, text_digest
from moviegraph.engines.vectors import unit
from moviegraph.errors import GraphError

Progress = Callable[[str, int, int], None]
BATCH = 64
RECIPE = {
    **EMBEDDED,
    "format": FORMAT,
    "words": "without stop words",
}


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, eq=False)
class _Vectors:
    """The vectors of one table: a row for each node, NaN where a node has no text."""

    matrix: NDArray[np.float16]
    digests: list[bytes]
    present: NDArray[np.bool_]


def build_graph(
    nodes: Iterable[NodeRecord],
    edges: Iterable[EdgeRecord],
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    *,
    source: str,
    recipe: Mapping[str, Any] | None = None,
    known: KnownVectors | None = None,
    progress: Progress = ignore_progress,
) -> Manifest:
    """Build a graph folder and put it in the target's place; on failure the target is untouched.

    Vectors are taken from `known` and from the graph that is replaced where the text is the same;
    computed ones are kept beside the target at once, so that a killed build resumes.

    Args:
        nodes: Validated nodes in any order.
        edges: Validated edges in any order; doubles are folded.
        folder: The target.
        contract: The contract that the graph is built for.
        embedder: Computes vectors, or None for a graph without vectors.
        source: Where the data come from, in the operator's words.
        recipe: What was done to the texts before, for the manifest.
        known: Precomputed vectors by text digest, of the embedder's space.
        progress: Called with stage, done and total.

    Raises:
        GraphError: The records contradict each other or the contract, or the target is no graph.
        EmbeddingError: The embedder failed; what it computed is kept for the next build.
    """
    progress("Sorting", 0, 1)
    node_tables = node_columns(contract, nodes)
    edge_tables = edge_columns(contract, node_tables, edges)
    progress("Sorting", 1, 1)
    space = embedder.space if embedder else None
    manifest = manifest_of(
        contract, node_tables, edge_tables, space, {**RECIPE, **(recipe or {})}, source
    )
    with ExitStack() as stack:
        store = EmbeddingStore(folder.absolute(), embedder.space) if embedder else None
        if store:  # entered first, so that it is removed only after the swap
            stack.enter_context(store)
        place = stack.enter_context(building(folder))
        vectors: list[_Vectors] = []
        try:
            if embedder and store:
                reusable = {**vectors_of_graph(folder, embedder.space), **(known or {})}
                vectors = _embed(node_tables, embedder, store, reusable, progress)
            _write_files(place, node_tables, edge_tables, vectors, space, progress)
        except (duckdb.Error, sqlite3.Error) as error:  # the disk is full, as a rule
            raise GraphError(f"{folder} cannot be written: {error}") from error
        manifest.write(place)
    return manifest


def _embed(
    tables: list[NodeColumns],
    embedder: Embedder,
    store: EmbeddingStore,
    reusable: KnownVectors,
    progress: Progress,
) -> list[_Vectors]:
    texts = [
        [embedded_text(*pair) for pair in zip(t.names, t.contents, strict=True)] for t in tables
    ]
    by_digest = {text_digest(text): text for text in chain.from_iterable(texts) if text}
    found = {each: reusable[each] for each in by_digest if each in reusable}
    found.update(store.read(each for each in by_digest if each not in found))
    missing = [each for each in by_digest if each not in found]
    done, total = len(found), len(by_digest)
    progress("Embedding", done, total)
    for start in range(0, len(missing), BATCH):
        part = missing[start : start + BATCH]
        made = embedder.embed([by_digest[each] for each in part]).astype(np.float16)
        fresh = dict(zip(part, made, strict=True))
        store.write(fresh)
        found.update(fresh)
        done += len(part)
        progress("Embedding", done, total)
    return [_vectors(each, found, embedder.space.dimensions) for each in texts]


def _vectors(texts: list[str], found: KnownVectors, dimensions: int) -> _Vectors:
    digests = [text_digest(text) if text else b"" for text in texts]
    matrix = np.full((len(texts), dimensions), np.nan, dtype=np.float16)
    present = np.array([bool(digest) for digest in digests], dtype=bool)
    for row in np.flatnonzero(present):
        matrix[row] = found[digests[row]]
    return _Vectors(matrix, [digest for digest in digests if digest], present)


def _write_files(
    place: Path,
    nodes: list[NodeColumns],
    edges: list[EdgeColumns],
    vectors: list[_Vectors],
    space: VectorSpace | None,
    progress: Progress,
) -> None:
    total = len(nodes) + len(edges)
    with DatabaseFile(place / DATABASE) as database:
        for at, columns in enumerate(nodes):
            matrix = unit(vectors[at].matrix) if vectors else None
            database.write_nodes(columns, matrix, space.dimensions if space else 1)
            progress("Writing tables", at + 1, total)
        for at, columns in enumerate(edges):
            database.write_edges(columns)
            progress("Writing tables", len(nodes) + at + 1, total)
    (place / "vectors").mkdir()
    for columns, table in zip(nodes, vectors, strict=bool(vectors)):
        matrix, ids, texts = vector_files(place, columns.table.name)
        np.save(matrix, table.matrix[table.present])
        np.save(ids, columns.ids[table.present])
        np.save(texts, digest_array(table.digests))
    write_fulltext(place / FULLTEXT, nodes, progress)
