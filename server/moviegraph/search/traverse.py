"""graph_traverse: what edges lead to from some nodes, ranked, with the paths that lead there."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.base import Vector, timeout_error
from moviegraph.engines.retrieval_primitives import GraphReader, Ids, Selection, node_ids
from moviegraph.errors import ArgumentError, ExecutionError, NotFoundError
from moviegraph.names import fold_case
from moviegraph.query.names import Item, NameResolver, node_names, node_table
from moviegraph.query.query_pipeline import CallRecorder, query_vector
from moviegraph.query.rows import Rows
from moviegraph.query.session import Call, Session
from moviegraph.search.edge_conditions import EdgeConditions, Step, StepEdges, edges_along
from moviegraph.search.fixed_tool import (
    fixed_request,
    node_output,
    nothing_satisfies,
    row_count,
    where_decision,
)
from moviegraph.search.references import (
    References,
    mean_vector,
    select_nodes,
)
from moviegraph.search.semantic import APPROXIMATE
from moviegraph.search.via import Nodes, nodes_along, steps_of, via
from moviegraph.search.walks import (
    EVERY_NODE,
    Destination,
    Path,
    Route,
    Walks,
    Weights,
    routes_along,
    routes_within,
)
from moviegraph.text import plural

STARTS_BY_MEANING = 5
MAX_PATHS_SHOWN = 5
MAX_HUBS_NAMED = 8
SCORE_DECIMALS = 4
Score = float | int | None


@dataclass(frozen=True, slots=True)
class ReachedNode:
    """A row of the result: a node reached, and the paths that are shown for it."""

    id: int
    score: Score
    hops: int
    paths: tuple[Path, ...]
    shared: dict[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """The rows, whether there are more, and the fewest hops to any node of the result."""

    rows: list[ReachedNode]
    has_more: bool
    hops: int


def traverse(
    session: Session,
    call: Call,
    *,
    start_kind: str | None = None,
    start: Sequence[Item] | None = None,
    start_query: str | None = None,
    path: Sequence[str] | None = None,
    to_kind: str | None = None,
    to: Sequence[Item] | None = None,
    max_hops: int = 2,
    edges: Sequence[str] = (),
    rank_by: str = "shared",
    only: Sequence[Item] = (),
    exclude: Sequence[Item] = (),
    top: int | None = None,
    where: str | None = None,
    where_edge: str | None = None,
    detail: str = "concise",
) -> Rows:
    """Return the nodes that paths lead to from some nodes, best score first, ties by id.

    With `to`, each row is one shortest path. A path uses no edge twice; on the open way to
    `to_kind` it passes no hub, and nodes with fewer hops come first. The other arguments are those
    of the tool.

    Raises:
        ModelVisibleError: An argument is wrong, nothing in `start` or `to` resolves, a condition
            was refused, or there are too many paths.
    """
    request = fixed_request(call, "graph_traverse", locals())
    goal = _Goal(path, to_kind, to, max_hops, edges)
    with CallRecorder(session, call, request) as recording:
        goal.check()
        _check_start(start, start_query)
        recording.query = start_query.strip() if start_query else None
        kind = node_table(session.contract, start_kind)
        vector = query_vector(session, recording.query) if start_query else None
        count = row_count(session, top)

        with recording.reader("graph_traverse") as graph:
            names = NameResolver(graph, session.contract)
            first = names.kind_of(start or (), kind)
            starts = _starts(recording, graph, first, start or (), vector)
            destination = goal.destination(session.contract, names, first)
            recording.notes += destination.notes
            node = destination.node
            ends = _ends(recording, graph, first, node, starts, to) if to is not None else None
            conditions = EdgeConditions(session, where_edge, destination.routes)
            condition = where_decision(session, node, where)
            among = select_nodes(recording, graph, node, condition, (), only, exclude).among
            similar_to = _vector(graph, first, starts, vector) if rank_by == "similarity" else None
            is_whole = rank_by != "rarity" or len(destination.routes[-1].hops) == 1
            ranking = _Ranking(recording, graph, node, similar_to, is_whole)
            walks = Walks(
                graph,
                starts,
                hub_cut=session.contract.limits.hub_cut if goal.is_open else None,
                by_rarity=rank_by == "rarity",
                check=_checkpoint(recording),
                where=conditions.of,
            )
            found = _find(walks, ranking, destination.routes, goal, ends, among, count)
            if not found.rows:
                recording.notes += nothing_satisfies("reached node", where, only, where_edge)
            shown = _ShownPaths.of(
                graph,
                session.contract,
                found.rows,
                starts,
                conditions,
                is_row_per_path=to is not None,
            )
            recording.notes += conditions.notes
            output = _output(recording, graph, node, found, shown, detail)
        return recording.finish(output)


@dataclass(frozen=True, slots=True)
class _Goal:
    """Where a traversal goes: along a path, to all nodes of a kind in reach, or to some nodes."""

    path: Sequence[str] | None
    to_kind: str | None
    to: Sequence[Item] | None
    max_hops: int
    edges: Sequence[str]

    @property
    def is_open(self) -> bool:
        """Whether it goes to all nodes of a kind."""
        return self.path is None and self.to is None

    def check(self) -> None:
        """Raise ArgumentError unless one of three says where to go."""
        aims = [aim for aim in (self.path, self.to) if aim is not None]
        if len(aims) > 1 or not (aims or self.to_kind is not None):
            raise ArgumentError(
                "Pass exactly one of `path` (edge tables to follow), `to_kind` (all nodes of "
                "that kind) and `to` (ids or names; finds the shortest paths to them).",
                hint="With `path` or `to`, `to_kind` is the kind of the reached nodes.",
            )
        if self.path is not None and self.edges:
            raise ArgumentError(
                "`edges` limits `to_kind` and `to`; `path` itself names the edge tables to follow.",
                hint="Omit `edges`, or use `to_kind` or `to` instead of `path`.",
            )

    def destination(self, contract: Contract, names: NameResolver, first: NodeTable) -> Destination:
        """Return the kind to reach, and the routes to it. Raises ArgumentError."""
        to_kind = self.to_kind
        kind = node_table(contract, to_kind) if to_kind else names.kind_in_front(self.to or ())
        if self.path is not None:
            return routes_along(contract, first, self.path, kind)
        return routes_within(contract, first, kind or first, self.max_hops, self.edges)


def _check_start(start: Sequence[Item] | None, start_query: str | None) -> None:
    """Raise ArgumentError unless one of two says where to begin."""
    if (start is None) == (start_query is None):
        raise ArgumentError(
            "Pass exactly one of `start` (ids or names) and `start_query` (a text; its "
            f"{STARTS_BY_MEANING} nearest nodes are the starts)."
        )


def _starts(
    recording: CallRecorder,
    graph: GraphReader,
    node: NodeTable,
    items: Sequence[Item],
    vector: Vector | None,
) -> Ids:
    """Return the ids of the starts, ascending, and note how they were read."""
    contract = recording.session.contract
    if vector is None:
        resolved = References(graph, contract, node).nodes(items, "start")
        recording.notes += resolved.notes
        return node_ids(list(resolved.names))
    nearest = graph.nearest(node.name, vector, STARTS_BY_MEANING).ids.tolist()
    if not nearest:
        raise NotFoundError(f"No {node.name} has a vector, so `start_query` matches none.")
    names = node_names(graph, contract, node.name, nearest)
    described = ", ".join(f"{names[key]} ({key})" for key in nearest)
    recording.notes.append(f"Starts nearest to the text: {described}.")
    return node_ids(nearest)


def _ends(
    recording: CallRecorder,
    graph: GraphReader,
    first: NodeTable,
    node: NodeTable,
    starts: Ids,
    to: Sequence[Item],
) -> dict[int, str]:
    """Return the names of the nodes in `to` that are no starts, and note how they were read."""
    resolved = References(graph, recording.session.contract, node).nodes(to, "to")
    recording.notes += resolved.notes
    left_out = set(starts.tolist()) if first.name == node.name else set[int]()
    ends = {key: name for key, name in resolved.names.items() if key not in left_out}
    if not ends:
        raise ArgumentError(
            "`to` contains only starts, which are never in the result.",
            hint="Use other nodes as `to`.",
        )
    return ends


def _vector(graph: GraphReader, node: NodeTable, starts: Ids, query: Vector | None) -> Vector:
    """Return the vector of `start_query`, else the mean of the unit vectors of the starts."""
    vector = query if query is not None else mean_vector(graph, node, starts)
    if vector is None:
        raise ExecutionError(
            "The starts have no vectors to rank by similarity to.",
            code="no_vectors",
            hint='Use rank_by "shared" or "rarity", or pass a `start_query`.',
        )
    return vector


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The order of the nodes reached: by similarity to a vector, if there is one, or by score.

    `is_whole` is whether scores are numbers of paths.
    """

    recording: CallRecorder
    graph: GraphReader
    node: NodeTable
    vector: Vector | None
    is_whole: bool

    def best(
        self, ids: Ids, scores: Weights, count: int, hops: Ids | None = None
    ) -> list[tuple[int, Score]]:
        """Return the best nodes with their scores as shown, ties by id.

        With `hops`, fewer of them come first, unless similarity decides.
        """
        if self.vector is not None:
            return self._nearest(ids, self.vector, count)
        rounded = np.round(scores, SCORE_DECIMALS)
        keys = (ids, -rounded) if hops is None else (ids, -rounded, hops)
        order = np.lexsort(keys)[:count]
        values: list[float] = rounded[order].tolist()
        shown = map(int, values) if self.is_whole else values
        return list(zip(ids[order].tolist(), shown, strict=True))

    @property
    def meaning(self) -> str:
        """What a score says."""
        if self.vector is not None:
            return "Score is the similarity to the starts, not to the paths."
        if self.is_whole:
            return "Score counts the paths to a node."
        return "Score sums the paths to a node; nodes between with few edges count more."

    def _nearest(self, ids: Ids, vector: Vector, count: int) -> list[tuple[int, Score]]:
        """Return the nodes most similar to a vector; those without a vector come last."""
        if not len(ids):
            return []
        if self.recording.session.engine.describe().has_vector_index(self.node.name):
            self.recording.notes.append(APPROXIMATE)
        among = self.graph.only(ids)
        ranked = self.graph.nearest(self.node.name, vector, count, among)
        similarities = np.round(1 - ranked.values, SCORE_DECIMALS)
        order = np.lexsort((ranked.ids, -similarities))
        nearest: list[int] = ranked.ids[order].tolist()
        values: list[float] = similarities[order].tolist()
        others: list[int] = np.setdiff1d(ids, ranked.ids).tolist() if len(nearest) < count else []
        best: list[tuple[int, Score]] = [*zip(nearest, values, strict=True)]
        return [*best, *((key, None) for key in others)][:count]


def _find(
    walks: Walks,
    ranking: _Ranking,
    routes: Sequence[Route],
    goal: _Goal,
    ends: Mapping[int, str] | None,
    among: Selection | None,
    count: int,
) -> Found:
    """Return what the walks reach, and note what the rows alone do not say."""
    graph, notes = ranking.graph, ranking.recording.notes
    if ends is None:
        found = _reach(walks, ranking, routes, among, count, by_hops=goal.is_open)
    else:
        targets = graph.keep(ranking.node.name, node_ids(list(ends)), among)
        found = _shortest(walks, ranking, routes, targets, count)
        _note_missing(notes, ends, {row.id for row in found.rows})
    can_be_direct = goal.is_open and len(routes[0].hops) == 1
    notes += _notes(found, ranking, ends, can_be_direct=can_be_direct)
    if walks.hubs:
        notes.append(_hub_note(graph, ranking.recording.session.contract, walks.hubs))
    return found


def _reach(
    walks: Walks,
    ranking: _Ranking,
    routes: Sequence[Route],
    among: Selection | None,
    count: int,
    *,
    by_hops: bool,
) -> Found:
    """Return the best of everything that the routes reach."""
    reached = walks.reached(routes, among)
    best = ranking.best(reached.ids, reached.scores, count, reached.hops if by_hops else None)
    evidence = _evidence(walks, routes, node_ids([key for key, _ in best]))
    hops = reached.hops[np.searchsorted(reached.ids, [key for key, _ in best])].tolist()
    rows = [
        ReachedNode(key, score, fewest, *evidence[key])
        for (key, score), fewest in zip(best, hops, strict=True)
    ]
    return Found(rows, len(reached.ids) > count, int(reached.hops.min(initial=EVERY_NODE)))


def _evidence(
    walks: Walks, routes: Sequence[Route], ends: Ids
) -> dict[int, tuple[tuple[Path, ...], dict[str, int]]]:
    """Return up to five paths to each node, short ones first, and what is shared with it."""
    paths: dict[int, list[Path]] = {key: [] for key in ends.tolist()}
    shared: dict[int, dict[str, int]] = {key: {} for key in paths}
    limit = max(MAX_PATHS_SHOWN, len({route.kinds[1] for route in routes if route.returns}))
    for same_length in _by_length(routes):
        lacking = node_ids([key for key, node_paths in paths.items() if len(node_paths) < limit])
        if not len(lacking):
            break
        evidence = walks.evidence(same_length, lacking, limit, complete=False)
        for key, more in evidence.paths.items():
            shared[key] |= evidence.shared.get(key, {})
            kinds = len(evidence.shared.get(key, ()))  # of each, a name is shown
            paths[key] += more[: max(limit - len(paths[key]), kinds)]
    return {key: (tuple(paths[key]), shared[key]) for key in paths}


def _shortest(
    walks: Walks, ranking: _Ranking, routes: Sequence[Route], ends: Ids, count: int
) -> Found:
    """Return the shortest paths to each end, one in a row."""
    rows: list[ReachedNode] = []
    for same_length in _by_length(routes):
        if not len(ends) or len(rows) > count:
            break
        evidence = walks.evidence(same_length, ends, count + 1)
        reached = node_ids(list(evidence.paths))
        scores = np.array([evidence.scores[key] for key in reached.tolist()])
        for key, score in ranking.best(reached, scores, len(reached)):
            rows += [
                ReachedNode(key, score, len(path.route.hops), (path,), {})
                for path in evidence.paths[key]
            ]
        ends = np.setdiff1d(ends, reached)
    hops = min((row.hops for row in rows), default=EVERY_NODE)
    return Found(rows[:count], len(rows) > count, hops)


def _notes(
    found: Found,
    ranking: _Ranking,
    ends: Mapping[int, str] | None,
    *,
    can_be_direct: bool,
) -> Iterator[str]:
    """Yield what the score says, and which nodes no single edge joins with a start."""
    if not found.rows:
        return
    yield ranking.meaning
    if ends is None:
        if found.hops > 1 and can_be_direct:
            yield (
                f"No {ranking.node.name} in the result is linked directly to a start: each path "
                f"has at least {found.hops} hops."
            )
        return
    far = {row.id: row.hops for row in found.rows if row.hops > 1}
    if far:
        described = [f"{ends[key]} ({key}): {hops} hops" for key, hops in far.items()]
        more = len(described) - MAX_PATHS_SHOWN
        yield (
            f"Not linked directly to a start: {', '.join(described[:MAX_PATHS_SHOWN])}"
            f"{f' and {more} more' if more > 0 else ''}."
        )


def _note_missing(notes: list[str], ends: Mapping[int, str], reached_ids: set[int]) -> None:
    missing = [f"{name} ({key})" for key, name in ends.items() if key not in reached_ids]
    if missing:
        described = ", ".join(missing[:MAX_PATHS_SHOWN])
        more = len(missing) - MAX_PATHS_SHOWN
        notes.append(
            "Not among the paths shown (none within `max_hops`, or removed by `top`, "
            f"`where` or `exclude`): {described}{f' and {more} more' if more > 0 else ''}."
        )


def _hub_note(graph: GraphReader, contract: Contract, hubs: Mapping[tuple[str, int], int]) -> str:
    """Return a note that names the hubs that no path passes, with their degrees."""
    ranked = sorted(hubs.items(), key=lambda hub: (-hub[1], hub[0]))
    descriptions = [
        f"{node_names(graph, contract, kind, [key])[key]} ({degree:,})"
        for (kind, key), degree in ranked[:MAX_HUBS_NAMED]
    ]
    more = len(ranked) - len(descriptions)
    return (
        f"Hubs with more than {plural(contract.limits.hub_cut, 'edge')}, not used in the middle "
        f"of paths: {', '.join(descriptions)}{f' and {more} more' if more > 0 else ''}. An "
        "explicit `path` includes them."
    )


@dataclass(frozen=True, slots=True)
class _ShownPaths:
    """The paths of the rows with their nodes and edges, for text and steps.

    `by_start` is whether what is shared is stated for each start: some have one name, or each path
    is a row.
    """

    nodes: Nodes
    edges: Mapping[Step, StepEdges]
    by_start: bool

    @classmethod
    def of(
        cls,
        graph: GraphReader,
        contract: Contract,
        rows: Sequence[ReachedNode],
        starts: Ids,
        conditions: EdgeConditions,
        *,
        is_row_per_path: bool,
    ) -> Self:
        """Read what the paths of the rows pass."""
        paths = [path for row in rows for path in row.paths]
        written = [path for path in paths if conditions.tables or not path.route.returns]
        edges = edges_along(graph, contract, conditions, written)
        names = node_names(graph, contract, paths[0].route.start, starts) if paths else {}
        has_namesakes = len({fold_case(name) for name in names.values()}) < len(names)
        by_start = has_namesakes or (is_row_per_path and len(names) > 1)
        nodes = nodes_along(graph, contract, paths, by_start=by_start)
        return cls(nodes, edges, by_start)

    def via(self, row: ReachedNode) -> str:
        """Return the paths of a row as text."""
        return via(row.paths, self.nodes, row.shared, self.edges, by_start=self.by_start)


def _output(
    recording: CallRecorder,
    graph: GraphReader,
    node: NodeTable,
    found: Found,
    paths: _ShownPaths,
    detail: str,
) -> Rows:
    """Return the rows, and the paths of each."""
    nodes = found.rows
    ids = [row.id for row in nodes]
    output = node_output(
        recording,
        graph,
        node,
        np.array(ids, dtype=np.int64),
        detail=detail,
        has_more=found.has_more,
        leading={"Kind": [node.name] * len(nodes)},
        computed={
            "Score": [row.score for row in nodes],
            "Hops": [row.hops for row in nodes],
            "Via": [paths.via(row) for row in nodes],
        },
    )
    shown = nodes[: len(output.rows)]
    steps = tuple(tuple(steps_of(path, paths.nodes) for path in row.paths) for row in shown)
    return replace(output, paths=steps)


def _by_length(routes: Sequence[Route]) -> list[list[Route]]:
    """Return the routes grouped by their number of hops, short ones first."""
    lengths = sorted({len(route.hops) for route in routes})
    return [[route for route in routes if len(route.hops) == length] for length in lengths]


def _checkpoint(recording: CallRecorder) -> Callable[[], None]:
    """Return what raises QueryTimeoutError once the call is cancelled or out of time."""
    budget = recording.call.budget(recording.session.limits, 1)
    deadline = time.monotonic() + budget.seconds

    def check() -> None:
        budget.cancellation.check()
        if time.monotonic() > deadline:
            raise timeout_error(budget.seconds)

    return check
