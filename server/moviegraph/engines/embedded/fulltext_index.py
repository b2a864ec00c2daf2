"""Answers CONTAINS and FREETEXT from the full-text side file."""

import re
import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.embedded.graph_files import FULLTEXT, REBUILD, GraphFiles
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.embedded.stemmer import Stems, open_stemmer
from moviegraph.engines.embedded.word_positions import WordPositions, may_overlap, near_documents
from moviegraph.errors import ExecutionError, GraphError, primary_code
from moviegraph.sql.contains import (
    PLACEHOLDER,
    STOP_WORDS,
    AllOf,
    AnyOf,
    Condition,
    Near,
    Phrase,
    Weighted,
    is_void,
    parts_of,
    split_words,
)

CONNECTIONS = 4
DAMAGED = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
)
WAIT = 0.05
LABEL_WEIGHT = 3.0
MAX_DISTANCE = 1_000_000
GAP = re.compile(" {2,}")
NOTHING = PLACEHOLDER + PLACEHOLDER  # no word of any index


HALF_RANK = 8.0  # the bm25 score that ranks 500 of 1000


Ids = NDArray[np.int64]


Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The ids found, ascending, and their ranks (0 to 1000)."""

    ids: Ids
    ranks: Ids


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The ids found, ascending, and the bm25 score of each."""

    ids: Ids
    values: Values

    def among(self, ids: Ids) -> "Scores":
        """Return those of these ids."""
        is_kept = np.isin(self.ids, ids, assume_unique=True)
        return Scores(self.ids[is_kept], self.values[is_kept])

    def plus(self, ids: Ids, values: Values) -> "Scores":
        """Return the sum with the scores of other ids."""
        together = np.union1d(self.ids, ids)
        total = np.zeros(len(together))
        total[np.searchsorted(together, self.ids)] = self.values
        total[np.searchsorted(together, ids)] += values
        return Scores(together, total)

    def hits(self) -> Hits:
        """Return the ids with their ranks."""
        return Hits(self.ids, _rank(self.values))


def _rank(scores: NDArray[np.float64]) -> Ids:
    """Scale bm25 to SQL Server's 0 to 1000, keeping the order."""
    positive = np.maximum(scores, 0.0)
    return np.rint(1000.0 * positive / (positive + HALF_RANK)).astype(np.int64)


def index_name(position: int) -> str:
    """Return the name of the index of the contract's node table at a position.

    Neutral names, because FTS5 reserves words that a contract may use.
    """
    return f"n{position}"


class FulltextIndex:
    """The full-text indexes of a graph; safe to use from several threads."""

    def __init__(self, files: GraphFiles) -> None:
        self._files = files
        self._stems_of = open_stemmer(files.stems)
        self._connections: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        uri = f"{(Path(files.folder) / FULLTEXT).absolute().as_uri()}?mode=ro&immutable=1"
        # All opened now, because a rebuilt graph may take the folder's place before the first use.
        with ExitStack() as undo:
            for _ in range(CONNECTIONS):
                connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
                undo.callback(connection.close)
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                self._connections.put(connection)
            undo.pop_all()

    def close(self) -> None:
        """Close the connections; waits for running searches."""
        for _ in range(CONNECTIONS):
            self._connections.get().close()

    def contains(
        self,
        table: str,
        columns: Sequence[str],
        condition: Condition,
        *,
        ranked: bool,
        stop: StopSignal,
    ) -> Hits:
        """Return the nodes that match a condition in any of the columns.

        Raises:
            ExecutionError: The condition is too complex.
            GraphError: The index cannot be read.
            QueryTimeoutError: The search was stopped.
        """
        with self._connection(stop) as connection:
            search = _Search(connection, self._files, table, columns, self._stems_of, stop)
            return search.hits(condition, ranked)

    def freetext(
        self, table: str, columns: Sequence[str], text: str, *, ranked: bool, stop: StopSignal
    ) -> Hits:
        """Return the nodes that contain any inflected form of any word that is no stop word."""
        words = dict.fromkeys(word for word in split_words(text) if word not in STOP_WORDS)
        condition = AnyOf(tuple(Phrase((word,), "forms") for word in words))
        return self.contains(table, columns, condition, ranked=ranked, stop=stop)

    def document_counts(self, table: str, words: Sequence[str], stop: StopSignal) -> dict[str, int]:
        """Return how many nodes contain each of some words, those that occur."""
        vocabulary = f"{index_name(self._files.number(table))}_words"
        placeholders = ", ".join("?" * len(words))
        sql = f"SELECT term, doc FROM {vocabulary} WHERE term IN ({placeholders})"  # noqa: S608
        with self._connection(stop) as connection:
            return dict(connection.execute(sql, list(words)))

    @contextmanager
    def _connection(self, stop: StopSignal) -> Generator[sqlite3.Connection]:
        connection = self._free_connection(stop)
        try:
            unregister = stop.on_start(connection.interrupt)
            try:
                yield connection
            finally:
                unregister()
        except sqlite3.DatabaseError as error:
            stop.check()
            if primary_code(error) in DAMAGED:
                raise GraphError(
                    "The full-text index of the graph cannot be read.", hint=REBUILD
                ) from error
            raise ExecutionError(
                "The full-text condition is too complex for the index.",
                code="too_complex",
                hint="Use fewer terms.",
            ) from error
        finally:
            self._connections.put(connection)

    def _free_connection(self, stop: StopSignal) -> sqlite3.Connection:
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
        files: GraphFiles,
        table: str,
        columns: Sequence[str],
        stems_of: Stems,
        stop: StopSignal,
    ) -> None:
        node = files.node(table)
        column_indexes = [node.searchable.index(name) for name in columns]
        self._connection = connection
        self._stems_of = stems_of
        self._index = index_name(files.number(table))
        self._filter = ""
        if len(column_indexes) < len(node.searchable):
            self._filter = "{" + " ".join(f"c{number}" for number in column_indexes) + "} : "
        weights = [LABEL_WEIGHT if name == node.label else 1.0 for name in node.searchable]
        self._score = f"-bm25({self._index}, {', '.join(map(str, weights))})"
        column_names = frozenset(f"c{at}" for at in column_indexes)
        self._places = WordPositions(connection, self._index, column_names, self._forms, stop)
        self._stop = stop

    def hits(self, condition: Condition, ranked: bool) -> Hits:
        if is_void(condition):
            return Hits(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        if isinstance(condition, Weighted) and ranked:
            return self._weighted(condition).hits()
        if ranked:
            return self._scores(condition).hits()
        if is_exact(condition):
            ids = self._ids(condition)
        else:
            ids = np.array(sorted(self._exact(condition)), dtype=np.int64)
        return Hits(ids, np.zeros(len(ids), dtype=np.int64))

    def _weighted(self, condition: Weighted) -> Scores:
        """Return the sum of the weighted scores of each node, added in the order of the terms."""
        total = Scores(np.zeros(0, dtype=np.int64), np.zeros(0))
        for term, weight in condition.terms:
            if not is_void(term):
                scores = self._scores(term)
                total = total.plus(scores.ids, weight * scores.values)
        return total

    def _scores(self, condition: Condition) -> Scores:
        scores = self._scored(self._text(condition))
        if is_exact(condition):
            return scores
        exact_ids = np.array(sorted(self._exact(condition)), dtype=np.int64)
        return scores.among(exact_ids)

    def _scored(self, text: str | None) -> Scores:
        rows = self._rows(f"rowid, {self._score}", text)
        values = np.fromiter(chain.from_iterable(rows), dtype=np.float64).reshape(-1, 2)
        return Scores(values[:, 0].astype(np.int64), values[:, 1])

    def _ids(self, condition: Condition) -> Ids:
        """Return the nodes that FTS5 finds, which are in the order of their ids."""
        rows = self._rows("rowid", self._text(condition))
        return np.fromiter(chain.from_iterable(rows), dtype=np.int64)

    def _rows(self, values: str, text: str | None) -> Iterable[tuple[float, ...]]:
        self._stop.check()
        if text is None:
            return ()
        return self._connection.execute(
            f"SELECT {values} FROM {self._index} WHERE {self._index} MATCH ?",  # noqa: S608
            (f"{self._filter}({text})",),
        )

    def _found(self, condition: Condition) -> set[int]:
        return set(self._ids(condition).tolist())

    def _exact(self, condition: Condition) -> set[int]:
        """Evaluate by sets what FTS5 can only answer with too many hits."""
        if is_void(condition):
            return set()
        if is_exact(condition):
            return self._found(condition)
        match condition:
            case AllOf():
                documents = set[int].intersection(*map(self._exact, condition.terms))
                return documents.difference(*map(self._exact, condition.without))
            case AnyOf() | Weighted():
                return set[int]().union(*map(self._exact, parts_of(condition)))
            case Phrase():
                spans = self._places.of_phrase(condition, self._found(condition))
                return {document for document, _ in spans}
            case Near():
                return near_documents(self._places, condition, self._found(condition))

    def _text(self, condition: Condition) -> str | None:
        """Render for FTS5, every word quoted; None when nothing is left. May find too much."""
        if is_void(condition):
            return None
        match condition:
            case Phrase():
                return self._phrase(condition)
            case Near():
                return self._near(condition)
            case AnyOf() | Weighted():
                return _joined("OR", [self._text(term) for term in parts_of(condition)])
            case AllOf():
                required = _joined("AND", [self._text(term) for term in condition.terms])
                if any(not is_exact(term) for term in condition.without):
                    return required
                return _joined("NOT", [required, *(self._text(term) for term in condition.without)])

    def _phrase(self, phrase: Phrase) -> str | None:
        if phrase.kind == "forms":
            return _joined("AND", [self._any_form(word) for word in phrase.words if word])
        return _plain_phrase(phrase)

    def _any_form(self, word: str) -> str:
        return f"({' OR '.join(map(_quoted, self._forms(word)))})"

    def _near(self, near: Near) -> str | None:
        if near.distance is None or not all(map(is_exact, near.terms)):
            return _joined("AND", [_plain_phrase(term) for term in near.terms])
        # FTS5 counts the words of middle terms as distance, SQL Server does not.
        lengths = sorted(len(term.words) for term in near.terms)
        distance = min(near.distance + sum(lengths[2:]), MAX_DISTANCE)
        return f"NEAR({' '.join(map(_plain_phrase, near.terms))}, {distance})"

    def _forms(self, word: str) -> list[str]:
        """Return the words of the index that share a word's stem, and the word itself."""
        stems = self._stems_of(word)
        rows = self._connection.execute(
            f"SELECT word FROM {self._index}_stems "  # noqa: S608
            f"WHERE stem IN ({', '.join('?' * len(stems))})",
            stems,
        )
        forms = {word, *(form for (form,) in rows)} - STOP_WORDS
        return sorted(forms) or [NOTHING]


def is_exact(condition: Condition) -> bool:
    """Return whether FTS5 answers the condition without finding too much."""
    match condition:
        case Phrase():
            return len(condition.words) < 2 or (condition.kind == "exact" and all(condition.words))
        case Near():
            plain = all(map(is_exact, condition.terms)) and not may_overlap(condition)
            lengths = {len(term.words) for term in condition.terms}
            alike = condition.distance is None or len(condition.terms) < 3 or len(lengths) == 1
            return plain and alike and not condition.ordered
        case _:
            return all(map(is_exact, parts_of(condition)))


def _quoted(text: str) -> str:
    """Quote for FTS5: nothing of the user's text may reach it unquoted."""
    storable = text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    return '"' + storable.replace('"', '""') + '"'


def _plain_phrase(phrase: Phrase) -> str:
    """Render a phrase of words or prefixes; with gaps and prefixes it may find too much."""
    if phrase.kind == "prefix":
        terms = [f"{_quoted(word)} *" for word in phrase.words]
    else:
        phrase_text = " ".join(phrase.words)
        terms = [_quoted(run) for run in GAP.split(phrase_text)]
    return terms[0] if len(terms) == 1 else f"NEAR({' '.join(terms)}, {len(phrase.words)})"


def _joined(operator: str, texts: Sequence[str | None]) -> str | None:
    operands = [text for text in texts if text is not None]
    if len(operands) < 2:
        return operands[0] if operands else None
    return "(" + f" {operator} ".join(operands) + ")"
