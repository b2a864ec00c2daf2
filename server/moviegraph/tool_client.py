"""MCP client of the commands that call tools: results and resources of a server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mcp import Client, MCPError
from mcp.types import CallToolResult, TextContent, TextResourceContents

from moviegraph.errors import MoviegraphError

Result = dict[str, Any]
OnProgress = Callable[[str], None]
MODELS = "moviegraph/models"
READ_LOG = "Read the log above, and run `moviegraph check`."


class ToolFailedError(MoviegraphError, code="tool_failed"):
    """A tool returned an error, whose message and code this has."""


class ConnectionLostError(MoviegraphError, code="connection_lost"):
    """The server did not respond, or violated the protocol."""


def records(result: Result) -> list[dict[str, Any]]:
    """Return the rows of a columnar result as dictionaries."""
    return [dict(zip(result["columns"], row, strict=True)) for row in result["rows"]]


@dataclass(frozen=True, slots=True)
class ToolClient:
    """One connection; `on_progress` receives the progress messages of running tools.

    `models` collects what language models cost the server on behalf of the calls made by this.
    """

    client: Client
    on_progress: OnProgress | None = None
    models: list[Result] = field(default_factory=list[Result])

    async def call(self, tool: str, /, **arguments: Any) -> Result:
        """Return the result of a tool. Raises ToolFailedError."""

        async def report(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001
            if message and self.on_progress:
                self.on_progress(message)

        try:
            result = await self.client.call_tool(tool, arguments, progress_callback=report)
        except MCPError as error:
            raise _lost(tool, error) from None
        self.models.extend((result.meta or {}).get(MODELS, ()))
        if result.is_error:
            code = _code(result)
            hint = READ_LOG if code == "internal_error" else None
            raise ToolFailedError(f"{tool}: {_text(result)}", code=code, hint=hint)
        return dict(result.structured_content or {})

    async def definitions(self) -> dict[str, Result]:
        """Return description and arguments of each tool that the server lists, by name."""
        try:
            tools = (await self.client.list_tools()).tools
        except MCPError as error:
            raise _lost("tools/list", error) from None
        return {
            tool.name: {"description": tool.description, "arguments": tool.input_schema}
            for tool in tools
        }

    async def read(self, uri: str) -> str:
        """Return the text of a resource."""
        try:
            result = await self.client.read_resource(uri)
        except MCPError as error:
            raise _lost(uri, error) from None
        parts = (part for part in result.contents if isinstance(part, TextResourceContents))
        return "".join(part.text for part in parts)


def _text(result: CallToolResult) -> str:
    return " ".join(part.text for part in result.content if isinstance(part, TextContent))


def _code(result: CallToolResult) -> str | None:
    content: Result = result.structured_content or {}
    error: Result = content.get("error") or {}
    return error.get("code")


def _lost(request: str, error: MCPError) -> ConnectionLostError:
    return ConnectionLostError(f"The server did not respond to {request}: {error.error.message}")
