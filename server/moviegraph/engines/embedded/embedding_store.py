"""Vectors that need not be computed again: of an older graph, of a file, of an unfinished build."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.embeddings.embedder import Embedder, VectorSpace
from moviegraph.engines.base import Vector
from moviegraph.engines.embedded.graph_files import MANIFEST, vector_files
from moviegraph.engines.embedded.vector_table import stored_type
from moviegraph.engines.graph_records import NodeColumns, embed_texts, text_digest
from moviegraph.errors import GraphError

StoredVector = NDArray[np.float16] | NDArray[np.float32]
KnownVectors = Mapping[bytes, StoredVector]
MAX_PLACEHOLDERS = 500
Progress = Callable[[str, int, int], None]
BATCH = 64


def vectors_of_graph(folder: Path, space: VectorSpace) -> dict[bytes, StoredVector]:
    """Return the vectors of a graph folder by text digest; none when it has a different space."""
    try:
        record = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if not record["space"] or VectorSpace.from_record(record["space"]) != space:
            return {}
        vectors: dict[bytes, StoredVector] = {}
        for table in record["vectors"]:
            matrix, _, texts = vector_files(folder, table)
            vectors.update(_by_digest(np.load(texts), np.load(matrix)))
    except (OSError, ValueError, KeyError):
        return {}
    return vectors


def write_vectors(path: Path, known: KnownVectors, space: VectorSpace) -> None:
    """Write vectors to one .npz file that `read_vectors` reads."""
    digests = sorted(known)
    np.savez(
        path,
        space=np.array(json.dumps(asdict(space))),
        digests=digest_array(digests),
        vectors=np.array([known[digest] for digest in digests], dtype=np.float16),
    )


def read_vectors(path: Path, space: VectorSpace) -> dict[bytes, StoredVector]:
    """Read a file of `write_vectors`; none when it has a different space.

    Raises:
        GraphError: The file cannot be read.
    """
    try:
        with np.load(path) as stored:
            if VectorSpace.from_record(json.loads(str(stored["space"]))) != space:
                return {}
            return _by_digest(stored["digests"], stored["vectors"])
    except (OSError, ValueError, KeyError) as error:
        raise GraphError(f"{path} is not a vector file.") from error


def digest_array(digests: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return digests as rows of 16 bytes."""
    return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 16)


def _by_digest(digests: NDArray[np.uint8], vectors: StoredVector) -> dict[bytes, StoredVector]:
    return {digests[row].tobytes(): vectors[row] for row in range(len(digests))}


class EmbeddingStore:
    """The vectors of an unfinished build, stored next to the target so that it can be resumed.

    Raises:
        sqlite3.OperationalError: The place cannot be written.
    """

    def __init__(self, target: Path, space: VectorSpace) -> None:
        self._path = target.with_name(f".{target.name}.embeddings-{space.id}")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = _opened(self._path)
        except sqlite3.OperationalError:  # usually the disk is full: stored vectors stay
            if not self._path.stat().st_size:
                self._path.unlink()
            raise
        except sqlite3.DatabaseError:  # a machine that stopped may have left it damaged
            self._path.unlink()
            self._connection = _opened(self._path)

    def read(self, digests: Iterable[bytes]) -> dict[bytes, StoredVector]:
        """Return those of the vectors that are here."""
        requested, vectors = list(digests), dict[bytes, StoredVector]()
        for start in range(0, len(requested), MAX_PLACEHOLDERS):
            part = requested[start : start + MAX_PLACEHOLDERS]
            placeholders = ",".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT digest, vector FROM vectors WHERE digest IN ({placeholders})",  # noqa: S608
                part,
            )
            vectors.update((digest, np.frombuffer(blob, np.float16)) for digest, blob in rows)
        return vectors

    def write(self, vectors: KnownVectors) -> None:
        """Store vectors; they outlive a killed process from now on."""
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


@dataclass(frozen=True, slots=True, eq=False)
class TableVectors:
    """The vectors of one node table.

    Attributes:
        matrix: A row for each node, NaN where a node has none; it may be mapped.
        digests: The digest of the embedded text of each vector.
        present: Whether each node has a vector.
    """

    matrix: NDArray[np.float16] | Vector
    digests: Sequence[bytes]
    present: NDArray[np.bool_]


def embed_tables(
    tables: list[NodeColumns],
    embedder: Embedder,
    store: EmbeddingStore,
    reusable: KnownVectors,
    progress: Progress,
) -> dict[str, TableVectors]:
    """Return the vectors of each table whose kind has any; computed ones are stored at once.

    Raises:
        EmbeddingError: The embedder failed; computed vectors stay in the store.
    """
    digests = {table.table.name: _digests(table) for table in tables if table.table.vector}
    by_digest = dict(chain.from_iterable(zip(*pair, strict=True) for pair in digests.values()))
    by_digest.pop(b"", None)
    vectors = {digest: reusable[digest] for digest in by_digest if digest in reusable}
    vectors.update(store.read(digest for digest in by_digest if digest not in vectors))
    missing = [digest for digest in by_digest if digest not in vectors]
    done, total = len(vectors), len(by_digest)
    progress("Embedding", done, total)
    for start in range(0, len(missing), BATCH):
        part = missing[start : start + BATCH]
        matrix = embed_texts(embedder, [by_digest[digest] for digest in part]).astype(np.float16)
        fresh = dict(zip(part, matrix, strict=True))
        store.write(fresh)
        vectors.update(fresh)
        done += len(part)
        progress("Embedding", done, total)
    dimensions = embedder.space.dimensions
    return {name: _vectors(keys, vectors, dimensions) for name, (keys, _) in digests.items()}


def _digests(table: NodeColumns) -> tuple[list[bytes], list[str]]:
    """Return digest and text of each node; without a text the digest is empty."""
    texts = table.embedded_texts()
    return [text_digest(text) if text else b"" for text in texts], texts


def _vectors(digests: list[bytes], vectors: KnownVectors, dimensions: int) -> TableVectors:
    kind = stored_type(len(digests), dimensions)
    matrix: NDArray[Any] = np.full((len(digests), dimensions), np.nan, dtype=kind)
    present = np.array([bool(digest) for digest in digests], dtype=bool)
    for row in np.flatnonzero(present):
        matrix[row] = vectors[digests[row]]
    return TableVectors(matrix, [digest for digest in digests if digest], present)
