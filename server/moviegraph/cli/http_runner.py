"""Serves HTTP until a signal, and lets the calls at work end before it closes."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

import anyio
import anyio.to_thread
import uvicorn
from opentelemetry.context import Context, attach, detach
from opentelemetry.propagate import extract

from moviegraph.cli.telemetry import stop_telemetry
from moviegraph.errors import SettingsError
from moviegraph.http.timeout_protocol import TimeoutProtocol
from moviegraph.observability import is_tracing
from moviegraph_tools.call_runner import Shutdown

LAST_CALLS = 8.0
LAST_BYTES = 2
PAUSE = 0.05
MOST_CONNECTIONS = 2_000
FEWEST_CONNECTIONS = 64
IDLE = 100  # s: longer than clients (httpx: 5) and proxies (nginx: 60) keep one that is idle
BACKLOG = 128  # so many may be accepted at once, before any can be turned away
OTHER_FILES = 256  # graph, journal, model, and connections that are about to be turned away


class HttpRunner(uvicorn.Server):
    """Ends on SIGINT and SIGTERM.

    Args:
        app: What is served.
        ending: Ends the calls of the servers behind it.
        seconds: How long calls at work may go on after the first signal. A second one ends them.
        proxies: Whose X-Forwarded-For says from where a request came; nobody's by default.
    """

    def __init__(
        self,
        app: Any,
        ending: Shutdown,
        seconds: float = LAST_CALLS,
        proxies: tuple[str, ...] = (),
    ) -> None:
        posts = _Posts(app)
        config = uvicorn.Config(
            posts,
            http=TimeoutProtocol,
            log_config=None,  # its records go where ours go, in the same form
            log_level="warning",
            ws="none",
            backlog=BACKLOG,
            limit_concurrency=most_connections(),
            timeout_keep_alive=IDLE,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            server_header=False,
            timeout_graceful_shutdown=LAST_BYTES,
        )
        super().__init__(config)
        self._posts = posts
        self._ending = ending
        self._seconds = seconds
        self._signals = 0
        self._draining: asyncio.Task[None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end: calls that come are turned away, those at work have some seconds left."""
        self._signals += 1
        if self._signals > 1 or not self.started:
            super().handle_exit(sig, frame)
            return
        asyncio.get_running_loop().call_soon_threadsafe(self._begin, sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close, and send what telemetry has gathered: a signal ends the process after this."""
        await super().shutdown(sockets)
        await anyio.to_thread.run_sync(stop_telemetry)

    def _begin(self, sig: int, frame: FrameType | None) -> None:
        self._draining = asyncio.create_task(self._drain(sig, frame))

    async def _drain(self, sig: int, frame: FrameType | None) -> None:
        try:
            await self._ending.drain(self._seconds)
            # Streams of events are cut off as soon as uvicorn knows that it is to end.
            with anyio.move_on_after(LAST_BYTES):
                while self._posts.answering:  # noqa: ASYNC110 - nothing tells of the last byte
                    await anyio.sleep(PAUSE)
        finally:
            super().handle_exit(sig, frame)


def most_connections() -> int:
    """Return how many connections fit, having raised how many files may be open if need be."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    wanted = MOST_CONNECTIONS + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unbounded = resource.RLIM_INFINITY
    if soft != unbounded and soft < wanted:
        soft = wanted if hard == unbounded else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == unbounded:
        return MOST_CONNECTIONS
    return max(FEWEST_CONNECTIONS, min(MOST_CONNECTIONS, soft - OTHER_FILES))


class _Posts:
    """Counts the posted messages that are being answered, and takes over their traces."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.answering = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        posted = scope["type"] == "http" and scope["method"] == "POST"
        self.answering += posted
        token = attach(_trace_of(scope)) if posted and is_tracing() else None
        try:
            await self._app(scope, receive, send)
        finally:
            self.answering -= posted
            if token is not None:
                detach(token)


def _trace_of(scope: Any) -> Context:
    """Return the trace that a request's headers name; one in its message goes before it."""
    return extract(
        {name.decode("latin-1"): text.decode("latin-1") for name, text in scope["headers"]}
    )


HIGHEST_PORT = 65_535
HINT = "Choose a different port with --port, or use --port 0 for a free one."


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one. Raises SettingsError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= port <= HIGHEST_PORT:
        raise SettingsError(f"Port {port} does not exist.", hint=HINT)
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        message = f"Cannot listen on {host}, port {port}: {error.strerror}."
        raise SettingsError(message, hint=HINT) from None


M_ARENA_MAX = -8
ARENAS = 2


def limit_malloc_arenas(environment: Mapping[str, str]) -> bool:
    """Let all threads share two arenas of glibc, unless its environment says how many there are.

    By default each thread gets one of its own, up to eight a core, and what is freed in one is not
    used in another: with a thread a call, the memory of a server grows for minutes.

    Returns:
        Whether they are bounded here; other C libraries have nothing to bound.

    Source: https://man7.org/linux/man-pages/man3/mallopt.3.html
    """
    tuned = "glibc.malloc.arena_max" in environment.get("GLIBC_TUNABLES", "")
    if tuned or "MALLOC_ARENA_MAX" in environment:
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS))
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library of that kind
        return False
