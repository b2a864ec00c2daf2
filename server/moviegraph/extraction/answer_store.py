"""Stored answers of the model, so that a load that is repeated asks only for the rest."""

import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from moviegraph.errors import SourceError

DEFAULT_NAME = "answers.sqlite"
LOCK_SECONDS = 30.0
CREATE = "CREATE TABLE IF NOT EXISTS answers (digest TEXT PRIMARY KEY, answer TEXT NOT NULL)"


def answers_beside(target: Path) -> Path:
    """Return the file of the answers for a graph folder: next to it, so that a swap leaves it."""
    target = target.absolute()
    return target.with_name(f".{target.name}.{DEFAULT_NAME}")


class AnswerStore:
    """JSON texts by the digest of their question; each is on the disk once `write` returns.

    A transaction per answer: a killed process leaves complete answers and nothing else. Safe to
    use from multiple threads and processes. The file is created with the first question.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_default = path.name.endswith(DEFAULT_NAME)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        if path.is_file():
            self.create()

    def create(self) -> None:
        """Make sure that answers can be stored. Raises SourceError."""
        with self._locked():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connection or sqlite3.connect(
                self._path, LOCK_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.execute(CREATE)

    def read(self, digest: str) -> str | None:
        """Return a stored answer, or None. Raises SourceError."""
        query = "SELECT answer FROM answers WHERE digest = ?"
        with self._locked():
            row = self._connection and self._connection.execute(query, (digest,)).fetchone()
        return row[0] if row else None

    def write(self, digest: str, answer: str) -> None:
        """Store an answer; nothing once the store is closed. Raises SourceError."""
        with self._locked():
            if self._connection:
                self._connection.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?)", (digest, answer)
                )

    def close(self) -> None:
        """Close the file; it stays."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    @contextmanager
    def _locked(self) -> Generator[None]:
        try:
            with self._lock:
                yield
        except (OSError, sqlite3.Error) as error:
            damaged = ", delete it if it is damaged" if self._is_default else ""
            raise SourceError(
                f"{self._path} cannot store responses: {error}.",
                hint=f"Free disk space{damaged}, or name a different file with --answers.",
            ) from error
