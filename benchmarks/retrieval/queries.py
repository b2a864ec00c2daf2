"""Queries with known results, and the films that each should find."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.query.query_pipeline import CallRecorder
from moviegraph.query.session import Call, Session
from moviegraph.search.fixed_tool import literal
from moviegraph.sql.guard import RowLimits

FILE = Path(__file__).parent / "queries.jsonl"
KINDS = ("plot", "theme", "setting", "archetype", "similar", "exact", "typo")
SEED = 20


@dataclass(frozen=True, slots=True)
class Query:
    """One text, its kind, and its relevant films.

    Relevant are the films of some names; or those with an edge to a node of each condition, or of
    any condition in `either`; or those that share edges with one film and are not in some series.
    Queries that are `looked_at` were used for tuning and are never held out. A `group` was written
    separately and is reported separately.
    """

    kind: str
    text: str
    films: tuple[str, ...] = ()
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    either: tuple[tuple[str, tuple[str, ...]], ...] = ()
    like: str | None = None
    without: tuple[str, ...] = ()
    looked_at: bool = False
    group: str | None = None


def read_queries(file: Path = FILE) -> list[Query]:
    """Read the queries, one per line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_query(json.loads(line)) for line in lines]


def halves(queries: list[Query]) -> tuple[set[str], set[str]]:
    """Split the texts into tuning and held-out ones, every kind in half."""
    rng = random.Random(SEED)
    tuning = {query.text for query in queries if query.looked_at}
    for kind in KINDS:
        texts = sorted(q.text for q in queries if q.kind == kind and not q.looked_at)
        rng.shuffle(texts)
        tuning.update(texts[: len(texts) // 2])
    return tuning, {query.text for query in queries} - tuning


def _query(values: dict[str, Any]) -> Query:
    return Query(
        kind=values["kind"],
        text=values["text"],
        films=tuple(values.get("films", ())),
        where=_conditions(values.get("where", ())),
        either=_conditions(values.get("either", ())),
        like=values.get("like"),
        without=tuple(values.get("without", ())),
        looked_at=values.get("looked_at", False),
        group=values.get("set"),
    )


def _conditions(conditions: Iterable[dict[str, Any]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((item["kind"], tuple(item["any"])) for item in conditions)


EDGES = {
    "Theme": "INCLUDES_THEME",
    "Setting": "SET_IN",
    "Genre": "IN_GENRE",
    "Series": "PART_OF_SERIES",
}
MIN_SHARED = 3  # themes, settings and genres that similar films have in common


class RelevantFilms:
    """Relevant films of queries in one graph, only by names and edges."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, query: Query) -> set[int]:
        """Return the ids of the relevant films; none if this graph does not have them."""
        if query.like is not None:
            return self._similar(query.like, query.without)
        if query.either:
            sets = [self._with_edge(kind, names) for kind, names in query.either]
            return set[int]().union(*sets)
        if query.where:
            sets = [self._with_edge(kind, names) for kind, names in query.where]
            return set[int].intersection(*sets)
        return set(self._with_names(query.films))

    def _with_names(self, names: Sequence[str]) -> list[int]:
        sql = f"SELECT m.Id FROM Movie AS m WHERE m.Name IN ({_literals(names)}) ORDER BY m.Id"
        return [row[0] for row in self._rows(sql)]

    def _with_edge(self, kind: str, names: Sequence[str]) -> set[int]:
        sql = (
            f"SELECT DISTINCT m.Id FROM Movie AS m, {EDGES[kind]} AS e, {kind} AS n "
            f"WHERE MATCH(m-(e)->n) AND n.Name IN ({_literals(names)})"
        )
        return {row[0] for row in self._rows(sql)}

    def _similar(self, film: str, series: Sequence[str]) -> set[int]:
        same_name = self._with_names([film])
        if not same_name:
            return set()
        shared: Counter[int] = Counter()
        for kind in ("Theme", "Setting", "Genre"):
            shared.update(self._sharing(kind, same_name[0]))
        excluded = {*same_name, *(self._with_edge("Series", series) if series else ())}
        return {key for key, count in shared.items() if count >= MIN_SHARED} - excluded

    def _sharing(self, kind: str, film: int) -> dict[int, int]:
        edge = EDGES[kind]
        sql = (
            f"SELECT o.Id, COUNT(*) AS Shared FROM Movie AS m, {edge} AS a, {kind} AS n, "
            f"{edge} AS b, Movie AS o WHERE MATCH(m-(a)->n<-(b)-o) AND m.Id = {film} "
            "GROUP BY o.Id ORDER BY Shared DESC, o.Id"
        )
        return dict(self._rows(sql))

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        with CallRecorder(self._session, Call("benchmark"), "{}") as recorder:
            return recorder.execute(sql, limits=RowLimits(20_000, 1_000)).result.rows


def _literals(names: Sequence[str]) -> str:
    return ", ".join(literal(name) for name in names)
