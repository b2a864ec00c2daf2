"""Finds the names in a question that the graph does not know, where it says that they lack."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from moviegraph.contract.model import NodeTable, Unavailable
from moviegraph.errors import MoviegraphError
from moviegraph.retrieval.names import equal_names, meanings
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.wording import STOP_WORDS, keywords, occurrence
from moviegraph.sql.statements import literal, named_first

ANY, BY = "*", " by "
PART = r"[^\W\d_a-z][\w.-]*(?:['\u2019](?!s\b)\w+)?"
NAME = rf"(?P<name>{PART}(?:\s+(?:(?:de|del|der|di|du|la|le|van|von)\s+)*{PART})*)"
MOST = 3
Parts = Literal["none", "written", "begun"]


def unknown_names(
    recording: Recording, question: str, known: Sequence[Unavailable]
) -> list[Unavailable]:
    """Return the gaps that names in the question stand for: the words, and what to say.

    A name is unknown where no node bears it; behind "by", where none is called so and no more.

    Args:
        recording: Runs the statements that look names up.
        question: The question.
        known: The gaps that are known of it by their words, which are not named twice.
    """
    found: dict[str, Unavailable] = {}
    contract = recording.session.contract
    said = {each.word.lower() for each in known}
    for gap in contract.glossary.unavailable:
        for text, readings in _named(gap.word, question) if len(found) < MOST else ():
            new = readings[0] not in found and not any(word in text.lower() for word in said)
            if new and not _is_known(recording, readings, gap.word):
                found[readings[0]] = gap.model_copy(update={"word": text})
    return list({each.message: each for each in reversed(found.values())}.values())


def _named(word: str, question: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield where a question has the words of a gap around a name, and how the name may read."""
    if ANY not in word:
        return
    before, after = (re.escape(part) for part in word.split(ANY, 1))
    pattern = rf"(?<!\w){_either_case(before)}{NAME}{after}(?!\w)"
    for match in re.finditer(pattern, question):
        name = match["name"].rstrip(".")
        if name.lower() in STOP_WORDS or name.isupper():
            continue
        inside = before or match.start() or word.startswith(f"{ANY}'")
        readings = (name,) if inside else _behind_the_first(name)
        if readings:
            yield match.group(), readings


def _either_case(words: str) -> str:
    return f"(?i:{words})" if words else ""


def _behind_the_first(name: str) -> tuple[str, ...]:
    """Return the readings of a name at the beginning, where every word has a capital.

    A single word there is taken for one of the language: Recent films, French films.
    """
    _, parted, rest = name.partition(" ")
    return (name, rest) if parted else ()


def _is_known(recording: Recording, readings: Sequence[str], word: str) -> bool:
    """Whether a reading is known; one without the first word by its words as they are written.

    Behind a first name, as in Tom Hanks, a last word that others bear too says nothing.
    """
    whole, *rests = readings
    try:
        nodes = recording.session.contract.nodes
        if _is_held(recording, whole, nodes, "none" if BY in word else "begun"):
            return True
        named = _first_named(recording, whole.split()[0]) if rests else []
        others = [each for each in nodes if each not in named]
        parts: Parts = "none" if named else "written"
        return any(_is_held(recording, rest, others, parts) for rest in rests)
    except MoviegraphError:
        return True


def _first_named(recording: Recording, first: str) -> list[NodeTable]:
    """Return the kinds where a word is a first name: borne alone, and the first of other names.

    A kind of common nouns has none, nor has the kind that is most often asked for.
    """
    kinds = [each for each in recording.session.contract.nodes[1:] if not each.common_nouns]
    return [
        each
        for each in kinds
        if equal_names(recording, each, [first]) and recording.read(named_first(each, first))
    ]


def _is_held(recording: Recording, name: str, kinds: Sequence[NodeTable], parts: Parts) -> bool:
    """Whether a node bears the name, alone or among others, or the contract knows the word.

    Among others, a single word stands as it is `written`, or longer ones may have `begun` with it.
    """
    contract = recording.session.contract
    if meanings(contract, name) or keywords(name, contract):
        return True
    if any(occurrence(each.alias, name) for each in contract.glossary.aliases):
        return True
    return any(
        equal_names(recording, node, [name])
        or (parts != "none" and _is_part(recording, node, name, parts))
        for node in kinds
    )


def _is_part(recording: Recording, node: NodeTable, name: str, parts: Parts) -> bool:
    words = re.sub(r"[^\w\s'\u2019-]", " ", name).split()
    if node.label not in node.searchable or not words:
        return False
    phrase = " ".join(words)
    term = f'"{phrase}"'
    if len(words) == 1:
        begun = f'"{phrase.removesuffix("s")}*"'
        term = begun if parts == "begun" else f'{term} OR "{phrase}s"'
    return bool(
        recording.read(
            f"SELECT TOP (1) n.{node.key} FROM {node.name} AS n "
            f"WHERE CONTAINS(n.{node.label}, {literal(term)})"
        )
    )
