import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_embedder import HashedEmbedder
from fakes.small_graph import edges, nodes

from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Engine, ResultSet, Statement
from moviegraph.engines.build import build_graph
from moviegraph.engines.embedded import open_graph
from moviegraph.sql.decision import Refused
from moviegraph.sql.guard import judge

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
    build_graph(nodes(), edges(), folder, contract, embedder, source="made by hand")
    return folder


@pytest.fixture(
    scope="session", params=["embedded", pytest.param("mssql", marks=pytest.mark.mssql)]
)
def engine(request: pytest.FixtureRequest, folder: Path, contract: Contract) -> Iterator[Engine]:
    if request.param == "mssql":
        if not os.environ.get("MOVIEGRAPH_TEST_MSSQL"):
            pytest.skip("MOVIEGRAPH_TEST_MSSQL is not set: SQL Server is not tested")
        pytest.skip("the SQL Server engine is not part of this version")
    opened = open_graph(folder, contract)
    yield opened
    opened.close()


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
    def execute(sql: str, query: str | None = None, **budget: Any) -> ResultSet:
        made = statement(sql, query)
        engine.compile(made)
        return engine.execute(made, Budget(**budget))

    return execute
