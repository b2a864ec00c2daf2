"""Results of `moviegraph check`, and the checks of a graph folder and of its data."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from moviegraph.errors import MoviegraphError
from moviegraph.text import one_line, plural, sanitize

if TYPE_CHECKING:
    from pathlib import Path

    from moviegraph.contract.model import Contract, NodeTable
    from moviegraph.contract.vector_space import VectorSpace
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.base import Engine
    from moviegraph.engines.retrieval_primitives import GraphReader
    from moviegraph.settings import Settings

NAME_WIDTH = 10
Status = Literal["ok", "warning", "failed", "skipped"]
VERDICTS: Mapping[Status, str] = MappingProxyType(
    {"ok": "OK", "skipped": "SKIP", "warning": "WARN", "failed": "FAIL"}
)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One part that was checked; `script` is what would fix it, to be read and run.

    A `warning` does not keep the part from being served, and `skipped` is a part of which there is
    nothing to check yet.
    """

    name: str
    is_ok: bool
    text: str
    script: str | None = None
    hint: str | None = None
    kind: Literal["warning", "skipped"] | None = None

    @property
    def status(self) -> Status:
        """The verdict in one word."""
        if not self.is_ok:
            return "failed"
        return self.kind or "ok"

    def as_line(self) -> str:
        """Return the result for a reader, with the script below it."""
        text = f"{self.text} {self.hint or ''}".rstrip()
        line = f"{self.name:<{NAME_WIDTH}} {VERDICTS[self.status]}: {one_line(text)}"
        return f"{line}\n\n{sanitize(self.script)}" if self.script else line

    def as_dict(self) -> dict[str, Any]:
        """Return the result for a program."""
        members = {
            "name": self.name,
            "status": self.status,
            "message": self.text,
            "hint": self.hint,
        }
        return members | ({"script": self.script} if self.script else {})


def ok(name: str, text: str) -> CheckResult:
    """Return the result of a part that is as it must be."""
    return CheckResult(name, True, text)


def warn(name: str, text: str, hint: str | None = None) -> CheckResult:
    """Return the result of a part that is served although it should be different."""
    return CheckResult(name, True, text, hint=hint, kind="warning")


def skip(name: str, text: str) -> CheckResult:
    """Return the result of a part of which there is nothing to check yet."""
    return CheckResult(name, True, text, kind="skipped")


def fail(name: str, error: MoviegraphError) -> CheckResult:
    """Return the result of a part that failed: what is wrong, and the fix."""
    return CheckResult(name, False, error.message, hint=error.hint)


def folder_lines(
    settings: Settings, contract: Contract, embedder: Embedder | None
) -> Iterator[CheckResult]:
    """Yield a line for the engine, the graph and its vectors."""
    yield ok("engine", "embedded, no installation needed")
    folder = settings.graph_folder
    if settings.graph is None and not folder.exists():
        yield to_come("graph", folder, f"the built-in graph will be built in {folder}")
        return
    from moviegraph.engines.embedded.embedded_engine import open_graph

    try:
        with closing(open_graph(folder, contract)) as engine:
            _read_through(engine, contract)
            held = engine.describe()
            compared = list(data_lines(engine, contract))
    except MoviegraphError as error:
        yield fail("graph", error)
        return
    rows = ", ".join(f"{held.counts.get(node.name, 0):,} {node.name}" for node in contract.nodes)
    yield ok("graph", f"{folder}: {rows}")
    yield from compared
    yield vectors_line(held.space, embedder)


def _read_through(engine: Engine, contract: Contract) -> None:
    """Read every text once: a file that was cut short may open, and fail where it is read."""
    from moviegraph.engines.base import Budget, Statement
    from moviegraph.sql.decision import Allowed
    from moviegraph.sql.guard import judge

    for node in contract.nodes:
        sql = f"SELECT MAX(LEN(n.{node.text})) AS longest FROM {node.name} AS n"  # noqa: S608
        decision = judge(sql, contract)
        if isinstance(decision, Allowed):
            engine.execute(Statement(decision), Budget())


def to_come(name: str, path: Path, text: str) -> CheckResult:
    """Say what will be made when first used, and whether it can be."""
    nearest = next(each for each in path.absolute().parents if each.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return skip(name, f"{text} on first use")
    text = f"{text}, but {nearest} is not writable"
    hint = f"Grant this user write access, or set MOVIEGRAPH_{name.upper()} to a different path."
    return CheckResult(name, False, text, hint=hint)


def vectors_line(stored: VectorSpace | None, embedder: Embedder | None) -> CheckResult:
    """Say whether the stored vectors can be compared with those of the embedder."""
    from moviegraph.contract.vector_space import require_same_space

    if stored is None:
        return CheckResult(
            "vectors", False, "the graph has none", hint="Load it without --no-embeddings."
        )
    if embedder is None:
        hint = "Fix the embedder first."
        return CheckResult("vectors", False, "cannot be compared without the embedder", hint=hint)
    try:
        require_same_space(stored, embedder.space)
    except MoviegraphError as error:
        return fail("vectors", error)
    return ok("vectors", f"in the embedder's vector space, {stored.model}")


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
    from moviegraph.query.name_resolver import unmatched_name_notes
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

    from moviegraph.engines.retrieval_primitives import node_ids

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
            yield warn("data", text, "Check whether the name refers to one node.")


def _nodes_at_other_end(graph: GraphReader, contract: Contract, kind: str, edge: str) -> int:
    ends = [e for e in contract.connections if e.name == edge]
    others = {e.to_table if e.from_table == kind else e.from_table for e in ends}
    return sum(len(graph.names(other)) for other in others)


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
    statements = [Probe("sql", f"{plain} ORDER BY n.{node.key}")]
    if node.searchable:
        words = matching_nodes(node, "FREETEXT", contract.title, 1, None, NO_IDS, NO_IDS)
        statements.append(Probe("words", words))
    nearest = nearest_by_index(node, 1) if indexed else nearest_nodes(node, 1, None, NO_IDS)
    statements.append(Probe("meaning", nearest, contract.title))
    if contract.edges:
        statements.append(Probe("edges", _walk(contract)))
    return tuple(statements)


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
