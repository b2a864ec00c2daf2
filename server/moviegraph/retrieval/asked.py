"""What a question asks exactly: the numbers, names, filters and exclusions that recall compares.

Two questions may share an answer only when all of these agree; likeness in meaning alone cannot
tell "after 1990" from "before 1990", nor "except Alien" from "Alien".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from moviegraph.contract.model import Contract
from moviegraph.retrieval.negations import negations
from moviegraph.retrieval.weighed_words import (
    DEED,
    LIGHT_STEMS,
    NEGATION,
    NUMBER_WORDS,
    SIDES,
    grouped,
    stems,
)
from moviegraph.retrieval.wording import aliases, occurrence


@dataclass(frozen=True, slots=True)
class Asked:
    """What must agree exactly (`facts`), and the words that carry the rest, in order.

    A name must stand in the other question too, letter by letter, with capitals or without.
    """

    facts: frozenset[tuple[str, str]]
    words: tuple[str, ...]
    names: frozenset[str]
    spelt: frozenset[str]
    sides: tuple[str, ...] = ()

    def agrees(self, other: "Asked") -> bool:
        """Whether a rewording may lie between the two, but no other condition.

        A word that only one of them has is a further condition; one word in the place of one other
        is another condition, however near in meaning ("dogs", "cats"). The same words in another
        order ask the same only where a whole part moved to the front or to the end.
        """
        if self.facts != other.facts or self.names - other.spelt or other.names - self.spelt:
            return False
        if any({a, b} == {"one", "other"} for a, b in zip(self.sides, other.sides, strict=True)):
            return False
        mine, others = set(self.words), set(other.words)
        if mine == others:
            return ("joined", "and") in self.facts or _turned(self.words, other.words)
        fewer, more = sorted((len(mine - others), len(others - mine)))
        return fewer > 0 and more > 1


def asked(question: str, contract: Contract) -> Asked:
    """Return what a question asks exactly; relative dates are written out before."""
    text = _aliased(question, contract)
    light = _light(contract)
    facts = {*_numbers(question), *grouped(text), *_excluded(question, light)}
    facts.update(_deeds(text, light))
    if re.search(r"\band\b", question, re.I):
        facts.add(("joined", "and"))
    spelt = frozenset(re.findall(r"[^\W_]+", text.lower()))
    words = tuple(dict.fromkeys(_carrying(text, light)))
    return Asked(frozenset(facts), words, frozenset(_names(text)), spelt, tuple(_sides(text)))


def _sides(text: str) -> Iterator[str]:
    """Yield for each pair of sides which one the text takes; nothing where it takes both."""
    for one, other in SIDES:
        first, second = one.search(text) is not None, other.search(text) is not None
        yield "" if first == second else "one" if first else "other"


def _deeds(text: str, light: frozenset[str]) -> Iterator[tuple[str, str]]:
    for does, suffers in DEED.findall(text):
        actor, other = stems((does.lower(), suffers.lower()))
        if actor not in light and other not in light:
            yield "deed", f"{actor} to {other}"


def _turned(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return any(words[at:] + words[:at] == others for at in range(max(1, len(words))))


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    for word in re.findall(r"\w+", text.lower()):
        if word in NUMBER_WORDS or any(letter.isdigit() for letter in word):
            yield "number", str(NUMBER_WORDS.get(word, word))


def _excluded(text: str, light: frozenset[str]) -> Iterator[tuple[str, str]]:
    for each in negations(text):
        yield "without", " ".join(sorted(_carrying(each.what, light)))
    yield "negated", str(NEGATION.search(text) is not None)


def _aliased(text: str, contract: Contract) -> str:
    """Write every other name as the name in the graph."""
    for alias in aliases(text, contract):
        found = occurrence(alias.alias, text)
        if found is not None and alias.name.lower() not in text.lower():
            text = text[: found.start()] + alias.name + text[found.end() :]
    return text


def _names(text: str) -> Iterator[str]:
    """Yield what is written as a name: capitals within a sentence, and quoted words."""
    for sentence in re.split(r"[.!?:]\s+", text):
        words = re.findall(r"[^\W_]+", sentence)
        yield from (word.lower() for word in words[1:] if word[0].isupper() and len(word) > 1)
    for quoted in re.findall(r"[\"\u201c]([^\"\u201d]+)[\"\u201d]", text):
        yield from re.findall(r"\w+", quoted.lower())


def _carrying(text: str, light: frozenset[str]) -> Iterator[str]:
    """Yield the stems of the words that carry a condition, in order."""
    joined = re.sub(r"['\u2019]s\b|(?<=\w)-(?=\w)", "", text.lower())
    words: list[str] = re.findall(r"[^\W_]+", joined)
    counted = (NUMBER_WORDS.get(word, word) for word in words)
    return (stem for stem in stems(counted) if stem not in light)


def _light(contract: Contract) -> frozenset[str]:
    target = contract.nodes[0].name.lower()
    return LIGHT_STEMS.union(stems((target, f"{target}s", "graph", *_own_words(contract))))


def _own_words(contract: Contract) -> list[str]:
    """Return the words for the first kind of node; those for the others are conditions."""
    target = contract.nodes[0].name
    return [each.word.lower() for each in contract.glossary.keywords if each.table == target]
