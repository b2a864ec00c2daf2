"""Which nodes a query gives for examples: like NAME, similar to NAME and NAME."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.errors import ArgumentError
from moviegraph.retrieval.fulltext import all_words
from moviegraph.retrieval.names import (
    WINDOW_SHARE,
    Named,
    disambiguated_names,
    equal_names,
    meanings,
    named_elsewhere,
    near_names,
    parted,
    read_as,
)
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.relatives import joining, members
from moviegraph.retrieval.wording import PRONOUNS, own_nouns, words_for
from moviegraph.sql.statements import matching_nodes
from moviegraph.sql.words import words_of

LIKENESS = re.compile(
    r"\b(?:like|liked|love[ds]?|similar\s+to|such\s+as|resembl(?:es?|ing)|close\s+to|"
    r"in\s+the\s+(?:vein|style|spirit)\s+of|reminiscent\s+of)\s+(?P<rest>\S.*)",
    re.I | re.S,
)
ANYTHING = r"something|anything|one|ones|more|things?|stuff"
SURE = r"(?:\s+(?:that|which)\s+(?:is|are))?\s+(?:like|similar\s+to|such\s+as|reminiscent\s+of)\s+"
OTHER = r"but|without|with|that|which|from|in|for"
CLAUSE = rf"(?=\s*(?:[,.;:!?]|$|\b(?:and|or|{OTHER})\b))"
END = rf"(?P<dated>\s+from\s+\d{{4}})?(?=\s*(?:[,.;:!?]|$|\b(?:{OTHER})\b))"
JOINED = re.compile(r"\s+(?:and|or)\s", re.I)
FURTHER = re.compile(r"\s*(?:,\s*(?:and|or)?|and|or)\s+(?:like\s+)?(?P<rest>\S.*)", re.S)
INDEFINITE = ("a ", "an ")
SIGNS = re.compile(r"[,.;:!?]")
MOST_WORDS, LONGEST_NAME = 12, 100  # many long ones would make a statement too large
MOST_EXAMPLES = 3
ENDS = " \t\n,.;:!?\"'\u2018\u2019\u201c\u201d"
OF_NAMES = (".!?", ".", "!?", "")
"""Ends of which any may belong to a name: E.T., Airplane!"""
STRIPPED = tuple("".join(each for each in ENDS if each not in kept) for kept in OF_NAMES)
CLOSE, MOST_GUESSED, MOST_WORDS_OF_A_GUESS = 0.8, 3, 6


@dataclass(frozen=True, slots=True)
class Example:
    """A node whose likeness is wanted.

    `told` says that the query tells it from others of its name; `group`, kind and name of what
    the query names instead, for which the first node of it stands.
    """

    key: int
    name: str
    told: bool = False
    group: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Likened:
    """The examples, and what to say of how they were read, or that there is none."""

    examples: tuple[Example, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the beginning of a text names, what to say of it, and the words of the name."""

    example: Example
    notes: tuple[str, ...]
    words: str


def likened(recording: Recording, node: NodeTable, text: str) -> Likened:
    """Return the nodes whose names follow words of likeness, and others that are listed behind."""
    match = LIKENESS.search(text)
    if match is None or not node.text:
        return Likened()
    rest = match["rest"]
    first = _read(recording, node, [*_beginnings(rest), *_common(recording, text)])
    if first is None:
        return _guessed(recording, node, text)
    found, notes = {first.example.key: first.example}, list(first.notes)
    rest = rest[_end(rest, first.words) :]
    while listed := FURTHER.match(rest):
        rest, name = listed["rest"], _name(listed["rest"])
        names = _beginnings(rest)
        if not names and first.words.islower() and name.lower() not in PRONOUNS:
            names = [*_punctuated(rest), name]
        few = len(found) < MOST_EXAMPLES
        read = _read(recording, node, names) if few and names else None
        if read is None:
            why = _lack(node, name) if few else f"at most {MOST_EXAMPLES} examples count"
            notes += [f"{name!r} was not used: {why}."] if name[:1].isupper() else []
            break
        found.setdefault(read.example.key, read.example)
        notes += read.notes
        rest = rest[_end(rest, read.words) :]
    return Likened(tuple(found.values()), tuple(notes))


def likened_to(recording: Recording, text: str) -> str:
    """Return what may be a name behind words of likeness, or an empty text."""
    match = LIKENESS.search(text)
    name = _name(match["rest"]) if match else ""
    return name if name and not begins_small(name) else "".join(_common(recording, text)[-1:])


def misspelt(recording: Recording, node: NodeTable, text: str) -> list[Named]:
    """Return the nodes whose names are spelt nearly as a few words that no text holds."""
    if len(text.split()) > MOST_WORDS_OF_A_GUESS or _is_held(recording, node, text):
        return []
    near = near_names(recording, node, text, MOST_GUESSED)
    return [each for each in near if each.closeness >= CLOSE]


def _is_held(recording: Recording, node: NodeTable, text: str) -> bool:
    try:
        condition = all_words(text)
    except ArgumentError:
        return True
    return bool(recording.read(matching_nodes(node, "CONTAINSTABLE", condition, 1)))


def _beginnings(rest: str) -> list[str]:
    """Return what may be a name at the beginning of a text, the longest first."""
    return [each for each in starts(rest) if not begins_small(each)]


def starts(rest: str) -> dict[str, int]:
    """Return the words at the beginning of a text, the most first, by the signs at their end.

    With each stands where it ends.
    """
    found: dict[str, int] = {}
    for word in reversed(list(islice(re.finditer(r"\S+", rest), MOST_WORDS))):
        start = rest[: word.end()]
        for signs in STRIPPED:
            name = " ".join(start.strip(signs).split())
            if 0 < len(name) <= LONGEST_NAME:
                found.setdefault(name, len(start.rstrip(signs)))
    return found


def _punctuated(rest: str) -> list[str]:
    """Return what may be a name in small letters with signs: airplane!, good bye, lenin!"""
    return [each for each in starts(rest) if SIGNS.search(each)]


def begins_small(name: str) -> bool:
    """Whether words begin in a small letter, but for an article: the Matrix."""
    return name.removeprefix("the ")[:1].islower()


def _end(rest: str, name: str) -> int:
    """Return where a name that was read from the beginning of a text ends."""
    words = r"\W+".join(re.escape(word) for word in name.split())
    match = re.match(rf"\W*{words}[!?\"'\u2019\u201d]*", rest, re.I)
    return match.end() if match else len(rest)


def _name(rest: str) -> str:
    match = re.match(rf".+?{CLAUSE}", rest, re.I | re.S)
    return match.group().strip(ENDS) if match else ""


def _common(recording: Recording, text: str) -> list[str]:
    """Return what may be a name in small letters behind `dishes like`, the longest first."""
    nouns = "|".join(map(re.escape, sorted(own_nouns(recording.session.contract))))
    asked = rf"(?:^|\b(?:something|anything|one|ones|{nouns})\s+)(?:like|similar\s+to)\s+"
    pattern = rf"{asked}(?P<rest>(?P<name>[\w'\u2019 ()-]+?){END}.*)"
    match = re.search(pattern, text, re.I | re.S)
    if match is None or match["name"].strip().lower() in PRONOUNS:
        return []
    name = match["name"].strip()
    parts = [name[: each.start()] for each in JOINED.finditer(name)]
    dated = [f"{name}{match['dated']}"] if match["dated"] else []
    names = [*_punctuated(match["rest"]), *dated, name, *reversed(parts)]
    return [each for each in names if len(each) <= LONGEST_NAME]


def _read(recording: Recording, node: NodeTable, names: Sequence[str]) -> _Reading | None:
    """Return what the first of some names that the graph knows means, a node or a group."""
    contract = recording.session.contract
    texts = {each: list(_spellings(contract, each)) for each in names}
    spelt = list(dict.fromkeys(text for each in texts.values() for text in each))
    equal = equal_names(recording, node, spelt)
    told = disambiguated_names(recording, node, names)
    groups = [(kind, equal_names(recording, kind, spelt)) for kind in joining(contract, node)]
    for name, meant in texts.items():
        lacking = _undated(node, name, names)
        for text in meant:
            notes = (*lacking, *(() if text == name else (f"{name!r} was read as {text!r}.",)))
            if found := equal.get(text.casefold()):
                example = Example(found[0].key, found[0].name)
                return _Reading(example, (*notes, *_several(node, found)), name)
            for kind, named in groups:
                group = named.get(text.casefold(), [])
                for one in members(recording, node, kind, group):
                    example = Example(one.key, one.name, group=(kind.name, group[0].name))
                    return _Reading(example, notes, name)
        for one in told.get(name, ()):
            return _Reading(Example(one.key, one.name, told=True), read_as(node, name, [one]), name)
    return None


def _spellings(contract: Contract, name: str) -> Iterator[str]:
    """Yield a name and what the glossary has for it, then the same without its article."""
    for each in (name, *re.findall(r"(?i)^the\s+(\S.*)", name)):
        yield from (each, *meanings(contract, each))


def _undated(node: NodeTable, name: str, names: Sequence[str]) -> Iterator[str]:
    """Say that no node bears a name together with what a query gives behind it: Dune 1884."""
    for each in names:
        both = parted(node, each)
        if both and both[0] == name:
            yield f"No {node.name} is named {each!r}."


def _several(node: NodeTable, found: Sequence[Named]) -> Iterator[str]:
    """Say that there are others of one name, of which the first is taken."""
    if len(found) > 1:
        listed = ", ".join(str(each.key) for each in found[:10])
        column = node.disambiguated_by
        advice = f" Give its {column} behind the name to mean one." if column else ""
        yield (
            f"{len(found)} nodes of kind {node.name} are named {found[0].name!r}: ids {listed}; "
            f"the first is meant.{advice}"
        )


def _guessed(recording: Recording, node: NodeTable, text: str) -> Likened:
    """Return the node whose name is spelt nearly so, or say that the graph lacks the name."""
    name = likened_to(recording, text)
    if not 0 < len(name.split()) <= MOST_WORDS_OF_A_GUESS or name.startswith(INDEFINITE):
        return Likened()
    sure = _is_sure(recording, node, text, name)
    near = near_names(recording, node, name, MOST_GUESSED)
    least = WINDOW_SHARE if sure and len(near) == 1 and " " in name else 1
    said = words_of(name)
    close = [each for each in near if each.closeness >= least or words_of(each.name) == said]
    close = close or misspelt(recording, node, name)
    if close:
        others = ", ".join(each.name for each in close[1:])
        more = f" Also spelt nearly so: {others}." if others else ""
        note = f"{name!r} was read as {close[0].name!r}.{more}"
        return Likened((Example(close[0].key, close[0].name),), (note,))
    elsewhere = named_elsewhere(recording, node, name) if sure else None
    listed = ", ".join(each.name for each in near)
    notes = (f"Ranked by the words alone: {_lack(node, name)}.", elsewhere)
    said = " ".join(filter(None, (*notes, listed and f"Nearest names: {listed}.")))
    return Likened(notes=(said,) if sure else ())


def _is_sure(recording: Recording, node: NodeTable, text: str, name: str) -> bool:
    """Whether a query surely gives words as a name: films like NAME."""
    nouns = "|".join(map(re.escape, sorted(words_for(recording.session.contract, node.name))))
    asked = rf"(?:^|\b(?:{ANYTHING}|{nouns})){SURE}{re.escape(name)}"
    return not name[0].islower() and re.search(asked, f" {text}", re.I) is not None


def _lack(node: NodeTable, name: str) -> str:
    return f"no {node.name} is named {name!r}"
