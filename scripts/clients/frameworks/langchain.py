"""langchain-mcp-adapters: tools of LangChain, called as an agent of it calls them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from clients.exam import Seen
from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVER = "moviegraph"


class Connected:
    """The client of the framework; it makes a session for each call."""

    def __init__(self, client: MultiServerMCPClient, tools: dict[str, Any]) -> None:
        self._client = client
        self._tools = tools

    async def tools(self) -> list[str]:
        return list(self._tools)

    async def call(self, tool: str, arguments: dict[str, Any]) -> Seen:
        call = {"type": "tool_call", "id": "1", "name": tool, "args": arguments}
        try:
            message = await self._tools[tool].ainvoke(call)
        except ToolException as error:
            return Seen(str(error), failed=True)
        return Seen(message.content, message.status == "error")

    async def prompts(self) -> list[str]:
        async with self._client.session(SERVER) as session:
            return [each.name for each in (await session.list_prompts()).prompts]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        result = await self._client.get_prompt(SERVER, name, arguments=arguments)
        return "\n".join(str(each.content) for each in result)

    async def resources(self) -> list[str]:
        result = await self._client.get_resources(SERVER)
        return [str(each.metadata["uri"]) for each in result]

    async def read(self, uri: str) -> str:
        [result] = await self._client.get_resources(SERVER, uris=[uri])
        return result.as_string()


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Configure the server, and load its tools."""
    server: Any = (
        {"transport": "stdio", **target}
        if transport == "stdio"
        else {"transport": "streamable_http", "url": target}
    )
    client = MultiServerMCPClient({SERVER: server})
    tools = await client.get_tools(server_name=SERVER)
    yield Connected(client, {each.name: each for each in tools})
