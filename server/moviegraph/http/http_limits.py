"""Limits of a client: request rate, sessions, and size and time of a request body."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

from moviegraph.http.http_errors import HttpError

MOST_CLIENTS = 10_000
PREFIX = 64


class TokenBuckets:
    """TokenBuckets that fill with time; those used longest ago are forgotten beyond a bound.

    Args:
        a_minute: What flows into a bucket in a minute.
        most: What it holds when it is full, as it is at first.
        clock: Seconds that only grow.
    """

    def __init__(
        self, a_minute: float, most: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._a_second = a_minute / 60
        self._most = most
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def wait(self, client: str) -> float:
        """Return the seconds until something can be taken; 0 when it can be now."""
        return max(0.0, (1 - self._level(client)) / self._a_second)

    def take(self, client: str) -> float:
        """Take one; return 0, or if nothing was there the seconds until there is."""
        level = self._level(client)
        taken = level >= 1
        self._levels[client] = (level - taken, self._clock())
        self._levels.move_to_end(client)
        if len(self._levels) > MOST_CLIENTS:
            self._levels.popitem(last=False)
        return 0.0 if taken else self.wait(client)

    def _level(self, client: str) -> float:
        level, then = self._levels.get(client, (self._most, self._clock()))
        return min(self._most, level + (self._clock() - then) * self._a_second)


def network_of(address: str) -> str:
    """Return what counts as one client: an IPv4 address, or the network of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    if found.ipv4_mapped is not None:  # else everybody who comes by IPv4 shares one network
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), PREFIX), strict=False))


if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext

MOST_OF_ONE = 250
AGAIN = 60.0
SESSION = b"mcp-session-id"
PROTOCOL_VERSION = b"mcp-protocol-version"
Principal = tuple[str | None, ...]


class SessionLimit:
    """An ASGI application before the protocol's.

    Args:
        app: What opens sessions.
        held: Returns whose the open sessions are, each named once a session.
    """

    def __init__(self, app: Any, held: Callable[[], Iterable[AuthorizationContext]]) -> None:
        self._app = app
        self._held = held
        self._opening: Counter[Principal] = Counter()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or have it answered."""
        owner = _opens(scope)
        if owner is None:
            await self._app(scope, receive, send)
            return
        if self._of(owner) >= MOST_OF_ONE:
            await _refusal().response(None)(scope, receive, send)
            return
        self._opening[owner] += 1  # two that come at once must not both find the last place
        try:
            await self._app(scope, receive, send)
        finally:
            self._opening[owner] -= 1
            self._opening += Counter()

    def _of(self, owner: Principal) -> int:
        return self._opening[owner] + sum(_principal(each) == owner for each in self._held())


def _opens(scope: Any) -> Principal | None:
    """Return who is about to open a session, or None if nobody who is known does."""
    user = scope.get("user")
    if user is None:
        return None
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, authorization_context
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    if not isinstance(user, AuthenticatedUser):
        return None
    versions = [
        value.decode("latin-1") for name, value in scope["headers"] if name == PROTOCOL_VERSION
    ]
    modern = versions[:1] and versions[0] not in HANDSHAKE_PROTOCOL_VERSIONS  # the SDK's reading
    if modern or any(name == SESSION for name, _ in scope["headers"]):
        return None
    return _principal(authorization_context(user))


def _principal(context: AuthorizationContext) -> Principal:
    """Return the owner: a person may come by several clients of an issuer."""
    if context["issuer"] is not None and context["subject"] is not None:
        return context["issuer"], context["subject"]
    return (context["client_id"], context["subject"])


def _refusal() -> HttpError:
    return HttpError(
        429,
        f"You have {MOST_OF_ONE} sessions open, the maximum for one caller. End sessions "
        "with DELETE, or wait until unused ones expire.",
        again=AGAIN,
    )


LARGEST = 1_000_000
SECONDS = 20.0
Receive = Callable[[], Awaitable[Any]]


async def read_body(receive: Receive, seconds: float = SECONDS) -> tuple[bytes | None, Receive]:
    """Return the body, or None if it is too large or broken off, and what gives it once more.

    Raises:
        HttpError: It did not arrive in time.
    """
    messages: deque[Any] = deque()
    try:
        async with asyncio.timeout(seconds):
            body = await _read(receive, messages)
    except TimeoutError:
        text = f"The request did not arrive within {seconds:g} s."
        raise HttpError(408, text, again=1.0) from None

    async def again() -> Any:
        return messages.popleft() if messages else await receive()

    return body, again


async def _read(receive: Receive, messages: deque[Any]) -> bytes | None:
    size = 0
    while True:
        message = await receive()
        messages.append(message)
        if message["type"] != "http.request":
            return None
        size += len(message.get("body", b""))
        if size > LARGEST:
            return None
        if not message.get("more_body", False):
            return b"".join(each.get("body", b"") for each in messages)
