"""openai-agents: tools as its function tools, with strict schemas, as an agent runs them."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, MCPUtil
from agents.tool_context import ToolContext
from clients.connection_checks import ModelView

TIMEOUT_SECONDS = 60
FAILURE_TEXTS = ("not_select:", "not_found:", "An error occ")


class Connected:
    """A server of the framework, and the tools that an agent receives from it."""

    def __init__(self, server: Any, tools: dict[str, Any]) -> None:
        self._server = server
        self._tools = tools

    async def tools(self) -> list[str]:
        return list(self._tools)

    async def call(self, tool: str, arguments: dict[str, Any]) -> ModelView:
        arguments_json = json.dumps(arguments)
        context = ToolContext(
            context=None, tool_name=tool, tool_call_id="1", tool_arguments=arguments_json
        )
        output = await self._tools[tool].on_invoke_tool(context, arguments_json)
        text = json.dumps(output, default=str)
        # No flag reports a failure to the model; it reads the text.
        return ModelView(output, any(mark in text for mark in FAILURE_TEXTS))

    async def prompts(self) -> list[str]:
        return [prompt.name for prompt in (await self._server.list_prompts()).prompts]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        result = await self._server.get_prompt(name, arguments)
        return "\n".join(message.content.text for message in result.messages)

    async def resources(self) -> list[str]:
        return [str(resource.uri) for resource in (await self._server.list_resources()).resources]

    async def read(self, uri: str) -> str:
        return (await self._server.read_resource(uri)).contents[0].text


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Connect, and convert the schemas of all tools to strict ones."""
    if transport == "stdio":
        params = {"command": target["command"], "args": target["args"], "env": target["env"]}
        server: Any = MCPServerStdio(params=params, client_session_timeout_seconds=TIMEOUT_SECONDS)
    else:
        server = MCPServerStreamableHttp(
            params={"url": target}, client_session_timeout_seconds=TIMEOUT_SECONDS
        )
    async with server:
        tools = await server.list_tools()
        function_tools = [
            MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=True) for tool in tools
        ]
        yield Connected(server, {tool.name: tool for tool in function_tools})
