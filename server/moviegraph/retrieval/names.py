"""Finds nodes by name: equal without regard to case, by the contract's aliases, or nearly equal."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any
from unicodedata import combining, normalize

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Spelling
from moviegraph.retrieval.recording import Recording
from moviegraph.sql.statements import nodes_disambiguated, nodes_named, nodes_sharing_pieces
from moviegraph.sql.words import words_of

MOST_NAMED = 1_000
CANDIDATES = 300
CLOSE_ENOUGH = 0.75
SHORTEST_GUESS, LONGEST_GUESS = 4, 80
LONGEST_EXCHANGED = 8
LONGEST_PARTED = 200
WINDOW_SHARE = 0.98
NEGATIONS = frozenset({"except", "excluding", "not", "without"})
NOT_SHORTENED = re.compile(r"n['\u2019]t\b", re.I)
DISAMBIGUATED = re.compile(
    r"(?P<name>\S.*?)(?:,?\s*\((?P<bracketed>\d{1,9})\)|,?\s+(?:from\s+)?(?P<bare>\d{4}))", re.S
)


@dataclass(frozen=True, slots=True)
class Named:
    """A node by key and name; `closeness` is 1 for an equal name."""

    key: int
    name: str
    closeness: float = 1.0


def equal_names(
    recording: Recording, node: NodeTable, names: Sequence[str]
) -> dict[str, list[Named]]:
    """Return the nodes that carry each name, by the name without regard to case."""
    found: dict[str, list[Named]] = defaultdict(list)
    if names:
        for key, name in recording.read(nodes_named(node, names, MOST_NAMED)):
            found[name.casefold()].append(Named(key, name))
    return found


def known_names(
    recording: Recording,
    node: NodeTable,
    text: str,
    equal: Mapping[str, list[Named]] | None = None,
) -> tuple[list[Named], tuple[str, ...]]:
    """Return the nodes that a text names, and how it was read where no name equals it.

    By its name, by an alias, or by its name and what tells it apart: Dune (1984), Dune 1984.

    Args:
        recording: Runs the statements that look names up.
        node: The kind of node.
        text: The whole name.
        equal: What `equal_names` found for it, where that was asked.
    """
    equal = equal_names(recording, node, [text]) if equal is None else equal
    if found := equal.get(text.casefold()):
        return found, ()
    found = aliased_names(recording, node, text)
    found = found or disambiguated_names(recording, node, [text]).get(text, [])
    return found, read_as(node, text, found)


def read_as(node: NodeTable, text: str, found: Sequence[Named]) -> tuple[str, ...]:
    """Say which names a text was read as, but for the one that it holds beside a year or such."""
    both = parted(node, text)
    held = both[0].casefold() if both else None
    names = dict.fromkeys(each.name for each in found if each.name.rstrip().casefold() != held)
    return tuple(f"{text!r} was read as {name!r}." for name in names)


def parted(node: NodeTable, text: str) -> tuple[str, int] | None:
    """Part a name from the value that tells its node from others: Dune (1984), Dune from 1984."""
    if node.disambiguated_by is None or len(text) > LONGEST_PARTED:
        return None
    match = DISAMBIGUATED.fullmatch(text)
    return (match["name"], int(match["bracketed"] or match["bare"])) if match else None


def disambiguated_names(
    recording: Recording, node: NodeTable, texts: Sequence[str]
) -> dict[str, list[Named]]:
    """Return the nodes that each text means by a name, or alias, and the value behind it."""
    contract = recording.session.contract
    wanted = {
        text: [(name, both[1]) for name in (both[0], *other_names(contract, node, both[0]))]
        for text in texts
        if (both := parted(node, text))
    }
    if not wanted:
        return {}
    pairs = list(dict.fromkeys(pair for each in wanted.values() for pair in each))
    held: dict[tuple[str, int], list[Named]] = defaultdict(list)
    for key, label, value in recording.read(nodes_disambiguated(node, pairs, MOST_NAMED)):
        inside = parted(node, label)
        for pair in {(label.casefold(), value), *([inside] if inside else ())}:
            held[pair[0].casefold(), pair[1]].append(Named(key, label))
    found = {
        text: [one for name, value in each for one in held.get((name.casefold(), value), ())]
        for text, each in wanted.items()
    }
    return {text: each for text, each in found.items() if each}


def other_names(contract: Contract, node: NodeTable, alias: str) -> list[str]:
    """Return the names of the nodes of a kind that the glossary knows by another name."""
    wanted, aliases = alias.casefold(), contract.glossary.aliases
    return [
        each.name for each in aliases if each.kind == node.name and each.alias.casefold() == wanted
    ]


def aliased_names(recording: Recording, node: NodeTable, alias: str) -> list[Named]:
    """Return the nodes that the contract's glossary knows by another name."""
    targets = other_names(recording.session.contract, node, alias)
    found = equal_names(recording, node, targets)
    return [each for name in targets for each in found.get(name.casefold(), [])]


def meanings(contract: Contract, text: str) -> list[str]:
    """Return what the glossary says that a text is short for, or another name of."""
    wanted, glossary = text.casefold(), contract.glossary
    short = [full for each, full in glossary.abbreviations.items() if each.casefold() == wanted]
    other = [each.name for each in glossary.aliases if each.alias.casefold() == wanted]
    return list(dict.fromkeys([*short, *other]))


def named_elsewhere(recording: Recording, node: NodeTable, name: str) -> str | None:
    """Say which node of another kind has a name or an alias, if one has."""
    for other in recording.session.contract.nodes:
        if other.name == node.name:
            continue
        equal = equal_names(recording, other, [name]).get(name.casefold())
        meant = equal or aliased_names(recording, other, name)
        if meant:
            return f"{name!r} is the {other.name} {meant[0].name!r} (id {meant[0].key})."
    return None


def near_names(recording: Recording, node: NodeTable, text: str, count: int = 5) -> list[Named]:
    """Return the nodes whose name, or a run of words in it, is nearly the text; nearest first.

    What tells nodes of one name apart does not count. A name without the negation of the text
    means another thing: The Last Jedi is no slip for Star Wars not Jedi.
    """
    both = parted(node, text)
    wanted = " ".join((both[0] if both else text).split()).casefold()
    plain = unaccented(wanted)
    if not SHORTEST_GUESS <= len(wanted) <= LONGEST_GUESS:
        return []
    held = [*pieces(wanted), *exchanged(wanted)]
    rows = holding(recording, node, held)
    scored = [Named(key, name, closeness(plain, unaccented(name.casefold()))) for key, name in rows]
    negated = negations(text)
    close = [
        each
        for each in scored
        if each.closeness >= CLOSE_ENOUGH and negated <= negations(each.name)
    ]
    return sorted(close, key=lambda each: (-each.closeness, each.key))[:count]


def negations(text: str) -> frozenset[str]:
    """Return the words of a text that exclude what follows them."""
    return NEGATIONS.intersection(words_of(NOT_SHORTENED.sub(" not", text)))


def holding(
    recording: Recording, node: NodeTable, held: Sequence[str]
) -> Sequence[tuple[Any, ...]]:
    """Return key and name of the nodes whose name holds most of some pieces, short ones first."""
    engine = recording.session.engine
    if isinstance(engine, Spelling):
        budget = recording.call.budget(recording.session.caps, CANDIDATES)
        return engine.names_holding(node.name, held, CANDIDATES, budget)
    return recording.read(nodes_sharing_pieces(node, held, CANDIDATES))


def unaccented(text: str) -> str:
    """Return the text without accents: who misses a letter may miss its accent, too."""
    return "".join(each for each in normalize("NFKD", text) if not combining(each))


def pieces(text: str) -> list[str]:
    """Cut a text into two to four pieces: with fewer slips than pieces, one of them is whole."""
    count = 2 if len(text) < 6 else 3 if len(text) < 16 else 4
    size, rest = divmod(len(text), count)
    ends = [size * (i + 1) + min(i + 1, rest) for i in range(count)]
    starts = [0, *ends[:-1]]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def exchanged(text: str) -> list[str]:
    """Return a short text with each two neighbours exchanged: that slip can spoil every piece."""
    if len(text) > LONGEST_EXCHANGED:
        return []
    swapped = (text[:i] + text[i + 1] + text[i] + text[i + 2 :] for i in range(len(text) - 1))
    return [each for each in dict.fromkeys(swapped) if each != text]


def closeness(wanted: str, name: str) -> float:
    """Return how near a name is, as a whole or by a run of as many words as were given.

    Names that cannot be near enough count 0, for most can be told by their letters alone.
    """
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    words, width = name.split(), len(wanted.split())
    runs = [" ".join(words[i : i + width]) for i in range(len(words) - width + 1)]
    best = _ratio(matcher, name, CLOSE_ENOUGH)
    for run in runs:
        if run != name:
            best = max(best, WINDOW_SHARE * _ratio(matcher, run, max(CLOSE_ENOUGH, best)))
    return best


def _ratio(matcher: SequenceMatcher[str], candidate: str, least: float) -> float:
    """Return how near a candidate is, or 0 where it is surely below the least that counts."""
    matcher.set_seq1(candidate)
    near = matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least
    return matcher.ratio() if near else 0.0
