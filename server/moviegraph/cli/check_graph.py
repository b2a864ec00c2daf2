"""Checks of a graph folder, of its data, and of the vectors in a graph."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from moviegraph.cli.check_results import Report
from moviegraph.contract.model import Contract
from moviegraph.embeddings.embedder import Embedder, VectorSpace, require_same_space
from moviegraph.engines.base import Budget, Description, Engine, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.engines.embedded.stemmer import stems_note
from moviegraph.engines.load_facts import Losses
from moviegraph.engines.retrieval_primitives import GraphReader
from moviegraph.errors import MoviegraphError
from moviegraph.query.names import unmatched_name_notes
from moviegraph.settings import Settings
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge
from moviegraph.text import plural

FIX_EMBEDDER = "Fix the embedder first."
BUDGET = Budget(rows=1, bytes=1_000_000, cell=1_000, seconds=60.0)
"""Of each statement of a check; its rows are not shown."""


def check_folder(
    report: Report, settings: Settings, contract: Contract, embedder: Embedder | None
) -> None:
    """Check the embedded engine, the graph folder, its data and its vectors."""
    most, each = settings.max_running, settings.memory
    workers = f"at most {plural(most, 'worker')} with {each:,} MB each, {most * each:,} MB together"
    report.ok("engine", f"embedded; {workers}")
    folder = settings.graph_folder
    if settings.graph is None and not folder.exists():
        report.creatable("graph", folder, f"the built-in graph will be built in {folder}")
        return
    data = Report()

    def inspect() -> Description:
        with closing(open_graph(folder, contract)) as engine:
            _read_through(engine, contract)
            check_data(data, engine, contract)
            return engine.describe()

    description = report.attempt("graph", inspect)
    if description is None:
        return
    report.ok("graph", f"{folder}: {count_nodes(description.counts, contract)}")
    check_losses(report, description.losses)
    if note := stems_note(description.recipe, contract.language):
        report.warn("full text", note, "Install the package, and load the graph again.")
    report.extend(data)
    if contract.nodes_with_vectors:
        check_vectors(report, description.space, embedder)


def _read_through(engine: Engine, contract: Contract) -> None:
    """Read every text once: a truncated file may open, and fail only when it is read."""
    for node in contract.nodes:
        text = node.text or node.label
        sql = f"SELECT MAX(LEN(n.{text})) AS longest FROM {node.name} AS n"  # noqa: S608
        decision = judge(sql, contract)
        if isinstance(decision, Allowed):
            engine.execute(Statement(decision), BUDGET)


def count_nodes(counts: Mapping[str, int], contract: Contract) -> str:
    """Return the number of nodes of each kind, as text."""
    return ", ".join(f"{counts.get(node.name, 0):,} {node.name}" for node in contract.nodes)


def check_losses(report: Report, losses: Losses) -> None:
    """Warn of what of the source is not in the graph, as its load counted it."""
    for text in losses.described:
        report.warn("loss", text, "Correct the source or its column map, and load again.")


def check_vectors(report: Report, stored: VectorSpace | None, embedder: Embedder | None) -> None:
    """Check whether the stored vectors are comparable with those of the embedder."""
    if stored is None:
        report.fail("vectors", "the graph has none", "Load it without --no-embeddings.")
    elif embedder is None:
        report.fail("vectors", "cannot be compared without the embedder", FIX_EMBEDDER)
    else:
        try:
            require_same_space(stored, embedder.space)
        except MoviegraphError as error:
            report.fail("vectors", error.message, error.hint)
        else:
            report.ok("vectors", f"in the embedder's vector space, {stored.model}")


def check_data(report: Report, engine: Engine, contract: Contract) -> None:
    """Warn of each part of the contract that the data contradict."""
    before = len(report.results)
    _check_counts(report, engine.describe().counts, contract)
    with engine.reader(BUDGET) as graph:
        _check_names(report, graph, contract)
    if len(report.results) == before:
        report.ok("data", "counts and names in examples fit the contract")


def _check_counts(report: Report, counts: Mapping[str, int], contract: Contract) -> None:
    for node in contract.nodes:
        if node.expected_nodes is None:
            continue
        lowest, highest = node.expected_nodes
        if not lowest <= (count := counts.get(node.name, 0)) <= highest:
            text = f"{node.name} has {plural(count, 'node')}, expected {lowest:,} to {highest:,}."
            report.warn("data", text, "Load the missing data, or change expected_nodes.")


def _check_names(report: Report, graph: GraphReader, contract: Contract) -> None:
    """Warn of each name in an example that no node has."""
    examples: dict[str, list[str]] = {}
    for example in contract.examples:
        decision = judge(example.sql, contract)
        names = decision.compared_names if isinstance(decision, Allowed) else ()
        for note in unmatched_name_notes(graph, contract, names):
            examples.setdefault(note, []).append(example.id)
    for note, ids in examples.items():
        report.warn("data", f"Example {', '.join(ids)}: {note}", "Use names of the graph.")
