"""Finds nodes by name: equal without regard to case, by the contract's aliases, or nearly equal."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any
from unicodedata import combining, normalize

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Spelling
from moviegraph.retrieval.recording import Recording
from moviegraph.sql.statements import nodes_named, nodes_sharing_pieces

MOST_NAMED = 1_000
CANDIDATES = 300
CLOSE_ENOUGH = 0.75
SHORTEST_GUESS, LONGEST_GUESS = 4, 80
LONGEST_EXCHANGED = 8
WINDOW_SHARE = 0.98


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


def aliased_names(recording: Recording, node: NodeTable, alias: str) -> list[Named]:
    """Return the nodes that the contract's glossary knows by another name."""
    wanted = alias.casefold()
    targets = [
        each.name
        for each in recording.session.contract.glossary.aliases
        if each.kind == node.name and each.alias.casefold() == wanted
    ]
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
    """Return the nodes whose name, or a run of words in it, is nearly the text; nearest first."""
    wanted = " ".join(text.split()).casefold()
    plain = unaccented(wanted)
    if not SHORTEST_GUESS <= len(wanted) <= LONGEST_GUESS:
        return []
    held = [*pieces(wanted), *exchanged(wanted)]
    rows = holding(recording, node, held)
    scored = [Named(key, name, closeness(plain, unaccented(name.casefold()))) for key, name in rows]
    close = [each for each in scored if each.closeness >= CLOSE_ENOUGH]
    return sorted(close, key=lambda each: (-each.closeness, each.key))[:count]


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
