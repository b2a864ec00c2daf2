"""Loading into a graph folder, which replaces the old graph when complete; the built-in graph."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.contract.loader import CARRIED, load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import MAX_EMBEDDED_CHARS, Embedder, VectorSpace
from moviegraph.engines.embedded.embedding_store import KnownVectors, read_vectors
from moviegraph.engines.embedded.graph_builder import RECIPE, Progress, build_graph, ignore_progress
from moviegraph.engines.embedded.graph_folder import (
    read_manifest,
    require_same_domain,
    require_same_source,
    require_target,
)
from moviegraph.engines.embedded.stemmer import stems_note
from moviegraph.engines.graph_records import Manifest, embedded_text
from moviegraph.errors import ContractError, GraphError, SourceError
from moviegraph.loading.contract_draft import is_untouched_draft
from moviegraph.loading.preparation import (
    DEFAULT,
    Preparation,
    Prepared,
    enrichment_recipe,
    prepare_source,
)
from moviegraph.loading.row_validation import Rejects, open_rejects
from moviegraph.loading.source_files import (
    Source,
    aliases_file,
    require_apart,
    source_files,
    source_name,
)
from moviegraph.settings import content_folder

LOCK_POLL_SECONDS = 0.1

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def folder_lock(folder: Path, *, wait: bool = False) -> Generator[None]:
    """Hold the lock of a folder: a file next to it, removed with the lock.

    Args:
        folder: The folder to build; it need not exist.
        wait: Wait for the lock instead of failing.

    Raises:
        GraphError: Another process, or another thread, builds the folder.
        OSError: The parent folder cannot be written.
    """
    path = folder.absolute().with_name(f".{folder.absolute().name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    while (descriptor := _acquired(path)) is None:
        if not wait:
            raise GraphError(
                f"{folder} is being built by another process.",
                hint="Wait until that process has finished, and try again.",
            )
        time.sleep(LOCK_POLL_SECONDS)
    try:
        yield
    finally:
        _release(descriptor, path)


def _acquired(path: Path) -> int | None:
    """Return the locked file, or None while it is locked."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if not _try_lock(descriptor):
            os.close(descriptor)
            return None
        if _is_in_place(descriptor, path):
            return descriptor
        os.close(descriptor)  # its holder removed it between our opening and locking


def _is_in_place(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _release(descriptor: int, path: Path) -> None:
    if sys.platform == "win32":  # an open file cannot be removed there
        os.close(descriptor)
        with suppress(OSError):
            path.unlink()
    else:
        path.unlink(missing_ok=True)
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The result of a load.

    Attributes:
        manifest: The manifest of the graph.
        prepared: What was built.
        rejects: The bad rows.
        seconds: How long it took.
        notes: Messages for the operator.
    """

    manifest: Manifest
    prepared: Prepared
    rejects: Rejects
    seconds: float
    notes: tuple[str, ...] = ()

    def partly_embedded(self) -> Mapping[str, int]:
        """Return how many texts were embedded by their start only, by kind."""
        # The name is added to a text without it; the search takes time, so short ones are skipped.
        return Counter(
            columns.table.name
            for columns in self.prepared.nodes
            if self.manifest.space
            for name, content in zip(columns.names, columns.contents, strict=True)
            if len(name) + len(content) + 2 > MAX_EMBEDDED_CHARS
            and len(embedded_text(name, content).strip()) > MAX_EMBEDDED_CHARS
        )


def load(
    source: Source,
    folder: Path,
    contract: Contract | None,
    embedder: Embedder | None,
    *,
    rejects: Path | None = None,
    replace: bool = False,
    known: KnownVectors | None = None,
    how: Preparation = DEFAULT,
    progress: Progress = ignore_progress,
) -> LoadReport:
    """Load a source into a graph folder, new or instead of an older one.

    Computed vectors are stored next to the folder until it is complete, so that a killed load
    continues where it stopped, and unchanged texts are not embedded again.

    Args:
        source: A folder of JSON Lines or tables, a file, or several files.
        folder: The graph folder.
        contract: The tables of the rows, or None to draft them.
        embedder: Computes the vectors, or None for a graph without them.
        rejects: A file for rejected rows.
        replace: Replace a graph of another contract, or of another source.
        known: Vectors that need not be computed, by text digest.
        how: How the source is read, and what is done to its texts.
        progress: Called with stage, done and total.

    Raises:
        SourceError: The source cannot be read, or contains no node that fits.
        GraphError: The folder cannot be built, or contains a graph of a different contract; it is
            unchanged.
        EmbeddingError: The embedder failed; what it computed is stored.
        SettingsError: Extraction has no price, or no ceiling above its estimate.
        ModelError: The language model failed; its answers are stored.
    """
    started = time.perf_counter()
    require_apart(source, rejects)
    require_target(folder.absolute())
    if contract and not replace:
        require_same_domain(folder, contract)
    elif not replace:
        require_same_source(folder, source_name(source))
        _require_untouched_draft(folder / CARRIED)
    try:
        with folder_lock(folder), open_rejects(rejects) as bad:
            prepared = prepare_source(source, contract, bad, how, progress)
            manifest = build_graph(
                prepared.nodes,
                prepared.edges,
                folder,
                prepared.contract,
                embedder,
                source=source_name(source),
                aliases=prepared.aliases,
                recipe=prepared.recipe,
                losses=prepared.losses,
                known=known,
                progress=progress,
            )
    except OSError as error:
        raise unwritable(folder, error) from error
    note = stems_note(manifest.recipe, prepared.contract.language)
    notes = (*prepared.notes, note) if note else prepared.notes
    return LoadReport(manifest, prepared, bad, time.perf_counter() - started, notes)


def _require_untouched_draft(folder: Path) -> None:
    """Raise GraphError if the contract that a new draft would replace is somebody's work."""
    if not folder.is_dir():
        return
    with suppress(ContractError):
        if is_untouched_draft(load_contract(folder).files):
            return
    raise GraphError(
        f"{folder} is no draft of a load: it was edited, or given with --contract. Nothing was "
        "changed.",
        hint="Load with --contract and --map, which `moviegraph init SOURCE --into FOLDER` writes "
        "to edit; or draft again with --replace, which loses this contract.",
    )


def unwritable(folder: Path, error: OSError) -> GraphError:
    """Return the error for a place that cannot be written."""
    cause = error.strerror or str(error)
    return GraphError(
        f"{folder} cannot be built: {cause}.", hint="The previous graph is unchanged."
    )


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
    enriched = enrichment_recipe(contract)
    recipe = {"data": _digest(data)} | ({"enriched": enriched} if enriched else {})
    if _is_fresh(folder, contract, space, recipe):
        return folder
    try:
        with folder_lock(folder, wait=True):
            if _is_fresh(folder, contract, space, recipe):
                return folder
            prepared = prepare_source(data, contract, Rejects(), progress=progress)
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
    except SourceError as error:
        raise GraphError(
            f"The built-in graph cannot be built for the contract {contract.name}.",
            hint=OTHER_GRAPH,
        ) from error
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


def _digest(data: Path) -> str:
    digest = hashlib.sha256()
    aliases = aliases_file(data)
    for path in (*source_files(data), *((aliases,) if aliases else ())):
        content = path.read_bytes()
        digest.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]
