"""Builds a graph folder from validated records, and swaps it in whole."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from moviegraph.contract.model import Contract
from moviegraph.embeddings.base import Embedder
from moviegraph.engines.alias_file import write_aliases
from moviegraph.engines.columns import EdgeColumns, NodeColumns, edge_columns, node_columns
from moviegraph.engines.content import EMBEDDED, manifest_of
from moviegraph.engines.folder_files import write_files
from moviegraph.engines.graph_folder import FORMAT, Manifest, building, write_contract
from moviegraph.engines.known_vectors import (
    EmbeddingStore,
    KnownVectors,
    vectors_of_graph,
)
from moviegraph.engines.records import AliasRecord, EdgeRecord, NodeRecord
from moviegraph.engines.table_vectors import TableVectors, embed_tables
from moviegraph.errors import GraphError

Progress = Callable[[str, int, int], None]
RECIPE = {
    **EMBEDDED,
    "format": FORMAT,
    "words": "without stop words",
}


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """The rows of a graph by table."""

    nodes: list[NodeColumns]
    edges: list[EdgeColumns]
    aliases: Sequence[AliasRecord]


def build_graph(
    nodes: Iterable[NodeRecord],
    edges: Iterable[EdgeRecord],
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    *,
    source: str,
    aliases: Iterable[AliasRecord] = (),
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
        aliases: Other names of the nodes.
        recipe: What was done to the texts before, for the manifest.
        known: Precomputed vectors by text digest, of the embedder's space.
        progress: Called with stage, done and total.

    Raises:
        GraphError: The records contradict each other or the contract, or the target is no graph.
        EmbeddingError: The embedder failed; what it computed is kept for the next build.
    """
    tables = _tables(contract, nodes, edges, tuple(aliases), progress)
    space = embedder.space if embedder else None
    manifest = manifest_of(
        contract,
        tables.nodes,
        tables.edges,
        space,
        {**RECIPE, **(recipe or {})},
        source,
        tables.aliases,
    )
    try:
        _build(folder, tables, contract, manifest, embedder, known or {}, progress)
    except (duckdb.Error, sqlite3.Error) as error:  # the disk is full, as a rule
        raise GraphError(
            f"{folder} cannot be written: {error}.",
            hint="What stood there is unchanged, and computed vectors are kept for the next try.",
        ) from error
    return manifest


def _build(
    folder: Path,
    tables: _Tables,
    contract: Contract,
    manifest: Manifest,
    embedder: Embedder | None,
    known: KnownVectors,
    progress: Progress,
) -> None:
    with ExitStack() as stack:
        store = EmbeddingStore(folder.absolute(), embedder.space) if embedder else None
        if store:  # entered first, so that it is removed only after the swap
            stack.enter_context(store)
        place = stack.enter_context(building(folder))
        vectors: list[TableVectors] = []
        if embedder and store:
            reusable = {**vectors_of_graph(folder, embedder.space), **known}
            vectors = embed_tables(tables.nodes, embedder, store, reusable, progress)
        write_files(place, tables.nodes, tables.edges, vectors, manifest.space, progress)
        write_aliases(place, tables.aliases)
        write_contract(place, contract)
        manifest.write(place)


def _tables(
    contract: Contract,
    nodes: Iterable[NodeRecord],
    edges: Iterable[EdgeRecord],
    aliases: Sequence[AliasRecord],
    progress: Progress,
) -> _Tables:
    progress("Sorting", 0, 1)
    node_tables = node_columns(contract, nodes)
    edge_tables = edge_columns(contract, node_tables, edges)
    progress("Sorting", 1, 1)
    return _Tables(node_tables, edge_tables, aliases)
