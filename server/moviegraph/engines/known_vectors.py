"""Vectors that need not be computed again: of an older graph, of a file, of an unfinished build."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.space import VectorSpace
from moviegraph.engines.graph_folder import MANIFEST, vector_files
from moviegraph.errors import GraphError

StoredVector = NDArray[np.float16] | NDArray[np.float32]
KnownVectors = Mapping[bytes, StoredVector]
BATCH = 500


def vectors_of_graph(folder: Path, space: VectorSpace) -> dict[bytes, StoredVector]:
    """Return the vectors of a graph folder by text digest; none when it has another space."""
    try:
        record = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if not record["space"] or VectorSpace.from_record(record["space"]) != space:
            return {}
        found: dict[bytes, StoredVector] = {}
        for table in record["vectors"]:
            matrix, _, texts = vector_files(folder, table)
            found.update(_by_digest(np.load(texts), np.load(matrix)))
    except (OSError, ValueError, KeyError):
        return {}
    return found


def write_vectors(path: Path, known: KnownVectors, space: VectorSpace) -> None:
    """Write vectors to one .npz file that `read_vectors` reads."""
    digests = sorted(known)
    np.savez(
        path,
        space=np.array(json.dumps(asdict(space))),
        digests=digest_array(digests),
        vectors=np.array([known[each] for each in digests], dtype=np.float16),
    )


def read_vectors(path: Path, space: VectorSpace) -> dict[bytes, StoredVector]:
    """Read what `write_vectors` wrote; none when the file holds another space.

    Raises:
        GraphError: The file cannot be read.
    """
    try:
        with np.load(path) as stored:
            if VectorSpace.from_record(json.loads(str(stored["space"]))) != space:
                return {}
            return _by_digest(stored["digests"], stored["vectors"])
    except (OSError, ValueError, KeyError) as error:
        raise GraphError(f"{path} is no file of vectors.") from error


def digest_array(digests: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return digests as rows of 16 bytes."""
    return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 16)


def _by_digest(digests: NDArray[np.uint8], vectors: StoredVector) -> dict[bytes, StoredVector]:
    return {digests[row].tobytes(): vectors[row] for row in range(len(digests))}


class EmbeddingStore:
    """The vectors of an unfinished build, kept beside the target so that it can be resumed.

    Raises:
        sqlite3.OperationalError: The place cannot be written.
    """

    def __init__(self, target: Path, space: VectorSpace) -> None:
        self._path = target.with_name(f".{target.name}.embeddings-{space.id}")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = _opened(self._path)
        except sqlite3.OperationalError:  # the disk is full, as a rule: what is kept stays
            if not self._path.stat().st_size:
                self._path.unlink()
            raise
        except sqlite3.DatabaseError:  # a machine that stopped may have left it damaged
            self._path.unlink()
            self._connection = _opened(self._path)

    def read(self, digests: Iterable[bytes]) -> dict[bytes, StoredVector]:
        """Return those of the vectors that are here."""
        wanted, found = list(digests), dict[bytes, StoredVector]()
        for start in range(0, len(wanted), BATCH):
            part = wanted[start : start + BATCH]
            marks = ",".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT digest, vector FROM vectors WHERE digest IN ({marks})",  # noqa: S608
                part,
            )
            found.update((digest, np.frombuffer(blob, np.float16)) for digest, blob in rows)
        return found

    def write(self, vectors: KnownVectors) -> None:
        """Keep vectors; they outlive a killed process from now on."""
        rows = [(digest, vector.tobytes()) for digest, vector in vectors.items()]
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def __enter__(self) -> "EmbeddingStore":
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        """Close the file, and remove it when the build succeeded or there is nothing in it."""
        empty = self._connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is None
        self._connection.close()
        if failure is None or empty:
            self._path.unlink(missing_ok=True)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB)"
        )
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection
