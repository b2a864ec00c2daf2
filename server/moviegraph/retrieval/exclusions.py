"""What a question wants left out, and the condition that does it."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.errors import MoviegraphError
from moviegraph.retrieval.recording import Recording
from moviegraph.sql.statements import literal, nodes_named

KNOWN = r"seen|watched|read|heard|played|tried|cooked|made|visited|finished|know|known|own|had"
END = r"(?=\s*(?:[,.;:!?]|$|\b(?:and|but|or|so|which|what|that|would|can|could|please|now)\b))"
OPENINGS = (
    rf"\b(?:{KNOWN})\s+(?:already\s+)?(?:all|every|each)(?:\s+of)?(?:\s+the)?\s+",
    rf"\b(?:already|have|has|'ve)\s+(?:already\s+)?(?:{KNOWN})\s+(?:the\s+)?",
    r"\b(?:except(?:ing)?(?:\s+for)?|other\s+than|apart\s+from|besides|excluding|anything\s+but)"
    r"\s+(?:the\s+)?",
    r"\b(?:but\s+)?not\s+(?:from|in|part\s+of|by|a|an|another|the|any)\s+(?:the\s+)?",
    r"\b(?:but\s+(?:not|no)|without(?:\s+any)?|and\s+not)\s+(?:the\s+)?",
)
PATTERNS = tuple(re.compile(rf"{opening}(?P<what>[^,.;:!?]+?){END}", re.I) for opening in OPENINGS)
LONGEST = 80
ALIAS = "m"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Words of the question, what to keep out, the kinds that bear the name, and a condition.

    The condition stands in a WHERE over the first node table under the alias m.
    """

    text: str
    what: str
    kinds: tuple[str, ...]
    where: str

    def as_dict(self) -> dict[str, Any]:
        """Return the members as plain values."""
        return asdict(self)


def exclusions(recording: Recording, question: str, nouns: set[str]) -> list[Exclusion]:
    """Return what the question wants left out; names are looked up in the graph."""
    found: dict[str, Exclusion] = {}
    for text, what in _named(question, nouns):
        if what.lower() not in found:
            found[what.lower()] = _exclusion(recording, text, what)
    return list(found.values())


def _named(question: str, nouns: set[str]) -> Iterator[tuple[str, str]]:
    taken: list[tuple[int, int]] = []
    for pattern in PATTERNS:
        for match in pattern.finditer(question):
            span = match.span("what")
            what = _bare(match.group("what"), nouns)
            if not what or any(a < span[1] and span[0] < b for a, b in taken):
                continue
            taken.append(span)
            yield match.group().strip(), what


def _bare(text: str, nouns: set[str]) -> str:
    """Return a name without the nouns of the contract around it: Star Wars movies, the film X."""
    words = text.strip().strip("\"'").split()
    while words and words[-1].lower() in nouns:
        words.pop()
    while words and words[0].lower() in nouns | {"of", "the", "any"}:
        words.pop(0)
    return " ".join(words)[:LONGEST]


def _exclusion(recording: Recording, text: str, what: str) -> Exclusion:
    contract = recording.session.contract
    name = _canonical(contract, what)
    kinds = _kinds(recording, name)
    target = contract.nodes[0]
    conditions = [
        condition for kind in kinds if (condition := _condition(contract, target, kind, name))
    ]
    if not conditions:
        conditions = [f"{ALIAS}.{target.label} NOT LIKE {_pattern(name)}"]
    return Exclusion(text, name, tuple(kinds), " AND ".join(conditions))


def _canonical(contract: Contract, what: str) -> str:
    wanted = what.lower()
    for alias in contract.glossary.aliases:
        if alias.alias.lower() == wanted:
            return alias.name
    return what


def _kinds(recording: Recording, name: str) -> list[str]:
    """Return the kinds of node that bear a name; none where the graph cannot be asked."""
    found: list[str] = []
    try:
        for node in recording.session.contract.nodes:
            if recording.read(nodes_named(node, [name], 1)):
                found.append(node.name)
    except MoviegraphError:
        return found
    return found


def _condition(contract: Contract, target: NodeTable, kind: str, name: str) -> str | None:
    if kind == target.name:
        return f"{ALIAS}.{target.label} <> {literal(name)}"
    node = contract.node(kind)
    ways = [e for e in contract.edges if {e.from_table, e.to_table} == {target.name, kind}]
    return _without(target, node, ways[0], name) if node and len(ways) == 1 else None


def _without(target: NodeTable, node: NodeTable, edge: EdgeTable, name: str) -> str:
    arrow = "x-(e)->s" if edge.from_table == target.name else "s-(e)->x"
    return (
        f"NOT EXISTS (SELECT 1 FROM {target.name} AS x, {edge.name} AS e, {node.name} AS s "
        f"WHERE MATCH({arrow}) AND x.{target.key} = {ALIAS}.{target.key} "
        f"AND s.{node.label} = {literal(name)})"
    )


def _pattern(name: str) -> str:
    escaped = name.replace("[", "[[]").replace("%", "[%]").replace("_", "[_]")
    return literal(f"%{escaped}%")
