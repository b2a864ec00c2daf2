"""Results that were asked for lately, within a number of bytes."""

import threading
from collections import OrderedDict
from contextlib import AbstractContextManager
from sys import getsizeof

from moviegraph.at_hand import NotAtHand
from moviegraph.engines.base import Budget, Cancellation, Description, ResultSet, Statement
from moviegraph.engines.graph_reader import GraphReader

SHARE = 8
"""No result takes more than this part of the room."""

SLOT = 8
"""Bytes that a row takes for each cell, beside the value."""

FORMS = 2
"""The cells are kept as rows, and as the lists and the text of an answer."""

DERIVED = 130
"""Bytes that a row takes for its list in an answer, and for which node it is."""

Key = tuple[str, bytes | None, int, int, int]


class ResultCache:
    """The results used last, for as long as the data stay as they are; safe from several threads.

    Args:
        room: Most bytes of all of them together; with 0 none is kept.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._taken = 0
        self._lock = threading.Lock()
        self._results: OrderedDict[Key, tuple[ResultSet, int]] = OrderedDict()

    def find(self, key: Key) -> ResultSet | None:
        """Return the result that was kept under a key, if any; its rows are the caller's own."""
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            result, _ = self._results[key]
        return _copy(result)

    def keep(self, key: Key, result: ResultSet) -> None:
        """Keep a result, in the place of those that were not asked for the longest."""
        size = sum(map(getsizeof, key)) + result_bytes(result)
        if size > self._room // SHARE:
            return
        kept = _copy(result)
        with self._lock:
            _, before = self._results.pop(key, (None, 0))
            self._results[key] = kept, size
            self._taken += size - before
            while self._taken > self._room:
                _, (_, left) = self._results.popitem(last=False)
                self._taken -= left


def result_key(statement: Statement, budget: Budget) -> Key:
    """Return what a result depends on beside the data: statement, vector and what cuts it."""
    vector = None if statement.vector is None else statement.vector.tobytes()
    return statement.allowed.sql, vector, budget.rows, budget.bytes, budget.cell


def _copy(result: ResultSet) -> ResultSet:
    return ResultSet(result.columns, list(result.rows), result.truncated, result.derived)


def result_bytes(result: ResultSet) -> int:
    """Return about how many bytes a result takes, with what is made of it for an answer."""
    cells = sum(getsizeof(cell) + SLOT for row in result.rows for cell in row)
    return FORMS * cells + len(result.rows) * (getsizeof(()) + DERIVED)


MOST_CELLS = 2_000
"""Of a result: making a larger one ready for its client would hold up the others."""


class NonblockingEngine:
    """Gives the results that are kept; for the rest it raises NotAtHand."""

    def __init__(self, kept: ResultCache, description: Description) -> None:
        self._kept = kept
        self._description = description

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        """Return the result that is kept."""
        budget.cancellation.check()
        known = self._kept.find(result_key(statement, budget))
        if known is None or len(known.rows) * len(known.columns) > MOST_CELLS:
            raise NotAtHand
        return known

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        """Raise NotAtHand."""
        raise NotAtHand

    def reader(self, budget: Budget) -> AbstractContextManager[GraphReader]:
        """Raise NotAtHand."""
        raise NotAtHand

    def describe(self) -> Description:
        """Return counts, identity and capabilities."""
        return self._description

    def close(self) -> None:
        """Do nothing: the engine closes what is its own."""
