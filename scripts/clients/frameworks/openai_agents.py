"""openai-agents: tools as its function tools, with strict schemas, as an agent runs them."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil
from agents.tool_context import ToolContext
from clients.exam import Seen

PATIENCE = 60


class Connected:
    """A server of the framework, and the tools that an agent would get of it."""

    def __init__(self, server: Any, tools: dict[str, Any]) -> None:
        self._server = server
        self._tools = tools

    async def tools(self) -> list[str]:
        return list(self._tools)

    async def call(self, tool: str, arguments: dict[str, Any]) -> Seen:
        dumps = json.dumps(arguments)
        context = ToolContext(context=None, tool_name=tool, tool_call_id="1", tool_arguments=dumps)
        shown = await self._tools[tool].on_invoke_tool(context, dumps)
        said = json.dumps(shown, default=str)
        # No flag tells a model of a failure here: it reads the text.
        return Seen(shown, "not_select:" in said or "not_found:" in said or "An error occ" in said)

    async def prompts(self) -> list[str]:
        return [each.name for each in (await self._server.list_prompts()).prompts]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        got = await self._server.get_prompt(name, arguments)
        return "\n".join(each.content.text for each in got.messages)

    async def resources(self) -> list[str]:
        return [str(each.uri) for each in (await self._server.list_resources()).resources]

    async def read(self, uri: str) -> str:
        return (await self._server.read_resource(uri)).contents[0].text


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Connect, and convert the schemas of all tools to strict ones."""
    if transport == "stdio":
        params = {"command": target["command"], "args": target["args"], "env": target["env"]}
        server: Any = MCPServerStdio(params=params, client_session_timeout_seconds=PATIENCE)
    else:
        server = MCPServerStreamableHttp(
            params={"url": target}, client_session_timeout_seconds=PATIENCE
        )
    async with server:
        listed = await server.list_tools()
        created = [
            MCPUtil.to_function_tool(each, server, convert_schemas_to_strict=True)
            for each in listed
        ]
        yield Connected(server, {each.name: each for each in created})
