"""Names in texts: the relations that are extracted, and the evidence that keeps a name."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.embeddings.embedder import text_chunks
from moviegraph.engines.graph_records import EdgeRecord, NodeRecord
from moviegraph.errors import ModelError, SourceError
from moviegraph.extraction.clusters import Mention, purpose
from moviegraph.extraction.question_runner import QuestionRunner
from moviegraph.extraction.questions import LoadingPrompt, Question
from moviegraph.names import fold_evidence, fold_quotes
from moviegraph.sql.contains import STOP_WORDS, split_words

MAX_NAMES = 12
MAX_VOCABULARY = 60
MIN_USE = 3


class Named(BaseModel):
    """A name with its evidence."""

    model_config = ConfigDict(title="Named")

    name: str
    evidence: str


@dataclass(frozen=True)
class Relations:
    """The edges from one kind of nodes to others that a model fills."""

    contract: Contract
    kind: NodeTable
    edges: tuple[Connection, ...]

    @cached_property
    def shape(self) -> type[BaseModel]:
        """The form of an answer: a list of names for each edge, all required."""
        fields: dict[str, Any] = {
            f"edge_{at}": (list[Named], Field(alias=edge.name, description=purpose(edge.meaning)))
            for at, edge in enumerate(self.edges)
        }
        return create_model("Extraction", **fields)

    def named(self, answer: BaseModel) -> Iterator[tuple[Connection, Named]]:
        """Yield the names in an answer."""
        for at, edge in enumerate(self.edges):
            relations: list[Named] = getattr(answer, f"edge_{at}")
            yield from ((edge, relation) for relation in relations)

    def values(self) -> dict[str, str]:
        """Return their values for the prompt."""
        return {
            "title": self.contract.title,
            "description": _first_sentence(self.contract.description),
            "kind": self.kind.name,
            "kind_description": purpose(self.kind.description),
            "lists": "\n".join(map(self._line, self.edges)),
            "most": str(MAX_NAMES),
        }

    def target(self, edge: Connection) -> NodeTable:
        """Return the kind that an edge points to."""
        node_table = self.contract.node(edge.to_table)
        assert node_table is not None, "the contract is checked when it is read"
        return node_table

    def vocabulary(self, nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord]) -> str:
        """Return the names of those kinds that seem to be complete, or nothing.

        These are kinds with few nodes that are used often, such as genres.
        """
        used = Counter(edge.kind for edge in edges)
        names: dict[str, list[str]] = {}
        for node in nodes:
            names.setdefault(node.kind, []).append(node.name)
        lines: list[str] = []
        for edge in self.edges:
            target_names = names.get(self.target(edge).name, [])
            is_used = used[edge.name] >= MIN_USE * len(target_names)
            if 0 < len(target_names) <= MAX_VOCABULARY and is_used:
                lines.append(f"- {edge.name}: {', '.join(sorted(target_names))}")
        head = "Names that are in use already; take one of them where it fits:"
        return "\n".join((head, *lines)) if lines else ""

    def _line(self, edge: Connection) -> str:
        target = self.target(edge)
        meaning, kind = purpose(edge.meaning).rstrip("."), purpose(target.description)
        return f"- `{edge.name}` ({meaning}): names of {target.name}. {kind}"


def _first_sentence(text: str) -> str:
    """Return the first sentence; those after it describe how the records are stored."""
    return re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]


def relations_of(contract: Contract, kind: str | None) -> Relations:
    """Return the relations extracted from the nodes of a kind, by default the contract's first.

    Raises:
        SourceError: No edge leads from it to another kind.
    """
    table = contract.node(kind or "") or contract.nodes[0]
    leaving = [
        edge
        for _, edge in contract.targets_from(table.name).values()
        if edge.to_table.lower() != table.name.lower()
    ]
    if not leaving:
        raise SourceError(
            f"No edge of the contract {contract.name} connects {table.name} with a different "
            "kind, so there is nothing to extract.",
            hint="Load without --extract, or set a different kind in the column map.",
        )
    return Relations(contract, table, tuple(leaving))


BLANKS = re.compile(r"\s+")
ENDS = " \"'.,;:!?()[]-"
MIN_LETTERS = 3
MIN_SIGNS = 2
MAX_EVIDENCE_CHARS = 400


class EvidenceText:
    """Texts that evidence is searched in; none reaches from one into the next."""

    def __init__(self, *texts: str) -> None:
        self._text = " \0 ".join(BLANKS.sub(" ", text).strip() for text in texts)
        self._plain = fold_quotes(self._text)

    def span(self, evidence: str, name: str = "") -> str | None:
        """Return the words of the text that are the evidence, verbatim.

        None where they are not there as full words, are too few or too common to show anything,
        or too many to show something; the name itself may be shorter.
        """
        phrase = fold_evidence(evidence).strip(ENDS)
        if not phrase or len(phrase) > MAX_EVIDENCE_CHARS:
            return None
        if not _is_informative(phrase) and phrase != fold_evidence(name).strip(ENDS):
            return None
        position = self._place(phrase)
        return None if position is None else self._verbatim(position, position + len(phrase))

    def shares_word(self, name: str) -> bool:
        """Return whether the text has a word of a name; all of it if its words are common."""
        full_name = fold_evidence(name).strip(ENDS)
        words = [word for word in split_words(full_name) if word not in STOP_WORDS]
        return any(word and self._place(word) is not None for word in words or [full_name])

    def _place(self, phrase: str) -> int | None:
        at = self._plain.find(phrase)
        while at >= 0:
            if not (self._splits_word(at) or self._splits_word(at + len(phrase))):
                return at
            at = self._plain.find(phrase, at + 1)
        return None

    def _splits_word(self, at: int) -> bool:
        """Return whether a position is within a word; scripts without case may write no spaces."""
        pair = self._plain[max(at - 1, 0) : at + 1]
        return at > 0 and len(pair) == 2 and all(map(_is_of_word, pair))

    def _verbatim(self, start: int, end: int) -> str:
        evidence_text = self._text[start:end]
        if fold_quotes(evidence_text) == self._plain[start:end]:
            return evidence_text
        places = [at for at, char in enumerate(self._text) for _ in fold_quotes(char)]
        return self._text[places[start] : places[end - 1] + 1]


def _is_informative(words: str) -> bool:
    minimum = MIN_LETTERS if words.isascii() else MIN_SIGNS
    is_long = len(re.findall(r"\w", words)) >= minimum
    return is_long and not STOP_WORDS.issuperset(split_words(words))


def _is_of_word(char: str) -> bool:
    return char.isdigit() or char.lower() != char.upper()


STAGE = "Extracting"
MAX_PART_CHARS = 12_000
TOKENS_OF_EDGE = 90


@dataclass(slots=True)
class Extracted:
    """The mentions in the texts of one kind.

    Attributes:
        mentions: The names with evidence, in the order of the nodes.
        dropped: The names without, and other mentions that become no node, with reasons.
        failed: Why a node's question, or a part of it, was not answered.
    """

    mentions: list[Mention] = field(default_factory=list[Mention])
    dropped: dict[Mention, str] = field(default_factory=dict[Mention, str])
    failed: dict[int, str] = field(default_factory=dict[int, str])


def questions_for(
    nodes: Sequence[NodeRecord], relations: Relations, prompt: LoadingPrompt, hint: str = ""
) -> list[Question[Any]]:
    """Return a question for each node, or more for a long text; none for an empty one."""
    values, tokens = relations.values(), TOKENS_OF_EDGE * len(relations.edges)
    return [
        prompt.question(
            (node.id, index),
            values,
            prompt.of_text({"name": node.name, "text": part}),
            relations.shape,
            tokens,
            hint,
        )
        for node in nodes
        if node.kind == relations.kind.name and node.content.strip()
        for index, part in enumerate(text_chunks(node.content.strip(), MAX_PART_CHARS))
    ]


def extract_mentions(
    nodes: Sequence[NodeRecord],
    questions: Sequence[Question[Any]],
    relations: Relations,
    runner: QuestionRunner,
) -> Extracted:
    """Return what nodes name, once all questions are asked.

    Raises:
        ModelError: The questions ended early, or none was answered.
    """
    answers: dict[int, dict[int, BaseModel]] = {}
    extracted = Extracted()
    for question, outcome in runner.ask(questions, STAGE):
        source, part = cast("tuple[int, int]", question.key)
        if isinstance(outcome, ModelError):
            extracted.failed[source] = outcome.message
        else:
            answers.setdefault(source, {})[part] = outcome
    if extracted.failed and not answers:
        raise ModelError(
            f"No request succeeded: {next(iter(extracted.failed.values()))}",
            hint="The graph was not changed.",
        )
    for node in nodes:
        if node.kind == relations.kind.name and node.id in answers:
            _add_mentions(node, answers[node.id], relations, extracted)
    return extracted


def _add_mentions(
    node: NodeRecord, answers: Mapping[int, BaseModel], relations: Relations, extracted: Extracted
) -> None:
    """Add the names in the answers for one node that its title or its text shows."""
    text = EvidenceText(node.content, node.name)
    known = set[tuple[str, str]]()
    for part in sorted(answers):
        counts = Counter[str]()
        for edge, relation in relations.named(answers[part]):
            name = " ".join(relation.name.split())
            mention = Mention(node.id, edge.name, name, relation.evidence)
            span = text.span(mention.evidence, name)
            key = edge.name, fold_evidence(name)
            is_shared = relations.target(edge).named_within is not None
            if span is None:
                extracted.dropped[mention] = "the evidence is not in title or text"
            elif is_shared and not text.shares_word(name):
                extracted.dropped[mention] = "no word of the name is in title or text"
            elif key not in known and counts[edge.name] == MAX_NAMES:
                reason = f"it exceeds the {MAX_NAMES} names per response for {edge.name}"
                extracted.dropped[mention] = reason
            elif key not in known:
                counts[edge.name] += 1
                known.add(key)
                extracted.mentions.append(replace(mention, evidence=span))
