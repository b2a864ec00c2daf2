"""Lets a language model read in the texts what they name, and joins it to what was loaded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.llm.language_model import TokenUsage
from moviegraph.loading.extraction.answering import NotedQuestions
from moviegraph.loading.extraction.asking import Asker, Question
from moviegraph.loading.extraction.budget import require_budget
from moviegraph.loading.extraction.fold import Folded, fold
from moviegraph.loading.extraction.mentions import Extracted, extracted, questions_for
from moviegraph.loading.extraction.prompt import LoadingPrompt, loading_prompt
from moviegraph.loading.extraction.relations import Relations, relations_of
from moviegraph.loading.extraction.report import require_writable, write_report
from moviegraph.loading.extraction.summary import ExtractionSummary, summary_of

PROMPT = "extract_nodes"
FOLLOWING = TokenUsage(2, 1_400, 300)  # of a text for each list: is a name like another, what is it


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
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

    asker: Asker
    embedder: Embedder | None
    report: Path | None
    tell: Callable[[str], None]

    def run(
        self,
        nodes: Sequence[NodeRecord],
        edges: Sequence[EdgeRecord],
        contract: Contract,
        kind: str | None = None,
    ) -> Joined:
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
        found = extracted(nodes, questions, relations, self.asker)
        self._tell_following(found, nodes, edges, contract)
        folded = fold(
            found.mentions, nodes, edges, contract, embedder=self.embedder, asker=self.asker
        )
        found.dropped.extend(folded.dropped)
        return self._joined(nodes, edges, relations, prompt, found, folded)

    def _require_budget(self, questions: Sequence[Question[Any]], lists: int) -> None:
        following = sum([FOLLOWING] * lists, start=TokenUsage())
        estimate = self.asker.estimate(questions, following)
        self.tell(estimate.told(self.asker.name))
        require_budget(estimate, self.asker.spending, self.asker.name)

    def _tell_following(
        self,
        found: Extracted,
        nodes: Sequence[NodeRecord],
        edges: Sequence[EdgeRecord],
        contract: Contract,
    ) -> None:
        """Say what the names in the answers will take, as if none of them were merged."""
        noted = NotedQuestions()
        fold(found.mentions, nodes, edges, contract, asker=noted)
        estimate = self.asker.estimate(noted.questions)
        if estimate.questions:
            self.tell(estimate.told_of_names(self.asker.name))
        left = self.asker.spending.left
        if left is not None and (estimate.dollars or 0.0) > left:
            self.tell(
                f"--max-cost leaves ${left:,.2f}: it pays for merging names first, then for "
                "descriptions of nodes. The other nodes keep the words that name them."
            )

    def _joined(
        self,
        nodes: Sequence[NodeRecord],
        edges: Sequence[EdgeRecord],
        relations: Relations,
        prompt: LoadingPrompt,
        found: Extracted,
        folded: Folded,
    ) -> Joined:
        kind = relations.kind.name
        names = {node.id: node.name for node in nodes if node.kind == kind}
        if self.report:
            write_report(self.report, kind, found, names, folded.became)
        recipe = {
            "model": self.asker.name,
            "prompt": prompt.version,
            "edges": [edge.name for edge in relations.edges],
        }
        return Joined(
            [*nodes, *folded.nodes],
            [*edges, *folded.edges],
            {"extracted": recipe},
            summary_of(self.asker, kind, found, names, folded),
        )
