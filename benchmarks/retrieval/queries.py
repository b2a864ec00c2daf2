"""Queries with known results: reading them, and the films that each should find."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moviegraph.query.recorder import CallRecorder
from moviegraph.query.session import Call, Session
from moviegraph.search.statements import literal
from moviegraph.sql.guard import RowLimits

FILE = Path(__file__).parent / "queries.jsonl"
KINDS = ("plot", "theme", "setting", "archetype", "similar", "exact", "typo")
SEED = 20


@dataclass(frozen=True, slots=True)
class Query:
    """One text, its kind, and its truth.

    The truth is the films of some names, or those with an edge to any node that each condition
    names, or that any of those in `either` names, or those that share edges with one film while
    they are in none of some series. What is `looked_at` was tried while the search was made, and
    is never held out. A `group` was written by itself, and is reported apart.
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
    """Read the queries, one to a line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_query(json.loads(line)) for line in lines]


def halves(queries: list[Query]) -> tuple[set[str], set[str]]:
    """Split the texts into those to look at and those held out, every kind in half."""
    chance = random.Random(SEED)
    looked_at = {each.text for each in queries if each.looked_at}
    for kind in KINDS:
        texts = sorted(each.text for each in queries if each.kind == kind and not each.looked_at)
        chance.shuffle(texts)
        looked_at.update(texts[: len(texts) // 2])
    return looked_at, {each.text for each in queries} - looked_at


def _query(by_key: dict[str, Any]) -> Query:
    return Query(
        kind=by_key["kind"],
        text=by_key["text"],
        films=tuple(by_key.get("films", ())),
        where=_conditions(by_key.get("where", ())),
        either=_conditions(by_key.get("either", ())),
        like=by_key.get("like"),
        without=tuple(by_key.get("without", ())),
        looked_at=by_key.get("looked_at", False),
        group=by_key.get("set"),
    )


def _conditions(arguments: Iterable[dict[str, Any]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((each["kind"], tuple(each["any"])) for each in arguments)


EDGES = {
    "Theme": "INCLUDES_THEME",
    "Setting": "SET_IN",
    "Genre": "IN_GENRE",
    "Series": "PART_OF_SERIES",
}
SHARED = 3
"""How many themes, settings and genres two films have in common to be called similar."""


class Truth:
    """Finds the relevant films of queries in one graph, by names and edges alone."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, query: Query) -> set[int]:
        """Return the ids of what the query is to find; none if this graph does not hold it."""
        if query.like is not None:
            return self._similar(query.like, query.without)
        if query.either:
            sets = [self._with_edge(kind, names) for kind, names in query.either]
            return set[int]().union(*sets)
        if query.where:
            sets = [self._with_edge(kind, names) for kind, names in query.where]
            return set[int].intersection(*sets)
        return set(self._named(query.films))

    def _named(self, names: Sequence[str]) -> list[int]:
        sql = f"SELECT m.Id FROM Movie AS m WHERE m.Name IN ({_listed(names)}) ORDER BY m.Id"
        return [row[0] for row in self._rows(sql)]

    def _with_edge(self, kind: str, names: Sequence[str]) -> set[int]:
        sql = (
            f"SELECT DISTINCT m.Id FROM Movie AS m, {EDGES[kind]} AS e, {kind} AS n "
            f"WHERE MATCH(m-(e)->n) AND n.Name IN ({_listed(names)})"
        )
        return {row[0] for row in self._rows(sql)}

    def _similar(self, film: str, series: Sequence[str]) -> set[int]:
        same_name = self._named([film])
        if not same_name:
            return set()
        shared: Counter[int] = Counter()
        for kind in ("Theme", "Setting", "Genre"):
            shared.update(self._sharing(kind, same_name[0]))
        left_out = {*same_name, *(self._with_edge("Series", series) if series else ())}
        return {key for key, count in shared.items() if count >= SHARED} - left_out

    def _sharing(self, kind: str, film: int) -> dict[int, int]:
        edge = EDGES[kind]
        sql = (
            f"SELECT o.Id, COUNT(*) AS Shared FROM Movie AS m, {edge} AS a, {kind} AS n, "
            f"{edge} AS b, Movie AS o WHERE MATCH(m-(a)->n<-(b)-o) AND m.Id = {film} "
            "GROUP BY o.Id ORDER BY Shared DESC, o.Id"
        )
        return dict(self._rows(sql))

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        with CallRecorder(self._session, Call("benchmark"), "{}") as recording:
            return recording.show(sql, limits=RowLimits(20_000, 1_000)).result.rows


def _listed(names: Sequence[str]) -> str:
    return ", ".join(literal(name) for name in names)
