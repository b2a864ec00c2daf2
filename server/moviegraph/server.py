"""The MCP server built from the settings, and its protocol error codes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver.exceptions import MCPServerError
from mcp.server.mcpserver.tools import Tool
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from moviegraph import __version__
from moviegraph.contract.model import Contract
from moviegraph.http.scopes import require_scopes
from moviegraph.observability import report
from moviegraph.prompts import add_prompts, instructions
from moviegraph.query.opening import (
    open_session,
    require_engine,
    require_graph,
    require_journal_apart,
    served_contract,
    session_limits,
)
from moviegraph.query.session_opener import OpenedSession, SessionOpener
from moviegraph.resources import add_resources
from moviegraph.settings import Settings, current_date
from moviegraph.text import without_names
from moviegraph.view.page import apps_of
from moviegraph_tools import NAMES, build_tools, served_tools, tool_names
from moviegraph_tools.call_runner import CallQueue, CallRunner
from moviegraph_tools.tool_definition import READ, ArgumentScope, unknown_tool

if TYPE_CHECKING:
    from moviegraph.query.session import Session
    from moviegraph_tools.call_runner import Shutdown

LOG = logging.getLogger("moviegraph")
HANDSHAKE = frozenset({"initialize", "server/discover", "ping"})
SETTLE = 0.05
LIST_CACHE = CacheHint(ttl_ms=300_000, scope="public")


class GraphServer(MCPServer[CallRunner]):
    """The server of one graph.

    `read_tools` need no scope but for reading; `unserved_tools` are those that the setting omits.
    """

    read_tools: frozenset[str] = frozenset()
    unserved_tools: frozenset[str] = frozenset()


def create_server(
    settings: Settings,
    *,
    session: Session | None = None,
    eager: bool = False,
    check_graph: bool = False,
    ending: Shutdown | None = None,
    further_tools: Sequence[Tool] = (),
) -> GraphServer:
    """Return a server; a process can have multiple.

    Args:
        settings: The settings.
        session: The session to serve, opened and closed by the caller; by default opened from the
            settings, in the background, after the first request that is not a handshake.
        eager: Open the session when the server starts.
        check_graph: Raise an error for a graph folder that does not fit now, not at the first call.
        ending: Stops running calls when the operator stops the server.
        further_tools: Tools served after those of the graph, in the same way.

    Raises:
        OperatorError: The settings, the contract or, if it was checked, the graph are wrong.
    """
    if session is None:
        require_engine(settings)
        require_journal_apart(settings)
    contract = served_contract(settings) if session is None else _with_samples(session)
    if check_graph:
        require_graph(settings, contract)
    opening = (
        OpenedSession(session)
        if session
        else SessionOpener(partial(open_session, settings, contract))
    )
    limits = session.limits if session else session_limits(settings, contract)

    def build_runner() -> CallRunner:
        queue = CallQueue(settings.max_running, settings.max_waiting)
        return CallRunner(opening, queue, limits.total_timeout, hidden)

    scope = ArgumentScope(contract, limits.top, limits.top_expanded)
    definitions = served_tools(contract, settings.tools, settings.record_url)
    hidden = NAMES - {definition.name for definition in definitions}
    tools = [*build_tools(definitions, scope, hidden), *further_tools]
    read_tools = frozenset(tool.name for tool in definitions if tool.scope == READ)
    server = GraphServer(
        "moviegraph",
        title=contract.title,
        version=__version__,
        instructions=without_names(instructions(contract), hidden),
        tools=tools,
        extensions=[apps_of(contract)],
        lifespan=_lifespan(opening, build_runner, ending, eager=eager),
        subscriptions=False,
        cache_hints=dict.fromkeys(LISTS, LIST_CACHE),
        middleware=[_request_middleware(opening, tuple(tool.name for tool in tools), read_tools)],
        log_level="WARNING",
    )
    server.read_tools = read_tools
    server.unserved_tools = tool_names(contract) - {definition.name for definition in definitions}
    add_resources(server, contract, opening, hidden)
    add_prompts(server, contract, partial(current_date, settings.today), hidden)
    _add_health(server, opening, ending)
    return server


def _with_samples(session: Session) -> Contract:
    return session.contract.with_samples(session.engine.describe().statistics.samples)


def _lifespan(
    opening: SessionOpener, build: Callable[[], CallRunner], ending: Shutdown | None, *, eager: bool
) -> Callable[[MCPServer[CallRunner]], Any]:
    @asynccontextmanager
    async def lifespan(_: MCPServer[CallRunner]) -> AsyncGenerator[CallRunner]:
        opening.enter()
        if eager:
            opening.begin()
        runner = build()
        forget = ending.add(runner) if ending else None
        try:
            yield runner
        finally:
            if forget:
                forget()
            await runner.close()
            opening.leave()

    return lifespan


def _request_middleware(
    opening: SessionOpener, tool_names: tuple[str, ...], read_tools: frozenset[str]
) -> ServerMiddleware[Any]:
    """Return the checks and error codes of every request.

    The session is opened after the first response, which then does not wait for imports. The text
    of an unexpected error goes to the log, not to the client.
    """

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        try:
            require_scopes(ctx, read_tools)
            params = ctx.params or {}
            name = params.get("name")
            if ctx.method == "tools/call" and isinstance(name, str) and name not in tool_names:
                return unknown_tool(name, tool_names)
            if ctx.method in LISTS and params.get("cursor") is not None:
                raise MCPError(INVALID_PARAMS, UNKNOWN_CURSOR)
            return await call_next(ctx)
        except Exception as error:
            reported = _protocol_error(error, ctx)
            if reported is error:
                raise
            raise reported from error
        finally:
            is_request = ctx.request_id is not None and ctx.method not in HANDSHAKE
            if is_request and not opening.ready:
                asyncio.get_running_loop().call_later(SETTLE, opening.begin)

    return middleware


def _add_health(
    server: MCPServer[CallRunner], opening: SessionOpener, ending: Shutdown | None
) -> None:
    @server.custom_route("/healthz", ["GET"])
    async def health(_: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        return JSONResponse({"status": "ok"})

    @server.custom_route("/readyz", ["GET"])
    async def ready(_: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        if ending is not None and ending.has_started:
            return JSONResponse({"status": "ending"}, status_code=503)
        if opening.warm:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "opening"}, status_code=503)


MAX_METHOD_CHARS = 64
RESOURCE_NOT_FOUND = -32002
UNREADABLE = "The parameters do not have the form that this method accepts."
UNKNOWN_CURSOR = "Unknown cursor: this list has only one page. Repeat the request without a cursor."
SAME_CODE = "2026-07-28"  # the first revision in which a missing resource is a wrong parameter
LISTS: frozenset[CacheableMethod] = frozenset(
    {"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
)


def _protocol_error(error: Exception, ctx: ServerRequestContext[Any, Any]) -> Exception:
    """Return the error that the client gets.

    Up to revision 2025-11-25 a missing resource has its own code (SEP-2164). The text of a
    ValidationError contains classes and values.
    """
    if isinstance(error, MCPError):
        code, is_old = error.error.code, (ctx.protocol_version or "") < SAME_CODE
        if ctx.method == "resources/read" and code == INVALID_PARAMS and is_old:
            return MCPError(RESOURCE_NOT_FOUND, error.error.message, error.error.data)
        return error
    if isinstance(error, MCPServerError):
        return error
    if isinstance(error, ValidationError):
        return MCPError(INVALID_PARAMS, UNREADABLE)
    if isinstance(error, ValueError) and ctx.method == "prompts/get":
        return MCPError(INVALID_PARAMS, str(error))
    return MCPError(INTERNAL_ERROR, report(error, ctx.method[:MAX_METHOD_CHARS]))
