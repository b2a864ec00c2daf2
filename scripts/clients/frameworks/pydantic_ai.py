"""pydantic-ai: the whole loop of its agent, with a function in place of the model."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from clients.exam import Seen
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
    """A toolset of the framework, and what its models are offered."""

    def __init__(self, toolset: MCPToolset[None]) -> None:
        self._toolset = toolset

    async def tools(self) -> list[str]:
        offered: list[str] = []

        def model(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            offered.extend(each.name for each in info.function_tools)
            return ModelResponse(parts=[TextPart("done")])

        await Agent(FunctionModel(model), toolsets=[self._toolset]).run("go")
        return offered

    async def call(self, tool: str, arguments: dict[str, Any]) -> Seen:
        seen: list[Seen] = []

        def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
            if len(messages) == 1:
                return ModelResponse(parts=[ToolCallPart(tool, arguments)])
            for part in messages[-1].parts:
                if isinstance(part, RetryPromptPart):
                    seen.append(Seen(part.model_response(), failed=True))
                elif isinstance(part, ToolReturnPart):
                    seen.append(Seen(part.model_response_str(), part.outcome != "success"))
            return ModelResponse(parts=[TextPart("done")])

        await Agent(FunctionModel(model), toolsets=[self._toolset]).run("go")
        return seen[0]

    async def prompts(self) -> list[str]:
        return [each.name for each in await self._toolset.list_prompts()]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        return str(await self._toolset.get_prompt(name, arguments))

    async def resources(self) -> list[str]:
        return [str(each.uri) for each in await self._toolset.list_resources()]

    async def read(self, uri: str) -> str:
        return str(await self._toolset.read_resource(uri))


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Open the toolset."""
    server: Any = StdioTransport(**target) if transport == "stdio" else target
    async with MCPToolset[None](server) as toolset:
        yield Connected(toolset)
