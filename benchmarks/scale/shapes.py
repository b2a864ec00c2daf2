"""Statements on the engine and on bare numpy, DuckDB or FTS5, with their cost."""

import sqlite3
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

import duckdb
import numpy as np

from benchmarks.budgets import budget
from benchmarks.scale.served_graph import SECONDS, ServedGraph
from moviegraph.engines.base import Vector
from moviegraph.engines.embedded.adjacency import Adjacencies, BreadthFirstSearch, Unit
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.fulltext_index import index_name
from moviegraph.engines.embedded.graph_files import DATABASE, FULLTEXT, vector_files
from moviegraph.engines.embedded.graph_folder import graph_files
from moviegraph.engines.embedded.interrupts import watched
from moviegraph.engines.embedded.vector_table import unit
from moviegraph.engines.embedded.worker_pool import spill_folder

ROUNDS = 9
SPILL = spill_folder(None)


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a call in milliseconds.

    `low` and `high` are the quartiles of the CPU time, `first` is the CPU time of the first call,
    which fills caches.
    """

    cpu: float
    low: float
    high: float
    wall: float
    first: float

    def rounded(self) -> dict[str, float]:
        """Return the rounded values."""
        return {name: round(value, 3) for name, value in asdict(self).items()}


def cost(run: Callable[[int], object], rounds: int = ROUNDS) -> Cost:
    """Measure a call that gets the number of the round, so that it can vary its arguments.

    Two rounds warm up.
    """
    cpu: list[float] = []
    wall: list[float] = []
    for number in range(-2, rounds):
        cpu_start, start = time.process_time_ns(), time.perf_counter_ns()
        run(number)
        wall.append((time.perf_counter_ns() - start) / 1e6)
        cpu.append((time.process_time_ns() - cpu_start) / 1e6)
    low, median, high = statistics.quantiles(cpu[2:], n=4)
    return Cost(median, low, high, statistics.median(wall[2:]), cpu[0])


TOP = 20
NUMBERS_PER_SHAPE = 131  # so that no two shapes use the same arguments
NEAREST = (
    "SELECT TOP 20 m.Id, m.Name FROM Movie AS m ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
)
FILTERED = (
    "SELECT TOP 20 m.Id, m.Name FROM Movie AS m WHERE m.ReleaseYear >= {year} "
    "ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
)
WORD = (
    "SELECT TOP 20 m.Id, m.Name FROM Movie AS m WHERE CONTAINS(m.Content, '{word}') ORDER BY m.Id"
)
HOP = (
    "SELECT TOP 20 t.Id, t.Name FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t "
    "WHERE MATCH(m-(e)->t) AND m.Id IN ({ids}) ORDER BY t.Id"
)
TWO_HOPS = (
    "SELECT TOP 20 o.Id, o.Name, COUNT(*) AS Shared FROM Movie AS m, INCLUDES_THEME AS a, "
    "Theme AS t, INCLUDES_THEME AS b, Movie AS o WHERE MATCH(m-(a)->t<-(b)-o) "
    "AND m.Id = {film} AND o.Id <> m.Id GROUP BY o.Id, o.Name ORDER BY Shared DESC, o.Id"
)
HYBRID = (
    "WITH s AS (SELECT TOP 100 m.Id, ROW_NUMBER() OVER (ORDER BY VECTOR_DISTANCE('cosine', "
    "m.Embedding, @q)) AS Place FROM Movie AS m WHERE m.Embedding IS NOT NULL "
    "ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)), w AS (SELECT TOP 100 k.[KEY] AS Id, "
    "ROW_NUMBER() OVER (ORDER BY k.[RANK] DESC) AS Place FROM FREETEXTTABLE(Movie, (Name, "
    "Content), '{words}') AS k ORDER BY k.[RANK] DESC) SELECT TOP 20 m.Id, m.Name, "
    "ISNULL(1.0 / (20 + s.Place), 0) + ISNULL(1.0 / (20 + w.Place), 0) AS Score FROM Movie AS m "
    "LEFT JOIN s ON s.Id = m.Id LEFT JOIN w ON w.Id = m.Id WHERE s.Id IS NOT NULL "
    "OR w.Id IS NOT NULL ORDER BY Score DESC, m.Id"
)
DECADES = (
    "SELECT m.ReleaseYear / 10 * 10 AS Decade, COUNT(*) AS Films FROM Movie AS m "
    "WHERE m.ReleaseYear >= {year} GROUP BY m.ReleaseYear / 10 * 10 ORDER BY Decade"
)
PATH = (
    "SELECT TOP 20 x.Via, x.Films FROM (SELECT STRING_AGG(t.Name, ' / ') WITHIN GROUP (GRAPH PATH) "
    "AS Via, COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS Films, LAST_VALUE(b.Id) WITHIN GROUP "
    "(GRAPH PATH) AS Ending FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t, "
    "INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b "
    "WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){{1,3}})) AND a.Id = {film}) AS x "
    "WHERE x.Ending = {other}"
)
BARE_HOP = (
    'SELECT t."Id", t."Name" FROM "Movie" m JOIN "INCLUDES_THEME" e ON e."$from_id" = m."$node_id" '
    'JOIN "Theme" t ON e."$to_id" = t."$node_id" WHERE m."Id" IN ({ids}) ORDER BY t."Id" LIMIT 20'
)
BARE_TWO_HOPS = (
    'SELECT o."Id", o."Name", count(*) AS shared FROM "Movie" m '
    'JOIN "INCLUDES_THEME" a ON a."$from_id" = m."$node_id" '
    'JOIN "INCLUDES_THEME" b ON b."$to_id" = a."$to_id" '
    'JOIN "Movie" o ON o."$node_id" = b."$from_id" WHERE m."Id" = {film} AND o."Id" <> m."Id" '
    'GROUP BY o."Id", o."Name" ORDER BY shared DESC, o."Id" LIMIT 20'
)
BARE_DECADES = (
    'SELECT "ReleaseYear" // 10 * 10 AS decade, count(*) FROM "Movie" '
    'WHERE "ReleaseYear" >= {year} GROUP BY decade ORDER BY decade'
)
FTS_IDS = "SELECT rowid FROM {index} WHERE {index} MATCH 'c1 : \"{word}\"'"
FTS_BEST = "SELECT rowid FROM {index} WHERE {index} MATCH '{words}' ORDER BY rank LIMIT 100"


class Baselines:
    """The same operations with only numpy, DuckDB and FTS5."""

    def __init__(self, graph: ServedGraph) -> None:
        matrix, _, _ = vector_files(graph.folder, "Movie")
        vectors = np.load(matrix, mmap_mode="r")
        self._graph = graph
        self._matrix: Vector = vectors if vectors.dtype == np.float32 else unit(vectors)
        self._fts = sqlite3.connect(f"file:{graph.folder / FULLTEXT}?mode=ro", uri=True)
        rows = sum(graph.engine.describe().counts.values())
        options: dict[str, Any] = {
            "default_collation": "NOCASE",
            "threads": "1" if rows < 1_000_000 else "2",
        }
        self._sql = duckdb.connect(str(graph.folder / DATABASE), read_only=True, config=options)
        self._arrays = Database(
            graph.folder / DATABASE, rows=rows, memory=1_000, spill=spill_folder(None)
        )
        self._adjacencies = Adjacencies(graph_files(graph.folder, graph.contract), self._arrays)

    def close(self) -> None:
        """Close all files."""
        self._arrays.close()
        self._fts.close()
        self._sql.close()

    def nearest(self, number: int) -> object:
        """Compute one product and select the nearest."""
        query = self._graph.session.embedder.embed([self._graph.text(number)])[0]
        products = self._matrix @ query
        return np.argpartition(products, -TOP)[-TOP:]

    def sql(self, text: str) -> object:
        """Run one statement in DuckDB."""
        return self._sql.execute(text).fetchall()

    def path(self, film: int, other: int) -> object:
        """Search in numpy over films and themes, up to three times."""
        with watched(budget(seconds=SECONDS)) as stop:
            films, themes = (self._adjacencies.nodes(kind, stop) for kind in ("Movie", "Theme"))
            steps = tuple(
                self._adjacencies.edges(
                    "INCLUDES_THEME", ends, forward=ends[0] == "Movie", stop=stop
                )
                for ends in (("Movie", "Theme"), ("Theme", "Movie"))
            )
        unit = Unit(steps, (len(films), len(themes), len(films)))
        targets = np.zeros(len(films), dtype=bool)
        targets[other - 1] = True
        return BreadthFirstSearch(unit, 3, targets, lambda: None).run(np.array([film - 1]))

    def word(self, number: int) -> object:
        """Return the ids of texts with a word."""
        text = FTS_IDS.format(index=index_name(0), word=self._graph.word(number))
        return self._fts.execute(text).fetchall()

    def hybrid(self, number: int) -> object:
        """Compute one product, then the best texts by the rank of FTS5."""
        self.nearest(number)
        words = " OR ".join(f'"{word}"' for word in self._graph.text(number).split())
        text = FTS_BEST.format(index=index_name(0), words=words)
        return self._fts.execute(text).fetchall()


def shapes(graph: ServedGraph) -> dict[str, dict[str, dict[str, float]]]:
    """Return the cost of each shape on the engine and on its baseline."""
    with closing(Baselines(graph)) as baselines:
        return {
            name: {
                "engine": _engine(graph, sql, NUMBERS_PER_SHAPE * index).rounded(),
                "floor": cost(
                    lambda n, baseline=baseline, i=index: baseline(NUMBERS_PER_SHAPE * i + n)
                ).rounded(),
            }
            for index, (name, (sql, baseline)) in enumerate(
                _operations(graph, baselines).items(), 1
            )
        }


def _engine(graph: ServedGraph, sql: Callable[[int], str], first: int) -> Cost:
    """Return the cost of validated statements, translation included."""
    numbers = range(first - 2, first + ROUNDS)
    statements = {number: graph.statement(sql(number), number) for number in numbers}
    return cost(lambda number: graph.run(statements[first + number]))


def _operations(
    graph: ServedGraph, baselines: Baselines
) -> dict[str, tuple[Callable[[int], str], Callable[[int], object]]]:

    def ids(number: int) -> str:
        return ", ".join(str(graph.film(50 * number + index)) for index in range(50))

    def years(number: int) -> int:
        return 1960 + number % 20

    return {
        "nearest": (lambda _: NEAREST, baselines.nearest),
        "nearest, filtered": (lambda n: FILTERED.format(year=years(n)), baselines.nearest),
        "CONTAINS": (lambda n: WORD.format(word=graph.word(n)), baselines.word),
        "MATCH, one hop": (
            lambda n: HOP.format(ids=ids(n)),
            lambda n: baselines.sql(BARE_HOP.format(ids=ids(n))),
        ),
        "two hops, grouped": (
            lambda n: TWO_HOPS.format(film=graph.film(n)),
            lambda n: baselines.sql(BARE_TWO_HOPS.format(film=graph.film(n))),
        ),
        "shortest path": (
            lambda n: PATH.format(film=graph.film(n), other=graph.film(n + 77)),
            lambda n: baselines.path(graph.film(n), graph.film(n + 77)),
        ),
        "hybrid": (
            lambda n: HYBRID.format(words=graph.text(n).replace("'", "''")),
            baselines.hybrid,
        ),
        "by decade": (
            lambda n: DECADES.format(year=years(n)),
            lambda n: baselines.sql(BARE_DECADES.format(year=years(n))),
        ),
    }
