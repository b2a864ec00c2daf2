"""Decides by word positions what FTS5 cannot: phrases with gaps, prefixes or forms."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable

from moviegraph.engines.stopping import Stop
from moviegraph.sql.contains import Phrase, PhraseKind

Place = tuple[int, str]
Span = tuple[int, int]
Spans = dict[Place, set[Span]]
LAST = "\U0010ffff"
AMONG = "doc IN (SELECT value FROM json_each(?))"


class Places:
    """Where words stand in one index: document, column, offset."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        index: str,
        columns: frozenset[str],
        forms: Callable[[str], list[str]],
        stop: Stop,
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
        """Return the spans (first word, last word) where a phrase stands in the candidates."""
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
                place: {at for at in found if at + number in offsets[place]}
                for place, found in starts.items()
                if place in offsets
            }
        last = len(phrase.words) - 1
        return {
            place: {(at, at + last) for at in found}
            for place, found in (starts or {}).items()
            if found
        }

    def _offsets(self, word: str, kind: PhraseKind, among: str) -> dict[Place, set[int]]:
        found: dict[Place, set[int]] = defaultdict(set)
        if kind == "prefix":
            rows = self._rows("term >= ? AND term < ?", word, word + LAST, among)
            self._collect(rows, found)
            return found
        for form in self._forms(word) if kind == "forms" else [word]:
            self._collect(self._rows("term = ?", form, among), found)
        return found

    def _rows(self, term: str, *given: str) -> Iterable[tuple[int, str, int]]:
        self.check()
        return self._connection.execute(
            f"SELECT doc, col, offset FROM {self._index}_places "  # noqa: S608
            f"WHERE {term} AND {AMONG}",
            given,
        )

    def _collect(self, rows: Iterable[tuple[int, str, int]], found: dict[Place, set[int]]) -> None:
        for document, column, offset in rows:
            if column in self._columns:
                found[document, column].add(offset)
