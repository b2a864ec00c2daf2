"""The MCP server built from the settings, its protocol error codes, and opening what it serves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
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
from moviegraph.contract.loader import read_contract
from moviegraph.contract.model import Contract
from moviegraph.errors import DatabaseError, EmbeddingError, SettingsError
from moviegraph.http.scopes import require_scopes
from moviegraph.observability import operator_text, report
from moviegraph.prompts import add_prompts, instructions
from moviegraph.query.session import OpenedSession, SessionOpener
from moviegraph.resources import add_resources
from moviegraph.settings import Settings, current_date
from moviegraph.view.page import apps_of
from moviegraph_tools import build_tools
from moviegraph_tools.call_runner import CallLimits, CallRunner
from moviegraph_tools.tool_definition import ArgumentScope, unknown_tool

if TYPE_CHECKING:
    from moviegraph.embeddings.embedder import Embedder
    from moviegraph.engines.base import Engine
    from moviegraph.engines.sqlserver.startup import DatabaseOptions
    from moviegraph.engines.sqlserver.writing import Writer
    from moviegraph.llm.openai_model import OpenAIModel
    from moviegraph.query.session import Progress, Session
    from moviegraph_tools.call_runner import Shutdown

LOG = logging.getLogger("moviegraph")
HANDSHAKE = frozenset({"initialize", "server/discover", "ping"})
SETTLE = 0.05
LIST_CACHE = CacheHint(ttl_ms=300_000, scope="public")


def create_server(
    settings: Settings,
    *,
    session: Session | None = None,
    eager: bool = False,
    check_graph: bool = False,
    ending: Shutdown | None = None,
    further_tools: Sequence[Tool] = (),
) -> MCPServer[CallRunner]:
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
    contract = served_contract(settings) if session is None else session.contract
    if check_graph:
        require_graph(settings, contract)
    opening = (
        OpenedSession(session)
        if session
        else SessionOpener(partial(open_session, settings, contract))
    )
    caps = session.caps if session else contract.limits
    total_timeout = session.caps.total_timeout if session else settings.total_timeout
    limits = CallLimits(
        settings.max_running, settings.max_waiting, settings.slow_after, total_timeout
    )
    build_runner = partial(CallRunner, opening, limits)
    record_url = settings.record_url if settings.connector_tools else None
    scope = ArgumentScope(contract, caps.top, caps.top_expanded)
    tools = [*build_tools(scope, record_url), *further_tools]
    server = MCPServer[CallRunner](
        "moviegraph",
        title=contract.title,
        version=__version__,
        instructions=instructions(contract),
        tools=tools,
        extensions=[apps_of(contract)],
        lifespan=_lifespan(opening, build_runner, ending, eager=eager),
        subscriptions=False,
        cache_hints=dict.fromkeys(LISTS, LIST_CACHE),
        middleware=[_request_middleware(opening, tuple(tool.name for tool in tools))],
        log_level="WARNING",
    )
    add_resources(server, contract, opening)
    add_prompts(server, contract, partial(current_date, settings.today))
    _add_health(server, opening, ending)
    return server


def served_contract(settings: Settings) -> Contract:
    """Return the contract to serve: the configured one, the graph's, or the built-in one.

    If a database does not return its contract, the built-in one is served; opening the database
    later refuses it if it does not fit.

    Raises:
        ContractError: A file of it is missing or wrong.
        SettingsError: A setting is wrong.
    """
    is_stored = settings.engine == "mssql" and settings.contract is None
    return read_contract(settings, _database_contract(settings) if is_stored else None)


def _database_contract(settings: Settings) -> Contract | None:
    from moviegraph.engines.sqlserver.startup import stored_contract

    try:
        return stored_contract(database_choices(settings))
    except DatabaseError as error:
        LOG.warning(
            "The contract could not be read from the database; using the built-in one: %s",
            operator_text(error),
        )
        return None


def require_engine(settings: Settings) -> None:
    """Raise SettingsError if a setting of the engine is missing; nothing is opened."""
    if settings.engine == "mssql":
        database_choices(settings).login.string()


def require_journal_apart(settings: Settings) -> None:
    """Raise SettingsError for a journal in the graph folder, which a load replaces."""
    journal, folder = settings.journal_file, settings.graph_folder
    if settings.engine == "embedded" and journal.resolve().is_relative_to(folder.resolve()):
        raise SettingsError(
            f"The journal {journal} is in the graph folder {folder}. Loading a graph there "
            "would delete it.",
            hint="Move the journal and the files that share its name out of that folder, and set "
            "MOVIEGRAPH_JOURNAL to the new path.",
        )


def require_graph(settings: Settings, contract: Contract) -> None:
    """Raise GraphError if the configured folder has no graph that fits; it is not opened.

    The built-in graph is built when needed, and a database is checked when it is opened.
    """
    if settings.engine == "embedded" and settings.graph is not None:
        from moviegraph.engines.embedded.graph_folder import read_manifest

        read_manifest(settings.graph, contract)


def database_choices(settings: Settings) -> DatabaseOptions:
    """Return the settings of SQL Server; nothing is read yet."""
    from moviegraph.engines.sqlserver.authentication import LoginSource
    from moviegraph.engines.sqlserver.startup import DatabaseOptions

    return DatabaseOptions(
        LoginSource(
            text=settings.mssql,
            file=settings.mssql_file,
            password=settings.mssql_password,
            password_file=settings.mssql_password_file,
            method=settings.mssql_authentication,
        ),
        connections=settings.mssql_pool,
        allow_writable=settings.mssql_allow_writable,
        approximate=settings.mssql_approximate,
    )


def open_writer(settings: Settings) -> Writer:
    """Return the connection of `load`, not yet opened; only this reads its settings.

    Raises:
        SettingsError: They are missing, or contradict each other.
    """
    from moviegraph.engines.sqlserver.authentication import LoginSource
    from moviegraph.engines.sqlserver.startup import connector_of
    from moviegraph.engines.sqlserver.writing import SESSION, Writer

    login = LoginSource(
        "MOVIEGRAPH_MSSQL_LOAD",
        text=settings.mssql_load,
        file=settings.mssql_load_file,
        password=settings.mssql_load_password,
        password_file=settings.mssql_load_password_file,
        method=settings.mssql_load_authentication,
        read_only=False,
    )
    login.string()
    return Writer(replace(connector_of(login), session=(SESSION,)).open)


def open_session(settings: Settings, contract: Contract, progress: Progress) -> Session:
    """Open engine, journal and model, all or none. A failing embedder does not prevent it.

    Raises:
        OperatorError: One of them cannot be opened.
    """
    from moviegraph.journal.sqlite_journal import SqliteJournal
    from moviegraph.query.session import Caps, Session

    with ExitStack() as undo:
        embedder = configured_embedder(settings)
        engine = open_engine(settings, contract, embedder, progress)
        undo.callback(engine.close)
        journal = SqliteJournal(settings.journal_file, keeps_questions=settings.journal_questions)
        undo.callback(journal.close)
        session = Session(
            contract=contract,
            engine=engine,
            embedder=embedder,
            journal=journal,
            caps=Caps(
                top=contract.limits.top,
                top_expanded=contract.limits.top_expanded,
                timeout=settings.timeout,
                total_timeout=settings.total_timeout,
                bytes=settings.max_bytes,
                cell=settings.max_cell,
            ),
            model=open_language_model(settings),
            today=settings.today,
            trace_sql=settings.trace_sql,
            rerank=settings.rerank,
            journal_results=settings.journal_results,
        )
        undo.pop_all()
    _load(embedder)
    return session


def _load(embedder: Embedder) -> None:
    """Load the embedder before the first call; if that fails, each search that needs it retries."""
    try:
        embedder.load()
    except EmbeddingError as error:
        LOG.error(
            "Semantic search is unavailable: %s",
            operator_text(error),
            extra={"facts": {"event": "embedder_failed"}},
        )


def configured_embedder(settings: Settings) -> Embedder:
    """Return the configured embedder, not yet loaded."""
    from moviegraph.embeddings.opening import open_embedder

    return open_embedder(
        settings.embedder,
        base_url=settings.embedder_base_url,
        api_key=settings.embedder_api_key,
        azure_endpoint=settings.embedder_azure_endpoint,
        api_version=settings.embedder_azure_api_version,
        model=settings.embedder_model,
        dimensions=settings.embedder_dimensions,
    )


def open_engine(
    settings: Settings, contract: Contract, embedder: Embedder, progress: Progress
) -> Engine:
    """Open the configured graph; the built-in one is built if it is missing.

    Raises:
        OperatorError: It cannot be opened, or a database may not be served.
    """
    if settings.engine == "mssql":
        from moviegraph.engines.sqlserver.startup import open_served

        waits = partial(progress, 0, None)
        waits("opening the database")
        return open_served(database_choices(settings), contract, embedder.space, waits)
    from moviegraph.engines.embedded.embedded_engine import open_graph
    from moviegraph.engines.embedded.worker_pool import WorkerLimits

    if settings.graph is None:
        from moviegraph.loading.folder_loader import ensure_builtin_graph

        def stage(name: str, done: int, total: int) -> None:
            progress(done, total, name)

        ensure_builtin_graph(settings.graph_folder, contract, embedder, stage)
    progress(0, None, "opening the graph")
    slow = max(1, settings.max_running // 2)  # the slots that slow calls have in addition
    workers = WorkerLimits(processes=settings.max_running + slow, memory=settings.memory)
    return open_graph(settings.graph_folder, contract, workers=workers)


def open_language_model(settings: Settings, *, many: bool = False) -> OpenAIModel | None:
    """Return the configured language model, or None; nothing is sent yet.

    Args:
        settings: The settings.
        many: There will be many requests, which may wait.
    """
    if settings.llm is None:
        return None
    from moviegraph.llm.openai_model import open_model

    return open_model(
        settings.llm,
        base_url=settings.llm_base_url,
        api_key=settings.llm_api_key,
        azure_endpoint=settings.llm_azure_endpoint,
        api_version=settings.llm_azure_api_version,
        timeout=settings.llm_timeout,
        many=many,
    )


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
    opening: SessionOpener, tool_names: tuple[str, ...]
) -> ServerMiddleware[Any]:
    """Return the checks and error codes of every request.

    The session is opened after the first response, which then does not wait for imports. The text
    of an unexpected error goes to the log, not to the client.
    """

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        try:
            require_scopes(ctx)
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
