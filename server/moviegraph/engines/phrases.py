"""Decides by word positions what FTS5 cannot: phrases of prefixes, and NEAR in order."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator

from moviegraph.engines.contains import Both, Condition, Either, Near, Phrase, Weighted
from moviegraph.engines.stopping import Stop

Place = tuple[int, str]
Spans = dict[Place, set[tuple[int, int]]]
LAST = "\U0010ffff"


def is_exact(condition: Condition) -> bool:
    """Whether FTS5 answers the condition without finding too much."""
    match condition:
        case Phrase():
            return not (condition.prefix and len(condition.words) > 1)
        case Near():
            positioned = condition.ordered or not all(is_exact(term) for term in condition.terms)
            return not positioned
        case Both() | Either():
            return is_exact(condition.left) and is_exact(condition.right)
        case Weighted():
            return all(is_exact(term) for term, _ in condition.terms)
        case _:
            return True


class Places:
    """Where words stand in one index: document, column, offset."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        index: str,
        columns: frozenset[str],
        stop: Stop,
    ) -> None:
        self._connection = connection
        self._index = index
        self._columns = columns
        self._stop = stop

    def check(self) -> None:
        """Raise QueryTimeoutError if the search was stopped."""
        self._stop.check()

    def of_phrase(self, phrase: Phrase, candidates: set[int]) -> Spans:
        """Return the spans (first word, last word) where a phrase stands in the candidates."""
        spans: Spans = {}
        for number, word in enumerate(phrase.words):
            offsets = self._offsets(word, phrase.prefix, candidates)
            if number == 0:
                spans = {place: {(at, at) for at in found} for place, found in offsets.items()}
                continue
            spans = {
                place: {(first, last + 1) for first, last in found if last + 1 in offsets[place]}
                for place, found in spans.items()
                if place in offsets
            }
        return {place: found for place, found in spans.items() if found}

    def _offsets(self, word: str, prefix: bool, candidates: set[int]) -> dict[Place, set[int]]:
        found: dict[Place, set[int]] = defaultdict(set)
        for term in self._words(word) if prefix else [word]:
            self.check()
            rows: Iterable[tuple[int, str, int]] = self._connection.execute(
                f"SELECT doc, col, offset FROM {self._index}_places WHERE term = ?",  # noqa: S608
                (term,),
            )
            for document, column, offset in rows:
                if document in candidates and column in self._columns:
                    found[document, column].add(offset)
        return found

    def _words(self, beginning: str) -> list[str]:
        rows = self._connection.execute(
            f"SELECT term FROM {self._index}_words WHERE term >= ? AND term < ?",  # noqa: S608
            (beginning, beginning + LAST),
        )
        return [term for (term,) in rows]


def prefixed_phrase(places: Places, phrase: Phrase, candidates: set[int]) -> set[int]:
    """Return the candidates where each word of the phrase begins a word, in a row."""
    return {document for document, _ in places.of_phrase(phrase, candidates)}


def ordered_near(places: Places, near: Near, candidates: set[int]) -> set[int]:
    """Return the candidates where the terms stand within the distance (and in order, if asked)."""
    spans = [places.of_phrase(term, candidates) for term in near.terms if term.words]
    common = set(spans[0]).intersection(*spans[1:]) if spans else set[Place]()
    return {
        place[0]
        for place in common
        if _close(places, near, [sorted(each[place]) for each in spans])
    }


def _close(places: Places, near: Near, spans: list[list[tuple[int, int]]]) -> bool:
    most = float("inf") if near.distance is None else near.distance
    for chosen in _choices(spans, near.ordered):
        places.check()
        if _gaps(chosen) <= most:
            return True
    return False


def _choices(
    spans: list[list[tuple[int, int]]], ordered: bool, before: tuple[tuple[int, int], ...] = ()
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Choose one span a term; in order, the earliest that follows is the closest one."""
    if len(before) == len(spans):
        yield before
        return
    for span in spans[len(before)]:
        if not ordered or not before:
            yield from _choices(spans, ordered, (*before, span))
        elif span[0] > before[-1][1]:
            yield from _choices(spans, ordered, (*before, span))
            return


def _gaps(chosen: tuple[tuple[int, int], ...]) -> int:
    first, last = min(span[0] for span in chosen), max(span[1] for span in chosen)
    return last - first + 1 - sum(end - start + 1 for start, end in chosen)
