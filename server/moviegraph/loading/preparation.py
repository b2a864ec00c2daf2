"""Preparation of a source: its records, what is extracted from texts, and added names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.engines.graph_records import AliasRecord, EdgeRecord, NodeRecord
from moviegraph.errors import SourceError
from moviegraph.loading.aliases import names_by_alias, read_alias_rows, resolve_aliases
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.row_validation import Rejects
from moviegraph.loading.source_graph import Records, read_records
from moviegraph.loading.source_records import aliases_file, is_source_file

if TYPE_CHECKING:
    from moviegraph.extraction.extractor import Extraction, ExtractionSummary

MAX_LISTED = 20
ENRICHMENT_FORM = "text ends with one line: KIND: NAME, NAME; KIND: NAME."


def enrichment_recipe(contract: Contract) -> Mapping[str, Any] | None:
    """Return what `add_neighbors` does under a contract; None if nothing."""
    edges = [edge.name for edge in contract.edges if edge.in_text]
    return {"form": ENRICHMENT_FORM, "edges": edges, "most": MAX_LISTED} if edges else None


def add_neighbors(
    nodes: Sequence[NodeRecord], edges: Iterable[EdgeRecord], contract: Contract
) -> list[NodeRecord]:
    """Return the nodes, with a line of their neighbors' names where the contract says `in_text`.

    Names are in the order of the edges, at most `MAX_LISTED` of a kind.
    """
    names = {(node.kind, node.id): node.name.strip() for node in nodes}
    spelling = {node.name.lower(): node.name for node in contract.nodes}
    kinds = {
        edge.name: [
            (spelling[pair.from_table.lower()], spelling[pair.to_table.lower()])
            for pair in edge.pairs
        ]
        for edge in contract.edges
        if edge.in_text
    }
    neighbors: dict[tuple[str, int], dict[str, dict[str, None]]] = {}
    for edge in edges:
        if edge.kind in kinds:
            start, end = kinds[edge.kind][edge.pair]
            of_node = neighbors.setdefault((start, edge.source), {})
            of_node.setdefault(end, {})[names[end, edge.target]] = None
    order = list(dict.fromkeys(end for pairs in kinds.values() for _, end in pairs))
    return [_with_line(node, order, neighbors.get((node.kind, node.id), {})) for node in nodes]


def _with_line(
    node: NodeRecord, order: list[str], names: Mapping[str, Iterable[str]]
) -> NodeRecord:
    parts = [
        f"{kind}: {', '.join(list(names[kind])[:MAX_LISTED])}" for kind in order if kind in names
    ]
    line, text = "; ".join(parts) + ".", node.content.rstrip()
    return replace(node, content=f"{text}\n{line}") if parts and not text.endswith(line) else node


@dataclass(frozen=True, slots=True)
class Preparation:
    """The options of reading a source and of preparing its texts.

    Attributes:
        enrich: End texts with a line of names, where the contract says so.
        columns: The column map of tables.
        extraction: Extracts nodes and edges from texts with a language model.
    """

    enrich: bool = True
    columns: ColumnMap | None = None
    extraction: Extraction | None = None


DEFAULT = Preparation()


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The nodes and edges to build, and the recipe of their preparation.

    Attributes:
        nodes: The nodes, enriched if requested.
        edges: The edges.
        aliases: Other names of the nodes.
        recipe: What was done to the texts.
        mapped: How many ids of each kind were no integers.
        extraction: The summary of an extraction, if requested.
        notes: Messages for the operator.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    aliases: list[AliasRecord]
    recipe: Mapping[str, Any]
    mapped: Mapping[str, int]
    extraction: ExtractionSummary | None = None
    notes: tuple[str, ...] = ()


def prepare_source(
    source: Path,
    contract: Contract,
    rejects: Rejects,
    how: Preparation = DEFAULT,
    progress: Progress = ignore_progress,
) -> Prepared:
    """Read a source, and prepare its texts.

    Raises:
        SourceError: The source cannot be read, or contains no node that fits the contract.
        SettingsError: Extraction has no price, or no ceiling above its estimate.
        ModelError: The language model failed; its answers are stored.
    """
    columns, extraction = how.columns, how.extraction
    if extraction:
        check_apart(source, extraction.report)
    records = read_records(source, contract, rejects, progress, columns)
    mapped_path = columns.aliases_path if columns else None
    rows = read_alias_rows(mapped_path or aliases_file(source), contract, rejects)
    rejects.flush()
    if not records.nodes:
        raise _no_nodes(source, contract, rejects)
    nodes, edges, recipe, summary = records.nodes, records.edges, dict[str, Any](), None
    if extraction:
        main_kind = columns.main_kind if columns else None
        extracted = extraction.run(nodes, edges, contract, main_kind, names_by_alias(rows))
        nodes, edges, summary = extracted.nodes, extracted.edges, extracted.summary
        recipe |= extracted.recipe
    if how.enrich and (enrichment := enrichment_recipe(contract)):
        nodes = add_neighbors(nodes, edges, contract)
        recipe["enriched"] = enrichment
    aliases = resolve_aliases(rows, nodes, records.ids, rejects)
    rejects.flush()
    notes = tuple(_notes(records))
    return Prepared(nodes, edges, aliases, recipe, records.mapped, summary, notes)


def _notes(records: Records) -> Iterator[str]:
    for name in records.left_out:
        yield f"{name} was not read, because the map does not name it."
    for name, columns in records.unused.items():
        if columns:
            yield f"{name}: columns not loaded: {', '.join(columns)}."


def check_apart(source: Path, output: Path | None) -> None:
    """Refuse an output file that would be read, or overwritten, as a part of the source."""
    if output is None:
        return
    is_inside = source.is_dir() and output.absolute().parent.resolve() == source.resolve()
    if (is_inside and is_source_file(output)) or output.resolve() == source.resolve():
        raise SourceError(
            f"The output file {output.name} would become part of the source.",
            hint="Write it to a different folder, or change its extension, such as to .txt.",
        )


def _no_nodes(source: Path, contract: Contract, rejects: Rejects) -> SourceError:
    counts = [f"{count:,} {reason}" for reason, count in rejects.counts.items()]
    rejected = f" ({', '.join(counts)})" if counts else ""
    problems = [f"{source} contains no node that matches the contract {contract.name}{rejected}."]
    problems += [f"{bad.file}:{bad.line}: {bad.message}" for bad in rejects.first[:1]]
    return SourceError(
        " ".join(problems),
        hint='Write one node per line as {"kind": ..., "id": ..., "name": ..., "content": ...}, '
        "or map the columns of a table with --map.",
    )
