"""Walks the graph from some nodes, and ranks what it reaches by shared ways or by meaning."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isqrt, sqrt
from typing import Any

from moviegraph.contract.model import NodeTable
from moviegraph.errors import ArgumentError, ExecutionError
from moviegraph.retrieval.arguments import (
    DETAILS,
    check_choice,
    check_top,
    condition,
    node_table,
)
from moviegraph.retrieval.detail import cut_by, detailed
from moviegraph.retrieval.goals import Goal, goal
from moviegraph.retrieval.hubs import hubs_between
from moviegraph.retrieval.nodes import as_listed, given, unmet
from moviegraph.retrieval.recording import Answer, Finding, Recording
from moviegraph.retrieval.road import MOST_ROWS
from moviegraph.retrieval.session import Call, Rows, Session
from moviegraph.retrieval.starts import find_starts
from moviegraph.sql.connected import MOST_ROWS as MOST_MULTIPLIED
from moviegraph.sql.guard import Where
from moviegraph.sql.routes import Route
from moviegraph.sql.traversal_statements import (
    cosine_of_starts,
    merged,
    packed,
    paths,
    reached,
    reached_keys,
    similarity_to_query,
    similarity_to_starts,
    ways,
)
from moviegraph.sql.walks import Walk

RANKS = ("shared", "similarity")
MOST_WAYS = 5
MOST_AVERAGED = isqrt(MOST_MULTIPLIED)  # every start meets every other where their mean is measured
UNMET = "Nothing that is reached satisfies `where`."
SHARED = "r.Ways"
SHARED_PATHS = "COUNT(*) OVER (PARTITION BY r.Id)"


@dataclass(frozen=True, slots=True)
class Traversal:
    """One traversal under way, its arguments checked."""

    recording: Recording
    walk: Walk
    goal: Goal
    top: int
    where: Where | None
    by_similarity: bool
    concise: bool
    similarity: str

    @property
    def node(self) -> NodeTable:
        """The node table of what is reached."""
        return self.goal.node

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the result."""
        node = self.node
        extra = (column.name for column in node.extra)
        return ("Kind", node.key, node.label, *extra, "Score", "Hops", "Via", node.text)

    def show(self, sql: str) -> Answer:
        """Run a statement whose rows the caller sees."""
        return self.recording.show(sql, where=self.where, concise=self.concise, own=True)

    def packs(self, routes: Iterable[Route]) -> list[list[Route]]:
        """Divide routes into groups, each for one statement."""
        return packed(self.walk, routes, condition=self.where.text if self.where else "")


def traverse(
    session: Session,
    call: Call,
    *,
    start_kind: str | None = None,
    start: Sequence[int | str] | None = None,
    start_query: str | None = None,
    path: Sequence[str] | None = None,
    to_kind: str | None = None,
    to: Sequence[int | str] | None = None,
    max_hops: int = 2,
    rank_by: str = "shared",
    top: int | None = None,
    where: str | None = None,
    detail: str = "concise",
) -> Rows:
    """Return what the graph reaches from some nodes, with the ways as evidence.

    The score is the number of distinct ways, or the similarity to `start_query`, else to the mean
    of the start vectors. A way passes no node twice and no hub. With `to`, each row is one shortest
    path.

    Raises:
        ForModel: An argument is wrong, a start is unknown, or `where` was refused.
    """
    arguments = given(
        start_kind=start_kind,
        start=start,
        start_query=start_query,
        path=path,
        to_kind=to_kind,
        to=to,
        max_hops=max_hops,
        rank_by=rank_by,
        top=top,
        where=where,
        detail=detail,
    )
    with Recording(session, call, arguments) as recording:
        count = check_top(top, session)
        by_similarity = check_choice(rank_by, RANKS, "rank_by") == "similarity"
        concise = check_choice(detail, DETAILS, "detail") == "concise"
        first = node_table(session.contract, start_kind, "start_kind")
        aim = goal(recording, first, path=path, to_kind=to_kind, to=to, max_hops=max_hops)
        walk = _walk(recording, first, aim, start, start_query)
        wanted = condition(where, aim.node)
        score = _similarity(recording, walk, first, aim.node) if by_similarity else ""
        one = Traversal(recording, walk, aim, count, wanted, by_similarity, concise, score)
        return recording.finish(as_listed(_found(one), top, count))


def _walk(
    recording: Recording,
    first: NodeTable,
    aim: Goal,
    start: Sequence[int | str] | None,
    start_query: str | None,
) -> Walk:
    """Return where the ways begin and end, and the hubs that none passes."""
    starts = find_starts(recording, first, start, start_query).ids
    walk = Walk(recording.session.contract, starts, ends=_ends(aim, first, starts))
    return replace(walk, hubs=hubs_between(recording, walk, aim.routes))


def _ends(aim: Goal, first: NodeTable, starts: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the ends that are no starts; a start is never in the result."""
    if aim.names is None:
        return None
    same = aim.node.name == first.name
    ends = tuple(each for each in aim.names if not (same and each in starts))
    if not ends:
        raise ArgumentError("`to` holds only starts, and a start is never in the result.")
    return ends


def _similarity(recording: Recording, walk: Walk, first: NodeTable, node: NodeTable) -> str:
    """Return the expression of the score, to the text or to the mean of the start vectors."""
    if recording.query is not None:
        return similarity_to_query(node)
    if len(walk.starts) > MOST_AVERAGED:
        recording.notes.append(
            f"Similarity is to the mean of the first {MOST_AVERAGED} of the {len(walk.starts)} "
            "starts; ways begin at all of them."
        )
        walk = replace(walk, starts=walk.starts[:MOST_AVERAGED])
    ((cosine,),) = recording.read(cosine_of_starts(walk, first))
    if cosine is None or cosine <= 0:
        raise ExecutionError(
            "The starts have no vectors, or vectors without a mean, to rank by similarity to.",
            code="no_vectors",
            hint='Use rank_by "shared", or give a `start_query`.',
        )
    return similarity_to_starts(walk, node, first, sqrt(cosine))


def _found(one: Traversal) -> Finding:
    """Return the paths to the ends that are wanted, or else everything that is reached."""
    return _reach(one) if one.goal.names is None else _shortest(one)


def _reach(one: Traversal) -> Finding:
    """Rank everything that the routes reach, then fetch some of the ways that lead there."""
    score = one.similarity if one.by_similarity else SHARED
    packs = one.packs(one.goal.routes)
    if len(packs) == 1:
        answer = one.show(reached(one.walk, packs[0], score, one.top))
    else:
        answer = _merge(one, packs, score)
    names = answer.result.columns
    key = names.index(one.node.key)
    via = _via(one, [row[key] for row in answer.result.rows])
    rows = [(*row[:-1], "; ".join(via.get(row[key], ())), row[-1]) for row in answer.result.rows]
    return _finding(one, answer, rows, answer.truncated)


def _merge(one: Traversal, packs: list[list[Route]], score: str) -> Answer:
    """Merge what several statements reach: ways add up, a similarity is the same in each."""
    limit = one.top if one.by_similarity else MOST_ROWS
    found: dict[int, tuple[float, int]] = {}
    for pack in packs:
        sql = reached_keys(one.walk, pack, score, limit)
        for key, value, hops in one.recording.read(sql, where=one.where):
            before, nearest = found.get(key, (0, hops))
            total = value if one.by_similarity else before + value
            found[key] = (total, min(hops, nearest))
    if not found:
        return one.show(reached(one.walk, packs[0], score, one.top))
    best = sorted(found, key=lambda key: (-found[key][0], key))[: one.top]
    return one.show(merged(one.node, {key: found[key] for key in best}, one.top))


def _via(one: Traversal, keys: list[int]) -> dict[int, list[str]]:
    """Return up to five ways to each node: short ones first, then each route in turn."""
    via: dict[int, list[str]] = {key: [] for key in keys}
    for length in _lengths(one.goal.routes):
        lacking = tuple(key for key in keys if len(via[key]) < MOST_WAYS)
        if not lacking:
            break
        walk = replace(one.walk, ends=lacking)
        routes = [route for route in one.goal.routes if len(route.hops) == length]
        found: list[tuple[Any, ...]] = []
        for pack in one.packs(routes):
            found += one.recording.read(ways(walk, pack, MOST_WAYS, MOST_ROWS))
            if _enough(found, via):
                break
        for key, _, text in sorted(found, key=lambda row: row[1:]):
            if len(via[key]) < MOST_WAYS:
                via[key].append(text)
    return via


def _enough(found: list[tuple[Any, ...]], via: dict[int, list[str]]) -> bool:
    """Whether every node has five ways, so that further routes need not be asked."""
    counts = Counter(row[0] for row in found)
    return all(len(texts) + counts[key] >= MOST_WAYS for key, texts in via.items())


def _lengths(routes: Iterable[Route]) -> list[int]:
    return sorted({len(route.hops) for route in routes})


def _shortest(one: Traversal) -> Finding:
    """Look for paths of one hop, of two, ..., until every node wanted is reached."""
    left = one.walk.ends or ()
    rows: list[tuple[Any, ...]] = []
    answers: list[Answer] = []
    for length in _lengths(one.goal.routes):
        step = replace(one, walk=replace(one.walk, ends=left))
        routes = [route for route in one.goal.routes if len(route.hops) == length]
        found = [step.show(sql) for sql in _path_statements(step, routes)]
        answers = [each for each in (*answers, *found) if each.result.rows] or found
        rows += _ranked(one, found)
        done = {row[1] for row in rows}
        left = tuple(each for each in left if each not in done)
        if not left or len(rows) >= one.top:
            break
    truncated = next((each.truncated for each in answers if each.truncated), None)
    found = _told_once(one, _finding(one, answers[-1], rows[: one.top], truncated))
    _note_unreached(one, left)
    return found


def _told_once(one: Traversal, found: Finding) -> Finding:
    """Leave the text of a node to its first row, where several paths lead to it."""
    seen: set[int] = set()
    rows: list[tuple[Any, ...]] = []
    for row in found.rows:
        rows.append((*row[:-1], None) if row[1] in seen else row)
        seen.add(row[1])
    if len(seen) < len(rows):
        one.recording.notes.append(f"{one.node.text} stands in the first row of each node alone.")
    return replace(found, rows=rows)


def _path_statements(one: Traversal, routes: list[Route]) -> list[str]:
    score = one.similarity if one.by_similarity else SHARED_PATHS
    return [paths(one.walk, pack, score, one.top) for pack in one.packs(routes)]


def _ranked(one: Traversal, answers: list[Answer]) -> list[tuple[Any, ...]]:
    """Return paths of one length, best score first; counts of several statements add up."""
    score = one.columns.index("Score")
    counts: dict[int, float] = {}
    for answer in answers:
        seen = {row[1]: row[score] for row in answer.result.rows}
        for key, value in seen.items():
            counts[key] = value if one.by_similarity else counts.get(key, 0) + value
    rows = [
        (*row[:score], counts[row[1]], *row[score + 1 :])
        for answer in answers
        for row in answer.result.rows
    ]
    return sorted(rows, key=lambda row: (-row[score], row[1], row[-2]))


def _note_unreached(one: Traversal, left: tuple[int, ...]) -> None:
    if not left:
        return
    names = one.goal.names or {}
    listed = ", ".join(f"{names.get(key, '')} ({key})" for key in left[:MOST_WAYS])
    more = f" and {len(left) - MOST_WAYS} more" if len(left) > MOST_WAYS else ""
    one.recording.notes.append(
        f"Not among the paths shown (none within `max_hops`, or cut by `top` or `where`): "
        f"{listed}{more}."
    )


def _finding(
    one: Traversal, answer: Answer, rows: list[tuple[Any, ...]], truncated: str | None
) -> Finding:
    detail = "concise" if one.concise else "full"
    return Finding(
        answer=answer,
        columns=one.columns,
        rows=detailed(one.columns, rows, one.node.text, detail),
        truncated=cut_by(detail, truncated),
        notes=(*answer.allowed.notes, *unmet(rows, one.where, UNMET)),
        keys=tuple((one.node.name, row[1]) for row in rows),
        lineage=answer.allowed.outputs,
    )
