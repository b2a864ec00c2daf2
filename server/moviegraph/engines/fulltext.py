"""Answers CONTAINS and FREETEXT from the full-text side file."""

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract
from moviegraph.engines.contains import (
    Both,
    Condition,
    Either,
    Forms,
    Near,
    Phrase,
    Weighted,
    chain_of,
    words_of,
)
from moviegraph.engines.fulltext_file import index_name
from moviegraph.engines.phrases import Places, is_exact, ordered_near, prefixed_phrase
from moviegraph.engines.stems import Stemmer
from moviegraph.engines.stopping import Stop
from moviegraph.errors import ExecutionError

CONNECTIONS = 4
WAIT = 0.05
LABEL_WEIGHT = 3.0
HALF_RANK = 8.0  # the bm25 score that ranks 500 of 1000
STOP_WORDS = """
a about after all also an and any are as at be because been before being between both but by can
could did do does each for from further had has have having he her here hers him his how i if in
into is it its just me more most my no nor not of on only or other our out over own same she so
some such than that the their them then there these they this those through to too under until
up very was we were what when where which while who whom why will with would you your
"""

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The ids found, ascending, and their ranks (0 to 1000)."""

    ids: Ids
    ranks: Ids


class FulltextIndex:
    """The full-text indexes of a graph; safe to use from several threads."""

    def __init__(self, path: Path, contract: Contract) -> None:
        self._contract = contract
        self._stemmer = Stemmer()
        self._stop_words = frozenset(STOP_WORDS.split())
        self._connections: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        # All opened now, because a rebuilt graph may take the folder's place before the first use.
        with ExitStack() as undo:
            for _ in range(CONNECTIONS):
                connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
                undo.callback(connection.close)
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                self._connections.put(connection)
            undo.pop_all()

    def close(self) -> None:
        """Close the connections; waits for searches under way."""
        for _ in range(CONNECTIONS):
            self._connections.get().close()

    def contains(
        self,
        table: str,
        columns: Sequence[str],
        condition: Condition,
        *,
        ranked: bool,
        stop: Stop,
    ) -> Hits:
        """Return the nodes that a condition holds for, in any of the columns.

        Raises:
            ExecutionError: The condition is too complex.
            QueryTimeoutError: The search was stopped.
        """
        with self._connection(stop) as connection:
            search = _Search(connection, self._contract, table, columns, self._stemmer, stop)
            return search.hits(condition, ranked)

    def freetext(
        self, table: str, columns: Sequence[str], text: str, *, ranked: bool, stop: Stop
    ) -> Hits:
        """Return the nodes that hold any inflected form of any word that means something."""
        words = words_of(text)
        telling = tuple(word for word in words if word not in self._stop_words) or words
        return self.contains(table, columns, Forms(telling), ranked=ranked, stop=stop)

    @contextmanager
    def _connection(self, stop: Stop) -> Generator[sqlite3.Connection]:
        connection = self._free_connection(stop)
        try:
            ended = stop.on_start(connection.interrupt)
            try:
                yield connection
            finally:
                ended()
        except sqlite3.OperationalError as error:
            stop.check()
            raise ExecutionError(
                "The full-text condition is too complex for the index.",
                code="too_complex",
                hint="Use fewer terms.",
            ) from error
        finally:
            self._connections.put(connection)

    def _free_connection(self, stop: Stop) -> sqlite3.Connection:
        """Wait for a connection, as long as the statement may run."""
        while True:
            stop.check()
            try:
                return self._connections.get(timeout=WAIT)
            except Empty:
                continue


class _Search:
    """One search of one index."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        contract: Contract,
        table: str,
        columns: Sequence[str],
        stemmer: Stemmer,
        stop: Stop,
    ) -> None:
        names = [node.name for node in contract.nodes]
        node = contract.nodes[names.index(table)]
        wanted = [node.searchable.index(name) for name in columns]
        self._connection = connection
        self._stemmer = stemmer
        self._index = index_name(names.index(table))
        self._filter = ""
        if len(wanted) < len(node.searchable):
            self._filter = "{" + " ".join(f"c{number}" for number in wanted) + "} : "
        weights = [LABEL_WEIGHT if name == node.label else 1.0 for name in node.searchable]
        self._score = f"-bm25({self._index}, {', '.join(map(str, weights))})"
        self._places = Places(connection, self._index, frozenset(f"c{at}" for at in wanted), stop)

    def hits(self, condition: Condition, ranked: bool) -> Hits:
        if isinstance(condition, Weighted) and ranked:
            return self._weighted(condition)
        scores = self._scores(condition, ranked)
        ids = np.array(sorted(scores), dtype=np.int64)
        values = np.array([scores[each] for each in ids.tolist()], dtype=np.float64)
        return Hits(ids, _rank(values))

    def _weighted(self, condition: Weighted) -> Hits:
        total: dict[int, float] = {}
        for term, weight in condition.terms:
            for each, score in self._scores(term, ranked=True).items():
                total[each] = total.get(each, 0.0) + weight * score
        ids = np.array(sorted(total), dtype=np.int64)
        return Hits(ids, _rank(np.array([total[each] for each in ids.tolist()])))

    def _scores(self, condition: Condition, ranked: bool) -> dict[int, float]:
        found = self._query(self._text(condition), ranked)
        if not is_exact(condition):
            kept = self._exact(condition)
            found = {each: score for each, score in found.items() if each in kept}
        return found

    def _query(self, text: str | None, ranked: bool) -> dict[int, float]:
        if text is None:
            return {}
        score = self._score if ranked else "0.0"
        rows = self._connection.execute(
            f"SELECT rowid, {score} FROM {self._index} WHERE {self._index} MATCH ?",  # noqa: S608
            (f"{self._filter}({text})",),
        )
        return dict(rows.fetchall())

    def _exact(self, condition: Condition) -> set[int]:
        """Evaluate by sets what FTS5 can only answer with too many hits."""
        if is_exact(condition):
            return set(self._query(self._text(condition), ranked=False))
        candidates = set(self._query(self._text(condition), ranked=False))
        match condition:
            case Both():
                left, right = self._exact(condition.left), self._exact(condition.right)
                return left - right if condition.negated else left & right
            case Either():
                return self._exact(condition.left) | self._exact(condition.right)
            case Weighted():
                return {each for term, _ in condition.terms for each in self._exact(term)}
            case Phrase():
                return prefixed_phrase(self._places, condition, candidates)
            case Near():
                return ordered_near(self._places, condition, candidates)
            case Forms():
                return candidates

    def _text(self, condition: Condition) -> str | None:
        """Render for FTS5, every word quoted; None when no word is left. May find too much."""
        match condition:
            case Phrase():
                return _phrase(condition)
            case Forms():
                return _joined("OR", [self._forms(word) for word in condition.words])
            case Near():
                return _near(condition)
            case Weighted():
                return _joined("OR", [self._text(term) for term, _ in condition.terms])
            case Either():
                return _joined("OR", [self._text(each) for each in chain_of(condition)])
            case Both():
                return self._both(condition)

    def _both(self, condition: Both) -> str | None:
        if not condition.negated:
            return _joined("AND", [self._text(each) for each in chain_of(condition)])
        left = self._text(condition.left)
        right = self._text(condition.right) if is_exact(condition.right) else None
        return _joined("NOT", [left, right]) if left is not None else None

    def _forms(self, word: str) -> str:
        rows = self._connection.execute(
            f"SELECT word FROM {self._index}_stems WHERE stem = ?",  # noqa: S608
            (self._stemmer.stem(word),),
        )
        forms = {word, *(form for (form,) in rows)}
        return "(" + " OR ".join(_quoted(form) for form in sorted(forms)) + ")"


def _quoted(text: str) -> str:
    """Quote for FTS5: nothing of the user's text may reach it bare."""
    storable = text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    return '"' + storable.replace('"', '""') + '"'


def _phrase(term: Phrase) -> str | None:
    if not term.words:
        return None
    if not term.prefix:
        return _quoted(" ".join(term.words))
    return _joined("AND", [f"{_quoted(word)} *" for word in term.words])


def _near(near: Near) -> str | None:
    terms = [term for term in near.terms if term.words]
    loose = near.distance is None or any(term.prefix and len(term.words) > 1 for term in terms)
    if loose or len(terms) < 2:
        return _joined("AND", [_phrase(term) for term in terms])
    # FTS5 counts the words of middle terms as distance, SQL Server does not.
    middle = sum(len(term.words) for term in terms) - sum(
        sorted(len(term.words) for term in terms)[:2]
    )
    texts = " ".join(text for text in map(_phrase, terms) if text)
    return f"NEAR({texts}, {(near.distance or 0) + middle})"


def _joined(operator: str, texts: Sequence[str | None]) -> str | None:
    given = [text for text in texts if text is not None]
    if len(given) < 2:
        return given[0] if given else None
    return "(" + f" {operator} ".join(given) + ")"


def _rank(scores: NDArray[np.float64]) -> Ids:
    """Scale bm25 to SQL Server's 0 to 1000, keeping the order."""
    positive = np.maximum(scores, 0.0)
    return np.rint(1000.0 * positive / (positive + HALF_RANK)).astype(np.int64)
