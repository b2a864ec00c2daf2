"""A call from its start to its end: progress, time limit, cancellation, disconnect, failure."""

import json
import logging
import socket
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from e2e.conftest import Scripted
from fakes.http_clients import BOTH_REVISIONS
from fakes.http_server import http_server
from fakes.scripted_engine import ScriptedEngine
from mcp import Client
from mcp.types import TextContent

import moviegraph.server
from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.engines.embedded.embedded_engine import open_graph
from moviegraph.errors import EmbeddingError, GraphError, GraphReplacedError
from moviegraph.http.application import HttpConfig
from moviegraph.query import opening
from moviegraph.query.session import Progress, Session
from moviegraph.server import create_server
from moviegraph.settings import Settings
from moviegraph_tools.call_runner import Shutdown

SQL = {"sql": "SELECT Title FROM Recipe"}
PATIENCE = 120
MODERN = "2026-07-28"
LEGACY = "2025-11-25"


async def waited(event: threading.Event) -> bool:
    return await anyio.to_thread.run_sync(event.wait, PATIENCE)


@pytest.fixture
def unshared(session: Session, graph_folder: Path) -> Session:
    """A session whose engine the server may close."""
    return replace(session, engine=open_graph(graph_folder, session.contract))


@BOTH_REVISIONS
async def test_cancelling_a_call_reaches_the_engine(scripted: Scripted, mode: str) -> None:
    engine = ScriptedEngine()
    async with Client(scripted(engine), mode=mode) as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "run_readonly_sql", SQL)
            assert await waited(engine.started)
            group.cancel_scope.cancel()
        assert await waited(engine.cancelled)


class ReplacedOnce(ScriptedEngine):
    """An engine whose graph is replaced during its first statement."""

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        result = super().execute(statement, budget)
        if len(self.executed) == 1:
            raise GraphReplacedError("The graph was replaced.")
        return result


async def test_a_call_whose_graph_is_replaced_meanwhile_runs_once_more(scripted: Scripted) -> None:
    engine = ReplacedOnce(ResultSet(("Title",), [("Soup",)]))
    async with Client(scripted(engine)) as client:
        result = await client.call_tool("run_readonly_sql", SQL)
    assert not result.is_error
    assert result.structured_content["rows"] == [["Soup"]]
    assert len(engine.executed) == 2


async def test_an_operator_who_ends_the_server_ends_its_calls(session: Session) -> None:
    engine, ending = ScriptedEngine(), Shutdown()
    served = create_server(Settings(), session=replace(session, engine=engine), ending=ending)
    async with Client(served) as client, anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "run_readonly_sql", SQL)
        assert await waited(engine.started)
        await ending.drain(0)
        assert await waited(engine.cancelled)


@pytest.mark.slow("time limit")
@BOTH_REVISIONS
async def test_a_call_out_of_time_is_stopped_and_says_so(scripted: Scripted, mode: str) -> None:
    engine = ScriptedEngine()
    async with Client(scripted(engine, total_timeout=3), mode=mode) as client:
        result = await client.call_tool("run_readonly_sql", SQL)
    assert result.is_error
    assert result.structured_content["error"]["code"] == "timeout"
    assert engine.cancelled.is_set()


@pytest.mark.parametrize("is_stateless", [False, True])
@pytest.mark.parametrize("revision", [MODERN, LEGACY])
async def test_a_client_that_disconnects_stops_its_query(
    scripted: Scripted, revision: str, *, is_stateless: bool
) -> None:
    engine = ScriptedEngine()
    with http_server(scripted(engine), door=HttpConfig(stateless=is_stateless)) as address:
        call: dict[str, Any] = {"name": "run_readonly_sql", "arguments": SQL}
        if revision == LEGACY and is_stateless:
            headers = {"MCP-Protocol-Version": LEGACY}
        elif revision == LEGACY:
            session = await anyio.to_thread.run_sync(_handshake, address)
            headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": LEGACY}
        else:
            call["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            headers = {
                "MCP-Protocol-Version": MODERN,
                "Mcp-Method": "tools/call",
                "Mcp-Name": "run_readonly_sql",
            }
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        connection = _post(address, message, headers)
        assert await waited(engine.started)
        connection.close()
        assert await waited(engine.cancelled)


def _handshake(address: str) -> str:
    client = {"name": "test", "version": "0"}
    params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
    begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    with _post(address, begin, {}) as connection, connection.makefile("rb") as answer:
        lines = iter(answer.readline, b"\r\n")
        result = {
            line.split(b":")[0].lower(): line.split(b":")[1].strip()
            for line in lines
            if b":" in line
        }
    session = result[b"mcp-session-id"].decode()
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": LEGACY}
    with _post(address, ready, headers) as connection, connection.makefile("rb") as answer:
        assert b" 202 " in answer.readline()
    return session


def _post(address: str, message: dict[str, Any], headers: dict[str, str]) -> socket.socket:
    host = address.removeprefix("http://")
    body = json.dumps(message).encode()
    fields = {
        "Host": host,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **headers,
    }
    name, port = host.split(":")
    connection = socket.create_connection((name, int(port)), timeout=PATIENCE)
    head = "".join(f"{field}: {value}\r\n" for field, value in fields.items())
    connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
    return connection


@BOTH_REVISIONS
async def test_an_operators_error_shows_the_model_one_generic_message(
    scripted: Scripted, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "Server=db.example;Pwd=hunter2"
    engine = ScriptedEngine(EmbeddingError(f"No answer from {secret}.", hint="Look at the host."))
    async with Client(scripted(engine), mode=mode) as client:
        result = await client.call_tool("run_readonly_sql", SQL)
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    text = result.content[0].text
    assert result.structured_content["error"]["code"] == "internal_error"
    assert result.structured_content["error"]["message"] == text
    assert "hunter2" not in text
    reference = text.split("reference ")[1].rstrip(".")
    logged = [record.getMessage() for record in caplog.records if reference in record.getMessage()]
    assert secret in logged[0]
    assert "Look at the host." in logged[0]


async def test_an_unexpected_error_is_logged_with_its_trace(
    scripted: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    engine = ScriptedEngine(RuntimeError("inner workings"))
    async with Client(scripted(engine)) as client:
        result = await client.call_tool("run_readonly_sql", SQL)
    assert result.is_error
    assert "inner" not in result.model_dump_json()
    assert any(record.exc_info for record in caplog.records if record.levelno >= logging.ERROR)


async def test_a_cell_without_a_form_never_leaves(scripted: Scripted) -> None:
    engine = ScriptedEngine(ResultSet(("n",), [(b"\x00secret",)]))
    async with Client(scripted(engine)) as client:
        sql = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
        result = await client.call_tool("run_readonly_sql", sql)
    assert result.structured_content["error"]["code"] == "internal_error"
    assert "secret" not in result.model_dump_json()


@BOTH_REVISIONS
@pytest.mark.parametrize("over_http", [False, True], ids=["in process", "over HTTP"])
async def test_calls_wait_for_the_opening_and_hear_of_its_progress(
    unshared: Session, mode: str, over_http: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_received = threading.Event()
    values: list[float] = []

    def slow(settings: Settings, contract: object, progress: Progress) -> Session:
        step = 0
        while not is_received.wait(0.001):
            step += 1
            progress(step, None, "embedding")
        return unshared

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        values.append(progress)
        if len(values) == 3:
            is_received.set()

    monkeypatch.setattr(moviegraph.server, "open_session", slow)
    server = create_server(Settings(contract=None))
    with http_server(server) if over_http else nullcontext() as address:
        async with Client(f"{address}/mcp" if over_http else server, mode=mode) as client:
            with anyio.move_on_after(PATIENCE):
                result = await client.call_tool("run_readonly_sql", SQL, progress_callback=listen)
                assert not result.is_error
            is_received.set()
    assert len(values) >= 3
    assert values == sorted(set(values))


async def test_a_failed_opening_gives_the_model_a_generic_message_and_is_retried(
    unshared: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    attempts: list[int] = []

    def second_time(settings: Settings, contract: object, progress: Progress) -> Session:
        attempts.append(1)
        if len(attempts) == 1:
            raise GraphError("/srv/private/graph is half-built.", hint="Load the data again.")
        return unshared

    monkeypatch.setattr(moviegraph.server, "open_session", second_time)
    async with Client(create_server(Settings())) as client:
        first = await client.call_tool("run_readonly_sql", SQL)
        second = await client.call_tool("run_readonly_sql", SQL)
    assert first.is_error
    assert "/srv/private" not in first.model_dump_json()
    assert "/srv/private/graph is half-built. Load the data again." in caplog.text
    assert not second.is_error


@BOTH_REVISIONS
async def test_nothing_is_opened_before_the_first_real_request_is_answered(
    unshared: Session, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_open = threading.Event()

    def note(*_: object) -> Session:
        is_open.set()
        return unshared

    monkeypatch.setattr(moviegraph.server, "open_session", note)
    async with Client(create_server(Settings()), mode=mode) as client:
        assert client.instructions
        assert not is_open.is_set()
        await client.list_tools()
        assert await waited(is_open)


async def test_what_was_opened_is_closed_with_the_server(
    session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engine = ScriptedEngine(ResultSet(("n",), [(1,)]))

    def scripted_engine(*_: object) -> ScriptedEngine:
        return engine

    monkeypatch.setattr(opening, "open_engine", scripted_engine)
    settings = Settings(journal=tmp_path / "journal.sqlite")
    async with Client(create_server(settings)) as client:
        result = await client.call_tool(
            "run_readonly_sql", {"sql": "SELECT COUNT(*) AS n FROM Movie"}
        )
        assert not result.is_error
        assert not engine.closed
    assert engine.closed


async def test_an_unknown_tool_is_an_error_result(client: Client) -> None:
    result = await client.call_tool("drop_everything", {})
    assert result.is_error
