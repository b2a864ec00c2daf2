"""Answers of a language model, kept so that nothing is paid for twice."""

import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path

from moviegraph.errors import SourceError

BATCH = 500
WAIT = 30.0


def answers_beside(target: Path) -> Path:
    """Return the file of the answers for a graph folder: beside it, so that a swap leaves it."""
    target = target.absolute()
    return target.with_name(f".{target.name}.answers.sqlite")


class AnswerStore:
    """JSON texts by the digest of their question; each is on the disk once `write` returns.

    A transaction each: a killed process leaves whole answers and nothing else. Safe to use from
    several threads, and from several processes.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._closed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _opened(path)
        except (OSError, sqlite3.OperationalError) as error:
            raise SourceError(
                f"{path} cannot be written: {error}.", hint="Name another file with --answers."
            ) from error
        except sqlite3.DatabaseError:  # no such file; what is in it may still be worth something
            path.replace(path.with_name(f"{path.name}.damaged"))
            self._connection = _opened(path)

    def read(self, digests: Iterable[str]) -> dict[str, str]:
        """Return those of the answers that are here."""
        wanted, found = list(digests), dict[str, str]()
        with self._lock:
            for start in range(0, len(wanted), BATCH):
                part = wanted[start : start + BATCH]
                marks = ",".join("?" * len(part))
                found.update(
                    self._connection.execute(
                        f"SELECT digest, answer FROM answers WHERE digest IN ({marks})",  # noqa: S608
                        part,
                    )
                )
        return found

    def write(self, digest: str, answer: str) -> None:
        """Keep an answer; nothing once the store is closed."""
        with self._lock:
            if not self._closed:
                with self._connection:
                    self._connection.execute(
                        "INSERT OR REPLACE INTO answers VALUES (?, ?)", (digest, answer)
                    )

    def close(self) -> None:
        """Close the file; it stays."""
        with self._lock:
            self._closed = True
            self._connection.close()


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=WAIT, check_same_thread=False)
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS answers (digest TEXT PRIMARY KEY, answer TEXT NOT NULL)"
        )
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
