"""Preparation of a source: texts cleaned, extracted from and enriched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moviegraph.contract.model import Cleaning, Contract
from moviegraph.contract.validation import NAME, SentencePattern, folded
from moviegraph.engines.embedded.graph_builder import Progress, ignore_progress
from moviegraph.engines.graph_records import AliasRecord, EdgeRecord, NodeRecord
from moviegraph.errors import SourceError
from moviegraph.loading.aliases import read_alias_rows, resolve_aliases, with_aliases
from moviegraph.loading.column_map import ColumnMap
from moviegraph.loading.rejects import Rejects
from moviegraph.loading.source_graph import Records, read_records
from moviegraph.loading.source_records import aliases_file, is_source_file

if TYPE_CHECKING:
    from moviegraph.extraction.extractor import Extraction, ExtractionSummary

_END = re.compile(
    r"""(?<=[.!?])["'\u201d\u2019)\]]*+(?:\s++(?=["'\u201c\u2018(\[]?[^\W_a-z])|\Z)|\n\s*+"""
)
_LAST_WORD = re.compile(r"(?:^|[\s(\"'\u201c\u2018.-])(\w{1,5})\.$")
_SHORT = frozenset(
    "Mr Mrs Ms Dr St Sgt Lt Col Gen Capt Prof Rev Hon Gov Sen No vs Wm Chas Geo".split()
)
_BEGINNING = re.compile(r"(?:The|A|An|It|Its|He|His|She|Her|They|Their|This|In|When|After|But)\b")
_LONGEST_WORD = 7


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence, the blanks after it included; together, the text.

    An initial or a title ("Samuel L. Jackson", "Dr. Jones") ends none, unless a word follows that
    begins sentences; what is in doubt is cut, so that no sentence holds more than one.
    """
    start = 0
    for end in _END.finditer(text):
        if end.end() < len(text) and _is_abbreviation(text, end):
            continue
        if end.end() > start:
            yield start, end.end()
            start = end.end()
    if start < len(text):
        yield start, len(text)


def _is_abbreviation(text: str, end: re.Match[str]) -> bool:
    if "\n" in end[0]:
        return False
    word = _LAST_WORD.search(text, max(0, end.start() - _LONGEST_WORD), end.start())
    if word is None:
        return False
    if word[1] in _SHORT:
        return True
    return len(word[1]) == 1 and word[1].isupper() and not _BEGINNING.match(text, end.end())


LEAST_WORDS = 12
LONGEST = 2_000
CLEANING_FORM = (
    "sentences that match a pattern are omitted, unless a word keeps them or too little text "
    "remains"
)


class _Cleaner:
    def __init__(self, cleaning: Cleaning) -> None:
        self._drop = [SentencePattern(each) for each in cleaning.drop]
        kept = [re.escape(folded(each)) for each in cleaning.keep]
        self._keep = re.compile(f" (?:{'|'.join(kept)}) ") if kept else None

    def clean(self, text: str, name: str) -> str:
        """Return the text without its boilerplate; as it is, where too little would be left."""
        parts = [text[start:end] for start, end in sentences(text)]
        stays = [part for part in parts if not self._is_boilerplate(part, name)]
        if len(stays) == len(parts):
            return text
        left = "".join(stays).strip()
        return left if len(left.split()) >= LEAST_WORDS else text

    def _is_boilerplate(self, sentence: str, name: str) -> bool:
        if len(sentence) > LONGEST:
            return False
        words = f" {folded(sentence)} "
        if self._keep and self._keep.search(words):
            return False
        words = words.replace(f" {name} ", f" {NAME} ") if name else words
        return any(pattern.fits(words) for pattern in self._drop)


def cleaning(contract: Contract) -> Mapping[str, Any] | None:
    """Return what `cleaned` does under a contract, for the recipe; None if nothing."""
    of_tables = {
        node.name: {"drop": list(node.clean.drop), "keep": list(node.clean.keep)}
        for node in contract.nodes
        if node.clean
    }
    if not of_tables:
        return None
    return {"form": CLEANING_FORM, "least_words": LEAST_WORDS, "tables": of_tables}


def cleaned(
    nodes: Sequence[NodeRecord], contract: Contract
) -> tuple[list[NodeRecord], Mapping[str, int]]:
    """Return the nodes without boilerplate in their texts, and how many of a kind were changed."""
    cleaners = {node.name: _Cleaner(node.clean) for node in contract.nodes if node.clean}
    cleaned = [_clean(node, cleaners.get(node.kind)) for node in nodes]
    changed = Counter(new.kind for old, new in zip(nodes, cleaned, strict=True) if new is not old)
    return cleaned, dict(changed)


def _clean(node: NodeRecord, cleaner: _Cleaner | None) -> NodeRecord:
    text = cleaner.clean(node.content, folded(node.name)) if cleaner else node.content
    return node if text == node.content else replace(node, content=text)


MOST = 20
ENRICHMENT_FORM = "text ends with one line: KIND: NAME, NAME; KIND: NAME."
Key = tuple[str, int]


def enrichment(contract: Contract) -> Mapping[str, Any] | None:
    """Return what `enriched` does under a contract, for the recipe; None if nothing."""
    edges = [edge.name for edge in contract.edges if edge.in_text]
    return {"form": ENRICHMENT_FORM, "edges": edges, "most": MOST} if edges else None


def enriched(
    nodes: Sequence[NodeRecord], edges: Iterable[EdgeRecord], contract: Contract
) -> list[NodeRecord]:
    """Return the nodes, the names of their neighbours in their texts where the contract says so.

    Names stand in the order of the edges, at most `MOST` of a kind.
    """
    lines = _lines(nodes, edges, contract)
    return [
        _ended(node, lines[node.kind, node.id]) if (node.kind, node.id) in lines else node
        for node in nodes
    ]


def _lines(
    nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord], contract: Contract
) -> dict[Key, str]:
    names = {(node.kind, node.id): node.name.strip() for node in nodes}
    spelt = {node.name.lower(): node.name for node in contract.nodes}
    kinds = {
        edge.name: [
            (spelt[pair.from_table.lower()], spelt[pair.to_table.lower()]) for pair in edge.pairs
        ]
        for edge in contract.edges
        if edge.in_text
    }
    values: dict[Key, dict[str, dict[str, None]]] = {}
    for edge in edges:
        if edge.kind in kinds:
            start, end = kinds[edge.kind][edge.pair]
            of_node = values.setdefault((start, edge.source), {})
            of_node.setdefault(end, {})[names[end, edge.target]] = None
    order = list(dict.fromkeys(end for pairs in kinds.values() for _, end in pairs))
    return {key: _line(order, of_node) for key, of_node in values.items()}


def _line(order: list[str], names: Mapping[str, Iterable[str]]) -> str:
    parts = [f"{kind}: {', '.join(list(names[kind])[:MOST])}" for kind in order if kind in names]
    return "; ".join(parts) + "."


def _ended(node: NodeRecord, line: str) -> NodeRecord:
    text = node.content.rstrip()
    return node if text.endswith(line) else replace(node, content=f"{text}\n{line}")


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
        cleaned: How many texts lost sentences of boilerplate, by kind.
        extraction: What a language model read in the texts, if it was asked.
        notes: What the operator should know of the source, one sentence each.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    aliases: list[AliasRecord]
    recipe: Mapping[str, Any]
    mapped: Mapping[str, int]
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
    nodes, edges, recipe, error = records.nodes, records.edges, dict[str, Any](), None
    changed: Mapping[str, int] = {}
    if how.clean and (patterns := cleaning(contract)):
        nodes, changed = cleaned(nodes, contract)
        recipe["cleaned"] = patterns
    if how.extraction:
        main = how.columns.main_kind if how.columns else None
        joined = how.extraction.run(nodes, edges, with_aliases(contract, rows), main)
        nodes, edges, error = joined.nodes, joined.edges, joined.summary
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
        changed,
        error,
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
    errors = [f"{each.file}:{each.line}: {each.message}" for each in rejects.first[:1]]
    return SourceError(
        " ".join(
            [f"{source} contains no node that matches the contract {contract.name}{why}.", *errors]
        ),
        hint='Write one node per line as {"kind": ..., "id": ..., "name": ..., "content": ...}, '
        "or map the columns of a table with --column or --map.",
    )
