"""One statement for each way to search, for `moviegraph check` to send through guard and engine."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moviegraph.cli.check_result import CheckResult, fail, ok
from moviegraph.errors import MoviegraphError

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.base import Engine


@dataclass(frozen=True, slots=True)
class Probe:
    """A statement, and the text behind its @q."""

    name: str
    sql: str
    query: str | None = None


def probes(contract: Contract, *, indexed: bool = False) -> tuple[Probe, ...]:
    """Return a statement by key, by words, by meaning and along an edge.

    Args:
        contract: The contract served.
        indexed: Whether the search by meaning goes through a vector index.
    """
    from moviegraph.search.references import NO_IDS
    from moviegraph.search.statements import matching_nodes, nearest_by_index, nearest_nodes

    node = contract.nodes[0]
    plain = f"SELECT TOP (1) n.{node.key}, n.{node.label} FROM {node.name} AS n"  # noqa: S608
    found = [Probe("sql", f"{plain} ORDER BY n.{node.key}")]
    if node.searchable:
        words = matching_nodes(node, "FREETEXT", contract.title, 1, None, NO_IDS, NO_IDS)
        found.append(Probe("words", words))
    nearest = nearest_by_index(node, 1) if indexed else nearest_nodes(node, 1, None, NO_IDS)
    found.append(Probe("meaning", nearest, contract.title))
    if contract.edges:
        found.append(Probe("edges", _walk(contract)))
    return tuple(found)


def _walk(contract: Contract) -> str:
    edge = contract.default_connection
    start, end = contract.node(edge.from_table), contract.node(edge.to_table)
    assert start is not None
    assert end is not None
    return (
        f"SELECT TOP (1) a.{start.key} AS StartKey, b.{end.key} AS EndKey "  # noqa: S608
        f"FROM {start.name} AS a, {edge.name} AS e, {end.name} AS b WHERE MATCH(a-(e)->b)"
    )


def probe_line(probe: Probe, engine: Engine, contract: Contract, embedder: Embedder) -> CheckResult:
    """Send one statement through guard and engine, and say what became of it."""
    from moviegraph.engines.base import Budget, Statement
    from moviegraph.sql.decision import Refused
    from moviegraph.sql.guard import judge

    decision = judge(probe.sql, contract)
    if isinstance(decision, Refused):
        return fail(probe.name, decision.error())
    begun = time.perf_counter()
    try:
        vector = embedder.embed([probe.query])[0] if probe.query else None
        rows = engine.execute(Statement(decision, vector), Budget(rows=1)).rows
    except MoviegraphError as error:
        return fail(probe.name, error)
    took = f"in {1000 * (time.perf_counter() - begun):.0f} ms"
    return ok(probe.name, f"{'answered' if rows else 'answered without a row'} {took}")
