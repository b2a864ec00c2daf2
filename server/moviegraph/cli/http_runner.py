"""HTTP server that lets running calls finish after a signal."""

from __future__ import annotations

import asyncio
import socket
import sys
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

DRAIN_SECONDS = 8.0
FLUSH_SECONDS = 2
PAUSE = 0.05
MAX_CONNECTIONS = 2_000
MIN_CONNECTIONS = 64
IDLE_SECONDS = 100  # longer than clients (httpx: 5) and proxies (nginx: 60) keep a connection idle
BACKLOG = 128  # accepted at once, before any can be rejected
OTHER_FILES = 256  # graph, journal, model, and connections about to be rejected


class HttpRunner(uvicorn.Server):
    """Server that stops on SIGINT and SIGTERM.

    Args:
        app: The application.
        ending: Stops the calls of the MCP servers.
        seconds: Time for running calls after the first signal; a second signal ends them.
        proxies: Addresses whose X-Forwarded-For is trusted.
    """

    def __init__(
        self,
        app: Any,
        ending: Shutdown,
        seconds: float = DRAIN_SECONDS,
        proxies: tuple[str, ...] = (),
    ) -> None:
        posts = _Posts(app)
        config = uvicorn.Config(
            posts,
            http=TimeoutProtocol,
            log_config=None,  # use the log of the server
            log_level="warning",
            ws="none",
            backlog=BACKLOG,
            limit_concurrency=max_connections(),
            timeout_keep_alive=IDLE_SECONDS,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            server_header=False,
            timeout_graceful_shutdown=FLUSH_SECONDS,
        )
        super().__init__(config)
        self._posts = posts
        self._ending = ending
        self._seconds = seconds
        self._signals = 0
        self._draining: asyncio.Task[None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Reject new calls, and give running ones some seconds to finish."""
        self._signals += 1
        if self._signals > 1 or not self.started:
            super().handle_exit(sig, frame)
            return
        asyncio.get_running_loop().call_soon_threadsafe(self._begin, sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close, and send the collected telemetry: the signal then ends the process."""
        await super().shutdown(sockets)
        await anyio.to_thread.run_sync(stop_telemetry)

    def _begin(self, sig: int, frame: FrameType | None) -> None:
        self._draining = asyncio.create_task(self._drain(sig, frame))

    async def _drain(self, sig: int, frame: FrameType | None) -> None:
        try:
            await self._ending.drain(self._seconds)
            # uvicorn cuts event streams as soon as it starts to exit.
            with anyio.move_on_after(FLUSH_SECONDS):
                while self._posts.in_progress:  # noqa: ASYNC110 - no event reports the last byte
                    await anyio.sleep(PAUSE)
        finally:
            super().handle_exit(sig, frame)


def max_connections() -> int:
    """Return the limit of connections, after raising the limit of open files if needed."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    import resource

    required = MAX_CONNECTIONS + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unbounded = resource.RLIM_INFINITY
    if soft != unbounded and soft < required:
        soft = required if hard == unbounded else min(required, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == unbounded:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, soft - OTHER_FILES))


class _Posts:
    """Middleware that counts POST requests in progress, and continues their traces."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.in_progress = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        is_post = scope["type"] == "http" and scope["method"] == "POST"
        self.in_progress += is_post
        token = attach(_trace_of(scope)) if is_post and is_tracing() else None
        try:
            await self._app(scope, receive, send)
        finally:
            self.in_progress -= is_post
            if token is not None:
                detach(token)


def _trace_of(scope: Any) -> Context:
    """Return the trace context of the headers; one in the message takes precedence."""
    return extract(
        {name.decode("latin-1"): text.decode("latin-1") for name, text in scope["headers"]}
    )


MAX_PORT = 65_535
HINT = "Choose a different port with --port, or use --port 0 for a free one."


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 selects a free one. Raises SettingsError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= port <= MAX_PORT:
        raise SettingsError(f"Port {port} does not exist.", hint=HINT)
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        message = f"Cannot listen on {host}, port {port}: {error.strerror}."
        raise SettingsError(message, hint=HINT) from None
