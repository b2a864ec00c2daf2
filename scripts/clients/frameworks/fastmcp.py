"""fastmcp: its client; what is shown is the whole result, as programs get it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from clients.exam import Seen
from fastmcp import Client
from fastmcp.client.transports import StdioTransport


class Connected:
    """A client of the framework."""

    def __init__(self, client: Client[Any]) -> None:
        self._client = client

    async def tools(self) -> list[str]:
        return [each.name for each in await self._client.list_tools()]

    async def call(self, tool: str, arguments: dict[str, Any]) -> Seen:
        result = await self._client.call_tool(tool, arguments, raise_on_error=False)
        texts = [getattr(each, "text", "") for each in result.content]
        return Seen([*texts, result.structured_content], result.is_error)

    async def prompts(self) -> list[str]:
        return [each.name for each in await self._client.list_prompts()]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        got = await self._client.get_prompt(name, arguments)
        return "\n".join(getattr(each.content, "text", "") for each in got.messages)

    async def resources(self) -> list[str]:
        return [str(each.uri) for each in await self._client.list_resources()]

    async def read(self, uri: str) -> str:
        return "\n".join(
            getattr(each, "text", "") for each in await self._client.read_resource(uri)
        )


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Open the client."""
    server: Any = StdioTransport(**target) if transport == "stdio" else target
    async with Client(server) as client:
        yield Connected(client)
