"""Preparation of a source: its records, what is extracted from texts, and added names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.engines.graph_records import (
    AliasRecord,
    Ids,
    NodeColumns,
    PairEdges,
    Texts,
    node_columns,
    pair_edges,
)
from moviegraph.engines.load_facts import NO_LOSSES, Losses
from moviegraph.errors import SourceError
from moviegraph.loading.aliases import names_by_alias, read_alias_rows, resolve_aliases
from moviegraph.loading.column_map import MAX_SHOWN, ColumnMap, require_fitting
from moviegraph.loading.graph_draft import (
    LEFT_TO_THE_DRAFT,
    DraftChoices,
    GraphDraft,
    draft_graph,
)
from moviegraph.loading.row_validation import Rejects
from moviegraph.loading.source_files import (
    Source,
    aliases_file,
    require_apart,
    source_name,
    unread_entries,
)
from moviegraph.loading.source_graph import Records, records_of
from moviegraph.loading.staged_source import staged_source

if TYPE_CHECKING:
    from moviegraph.extraction.extractor import Extraction, ExtractionSummary

FIRST_NAMES = 20  # of a kind: the further ones come last, and weigh less in the vector
ENRICHMENT_FORM = "text ends with one line: KIND: NAME, NAME; KIND: NAME; KIND: FURTHER NAME."


def enrichment_recipe(contract: Contract) -> Mapping[str, Any] | None:
    """Return what `add_neighbors` does under a contract; None if nothing."""
    edges = [edge.name for edge in contract.edges if edge.in_text]
    return {"form": ENRICHMENT_FORM, "edges": edges, "first": FIRST_NAMES} if edges else None


def add_neighbors(
    nodes: Sequence[NodeColumns], edges: Iterable[PairEdges], contract: Contract
) -> list[NodeColumns]:
    """Return the nodes, with a line of their neighbors' names where the contract says `in_text`.

    All names are listed, in the order of the edges: the first of each kind, then all others.
    """
    by_name = {columns.table.name.lower(): columns for columns in nodes}
    pairs = [pair for edge in contract.edges if edge.in_text for pair in edge.pairs]
    order = list(dict.fromkeys(by_name[pair.to_table.lower()].table.name for pair in pairs))
    neighbors: dict[str, list[tuple[Ids, Ids, Texts]]] = {}
    for part in edges:
        if part.table.in_text:
            pair = part.table.pairs[part.pair]
            start, end = by_name[pair.from_table.lower()], by_name[pair.to_table.lower()]
            kinds = np.full(len(part.targets), order.index(end.table.name))
            names = end.names[end.places(part.targets)]
            named = start.places(part.sources), kinds, names
            neighbors.setdefault(start.table.name, []).append(named)
    return [_with_lines(columns, order, neighbors.get(columns.table.name)) for columns in nodes]


def _with_lines(
    columns: NodeColumns, order: list[str], neighbors: list[tuple[Ids, Ids, Texts]] | None
) -> NodeColumns:
    """Return nodes with lines of the names at these places, by the place of their kind."""
    if neighbors is None:
        return columns
    places, kinds, names = map(np.concatenate, zip(*neighbors, strict=True))
    sorted_rows = np.lexsort((kinds, places))
    lines: dict[int, tuple[list[str], list[str]]] = {}
    first, further, listed, last = list[str](), list[str](), set[str](), (-1, -1)
    for place, kind, name in zip(
        places[sorted_rows].tolist(), kinds[sorted_rows].tolist(), names[sorted_rows], strict=True
    ):
        name = name.strip()
        if place != last[0]:
            first, further = lines[place] = [], []
        if (place, kind) != last:
            first.append(f"; {order[kind]}: {name}")
            last, listed = (place, kind), {name}
        elif name not in listed:
            part = first if len(listed) < FIRST_NAMES else further
            is_first = len(listed) == FIRST_NAMES
            part.append(f"; {order[kind]}: {name}" if is_first else f", {name}")
            listed.add(name)
    contents = columns.contents.copy()
    for place, parts in lines.items():
        text, end = contents[place].rstrip(), f"{''.join(chain(*parts))[2:]}."
        contents[place] = text if text.endswith(end) else f"{text}\n{end}"
    return replace(columns, contents=contents)


@dataclass(frozen=True, slots=True)
class Preparation:
    """The options of reading a source and of preparing its texts.

    Attributes:
        enrich: End texts with a line of names, where the contract says so.
        columns: The column map of tables; for a draft how they are read.
        extraction: Extracts nodes and edges from texts with a language model.
        choices: What a person decided about a draft, where there is no contract.
    """

    enrich: bool = True
    columns: ColumnMap | None = None
    extraction: Extraction | None = None
    choices: DraftChoices = LEFT_TO_THE_DRAFT


DEFAULT = Preparation()


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The nodes and edges to build, and the recipe of their preparation.

    Attributes:
        nodes: The nodes of each table of the contract, enriched if requested.
        edges: The edges.
        aliases: Other names of the nodes.
        recipe: What was done to the texts.
        mapped: How many ids of each kind were no integers.
        contract: The contract of the nodes and edges.
        extraction: The summary of an extraction, if requested.
        notes: Messages for the operator.
        losses: What of the source is not among the records.
        draft: The draft of the contract, where none was given.
    """

    nodes: list[NodeColumns]
    edges: list[PairEdges]
    aliases: list[AliasRecord]
    recipe: Mapping[str, Any]
    mapped: Mapping[str, int]
    contract: Contract
    extraction: ExtractionSummary | None = None
    notes: tuple[str, ...] = ()
    losses: Losses = NO_LOSSES
    draft: GraphDraft | None = None


def prepare_source(
    source: Source,
    contract: Contract | None,
    rejects: Rejects,
    how: Preparation = DEFAULT,
    progress: Progress = ignore_progress,
) -> Prepared:
    """Read a source, and prepare its texts; without a contract one is drafted.

    Raises:
        SourceError: The source cannot be read, or contains no node that fits the contract.
        SettingsError: Extraction has no price, or no ceiling above its estimate.
        ModelError: The language model failed; its answers are stored.
    """
    columns, extraction = how.columns, how.extraction
    if extraction:
        require_apart(source, extraction.report)
    draft: GraphDraft | None = None
    if contract is None:
        columns = columns or ColumnMap()
    elif columns:
        require_fitting(columns, contract)
    is_joined = contract is None and how.choices.join
    with staged_source(source, rejects, columns, contract, progress, is_joined=is_joined) as staged:
        if contract is None:
            name = source_name(source)
            staged, draft = draft_graph(staged, name, how.choices, columns or ColumnMap(), rejects)
            contract = draft.contract
        records = records_of(staged, contract, rejects, progress)
    mapped_path = columns.aliases_path if columns else None
    rows = read_alias_rows(mapped_path or aliases_file(source), contract, rejects)
    rejects.flush()
    if not any(len(columns.ids) for columns in records.nodes):
        raise _no_nodes(source, contract, rejects)
    nodes, edges, recipe, summary = records.nodes, records.edges, dict[str, Any](), None
    if extraction:
        main_kind = columns.main_kind if columns else None
        found = [record for columns in nodes for record in columns.records()]
        joined = [record for part in edges for record in part.records()]
        extracted = extraction.run(found, joined, contract, main_kind, names_by_alias(rows))
        nodes = node_columns(contract, extracted.nodes)
        edges, summary = pair_edges(contract, extracted.edges), extracted.summary
        recipe |= extracted.recipe
    if how.enrich and (enrichment := enrichment_recipe(contract)):
        nodes = add_neighbors(nodes, edges, contract)
        recipe["enriched"] = enrichment
    aliases = resolve_aliases(rows, nodes, records.ids, rejects)
    rejects.flush()
    left_out = {name: dict(columns) for name, columns in records.columns.items()}
    losses = Losses(rejects.counts, records.cells, left_out)
    notes = (*_unread(source, mapped=columns is not None), *_notes(records))
    return Prepared(
        nodes, edges, aliases, recipe, records.mapped, contract, summary, notes, losses, draft
    )


def _unread(source: Source, *, mapped: bool) -> Iterator[str]:
    if names := unread_entries(source, mapped=mapped):
        more = f" (+{len(names) - MAX_SHOWN})" if len(names) > MAX_SHOWN else ""
        shown = ", ".join(names[:MAX_SHOWN])
        yield f"{source_name(source)}: not read, name each to load it: {shown}{more}."


def _notes(records: Records) -> Iterator[str]:
    for name, reason in records.left_out.items():
        yield f"{name} was not read, because {reason}."
    for name, columns in records.unused.items():
        if columns:
            yield f"{name}: columns not loaded: {', '.join(columns)}."
    yield from records.notes


def _no_nodes(source: Source, contract: Contract, rejects: Rejects) -> SourceError:
    counts = [f"{count:,} {reason}" for reason, count in rejects.counts.items()]
    rejected = f" ({', '.join(counts)})" if counts else ""
    name = source_name(source)
    problems = [f"{name} contains no node that matches the contract {contract.name}{rejected}."]
    problems += [f"{bad.file}:{bad.line}: {bad.message}" for bad in rejects.first[:1]]
    return SourceError(
        " ".join(problems),
        hint='Write one node per line as {"kind": ..., "id": ..., "name": ..., "content": ...}, '
        "map the columns of a table with --map, or load without a contract.",
    )
