"""Runs queries of ours for ids, beside the side tables that a statement has so far."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.connections import Database
from moviegraph.engines.duckdb.plan import NodesNeed
from moviegraph.engines.stopping import Stop

Ids = NDArray[np.int64]
Columns = Mapping[str, NDArray[np.generic]]


class NodeQueries:
    """The queries of one statement."""

    def __init__(
        self, database: Database, sides: Mapping[str, Columns], vector: list[float], stop: Stop
    ) -> None:
        self._database = database
        self._sides = sides
        self._vector = vector
        self._stop = stop

    def ids(self, need: NodesNeed) -> Ids:
        """Return the ids that a query finds, ascending, each once."""
        parameters = {"q": self._vector} if need.vector else {}
        used = {name: side for name, side in self._sides.items() if f'"{name}"' in need.sql}
        columns = self._database.arrays(need, parameters, used, self._stop)
        found = np.ma.compressed(next(iter(columns.values()))).astype(np.int64, copy=False)
        return found if bool(np.all(found[1:] > found[:-1])) else np.unique(found)
