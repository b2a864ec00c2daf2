"""Extraction: texts to nodes and edges, its report and its summary."""

import errno
import json
import os
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.errors import SourceError
from moviegraph.extraction.clusters import Mention
from moviegraph.extraction.entity_resolution import (
    ResolvedEntities,
    resolve_entities,
)
from moviegraph.extraction.mentions import (
    STAGE,
    Extracted,
    extract_mentions,
    questions_for,
    relations_of,
)
from moviegraph.extraction.question_runner import QuestionRunner
from moviegraph.extraction.questions import loading_prompt
from moviegraph.extraction.series import mentions_of_series
from moviegraph.text import plural

PROMPT = "extract_nodes"
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
        describe_all: The model also describes nodes that only one text names.
    """

    runner: QuestionRunner
    embedder: Embedder | None
    report: Path | None
    describe_all: bool = False

    def run(
        self,
        nodes: Sequence[NodeRecord],
        edges: Sequence[EdgeRecord],
        contract: Contract,
        kind: str | None = None,
        aliases: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    ) -> ExtractedGraph:
        """Return nodes and edges with those that the texts of a kind name.

        `aliases` are kind -> alias -> name.

        Raises:
            SourceError: The kind has no edge to fill, or the report cannot be written.
            SettingsError: The model may charge without a ceiling, or the estimate is above it.
            ModelError: The questions ended early, or none was answered; answers are stored.
        """
        with _open_report(self.report) as report:  # before anything is paid
            relations, prompt = relations_of(contract, kind), loading_prompt(PROMPT)
            questions = questions_for(nodes, relations, prompt, relations.vocabulary(nodes, edges))
            self.runner.require_budget(questions, STAGE)
            answers = extract_mentions(nodes, questions, relations, self.runner)
            answers.mentions += mentions_of_series(
                nodes, edges, relations, answers.mentions, self.runner
            )
            resolved = resolve_entities(
                answers.mentions,
                nodes,
                edges,
                contract,
                table=relations.kind,
                aliases=aliases,
                embedder=self.embedder,
                runner=self.runner,
                describe_all=self.describe_all,
            )
            answers.dropped |= resolved.dropped
            table = relations.kind.name
            names = {node.id: node.name for node in nodes if node.kind == table}
            for row in _report_rows(answers, resolved):
                head = {"kind": table, "id": row["id"], "title": names[row["id"]]}
                report.write(json.dumps(head | row) + "\n")
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


@contextmanager
def _open_report(path: Path | None) -> Generator[TextIO]:
    """Yield a draft of the report, which replaces an older one at the end; nothing on an error.

    Raises:
        SourceError: The file cannot be written.
    """
    if path is None:
        yield StringIO()
        return
    draft = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with draft.open("w", encoding="utf-8", newline="\n") as lines:
            yield lines
        draft.replace(path)
    except OSError as error:
        raise SourceError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Name a different file with --extracted.",
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink()


def _report_rows(answers: Extracted, resolved: ResolvedEntities) -> Iterator[dict[str, Any]]:
    for mention in answers.mentions:
        if node := resolved.became.get(mention):
            yield _row(mention, to=node.id, folded=node.name, evidence=mention.evidence)
    for mention, reason in answers.dropped.items():
        yield _row(mention, evidence=mention.evidence, dropped=reason)
    yield from ({"id": source, "failed": reason} for source, reason in answers.failed.items())


def _row(mention: Mention, **facts: Any) -> dict[str, Any]:
    return {"id": mention.source, "edge": mention.edge, "name": mention.name, **facts}


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
    silent = len(names.keys() - answers.failed.keys() - {m.source for m in resolved.became})
    evidence = _count(mention.edge for mention in answers.mentions)
    new_nodes = _count(node.kind for node in resolved.nodes)
    lines = [
        *_request_lines(runner),
        f"names with evidence: {evidence}; {silent:,} {kind} without names",
        f"new nodes: {new_nodes}; {plural(len(resolved.edges), 'new edge')}",
    ]
    if answers.dropped:
        lines.insert(-1, f"names dropped: {_count(mention.edge for mention in answers.dropped)}")
    if any(resolved.merged.values()):
        lines.append(f"names merged by the model: {_count(Counter(resolved.merged).elements())}")
    return ExtractionSummary(
        tuple(lines), tuple(runner.notes), tuple(failures[:MAX_SHOWN]), len(failures), runner.open
    )


def _request_lines(runner: QuestionRunner) -> Iterator[str]:
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


def _count(kinds: Iterable[str]) -> str:
    counts = Counter(kinds)
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "none"
