"""The write-ahead log of one file: how far it has grown, and what writes it into the file."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Lock

from moviegraph.journal.opening import connect

# SQLite itself does it at 1,000 pages, in the append that reaches them.
MOST_PAGES = 700
PAGES = 6  # of a record: one in the table, and in each index
PAGE = 4096


class Log:
    """Written into the file over a connection of its own, so that appends need not wait for it.

    Without a path, or where that connection cannot be made, it is left to SQLite.
    """

    def __init__(self, path: Path | None) -> None:
        self._connection = None if path is None else _opened(path)
        self._lock = Lock()
        self._pages = 0

    def grow(self, length: int) -> None:
        """Count a record of so many characters."""
        self._pages += PAGES + length // PAGE

    @property
    def long(self) -> bool:
        """Whether it is to be written into the file."""
        return self._connection is not None and self._pages > MOST_PAGES

    def shorten(self) -> None:
        """Write it into the file; what cannot be written stays in it, and is tried again later.

        https://www.sqlite.org/wal.html#checkpointing
        """
        self._pages = 0
        with self._lock, suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Release the file, once nothing is written into it."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()


def _opened(path: Path) -> sqlite3.Connection | None:
    """Connect to a file that is there, and to its log; None where that fails."""
    connection = None
    try:
        connection = connect(f"{path.resolve().as_uri()}?mode=rw")
        connection.execute("SELECT 1 FROM origin").fetchone()
    except sqlite3.Error:
        if connection is not None:
            connection.close()
        return None
    return connection
