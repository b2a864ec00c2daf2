"""The page of `moviegraph explore`: its files, the shape of the graph, and calls of tools."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp import MCPError
from mcp.types import TextResourceContents
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from moviegraph.explore.local_page import CALL_PATH, LocalPage, page_routes
from moviegraph.view.page import explore_page

if TYPE_CHECKING:
    from mcp import Client

OpenClient = Callable[[], AbstractAsyncContextManager["Client"]]


def explore_application(open_client: OpenClient, port: int, token: str) -> LocalPage:
    """Return the page over one client of the server, opened when it starts."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with open_client() as client:
            app.state.client = client
            yield

    routes = [
        *page_routes(explore_page()),
        Route("/shape", _shape),
        Route(CALL_PATH, _call, methods=["POST"]),
    ]
    return LocalPage(Starlette(routes=routes, lifespan=lifespan), port, token, takes_calls=True)


async def _shape(request: Request) -> Response:
    """Return the contract, the number of rows of each table, and the arguments of each tool."""
    client: Client = request.app.state.client
    try:
        contract = await _read(client, "moviegraph://contract.json")
        counts = (await _read(client, "moviegraph://stats"))["counts"]
        tools = (await client.list_tools()).tools
    except MCPError as error:
        return JSONResponse({"error": error.error.message}, 503)
    arguments = {tool.name: list(tool.input_schema["properties"]) for tool in tools}
    return JSONResponse({"contract": contract, "counts": counts, "tools": arguments})


async def _read(client: Client, uri: str) -> dict[str, Any]:
    (content,) = (await client.read_resource(uri)).contents
    return json.loads(cast("TextResourceContents", content).text)


async def _call(request: Request) -> Response:
    """Return the result of one call; it is cancelled when the page no longer waits for it."""
    client: Client = request.app.state.client
    try:
        body: Any = json.loads(await request.body())
        json.dumps(body, ensure_ascii=False).encode()  # half characters are in no message
        tool, arguments = body["tool"], body["arguments"]
    except (ValueError, RecursionError, TypeError, KeyError):
        tool = arguments = None
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        message = 'The body must be {"tool": "...", "arguments": {...}} in UTF-8.'
        return JSONResponse({"error": message}, 400)
    answer: dict[str, Any] = {"error": "The page no longer waits for this call."}
    status = 400
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_when_gone, request, tasks.cancel_scope)
        try:
            result = await client.call_tool(tool, cast("dict[str, Any]", arguments))
            answer, status = result.model_dump(mode="json", by_alias=True, exclude_none=True), 200
        except MCPError as error:
            answer = {"error": error.error.message}
        tasks.cancel_scope.cancel()
    return JSONResponse(answer, status)


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
