"""The tools, prompts and resources of a running server, as a client's program calls them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mcp import Client, MCPError
from mcp.types import CallToolResult, TextContent, TextResourceContents

from moviegraph.errors import MoviegraphError

Result = dict[str, Any]
OnProgress = Callable[[str], None]
MODELS = "moviegraph/models"


class ToolFailedError(MoviegraphError):
    """A tool answered with an error; the message is the tool's, and the code too."""

    default_code = "tool_failed"


class ConnectionLostError(MoviegraphError):
    """The server did not answer, or not as the protocol wants it."""

    default_code = "connection_lost"


def records(result: Result) -> list[dict[str, Any]]:
    """Return the rows of a columnar result as dictionaries."""
    return [dict(zip(result["columns"], row, strict=True)) for row in result["rows"]]


def _ignored(_: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class ToolClient:
    """One connection; `on_progress` hears what a tool says while it works.

    `models` collects what language models cost the server on behalf of the calls made here.
    """

    client: Client
    on_progress: OnProgress = _ignored
    models: list[Result] = field(default_factory=list[Result])

    async def call(self, tool: str, **arguments: Any) -> Result:
        """Return what a tool found. Raises ToolFailedError with its words and code."""

        async def hear(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
            if message:
                self.on_progress(message)

        try:
            result = await self.client.call_tool(tool, arguments, progress_callback=hear)
        except MCPError as error:
            raise _lost(tool, error) from None
        self.models.extend((result.meta or {}).get(MODELS, ()))
        if result.is_error:
            raise ToolFailedError(f"{tool}: {_text(result)}", code=_code(result))
        return dict(result.structured_content or {})

    async def maximum(self, tool: str, argument: str) -> int:
        """Return the largest value that a tool takes for an argument."""
        try:
            listed = await self.client.list_tools()
        except MCPError as error:
            raise _lost("tools/list", error) from None
        schemas = {each.name: each.input_schema for each in listed.tools}
        return int(schemas[tool]["properties"][argument]["maximum"])

    async def prompt(self, name: str, **arguments: str) -> str:
        """Return a prompt of the server, filled in."""
        try:
            result = await self.client.get_prompt(name, arguments)
        except MCPError as error:
            raise _lost(f"the prompt {name}", error) from None
        parts = (message.content for message in result.messages)
        return "\n\n".join(part.text for part in parts if isinstance(part, TextContent))

    async def read(self, uri: str) -> Result:
        """Return a resource that is JSON."""
        try:
            result = await self.client.read_resource(uri)
        except MCPError as error:
            raise _lost(uri, error) from None
        parts = (part for part in result.contents if isinstance(part, TextResourceContents))
        return json.loads("".join(part.text for part in parts))


def _text(result: CallToolResult) -> str:
    return " ".join(part.text for part in result.content if isinstance(part, TextContent))


def _code(result: CallToolResult) -> str | None:
    facts: Result = result.structured_content or {}
    error: Result = facts.get("error") or {}
    return error.get("code")


def _lost(what: str, error: MCPError) -> ConnectionLostError:
    return ConnectionLostError(f"The server did not respond to {what}: {error.error.message}")
