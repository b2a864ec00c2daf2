"""`moviegraph check`: one line a part, which says fine, or how to mend it."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import answer
from moviegraph.errors import MoviegraphError
from moviegraph.settings import unknown_variables

if TYPE_CHECKING:
    from pathlib import Path

    from moviegraph.contract.model import Contract
    from moviegraph.contract.space import VectorSpace
    from moviegraph.embeddings.base import Embedder
    from moviegraph.engines.base import Engine
    from moviegraph.settings import Settings

NAME = "check"
HELP = "Check settings, contract, graph, model and journal; say how to mend what is not fine."
NAME_WIDTH = 10


@dataclass(frozen=True, slots=True)
class Line:
    """One part that was checked."""

    name: str
    fine: bool
    text: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--json", action="store_true", help="one JSON list instead of lines")
    add_settings(parser)


def run(parsed: argparse.Namespace) -> int:
    """Check everything; the status is 1 unless all is fine."""
    lines = list(_checked(settings_of(parsed)))
    if parsed.json:
        answer(json.dumps([asdict(line) for line in lines], indent=1))
    else:
        for line in lines:
            verdict = "fine" if line.fine else "MEND"
            answer(f"{line.name:<{NAME_WIDTH}} {verdict}: {line.text}")
    return 0 if all(line.fine for line in lines) else 1


def _checked(settings: Settings) -> Iterator[Line]:
    yield from (Line("settings", False, text) for text in unknown_variables(os.environ))
    contract = yield from _contract(settings)
    embedder = yield from _embedder(settings)
    if contract is not None:
        yield from _graph(settings, contract, embedder)
    yield from _journal(settings)
    yield from _model(settings)


def _mend(name: str, error: MoviegraphError) -> Line:
    return Line(name, False, f"{error.message} {error.hint or ''}".strip())


def _contract(settings: Settings) -> Generator[Line, None, Contract | None]:
    from moviegraph.contract.served import read_contract

    try:
        contract = read_contract(settings)
    except MoviegraphError as error:
        yield _mend("contract", error)
        return None
    tables = f"{len(contract.nodes)} node and {len(contract.edges)} edge tables"
    yield Line("contract", True, f"{contract.name} {contract.version}, {tables}")
    return contract


def _embedder(settings: Settings) -> Generator[Line, None, Embedder | None]:
    from moviegraph.app import open_embedder

    try:
        embedder = open_embedder(settings)
        embedder.load()
    except MoviegraphError as error:
        yield _mend("embedder", error)
        return None
    space = embedder.space
    yield Line("embedder", True, f"{settings.embedder}: {space.model}, {space.dimensions} numbers")
    return embedder


def _graph(settings: Settings, contract: Contract, embedder: Embedder | None) -> Iterator[Line]:
    from moviegraph.app import require_engine

    try:
        require_engine(settings)
    except MoviegraphError as error:
        yield _mend("engine", error)
        return
    yield Line("engine", True, "embedded, nothing to install")
    folder = settings.graph_folder
    if settings.graph is None and not folder.exists():
        yield _to_come("graph", folder, f"the graph in the box will be built in {folder}")
        return
    from moviegraph.engines.embedded import open_graph

    try:
        with closing(open_graph(folder, contract)) as engine:
            _read_through(engine, contract)
            held = engine.describe()
    except MoviegraphError as error:
        yield _mend("graph", error)
        return
    rows = ", ".join(f"{held.counts.get(node.name, 0):,} {node.name}" for node in contract.nodes)
    yield Line("graph", True, f"{folder}: {rows}")
    yield _vectors(held.space, embedder)


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


def _to_come(name: str, path: Path, text: str) -> Line:
    """Say what will be made when first used, and whether it can be."""
    nearest = next(each for each in path.absolute().parents if each.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return Line(name, True, f"{text} when first used")
    return Line(name, False, f"{text}, but {nearest} cannot be written to")


def _vectors(stored: VectorSpace | None, embedder: Embedder | None) -> Line:
    from moviegraph.contract.space import require_same_space

    if stored is None:
        return Line("vectors", False, "the graph has none: load it without --no-embeddings")
    if embedder is None:
        return Line("vectors", False, "cannot be compared without the embedder")
    try:
        require_same_space(stored, embedder.space)
    except MoviegraphError as error:
        return _mend("vectors", error)
    return Line("vectors", True, f"of the embedder's space, {stored.model}")


def _journal(settings: Settings) -> Iterator[Line]:
    from moviegraph.journal.sqlite_journal import SqliteJournal

    path = settings.journal_file
    if not path.exists():
        yield _to_come("journal", path, f"will begin in {path}")
        return
    try:
        with closing(SqliteJournal(path)) as journal:
            found = journal.verify()
    except MoviegraphError as error:
        yield _mend("journal", error)
        return
    if found.ok:
        yield Line("journal", True, f"{path}: {found.records} records, chain unbroken")
    else:
        yield Line("journal", False, f"{path}: broken at record {found.bad}: {found.reason}")


def _model(settings: Settings) -> Iterator[Line]:
    from moviegraph.app import open_language_model

    try:
        model = open_language_model(settings)
    except MoviegraphError as error:
        yield _mend("model", error)
        return
    named = f"{model.name}, not asked yet" if model else "none configured; repair is by rules"
    yield Line("model", True, named)
