"""Loads a source into a graph folder; the old graph serves until the new one is whole."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.contract.space import MOST_CHARACTERS
from moviegraph.embeddings.base import Embedder
from moviegraph.engines.build import Progress, build_graph, ignore_progress
from moviegraph.engines.graph_folder import Manifest, require_same_domain, require_target
from moviegraph.engines.known_vectors import KnownVectors
from moviegraph.engines.records import EdgeRecord, NodeRecord, embedded_text
from moviegraph.errors import GraphError, SourceError
from moviegraph.loading.clean import cleaned, cleaning
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.enrich import enriched, enrichment
from moviegraph.loading.extraction.extraction import Extraction
from moviegraph.loading.extraction.summary import ExtractionSummary
from moviegraph.loading.lock import folder_lock
from moviegraph.loading.rejects import Reject, Rejects, rejects_kept
from moviegraph.loading.source import is_source_file
from moviegraph.loading.source_records import read_records


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What is built: nodes, edges, and the recipe of what was done to them.

    Attributes:
        nodes: The nodes, cleaned and enriched where that was asked for.
        edges: The edges.
        recipe: What was done to the texts.
        mapped: How many ids of each kind were no integers.
        ignored: How many nodes had a field without a column, by field.
        cleaned: How many texts lost sentences of boilerplate, by kind.
        extraction: What a language model read in the texts, if it was asked.
        notes: What the operator should know of the source, one sentence each.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    recipe: Mapping[str, Any]
    mapped: Mapping[str, int]
    ignored: Mapping[str, int]
    cleaned: Mapping[str, int]
    extraction: ExtractionSummary | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load did.

    Attributes:
        counts: Rows of each table.
        vectors: Stored vectors of each node table.
        rejected: How many rows were bad, by reason.
        first_rejects: The first few bad rows of each reason.
        mapped: How many ids of each kind were no integers.
        ignored: How many nodes had a field without a column, by field.
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
    ignored: Mapping[str, int]
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
    clean: bool = True,
    enrich: bool = True,
    known: KnownVectors | None = None,
    columns: ColumnMap | None = None,
    extraction: Extraction | None = None,
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
        clean: Leave out of texts what the contract calls boilerplate.
        enrich: Let texts end with a line of names, where the contract says so.
        known: Vectors that need not be computed, by text digest.
        columns: How the columns of a person's own tables are meant.
        extraction: Lets a language model read in the texts what they name.
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
        with folder_lock(folder), rejects_kept(rejects) as bad:
            prepared = prepare(
                source,
                contract,
                bad,
                clean=clean,
                enrich=enrich,
                columns=columns,
                extraction=extraction,
                progress=progress,
            )
            manifest = build_graph(
                prepared.nodes,
                prepared.edges,
                folder,
                contract,
                embedder,
                source=source.resolve().name,
                recipe=prepared.recipe,
                known=known,
                progress=progress,
            )
    except OSError as error:
        raise unwritable(folder, error) from error
    return reported(manifest, prepared, bad, time.perf_counter() - started)


def prepare(
    source: Path,
    contract: Contract,
    rejects: Rejects,
    *,
    clean: bool = True,
    enrich: bool = True,
    columns: ColumnMap | None = None,
    extraction: Extraction | None = None,
    progress: Progress = ignore_progress,
) -> Prepared:
    """Read a source, and prepare its texts: cleaned first, so that evidence stands in what is kept.

    Raises:
        SourceError: The source cannot be read, or holds no node that fits the contract.
        SettingsError: Extraction has no price, or no ceiling that it stays below.
        ModelError: The language model failed; what it answered is kept.
    """
    if extraction:
        check_apart(source, extraction.report)
    records = read_records(source, contract, rejects, progress, columns)
    rejects.flush()
    if not records.nodes:
        raise _nothing(source, contract, rejects)
    nodes, edges, recipe, told = records.nodes, records.edges, dict[str, Any](), None
    changed: Mapping[str, int] = {}
    if clean and (how := cleaning(contract)):
        nodes, changed = cleaned(nodes, contract)
        recipe["cleaned"] = how
    if extraction:
        joined = extraction.run(nodes, edges, contract, columns.main_kind if columns else None)
        nodes, edges, told = joined.nodes, joined.edges, joined.summary
        recipe |= joined.recipe
    if enrich and (how := enrichment(contract)):
        nodes, recipe = enriched(nodes, edges, contract), recipe | {"enriched": how}
    notes = tuple(f"{name} was not read: the map does not name it." for name in records.left_out)
    return Prepared(nodes, edges, recipe, records.mapped, records.ignored, changed, told, notes)


def reported(
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
        prepared.ignored,
        prepared.cleaned,
        seconds,
        _read_partly(prepared.nodes) if manifest.space else {},
        (*prepared.notes, *notes),
        prepared.extraction,
    )


def _read_partly(nodes: Iterable[NodeRecord]) -> Mapping[str, int]:
    # A name is led to a text that lacks it; looking for it costs, so short texts are passed over.
    long = (each for each in nodes if len(each.name) + len(each.content) + 2 > MOST_CHARACTERS)
    return Counter(
        each.kind
        for each in long
        if len(embedded_text(each.name, each.content).strip()) > MOST_CHARACTERS
    )


def unwritable(folder: Path, error: OSError) -> GraphError:
    """Return the error for a place that cannot be written."""
    cause = error.strerror or str(error)
    return GraphError(f"{folder} cannot be built: {cause}.", hint="What stood there is unchanged.")


def check_apart(source: Path, written: Path | None) -> None:
    """Refuse a file to write that would be read, or overwritten, as a part of the source."""
    if written is None:
        return
    beside = source.is_dir() and written.absolute().parent.resolve() == source.resolve()
    if (beside and is_source_file(written)) or written.resolve() == source.resolve():
        raise SourceError(
            f"The file {written.name}, which is to be written, would be a part of the source.",
            hint="Put it into another folder, or give it another ending, such as .txt.",
        )


def _nothing(source: Path, contract: Contract, rejects: Rejects) -> SourceError:
    counts = [f"{count:,} {reason}" for reason, count in rejects.counts.items()]
    why = f" ({', '.join(counts)})" if counts else ""
    told = [f"{each.file}:{each.line}: {each.message}" for each in rejects.first[:1]]
    return SourceError(
        " ".join([f"{source} holds no node that fits the contract {contract.name}{why}.", *told]),
        hint='A node is {"kind": ..., "id": ..., "name": ..., "content": ...} on one line; '
        "columns of a table are mapped with --column or --map.",
    )
