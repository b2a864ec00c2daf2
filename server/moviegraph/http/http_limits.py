"""Limits of a client: request rate, sessions, and size and time of a request body."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moviegraph.http.http_errors import HttpError

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

LOG = logging.getLogger("moviegraph")
MAX_CLIENTS = 10_000
IPV6_PREFIX = 64

MAX_SESSIONS = 1_000
MAX_SESSIONS_PER_OWNER = 250
SPARE_SESSIONS = 100
SESSION_IDLE_SECONDS = 900.0
RETRY_SECONDS = 60.0
SESSION_ID = b"mcp-session-id"
PROTOCOL_VERSION = b"mcp-protocol-version"
OK, NOT_FOUND = 200, 404

MAX_BODY_BYTES = 1_000_000
BODY_SECONDS = 20.0

Receive = Callable[[], Awaitable[Any]]


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
