"""The engine that needs no set-up: DuckDB for SQL, SQLite for full text, numpy for vectors."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.cache import Cache
from moviegraph.contract.model import Contract
from moviegraph.engines.adjacency import Adjacencies
from moviegraph.engines.base import Budget, Cancellation, Description, ResultSet, Statement, Vector
from moviegraph.engines.columns import LOW
from moviegraph.engines.connections import Database
from moviegraph.engines.edge_rows import EdgeRows, no_edges
from moviegraph.engines.folder_state import State, folder_state, state_files
from moviegraph.engines.fulltext import FulltextIndex
from moviegraph.engines.graph_folder import (
    DATABASE,
    FULLTEXT,
    REBUILD,
    Manifest,
    read_manifest,
)
from moviegraph.engines.hits import Hits
from moviegraph.engines.kept_results import KeptResults, result_key
from moviegraph.engines.known_names import KnownNames
from moviegraph.engines.name_pieces import name_pieces
from moviegraph.engines.node_queries import NodeQueries
from moviegraph.engines.path_search import PathSearch, empty
from moviegraph.engines.query_vector import require_query_vector, require_vectors
from moviegraph.engines.results import bounded
from moviegraph.engines.stopping import Stop, Watch
from moviegraph.engines.translation.plan import (
    AlongNeed,
    DistanceNeed,
    EdgeNeed,
    Need,
    NodesNeed,
    PathNeed,
    Plan,
    SearchNeed,
    WalkNeed,
)
from moviegraph.engines.translation.plan_template import plan_template
from moviegraph.engines.translation.rewrite import plan_of
from moviegraph.engines.vectors import Distances, VectorTable, nearest
from moviegraph.engines.walk_counts import WalkCounts, no_ways
from moviegraph.errors import GraphError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.template import Filled

PLANS = 512
KEPT_DISTANCES = 16
KEPT_BYTES = 8_000_000  # of results
WALKED = 100_000  # edges: from here on, those at named nodes are read from arrays
COUNTED = 10_000  # edges: from here on, ways are counted in arrays
MOST_NAMES = 200_000  # nodes of a table whose names are kept as 16 bytes each
FEW = 20  # times fewer rows: below, they are read one by one, and not all
COMPILE_SECONDS = 5.0
TRIES = 5  # to open files that others replace meanwhile
Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a graph was opened, and what was there then."""

    folder: Path
    temporary: Path | None
    kept_bytes: int
    files: tuple[str, ...]
    state: State


class EmbeddedEngine:
    """Runs judged statements on a graph folder; safe to call from several threads."""

    def __init__(
        self,
        contract: Contract,
        manifest: Manifest,
        database: Database,
        fulltext: FulltextIndex,
        vectors: dict[str, VectorTable],
        place: Place,
    ) -> None:
        self._contract = contract
        self._place = place
        self._manifest = manifest
        self._database = database
        self._adjacencies = Adjacencies(contract, database)
        self._names = KnownNames(contract, database)
        self._fulltext = fulltext
        self._vectors = vectors
        self._complete = frozenset(name for name, table in vectors.items() if table.complete)
        self._walked = frozenset(
            edge.name for edge in contract.edges if manifest.counts[edge.name] >= WALKED
        )
        self._counted = frozenset(
            edge.name for edge in contract.edges if manifest.counts[edge.name] >= COUNTED
        )
        self._plans = Cache(PLANS)
        self._distances = Cache(KEPT_DISTANCES)
        self._kept = KeptResults(place.kept_bytes)
        self._pieces = Cache()
        self._watch = Watch()
        self._closed = False

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        """Run a statement within a budget, or give the rows again that it had lately.

        The graph does not change while it is open, so they are the same, unless the statement asks
        for the time.

        Raises:
            ExecutionError: The statement cannot be run.
            QueryTimeoutError: Out of time, or cancelled.
            ResultTooLargeError: A FOR JSON document exceeds the budget.
            VectorSpaceError: The vector behind @q has another length than the stored ones.
        """
        self._check(statement)
        require_query_vector(statement, self._dimensions)
        budget.cancellation.check()
        key = result_key(statement, budget)
        if (known := self._kept.find(key)) is not None:
            return known
        plan = self._plan(statement)
        result = bounded(statement.allowed, self._rows(plan, statement, budget), budget)
        if plan.repeatable:
            self._kept.keep(key, result)
        return result

    def _rows(self, plan: Plan, statement: Statement, budget: Budget) -> list[tuple[Any, ...]]:
        with self._watch.over(budget) as stop:
            sides = self._sides(plan, statement, stop)
            parameters = {"q": _list(statement.vector)} if plan.vector else {}
            return self._database.run(plan, parameters, sides, stop, budget.rows + 1)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        """Check a statement without running it.

        Raises:
            ExecutionError: The statement cannot be run.
            QueryTimeoutError: Out of time, or cancelled.
        """
        self._check(statement)
        plan = self._plan(statement)
        budget = Budget(seconds=COMPILE_SECONDS, cancellation=cancellation or Cancellation())
        with self._watch.over(budget) as stop:
            sides = {name: self._empty_side(need) for name, need in plan.needs}
            zeros = np.zeros(self._dimensions, dtype=np.float32)
            parameters = {"q": _list(zeros)} if plan.vector else {}
            for query in (plan, *_queries_before(plan)):
                explained = replace(query, sql=f"EXPLAIN {query.sql}")
                self._database.run(explained, parameters, sides, stop, 1)

    def describe(self) -> Description:
        """Return counts, identity and capabilities."""
        manifest = self._manifest
        return Description(
            engine="embedded",
            contract_hash=manifest.contract_hash,
            content_hash=manifest.content_hash,
            space=manifest.space,
            counts=manifest.counts,
            capabilities=frozenset({"fulltext"} | ({"vectors"} if manifest.space else set())),
            recipe=manifest.recipe,
            source=manifest.source,
        )

    def similarities(self, table: str, ids: Sequence[int], vector: Vector) -> dict[int, float]:
        """Return 1 minus the cosine distance of each node that has a vector."""
        vectors = self._vectors.get(table)
        return {} if vectors is None else vectors.similarities(ids, vector)

    def nearest(self, table: str, count: int, vector: Vector) -> list[tuple[int, float]]:
        """Return id and similarity of the nodes nearest to a vector, the nearest first."""
        if table not in self._vectors:
            return []
        distances = self._from_all(DistanceNeed(table, "cosine"), vector)
        ids, found = self._vectors[table].ids, nearest(distances, count)
        ordered = found[np.lexsort((ids[found], distances[found]))][:count]
        return [(int(ids[at]), 1 - float(distances[at])) for at in ordered]

    def bearers(self, table: str, names: Sequence[str]) -> Mapping[str, Sequence[int]] | None:
        """Return the keys of all nodes that bear each name; None for a large table.

        Raises:
            QueryTimeoutError: The names could not be read in time.
        """
        if self._manifest.counts[table] > MOST_NAMES:
            return None
        with self._watch.over(Budget(seconds=COMPILE_SECONDS)) as stop:
            return self._names.bearers(table, names, stop)

    def names_holding(
        self, table: str, pieces: Sequence[str], count: int, budget: Budget
    ) -> list[tuple[int, str]]:
        """Return key and name of the nodes whose name holds most of the pieces, short ones first.

        Raises:
            QueryTimeoutError: Out of time, or cancelled.
        """
        node = self._contract.node(table)
        assert node is not None
        with self._watch.over(budget) as stop:
            names = self._pieces.get(table, lambda: name_pieces(self._database, node, stop))
        return names.holding(pieces, count)

    @property
    def held(self) -> State:
        """What was in the folder when it was opened."""
        return self._place.state

    def found(self) -> State:
        """Return what is in the folder now."""
        return folder_state(self._place.files)

    def renewed(self) -> "EmbeddedEngine":
        """Open what is in the folder now; this engine goes on with its files. Raises GraphError."""
        place = self._place
        return open_graph(
            place.folder, self._contract, temporary=place.temporary, kept_bytes=place.kept_bytes
        )

    def close(self) -> None:
        """Close files and connections; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._fulltext.close()
            self._database.close()
            for table in self._vectors.values():
                table.close()

    @property
    def _dimensions(self) -> int:
        return self._manifest.space.dimensions if self._manifest.space else 1

    def _check(self, statement: Statement) -> None:
        if self._closed:
            raise GraphError("The graph is closed.")
        require_vectors(statement, stored=bool(self._vectors))

    def _plan(self, statement: Statement) -> Plan:
        return self._shaped(statement.allowed) or self._known(statement.allowed)

    def _known(self, allowed: Allowed) -> Plan:
        return self._plans.get(allowed.sql, lambda: self._made(allowed))

    def _shaped(self, allowed: Allowed) -> Plan | None:
        """Return the plan of a statement of ours from that of its shape, where it has one."""
        filled = allowed.judged
        if not isinstance(filled, Filled):
            return None
        template = filled.template
        known = self._plans.get(template, lambda: plan_template(template, self._known))
        return known.filled(filled.values) if known else None

    def _made(self, allowed: Allowed) -> Plan:
        return plan_of(
            allowed,
            self._contract,
            complete=self._complete,
            dimensions=self._dimensions,
            walked=self._walked,
            counted=self._counted,
        )

    def _sides(self, plan: Plan, statement: Statement, stop: Stop) -> dict[str, Columns]:
        """Compute side tables in order: those of paths may need earlier ones."""
        sides: dict[str, Columns] = {}
        queries = NodeQueries(self._database, sides, _list(statement.vector), stop)
        edges = EdgeRows(self._contract, self._adjacencies, sides, stop)
        paths = PathSearch(queries, self._adjacencies, sides, stop)
        for name, need in plan.needs:
            stop.check()
            if isinstance(need, PathNeed):
                sides[name] = paths.search(name, need)
            elif isinstance(need, AlongNeed):
                sides[name] = paths.along(need)
            elif isinstance(need, EdgeNeed):
                sides[name] = edges.near(need)
            elif isinstance(need, WalkNeed):
                sides[name] = WalkCounts(self._contract, self._adjacencies, stop).count(need)
            else:
                sides[name] = self._side(need, statement, queries, stop)
        return sides

    def _side(
        self,
        need: DistanceNeed | SearchNeed,
        statement: Statement,
        queries: NodeQueries,
        stop: Stop,
    ) -> Columns:
        if isinstance(need, DistanceNeed):
            assert statement.vector is not None
            return self._nearby(need, statement.vector, queries)
        hits = self._hits(need, stop)
        ids, ranks = hits.ids, hits.ranks
        if need.count is not None and need.count < len(ids):
            best = np.lexsort((ids, -ranks))[: need.count]
            ids, ranks = ids[best], ranks[best]
        if need.best is not None:
            best = nearest(-ranks, need.best)
            ids, ranks = ids[best], ranks[best]
        return {"id": self._keys(need.table, ids), "rank": ranks.astype(np.int32)}

    def _nearby(self, need: DistanceNeed, vector: Vector, queries: NodeQueries) -> Columns:
        table = self._vectors[need.table]
        if need.among is None and not need.keys:
            places, distances = None, self._from_all(need, vector)
        else:
            places = table.places(queries.ids(need.among) if need.among else _ids(need.keys))
            few = FEW * len(places) < len(table.ids)
            distances = (
                table.distances(vector, need.metric, places)
                if few
                else self._from_all(need, vector)[places]
            )
        if need.count is not None:
            chosen = nearest(distances, need.count)
            places, distances = chosen if places is None else places[chosen], distances[chosen]
        ids = table.ids if places is None else table.ids[places]
        return {"id": self._keys(need.table, ids), "d": distances}

    def _from_all(self, need: DistanceNeed, vector: Vector) -> Distances:
        """Return the distances of all rows; several parts of a question share them."""
        return self._distances.get(
            (need.table, need.metric, vector.tobytes()),
            lambda: self._vectors[need.table].distances(vector, need.metric),
        )

    def _hits(self, need: SearchNeed, stop: Stop) -> Hits:
        search, table, columns = self._fulltext, need.table, need.columns
        if need.condition is None:
            return search.freetext(table, columns, need.freetext, ranked=need.ranked, stop=stop)
        return search.contains(table, columns, need.condition, ranked=need.ranked, stop=stop)

    def _keys(self, table: str, ids: NDArray[np.int64]) -> NDArray[Any]:
        """Return ids in the type of the key column, so that the join needs no cast."""
        node = self._contract.node(table)
        key = node.column(node.key) if node else None
        return ids.astype(np.int32) if key is not None and key.type == "INT" else ids

    def _empty_side(self, need: Need) -> Columns:
        if isinstance(need, PathNeed | AlongNeed):
            return empty(need)
        if isinstance(need, EdgeNeed):
            return no_edges()
        if isinstance(need, WalkNeed):
            return no_ways()
        ids = self._keys(need.table, np.zeros(0, dtype=np.int64))
        if isinstance(need, DistanceNeed):
            return {"id": ids, "d": np.zeros(0)}
        return {"id": ids, "rank": np.zeros(0, dtype=np.int32)}


def _queries_before(plan: Plan) -> Iterator[NodesNeed]:
    """Yield the conditions that stand only in a query before the statement."""
    for _, need in plan.needs:
        if isinstance(need, DistanceNeed) and need.among is not None:
            yield need.among


def _ids(keys: Sequence[int]) -> NDArray[np.int64]:
    """Return ascending keys as ids; those that no node can have are left out."""
    return np.array([key for key in keys if 0 <= key <= LOW], dtype=np.int64)


def _list(vector: Vector | None) -> list[float]:
    return [] if vector is None else [float(value) for value in vector]


def open_graph(
    folder: Path,
    contract: Contract,
    *,
    temporary: Path | None = None,
    kept_bytes: int = KEPT_BYTES,
) -> EmbeddedEngine:
    """Open a graph folder: all of its files as they stood at one moment.

    Args:
        folder: The graph folder.
        contract: The contract to serve; the graph must have been built for it.
        temporary: Where large statements may spill; by default the system's temporary folder.
        kept_bytes: Room for the results that are kept for the same statements; 0 for none.

    Raises:
        GraphError: The folder is missing, half-built, damaged, or of another contract, or others
            replace its files faster than they can be opened.
    """
    files = state_files(folder, contract)
    for _ in range(TRIES):
        place = Place(folder, temporary, kept_bytes, files, folder_state(files))
        engine = _opened(place, contract)
        if engine.found() == place.state:
            return engine
        engine.close()
    raise GraphError(
        f"The files of {folder} are being replaced.", hint="Wait until that has ended."
    )


def _opened(place: Place, contract: Contract) -> EmbeddedEngine:
    folder = place.folder
    manifest = read_manifest(folder, contract)
    with ExitStack() as undo:
        rows = sum(manifest.counts.values())
        database = Database(folder / DATABASE, rows=rows, temporary=place.temporary)
        undo.callback(database.close)
        try:
            fulltext = FulltextIndex(folder / FULLTEXT, contract)
            undo.callback(fulltext.close)
            vectors: dict[str, VectorTable] = {}
            for name in manifest.vectors:
                vectors[name] = VectorTable(folder, name, manifest.counts[name])
                undo.callback(vectors[name].close)
        except (OSError, ValueError, KeyError, sqlite3.Error) as error:
            raise GraphError(f"{folder} is damaged.", hint=REBUILD) from error
        undo.pop_all()
    return EmbeddedEngine(contract, manifest, database, fulltext, vectors, place)
