"""What a planner needs to know before it writes SQL, for clients that read no resources."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from moviegraph.contract.model import Contract, Unavailable, nearest
from moviegraph.contract.placeholders import fill, names
from moviegraph.contract.render import Section, to_markdown
from moviegraph.errors import ArgumentError
from moviegraph.retrieval.arguments import clean_text
from moviegraph.retrieval.exclusions import Exclusion, exclusions
from moviegraph.retrieval.likeness import likeness
from moviegraph.retrieval.normalising import DENIAL, normalise, today
from moviegraph.retrieval.recall import Recalled, recall
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.session import Call, Session
from moviegraph.retrieval.unknown_names import unknown_names
from moviegraph.retrieval.wording import (
    Interpretation,
    aliases,
    content_words,
    expanded,
    keywords,
    unavailable,
)

SECTIONS: tuple[Section, ...] = ("tables", "edges", "examples", "rules", "glossary")
EXAMPLES = 2
NEAREST = 3
ROOM, ROOM_OF_FIRST = 600, 900
LONGEST_EARLIER = 1_200
NEAR_TABLES = {"precise": 2, "mixed": 3, "semantic": 3}
PRECISE = re.compile(
    r"\b(how many|how often|count|number of|list (?:all|every)|all the|average|mean|most|fewest|"
    r"least|oldest|newest|earliest|latest|longest|shortest|first|between|before|after|since|"
    r"until|per|each|every|exactly|at least|at most|more than|less than|which year|when|top \d+|"
    r"only)\b|\b\d{3,4}\b|[\"\u201c]",
    re.IGNORECASE,
)
SEMANTIC = re.compile(
    r"\b(like|similar|something|reminds?|feel(?:s|ing)?|mood|about|kind of|sort of|tips?|"
    r"recommend\w*|suggest\w*|atmosphere|vibes?|inspir\w*|story|stories|in the style|"
    r"explor\w*|where (?:a|an|the|someone|somebody)|in which|lonely|dark|funny|warm|cosy|sad)\b",
    re.IGNORECASE,
)


def context(
    session: Session, call: Call, *, question: str | None = None, section: str | None = None
) -> dict[str, Any]:
    """Return the context of a question, or one section of the contract.

    Raises:
        ArgumentError: Not exactly one of the two is given, or there is no such section.
    """
    if (question is None) == (section is None):
        raise ArgumentError("Give exactly one of `question` and `section`.")
    if section is not None:
        return _section(session.contract, section)
    return _context(session, call, clean_text(question, "question"))


def _section(contract: Contract, section: str) -> dict[str, Any]:
    for known in SECTIONS:
        if known == section:
            return {"section": known, "text": to_markdown(contract, known)}
    raise ArgumentError(
        f"`section` is one of {', '.join(SECTIONS)}.", suggestions=nearest(section, list(SECTIONS))
    )


def _context(session: Session, call: Call, question: str) -> dict[str, Any]:
    with Recording(session, call, given=question, query=question) as recording:
        found = _gathered(recording, question)
        recording.record(status="ok", notes=_decided(found), elapsed_ms=recording.elapsed)
        return found


def _gathered(recording: Recording, question: str) -> dict[str, Any]:
    session, call, contract = recording.session, recording.call, recording.session.contract
    normalised, meanings = normalise(question, contract, today(session))
    left_out = _left_out(recording, _expanded(question, contract), meanings)
    return {
        "question": question,
        "normalised": normalised,
        "interpretations": [asdict(each) for each in meanings],
        "route": route(normalised),
        "tables": _tables(session, normalised, left_out),
        "exclusions": [each.as_dict() for each in left_out],
        "unavailable": [
            {"word": each.word, "message": each.message} for each in _gaps(recording, question)
        ],
        "examples": _examples(session, call, question, sum(len(x.where) for x in left_out)),
        "rules": _rules(contract),
    }


def _left_out(
    recording: Recording, question: str, meanings: Sequence[Interpretation]
) -> list[Exclusion]:
    """Return what is left out, but for words of a period: its reading says that it is."""
    periods = [each.text.casefold() for each in meanings if each.meaning.startswith(DENIAL)]
    return [
        each
        for each in exclusions(recording, question, recording.session.contract.nodes[0])
        if each.kinds or not any(each.what.casefold() in period for period in periods)
    ]


def _gaps(recording: Recording, question: str) -> list[Unavailable]:
    known = unavailable(question, recording.session.contract)
    return [*known, *unknown_names(recording, question, known)]


def _decided(found: dict[str, Any]) -> tuple[str, ...]:
    """Return what was decided for a question, in the words of the journal."""
    notes = [
        f"Read as: {found['normalised']}",
        f"Route: {found['route']}",
        f"Tables: {', '.join(each['name'] for each in found['tables'])}",
    ]
    notes += [f"To be kept out: {each['what']}" for each in found["exclusions"]]
    notes += [f"Not in the graph: {each['word']}" for each in found["unavailable"]]
    recalled = [each for each in found["examples"] if each["source"] == "journal"]
    return (
        *notes,
        *(f"Recalled from an earlier question: {each['question']}" for each in recalled),
    )


def _expanded(question: str, contract: Contract) -> str:
    return expanded(" ".join(question.split()), contract)[0]


def route(question: str) -> str:
    """Return how to look: precise, semantic, or mixed where the words speak for both or neither.

    Numbers, years, quotes and words that count or compare speak for precise; words of likeness,
    mood and content for semantic.
    """
    exact, vague = bool(PRECISE.search(question)), bool(SEMANTIC.search(question))
    if exact == vague:
        return "mixed"
    return "precise" if exact else "semantic"


def _tables(session: Session, question: str, left_out: list[Exclusion]) -> list[dict[str, str]]:
    """Return the tables with the reason for each: the sure ones first, then edges between them."""
    contract = session.contract
    why: dict[str, str] = {contract.nodes[0].name: "most often asked for"}
    for table, words in keywords(question, contract).items():
        why[table] = f"says {', '.join(repr(word) for word in words[:3])}"
        for end, reason in _ends_of(contract, table, why):
            why.setdefault(end, reason)
    for alias in aliases(question, contract):
        why.setdefault(alias.kind, f"{alias.alias!r} is {alias.name!r}")
    for each in left_out:
        for kind in each.kinds:
            why.setdefault(kind, f"holds {each.what!r}, left out")
    _add_described(contract, question, why)
    _add_near(session, question, why, NEAR_TABLES[route(question)])
    for edge in contract.connections:
        if edge.from_table in why and edge.to_table in why:
            why.setdefault(edge.name, f"{edge.from_table} to {edge.to_table}")
    return [{"name": name, "why": reason} for name, reason in why.items()]


def _ends_of(contract: Contract, table: str, known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the node tables that an edge table cannot be walked without, unless some are known."""
    edge = contract.edge(table)
    if edge is None or any(each.ends <= known.keys() for each in edge.connections):
        return
    for each in edge.connections:
        for end in (each.from_table, each.to_table):
            yield end, f"an end of {edge.name}"


def _add_described(contract: Contract, question: str, why: dict[str, str]) -> None:
    """Add the tables whose description alone holds a word of the question."""
    asked = content_words(question)
    held = {n.name: content_words(f"{n.name} {n.description}") for n in contract.nodes}
    for node in contract.nodes:
        others = set[str]().union(*(words for name, words in held.items() if name != node.name))
        shared = asked & held[node.name] - others
        if shared:
            why.setdefault(node.name, f"described by {', '.join(sorted(shared)[:3])}")


def _add_near(session: Session, question: str, why: dict[str, str], most: int) -> None:
    """Add the tables nearest in meaning while fewer than so many stand for sure."""
    nodes = session.contract.nodes
    texts = [f"{node.name}: {node.description}" for node in nodes]
    near = likeness(session, question, texts)
    ranked = sorted(zip(near, nodes, strict=True), key=lambda pair: -pair[0])
    for value, node in ranked:
        if len(why) >= most:
            return
        if value > 0:
            why.setdefault(node.name, "near in meaning")


def _examples(
    session: Session, call: Call, question: str, taken: int
) -> list[dict[str, str | None]]:
    """Return an earlier winner if there is one, and the nearest examples for which there is room.

    Args:
        session: The graph served.
        call: Who asks.
        question: The question.
        taken: Characters of what the question wants left out, which has the same room.
    """
    known = session.contract.examples
    near = likeness(session, question, [example.question for example in known])
    ranked = sorted(zip(near, known, strict=True), key=lambda pair: -pair[0])[:NEAREST]
    nearest = [_example(each.question, each.query, each.sql, "contract") for _, each in ranked]
    earlier = recall(session, call, question)
    first = next((each for each in nearest if _length(each) <= ROOM_OF_FIRST - taken), None)
    first = first or min(nearest, key=_length, default=None)
    if earlier is not None and len(earlier.execution.sql or "") <= LONGEST_EARLIER:
        first = _recalled(earlier)
    if first is None:
        return []
    room = ROOM - taken - _length(first)
    second = (each for each in nearest if each is not first and _length(each) <= room)
    return [first, *islice(second, EXAMPLES - 1)]


def _length(example: dict[str, str | None]) -> int:
    return sum(len(value or "") for value in example.values())


def _recalled(found: Recalled) -> dict[str, str | None]:
    """Return the owner's best earlier strategy for a similar question over the same data."""
    known = found.execution
    return _example(known.question or "", known.query, known.sql or "", "journal")


def _example(question: str, query: str | None, sql: str, source: str) -> dict[str, str | None]:
    return {"question": question, "query": query, "sql": sql, "source": source}


def _rules(contract: Contract) -> list[str]:
    template = (Path(__file__).parent / "planning_rules.md").read_text(encoding="utf-8")
    filled = fill(template, names(contract))
    return [line.removeprefix("- ") for line in filled.splitlines() if line]
