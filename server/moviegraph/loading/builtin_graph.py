"""The built-in graph, built from the data in the package when first needed."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from moviegraph.content import content_folder
from moviegraph.contract.model import Contract
from moviegraph.contract.vector_space import VectorSpace
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.embedded.embedding_store import KnownVectors, read_vectors
from moviegraph.engines.embedded.graph_builder import RECIPE, Progress, build_graph, ignore_progress
from moviegraph.engines.embedded.graph_folder import read_manifest
from moviegraph.errors import GraphError, SourceError
from moviegraph.loading.folder_loader import folder_lock, unwritable
from moviegraph.loading.preparation import cleaning_recipe, enrichment_recipe, prepare_source
from moviegraph.loading.row_validation import Rejects
from moviegraph.loading.source_records import aliases_file, source_files

SOURCE = "the built-in graph"
OTHER_GRAPH = "Name a different graph with --graph FOLDER, or set MOVIEGRAPH_GRAPH."


def ensure_builtin_graph(
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    progress: Progress = ignore_progress,
    *,
    data: Path | None = None,
) -> Path:
    """Return the folder of the built-in graph, built if it is missing or stale.

    Data, contract, vector space and recipe decide. Of multiple processes that start at once, one
    builds, and the others wait for it.

    Raises:
        GraphError: The graph cannot be built.
        EmbeddingError: The embedder failed.
    """
    data = data or content_folder("data")
    space = embedder.space if embedder else None
    recipe = _recipe(data, contract)
    if _is_fresh(folder, contract, space, recipe):
        return folder
    try:
        with folder_lock(folder, wait=True):
            if not _is_fresh(folder, contract, space, recipe):
                _build(folder, contract, embedder, progress, data, recipe)
    except OSError as error:
        raise GraphError(unwritable(folder, error).message, hint=OTHER_GRAPH) from error
    return folder


def vectors_file(data: Path, space: VectorSpace) -> Path:
    """Return the file of shipped vectors of a space."""
    return data / "vectors" / f"{space.id}.npz"


def shipped_vectors(data: Path, space: VectorSpace) -> KnownVectors:
    """Return the vectors that ship with the data; none for another space."""
    path = vectors_file(data, space)
    return read_vectors(path, space) if path.is_file() else {}


def _is_fresh(
    folder: Path, contract: Contract, space: VectorSpace | None, recipe: Mapping[str, Any]
) -> bool:
    try:
        manifest = read_manifest(folder, contract)
    except GraphError:
        return False
    return manifest.space == space and manifest.recipe == {**RECIPE, **recipe}


def _build(
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    progress: Progress,
    data: Path,
    recipe: Mapping[str, Any],
) -> None:
    try:
        prepared = prepare_source(data, contract, Rejects(), progress=progress)
    except SourceError as error:
        raise GraphError(
            f"The built-in graph cannot be built for the contract {contract.name}.",
            hint=OTHER_GRAPH,
        ) from error
    build_graph(
        prepared.nodes,
        prepared.edges,
        folder,
        contract,
        embedder,
        source=SOURCE,
        aliases=prepared.aliases,
        recipe=recipe,
        known=shipped_vectors(data, embedder.space) if embedder else None,
        progress=progress,
    )


def _recipe(data: Path, contract: Contract) -> Mapping[str, Any]:
    recipes = {"cleaned": cleaning_recipe(contract), "enriched": enrichment_recipe(contract)}
    return {"data": _digest(data), **{name: recipe for name, recipe in recipes.items() if recipe}}


def _digest(data: Path) -> str:
    digest = hashlib.sha256()
    aliases = aliases_file(data)
    for path in (*source_files(data), *((aliases,) if aliases else ())):
        content = path.read_bytes()
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]
