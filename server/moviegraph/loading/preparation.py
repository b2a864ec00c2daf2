"""Reads a source and prepares its texts: what a graph folder and a database are both made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.engines.graph_records import AliasRecord, EdgeRecord, NodeRecord
from moviegraph.errors import SourceError
from moviegraph.loading.aliases import read_alias_rows, resolve_aliases, with_aliases
from moviegraph.loading.clean import cleaned, cleaning
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.enrich import enriched, enrichment
from moviegraph.loading.extraction.extraction import Extraction
from moviegraph.loading.extraction.summary import ExtractionSummary
from moviegraph.loading.rejects import Rejects
from moviegraph.loading.source import aliases_file, is_source_file
from moviegraph.loading.source_records import Records, read_records


@dataclass(frozen=True, slots=True)
class Preparation:
    """How a source is read, and what is done to its texts.

    Attributes:
        clean: Leave out of texts what the contract calls boilerplate.
        enrich: Let texts end with a line of names, where the contract says so.
        columns: How the columns of a person's own tables are meant.
        extraction: Lets a language model read in the texts what they name.
    """

    clean: bool = True
    enrich: bool = True
    columns: ColumnMap | None = None
    extraction: Extraction | None = None


USUAL = Preparation()


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What is built: nodes, edges, and the recipe of what was done to them.

    Attributes:
        nodes: The nodes, cleaned and enriched where that was asked for.
        edges: The edges.
        aliases: Other names of the nodes.
        recipe: What was done to the texts.
        mapped: How many ids of each kind were no integers.
        ignored: How many nodes had a field without a column, by field.
        cleaned: How many texts lost sentences of boilerplate, by kind.
        extraction: What a language model read in the texts, if it was asked.
        notes: What the operator should know of the source, one sentence each.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    aliases: list[AliasRecord]
    recipe: Mapping[str, Any]
    mapped: Mapping[str, int]
    ignored: Mapping[str, int]
    cleaned: Mapping[str, int]
    extraction: ExtractionSummary | None = None
    notes: tuple[str, ...] = ()


def prepare(
    source: Path,
    contract: Contract,
    rejects: Rejects,
    how: Preparation = USUAL,
    progress: Progress = ignore_progress,
) -> Prepared:
    """Read a source, and prepare its texts: cleaned first, so that evidence stands in what is kept.

    Raises:
        SourceError: The source cannot be read, or holds no node that fits the contract.
        SettingsError: Extraction has no price, or no ceiling that it stays below.
        ModelError: The language model failed; what it answered is kept.
    """
    if how.extraction:
        check_apart(source, how.extraction.report)
    records = read_records(source, contract, rejects, progress, how.columns)
    named = how.columns.aliases_path if how.columns else None
    rows = read_alias_rows(named or aliases_file(source), contract, rejects)
    rejects.flush()
    if not records.nodes:
        raise _nothing(source, contract, rejects)
    nodes, edges, recipe, told = records.nodes, records.edges, dict[str, Any](), None
    changed: Mapping[str, int] = {}
    if how.clean and (patterns := cleaning(contract)):
        nodes, changed = cleaned(nodes, contract)
        recipe["cleaned"] = patterns
    if how.extraction:
        main = how.columns.main_kind if how.columns else None
        joined = how.extraction.run(nodes, edges, with_aliases(contract, rows), main)
        nodes, edges, told = joined.nodes, joined.edges, joined.summary
        recipe |= joined.recipe
    if how.enrich and (line := enrichment(contract)):
        nodes, recipe = enriched(nodes, edges, contract), recipe | {"enriched": line}
    aliases = resolve_aliases(rows, nodes, records.ids, contract, rejects)
    rejects.flush()
    return Prepared(
        nodes,
        edges,
        aliases,
        recipe,
        records.mapped,
        records.ignored,
        changed,
        told,
        tuple(_notes(records)),
    )


def _notes(records: Records) -> Iterator[str]:
    for name in records.left_out:
        yield f"{name} was not read, because the map does not name it."
    for name, columns in records.unused.items():
        if columns:
            yield f"{name}: columns not loaded: {', '.join(columns)}."


def check_apart(source: Path, written: Path | None) -> None:
    """Refuse a file to write that would be read, or overwritten, as a part of the source."""
    if written is None:
        return
    beside = source.is_dir() and written.absolute().parent.resolve() == source.resolve()
    if (beside and is_source_file(written)) or written.resolve() == source.resolve():
        raise SourceError(
            f"The output file {written.name} would become part of the source.",
            hint="Write it to a different folder, or change its extension, such as to .txt.",
        )


def _nothing(source: Path, contract: Contract, rejects: Rejects) -> SourceError:
    counts = [f"{count:,} {reason}" for reason, count in rejects.counts.items()]
    why = f" ({', '.join(counts)})" if counts else ""
    told = [f"{each.file}:{each.line}: {each.message}" for each in rejects.first[:1]]
    return SourceError(
        " ".join(
            [f"{source} contains no node that matches the contract {contract.name}{why}.", *told]
        ),
        hint='Write one node per line as {"kind": ..., "id": ..., "name": ..., "content": ...}, '
        "or map the columns of a table with --column or --map.",
    )
