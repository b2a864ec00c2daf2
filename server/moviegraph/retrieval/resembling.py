"""What a query asks for beside its words: likeness to a named node, and what is left out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from moviegraph.contract.model import NodeTable
from moviegraph.retrieval.clear_wishes import PRONOUNS, QUOTES, Spoken, meant, spoken, unread
from moviegraph.retrieval.exclusions import ALIAS, Exclusion, exclusions, own_nouns
from moviegraph.retrieval.names import Named, equal_names
from moviegraph.retrieval.recording import Recording
from moviegraph.sql.statements import literal

LIKENESS = re.compile(
    r"\b(?:like|liked|love[ds]?|similar\s+to|such\s+as|resembl(?:es?|ing)|close\s+to|"
    r"in\s+the\s+(?:vein|style|spirit)\s+of|reminiscent\s+of)\s+(?P<rest>\S.*)",
    re.I | re.S,
)
CLAUSE = r"(?=\s*(?:[,.;:!?]|$|\b(?:and|but|without|with|that|which|from|in|for)\b))"
MOST_WORDS = 12
LONGEST_TEXT = 2_000
ENDS = " \t\n,.;:!?\"'\u2019\u201c\u201d"


@dataclass(frozen=True, slots=True)
class Wish:
    """The text to search with, the conditions that nodes meet under the alias m, and notes.

    `example` is the key of the node whose likeness is wanted.
    """

    text: str
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    example: int | None = None


def wished(recording: Recording, node: NodeTable, text: str) -> Wish:
    """Read a query: `similar to NAME` by the text of that node, `but not NAME` as a condition.

    Names count if the graph holds them, so a query without any is searched as it stands.
    """
    contract = recording.session.contract
    found = _left_out(recording, node, text)
    said = _spoken(recording, node, text)
    example = _example(recording, node, text)
    if example is None:
        known = [each for each in found if each.kinds]
        named = meant(contract, known, said)
        wish = _without(text, named, unread(contract, known, said))
        return _by_left_out(recording, node, wish, named)
    held = [each for each in found if each.kinds or _held(recording, node, each)]
    wish = _without(text, held, unread(contract, held, said))
    text_of = f"SELECT TOP (1) n.{node.text} FROM {node.name} AS n WHERE n.{node.key} = "
    described = recording.read(f"{text_of}{example.key}")[0][0] or wish.text
    left_out = f"m.{node.label} <> {literal(example.name)}"
    note = f"Ranked by likeness to {example.name!r} ({example.key}), which is left out."
    return Wish(described[:LONGEST_TEXT], (*wish.kept, left_out), (*wish.notes, note), example.key)


def _left_out(recording: Recording, node: NodeTable, text: str) -> list[Exclusion]:
    """Return what a query leaves out, by names of the graph (with kinds) or by words alone."""
    contract = recording.session.contract
    if node.name != contract.nodes[0].name:
        return []
    return exclusions(recording, text, own_nouns(contract))


def _spoken(recording: Recording, node: NodeTable, text: str) -> dict[str, Spoken]:
    contract = recording.session.contract
    return spoken(contract, text) if node.name == contract.nodes[0].name else {}


def _held(recording: Recording, node: NodeTable, exclusion: Exclusion) -> bool:
    """Whether a condition by mere words leaves anything out."""
    return bool(
        recording.read(
            f"SELECT TOP (1) {ALIAS}.{node.key} FROM {node.name} AS {ALIAS} "
            f"WHERE NOT ({exclusion.where})"
        )
    )


def _without(text: str, found: Sequence[Exclusion], unknown: Iterable[Spoken]) -> Wish:
    """Cut what is left out from the text, and make it a condition; say what could not be."""
    notes: list[str] = []
    rest = text
    for each in found:
        rest = rest.replace(each.text, " ")
    if found:
        named = ", ".join(repr(each.what) for each in found)
        notes.append(f"Left out, as the query says: {named}.")
    for each in unknown:
        rest = rest.replace(each.text, " ") if each.named else rest
        what = each.what.strip(QUOTES)
        notes.append(f"Nothing was left out for {what!r}: the graph holds nothing of that name.")
    kept = tuple(each.where for each in found)
    if not rest.strip(ENDS):
        return Wish(text, notes=tuple(notes[len(found) > 0 :]))
    return Wish(" ".join(rest.split()), kept, tuple(notes))


def _by_left_out(
    recording: Recording, node: NodeTable, wish: Wish, found: Sequence[Exclusion]
) -> Wish:
    """Rank by likeness to a node of what is both likened to and left out: like a series."""
    match = LIKENESS.search(wish.text)
    rest = match.group("rest").casefold() if match else ""
    for each in found:
        if rest.strip(ENDS) == each.what.casefold():
            rows = _linked(recording, node, each.kinds[-1], each.what)
            for key, name, described in rows:
                note = f"Ranked by likeness to {name!r} ({key}), of {each.what!r}."
                text = described or wish.text
                return Wish(text[:LONGEST_TEXT], wish.kept, (*wish.notes, note), key)
    return wish


def _linked(recording: Recording, node: NodeTable, kind: str, name: str) -> Sequence[Sequence[Any]]:
    """Return key, name and text of the first node that is linked to a node of another kind."""
    contract = recording.session.contract
    other = contract.node(kind)
    ways = contract.between(node.name, kind)
    if other is None or other is node or not ways or not node.text:
        return []
    arrow = "n-(e)->o" if ways[0].from_table == node.name else "o-(e)->n"
    return recording.read(
        f"SELECT TOP (1) n.{node.key}, n.{node.label}, n.{node.text} "
        f"FROM {node.name} AS n, {ways[0].name} AS e, {other.name} AS o "
        f"WHERE MATCH({arrow}) AND o.{other.label} = {literal(name)} ORDER BY n.{node.key}"
    )


def _example(recording: Recording, node: NodeTable, text: str) -> Named | None:
    """Return the node of the longest name that follows words of likeness."""
    match = LIKENESS.search(text)
    if match is None or not node.text:
        return None
    words = match.group("rest").split()[:MOST_WORDS]
    starts = [" ".join(words[:count]).strip(ENDS) for count in range(len(words), 0, -1)]
    names = [each for each in starts if each and not each[0].islower()]
    names += _common(recording, text)
    found = equal_names(recording, node, names)
    return next((found[each.casefold()][0] for each in names if each.casefold() in found), None)


def likened_to(recording: Recording, text: str) -> str:
    """Return what may be a name behind words of likeness, or an empty text."""
    match = LIKENESS.search(text)
    found = re.match(rf".+?{CLAUSE}", match["rest"], re.I | re.S) if match else None
    name = found.group().strip(ENDS) if found else ""
    return name if name and not name[0].islower() else "".join(_common(recording, text))


def _common(recording: Recording, text: str) -> list[str]:
    """Return what may be a name in small letters: all that follows `dishes like`."""
    nouns = "|".join(map(re.escape, sorted(own_nouns(recording.session.contract))))
    asked = rf"(?:^|\b(?:something|anything|one|ones|{nouns})\s+)(?:like|similar\s+to)\s+"
    match = re.search(rf"{asked}(?P<name>[\w'\u2019 -]+?){CLAUSE}", text, re.I)
    name = match["name"].strip() if match else ""
    return [name] if name and name.lower() not in PRONOUNS else []
