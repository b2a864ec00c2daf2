"""A load over each driver, and the scripted graph that it writes into."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fakes.fake_clock import FakeClock
from fakes.hashed_embedder import HashedEmbedder
from fakes.odbc_drivers import OdbcDriver
from fakes.scripted_graph import ScriptedGraph
from fakes.tds.server import TdsServer

from moviegraph.contract.loader import load_contract
from moviegraph.embeddings.embedder import Embedder
from moviegraph.engines.sqlserver.connection import Connector
from moviegraph.engines.sqlserver.connection_string import parse_connection_string
from moviegraph.engines.sqlserver.writing import SESSION, Writer
from moviegraph.loading.database_loader import load_into_database, wait_for_fulltext
from moviegraph.loading.folder_loader import LoadReport

Load = Callable[..., LoadReport]


@pytest.fixture
def database() -> ScriptedGraph:
    return ScriptedGraph(load_contract(), HashedEmbedder().space.dimensions)


@pytest.fixture
def server(database: ScriptedGraph) -> Iterator[TdsServer]:
    with TdsServer(database) as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def load(driver: OdbcDriver, server: TdsServer, database: ScriptedGraph, clock: FakeClock) -> Load:
    string = parse_connection_string(driver.string(server.port), read_only=False)
    connector = Connector(string, session=(SESSION,))
    plain = HashedEmbedder()

    def run(source_path: Path, embedder: Embedder | None = plain, **more: Any) -> LoadReport:
        writer = Writer(connector.open, pause=clock.pause)
        wait = partial(wait_for_fulltext, clock=lambda: clock.now, pause=clock.pause)
        try:
            return load_into_database(
                source_path, database.contract, embedder, writer, wait=wait, **more
            )
        finally:
            writer.close()

    return run
