"""CPU time of the contract's examples with and without each optimizer of the translation.

The graph folder is the first argument or MOVIEGRAPH_BENCH_GRAPH. An optimizer is measured on the
examples whose translation it changes: two engines over the same folder alternate, one of them with
a plan made while the optimizer was off. Each pair has a separate query vector, so that no distances
are cached. Names that are missing in the graph are replaced by existing ones.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from unittest.mock import patch

import numpy as np

from benchmarks.budgets import budget
from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Statement
from moviegraph.engines.duckdb.plan import StatementPlan
from moviegraph.engines.duckdb.translator import plan_of
from moviegraph.engines.embedded.embedded_engine import EmbeddedEngine, open_graph
from moviegraph.errors import MoviegraphError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

ROUNDS = 9
PACKAGE = "moviegraph.engines.duckdb"


@dataclass(frozen=True, slots=True)
class Optimizer:
    """A function of the translation, and its replacement that optimizes nothing."""

    name: str
    target: str
    replacement: Callable[..., object]


OPTIMIZERS = (
    Optimizer("top_by_distance", "search_functions.nearest_of", lambda *_: None),
    Optimizer("endpoint_filters", "match.Restrictions.query", lambda *_: None),
)


def measure(folder: Path, contract: Contract) -> dict[str, dict[str, list[float | None]]]:
    """Return by optimizer and example the milliseconds with it and without it, and their ratio."""
    measurements: dict[str, dict[str, list[float | None]]] = {}
    for optimizer in OPTIMIZERS:
        with (
            closing(open_graph(folder, contract)) as normal,
            closing(open_graph(folder, contract)) as without,
        ):
            measurements[optimizer.name] = {
                name: _medians(allowed, normal, without, optimizer)
                for name, allowed in _changed_examples(contract, normal, optimizer)
            }
    return measurements


def _changed_examples(
    contract: Contract, engine: EmbeddedEngine, optimizer: Optimizer
) -> Iterator[tuple[str, Allowed]]:
    """Yield the examples whose plan an optimizer changes."""
    for example in contract.examples:
        allowed = _with_existing_names(example.sql, contract, engine)
        with _disabled(optimizer):
            plan = _plan(allowed, contract)
        if plan != _plan(allowed, contract):
            yield example.id, allowed


def _with_existing_names(sql: str, contract: Contract, engine: EmbeddedEngine) -> Allowed:
    """Return an example with existing names instead of missing ones."""
    allowed = judge(sql, contract)
    assert isinstance(allowed, Allowed), sql
    for number, compared in enumerate(allowed.compared_names):
        query = judge(f"SELECT TOP 50 Name FROM {compared.table} ORDER BY Id", contract)
        assert isinstance(query, Allowed), query
        names = [str(name) for (name,) in engine.execute(Statement(query), budget()).rows]
        if compared.pattern is None and compared.text not in names:
            existing = names[(7 * number + 3) % len(names)]
            sql = sql.replace(_quote(compared.text), _quote(existing))
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed), sql
    return decision


def _quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _disabled(optimizer: Optimizer) -> AbstractContextManager[object]:
    return patch(f"{PACKAGE}.{optimizer.target}", optimizer.replacement)


def _plan(allowed: Allowed, contract: Contract) -> StatementPlan:
    nodes = frozenset(node.name for node in contract.nodes)
    return plan_of(allowed, contract, complete=nodes, dimensions=384)


def _medians(
    allowed: Allowed, normal: EmbeddedEngine, without: EmbeddedEngine, optimizer: Optimizer
) -> list[float | None]:
    """Return the medians with and without an optimizer, and their ratio."""
    space = normal.describe().space
    dimensions = space.dimensions if space else 1
    costs: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS + 1):
        statement = _statement(allowed, dimensions, number)
        for engine, engine_costs in zip((normal, without), costs, strict=True):
            start = time.process_time()
            try:
                with nullcontext() if engine is normal else _disabled(optimizer):
                    engine.execute(statement, budget(seconds=60))
            except MoviegraphError:  # without the optimizer it exceeds the limits
                return [round(median(costs[0]), 2), None, None]
            engine_costs.append((time.process_time() - start) * 1e3)
    with_it, without_it = (median(engine_costs[1:]) for engine_costs in costs)
    return [round(with_it, 2), round(without_it, 2), round(without_it / with_it, 2)]


def _statement(allowed: Allowed, dimensions: int, seed: int) -> Statement:
    vector = np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)
    vector /= np.linalg.norm(vector)
    return Statement(allowed, vector if allowed.uses_query else None)


def main() -> None:
    """Measure, print and store the values."""
    graph = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVIEGRAPH_BENCH_GRAPH")
    if not graph:
        sys.stdout.write("optimizers: skipped, no graph folder given (see the docstring)\n")
        return
    measurements = measure(Path(graph), load_contract())
    rows = [
        (name, example, *map(str, costs))
        for name, examples in measurements.items()
        for example, costs in examples.items()
    ]
    table("Optimizers", ("optimizer", "example", "with, ms", "without, ms", "ratio"), rows)
    write("optimizers", measurements)


if __name__ == "__main__":
    main()
