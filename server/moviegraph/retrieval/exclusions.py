"""What a question wants left out, and the condition that does it."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from moviegraph.contract.model import Contract, EdgeTable, NodeTable
from moviegraph.errors import MoviegraphError
from moviegraph.retrieval.recording import Recording
from moviegraph.sql.statements import literal, nodes_named

KNOWN = r"seen|watched|read|heard|played|tried|cooked|visited|finished"
END = r"(?=\s*(?:[,.;:!?]|$|\b(?:and|but|or|so|which|what|that|would|can|could|please|now)\b))"
# Each with whether it is sure: else only a name that the graph knows is taken for one.
OPENINGS = (
    (
        rf"\b(?:{KNOWN}|knows?|known|own|had|made)\s+(?:already\s+)?(?:all|every|each)(?:\s+of)?\s+",
        True,
    ),
    (r"\b(?:except(?:ing)?(?:\s+for)?|other\s+than|apart\s+from|besides)\s+", True),
    (r"\b(?:excluding|leaving\s+out|anything\s+but)\s+", True),
    (r"\b(?:but\s+(?:not|no)|without(?:\s+any)?|and\s+not)\s+", True),
    (
        (
            r"\b(?:(?:do\s+not|don['\u2019]t)\s+(?:want|like|show\s+me|need)|tired\s+of|"
            r"sick\s+of|avoid(?:ing)?|skip(?:ping)?|nothing\s+(?:with|about|from))\s+"
        ),
        True,
    ),
    (r"\bnot\s+set\s+(?:in|on|at)\s+", True),
    (rf"\b(?:already|have|has|'ve)\s+(?:already\s+)?(?:{KNOWN})\s+", False),
    (r"\bnot\s+(?:from|in|part\s+of|by|a|an|another|the|any)\s+", False),
)
PATTERNS = tuple(
    (re.compile(rf"{opening}(?P<what>[^,.;:!?]+?){END}", re.I), sure) for opening, sure in OPENINGS
)
FURTHER = re.compile(
    r"\s*(?:,\s*(?:and|or)?|and|or)\s+(?P<what>[A-Z][\w'\u2019-]*(?:\s+(?:of\s+|the\s+)*[A-Z0-9][\w'\u2019-]*)*)"
)
LEADING = frozenset(
    {"of", "the", "any", "a", "an", "with", "in", "from", "about", "more", "another"}
)
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
    """Return what the question wants left out; names are looked up in the graph.

    Args:
        recording: Runs the statements that look names up.
        question: The question, abbreviations written out.
        nouns: Words for kinds of node, which may stand around a name.
    """
    found: dict[str, Exclusion] = {}
    for text, what, sure in named_exclusions(question):
        exclusion = _exclusion(recording, text, what, nouns)
        if exclusion is not None and (sure or exclusion.kinds):
            found.setdefault(exclusion.what.lower(), exclusion)
    return list(found.values())


def named_exclusions(question: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the words that leave something out, what they name, and whether that is sure."""
    taken: list[tuple[int, int]] = []
    for pattern, sure in PATTERNS:
        for match in pattern.finditer(question):
            start, end = match.span("what")
            if not any(a < end and start < b for a, b in taken):
                taken.append((start, end))
                yield match.group().strip(), match.group("what").strip(), sure
                yield from _following(question, match.end(), sure)


def _following(question: str, at: int, sure: bool) -> Iterator[tuple[str, str, bool]]:
    """Yield the further names of a list: The Matrix and Inception."""
    while match := FURTHER.match(question, at):
        yield match.group("what"), match.group("what"), sure
        at = match.end()


def _readings(what: str, nouns: set[str]) -> list[str]:
    """Return a name as it stands, then without the nouns around it: Star Wars movies, Star Wars."""
    words = what.strip("\"'").split()
    found = [" ".join(words)]
    while words and words[-1].lower() in nouns:
        words.pop()
        found.append(" ".join(words))
    while words and words[0].lower() in nouns | LEADING:
        words.pop(0)
        found.append(" ".join(words))
    return [each[:LONGEST] for each in found if each]


def _exclusion(recording: Recording, text: str, what: str, nouns: set[str]) -> Exclusion | None:
    """Return the first reading that names a node, else the barest one."""
    contract = recording.session.contract
    target = contract.nodes[0]
    name = ""
    for reading in _readings(what, nouns):
        name = _canonical(contract, reading)
        kinds = _kinds(recording, name)
        found = [c for kind in kinds if (c := _condition(contract, target, kind, name))]
        if found:
            return Exclusion(text, name, tuple(kinds), " AND ".join(found))
    whole = _readings(what, set())[:1]
    if not name or name.lower() in nouns:
        return _by_keyword(contract, text, whole[0]) if whole else None
    return Exclusion(text, name, (), f"{ALIAS}.{target.label} NOT LIKE {_pattern(name)}")


def _by_keyword(contract: Contract, text: str, what: str) -> Exclusion | None:
    """Return the exclusion of a word that the glossary knows, though no node bears it."""
    for keyword in contract.glossary.keywords:
        if keyword.word.lower() == what.lower():
            condition = _condition(contract, contract.nodes[0], keyword.table, what)
            return Exclusion(text, what, (keyword.table,), condition) if condition else None
    return None


def _canonical(contract: Contract, what: str) -> str:
    wanted = what.lower()
    for alias in contract.glossary.aliases:
        if alias.alias.lower() == wanted:
            return alias.name
    return what


def _kinds(recording: Recording, name: str) -> list[str]:
    """Return the kinds of node that bear a name; none where the graph cannot be asked."""
    nodes = recording.session.contract.nodes
    try:
        return [node.name for node in nodes if recording.read(nodes_named(node, [name], 1))]
    except MoviegraphError:
        return []


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
