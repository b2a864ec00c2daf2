"""What a query is to find in the graph at hand, as ids."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks.retrieval.queries import Query
from moviegraph.query.recorder import CallRecorder
from moviegraph.query.session import Call, Session
from moviegraph.search.statements import literal

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
            return recording.read(sql)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(literal(name) for name in names)
