"""Exact distances between a query vector and the stored vectors of a node table."""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.base import Vector
from moviegraph.engines.graph_folder import vector_files

Ids = NDArray[np.int64]
Distances = NDArray[np.float64]
METRICS = ("cosine", "euclidean", "dot")


def unit(matrix: NDArray[np.float16] | Vector) -> Vector:
    """Return the rows as float32 of length 1; a row of zeros stays."""
    rows = np.asarray(matrix, dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0] = 1
    return rows / lengths[:, None]


class VectorTable:
    """The vectors of one node table: float16 on disk, float32 in memory from the first use."""

    def __init__(self, folder: Path, table: str, rows: int) -> None:
        matrix, ids, _ = vector_files(folder, table)
        # Mapped now, because a rebuilt graph may take the folder's place before the first use.
        self._stored: NDArray[np.float16] = np.load(matrix, mmap_mode="r")
        self.ids: Ids = np.load(ids)
        self.complete = len(self.ids) == rows
        self._matrix: Vector | None = None
        self._lock = threading.Lock()

    @property
    def matrix(self) -> Vector:
        """One contiguous matrix of unit rows."""
        if self._matrix is None:
            with self._lock:
                if self._matrix is None:
                    self._matrix = unit(self._stored)
        return self._matrix

    def distances(self, query: Vector, metric: str) -> Distances:
        """Return the distance of every row; dot is the negative product, as in SQL Server."""
        products = (self.matrix @ query).astype(np.float64)
        if metric == "cosine":
            length = float(np.linalg.norm(query)) or 1.0
            return np.maximum(1.0 - products / length, 0.0)
        if metric == "dot":
            return -products
        squares = 1.0 + float(np.dot(query, query)) - 2.0 * products
        return np.sqrt(np.maximum(squares, 0.0))

    def similarities(self, ids: Sequence[int], query: Vector) -> dict[int, float]:
        """Return 1 minus the cosine distance of each of the rows that are there."""
        at = np.flatnonzero(np.isin(self.ids, np.asarray(ids, dtype=np.int64)))
        length = float(np.linalg.norm(query)) or 1.0
        products = (self.matrix[at] @ query).astype(np.float64) / length
        return dict(zip(self.ids[at].tolist(), np.minimum(products, 1.0).tolist(), strict=True))


def nearest(distances: Distances, count: int) -> NDArray[np.intp]:
    """Return the positions of the `count` smallest, and of all that tie with the last of them."""
    if count >= len(distances):
        return np.arange(len(distances))
    bound = np.partition(distances, count - 1)[count - 1]
    return np.flatnonzero(distances <= bound)
