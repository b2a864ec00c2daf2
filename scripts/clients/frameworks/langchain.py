"""langchain-mcp-adapters: tools of LangChain, called as by an agent."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from clients.connection_checks import ModelView
from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient

SERVER = "moviegraph"


class Connected:
    """The client of the framework; it opens a session per call."""

    def __init__(self, client: MultiServerMCPClient, tools: dict[str, Any]) -> None:
        self._client = client
        self._tools = tools

    async def tools(self) -> list[str]:
        return list(self._tools)

    async def call(self, tool: str, arguments: dict[str, Any]) -> ModelView:
        call = {"type": "tool_call", "id": "1", "name": tool, "args": arguments}
        try:
            message = await self._tools[tool].ainvoke(call)
        except ToolException as error:
            return ModelView(str(error), failed=True)
        return ModelView(message.content, message.status == "error")

    async def prompts(self) -> list[str]:
        async with self._client.session(SERVER) as session:
            return [prompt.name for prompt in (await session.list_prompts()).prompts]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        messages = await self._client.get_prompt(SERVER, name, arguments=arguments)
        return "\n".join(str(message.content) for message in messages)

    async def resources(self) -> list[str]:
        resources = await self._client.get_resources(SERVER)
        return [str(resource.metadata["uri"]) for resource in resources]

    async def read(self, uri: str) -> str:
        [resource] = await self._client.get_resources(SERVER, uris=[uri])
        return resource.as_string()


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
    yield Connected(client, {tool.name: tool for tool in tools})
