"""Error codes that the protocol asks for, where the SDK has another, none, or tells too much."""

from typing import Any

from mcp import MCPError
from mcp.server.caching import CacheableMethod
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.exceptions import MCPServerError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import ValidationError

from moviegraph.observability import report

LONGEST_METHOD = 64
RESOURCE_NOT_FOUND = -32002
SAME_CODE = "2026-07-28"  # the first revision in which a missing resource is a wrong parameter
LISTS: frozenset[CacheableMethod] = frozenset(
    {"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
)


async def neutral_codes(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: the text of what nobody foresaw goes to the log, as the SDK would send it."""
    try:
        return await call_next(ctx)
    except (MCPError, MCPServerError, ValidationError):
        raise
    except Exception as error:
        raise MCPError(INTERNAL_ERROR, report(error, ctx.method[:LONGEST_METHOD])) from error


async def list_codes(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: a cursor is the caller's error, as every list is whole and none was given."""
    if ctx.method in LISTS and (ctx.params or {}).get("cursor") is not None:
        raise MCPError(
            INVALID_PARAMS,
            "Unknown cursor: this list has only one page. Repeat the request without a cursor.",
        )
    return await call_next(ctx)


async def resource_codes(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: up to revision 2025-11-25 a missing resource has a code of its own (SEP-2164)."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        missing = ctx.method == "resources/read" and error.error.code == INVALID_PARAMS
        if missing and (ctx.protocol_version or "") < SAME_CODE:
            raise MCPError(RESOURCE_NOT_FOUND, error.error.message, error.error.data) from error
        raise
