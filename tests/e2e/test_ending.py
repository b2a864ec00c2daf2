"""Shutdown of the command's HTTP server while a call is running."""

import asyncio
import signal
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from fakes.gated_engine import GatedEngine
from fakes.http_clients import Callers
from mcp.types import CallToolResult
from sse_starlette.sse import AppStatus

from moviegraph.cli.http_runner import HttpRunner
from moviegraph.http.application import OPEN_CONFIG, HttpConfig, application, http_config_from
from moviegraph.http.scopes import ALL
from moviegraph.http.token_file import TokenLine, digest_of
from moviegraph.query.session import Session
from moviegraph.server import GraphServer, create_server
from moviegraph.settings import Settings
from moviegraph_tools.call_runner import Shutdown

pytestmark = pytest.mark.slow("http")

PATIENCE = 120
GATED = {"sql": "SELECT COUNT(*) AS n FROM Recipe WHERE Title = 'held'"}
QUICK = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}


class Running(HttpRunner):
    """Tells when it serves, and takes the signal from another thread."""

    def __init__(self, app: Any, ending: Shutdown) -> None:
        super().__init__(app, ending, PATIENCE)
        self.serving = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.loop = asyncio.get_running_loop()
        self.serving.set()

    def signal(self) -> None:
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.handle_exit, signal.SIGTERM, None)


@contextmanager
def running(
    server: GraphServer, ending: Shutdown, door: HttpConfig = OPEN_CONFIG
) -> Generator[tuple[str, Running]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        runner = Running(
            application(server, "127.0.0.1", port, (), door, server.read_tools), ending
        )
        thread = threading.Thread(target=runner.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        assert runner.serving.wait(PATIENCE)
        yield f"http://127.0.0.1:{port}", runner
        thread.join(PATIENCE)
        assert not thread.is_alive()


def readiness(address: str) -> int:
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


async def not_ready(address: str) -> None:
    with anyio.fail_after(PATIENCE):
        while await anyio.to_thread.run_sync(readiness, address) != 503:
            pass


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Event streams end permanently in a process whose server was shut down."""
    monkeypatch.setattr(AppStatus, "should_exit", False)


@pytest.fixture
def engine() -> GatedEngine:
    return GatedEngine("held")


@pytest.fixture(params=[pytest.param(False, id="open"), pytest.param(True, id="guarded")])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> HttpConfig:
    if not request.param:
        return OPEN_CONFIG
    tokens = tmp_path / "tokens"
    tokens.write_text(TokenLine("ann", digest_of("ann"), ALL).written(), encoding="utf-8")
    return http_config_from(Settings(http_tokens=tokens))


async def test_a_signal_lets_the_call_at_work_end_and_turns_others_away(
    session: Session, engine: GatedEngine, mode: str, door: HttpConfig
) -> None:
    ending = Shutdown()
    server = create_server(Settings(), session=replace(session, engine=engine), ending=ending)
    answers: list[CallToolResult] = []
    with running(server, ending, door) as (address, runner):
        async with AsyncExitStack() as stack:
            client = await Callers(f"{address}/mcp", mode, stack).caller("ann")

            async def at_work() -> None:
                answers.append(await client.call_tool("run_readonly_sql", GATED))

            async with anyio.create_task_group() as group:
                group.start_soon(at_work)
                await anyio.to_thread.run_sync(engine.arrived.get, True, PATIENCE)
                assert await anyio.to_thread.run_sync(readiness, address) == 200
                runner.signal()
                await not_ready(address)
                answers.append(await client.call_tool("run_readonly_sql", QUICK))
                engine.let_go()
    turned_away, at_work_then = answers
    assert turned_away.structured_content["error"]["code"] == "busy"
    assert not at_work_then.is_error
