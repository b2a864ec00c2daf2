"""One server over the toy graph, and clients of both protocol revisions."""

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.agent_runner import KEY, AgentRunner
from fakes.fake_openai import FakeOpenAI
from fakes.hashed_embedder import HashedEmbedder
from fakes.limits import limits
from fakes.scripted_engine import ScriptedEngine
from fakes.toy_graph import toy_contract
from mcp import Client
from mcp.server import MCPServer

from moviegraph.engines.base import Engine
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.journal.sqlite_journal import SqliteJournal
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def shared_engine(graph_folder: Path) -> Iterator[Engine]:
    with closing(open_graph(graph_folder, toy_contract())) as engine:
        yield engine


@pytest.fixture
def session(shared_engine: Engine) -> Iterator[Session]:
    """A session with a journal and caches of its own, over the engine of all tests."""
    contract = toy_contract()
    with closing(SqliteJournal(None)) as journal:
        yield Session(contract, shared_engine, HashedEmbedder(), journal, limits(contract))


@pytest.fixture
def mode() -> str:
    """Return the newest protocol revision; BOTH_REVISIONS runs a test with the older one, too."""
    return "auto"


@pytest.fixture
def server(session: Session) -> MCPServer[Any]:
    return create_server(Settings(), session=session)


@pytest.fixture
async def client(server: MCPServer[Any], mode: str) -> AsyncGenerator[Client]:
    async with Client(server, mode=mode) as connected:
        yield connected


Scripted = Callable[..., MCPServer[Any]]


@pytest.fixture
def scripted(session: Session) -> Scripted:
    """A server whose engine is scripted."""

    def build(engine: Engine | ScriptedEngine, **changes: Any) -> MCPServer[Any]:
        changed = replace(session, engine=engine, limits=replace(session.limits, **changes))
        return create_server(Settings(), session=changed)

    return build


@pytest.fixture
def fake() -> FakeOpenAI:
    return FakeOpenAI(api_key=KEY)


@pytest.fixture
def address(fake: FakeOpenAI) -> Iterator[str]:
    with fake.loopback() as loopback:
        yield f"{loopback}/v1"


@pytest.fixture
def agent_runner(server: MCPServer[Any], fake: FakeOpenAI, address: str) -> AgentRunner:
    """A question to the server over the toy graph, with a model of the test's own."""
    return AgentRunner(server, fake, address)
