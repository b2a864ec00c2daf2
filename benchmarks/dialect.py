"""CPU time of paths, hops, phrases and translation on a graph folder, with baselines.

The folder is the first argument or MOVIEGRAPH_BENCH_GRAPH. Baselines: breadth-first search over
arrays, the DuckDB statement, FTS5. Targets on 10,039 films and 226,598 edges:
a shortest path 20 ms, two hops from 50 films 15 ms, a phrase 3 ms, translation 3 ms on average.
"""

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np
from tests.golden.corpus import cases

from benchmarks.budgets import budget
from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Statement
from moviegraph.engines.duckdb.translator import plan_of
from moviegraph.engines.embedded.adjacency import Adjacencies, BreadthFirstSearch, Unit
from moviegraph.engines.embedded.duckdb_database import Database
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.engines.embedded.graph_builder import index_name
from moviegraph.engines.embedded.graph_files import DATABASE, FULLTEXT
from moviegraph.engines.embedded.graph_folder import graph_files
from moviegraph.engines.embedded.interrupts import watched
from moviegraph.engines.embedded.worker_pool import spill_folder
from moviegraph.errors import ExecutionError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

ROUNDS, PAIRS = 15, 12
PATH = """
    SELECT p.Way, p.Hops FROM (
      SELECT STRING_AGG(CONCAT(t.Name, ' > ', b.Name), ' > ') WITHIN GROUP (GRAPH PATH) AS Way,
             COUNT(b.Id) WITHIN GROUP (GRAPH PATH) AS Hops,
             LAST_VALUE({end}) WITHIN GROUP (GRAPH PATH) AS Last
      FROM Movie AS a, INCLUDES_THEME FOR PATH AS e, Theme FOR PATH AS t,
           INCLUDES_THEME FOR PATH AS f, Movie FOR PATH AS b
      WHERE MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b){{1,3}})) AND {start}) AS p
    WHERE p.Last = {last}
"""
TWO_HOPS = """
    SELECT TOP 20 n.Id, n.Name, COUNT(*) AS Shared
    FROM Movie AS m, INCLUDES_THEME AS e, Theme AS t, INCLUDES_THEME AS f, Movie AS n
    WHERE MATCH(m-(e)->t<-(f)-n) AND m.Id IN ({ids}) AND n.Id <> m.Id
    GROUP BY n.Id, n.Name ORDER BY Shared DESC, n.Id
"""
BARE_TWO_HOPS = """
    SELECT n."Id", n."Name", count(*) AS shared
    FROM "Movie" m JOIN "INCLUDES_THEME" e ON e."$from_id" = m."$node_id"
    JOIN "INCLUDES_THEME" f ON f."$to_id" = e."$to_id" JOIN "Movie" n ON n."$node_id" = f."$from_id"
    WHERE m."Id" IN ({ids}) AND n."Id" <> m."Id"
    GROUP BY n."Id", n."Name" ORDER BY shared DESC, n."Id" LIMIT 20
"""
PHRASE = "SELECT TOP 20 Id, Name FROM Movie WHERE CONTAINS(Content, '\"space station\"')"
FTS5 = "SELECT rowid FROM {index} WHERE {index} MATCH '\"space station\"'"
SPILL = spill_folder(None)


def cpu(runs: Iterable[Callable[[], object]]) -> float:
    """Return the median over runs of the CPU milliseconds of each, the best of several rounds."""
    return median(_best(run) for run in runs)


def _best(run: Callable[[], object]) -> float:
    run()
    costs: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        run()
        costs.append((time.process_time_ns() - start) / 1e6)
    return min(costs)


class DialectGraph:
    """One graph with its engine, and the cost of operations on it."""

    def __init__(self, folder: Path, contract: Contract, engine: EmbeddedEngine) -> None:
        self._folder = folder
        self._contract = contract
        self._engine = engine
        films = self.rows(
            "SELECT TOP 1000 m.Id, MAX(m.Name) AS Name FROM Movie AS m, "
            "INCLUDES_THEME AS e, Theme AS t WHERE MATCH(m-(e)->t) "
            "GROUP BY m.Id ORDER BY m.Id"
        )
        self.films = films[:: max(1, len(films) // (2 * PAIRS))][: 2 * PAIRS]

    def statement(self, sql: str) -> Statement:
        """Return the validated statement, with a limit of 1,000 rows."""
        contract = self._contract
        limits = contract.limits.model_copy(update={"top": 1_000})
        decision = judge(sql, contract.model_copy(update={"limits": limits}))
        assert isinstance(decision, Allowed), decision
        return Statement(decision)

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """Return the rows of a statement."""
        return self._engine.execute(self.statement(sql), budget(rows=1_000)).rows

    def execution_cost(self, sqls: Iterable[str]) -> float:
        """Return the cost of running validated statements with cached plans."""
        statements = [self.statement(sql) for sql in sqls]
        return cpu(
            [lambda s=statement: self._engine.execute(s, budget()) for statement in statements]
        )

    def preparation_costs(self, sqls: Iterable[str]) -> tuple[float, float]:
        """Return the cost of validating statements, and that of translating them."""
        texts = list(sqls)
        decisions = [self.statement(sql).allowed for sql in texts]
        return (
            cpu([lambda text=text: judge(text, self._contract) for text in texts]),
            cpu([lambda d=decision: self.plan(d) for decision in decisions]),
        )

    def plan(self, allowed: Allowed) -> object:
        """Return the translated plan, or None if this engine refuses the statement."""
        try:
            return plan_of(allowed, self._contract, complete=frozenset(), dimensions=384)
        except ExecutionError:
            return None

    def paths(self, *, named: bool) -> list[str]:
        """Return statements for a path from one film to another, by name or by id."""
        pairs = zip(self.films[::2], self.films[1::2], strict=True)
        if not named:
            return [PATH.format(end="b.Id", start=f"a.Id = {a[0]}", last=b[0]) for a, b in pairs]
        texts = [[str(name).replace("'", "''") for _, name in pair] for pair in pairs]
        return [PATH.format(end="b.Name", start=f"a.Name = '{a}'", last=f"'{b}'") for a, b in texts]

    def search_costs(self) -> tuple[float, float, int]:
        """Return the cost of the search, the cost of building its arrays, and their bytes."""
        rows = sum(self._engine.describe().counts.values())
        database = Database(
            self._folder / DATABASE, rows=rows, memory=1_000, spill=spill_folder(None)
        )
        with watched(budget()) as stop:
            arrays = Adjacencies(graph_files(self._folder, self._contract), database)
            start = time.process_time_ns()
            films, themes = arrays.nodes("Movie", stop), arrays.nodes("Theme", stop)
            steps = tuple(
                arrays.edges("INCLUDES_THEME", ends, forward=ends[0] == "Movie", stop=stop)
                for ends in (("Movie", "Theme"), ("Theme", "Movie"))
            )
            build_cost = (time.process_time_ns() - start) / 1e6
        unit = Unit(steps, (len(films), len(themes), len(films)))
        positions = np.searchsorted(films, np.array([int(str(film)) for film, _ in self.films]))
        cost = cpu([_search(unit, *pair) for pair in positions.reshape(-1, 2)])
        database.close()
        taken = (step.first.nbytes + step.targets.nbytes + step.edges.nbytes for step in steps)
        return cost, build_cost, sum(taken)

    def duckdb_cost(self, sql: str) -> float:
        """Return the cost of a DuckDB statement on a separate connection."""
        options: dict[str, Any] = {"default_collation": "NOCASE", "threads": "1"}
        file = str(self._folder / DATABASE)
        with duckdb.connect(file, read_only=True, config=options) as connection:
            return cpu([lambda: connection.execute(sql).fetchall()])

    def fts5_cost(self) -> float:
        """Return the cost of the phrase with FTS5 only."""
        with closing(sqlite3.connect(self._folder / FULLTEXT)) as connection:
            sql = FTS5.format(index=index_name(0))
            return cpu([lambda: connection.execute(sql).fetchall()])


def _search(unit: Unit, start: int, end: int) -> Callable[[], object]:
    targets = np.zeros(unit.nodes[-1], dtype=bool)
    targets[end] = True
    return lambda: BreadthFirstSearch(unit, 3, targets, lambda: None).run(np.array([start]))


def translation_costs(graph: DialectGraph) -> dict[str, float]:
    """Return the cost of translating the legitimate statements."""
    contract = load_contract()
    decisions = (judge(case.sql, contract) for case in cases("honest"))
    costs = sorted(
        _best(lambda d=decision: graph.plan(d))
        for decision in decisions
        if isinstance(decision, Allowed)
    )
    return {
        "translation_statements": len(costs),
        "translation_mean_ms": sum(costs) / len(costs),
        "translation_p95_ms": costs[int(0.95 * len(costs))],
        "translation_max_ms": costs[-1],
    }


def measure(graph: DialectGraph) -> dict[str, float]:
    """Return all values."""
    ids = ", ".join(
        str(film) for film, _ in graph.rows("SELECT TOP 50 Id, Name FROM Movie ORDER BY Name")
    )
    guard, plan = graph.preparation_costs(graph.paths(named=True))
    search_cost, build_cost, size = graph.search_costs()
    return {
        "path_by_name_ms": graph.execution_cost(graph.paths(named=True)),
        "path_by_id_ms": graph.execution_cost(graph.paths(named=False)),
        "path_guard_ms": guard,
        "path_translation_ms": plan,
        "path_floor_search_ms": search_cost,
        "path_arrays_built_ms": build_cost,
        "path_arrays_mb": size / 1e6,
        "two_hops_ms": graph.execution_cost([TWO_HOPS.format(ids=ids)]),
        "two_hops_floor_duckdb_ms": graph.duckdb_cost(BARE_TWO_HOPS.format(ids=ids)),
        "phrase_ms": graph.execution_cost([PHRASE]),
        "phrase_floor_fts5_ms": graph.fts5_cost(),
        **translation_costs(graph),
    }


def main() -> None:
    """Measure, print and store the values."""
    graph = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVIEGRAPH_BENCH_GRAPH")
    if not graph:
        sys.stdout.write("dialect: skipped, no graph folder given (see the module's docstring)\n")
        return
    contract = load_contract()
    with closing(open_graph(Path(graph), contract)) as engine:
        measurements = measure(DialectGraph(Path(graph), contract, engine))
    rounded = {name: round(value, 2) for name, value in measurements.items()}
    table("Dialect", ("measure", "value"), [(name, str(value)) for name, value in rounded.items()])
    write("dialect", rounded)


if __name__ == "__main__":
    main()
