"""What a question wants left out, and the condition that does it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.errors import MoviegraphError
from moviegraph.retrieval.recording import Recording
from moviegraph.sql.statements import literal, nodes_named

KNOWN = r"seen|watched|read|heard|played|tried|cooked|visited|finished"
END = r"(?=\s*(?:[,.;:!?]|$|\b(?:and|but|n?or|so|which|what|that|would|can|could|please|now)\b))"
# Each with whether it is sure: else only a name that the graph knows is taken for one.
OPENINGS = (
    (
        rf"\b(?:{KNOWN}|knows?|known|own|had|made)\s+(?:already\s+)?(?:all|every|each)(?:\s+of)?\s+",
        True,
    ),
    (r"\b(?:except(?:ing)?(?:\s+for)?|other\s+than|apart\s+from|besides)\s+", True),
    (r"\b(?:excluding|leaving\s+out|anything\s+but)\s+", True),
    (
        (
            r"\b(?:but\s+(?:not|no)(?!\s+(?:only|just|without)\b)|(?<!not )without(?:\s+any)?|"
            r"and\s+not)\s+"
        ),
        True,
    ),
    (
        (
            r"\b(?:(?:do\s+not|don['\u2019]t)\s+(?:want|like|show\s+me|need)|tired\s+of|"
            r"sick\s+of|avoid(?:ing)?|skip(?:ping)?|nothing\s+(?:with|about|from))\s+"
        ),
        True,
    ),
    (r"\bnot\s+set\s+(?:in|on|at)\s+", True),
    (r"\bnone\s+(?:with|of|from|about|in)\s+", True),
    (r"\b(?:rather\s+than|instead\s+of|neither|nothing)\s+", False),
    (rf"\b(?:already|have|has|'ve)\s+(?:already\s+)?(?:{KNOWN})\s+", False),
    (r"\bnot\s+(?:from|in|part\s+of|by|a|an|another|the|any)\s+", False),
    (
        (
            r"\b(?:not(?!\s+(?:only|just|without)\b)|(?:is|are|was|were)n['\u2019]t|"
            r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!has )(?<!had )(?:(?-i:no)|^No)|"
            r"(?:I|we)(?:\s+really)?\s+(?:hate|dislike|can(?:not|['\u2019]t)\s+stand))\s+"
        ),
        False,
    ),
)
PATTERNS = tuple(
    (re.compile(rf"{opening}(?P<what>[^,.;:!?]+?){END}", re.I), sure) for opening, sure in OPENINGS
)
FURTHER = re.compile(
    r"\s*(?:,\s*(?:and|or)?|and|or)\s+(?P<what>[A-Z][\w'\u2019-]*(?:\s+(?:of\s+|the\s+)*[A-Z0-9][\w'\u2019-]*)*)"
)
FURTHER_WORD = re.compile(rf"\s*(?P<link>and|n?or)\s+(?P<what>[\w-]+(?:\s+[\w-]+)?){END}", re.I)
LEADING = frozenset(
    """
    of the any a an with in from about more another one ones those some set being
    """.split()
)
FURTHER_SAID = re.compile(r"\s+(?:about|with|in|from|where|who|set|made|featuring)\s+")
LONGEST = 80
MOST = 12
MOST_BEARERS = 1_000
Bearers = dict[str, list[str]]
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
    contract = recording.session.contract
    named = list(islice(named_exclusions(question), MOST))
    bearers = _bearers(
        recording,
        {
            spelt
            for _, what, _ in named
            for each in _readings(what, nouns)
            for name in _meant(contract, each)
            for spelt in _spellings(name)
        },
    )
    for text, what, sure in named:
        exclusion = _exclusion(contract, bearers, text, what, nouns)
        if exclusion is not None and (sure or exclusion.kinds):
            found.setdefault(exclusion.what.lower(), exclusion)
    return list(found.values())


def own_nouns(contract: Contract) -> set[str]:
    """Return the contract's own words for its kinds of node, as they stand around names."""
    words = {keyword.word.lower() for keyword in contract.glossary.keywords}
    kinds = {node.name.lower() for node in contract.nodes}
    kinds |= {each.word.lower() for each in contract.glossary.tables if contract.node(each.table)}
    return words | kinds | {f"{each}{ending}" for each in words | kinds for ending in ("s", "es")}


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
    """Yield the further names of a list: The Matrix and Inception; horror and musicals."""
    while match := FURTHER.match(question, at):
        yield match.group("what"), match.group("what"), sure
        at = match.end()
    if match := FURTHER_WORD.match(question, at):
        alone = " " not in match.group("what").strip()
        yield match.group("what"), match.group("what"), sure and alone and match["link"] != "and"


def _readings(what: str, nouns: set[str]) -> list[str]:
    """Return a name as it stands, then without the nouns around it: Star Wars movies, Star Wars."""
    words = what.strip("\"'\u2018\u2019\u201c\u201d").split()
    found = [" ".join(words)]
    said = FURTHER_SAID.split(found[0])
    if len(said) > 1 and not (nouns | LEADING).issuperset(said[0].lower().split()):
        return [found[0][:LONGEST], *_readings(said[0], nouns)]
    first = next((at for at, word in enumerate(words) if word.lower() not in LEADING), 0)
    if first:
        found.append(" ".join(words[first:]))
    while words and words[-1].lower() in nouns:
        words.pop()
        found.append(" ".join(words))
    while words and words[0].lower() in nouns | LEADING:
        words.pop(0)
        found.append(" ".join(words))
    return [
        each[:LONGEST] for each in found if each and not LEADING.issuperset(each.lower().split())
    ]


def _exclusion(
    contract: Contract, bearers: Bearers, text: str, what: str, nouns: set[str]
) -> Exclusion | None:
    """Return the first reading that names a node, else the barest one."""
    target = contract.nodes[0]
    name = ""
    for reading in _readings(what, nouns):
        if kind := _kind_named(contract, reading):
            condition = _condition(contract, target, kind, None)
            return Exclusion(text, kind, (kind,), condition) if condition else None
        names = _meant(contract, reading)
        name = names[0]
        if found := _borne(contract, bearers, names):
            kinds = tuple(dict.fromkeys(kind for kind, _, _ in found))
            where = " AND ".join(dict.fromkeys(condition for _, _, condition in found))
            return Exclusion(text, found[0][1], kinds, where)
    for reading in _readings(what, set()):
        if known := _by_alias(contract, text, reading):
            return known
    name = name or what
    if name.lower() in _own_words(contract) | LEADING:
        return None
    return Exclusion(text, name, (), _unsaid(target, name))


def _borne(
    contract: Contract, bearers: Bearers, names: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Return kind, name and condition of every node that bears one of the names."""
    target = contract.nodes[0]
    found: list[tuple[str, str, str]] = []
    for name in names:
        spellings = (each for each in _spellings(name) if bearers.get(each.casefold()))
        spelt = next(spellings, name)
        found.extend(
            (kind, spelt, condition)
            for kind in bearers.get(spelt.casefold(), [])
            if (condition := _condition(contract, target, kind, spelt))
        )
    return found


def _own_words(contract: Contract) -> set[str]:
    """Return the words for what is asked for and for kinds of node, which exclude nothing."""
    target = contract.nodes[0].name
    own = {each.word.lower() for each in contract.glossary.keywords if each.table == target}
    kinds = {node.name.lower() for node in contract.nodes}
    return own | kinds | {f"{kind}s" for kind in kinds}


def _spellings(name: str) -> tuple[str, ...]:
    """Return a name, and what may be its singular."""
    return (name, name.removesuffix("s")) if name.endswith("s") else (name,)


def _by_alias(contract: Contract, text: str, what: str) -> Exclusion | None:
    """Return the exclusion of another name of a node, though the graph holds no such node."""
    for alias in contract.glossary.aliases:
        if alias.alias.lower() in _spellings(what.lower()):
            condition = _condition(contract, contract.nodes[0], alias.kind, alias.name)
            return Exclusion(text, alias.name, (alias.kind,), condition) if condition else None
    return None


def _kind_named(contract: Contract, what: str) -> str | None:
    """Return the kind of node that words name as a whole: no series, without any series."""
    words = [word for word in what.lower().split() if word not in LEADING]
    for node in contract.nodes[1:]:
        if words in ([node.name.lower()], [f"{node.name.lower()}s"]):
            return node.name
    return None


def _meant(contract: Contract, what: str) -> list[str]:
    """Return every name in the graph that has this other name, in the plural too, and itself."""
    names = [
        alias.name
        for alias in contract.glossary.aliases
        if alias.alias.lower() in _spellings(what.lower())
    ]
    return list(dict.fromkeys([*names, what]))


def _bearers(recording: Recording, names: set[str]) -> Bearers:
    """Return the kinds of node that bear each name; none where the graph cannot be asked."""
    found: Bearers = {}
    for node in recording.session.contract.nodes if names else ():
        try:
            rows = recording.read(nodes_named(node, sorted(names), MOST_BEARERS))
        except MoviegraphError:
            return {}
        for label in dict.fromkeys(label.rstrip().casefold() for _, label in rows):
            found.setdefault(label, []).append(node.name)
    return found


def _condition(contract: Contract, target: NodeTable, kind: str, name: str | None) -> str | None:
    """Return the condition that leaves out what bears a name, or has any node of the kind."""
    if kind == target.name and name is not None:
        return f"{ALIAS}.{target.label} <> {literal(name)}"
    node = contract.node(kind)
    ways = contract.between(target.name, kind)
    conditions = [_without(target, node, each, name) for each in ways] if node else []
    return " AND ".join(conditions) or None


def _without(target: NodeTable, node: NodeTable, edge: Connection, name: str | None) -> str:
    arrow = "x-(e)->s" if edge.from_table == target.name else "s-(e)->x"
    named = "" if name is None else f" AND s.{node.label} = {literal(name)}"
    return (
        f"NOT EXISTS (SELECT 1 FROM {target.name} AS x, {edge.name} AS e, {node.name} AS s "
        f"WHERE MATCH({arrow}) AND x.{target.key} = {ALIAS}.{target.key}{named})"
    )


def _unsaid(target: NodeTable, name: str) -> str:
    """Return the condition that no text says a name, or for odd signs that no label does."""
    words = re.fullmatch(r"[^\W_]+(?:[ -][^\W_]+)*", name)
    if words is None or not target.searchable:
        escaped = name.replace("[", "[[]").replace("%", "[%]").replace("_", "[_]")
        return f"{ALIAS}.{target.label} NOT LIKE {literal(f'%{escaped}%')}"
    columns = ", ".join(f"{ALIAS}.{column}" for column in target.searchable)
    said = f'"{name}"' if " " in name else f'"{name.removesuffix("s")}*"'
    return f"NOT CONTAINS(({columns}), {literal(said)})"
