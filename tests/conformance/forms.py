"""Parts of the conformance fixtures: tools, and requests to a client."""

from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import (
    CallToolResult,
    ContentBlock,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

from moviegraph_tools.tool_definition import READ_ONLY

Arguments = dict[str, Any]
Talk = Context[Any, Any]
Answer = CallToolResult | InputRequiredResult
Answering = Callable[[Arguments, Talk], Awaitable[Answer]]


class AnsweringTool(Tool):
    """A tool that passes its arguments on unchecked."""

    async def run(
        self, arguments: Arguments, context: Context[Any, Any], convert_result: bool = False
    ) -> Answer:
        """Answer."""
        return await self.fn(arguments, context)


def tool(answering: Answering, parameters: dict[str, Any] | None = None) -> AnsweringTool:
    """Return a tool named as its function."""
    name = answering.__name__
    return AnsweringTool(
        fn=answering,
        name=name,
        title=name.replace("_", " ").capitalize(),
        description=answering.__doc__ or "",
        parameters=parameters or accepting(),
        fn_metadata=FuncMetadata(arg_model=ArgModelBase),
        is_async=True,
        context_kwarg=None,
        annotations=READ_ONLY,
    )


def accepting(**properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of arguments that are all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def text_result(*content: ContentBlock | str, error: bool = False) -> CallToolResult:
    """Return a result; what is a string becomes text."""
    blocks = [TextContent(type="text", text=c) if isinstance(c, str) else c for c in content]
    return CallToolResult(content=blocks, is_error=error)


def form(message: str, **properties: dict[str, Any]) -> ElicitRequest:
    """Return a question for the client's user."""
    schema: Any = {"type": "object", "properties": properties, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(text: str, most: int = 100) -> CreateMessageRequest:
    """Return a question for the client's model."""
    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[message], max_tokens=most)
    )


def roots() -> ListRootsRequest:
    """Return the question for the client's folders."""
    return ListRootsRequest()
