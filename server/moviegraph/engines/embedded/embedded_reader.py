"""The retrieval primitives of a graph folder: vector matrix, full-text index, edges as arrays."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import ResultSet, Vector
from moviegraph.engines.duckdb.plan import CATALOG, NodesNeed
from moviegraph.engines.embedded.adjacency import positions_of, ranges
from moviegraph.engines.embedded.interrupts import StopSignal
from moviegraph.engines.embedded.name_index import NameIndex
from moviegraph.engines.embedded.plan_runner import Action, OpenedFiles, Result
from moviegraph.engines.embedded.side_tables import FEW
from moviegraph.engines.embedded.vector_table import VectorTable, nearest_positions
from moviegraph.engines.retrieval_primitives import (
    Ids,
    Linked,
    Pairs,
    Ranked,
    SearchFunction,
    SelectedIds,
    Selection,
    Step,
)
from moviegraph.sql.contains import parse_contains, split_words
from moviegraph.sql.decision import Allowed
from moviegraph.sql.match_patterns import Hop, hops_from

MAX_KEYED = 10_000  # nodes with one of the requested keys; 100 of them are asked at once
NONE: Ids = np.zeros(0, dtype=np.int64)


class EmbeddedReader:
    """The primitives within one call; `stop` ends them, between steps of numpy as well.

    `run` runs a statement that holds a caller's condition, with the maximum of its rows.
    """

    def __init__(
        self,
        contract: Contract,
        files: OpenedFiles,
        names: NameIndex,
        run: Callable[[Action, Allowed, int], Result],
        stop: StopSignal,
    ) -> None:
        self._contract = contract
        self._files = files
        self._names = names
        self._run = run
        self._stop = stop
        self._pairs: dict[str, Ids] = {}
        self._all_distances: dict[tuple[str, bytes], NDArray[np.float64]] = {}

    def select(
        self,
        kind: str,
        condition: Allowed | None = None,
        excluded: Ids | None = None,
        linked: Sequence[Linked] = (),
    ) -> SelectedIds | None:
        """Return the nodes that satisfy all conditions, as ids."""
        if condition is None and (excluded is None or not len(excluded)) and not linked:
            return None
        ids = (
            self._all_ids(kind)
            if condition is None
            else cast("Ids", self._run("ids", condition, 0))
        )
        for ends in linked:
            ids = np.intersect1d(ids, self._linked_to(kind, ends), assume_unique=True)
        if excluded is not None and len(excluded):
            ids = np.setdiff1d(ids, excluded, assume_unique=True)
        return SelectedIds(ids)

    def _linked_to(self, kind: str, ends: Linked) -> Ids:
        """Return the nodes of a kind that one edge links to any of some nodes."""
        reached = [
            self.neighbors(end, hop, ids).targets
            for end, ids in ends.items()
            for hop in hops_from(self._contract, end)
            if hop.kind == kind
        ]
        return np.unique(np.concatenate([NONE, *reached]))

    def existing(self, kind: str, ids: Ids) -> Ids:
        """Return those of the ids that are nodes of a kind, in their order."""
        return ids[_contains(self._all_ids(kind), ids)]

    def only(self, ids: Ids) -> SelectedIds:
        """Return the selection of these nodes."""
        return SelectedIds(np.unique(ids))

    def has_any(self, kind: str, among: Selection | None) -> bool:
        """Return whether any node is in a selection."""
        return bool(len(self._all_ids(kind) if among is None else _ids(among)))

    def keep(self, kind: str, ids: Ids, among: Selection | None) -> Ids:
        """Return those of the ids that are in the selection, in their order."""
        return ids if among is None else ids[_contains(_ids(among), ids)]

    def nearest(self, kind: str, vector: Vector, k: int, among: Selection | None = None) -> Ranked:
        """Return the k nodes nearest to a vector, with their cosine distance."""
        table = self._files.vectors.get(kind)
        self._stop.check()
        if table is None:
            return Ranked(NONE, np.zeros(0))
        positions, distances = self._distances(kind, table, vector, among)
        best = nearest_positions(distances, k)
        ids = table.ids[best] if positions is None else table.ids[positions[best]]
        order = np.lexsort((ids, distances[best]))[:k]
        return Ranked(ids[order], distances[best][order])

    def matching(
        self,
        kind: str,
        text: str,
        k: int,
        among: Selection | None = None,
        *,
        function: SearchFunction = "CONTAINS",
    ) -> Ranked:
        """Return the k nodes that match a condition or words, with their rank."""
        search, columns = self._files.fulltext, self._node(kind).searchable
        if function == "FREETEXT":
            hits = search.freetext(kind, columns, text, ranked=True, stop=self._stop)
        else:
            condition = parse_contains(text)
            hits = search.contains(kind, columns, condition, ranked=True, stop=self._stop)
        is_among = slice(None) if among is None else _contains(_ids(among), hits.ids)
        ids, ranks = hits.ids[is_among], hits.ranks[is_among].astype(np.float64)
        best = np.lexsort((ids, -ranks))[:k]
        return Ranked(ids[best], ranks[best])

    def document_counts(self, kind: str, words: Sequence[str]) -> dict[str, int]:
        """Return for each word how many nodes of a kind contain it."""
        tokens = {word: split_words(word) for word in words}
        single = [parts[0] for parts in tokens.values() if len(parts) == 1]
        counts = self._files.fulltext.document_counts(kind, single, self._stop)
        return {
            word: counts.get(parts[0], 0) if len(parts) == 1 else 0
            for word, parts in tokens.items()
        }

    def named(self, kind: str, names: Sequence[str]) -> list[tuple[str, int, Step]]:
        """Return (requested name, id, step) of each node that has one of the names."""
        return self._names.named(kind, names, self._stop)

    def names(self, kind: str) -> list[tuple[int, str, Step]]:
        """Return (id, name, "equal") of each node that has a name, and (id, alias, "alias")."""
        return self._names.all_names(kind, self._stop)

    def keyed(self, kind: str, keys: Sequence[str]) -> list[tuple[str, int]]:
        """Return (source key, id) of each node whose source key is one of the texts."""
        node = self._node(kind)
        if node.source_key is None or not keys:
            return []
        sql = (
            f'SELECT "{node.source_key}", "{node.key}" FROM {CATALOG}.main."{node.name}" '  # noqa: S608
            f'WHERE lower("{node.source_key}") IN (SELECT lower(unnest($keys))) '
            f'ORDER BY "{node.key}"'
        )
        query, parameters = NodesNeed(sql, vector=False), {"keys": list(keys)}
        rows = self._files.database.run(query, parameters, {}, self._stop, MAX_KEYED)
        return [(str(key), int(node_id)) for key, node_id in rows]

    def aliases(self, kind: str) -> list[tuple[int, str]]:
        """Return (id, alias) for each alias of the nodes of a kind."""
        return self._names.aliases(kind)

    def names_with(self, kind: str, parts: Sequence[str], k: int) -> list[tuple[int, str]]:
        """Return id and name of the k nodes whose name contains most of the parts."""
        return self._names.containing(kind, parts, k, self._stop)

    def neighbors(self, kind: str, hop: Hop, ids: Ids, where: Allowed | None = None) -> Pairs:
        """Return the pairs that edges join from some nodes along one hop."""
        if where is not None:
            return self._satisfying_pairs(where, ids)
        adjacencies, ends = self._files.sides.adjacencies, (kind, hop.kind)
        edges = adjacencies.edges(hop.edge, ends, forward=hop.forward, stop=self._stop)
        self._stop.check()
        positions = positions_of(self._all_ids(kind), ids)
        counts = edges.first[positions + 1] - edges.first[positions]
        targets = edges.targets[ranges(edges.first[positions], counts)]
        return Pairs(np.repeat(ids, counts), self._all_ids(hop.kind)[targets])

    def _satisfying_pairs(self, where: Allowed, ids: Ids) -> Pairs:
        """Return the pairs of some nodes whose edges satisfy a caller's condition.

        All of them are read once for a call: each hop of a traversal may ask for some.
        """
        if where.sql not in self._pairs:
            self._pairs[where.sql] = cast("Ids", self._run("pairs", where, 0))
        sources, targets = self._pairs[where.sql].T
        first = np.searchsorted(sources, ids)
        counts = np.searchsorted(sources, ids, "right") - first
        return Pairs(np.repeat(ids, counts), targets[ranges(first, counts)])

    def rows(self, statement: Allowed, limit: int) -> list[tuple[Any, ...]]:
        """Return rows of a statement of a tool that holds a caller's condition."""
        return [*cast("ResultSet", self._run("rows", statement, limit)).rows]

    def spread(
        self,
        kind: str,
        hop: Hop,
        ids: Ids,
        weights: NDArray[np.float64],
        k: int,
        among: Selection | None = None,
        where: Allowed | None = None,
    ) -> Ranked:
        """Return the k nodes reached along one hop with the largest sums of their weights."""
        pairs = self.neighbors(kind, hop, ids, where)
        reached, which = np.unique(pairs.targets, return_inverse=True)
        sums = np.bincount(which, weights[np.searchsorted(ids, pairs.sources)], len(reached))
        is_among = slice(None) if among is None else _contains(_ids(among), reached)
        reached, totals = reached[is_among], sums[is_among].astype(np.float64)
        best = np.lexsort((reached, -totals))[:k]
        return Ranked(reached[best], totals[best])

    def degrees(self, kind: str, ids: Ids) -> dict[str, Ids]:
        """Return by edge table how many pairs each node is in."""
        counts: dict[str, Ids] = {}
        positions = positions_of(self._all_ids(kind), ids)
        for hop in hops_from(self._contract, kind):
            edges = self._files.sides.adjacencies.edges(
                hop.edge, (kind, hop.kind), forward=hop.forward, stop=self._stop
            )
            of_hop = edges.first[positions + 1] - edges.first[positions]
            counts[hop.edge] = counts.get(hop.edge, 0) + of_hop
        return counts

    def fetch(self, kind: str, ids: Ids, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return columns of existing nodes; names only come from memory, if they are not many."""
        node = self._node(kind)
        if tuple(columns) == (node.label,) and self._names.fits(kind):
            names = self._names.parts(kind, self._stop).names_of(ids)
            return [(name,) for name in names]
        column_list = ", ".join(f'"{name}"' for name in (node.key, *columns))
        among = "IN (SELECT unnest($ids))" if len(ids) > 1 else "= $ids[1]"  # twice as fast
        sql = (
            f'SELECT {column_list} FROM {CATALOG}.main."{node.name}" '  # noqa: S608
            f'WHERE "{node.key}" {among}'
        )
        query = NodesNeed(sql, vector=False)
        parameters = {"ids": ids.tolist()}
        rows = self._files.database.run(query, parameters, {}, self._stop, len(ids) + 1)
        by_id = {row[0]: row[1:] for row in rows}
        return [by_id[node_id] for node_id in parameters["ids"]]

    def vectors(self, kind: str, ids: Ids) -> Vector:
        """Return the unit vectors of those of the nodes that have one."""
        table = self._files.vectors.get(kind)
        if table is None:
            return np.zeros((0, 0), dtype=np.float32)
        return table.matrix[table.positions(np.unique(ids))]

    def _all_ids(self, kind: str) -> Ids:
        """Return every key of a kind: the lower bits of a $node_id."""
        return self._files.sides.adjacencies.keys(kind, self._stop)

    def _distances(
        self, kind: str, table: VectorTable, vector: Vector, among: Selection | None
    ) -> tuple[NDArray[np.intp] | None, NDArray[np.float64]]:
        """Return rows of a table (None: all of them) and their distances.

        Those of all rows are computed once for a vector: hybrid search asks for them three times.
        """
        positions = None if among is None else table.positions(_ids(among))
        key = kind, vector.tobytes()
        distances = self._all_distances.get(key)
        if distances is None:
            if positions is not None and FEW * len(positions) < len(table.ids):
                return positions, table.distances(vector, "cosine", positions)
            distances = self._all_distances[key] = table.distances(vector, "cosine")
        return positions, distances if positions is None else distances[positions]

    def _node(self, kind: str) -> NodeTable:
        node = self._contract.node(kind)
        assert node is not None
        return node


def _ids(selection: Selection) -> Ids:
    assert isinstance(selection, SelectedIds)
    return selection.ids


def _contains(ascending: Ids, ids: Ids) -> NDArray[np.bool_]:
    """Return for each id whether it is among ascending ones."""
    positions = np.searchsorted(ascending, ids)
    inside = positions < len(ascending)
    inside[inside] = ascending[positions[inside]] == ids[inside]
    return inside
