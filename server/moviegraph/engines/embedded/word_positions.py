"""Decides by word positions what FTS5 cannot: phrases with gaps, prefixes or forms."""

import json
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations

from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.errors import ExecutionError
from moviegraph.sql.contains import Near, Phrase, PhraseKind

Place = tuple[int, str]
Span = tuple[int, int]
Spans = dict[Place, set[Span]]
LAST = "\U0010ffff"
AMONG = "doc IN (SELECT value FROM json_each(?))"
MAX_TRIES = 50_000  # a document; only terms that overlap each other need many


class WordPositions:
    """The positions of words in one index: document, column, offset."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        index: str,
        columns: frozenset[str],
        forms: Callable[[str], list[str]],
        stop: StopSignal,
    ) -> None:
        self._connection = connection
        self._index = index
        self._columns = columns
        self._forms = forms
        self._stop = stop

    def check(self) -> None:
        """Raise QueryTimeoutError if the search was stopped."""
        self._stop.check()

    def of_phrase(self, phrase: Phrase, candidates: set[int]) -> Spans:
        """Return the spans (first word, last word) of a phrase in the candidates."""
        among = json.dumps(sorted(candidates))
        starts: dict[Place, set[int]] | None = None
        for number, word in enumerate(phrase.words):
            if not word:
                continue
            offsets = self._offsets(word, phrase.kind, among)
            if starts is None:  # no phrase begins with a gap
                starts = offsets
                continue
            starts = {
                document_column: {at for at in positions if at + number in offsets[document_column]}
                for document_column, positions in starts.items()
                if document_column in offsets
            }
        last = len(phrase.words) - 1
        return {
            document_column: {(at, at + last) for at in positions}
            for document_column, positions in (starts or {}).items()
            if positions
        }

    def _offsets(self, word: str, kind: PhraseKind, among: str) -> dict[Place, set[int]]:
        offsets: dict[Place, set[int]] = defaultdict(set)
        if kind == "prefix":
            rows = self._rows("term >= ? AND term < ?", word, word + LAST, among)
            self._collect(rows, offsets)
            return offsets
        for form in self._forms(word) if kind == "forms" else [word]:
            self._collect(self._rows("term = ?", form, among), offsets)
        return offsets

    def _rows(self, term: str, *parameters: str) -> Iterable[tuple[int, str, int]]:
        self.check()
        return self._connection.execute(
            f"SELECT doc, col, offset FROM {self._index}_places "  # noqa: S608
            f"WHERE {term} AND {AMONG}",
            parameters,
        )

    def _collect(
        self, rows: Iterable[tuple[int, str, int]], offsets: dict[Place, set[int]]
    ) -> None:
        for document, column, offset in rows:
            if column in self._columns:
                offsets[document, column].add(offset)


def may_overlap(near: Near) -> bool:
    """Return whether one place of a text could count for two of the terms."""
    pairs = combinations(near.terms, 2)
    return any(_meet(first, second) for first, second in pairs)


def _meet(first: Phrase, second: Phrase) -> bool:
    return any(
        a and b and (a == b or _begins(a, b, second) or _begins(b, a, first))
        for a in first.words
        for b in second.words
    )


def _begins(word: str, beginning: str, of: Phrase) -> bool:
    return of.kind == "prefix" and word.startswith(beginning)


def near_documents(places: WordPositions, near: Near, candidates: set[int]) -> set[int]:
    """Return the candidates with the terms within the distance, and in order if requested.

    Occurrences never overlap; without distance and order they may be in multiple columns.
    """
    spans = [places.of_phrase(term, candidates) for term in near.terms]
    if near.distance is None and not near.ordered:
        spans = [_joined(span) for span in spans]
    common = set(spans[0]).intersection(*spans[1:])
    return {
        document_column[0]
        for document_column in common
        if _is_near(places, near, [sorted(span[document_column]) for span in spans])
    }


def _joined(spans: Spans) -> Spans:
    """Shift the columns of a document so that they follow each other."""
    shifted: Spans = {}
    for (document, column), column_spans in spans.items():
        offset = int(column[1:]) << 40
        moved = {(first + offset, last + offset) for first, last in column_spans}
        shifted.setdefault((document, ""), set[Span]()).update(moved)
    return shifted


def _is_near(places: WordPositions, near: Near, spans: list[list[Span]]) -> bool:
    places.check()
    return _Choice(places, near, spans).succeeds(())


class _Choice:
    """Chooses one occurrence a term within one document, none overlapping."""

    def __init__(self, places: WordPositions, near: Near, spans: list[list[Span]]) -> None:
        self._places = places
        self._spans = spans
        self._ordered = near.ordered
        self._max_distance = float("inf") if near.distance is None else near.distance
        self._twins = [_twin(near, number) for number in range(len(spans))]
        self._covered = sum(_length(span[0]) for span in spans)
        self._tries = 0

    def succeeds(self, previous: tuple[Span, ...]) -> bool:
        """Return whether occurrences of the other terms can be chosen.

        In order, the earliest span that follows is the closest one.
        """
        number = len(previous)
        if number == len(self._spans):
            return _gaps(previous) <= self._max_distance
        for span in self._possible(number, previous):
            self._count()
            if any(first <= span[1] and span[0] <= last for first, last in previous):
                continue
            if self._fits((*previous, span)) and self.succeeds((*previous, span)):
                return True
            if self._ordered and previous:
                return False
        return False

    def _possible(self, number: int, previous: tuple[Span, ...]) -> list[Span]:
        spans, twin = self._spans[number], self._twins[number]
        after = previous[-1] if self._ordered and previous else None
        if twin is not None:
            after = max(previous[twin], after) if after else previous[twin]
        return spans if after is None else spans[bisect_right(spans, after) :]

    def _fits(self, spans: tuple[Span, ...]) -> bool:
        """Return whether the distance can still be satisfied: unchosen terms are no gap."""
        first, last = min(span[0] for span in spans), max(span[1] for span in spans)
        return last - first + 1 - self._covered <= self._max_distance

    def _count(self) -> None:
        self._tries += 1
        if self._tries % 1000 == 0:
            self._places.check()
        if self._tries > MAX_TRIES:
            raise ExecutionError(
                "NEAR has too many terms that overlap each other.",
                code="too_complex",
                hint="Use fewer terms, or terms that share no word.",
            )


def _twin(near: Near, number: int) -> int | None:
    """Return the last term before that is the same: its occurrence is chosen first."""
    same = [at for at in range(number) if near.terms[at] == near.terms[number]]
    return same[-1] if same else None


def _length(span: Span) -> int:
    return span[1] - span[0] + 1


def _gaps(spans: tuple[Span, ...]) -> int:
    first, last = min(span[0] for span in spans), max(span[1] for span in spans)
    return last - first + 1 - sum(map(_length, spans))
