"""What a question wants left out, and the condition that does it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from moviegraph.contract.model import Connection, Contract, NodeTable
from moviegraph.errors import MoviegraphError
from moviegraph.retrieval.likened import likened
from moviegraph.retrieval.names import Named, disambiguated_names
from moviegraph.retrieval.negations import Known, Negation, negations, possible_names
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.relatives import group_words, relative_kind, relatives, whole_kind
from moviegraph.retrieval.wording import (
    LEADING,
    QUOTES,
    class_words,
    inflected,
    own_nouns,
    words_for,
)
from moviegraph.sql.statements import id_list, like_text, literal, nodes_named

FURTHER_SAID = re.compile(r"\s+(?:about|with|in|from|where|who|set|made|featuring)\s+")
WITHIN = re.compile(
    r"(?:but\s+|and\s+)?(?:without|no|neither|none\s+(?:with|from|about|in)|"
    r"(?:not|nothing)\s+(?:with|about|set|in|an?|any))\b",
    re.I,
)
"""Openings that speak of what is in a node, not of the node."""

LONGEST = 80
MOST = 12
SHORTEST_PLURAL = 4
MOST_BEARERS = 1_000
Bearers = dict[str, list[str]]
ALIAS = "m"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Words of the question, what to keep out, the kinds that bear the name, and a condition.

    The condition stands in a WHERE over the node table that is searched, under the alias m. The
    words begin in the question where `at` says.
    """

    text: str
    what: str
    kinds: tuple[str, ...]
    where: str
    at: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return what a reader of the question needs as plain values."""
        members = asdict(self)
        del members["at"]
        return members


@dataclass(frozen=True, slots=True)
class Negated:
    """What a question leaves out, by its words, and the kinds that bear the names in it."""

    said: Sequence[Negation]
    bearers: Bearers


@dataclass(frozen=True, slots=True)
class _Reading:
    """What may be a name, and the words behind it, which are no part of it."""

    name: str
    rest: str = ""

    def within(self, text: str) -> str:
        """Return the words of the question that are read."""
        return text.removesuffix(self.rest)


def exclusions(
    recording: Recording,
    question: str,
    node: NodeTable,
    examples: Sequence[Named] | None = None,
    negated: Negated | None = None,
) -> list[Exclusion]:
    """Return what the question wants left out; names are looked up in the graph.

    Args:
        recording: Runs the statements that look names up.
        question: The question, abbreviations written out.
        node: The kind of node that is searched.
        examples: The nodes that the question gives for examples; by default they are looked up.
        negated: What `read_negations` found in the question, where that was asked.
    """
    found: dict[str, Exclusion] = {}
    contract = recording.session.contract
    read = read_negations(recording, node, question) if negated is None else negated
    opening = ""
    for one in read.said[:MOST]:
        opening = opening if one.listed else one.text
        if kind := relative_kind(contract, node, one.what):
            examples = _examples(recording, question, node) if examples is None else examples
            several = list(_related(recording, node, kind, examples, one.text))
        else:
            inside = WITHIN.match(opening) is not None
            several = _named(recording, node, read.bearers, one, inside=inside)
        for each in several:
            found.setdefault(each.what.lower(), replace(each, at=one.start))
    return list(found.values())


def read_negations(recording: Recording, node: NodeTable, question: str) -> Negated:
    """Return what a question leaves out, by its words and by the names in the graph.

    The names that it may hold are looked up together, and then what only they made a name.
    """
    contract = recording.session.contract
    possible = possible_names(question)
    asked = {*possible, *_all_spellings(contract, node, list(negations(question)))}
    bearers = _bearers(recording, asked)
    names = {*bearers, *(each.alias.casefold() for each in contract.glossary.aliases)}
    names |= {each.casefold() for each in _held_apart(recording, node, possible)}
    known = Known(frozenset(names), frozenset(own_nouns(contract)))
    said = list(negations(question, known))
    further = _all_spellings(contract, node, said) - asked
    return Negated(said, bearers | _bearers(recording, further))


def _all_spellings(contract: Contract, node: NodeTable, negated: Sequence[Negation]) -> set[str]:
    """Return all that may be a name in what is left out."""
    return {
        spelt
        for one in negated[:MOST]
        for each in _readings(contract, node, one.what)
        for name in _meant(contract, each.name)
        for spelt in _spellings(name)
    }


def _named(
    recording: Recording, node: NodeTable, bearers: Bearers, negation: Negation, *, inside: bool
) -> list[Exclusion]:
    """Return the exclusion of what a negation names, if it names something."""
    contract, text, what = recording.session.contract, negation.text, negation.what
    found = _told_apart(recording, node, text, _readings(contract, node, what))
    found = found or _exclusion(contract, node, bearers, text, what, inside=inside)
    return [found] if found is not None and (negation.sure or found.kinds) else []


def _examples(recording: Recording, question: str, node: NodeTable) -> list[Named]:
    """Return the examples of a question; none where the graph cannot be asked."""
    try:
        found = likened(recording, node, question).examples
    except MoviegraphError:
        return []
    return [Named(each.key, each.name) for each in found]


def _told_apart(
    recording: Recording, node: NodeTable, text: str, readings: Sequence[_Reading]
) -> Exclusion | None:
    """Return the exclusion of a node that is told from others of its name: Dune (1984)."""
    found = _held_apart(recording, node, [each.name for each in readings])
    for reading in readings:
        if named := found.get(reading.name):
            where = f"{ALIAS}.{node.key} NOT IN {id_list(each.key for each in named)}"
            return Exclusion(reading.within(text), reading.name, (node.name,), where)
    return None


def _held_apart(
    recording: Recording, node: NodeTable, names: Sequence[str]
) -> dict[str, list[Named]]:
    """Return the nodes that names with a year or such mean; none where none can be asked."""
    try:
        return disambiguated_names(recording, node, names)
    except MoviegraphError:
        return {}


def _related(
    recording: Recording, node: NodeTable, kind: str, examples: Sequence[Named], text: str
) -> Iterator[Exclusion]:
    """Yield the exclusions of what belongs with the examples: the series that they are part of."""
    for name in relatives(recording, node, kind, examples):
        if condition := left_out(recording.session.contract, node, kind, name):
            yield Exclusion(text, name, (kind,), condition)


def _readings(contract: Contract, node: NodeTable, what: str) -> list[_Reading]:
    """Return what may be the name in some words, the longest first: all, or what is told of it.

    Behind words for nodes like those that are searched, it is what is told of them: films about
    weddings, but not comedies about weddings.
    """
    nouns = own_nouns(contract)
    stands = nouns - class_words(contract) - group_words(contract, node) | LEADING
    told = [what[match.start() :] for match in FURTHER_SAID.finditer(what)]
    heads = [_Reading(what.removesuffix(rest), rest) for rest in told]
    heads = [each for each in heads if not stands.issuperset(each.name.lower().split())]
    bare = _bared(what, nouns) if len(heads) < len(told) or not told else [_plain(what)]
    found = [_Reading(each[:LONGEST]) for each in bare]
    for head in reversed(heads):
        found += [_Reading(each[:LONGEST], head.rest) for each in _bared(head.name, nouns)]
    return found


def words_read(contract: Contract, node: NodeTable, text: str, what: str) -> str:
    """Return the words that leave something out, without what is told of it or goes on behind."""
    readings = _readings(contract, node, what)
    return readings[-1].within(text) if readings else text


def _plain(what: str) -> str:
    return " ".join(what.strip(f"{QUOTES} ").split())


def _bared(what: str, nouns: set[str]) -> list[str]:
    """Return a name as it stands, then without the nouns around it: Star Wars movies, Star Wars."""
    words = _plain(what).split()
    found = [_plain(what)]
    first = next((at for at, word in enumerate(words) if word.lower() not in LEADING), 0)
    if first:
        found.append(" ".join(words[first:]))
    while words and words[-1].lower() in nouns:
        words.pop()
        found += [" ".join(words), " ".join(words[first:])]
    while words and words[0].lower() in nouns | LEADING:
        words.pop(0)
        found.append(" ".join(words))
    found = [_plain(each) for each in found]
    return [each for each in found if each and not LEADING.issuperset(each.lower().split())]


def _exclusion(
    contract: Contract, node: NodeTable, bearers: Bearers, text: str, what: str, *, inside: bool
) -> Exclusion | None:
    """Return the first reading that names a node, else the barest one."""
    name, said = "", text
    readings = _readings(contract, node, what)
    for reading in readings:
        said = reading.within(text)
        if kind := whole_kind(contract, node, reading.name):
            condition = left_out(contract, node, kind, None)
            return Exclusion(said, kind, (kind,), condition) if condition else None
        names = _meant(contract, reading.name)
        name = names[0]
        found = _borne(contract, node, bearers, names)
        if inside and _is_common(reading.within(what), reading.name):
            found = [each for each in found if each[0] != node.name]
        if found:
            kinds = tuple(dict.fromkeys(kind for kind, _, _ in found))
            where = " AND ".join(dict.fromkeys(condition for _, _, condition in found))
            return Exclusion(said, found[0][1], kinds, where)
    for reading in readings:
        if known := _by_alias(contract, node, reading.within(text), reading.name):
            return known
    name = name or what
    own = words_for(contract, node.name) | inflected(each.name.lower() for each in contract.nodes)
    if name.lower() in own | LEADING:
        return None
    return Exclusion(said, name, (), _unsaid(node, name))


def _is_common(what: str, name: str) -> bool:
    """Whether a name is one word in small letters, as nouns are, without quotes or `the`."""
    before = what.casefold().removesuffix(name.casefold()).split()[-1:]
    return name.isalpha() and name.islower() and what[:1] not in QUOTES and before != ["the"]


def _borne(
    contract: Contract, node: NodeTable, bearers: Bearers, names: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Return kind, name and condition of every node that bears one of the names."""
    found: list[tuple[str, str, str]] = []
    for name in names:
        spellings = (each for each in _spellings(name) if bearers.get(each.casefold()))
        spelt = next(spellings, name)
        found.extend(
            (kind, spelt, condition)
            for kind in bearers.get(spelt.casefold(), [])
            if (condition := left_out(contract, node, kind, spelt))
        )
    return found


def _spellings(name: str) -> tuple[str, ...]:
    """Return a name, and what may be its singular."""
    singular = name.endswith("s") and len(name) >= SHORTEST_PLURAL
    return (name, name.removesuffix("s")) if singular else (name,)


def _by_alias(contract: Contract, node: NodeTable, text: str, what: str) -> Exclusion | None:
    """Return the exclusion of another name of a node, though the graph holds no such node."""
    for alias in contract.glossary.aliases:
        if alias.alias.lower() in _spellings(what.lower()):
            condition = left_out(contract, node, alias.kind, alias.name)
            return Exclusion(text, alias.name, (alias.kind,), condition) if condition else None
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


def left_out(contract: Contract, target: NodeTable, kind: str, name: str | None) -> str | None:
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
        return f"{ALIAS}.{target.label} NOT LIKE {literal(f'%{like_text(name)}%')}"
    columns = ", ".join(f"{ALIAS}.{column}" for column in target.searchable)
    return f"NOT CONTAINS(({columns}), {literal(_saying(name))})"


def _saying(name: str) -> str:
    """Return the condition that a text says words: one in any form, or how figures begin."""
    if name.isalpha():
        return f'FORMSOF(INFLECTIONAL, "{name}")'
    return f'"{name}"' if " " in name else f'"{_spellings(name)[-1]}*"'
