"""What a token may be good for: searching, and running statements that a model wrote."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

READ = "moviegraph:read"
SQL = "moviegraph:sql"
ALL = (READ, SQL)
# A tool that stands here neither runs nor mends a statement of its caller. Any other needs SQL.
READ_TOOLS = frozenset(
    {
        "get_planning_context",
        "semantic_search",
        "fulltext_search",
        "hybrid_search",
        "graph_traverse",
        "get_records",
        "search",
        "fetch",
    }
)


def needed(method: str, params: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the scopes of one message: READ for everything, SQL for the tools that run it."""
    if method != "tools/call":
        return (READ,)
    name = (params or {}).get("name")
    return (READ,) if isinstance(name, str) and name in READ_TOOLS else ALL


def needed_for(body: bytes) -> tuple[str, ...]:
    """Return the scopes of a posted body; what is no JSON is refused later for what it is."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return (READ,)
    messages = cast("list[Any]", found) if isinstance(found, list) else [found]
    return ALL if any(_of_message(each) == ALL for each in messages) else (READ,)


def _of_message(message: Any) -> tuple[str, ...]:
    if not isinstance(message, dict):
        return (READ,)
    parts = cast("dict[str, Any]", message)
    params = parts.get("params")
    named = cast("dict[str, Any]", params) if isinstance(params, dict) else None
    return needed(str(parts.get("method")), named)


def missing_scope(needs: tuple[str, ...], held: Collection[str]) -> str | None:
    """Return a sentence for the first scope that is needed and not held."""
    missing = next((scope for scope in needs if scope not in held), None)
    return f"The access token lacks the required scope {missing}." if missing else None


async def scope_middleware(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Middleware: refuse what the caller's token is not good for, as the protocol has read it.

    Before it, the body as HTTP brought it is answered with status 403; two readers of one text may
    differ, so that answer is courtesy and this one is the wall.
    """
    if ctx.request is not None and (refused := _refused(ctx)):
        from mcp import MCPError
        from mcp.types import INVALID_REQUEST

        raise MCPError(INVALID_REQUEST, refused)
    return await call_next(ctx)


def _refused(ctx: ServerRequestContext[Any, Any]) -> str | None:
    from moviegraph.caller import user_of

    user = user_of(ctx.request)
    return missing_scope(needed(ctx.method, ctx.params), user.scopes) if user else None
