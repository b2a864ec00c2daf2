"""agent-framework: tools and prompts as functions; no resources."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from agent_framework import MCPStdioTool, MCPStreamableHTTPTool
from agent_framework.exceptions import ToolExecutionException
from clients.calls import PLAN
from clients.connection_checks import ModelView, NotOffered


class Connected:
    """A group of tools of the framework, which also has prompts as functions."""

    def __init__(self, group: Any) -> None:
        self._group = group

    @property
    def _functions(self) -> dict[str, Any]:
        return {function.name: function for function in self._group.functions}

    async def tools(self) -> list[str]:
        return [name for name in self._functions if name not in PLAN.prompts]

    async def call(self, tool: str, arguments: dict[str, Any]) -> ModelView:
        try:
            parts = await self._functions[tool].invoke(arguments=arguments)
        except ToolExecutionException as error:
            return ModelView(f"{error}", failed=True)
        return ModelView([getattr(part, "text", None) or str(part) for part in parts], failed=False)

    async def prompts(self) -> list[str]:
        return [name for name in self._functions if name in PLAN.prompts]

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        return str(await self._group.get_prompt(name, **arguments))

    async def resources(self) -> list[str]:
        raise NotOffered

    async def read(self, uri: str) -> str:
        raise NotOffered


@asynccontextmanager
async def connected(transport: str, target: Any) -> AsyncGenerator[Connected]:
    """Open the group of tools."""
    group: Any = (
        MCPStdioTool("moviegraph", **target)
        if transport == "stdio"
        else MCPStreamableHTTPTool("moviegraph", url=target)
    )
    async with group:
        yield Connected(group)
