"""fastmcp: the client; a model view is the full result, as programs receive it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from clients.connection_checks import ModelView
from fastmcp import Client
from fastmcp.client.transports import StdioTransport


class Connected:
    """A client of the framework."""

    def __init__(self, client: Client[Any]) -> None:
        self._client = client

    async def tools(self) -> list[str]:
        return [tool.name for tool in await self._client.list_tools()]

    async def call(self, tool: str, arguments: dict[str, Any]) -> ModelView:
        result = await self._client.call_tool(tool, arguments, raise_on_error=False)
        texts = [getattr(part, "text", "") for part in result.content]
        return ModelView([*texts, result.structured_content], result.is_error)

    async def prompts(self) -> list[str]:
        return [prompt.name for prompt in await self._client.list_prompts()]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        result = await self._client.get_prompt(name, arguments)
        return "\n".join(getattr(message.content, "text", "") for message in result.messages)

    async def resources(self) -> list[str]:
        return [str(resource.uri) for resource in await self._client.list_resources()]

    async def read(self, uri: str) -> str:
        return "\n".join(
            getattr(part, "text", "") for part in await self._client.read_resource(uri)
        )


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Open the client."""
    server: Any = StdioTransport(**target) if transport == "stdio" else target
    async with Client(server) as client:
        yield Connected(client)
