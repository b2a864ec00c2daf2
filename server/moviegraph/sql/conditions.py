"""What a CONTAINS condition says: a tree of phrases, proximities and their combinations."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["exact", "prefix", "forms"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in a row: these words, words that begin so, or any inflected form of them.

    An empty word is a stop word, in whose place any word may stand. No words at all: `written` held
    nothing that an index keeps.
    """

    words: tuple[str, ...]
    kind: Kind = "exact"
    written: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Near:
    """Terms close to each other: at most `distance` other words between (None: any number)."""

    terms: tuple[Phrase, ...]
    distance: int | None = None
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Weighted:
    """Any of the terms; the weights enter the rank."""

    terms: tuple[tuple["Condition", float], ...]


@dataclass(frozen=True, slots=True)
class Every:
    """All of the terms, and none of `without`."""

    terms: tuple["Condition", ...]
    without: tuple["Condition", ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """Any of the terms."""

    terms: tuple["Condition", ...]


Condition = Phrase | Near | Weighted | Every | Either


def parts_of(condition: Condition) -> tuple[Condition, ...]:
    """Return the conditions that a condition is made of."""
    match condition:
        case Phrase():
            return ()
        case Near() | Either():
            return condition.terms
        case Weighted():
            return tuple(term for term, _ in condition.terms)
        case Every():
            return condition.terms + condition.without


def is_void(condition: Condition) -> bool:
    """Whether stop words let it find nothing: SQL Server keeps none in its index.

    With a term of stop words alone, AND, AND NOT and NEAR find nothing either.
    """
    match condition:
        case Phrase():
            return not condition.words
        case Near() | Every():
            return any(is_void(part) for part in parts_of(condition))
        case Either() | Weighted():
            return all(is_void(part) for part in parts_of(condition))


def phrases_of(condition: Condition) -> Iterator[Phrase]:
    """Yield the phrases of a condition, in the order written."""
    if isinstance(condition, Phrase):
        yield condition
    for part in parts_of(condition):
        yield from phrases_of(part)
