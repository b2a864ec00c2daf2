"""The contract compared with its data: counts, names in examples and glossary, edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moviegraph.cli.check_result import CheckResult, ok, warn
from moviegraph.text import plural

if TYPE_CHECKING:
    from moviegraph.contract.model import Contract, NodeTable
    from moviegraph.engines.base import Engine
    from moviegraph.engines.graph_reader import GraphReader

SECONDS = 60.0
MIN_HUB_EDGES = 100  # below, a node with many edges is not worth a warning
MAX_SHARE = 0.8  # of the nodes at the other end
TIMES_MEAN = 50


def data_lines(engine: Engine, contract: Contract) -> Iterator[CheckResult]:
    """Yield a warning for each statement of the contract that the data contradict."""
    from moviegraph.engines.base import Budget

    warnings = [*_counts(engine, contract)]
    with engine.reader(Budget(seconds=SECONDS)) as graph:
        warnings += [*_names(graph, contract)]
        for node in contract.nodes:
            warnings += _edges(graph, contract, node)
    yield from warnings
    if not warnings:
        yield ok("data", "counts, names in examples and glossary, and edges fit the contract")


def _counts(engine: Engine, contract: Contract) -> Iterator[CheckResult]:
    counts = engine.describe().counts
    for node in contract.nodes:
        if node.expected_nodes is None:
            continue
        lowest, highest = node.expected_nodes
        if not lowest <= (count := counts.get(node.name, 0)) <= highest:
            text = f"{node.name} has {plural(count, 'node')}, expected {lowest:,} to {highest:,}."
            yield warn("data", text, "Load the missing data, or change expected_nodes.")


def _names(graph: GraphReader, contract: Contract) -> Iterator[CheckResult]:
    """Yield a warning for each name in an example or alias that no node has."""
    from moviegraph.query.names import unmatched_name_notes
    from moviegraph.sql.decision import Allowed
    from moviegraph.sql.guard import judge

    examples: dict[str, list[str]] = {}
    for example in contract.examples:
        decision = judge(example.sql, contract)
        names = decision.compared_names if isinstance(decision, Allowed) else ()
        for note in unmatched_name_notes(graph, contract, names):
            examples.setdefault(note, []).append(example.id)
    for note, ids in examples.items():
        yield warn("data", f"Example {', '.join(ids)}: {note}", "Use names of the graph.")
    for alias in contract.glossary.aliases:
        if not graph.named(alias.kind, [alias.name]):
            text = f"Alias {alias.alias!r}: no {alias.kind} is named {alias.name!r}."
            yield warn("data", text, "Correct or remove it in the glossary of the contract.")


def _edges(graph: GraphReader, contract: Contract, node: NodeTable) -> Iterator[CheckResult]:
    """Yield warnings for nodes without an edge, and for a node with unusually many."""
    import numpy as np

    from moviegraph.engines.graph_reader import node_ids

    if not any(node.name in (e.from_table, e.to_table) for e in contract.connections):
        return
    names = {key: name for key, name, step in graph.names(node.name) if step == "equal"}
    ids = node_ids(list(names))
    if not len(ids):
        return
    degrees = graph.degrees(node.name, ids)
    unlinked = len(ids) - int(np.count_nonzero(np.sum(list(degrees.values()), axis=0)))
    if unlinked:
        text = f"{unlinked:,} of {len(ids):,} {node.name} nodes are without an edge."
        yield warn("data", text, "Traversal does not reach them; check the source of the edges.")
    for edge, counts in degrees.items():
        most = int(counts.max())
        others = _nodes_at_other_end(graph, contract, node.name, edge)
        is_hub = most > MAX_SHARE * others or most > TIMES_MEAN * max(1.0, counts.mean())
        if most >= MIN_HUB_EDGES and is_hub and len(ids) > 1:
            name = names[int(ids[counts.argmax()])]
            mean = f"the mean is {counts.mean():.1f}"
            text = f"{node.name} {name!r} has {most:,} {edge} edges; {mean}."
            yield warn("data", text, "Check whether the name stands for one node.")


def _nodes_at_other_end(graph: GraphReader, contract: Contract, kind: str, edge: str) -> int:
    ends = [e for e in contract.connections if e.name == edge]
    others = {e.to_table if e.from_table == kind else e.from_table for e in ends}
    return sum(len(graph.names(other)) for other in others)
