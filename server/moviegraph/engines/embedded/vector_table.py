"""Exact distances between a query vector and the stored vectors of a node table."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.base import Vector
from moviegraph.engines.embedded.graph_files import REBUILD, vector_files
from moviegraph.errors import GraphError

Ids = NDArray[np.int64]
Positions = NDArray[np.intp]
Distances = NDArray[np.float64]
METRICS = ("cosine", "euclidean", "dot")
# Bytes of a float32 matrix: above, it is stored so and mapped, not read. What is read, each worker
# holds of each kind as private memory, which is limited.
MAPPED = 20_000_000


def unit(matrix: NDArray[np.float16] | Vector) -> Vector:
    """Return the rows as float32 of length 1; a row of zeros stays."""
    rows = np.asarray(matrix, dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0] = 1
    return rows / lengths[:, None]


def stored_type(rows: int, dimensions: int) -> type[np.float16 | np.float32]:
    """Return the type in which a matrix is stored: float32 where it is large, to be mapped."""
    return np.float32 if 4 * rows * dimensions > MAPPED else np.float16


class VectorTable:
    """The vectors of one node table.

    float16 on disk becomes float32 in memory at the first use; unit rows of float32 stay mapped,
    so that opening reads nothing and processes share the pages.
    """

    def __init__(self, folder: Path, table: str, rows: int) -> None:
        matrix, ids, _ = vector_files(folder, table)
        stored: NDArray[Any] = np.load(matrix, mmap_mode="r")
        self.ids: Ids = np.load(ids)
        self.complete = len(self.ids) == rows
        self._matrix: Vector | None = np.asarray(stored) if stored.dtype == np.float32 else None
        # Open until it is read, because a rebuilt graph may take the folder's place before. It is
        # not mapped until then: who cuts a mapped file short ends the process that reads it.
        self._file = matrix.open("rb") if self._matrix is None else None
        self._lock = threading.Lock()

    @property
    def matrix(self) -> Vector:
        """One contiguous matrix of unit rows. Raises GraphError."""
        if self._matrix is None:
            with self._lock:
                if self._matrix is None:
                    self._matrix = self._read()
        return self._matrix

    def close(self) -> None:
        """Release the file."""
        if self._file is not None:
            self._file.close()

    def _read(self) -> Vector:
        assert self._file is not None
        try:
            self._file.seek(0)
            matrix = unit(np.load(self._file))
        except (OSError, ValueError, EOFError) as error:
            raise GraphError("The vectors of the graph cannot be read.", hint=REBUILD) from error
        self._file.close()
        return matrix

    def positions(self, ids: Ids) -> Positions:
        """Return the rows of those of these ascending ids that have a vector."""
        if len(self.ids) and self.ids[-1] - self.ids[0] + 1 == len(self.ids):  # without a gap
            return ids[(ids >= self.ids[0]) & (ids <= self.ids[-1])] - self.ids[0]
        positions = np.searchsorted(self.ids, ids)
        inside = positions < len(self.ids)
        positions, ids = positions[inside], ids[inside]
        return positions[self.ids[positions] == ids]

    def distances(
        self, query: Vector, metric: str, positions: Positions | None = None
    ) -> Distances:
        """Return the distance of every row, or of some; dot is the negative product.

        So it is in SQL Server.
        """
        matrix = self.matrix if positions is None else self.matrix[positions]
        products = _products(matrix, query)
        if metric == "cosine":
            length = float(np.linalg.norm(query)) or 1.0
            return np.maximum(1.0 - products / length, 0.0)
        if metric == "dot":
            return -products
        squares = 1.0 + float(np.dot(query, query)) - 2.0 * products
        return np.sqrt(np.maximum(squares, 0.0))


def _products(matrix: Vector, query: Vector) -> Distances:
    """Return the product of each row with the query.

    Row by row, because BLAS divides a product with a matrix among threads that wait for each other
    busily: on a machine with other work that took up to ten times the CPU at 10,000 rows.
    """
    return np.vecdot(matrix, query).astype(np.float64)


def nearest_positions(distances: Distances | Ids, count: int) -> Positions:
    """Return the positions of the `count` smallest, and of all that tie with the last of them."""
    if count >= len(distances):
        return np.arange(len(distances))
    bound = np.partition(distances, count - 1)[count - 1]
    return np.flatnonzero(distances <= bound)
