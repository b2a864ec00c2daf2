"""What a full-text search finds: nodes with their scores, and their ranks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HALF_RANK = 8.0  # the bm25 score that ranks 500 of 1000
Ids = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The ids found, ascending, and their ranks (0 to 1000)."""

    ids: Ids
    ranks: Ids


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The ids found, ascending, and the bm25 score of each."""

    ids: Ids
    values: Values

    def among(self, ids: Ids) -> "Scores":
        """Return those of these ids."""
        kept = np.isin(self.ids, ids, assume_unique=True)
        return Scores(self.ids[kept], self.values[kept])

    def plus(self, ids: Ids, values: Values) -> "Scores":
        """Return the sum with the scores of other ids."""
        together = np.union1d(self.ids, ids)
        total = np.zeros(len(together))
        total[np.searchsorted(together, self.ids)] = self.values
        total[np.searchsorted(together, ids)] += values
        return Scores(together, total)

    def hits(self) -> Hits:
        """Return the ids with their ranks."""
        return Hits(self.ids, _rank(self.values))


def _rank(scores: NDArray[np.float64]) -> Ids:
    """Scale bm25 to SQL Server's 0 to 1000, keeping the order."""
    positive = np.maximum(scores, 0.0)
    return np.rint(1000.0 * positive / (positive + HALF_RANK)).astype(np.int64)
