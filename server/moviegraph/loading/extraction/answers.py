"""Answers of a language model, kept so that nothing is paid for twice."""

import sqlite3
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from moviegraph.errors import SourceError

OWN_NAME = "answers.sqlite"
BATCH = 500
WAIT = 30.0


def answers_beside(target: Path) -> Path:
    """Return the file of the answers for a graph folder: beside it, so that a swap leaves it."""
    target = target.absolute()
    return target.with_name(f".{target.name}.{OWN_NAME}")


class AnswerStore:
    """JSON texts by the digest of their question; each is on the disk once `write` returns.

    A transaction each: a killed process leaves whole answers and nothing else. Safe to use from
    several threads, and from several processes. The file comes with the first question.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        if path.is_file():
            self.create()

    def create(self) -> None:
        """Make sure that answers can be kept. Raises SourceError."""
        with self._lock, self._told():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connection or self._opened()

    def read(self, digests: Iterable[str]) -> dict[str, str]:
        """Return those of the answers that are here. Raises SourceError."""
        wanted, found = list(digests), dict[str, str]()
        with self._lock, self._told():
            for start in range(0, len(wanted), BATCH):
                found.update(_rows(self._connection, wanted[start : start + BATCH]))
        return found

    def write(self, digest: str, answer: str) -> None:
        """Keep an answer; nothing once the store is closed. Raises SourceError."""
        with self._lock, self._told():
            if self._connection:
                with self._connection:
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
    def _told(self) -> Generator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise SourceError(
                f"{self._path} cannot store responses: {error}.",
                hint=self._hint,
            ) from error

    @property
    def _hint(self) -> str:
        damaged = ", delete it if it is damaged" if self._path.name.endswith(OWN_NAME) else ""
        return f"Free disk space{damaged}, or name a different file with --answers."

    def _opened(self) -> sqlite3.Connection:
        try:
            return _connected(self._path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            if not self._path.name.endswith(OWN_NAME):
                raise  # somebody's file, named by mistake
            # Set aside: what is in it may still be worth something.
            self._path.replace(self._path.with_name(f"{self._path.name}.damaged"))
            return _connected(self._path)


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=WAIT, check_same_thread=False)
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS answers (digest TEXT PRIMARY KEY, answer TEXT NOT NULL)"
        )
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _rows(connection: sqlite3.Connection | None, digests: list[str]) -> list[tuple[str, str]]:
    if connection is None:
        return []
    marks = ",".join("?" * len(digests))
    query = f"SELECT digest, answer FROM answers WHERE digest IN ({marks})"  # noqa: S608
    return connection.execute(query, digests).fetchall()
