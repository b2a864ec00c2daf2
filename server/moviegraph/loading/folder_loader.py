"""Loading into a graph folder; the old graph serves until the new one is whole."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from moviegraph.contract.model import Contract
from moviegraph.contract.vector_space import MAX_EMBEDDED_CHARS
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.embedded.embedding_store import KnownVectors
from moviegraph.engines.embedded.graph_builder import Progress, build_graph, ignore_progress
from moviegraph.engines.embedded.graph_folder import require_same_domain, require_target
from moviegraph.engines.graph_records import Manifest, NodeRecord, embedded_text
from moviegraph.errors import GraphError
from moviegraph.loading.preparation import DEFAULT, Preparation, Prepared, check_apart, prepare
from moviegraph.loading.rejects import Reject, Rejects, open_rejects

if TYPE_CHECKING:
    from moviegraph.extraction.extractor import ExtractionSummary

PAUSE = 0.1

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
    """Hold the lock of a folder, by a file beside it that goes when the lock goes.

    Args:
        folder: What is to be built; it need not exist.
        wait: Wait for whoever holds the lock, rather than give up.

    Raises:
        GraphError: Another process, or another thread, builds the folder.
        OSError: The place cannot be written.
    """
    path = folder.absolute().with_name(f".{folder.absolute().name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    while (descriptor := _acquired(path)) is None:
        if not wait:
            raise GraphError(
                f"{folder} is being built by another process.",
                hint="Wait until that process has finished, and try again.",
            )
        time.sleep(PAUSE)
    try:
        yield
    finally:
        _release(descriptor, path)


def _acquired(path: Path) -> int | None:
    """Return the locked file, or None where another holds it."""
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
    """What a load did.

    Attributes:
        counts: Rows of each table.
        vectors: Stored vectors of each node table.
        rejected: How many rows were bad, by reason.
        first_rejects: The first few bad rows of each reason.
        mapped: How many ids of each kind were no integers.
        cleaned: How many texts lost sentences of boilerplate, by kind.
        seconds: How long it took.
        partly: How many texts were embedded by their beginning alone, by kind.
        notes: What the operator should know of it, one sentence each.
        extraction: What a language model read in the texts, if it was asked.
    """

    counts: Mapping[str, int]
    vectors: Mapping[str, int]
    rejected: Mapping[str, int]
    first_rejects: tuple[Reject, ...]
    mapped: Mapping[str, int]
    cleaned: Mapping[str, int]
    seconds: float
    partly: Mapping[str, int]
    notes: tuple[str, ...] = ()
    extraction: ExtractionSummary | None = None


def load(
    source: Path,
    folder: Path,
    contract: Contract,
    embedder: Embedder | None,
    *,
    rejects: Path | None = None,
    known: KnownVectors | None = None,
    how: Preparation = DEFAULT,
    progress: Progress = ignore_progress,
) -> LoadReport:
    """Load a source into a graph folder, new or in the place of an older one.

    Vectors that were computed are kept beside the folder until it is whole, so that a load that
    was killed goes on where it stopped, and texts that did not change are not embedded again.

    Args:
        source: A folder of JSON Lines or tables, or one file.
        folder: The graph folder.
        contract: What the rows must fit.
        embedder: Computes the vectors, or None for a graph without them.
        rejects: A file that bad rows are set aside in.
        known: Vectors that need not be computed, by text digest.
        how: How the source is read, and what is done to its texts.
        progress: Called with stage, done and total.

    Raises:
        SourceError: The source cannot be read, or holds no node that fits.
        GraphError: The folder cannot be built, or holds a graph of another contract; what stood
            there is unchanged.
        EmbeddingError: The embedder failed; what it computed is kept.
        SettingsError: Extraction has no price, or no ceiling that it stays below.
        ModelError: The language model failed; what it answered is kept.
    """
    started = time.perf_counter()
    check_apart(source, rejects)
    require_target(folder.absolute())
    require_same_domain(folder, contract)
    try:
        with folder_lock(folder), open_rejects(rejects) as bad:
            prepared = prepare(source, contract, bad, how, progress)
            manifest = build_graph(
                prepared.nodes,
                prepared.edges,
                folder,
                contract,
                embedder,
                source=source.resolve().name,
                aliases=prepared.aliases,
                recipe=prepared.recipe,
                known=known,
                progress=progress,
            )
    except OSError as error:
        raise unwritable(folder, error) from error
    return report_of(manifest, prepared, bad, time.perf_counter() - started)


def report_of(
    manifest: Manifest,
    prepared: Prepared,
    bad: Rejects,
    seconds: float,
    notes: tuple[str, ...] = (),
) -> LoadReport:
    """Return what a load did, told from what it read and what it wrote."""
    return LoadReport(
        manifest.counts,
        manifest.vectors,
        bad.counts,
        bad.first,
        prepared.mapped,
        prepared.cleaned,
        seconds,
        _read_partly(prepared.nodes) if manifest.space else {},
        (*prepared.notes, *notes),
        prepared.extraction,
    )


def _read_partly(nodes: Iterable[NodeRecord]) -> Mapping[str, int]:
    # A name is led to a text that lacks it; looking for it costs, so short texts are passed over.
    long = (each for each in nodes if len(each.name) + len(each.content) + 2 > MAX_EMBEDDED_CHARS)
    return Counter(
        each.kind
        for each in long
        if len(embedded_text(each.name, each.content).strip()) > MAX_EMBEDDED_CHARS
    )


def unwritable(folder: Path, error: OSError) -> GraphError:
    """Return the error for a place that cannot be written."""
    cause = error.strerror or str(error)
    return GraphError(
        f"{folder} cannot be built: {cause}.", hint="The previous graph is unchanged."
    )
