"""Answers a call of a tool that does not exist with those that do."""

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from moviegraph.contract.model import nearest
from moviegraph.errors import NotFoundError
from moviegraph_tools.results import error_result

LONGEST_SHOWN = 80


def unknown_tools(known: tuple[str, ...]) -> ServerMiddleware[Any]:
    """Middleware: a tool not among the known ones is an error like any other, in text and data."""

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        name = (ctx.params or {}).get("name")
        if ctx.method != "tools/call" or not isinstance(name, str) or name in known:
            return await call_next(ctx)
        shown = name[:LONGEST_SHOWN]
        return error_result(
            NotFoundError(
                f"There is no tool {shown!r}. Available tools: {', '.join(known)}.",
                suggestions=nearest(shown, known),
            )
        )

    return middleware
