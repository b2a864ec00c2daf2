"""Asks what texts name, and keeps what the texts show."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel

from moviegraph.contract.model import Connection
from moviegraph.engines.graph_records import NodeRecord
from moviegraph.errors import ModelError
from moviegraph.loading.extraction.asking import Asker, Question
from moviegraph.loading.extraction.mention import Mention
from moviegraph.loading.extraction.parts import parts
from moviegraph.loading.extraction.prompt import LoadingPrompt
from moviegraph.loading.extraction.relations import MOST, Named, Relations
from moviegraph.loading.extraction.spans import ReadText, folded
from moviegraph.loading.rejects import BadRow
from moviegraph.loading.values import most_units, required_text

STAGE = "Extracting"
TOKENS_OF_EDGE = 90


@dataclass(frozen=True, slots=True)
class Dropped:
    """A name that was not taken over, and why."""

    source: int
    edge: str
    name: str
    evidence: str
    why: str


@dataclass(slots=True)
class Extracted:
    """What the texts of one kind name.

    Attributes:
        mentions: What they show, in the order of the nodes.
        dropped: What the model named and no text shows.
        failed: Why a node's question, or a part of it, was not answered.
        read: How many nodes were read.
        silent: How many of these, all answered, name nothing.
    """

    mentions: list[Mention] = field(default_factory=list[Mention])
    dropped: list[Dropped] = field(default_factory=list[Dropped])
    failed: dict[int, str] = field(default_factory=dict[int, str])
    read: int = 0
    silent: int = 0

    @property
    def dropped_of(self) -> Mapping[str, int]:
        """How many names were dropped, by edge."""
        return Counter(each.edge for each in self.dropped)


def questions_for(
    nodes: Sequence[NodeRecord], relations: Relations, prompt: LoadingPrompt, hint: str = ""
) -> list[Question[Any]]:
    """Return a question for each node, or more for a long text; none for an empty one."""
    system = prompt.of_task(relations.values())
    return [
        Question(
            key=(node.id, at),
            system=system,
            user=prompt.of_text({"name": node.name, "text": part}),
            shape=relations.shape,
            version=prompt.version,
            hint=hint,
            answer_tokens=TOKENS_OF_EDGE * len(relations.edges),
        )
        for node in nodes
        if node.kind == relations.kind.name
        for at, part in enumerate(parts(node.content))
    ]


def extracted(
    nodes: Sequence[NodeRecord],
    questions: Sequence[Question[Any]],
    relations: Relations,
    asker: Asker,
) -> Extracted:
    """Return what nodes name, once all questions are asked.

    Raises:
        ModelError: The asking ended early, or no question at all was answered.
    """
    answers: dict[int, dict[int, BaseModel]] = {}
    found = Extracted()
    for question, outcome in asker.ask(questions, STAGE):
        source, part = cast("tuple[int, int]", question.key)
        if isinstance(outcome, ModelError):
            found.failed[source] = outcome.message
        else:
            answers.setdefault(source, {})[part] = outcome
    if found.failed and not answers:
        raise ModelError(
            f"No request succeeded: {next(iter(found.failed.values()))}",
            hint="The graph was not changed.",
        )
    for node in nodes:
        if node.kind == relations.kind.name and node.id in answers:
            _read(node, answers[node.id], relations, found)
    found.read = len(answers)
    return found


def _read(
    node: NodeRecord, answers: Mapping[int, BaseModel], relations: Relations, found: Extracted
) -> None:
    """Take over from the answers for one node what its title or its text shows."""
    places = [ReadText(node.content), ReadText(node.name)]
    seen, before = set[tuple[str, str]](), len(found.mentions)
    for part in sorted(answers):
        taken = Counter[str]()
        for edge, named in relations.named(answers[part]):
            checked = _checked(node, edge, named, relations, places)
            if isinstance(checked, Dropped):
                found.dropped.append(checked)
            elif (known := (edge.name, folded(checked.name))) in seen:
                continue
            elif taken[edge.name] == MOST:
                found.dropped.append(_one_too_many(checked))
            else:
                taken[edge.name] += 1
                seen.add(known)
                found.mentions.append(checked)
    found.silent += len(found.mentions) == before and node.id not in found.failed


def _checked(
    node: NodeRecord, edge: Connection, named: Named, relations: Relations, places: list[ReadText]
) -> Mention | Dropped:
    name = " ".join(named.name.split())
    try:
        target = relations.target(edge)
        label = target.column(target.label)
        assert label is not None, "the contract is checked when it is read"
        required_text(target.label, name, most_units(label))
    except BadRow as bad:
        return Dropped(node.id, edge.name, name, named.evidence, bad.message)
    spans = (place.span(named.evidence, name) for place in places)
    span = next((each for each in spans if each is not None), None)
    if span is None:
        why = "the evidence is not in title or text"
        return Dropped(node.id, edge.name, name, named.evidence, why)
    if target.named_within is not None and not any(each.shares_word(name) for each in places):
        why = "no word of the name is in title or text"
        return Dropped(node.id, edge.name, name, named.evidence, why)
    return Mention(node.id, edge.name, name, span)


def _one_too_many(mention: Mention) -> Dropped:
    why = f"it exceeds the {MOST} names per response for {mention.edge}"
    return Dropped(mention.source, mention.edge, mention.name, mention.evidence, why)
