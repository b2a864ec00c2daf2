"""Limits of HTTP requests and sessions, and the refusals of requests."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import math
import re
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from moviegraph.http.scopes import ALL
from moviegraph.observability import report

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken
    from starlette.responses import Response

Receive = Callable[[], Awaitable[Any]]
LOG = logging.getLogger("moviegraph")

JSONRPC_INVALID = -32600
JSONRPC_INTERNAL = -32603
OK = 200
BAD_REQUEST = 400
UNAUTHORIZED = 401
FORBIDDEN = 403
NOT_FOUND = 404
INTERNAL_SERVER_ERROR = 500
SESSION_ID = b"mcp-session-id"
PROTOCOL_VERSION = b"mcp-protocol-version"

MAX_CLIENTS = 10_000
IPV6_PREFIX = 64
MAX_SESSIONS = 1_000
MAX_SESSIONS_PER_OWNER = 250
SPARE_SESSIONS = 100
SESSION_IDLE_SECONDS = 900.0
RETRY_SECONDS = 60.0
MAX_BODY_BYTES = 1_000_000
BODY_SECONDS = 20.0

# Validators name their classes, paths and the input.
INTERNALS = re.compile(r'validation error|\[type=|input_value|pydantic|Traceback|File "|-packages')
INVALID = "Invalid request: unexpected message."
AMBIGUOUS = "A request must not have both Content-Length and Transfer-Encoding. Send only one."


@dataclass(frozen=True, slots=True)
class ConfigWarning:
    """A setting that works, and admits more than the operator may want, with the fix."""

    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.message} {self.hint}"


@dataclass(eq=False)
class HttpError(Exception):
    """A request that is refused.

    Attributes:
        status: HTTP status.
        message: The problem and the fix, for the operator of the client; it is sent.
        error: Error code of RFC 6750, where there is one.
        scopes: The scopes that the request needs.
        retry_after: Seconds after which the same request may succeed.
        reason: For the log only.
        is_guess: Whether the token may have been guessed.
        closes: Whether the connection is closed after the response.
    """

    status: int
    message: str
    error: str | None = None
    scopes: tuple[str, ...] = ALL
    retry_after: float | None = None
    reason: str | None = None
    is_guess: bool = False
    closes: bool = False

    def response(self, metadata_url: str | None = None) -> Response:
        """Return the HTTP response, with a body that MCP clients read as an error."""
        from starlette.responses import JSONResponse

        is_internal = self.status >= INTERNAL_SERVER_ERROR or self.retry_after is not None
        code = JSONRPC_INTERNAL if is_internal else JSONRPC_INVALID
        headers = {"Cache-Control": "no-store"}
        if self.status in (UNAUTHORIZED, FORBIDDEN) or self.error:
            headers["WWW-Authenticate"] = self.challenge(metadata_url)
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after)))
        if self.closes:
            headers["Connection"] = "close"
        return JSONResponse(_error(None, code, self.message), self.status, headers)

    def challenge(self, metadata_url: str | None) -> str:
        """Return the value of WWW-Authenticate (RFC 6750)."""
        parts: dict[str, str] = {}
        if self.error:
            parts = {"error": self.error, "error_description": self.message}
        parts["scope"] = " ".join(self.scopes)
        if metadata_url:
            parts["resource_metadata"] = metadata_url
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items())


def invalid_token(reason: str, message: str | None = None, *, is_guess: bool = True) -> HttpError:
    """Return the refusal of a token."""
    return HttpError(
        UNAUTHORIZED,
        message or "The access token is not valid here: it is unknown, revoked or malformed.",
        error="invalid_token",
        reason=reason,
        is_guess=is_guess,
    )


class ErrorMiddleware:
    """Replaces responses that show internals, and turns exceptions into a neutral response.

    A request with two lengths is refused and its connection closed: a proxy before the server
    may see a different end of it (RFC 9112, section 6.3). The case of a Host header does not count
    (RFC 3986, section 3.2.2), but the protocol's application compares it exactly.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from starlette.requests import ClientDisconnect

        response = _CheckedResponse(send)
        names = {name for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            refusal = HttpError(BAD_REQUEST, AMBIGUOUS, closes=True)
            await refusal.response()(scope, receive, send)
            return
        headers = [
            (name, value.lower() if name == b"host" else value) for name, value in scope["headers"]
        ]
        try:
            await self._app({**scope, "headers": headers}, receive, response)
        except ClientDisconnect:
            return  # within its own request: nothing failed, and no client reads a response
        except Exception as error:  # noqa: BLE001 - the boundary: nothing unexpected leaves here
            message = report(error, "http")
            if not response.has_started:
                refusal = HttpError(INTERNAL_SERVER_ERROR, message, closes=True)
                await refusal.response()(scope, receive, send)


class _CheckedResponse:
    """Forwards a response; an error in JSON is held until it is complete, and checked."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self._start: dict[str, Any] | None = None
        self._body = b""
        self.has_started = False

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start" and _is_json_error(message):
            self._start = message
            return
        if self._start is not None:
            self._body += message.get("body", b"")
            if message.get("more_body", False):
                return
            message = await self._checked(self._start)
        self.has_started = True
        await self._send(message)

    async def _checked(self, start: dict[str, Any]) -> dict[str, Any]:
        """Send the start of the response, and return its body."""
        body = self._body
        self._start, self.has_started = None, True
        if INTERNALS.search(body.decode("utf-8", "replace")):
            body = _neutral(body)
            headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
            length = (b"content-length", str(len(body)).encode())
            start = start | {"headers": [*headers, length]}
        await self._send(start)
        return {"type": "http.response.body", "body": body}


def _is_json_error(start: dict[str, Any]) -> bool:
    kind = _header(start, b"content-type") or b""
    return start["status"] >= BAD_REQUEST and b"json" in kind


def _neutral(body: bytes) -> bytes:
    """Return the error of a body without its text."""
    request_id, code = None, JSONRPC_INVALID
    try:
        content = cast("dict[str, Any]", json.loads(body))
        request_id, code = content.get("id"), content["error"]["code"]
    except (ValueError, AttributeError, KeyError, TypeError):
        pass
    return json.dumps(_error(request_id, code, INVALID)).encode()


def _error(request_id: Any, code: Any, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


class TokenBuckets:
    """Token buckets, one per client; the least recently used are dropped beyond a bound.

    Args:
        per_minute: Tokens that a bucket gains in a minute.
        capacity: Tokens in a full bucket, as each is at first.
        clock: Monotonic seconds.
    """

    def __init__(
        self, per_minute: float, capacity: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_minute / 60
        self._capacity = capacity
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def wait(self, client: str) -> float:
        """Return the seconds until a token is available, 0 if one is."""
        return max(0.0, (1 - self._level(client)) / self._per_second)

    def take(self, client: str) -> float:
        """Take a token and return 0, or return the seconds until one is available."""
        level = self._level(client)
        is_available = level >= 1
        self._levels[client] = (level - is_available, self._clock())
        self._levels.move_to_end(client)
        if len(self._levels) > MAX_CLIENTS:
            self._levels.popitem(last=False)
        return 0.0 if is_available else self.wait(client)

    def _level(self, client: str) -> float:
        level, since = self._levels.get(client, (self._capacity, self._clock()))
        return min(self._capacity, level + (self._clock() - since) * self._per_second)


def network_of(address: str) -> str:
    """Return the network that counts as one client: an IPv4 address, or the /64 of an IPv6 one."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if ip.version == 4:
        return address
    if ip.ipv4_mapped is not None:  # otherwise all IPv4 clients would share one network
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((int(ip), IPV6_PREFIX), strict=False))


@dataclass(slots=True)
class _OpenSession:
    """A session as its requests show it.

    Attributes:
        user: The user that opened it, who alone may use and end it; None without authentication.
        owner: The owner, who may use several clients of an issuer; None without authentication.
        last_used: When its last request began or ended.
        running: Requests that are being answered.
        streams: Those of them that only listen (GET).
    """

    user: Any
    owner: str | None
    last_used: float
    running: int = 0
    streams: int = 0


class SessionLimit:
    """An ASGI application that bounds the sessions of the protocol's application behind it.

    Sessions are counted by the requests that open, use and end them. One owner has at most
    `MAX_SESSIONS_PER_OWNER`. Beyond `MAX_SESSIONS` a new session ends the one that has been idle
    longest, of the owner with most: a few owners cannot lock others out.

    Args:
        app: The protocol's application, which accepts `SPARE_SESSIONS` more for a moment.
        path: Its path.
        host: The Host header of a request that ends a session.
        clock: Monotonic seconds.
    """

    def __init__(
        self, app: Any, path: str, host: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._path = path
        self._host = host.encode()
        self._clock = clock
        self._sessions: dict[bytes, _OpenSession] = {}
        self._opening: Counter[str | None] = Counter()
        self._log_buckets = TokenBuckets(1, 1, clock)

    def __len__(self) -> int:
        self._drop_expired()
        return len(self._sessions)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session_id = _header(scope, SESSION_ID)
        if session_id is None and scope["method"] == "POST" and _may_open_session(scope):
            await self._open(scope, receive, send)
            return
        session = None if session_id is None else self._sessions.get(session_id)
        user = scope.get("user")
        if session_id is None or session is None or _principal(user) != _principal(session.user):
            await self._app(scope, receive, send)
            return
        await self._use(session_id, session, scope, receive, send)

    async def _use(
        self, session_id: bytes, session: _OpenSession, scope: Any, receive: Any, send: Any
    ) -> None:
        is_stream = scope["method"] == "GET"
        session.running += 1
        session.streams += is_stream
        session.last_used = self._clock()
        response = _ResponseWatch(send)
        try:
            await self._app(scope, receive, response)
        finally:
            session.running -= 1
            session.streams -= is_stream
            session.last_used = self._clock()
            is_ended = scope["method"] == "DELETE" and response.status == OK
            if is_ended or response.status == NOT_FOUND:
                self._sessions.pop(session_id, None)

    async def _open(self, scope: Any, receive: Any, send: Any) -> None:
        user = scope.get("user")
        owner = _owner(user)
        try:
            self._require_room(owner)
        except HttpError as error:
            await error.response()(scope, receive, send)
            return
        response = _ResponseWatch(send)
        self._opening[owner] += 1  # two concurrent requests must not both take the last slot
        try:
            await self._app(scope, receive, response)
        finally:
            self._opening[owner] -= 1
            self._opening += Counter()
            if response.status == OK and response.session_id is not None:
                self._sessions[response.session_id] = _OpenSession(user, owner, self._clock())
        if response.session_id is not None and len(self._sessions) > MAX_SESSIONS:
            await self._end(self._longest_idle(response.session_id))

    def _require_room(self, owner: str | None) -> None:
        """Raise HttpError unless the owner, and the server, may have one more session."""
        self._drop_expired()
        owned = sum(session.owner == owner for session in self._sessions.values())
        if owner is not None and owned + self._opening[owner] >= MAX_SESSIONS_PER_OWNER:
            raise HttpError(
                429,
                f"You have {MAX_SESSIONS_PER_OWNER} sessions open, the maximum for one caller. "
                "End sessions with DELETE, or wait until unused ones expire.",
                retry_after=RETRY_SECONDS,
            )
        is_full = len(self._sessions) + self._opening.total() >= MAX_SESSIONS
        if is_full and self._longest_idle() is None:
            self._log("All %d HTTP sessions are running calls: a new one was refused.")
            raise HttpError(503, "All sessions are in use. Retry later.", retry_after=RETRY_SECONDS)

    def _longest_idle(self, spared: bytes = b"") -> bytes | None:
        """Return the session that has been idle longest, of the owner with most sessions."""
        counts = Counter(session.owner for session in self._sessions.values())
        idle = [
            (-counts[session.owner], session.last_used, session_id)
            for session_id, session in self._sessions.items()
            if session.running == session.streams and session_id != spared
        ]
        return min(idle)[2] if idle else None

    async def _end(self, session_id: bytes | None) -> None:
        """End a session as its client would, with DELETE."""
        session = None if session_id is None else self._sessions.pop(session_id, None)
        if session_id is None or session is None:
            return
        self._log("More than %d HTTP sessions: new ones end those that have been idle longest.")
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "DELETE",
            "scheme": "http",
            "path": self._path,
            "raw_path": self._path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(b"host", self._host), (SESSION_ID, session_id)],
            "client": None,
            "server": None,
            **({} if session.user is None else {"user": session.user}),
        }

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Any) -> None:
            """Drop the response."""

        await self._app(scope, receive, send)

    def _drop_expired(self) -> None:
        """Forget the sessions that the protocol's application has ended for being idle."""
        oldest = self._clock() - SESSION_IDLE_SECONDS
        expired = [
            session_id
            for session_id, session in self._sessions.items()
            if not session.running and session.last_used < oldest
        ]
        for session_id in expired:
            del self._sessions[session_id]

    def _log(self, message: str) -> None:
        if not self._log_buckets.take(message):  # any client could repeat it without end
            LOG.warning(message, MAX_SESSIONS)


class _ResponseWatch:
    """Forwards a response, and notes its status and its session."""

    def __init__(self, send: Any) -> None:
        self._send = send
        self.status: int | None = None
        self.session_id: bytes | None = None

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.session_id = _header(message, SESSION_ID)
        await self._send(message)


def _header(message: Any, name: bytes) -> bytes | None:
    return next((value for key, value in message["headers"] if key.lower() == name), None)


def _may_open_session(scope: Any) -> bool:
    """Return whether a request without a session may open one, as the SDK reads its headers."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    version = _header(scope, PROTOCOL_VERSION)
    return version is None or version.decode("latin-1") in HANDSHAKE_PROTOCOL_VERSIONS


def _token(user: Any) -> AccessToken | None:
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

    return user.access_token if isinstance(user, AuthenticatedUser) else None


def _principal(user: Any) -> Any:
    """Return what a credential shows, as the SDK compares it; None without authentication."""
    from mcp.server.auth.provider import principal_components

    token = _token(user)
    return None if token is None else principal_components(token)


def _owner(user: Any) -> str | None:
    from moviegraph.caller import owner_of_token

    token = _token(user)
    return None if token is None else owner_of_token(token)


async def read_body(
    receive: Receive, seconds: float = BODY_SECONDS
) -> tuple[bytes | None, Receive]:
    """Return the body, or None if it is too large or incomplete, and a callable to replay it.

    Raises:
        HttpError: It did not arrive in time.
    """
    messages: deque[Any] = deque()
    try:
        async with asyncio.timeout(seconds):
            body = await _read(receive, messages)
    except TimeoutError:
        text = f"The request did not arrive within {seconds:g} s."
        # the rest of the body would be read as a request
        raise HttpError(408, text, retry_after=1.0, closes=True) from None

    async def replay() -> Any:
        return messages.popleft() if messages else await receive()

    return body, replay


async def _read(receive: Receive, messages: deque[Any]) -> bytes | None:
    size = 0
    while True:
        message = await receive()
        messages.append(message)
        if message["type"] != "http.request":
            return None
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return b"".join(part.get("body", b"") for part in messages)
