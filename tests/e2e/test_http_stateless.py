"""Behavior without HTTP sessions, per protocol revision: the reasons for the default."""

from typing import Any

import anyio
import pytest
from e2e.conftest import Scripted
from fakes.http_server import http_server
from fakes.scripted_engine import ScriptedEngine
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer
from mcp.types import CreateMessageResult, TextContent

from moviegraph.http.application import HttpConfig

pytestmark = pytest.mark.slow("http")

SQL = {"sql": "SELECT Title FROM Recipe"}
FOREIGN = "Recipe | where Title contains 'soup' | project Number"
REPAIRED = "SELECT r.Number FROM Recipe AS r WHERE r.Title LIKE '%soup%'"
REPLY = f'{{"sql": "{REPAIRED}", "query": null, "changes": [], "reason": "It was Kusto."}}'
PLAN = {
    "question": "soup",
    "strategies": [
        {"id": "all", "message_to_user": "All", "query": None, "command": SQL["sql"]},
        {"id": "soup", "message_to_user": "Soup", "query": None, "command": REPAIRED},
    ],
}
PATIENCE = 120
BRIEFLY = 3
CASES = pytest.mark.parametrize(
    ("mode", "is_stateless", "is_complete"),
    [
        ("auto", False, True),
        ("auto", True, True),
        ("legacy", False, True),
        ("legacy", True, False),
    ],
)


async def reply(context: Any, params: Any) -> CreateMessageResult:
    content = TextContent(type="text", text=REPLY)
    return CreateMessageResult(role="assistant", content=content, model="theirs")


@CASES
async def test_progress_always_and_sampling_but_for_older_clients_without_sessions(
    server: MCPServer[Any], mode: str, *, is_stateless: bool, is_complete: bool
) -> None:
    steps: list[float] = []

    async def count(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    with http_server(server, door=HttpConfig(stateless=is_stateless)) as address:
        transport = streamable_http_client(f"{address}/mcp")
        async with Client(transport, mode=mode, sampling_callback=reply) as client:
            await client.call_tool("run_strategies", PLAN, progress_callback=count)
            result = await client.call_tool("fix_sql", {"sql": FOREIGN})
    assert steps
    assert result.structured_content["method"] == ("client" if is_complete else "none")


@CASES
async def test_cancellation_but_for_older_clients_without_sessions(
    scripted: Scripted, mode: str, *, is_stateless: bool, is_complete: bool
) -> None:
    engine = ScriptedEngine()
    config = HttpConfig(stateless=is_stateless)
    with http_server(scripted(engine), door=config) as address:
        async with Client(streamable_http_client(f"{address}/mcp"), mode=mode) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "run_readonly_sql", SQL)
                assert await anyio.to_thread.run_sync(engine.started.wait, PATIENCE)
                group.cancel_scope.cancel()
            seconds = PATIENCE if is_complete else BRIEFLY
            is_cancelled = await anyio.to_thread.run_sync(engine.cancelled.wait, seconds)
    assert is_cancelled == is_complete
