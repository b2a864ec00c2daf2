"""What `moviegraph check` looks at in a graph folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from moviegraph.cli.check_data import data_lines
from moviegraph.cli.check_result import CheckResult, fail, ok, skip
from moviegraph.errors import MoviegraphError

if TYPE_CHECKING:
    from pathlib import Path

    from moviegraph.contract.model import Contract
    from moviegraph.contract.vector_space import VectorSpace
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.base import Engine
    from moviegraph.settings import Settings


def folder_lines(
    settings: Settings, contract: Contract, embedder: Embedder | None
) -> Iterator[CheckResult]:
    """Yield a line for the engine, the graph and its vectors."""
    yield ok("engine", "embedded, no installation needed")
    folder = settings.graph_folder
    if settings.graph is None and not folder.exists():
        yield to_come("graph", folder, f"the built-in graph will be built in {folder}")
        return
    from moviegraph.engines.embedded.engine import open_graph

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
