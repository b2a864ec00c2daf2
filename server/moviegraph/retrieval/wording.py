"""Reads the words of a question by the contract's glossary."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from moviegraph.contract.model import Alias, Contract, Unavailable

STOP_WORDS = frozenset(
    """
    a about all also am an and any are as at be been but by can could did do does for from had has
    have how i if in into is it its like me more most my no not of on or other our please show some
    something tell than that the their them then there these they this to want was we were what when
    where which who why will with would you your next find give list
    """.split()
)
LEADING = frozenset(
    """
    of the any a an with in from about more another one ones those some set being its same itself
    part
    """.split()
)
"""Words around a name that name nothing."""

QUOTES = "\"'\u2018\u2019\u201c\u201d"
PRONOUNS = frozenset({"her", "him", "it", "me", "that", "them", "these", "this", "those", "us"})
STORIED = r"(?<!by )(?<!from )\b(?:an?|about)\s+(?:(?!the\b|who\b|by\b|of\b)[\w-]+\s+){0,2}"


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Words of a question, and what they are taken to mean."""

    text: str
    meaning: str


def occurrence(word: str, text: str) -> re.Match[str] | None:
    """Return where a term of the glossary stands as words of its own.

    A term with a capital letter is meant with its capitals: "LA" is not "la".
    """
    if word.lower() not in text.lower():  # most terms; a pattern each is far slower
        return None
    flags = 0 if word != word.lower() else re.IGNORECASE
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags)


def expanded(question: str, contract: Contract) -> tuple[str, list[Interpretation]]:
    """Return the question with the glossary's abbreviations written out."""
    found: list[Interpretation] = []
    text = question
    for short, full in contract.glossary.abbreviations.items():
        match = occurrence(short, text) or occurrence(f"{short}s", text)
        if match is None or full.lower() in text.lower():
            continue
        found.append(Interpretation(match.group(), full))
        text = text[: match.start()] + full + text[match.end() :]
    return text, found


def aliases(question: str, contract: Contract) -> list[Alias]:
    """Return the other names of nodes that a question uses, the longest of overlapping ones."""
    matches = [
        (match.start(), match.end(), alias)
        for alias in contract.glossary.aliases
        if (match := occurrence(alias.alias, question))
    ]
    return [
        alias
        for start, end, alias in matches
        if not any(a <= start and end <= b and b - a > end - start for a, b, _ in matches)
    ]


def unavailable(question: str, contract: Contract) -> list[Unavailable]:
    """Return what the question asks for and the graph does not hold, one entry a gap."""
    found: dict[str, Unavailable] = {}
    for each in contract.glossary.unavailable:
        text = _without_figures(each.word, question) if each.figure else question
        if occurrence(each.word, text) or _asks_who(each.word, text):
            found.setdefault(each.message, each)
    return list(found.values())


def _without_figures(word: str, question: str) -> str:
    """Return a question without what its story is about: an actor, about lonely actors."""
    figure = rf"{STORIED}{re.escape(word)}\b(?!\s+of\b|['\u2019]s\b)"
    return re.sub(figure, " ", question, flags=re.IGNORECASE)


def _asks_who(term: str, question: str) -> bool:
    """Whether the question has the verb of a term behind "who": who directed it, directed by."""
    verb = term.removesuffix(" by")
    if verb == term:
        return False
    return re.search(rf"\bwho\s+(?:\w+\s+)?{re.escape(verb)}\b", question, re.I) is not None


def keywords(question: str, contract: Contract) -> dict[str, list[str]]:
    """Return, for each table that a keyword brings, the keywords that the question uses."""
    found: dict[str, list[str]] = {}
    for keyword in contract.glossary.keywords:
        if occurrence(keyword.word, question):
            found.setdefault(keyword.table, []).append(keyword.word)
    return found


def own_nouns(contract: Contract) -> set[str]:
    """Return the contract's own words for its kinds of node, as they stand around names."""
    words = {keyword.word.lower() for keyword in contract.glossary.keywords}
    kinds = {node.name.lower() for node in contract.nodes}
    kinds |= {each.word.lower() for each in contract.glossary.tables if contract.node(each.table)}
    return inflected(words | kinds)


def words_for(contract: Contract, kind: str) -> set[str]:
    """Return the words for a kind of node, in both numbers: film, films, movie, movies.

    Keywords are such words for the first kind alone; for others they may tell its nodes apart.
    """
    glossary = contract.glossary
    keywords = glossary.keywords if kind == contract.nodes[0].name else ()
    words = {each.word.lower() for each in (*glossary.tables, *keywords) if each.table == kind}
    return inflected(words | {kind.lower()})


def class_words(contract: Contract) -> set[str]:
    """Return the keywords of kinds that have some of their nodes for keywords: comedy, horror.

    Beside a node they say what it is, as words for its own kind do.
    """
    known = {(each.kind, each.alias.lower()) for each in contract.glossary.aliases}
    words = [(each.table, each.word.lower()) for each in contract.glossary.keywords]
    kinds = {kind for kind, word in words if (kind, word) in known}
    return inflected(word for kind, word in words if kind in kinds)


def inflected(words: Iterable[str]) -> set[str]:
    """Return words in both numbers, as far as simple."""
    return {f"{each}{ending}" for each in words for ending in ("", "s", "es")}


def content_words(text: str) -> set[str]:
    """Return the words that carry meaning, in lower case and in the singular as far as simple."""
    words = re.findall(r"[^\W_]+", text.lower())
    return set(_singular(word for word in words if len(word) > 2 and word not in STOP_WORDS))


def _singular(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield (
            word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        )
