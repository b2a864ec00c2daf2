"""Seeded vectors in clusters, and the embedder of their space."""

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from moviegraph.contract.vector_space import VectorSpace
from moviegraph.embeddings.embedder import Progress, Vector, Vectors

DIMENSIONS = 384
CLUSTERS = 512
SPREAD = 0.6
CHUNK = 8192
SEED = 7
SPACE = VectorSpace("benchmark", "seeded clusters", DIMENSIONS)


def centres() -> Vectors:
    """Return the middle of each cluster."""
    rng = np.random.default_rng(SEED)
    standard_normal = rng.standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32)
    return standard_normal / np.linalg.norm(standard_normal, axis=1, keepdims=True)


def around(middle: Vectors, rng: np.random.Generator) -> Vectors:
    """Return a unit vector near each middle."""
    noise = rng.standard_normal(middle.shape, dtype=np.float32)
    created = middle + SPREAD * noise / np.float32(np.sqrt(DIMENSIONS)) * np.float32(2)
    return created / np.linalg.norm(created, axis=1, keepdims=True)


def stored(path: Path, rows: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Write a matrix to a file, a chunk at a time, and return it mapped."""
    middles = centres()
    matrix = open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, DIMENSIONS))
    for start in range(0, rows, CHUNK):
        count = min(CHUNK, rows - start)
        matrix[start : start + count] = around(middles[rng.integers(0, CLUSTERS, count)], rng)
    return matrix


class SeededEmbedder:
    """Gives each text a vector near the middle of some cluster, the same every time."""

    def __init__(self) -> None:
        self._middles = centres()

    @property
    def space(self) -> VectorSpace:
        """Identity of the vectors."""
        return SPACE

    def load(self) -> None:
        """Do nothing: nothing is loaded lazily."""

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return a vector for each text."""
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Vector:
        rng = np.random.default_rng(crc32(text.encode()))
        return around(self._middles[rng.integers(0, CLUSTERS, 1)], rng)[0]
