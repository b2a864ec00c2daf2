"""Cache of the results of statements."""

from dataclasses import replace
from sys import getsizeof

from moviegraph.cache import ByteCache
from moviegraph.engines.base import Budget, ResultSet, Statement

CELL_BYTES = 8  # that a row takes for each cell, beside the value
CELL_COPIES = 2  # as rows, and as the lists and the text of a tool's result
ROW_BYTES = 130  # for its list in a tool's result, and for its node
Key = tuple[str, bytes | None, int, int, int]
Entry = tuple[Key, ResultSet]


class ResultCache:
    """The results used last, for as long as the data stay as they are; safe for threads.

    Args:
        max_bytes: Room for all results; with 0 none is cached.
    """

    def __init__(self, max_bytes: int) -> None:
        self._entries = ByteCache(max_bytes, _entry_bytes)

    def find(self, key: Key) -> ResultSet | None:
        """Return the result cached under a key, if any; the caller may change its list of rows."""
        entry: Entry | None = self._entries.peek(key)
        return None if entry is None else _copy(entry[1])

    def store(self, key: Key, result: ResultSet) -> None:
        """Cache a result instead of those that were not used for the longest time."""
        entry = key, _copy(result)
        self._entries.get(key, lambda: entry)


def result_key(statement: Statement, budget: Budget) -> Key:
    """Return what a result depends on beside the data: statement, vector and limits."""
    vector = None if statement.vector is None else statement.vector.tobytes()
    return statement.allowed.sql, vector, budget.rows, budget.bytes, budget.cell


def _copy(result: ResultSet) -> ResultSet:
    return replace(result, rows=list(result.rows))


def _entry_bytes(entry: Entry) -> int:
    key, result = entry
    return sum(map(getsizeof, key)) + result_bytes(result)


def result_bytes(result: ResultSet) -> int:
    """Return about how many bytes a result takes, with what a tool derives from it."""
    cells = sum(getsizeof(cell) + CELL_BYTES for row in result.rows for cell in row)
    return CELL_COPIES * cells + len(result.rows) * (getsizeof(()) + ROW_BYTES)
