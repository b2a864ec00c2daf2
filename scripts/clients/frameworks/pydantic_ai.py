"""pydantic-ai: the complete loop of its agent, with a function instead of a model."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from clients.connection_checks import ModelView
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel


class Connected:
    """A toolset of the framework, as its models receive it."""

    def __init__(self, toolset: MCPToolset[None]) -> None:
        self._toolset = toolset

    async def tools(self) -> list[str]:
        offered: list[str] = []

        def model(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            offered.extend(tool.name for tool in info.function_tools)
            return ModelResponse(parts=[TextPart("done")])

        await Agent(FunctionModel(model), toolsets=[self._toolset]).run("go")
        return offered

    async def call(self, tool: str, arguments: dict[str, Any]) -> ModelView:
        views: list[ModelView] = []

        def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
            if len(messages) == 1:
                return ModelResponse(parts=[ToolCallPart(tool, arguments)])
            for part in messages[-1].parts:
                if isinstance(part, RetryPromptPart):
                    views.append(ModelView(part.model_response(), failed=True))
                elif isinstance(part, ToolReturnPart):
                    views.append(ModelView(part.model_response_str(), part.outcome != "success"))
            return ModelResponse(parts=[TextPart("done")])

        await Agent(FunctionModel(model), toolsets=[self._toolset]).run("go")
        return views[0]

    async def prompts(self) -> list[str]:
        return [prompt.name for prompt in await self._toolset.list_prompts()]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        return str(await self._toolset.get_prompt(name, arguments))

    async def resources(self) -> list[str]:
        return [str(resource.uri) for resource in await self._toolset.list_resources()]

    async def read(self, uri: str) -> str:
        return str(await self._toolset.read_resource(uri))


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Open the toolset."""
    server: Any = StdioTransport(**target) if transport == "stdio" else target
    async with MCPToolset[None](server) as toolset:
        yield Connected(toolset)
