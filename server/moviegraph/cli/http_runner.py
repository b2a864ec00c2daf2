"""HTTP server that lets running calls finish, and closes connections that wait too long."""

from __future__ import annotations

import asyncio
import socket
import sys
from math import inf
from types import FrameType
from typing import Any, ClassVar, cast

import anyio
import anyio.to_thread
import h11
import uvicorn
from opentelemetry.context import Context, attach, detach
from opentelemetry.propagate import extract
from uvicorn.protocols.http.h11_impl import H11Protocol

from moviegraph.cli.telemetry import stop_telemetry
from moviegraph.errors import SettingsError
from moviegraph.observability import is_tracing
from moviegraph_tools.call_runner import Shutdown

DRAIN_SECONDS = 8.0
FLUSH_SECONDS = 2
PAUSE = 0.05
MAX_CONNECTIONS = 2_000
MIN_CONNECTIONS = 64
FULL = 0.9  # share of the connections from which on new ones replace waiting ones
IDLE_SECONDS = 100  # longer than clients (httpx: 5) and proxies (nginx: 60) keep a connection idle
BACKLOG = 128  # accepted at once, before any can be rejected
OTHER_FILES = 256  # graph, journal, model, and connections about to be rejected
MAX_PORT = 65_535
HINT = "Choose a different port with --port, or use --port 0 for a free one."


class TimeoutProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn, with a limit on the time that a request may take to arrive.

    uvicorn has none for the head, nor for the rest of a body after it has responded. When nearly
    all connections are taken, a new one closes the one that has waited longest for its client.
    """

    seconds: ClassVar[float] = 15.0

    def connection_made(  # type: ignore[override]
        self, transport: asyncio.Transport
    ) -> None:
        """Start to wait for the first request, and send responses without delay.

        Otherwise the body of a response waits until its head is acknowledged, which clients delay
        by some 40 ms. asyncio sets the option only for sockets opened for TCP by number.
        """
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._timer: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self._start_timer()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Keep the timer until the head has arrived, or the body of an answered request."""
        self._start_timer()
        super().data_received(data)
        if not self._is_incomplete:
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    @property
    def _is_incomplete(self) -> bool:
        """Whether the client still has to send what no other timeout covers."""
        theirs = self.conn.their_state
        return theirs is h11.IDLE or (theirs is h11.SEND_BODY and self.conn.our_state is h11.DONE)

    def _make_room(self) -> None:
        limit = self.limit_concurrency
        if limit is None or len(self.connections) <= limit * FULL:
            return
        others = cast("set[TimeoutProtocol]", self.connections) - {self}
        waiting = [connection for connection in others if connection._waiting_since() < inf]
        if waiting:
            min(waiting, key=TimeoutProtocol._waiting_since)._close_waiting()

    def _waiting_since(self) -> float:
        """Return since when it has waited for its client; infinity while it runs a request."""
        if self._timer is not None:
            return self._timer.when() - self.seconds
        if self.timeout_keep_alive_task is not None:
            return self.timeout_keep_alive_task.when() - self.timeout_keep_alive
        return inf

    def _close_waiting(self) -> None:
        if self._timer is None:
            self.transport.close()  # part of its last response may not have been sent
            return
        self._stop_timer()
        self.transport.abort()

    def _start_timer(self) -> None:
        if self._timer is None and self._is_incomplete:
            self._timer = self.loop.call_later(self.seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


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
