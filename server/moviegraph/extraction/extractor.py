"""Extraction: texts to nodes and edges, its report and its summary."""

import errno
import json
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.errors import SourceError
from moviegraph.extraction.clusters import Mention
from moviegraph.extraction.costs import require_budget
from moviegraph.extraction.entity_resolution import FoldedName, ResolvedEntities, resolve_entities
from moviegraph.extraction.mentions import Extracted, extracted, questions_for
from moviegraph.extraction.question_runner import Question, QuestionRunner, Tally
from moviegraph.extraction.relation_schema import (
    LoadingPrompt,
    Relations,
    loading_prompt,
    relations_of,
)
from moviegraph.llm.language_model import TokenUsage
from moviegraph.text import plural

Row = dict[str, Any]


def report_beside(target: Path) -> Path:
    """Return the file of the report on a graph folder: beside it."""
    target = target.absolute()
    return target.with_name(f"{target.name}.extracted.jsonl")


def require_writable(path: Path) -> None:
    """Raise SourceError unless the report can be written; an older one stays as it is."""
    place = _place(path)
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        place.open("w").close()
        place.unlink()


def write_report(
    path: Path,
    kind: str,
    extracted: Extracted,
    names: Mapping[int, str],
    became: Mapping[Mention, FoldedName],
) -> None:
    """Write the report, in the place of an older one.

    Args:
        path: The file.
        kind: The kind of nodes that were read.
        extracted: What they name.
        names: Names of these nodes, by id.
        became: The node of each mention that was taken over.

    Raises:
        SourceError: The file cannot be written.
    """
    place = _place(path)
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with place.open("w", encoding="utf-8", newline="\n") as lines:
            for row in _rows(extracted, became):
                head = {"kind": kind, "id": row["id"], "title": names[row["id"]]}
                lines.write(json.dumps(head | row) + "\n")
        place.replace(path)


def _place(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


@contextmanager
def _told(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise SourceError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Name a different file with --extracted.",
        ) from error


def _rows(extracted: Extracted, became: Mapping[Mention, FoldedName]) -> Iterator[Row]:
    for each in extracted.mentions:
        if node := became.get(each):
            row: Row = {"id": each.source, "edge": each.edge, "name": each.name}
            yield row | {"to": node.id, "folded": node.name, "evidence": each.evidence}
    for each in extracted.dropped:
        row = {"id": each.source, "edge": each.edge, "name": each.name}
        yield row | {"evidence": each.evidence, "dropped": each.why}
    yield from ({"id": each, "failed": why} for each, why in extracted.failed.items())


SHOWN = 5


@dataclass(frozen=True, slots=True)
class ExtractionSummary:
    """What an extraction did.

    Attributes:
        lines: Its result, a sentence each.
        notes: What was left undone, and why.
        failures: The first texts whose questions failed.
        failed: How many these were.
        open: How many questions on the names in the answers were not answered, or not asked.
    """

    lines: tuple[str, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]
    failed: int
    open: int = 0


def summary_of(
    asker: QuestionRunner,
    kind: str,
    extracted: Extracted,
    names: Mapping[int, str],
    folded: ResolvedEntities,
) -> ExtractionSummary:
    """Return the numbers of an extraction.

    Args:
        asker: What was asked.
        kind: The kind of nodes that were read.
        extracted: What they name.
        names: Names of these nodes, by id.
        folded: What became of the names.
    """
    lines = (*_asked(asker), *_found(kind, extracted), *_folded(folded))
    failures = [f"{kind} {each} ({names[each]}): {why}" for each, why in extracted.failed.items()]
    shown = tuple(failures[:SHOWN])
    return ExtractionSummary(lines, folded.notes, shown, len(failures), folded.open)


def _asked(asker: QuestionRunner) -> Iterator[str]:
    for stage, tally in asker.tallies.items():
        if tally != Tally():
            yield (
                f"{stage}: {plural(tally.answered, 'request')} answered, {tally.kept:,} "
                f"already answered, {tally.failed:,} failed"
            )
    usage, dollars = asker.spending.usage, asker.spending.dollars
    price = f", ${dollars:,.4f}" if dollars else ""
    guessed = f" (estimated for {usage.silent:,})" if usage.silent else ""
    tokens_text = f"{plural(usage.prompt, 'token')} in, {usage.completion:,} out"
    yield f"{asker.name}: {tokens_text}{guessed}{price}"


def _found(kind: str, extracted: Extracted) -> Iterator[str]:
    kept = Counter(each.edge for each in extracted.mentions)
    yield f"names with evidence: {_listed(kept)}; {extracted.silent:,} {kind} without names"
    if extracted.dropped:
        yield f"names dropped: {_listed(extracted.dropped_of)}"


def _folded(folded: ResolvedEntities) -> Iterator[str]:
    node_counts = Counter(node.kind for node in folded.nodes)
    merged = {kind: count for kind, count in folded.merged.items() if count}
    yield f"new nodes: {_listed(node_counts)}; {plural(len(folded.edges), 'new edge')}"
    if merged:
        yield f"names merged by the model: {_listed(merged)}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "none"


PROMPT = "extract_nodes"
FOLLOWING = TokenUsage(2, 1_400, 300)  # of a text for each list: is a name like another, what is it


@dataclass(frozen=True, slots=True, eq=False)
class ExtractedGraph:
    """What was loaded, and what its texts name.

    Attributes:
        nodes: All nodes.
        edges: All edges.
        recipe: How the new ones were made.
        summary: What happened, in numbers.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    recipe: Mapping[str, Any]
    summary: ExtractionSummary


@dataclass(frozen=True, slots=True)
class Extraction:
    """What reads the texts.

    Attributes:
        asker: The language model, with what was answered, and what it may cost.
        embedder: Compares names by meaning, if there is one.
        report: The file that says what was extracted from what, if one is wanted.
        tell: Called with the estimate before the first question.
    """

    asker: QuestionRunner
    embedder: Embedder | None
    report: Path | None
    tell: Callable[[str], None]

    def run(
        self,
        nodes: Sequence[NodeRecord],
        edges: Sequence[EdgeRecord],
        contract: Contract,
        kind: str | None = None,
    ) -> ExtractedGraph:
        """Return nodes and edges with what the texts of a kind name.

        Raises:
            SourceError: The kind has no edge to fill, or the report cannot be written.
            SettingsError: The price is not known, or the estimate is above the ceiling.
            ModelError: The asking ended early, or nothing was answered; what was is kept.
        """
        if self.report:
            require_writable(self.report)  # before anything is paid
        relations, prompt = relations_of(contract, kind), loading_prompt(PROMPT)
        hint = relations.vocabulary(nodes, edges)
        questions = questions_for(nodes, relations, prompt, hint)
        self._require_budget(questions, len(relations.edges))
        answers = extracted(nodes, questions, relations, self.asker)
        folded = resolve_entities(
            answers.mentions, nodes, edges, contract, embedder=self.embedder, asker=self.asker
        )
        answers.dropped.extend(folded.dropped)
        return self._joined(nodes, edges, relations, prompt, answers, folded)

    def _require_budget(self, questions: Sequence[Question[Any]], lists: int) -> None:
        following = sum([FOLLOWING] * lists, start=TokenUsage())
        estimate = self.asker.estimate(questions, following)
        self.tell(estimate.told(self.asker.name))
        require_budget(estimate, self.asker.spending, self.asker.name)

    def _joined(
        self,
        nodes: Sequence[NodeRecord],
        edges: Sequence[EdgeRecord],
        relations: Relations,
        prompt: LoadingPrompt,
        extracted: Extracted,
        folded: ResolvedEntities,
    ) -> ExtractedGraph:
        kind = relations.kind.name
        names = {node.id: node.name for node in nodes if node.kind == kind}
        if self.report:
            write_report(self.report, kind, extracted, names, folded.became)
        recipe = {
            "model": self.asker.name,
            "prompt": prompt.version,
            "edges": [edge.name for edge in relations.edges],
        }
        return ExtractedGraph(
            [*nodes, *folded.nodes],
            [*edges, *folded.edges],
            {"extracted": recipe},
            summary_of(self.asker, kind, extracted, names, folded),
        )
