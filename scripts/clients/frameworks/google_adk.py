"""google-adk: a toolset, which also reads resources; no prompts of servers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import MagicMock

from clients.connection_checks import ModelView, NotOffered
from google.adk.tools.mcp_tool import (
    McpToolset,
    StdioConnectionParams,
    StreamableHTTPConnectionParams,
)
from mcp import StdioServerParameters

TIMEOUT_SECONDS = 60.0


class Connected:
    """A toolset of the framework."""

    def __init__(self, toolset: McpToolset, tools: dict[str, Any]) -> None:
        self._toolset = toolset
        self._tools = tools

    async def tools(self) -> list[str]:
        return list(self._tools)

    async def call(self, tool: str, arguments: dict[str, Any]) -> ModelView:
        self._tools[tool]._get_declaration()  # the schema that a model would receive
        context = MagicMock(function_call_id=tool)
        result = await self._tools[tool].run_async(args=arguments, tool_context=context)
        return ModelView(result, bool(result.get("isError") or result.get("is_error")))

    async def prompts(self) -> list[str]:
        raise NotOffered

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        raise NotOffered

    async def resources(self) -> list[str]:
        return [str(await self._uri(name)) for name in await self._toolset.list_resources()]

    async def _uri(self, name: str) -> str:
        return (await self._toolset.get_resource_info(name))["uri"]

    async def read(self, uri: str) -> str:
        for name in await self._toolset.list_resources():
            if await self._uri(name) == uri:
                return str(await self._toolset.read_resource(name))
        raise NotOffered


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Open the toolset."""
    params: Any = (
        StdioConnectionParams(
            server_params=StdioServerParameters(**target), timeout=TIMEOUT_SECONDS
        )
        if transport == "stdio"
        else StreamableHTTPConnectionParams(url=target, timeout=TIMEOUT_SECONDS)
    )
    toolset = McpToolset(connection_params=params)
    try:
        tools = await toolset.get_tools()
        yield Connected(toolset, {tool.name: tool for tool in tools})
    finally:
        await toolset.close()
