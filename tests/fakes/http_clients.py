"""Clients of one address: real ones of the SDK with a token each, and bare requests."""

from contextlib import AsyncExitStack
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
BOTH_REVISIONS = pytest.mark.parametrize("mode", ["auto", "legacy"])
"""Runs a test with clients of the newest protocol revision and of the older one."""
ACCEPT = {"Accept": "application/json, text/event-stream"}


class Callers:
    """Clients of one server, each with a token of its own."""

    def __init__(self, address: str, mode: str, stack: AsyncExitStack) -> None:
        self.address = address
        self.mode = mode
        self.stack = stack

    async def caller(self, token: str) -> Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        http = await self.stack.enter_async_context(
            httpx2.AsyncClient(headers=headers, timeout=120)
        )
        transport = streamable_http_client(self.address, http_client=http)
        return await self.stack.enter_async_context(Client(transport, mode=self.mode))


def message(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a request as clients of 2026-07-28 send it, without a session."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    }
    params = {**(params or {}), "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return message("tools/call", {"name": name, "arguments": arguments})


def post(
    address: str,
    token: str | None = None,
    sent: dict[str, Any] | None = None,
    more: dict[str, str] | None = None,
) -> httpx2.Response:
    """Post a request; by default one that lists the tools."""
    sent = sent or message("tools/list")
    params = sent["params"]
    headers = {**ACCEPT, "MCP-Protocol-Version": MODERN, "Mcp-Method": sent["method"]}
    if name := params.get("name") or params.get("uri"):
        headers["Mcp-Name"] = name
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return httpx2.post(f"{address}/mcp", json=sent, headers=headers | (more or {}), timeout=120)


def initialize() -> dict[str, Any]:
    """Return the request that starts a session of revision 2025-11-25."""
    hello = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}


def in_session(
    address: str, token: str, sent: dict[str, Any], session: str | None = None
) -> httpx2.Response:
    """Post a request of revision 2025-11-25."""
    headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
    if session:
        headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": LEGACY}
    return httpx2.post(f"{address}/mcp", json=sent, headers=headers, timeout=120)
