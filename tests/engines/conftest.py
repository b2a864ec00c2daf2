import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import budget
from fakes.records import build_graph
from fakes.scratch_database import (
    ADMIN_VARIABLE,
    READER_VARIABLE,
    ScratchDatabase,
    scratch_database,
)
from fakes.sessions import bundled_aliases
from fakes.small_graph import edges, nodes, rows
from fakes.sources import source

from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Engine, ResultSet, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.sql.decision import Refused
from moviegraph.sql.guard import judge

SQL_SERVER = bool(os.environ.get(READER_VARIABLE))
collect_ignore = [] if SQL_SERVER else ["test_server_only.py"]
Run = Callable[..., ResultSet]


@pytest.fixture(scope="session")
def contract() -> Contract:
    return load_contract()


@pytest.fixture(scope="session")
def embedder() -> HashedEmbedder:
    return HashedEmbedder()


@pytest.fixture(scope="session")
def folder(
    contract: Contract, embedder: HashedEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("engines") / "graph"
    aliases = bundled_aliases(nodes(), contract)
    build_graph(
        nodes(), edges(), folder, contract, embedder, source="made by hand", aliases=aliases
    )
    return folder


@pytest.fixture(scope="session")
def database(
    contract: Contract, embedder: HashedEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ScratchDatabase]:
    """A database with the same graph, on the server that the environment names."""
    reader, admin = os.environ[READER_VARIABLE], os.environ.get(ADMIN_VARIABLE)
    if not admin:
        pytest.fail(f"Set {ADMIN_VARIABLE}: the tests create their tables with it.")
    source_path = source(tmp_path_factory.mktemp("mssql") / "source", rows())
    with scratch_database(contract, embedder, source_path, admin=admin, reader=reader) as created:
        yield created


@pytest.fixture(scope="session", params=["embedded", *(["mssql"] if SQL_SERVER else [])])
def engine(request: pytest.FixtureRequest, folder: Path, contract: Contract) -> Iterator[Engine]:
    if request.param == "mssql":
        created: ScratchDatabase = request.getfixturevalue("database")
        engine: Engine = created.engine()
    else:
        engine = open_graph(folder, contract)
    yield engine
    engine.close()


@pytest.fixture
def own_limits(engine: Engine) -> None:
    """Skip what only the embedded engine bounds."""
    if engine.describe().engine != "embedded":
        pytest.skip("a limit of the embedded engine")


@pytest.fixture(scope="session")
def statement(contract: Contract, embedder: HashedEmbedder) -> Callable[..., Statement]:
    def make(sql: str, query: str | None = None) -> Statement:
        decision = judge(sql, contract)
        if isinstance(decision, Refused):
            raise decision.error()
        vector = embedder.embed([query])[0] if query is not None else None
        return Statement(decision, vector)

    return make


@pytest.fixture
def run(engine: Engine, statement: Callable[..., Statement]) -> Run:
    def execute(sql: str, query: str | None = None, **changes: Any) -> ResultSet:
        translation = statement(sql, query)
        words = any(word in translation.allowed.sql for word in ("CONTAINS", "FREETEXT"))
        if words and "fulltext" not in engine.describe().capabilities:
            pytest.skip("this server has no full-text search")
        engine.compile(translation)
        return engine.execute(translation, budget(**changes))

    return execute
