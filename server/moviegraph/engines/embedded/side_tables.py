"""Side tables of a plan: distances, full-text hits and paths as arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.engines.base import Vector
from moviegraph.engines.duckdb.plan import (
    AlongNeed,
    DistanceNeed,
    Need,
    PathNeed,
    SearchNeed,
    StatementPlan,
)
from moviegraph.engines.embedded.adjacency import Adjacencies
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.fulltext_index import FulltextIndex, Hits
from moviegraph.engines.embedded.graph_files import GraphFiles
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.embedded.path_search import PathSearch, empty
from moviegraph.engines.embedded.vector_table import VectorTable, nearest_positions

FEW = 20  # times fewer rows: below, they are read one by one, and not all
Columns = dict[str, NDArray[Any]]


class SideTables:
    """Computes the side tables of plans over one graph; safe to use from several threads."""

    def __init__(
        self,
        files: GraphFiles,
        database: Database,
        fulltext: FulltextIndex,
        vectors: Mapping[str, VectorTable],
    ) -> None:
        self._files = files
        self._database = database
        self._fulltext = fulltext
        self._vectors = vectors
        self.adjacencies = Adjacencies(files, database)

    def computed(
        self,
        plan: StatementPlan,
        vector: Vector | None,
        stop: StopSignal,
        values: Mapping[str, Any],
    ) -> dict[str, Columns]:
        """Return the side tables of a plan, in order: those of paths may need earlier ones.

        Raises:
            ExecutionError: A condition before the statement failed, or a search is too large.
            QueryTimeoutError: It was stopped.
        """
        side_tables: dict[str, Columns] = {}
        paths = PathSearch(self._database, self.adjacencies, side_tables, vector, stop, values)
        for name, need in plan.needs:
            stop.check()
            if isinstance(need, PathNeed):
                side_tables[name] = paths.search(name, need)
            elif isinstance(need, AlongNeed):
                side_tables[name] = paths.along(need)
            else:
                side_tables[name] = self._side(need, vector, stop)
        return side_tables

    def empty(self, plan: StatementPlan) -> dict[str, Columns]:
        """Return side tables without rows, to check a plan with."""
        return {name: self._empty(need) for name, need in plan.needs}

    def _side(
        self,
        need: DistanceNeed | SearchNeed,
        vector: Vector | None,
        stop: StopSignal,
    ) -> Columns:
        if isinstance(need, DistanceNeed):
            assert vector is not None
            return self._nearby(need, vector)
        hits = self._hits(need, stop)
        ids, ranks = hits.ids, hits.ranks
        if need.count is not None and need.count < len(ids):
            best = np.lexsort((ids, -ranks))[: need.count]
            ids, ranks = ids[best], ranks[best]
        return {"id": self._keys(need.table, ids), "rank": ranks.astype(np.int32)}

    def _nearby(self, need: DistanceNeed, vector: Vector) -> Columns:
        table = self._vectors[need.table]
        ids, distances = table.ids, table.distances(vector, need.metric)
        if need.count is not None:
            best = nearest_positions(distances, need.count)
            ids, distances = ids[best], distances[best]
        return {"id": self._keys(need.table, ids), "d": distances}

    def _hits(self, need: SearchNeed, stop: StopSignal) -> Hits:
        search, table, columns = self._fulltext, need.table, need.columns
        if need.condition is None:
            return search.freetext(table, columns, need.freetext, ranked=need.ranked, stop=stop)
        return search.contains(table, columns, need.condition, ranked=need.ranked, stop=stop)

    def _keys(self, table: str, ids: NDArray[np.int64]) -> NDArray[Any]:
        """Return ids in the type of the key column, so that the join needs no cast."""
        return ids.astype(np.int32) if self._files.node(table).has_small_key else ids

    def _empty(self, need: Need) -> Columns:
        if isinstance(need, PathNeed | AlongNeed):
            return empty(need)
        ids = self._keys(need.table, np.zeros(0, dtype=np.int64))
        if isinstance(need, DistanceNeed):
            return {"id": ids, "d": np.zeros(0)}
        return {"id": ids, "rank": np.zeros(0, dtype=np.int32)}
