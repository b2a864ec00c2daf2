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
from moviegraph.extraction.entity_resolution import (
    ResolvedEntities,
    resolve_entities,
)
from moviegraph.extraction.mentions import Extracted, extract_mentions, questions_for, relations_of
from moviegraph.extraction.question_runner import QuestionRunner, loading_prompt
from moviegraph.llm.language_model import TokenUsage
from moviegraph.text import plural

PROMPT = "extract_nodes"
FOLLOWING = TokenUsage(2, 1_400, 300)  # of a text for each list: merging and describing names
MAX_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ExtractionSummary:
    """What an extraction did.

    Attributes:
        lines: Its result, one message each.
        notes: What was not done, and why.
        failures: The first texts with a failed question.
        failed: How many there are of these.
        open: How many questions about the names were not answered, or not asked.
    """

    lines: tuple[str, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]
    failed: int
    open: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ExtractedGraph:
    """The loaded nodes and edges, and those that texts name.

    Attributes:
        nodes: All nodes.
        edges: All edges.
        recipe: How the new ones were made.
        summary: The numbers of the extraction.
    """

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    recipe: Mapping[str, Any]
    summary: ExtractionSummary


@dataclass(frozen=True, slots=True)
class Extraction:
    """Extracts from texts.

    Attributes:
        runner: The language model, with its stored answers and its costs.
        embedder: Compares names by meaning, if there is one.
        report: The file that states what was extracted from what, or None.
        announce: Called with the estimate before the first question.
    """

    runner: QuestionRunner
    embedder: Embedder | None
    report: Path | None
    announce: Callable[[str], None]

    def run(
        self,
        nodes: Sequence[NodeRecord],
        edges: Sequence[EdgeRecord],
        contract: Contract,
        kind: str | None = None,
    ) -> ExtractedGraph:
        """Return nodes and edges with those that the texts of a kind name.

        Raises:
            SourceError: The kind has no edge to fill, or the report cannot be written.
            SettingsError: The price is not known, or the estimate is above the ceiling.
            ModelError: The questions ended early, or none was answered; answers are stored.
        """
        if self.report:
            require_writable(self.report)  # before anything is paid
        relations, prompt = relations_of(contract, kind), loading_prompt(PROMPT)
        questions = questions_for(nodes, relations, prompt, relations.vocabulary(nodes, edges))
        following = sum([FOLLOWING] * len(relations.edges), start=TokenUsage())
        estimate = self.runner.estimate(questions, following)
        self.announce(estimate.message(self.runner.name))
        self.runner.costs.require_budget(estimate, self.runner.name)
        answers = extract_mentions(nodes, questions, relations, self.runner)
        resolved = resolve_entities(
            answers.mentions,
            nodes,
            edges,
            contract,
            table=relations.kind,
            embedder=self.embedder,
            runner=self.runner,
        )
        answers.dropped.extend(resolved.dropped)
        table = relations.kind.name
        names = {node.id: node.name for node in nodes if node.kind == table}
        if self.report:
            write_report(self.report, table, answers, names, resolved.became)
        recipe = {
            "model": self.runner.name,
            "prompt": prompt.version,
            "edges": [edge.name for edge in relations.edges],
        }
        return ExtractedGraph(
            [*nodes, *resolved.nodes],
            [*edges, *resolved.edges],
            {"extracted": recipe},
            _summary(self.runner, table, answers, names, resolved),
        )


def report_beside(target: Path) -> Path:
    """Return the file of the report on a graph folder: next to it."""
    target = target.absolute()
    return target.with_name(f"{target.name}.extracted.jsonl")


def require_writable(path: Path) -> None:
    """Raise SourceError unless the report can be written; an older one stays as it is."""
    draft = _draft_of(path)
    with _writing(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        draft.open("w").close()
        draft.unlink()


def write_report(
    path: Path,
    kind: str,
    answers: Extracted,
    names: Mapping[int, str],
    became: Mapping[Mention, NodeRecord],
) -> None:
    """Write the report, which replaces an older one.

    Args:
        path: The file.
        kind: The kind of nodes whose texts were read.
        answers: What they name.
        names: Names of these nodes, by id.
        became: The node of each mention.

    Raises:
        SourceError: The file cannot be written.
    """
    draft = _draft_of(path)
    with _writing(path):
        with draft.open("w", encoding="utf-8", newline="\n") as lines:
            for row in _rows(answers, became):
                head = {"kind": kind, "id": row["id"], "title": names[row["id"]]}
                lines.write(json.dumps(head | row) + "\n")
        draft.replace(path)


def _draft_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


@contextmanager
def _writing(path: Path) -> Generator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise SourceError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Name a different file with --extracted.",
        ) from error


def _rows(answers: Extracted, became: Mapping[Mention, NodeRecord]) -> Iterator[dict[str, Any]]:
    for mention in answers.mentions:
        if node := became.get(mention):
            result = {"to": node.id, "folded": node.name, "evidence": mention.evidence}
            yield _head(mention) | result
    for dropped in answers.dropped:
        result = {"evidence": dropped.mention.evidence, "dropped": dropped.reason}
        yield _head(dropped.mention) | result
    yield from ({"id": source, "failed": reason} for source, reason in answers.failed.items())


def _head(mention: Mention) -> dict[str, Any]:
    return {"id": mention.source, "edge": mention.edge, "name": mention.name}


def _summary(
    runner: QuestionRunner,
    kind: str,
    answers: Extracted,
    names: Mapping[int, str],
    resolved: ResolvedEntities,
) -> ExtractionSummary:
    failures = [
        f"{kind} {source} ({names[source]}): {reason}" for source, reason in answers.failed.items()
    ]
    return ExtractionSummary(
        tuple(_lines(runner, kind, answers, resolved)),
        resolved.notes,
        tuple(failures[:MAX_SHOWN]),
        len(failures),
        resolved.open,
    )


def _lines(
    runner: QuestionRunner, kind: str, answers: Extracted, resolved: ResolvedEntities
) -> Iterator[str]:
    for stage, tally in runner.tallies.items():
        if tally.total():
            yield (
                f"{stage}: {plural(tally['answered'], 'request')} answered, {tally['stored']:,} "
                f"already answered, {tally['failed']:,} failed"
            )
    usage, dollars = runner.costs.usage, runner.costs.dollars
    price = f", ${dollars:,.4f}" if dollars else ""
    estimated = f" (estimated for {usage.silent:,})" if usage.silent else ""
    tokens = f"{plural(usage.prompt, 'token')} in, {usage.completion:,} out"
    yield f"{runner.name}: {tokens}{estimated}{price}"
    mentions = Counter(mention.edge for mention in answers.mentions)
    silent = len(answers.read - {mention.source for mention in resolved.became})
    yield f"names with evidence: {_listed(mentions)}; {silent:,} {kind} without names"
    if answers.dropped:
        dropped = Counter(item.mention.edge for item in answers.dropped)
        yield f"names dropped: {_listed(dropped)}"
    new_nodes = Counter(node.kind for node in resolved.nodes)
    yield f"new nodes: {_listed(new_nodes)}; {plural(len(resolved.edges), 'new edge')}"
    if merged := {name: count for name, count in resolved.merged.items() if count}:
        yield f"names merged by the model: {_listed(merged)}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "none"
