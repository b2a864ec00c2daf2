"""graph_traverse: what edges lead to from some nodes, ranked, with the paths that lead there."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moviegraph.contract.model import NodeTable
from moviegraph.engines.base import Vector, timeout_error
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Selection, node_ids
from moviegraph.errors import ArgumentError, ExecutionError, NotFoundError
from moviegraph.query.name_resolver import Item, NameResolver, node_names, node_table
from moviegraph.query.query_pipeline import CallRecorder, query_vector
from moviegraph.query.session import RowPaths, Rows
from moviegraph.search.fixed_tool import (
    Work,
    first_occurrences,
    fixed_tool,
    node_output,
    row_count,
    where_decision,
)
from moviegraph.search.references import (
    NO_IDS,
    References,
    ResolvedNodes,
    mean_vector,
    select_nodes,
)
from moviegraph.search.semantic import APPROXIMATE
from moviegraph.search.walks import (
    Destination,
    Names,
    Path,
    PathEvidence,
    Route,
    Walks,
    names_along,
    routes_along,
    routes_within,
    steps_of,
    via,
)
from moviegraph.text import plural

STARTS_BY_MEANING = 5
MAX_PATHS_SHOWN = 5
MAX_HUBS_NAMED = 8
SCORE_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of one traversal, checked as far as that needs no graph."""

    start_kind: NodeTable
    start: Sequence[Item]
    vector: Vector | None
    path: Sequence[str] | None
    to_kind: NodeTable | None
    to: Sequence[Item] | None
    max_hops: int
    rank_by: str
    exclude: Sequence[Item]
    count: int
    where: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class ShownNode:
    """A row of the result: a node reached, and the paths that are shown for it."""

    id: int
    score: float | int | None
    hops: int
    paths: tuple[Path, ...]
    shared: dict[str, int]


@fixed_tool("graph_traverse")
def traverse(
    recording: CallRecorder,
    *,
    start_kind: str | None = None,
    start: Sequence[Item] | None = None,
    start_query: str | None = None,
    path: Sequence[str] | None = None,
    to_kind: str | None = None,
    to: Sequence[Item] | None = None,
    max_hops: int = 2,
    rank_by: str = "shared",
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Work:
    """Return the nodes that paths lead to from some nodes, best score first, ties by id.

    With `to`, each row is one shortest path. A path passes no node twice; on the open way to
    `to_kind` it passes no hub.

    Raises:
        ModelVisibleError: An argument is wrong, nothing in `start` or `to` resolves, `where` was
            refused, or there are too many paths.
    """
    session = recording.session
    _check_goal(path, to_kind, to)
    if (start is None) == (start_query is None):
        raise ArgumentError(
            "Pass exactly one of `start` (ids or names) and `start_query` (a text; its "
            f"{STARTS_BY_MEANING} nearest nodes are the starts)."
        )
    recording.query = start_query.strip() if start_query else None
    request = Request(
        start_kind=node_table(session.contract, start_kind),
        start=start or (),
        vector=query_vector(session, recording.query) if start_query else None,
        path=path,
        to_kind=node_table(session.contract, to_kind) if to_kind else None,
        to=to,
        max_hops=max_hops,
        rank_by=rank_by,
        exclude=exclude,
        count=row_count(session, top),
        where=where,
        detail=detail,
    )
    return lambda graph: _Traversal(recording, graph, request).output()


def _check_goal(path: object, to_kind: object, to: object) -> None:
    if (path is None and to_kind is None and to is None) or (path is not None and to is not None):
        raise ArgumentError(
            "Pass exactly one of `path` (edge tables to follow), `to_kind` (all nodes of "
            "that kind) and `to` (ids or names; finds the shortest paths to them).",
            hint="With `path` or `to`, `to_kind` is the kind of the reached nodes.",
        )


class _Traversal:
    """One traversal within its reader."""

    def __init__(self, recording: CallRecorder, graph: GraphReader, request: Request) -> None:
        self._recording = recording
        self._notes = recording.notes
        self._contract = recording.session.contract
        self._graph = graph
        self._request = request

    def output(self) -> Rows:
        """Return the reached nodes."""
        request = self._request
        names = NameResolver(self._graph, self._contract)
        first = names.kind_of(request.start, request.start_kind)
        starts = self._starts(first)
        destination = self._destination(names, first)
        self._notes += destination.notes
        node, routes = destination.node, destination.routes
        ends = self._ends(first, node, starts)
        condition = where_decision(self._recording.session, node, request.where)
        among = select_nodes(
            self._recording, self._graph, node, condition, (), request.exclude
        ).among
        walks = self._walks(starts)
        vector = self._vector(first, starts) if request.rank_by == "similarity" else None
        if ends is None:
            rows, has_more = self._reach(walks, node, routes, among, vector)
        else:
            targets = self._graph.keep(node.name, node_ids(list(ends.names)), among)
            rows, has_more = self._shortest(walks, node, routes, targets, vector)
            self._note_missing(ends, {row.id for row in rows})
        self._note_hubs(walks)
        if request.where and not rows:
            self._notes.append("No reached node satisfies `where`.")
        return self._result(node, rows, has_more)

    def _starts(self, node: NodeTable) -> Ids:
        """Return the ids of the starts, ascending, and note how they were read."""
        request = self._request
        if request.vector is None:
            references = References(self._graph, self._contract, node)
            resolved = references.nodes(request.start, "start")
            self._notes += resolved.notes
            return node_ids(list(resolved.names))
        nearest = self._graph.nearest(node.name, request.vector, STARTS_BY_MEANING).ids.tolist()
        if not nearest:
            raise NotFoundError(f"No {node.name} has a vector, so `start_query` matches none.")
        names = node_names(self._graph, self._contract, node.name, nearest)
        described = ", ".join(f"{names[key]} ({key})" for key in nearest)
        self._notes.append(f"Starts nearest to the text: {described}.")
        return node_ids(nearest)

    def _destination(self, names: NameResolver, first: NodeTable) -> Destination:
        request = self._request
        if request.path is not None:
            return routes_along(self._contract, first, request.path, request.to_kind)
        node = request.to_kind
        if node is None and request.to is not None:
            node = names.kind_in_front(request.to)
        return routes_within(self._contract, first, node or first, request.max_hops)

    def _ends(self, first: NodeTable, node: NodeTable, starts: Ids) -> ResolvedNodes | None:
        """Return the nodes in `to` that are no starts, and note how they were read."""
        if self._request.to is None:
            return None
        references = References(self._graph, self._contract, node)
        resolved = references.nodes(self._request.to, "to")
        self._notes += resolved.notes
        if first.name != node.name:
            return resolved
        others = {
            key: name for key, name in resolved.names.items() if key not in set(starts.tolist())
        }
        if not others:
            raise ArgumentError(
                "`to` contains only starts, which are never in the result.",
                hint="Use other nodes as `to`.",
            )
        return ResolvedNodes(np.array(list(others), dtype=np.int64), others)

    def _walks(self, starts: Ids) -> Walks:
        """Return the paths from the starts; only the open way to a kind leaves hubs out."""
        request = self._request
        is_open = request.path is None and request.to is None
        return Walks(
            self._graph,
            starts,
            hub_cut=self._contract.limits.hub_cut if is_open else None,
            by_rarity=request.rank_by == "rarity",
            check=_checkpoint(self._recording),
        )

    def _vector(self, node: NodeTable, starts: Ids) -> Vector:
        """Return the vector of `start_query`, else the mean of the unit vectors of the starts."""
        if self._request.vector is not None:
            return self._request.vector
        vector = mean_vector(self._graph, node, starts)
        if vector is None:
            raise ExecutionError(
                "The starts have no vectors to rank by similarity to.",
                code="no_vectors",
                hint='Use rank_by "shared" or "rarity", or pass a `start_query`.',
            )
        return vector

    def _reach(
        self,
        walks: Walks,
        node: NodeTable,
        routes: Sequence[Route],
        among: Selection | None,
        vector: Vector | None,
    ) -> tuple[list[ShownNode], bool]:
        """Return the best of everything that the routes reach, and whether there is more."""
        reached = walks.reached(routes, among)
        count = self._request.count
        if vector is None:
            scores = np.round(reached.scores, SCORE_DECIMALS)
            order = np.lexsort((reached.ids, -scores))[:count]
            best, values = reached.ids[order], self._scores(scores[order], routes)
        else:
            best, values = self._by_similarity(node, reached.ids, vector, count + 1)
        best, values = best[:count], values[:count]
        evidence = self._evidence(walks, routes, node_ids(best.tolist()))
        hops = reached.hops[np.searchsorted(reached.ids, best)]
        rows = [
            ShownNode(key, value, fewest, *evidence[key])
            for key, value, fewest in zip(best.tolist(), values, hops.tolist(), strict=True)
        ]
        return rows, len(reached.ids) > count

    def _scores(
        self, scores: NDArray[np.float64], routes: Sequence[Route]
    ) -> Sequence[float | int]:
        """Return scores as they are shown: numbers of paths are integers."""
        is_weighted = self._request.rank_by == "rarity" and len(routes[-1].hops) > 1
        rounded = np.round(scores, SCORE_DECIMALS)
        return rounded.tolist() if is_weighted else rounded.astype(np.int64).tolist()

    def _by_similarity(
        self, node: NodeTable, ids: Ids, vector: Vector, count: int
    ) -> tuple[Ids, list[float | None]]:
        """Return the nodes most similar to a vector; those without a vector come last."""
        if not len(ids):
            return ids, []
        if self._recording.session.engine.describe().has_vector_index(node.name):
            self._notes.append(APPROXIMATE)
        ranked = self._graph.nearest(node.name, vector, count, self._graph.only(ids))
        similarities = np.round(1 - ranked.values, SCORE_DECIMALS)
        order = np.lexsort((ranked.ids, -similarities))
        best, values = ranked.ids[order], [float(value) for value in similarities[order]]
        others = np.setdiff1d(ids, best) if len(best) < count else NO_IDS
        return np.concatenate([best, others]), [*values, *[None] * len(others)]

    def _evidence(
        self, walks: Walks, routes: Sequence[Route], ends: Ids
    ) -> dict[int, tuple[tuple[Path, ...], dict[str, int]]]:
        """Return up to five paths to each node, short ones first, and what is shared with it."""
        paths: dict[int, list[Path]] = {key: [] for key in ends.tolist()}
        shared: dict[int, dict[str, int]] = {key: {} for key in paths}
        limit = max(MAX_PATHS_SHOWN, len({route.kinds[1] for route in routes if route.returns}))
        for same_length in _by_length(routes):
            lacking = node_ids(
                [key for key, node_paths in paths.items() if len(node_paths) < limit]
            )
            if not len(lacking):
                break
            evidence = walks.evidence(same_length, lacking, limit, complete=False)
            for key, more in evidence.paths.items():
                paths[key] = [*paths[key], *more][:limit]
                shared[key] |= evidence.shared.get(key, {})
        return {key: (tuple(paths[key]), shared[key]) for key in paths}

    def _shortest(
        self,
        walks: Walks,
        node: NodeTable,
        routes: Sequence[Route],
        ends: Ids,
        vector: Vector | None,
    ) -> tuple[list[ShownNode], bool]:
        """Return the shortest paths to each end, one in a row, and whether there are more."""
        count = self._request.count
        left = ends
        rows: list[ShownNode] = []
        for same_length in _by_length(routes):
            if not len(left) or len(rows) > count:
                break
            evidence = walks.evidence(same_length, left, count + 1)
            reached = node_ids(list(evidence.paths))
            for key, score in self._path_scores(node, reached, evidence, vector, routes):
                rows += [
                    ShownNode(key, score, len(path.route.hops), (path,), {})
                    for path in evidence.paths[key]
                ]
            left = np.setdiff1d(left, reached)
        return rows[:count], len(rows) > count

    def _path_scores(
        self,
        node: NodeTable,
        ends: Ids,
        evidence: PathEvidence,
        vector: Vector | None,
        routes: Sequence[Route],
    ) -> list[tuple[int, float | int | None]]:
        """Return the ends of paths of one length with their scores, best first."""
        if vector is not None:
            best, values = self._by_similarity(node, ends, vector, len(ends))
            return list(zip(best.tolist(), values, strict=True))
        scores = np.array([evidence.scores[key] for key in ends.tolist()])
        order = np.lexsort((ends, -np.round(scores, SCORE_DECIMALS)))
        values = self._scores(scores[order], routes)
        return list(zip(ends[order].tolist(), values, strict=True))

    def _note_missing(self, ends: ResolvedNodes, reached_ids: set[int]) -> None:
        missing = [f"{name} ({key})" for key, name in ends.names.items() if key not in reached_ids]
        if missing:
            described = ", ".join(missing[:MAX_PATHS_SHOWN])
            more = len(missing) - MAX_PATHS_SHOWN
            self._notes.append(
                "Not among the paths shown (none within `max_hops`, or removed by `top`, "
                f"`where` or `exclude`): {described}{f' and {more} more' if more > 0 else ''}."
            )

    def _note_hubs(self, walks: Walks) -> None:
        """Name the hubs that no path passes, with their degrees."""
        if not walks.hubs:
            return
        ranked = sorted(walks.hubs.items(), key=lambda hub: (-hub[1], hub[0]))
        first_hubs = ranked[:MAX_HUBS_NAMED]
        described = ", ".join(
            f"{node_names(self._graph, self._contract, kind, [key])[key]} ({degree:,})"
            for (kind, key), degree in first_hubs
        )
        more = len(ranked) - len(first_hubs)
        self._notes.append(
            f"Hubs with more than {plural(self._contract.limits.hub_cut, 'edge')}, not used "
            f"in the middle of paths: {described}{f' and {more} more' if more > 0 else ''}. An "
            "explicit `path` includes them."
        )

    def _result(self, node: NodeTable, nodes: Sequence[ShownNode], has_more: bool) -> Rows:
        """Return the rows, and the paths of each."""
        names = names_along(
            self._graph, self._contract, [path for row in nodes for path in row.paths]
        )
        ids = np.array([row.id for row in nodes], dtype=np.int64)
        repeated = [not is_first for is_first in first_occurrences(ids)]
        if any(repeated):
            self._notes.append(f"{node.text} is only in the first row of each {node.name}.")
        computed: dict[str, Sequence[Any]] = {
            "Score": [row.score for row in nodes],
            "Hops": [row.hops for row in nodes],
            "Via": [via(row.paths, names, row.shared) for row in nodes],
        }
        output = node_output(
            self._recording,
            self._graph,
            node,
            ids,
            detail=self._request.detail,
            has_more=has_more,
            leading={"Kind": [node.name] * len(nodes)},
            computed=computed,
            without_text=repeated,
        )
        steps = tuple(_row_paths(row, names) for row in nodes[: len(output.rows)])
        return replace(output, paths=steps)


def _row_paths(row: ShownNode, names: Names) -> RowPaths:
    return tuple(steps_of(path, names) for path in row.paths)


def _by_length(routes: Sequence[Route]) -> list[list[Route]]:
    """Return the routes grouped by their number of hops, short ones first."""
    lengths = sorted({len(route.hops) for route in routes})
    return [[route for route in routes if len(route.hops) == length] for length in lengths]


def _checkpoint(recording: CallRecorder) -> Callable[[], None]:
    """Return what raises QueryTimeoutError once the call is cancelled or out of time."""
    budget = recording.call.budget(recording.session.caps, 1)
    deadline = time.monotonic() + budget.seconds

    def check() -> None:
        budget.cancellation.check()
        if time.monotonic() > deadline:
            raise timeout_error(budget.seconds)

    return check
