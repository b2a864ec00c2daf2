"""Limits on sessions: per owner, and in total, where the longest idle one is closed."""

from typing import Any

import anyio
import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from moviegraph.http import http_limits
from moviegraph.http.http_limits import SessionLimit

OPENED, REFUSED, UNAVAILABLE = 200, 429, 503


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Protocol:
    """An application with sessions, which opens none, and ends no call, before it may."""

    def __init__(self) -> None:
        self.may = anyio.Event()
        self.may.set()
        self.now = 0.0
        self.statuses: list[int] = []
        self.ended: list[tuple[bytes, str | None]] = []
        self.opened = 0
        self.limit = SessionLimit(self, "/mcp", "127.0.0.1:1", lambda: self.now)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        if scope["method"] == "DELETE":
            user = scope.get("user")
            self.ended.append((headers[b"mcp-session-id"], user.username if user else None))
        await self.may.wait()
        start: dict[str, Any] = {"type": "http.response.start", "status": OPENED, "headers": []}
        if b"mcp-session-id" not in headers:
            self.opened += 1
            start["headers"] = [(b"mcp-session-id", str(self.opened).encode())]
        await send(start)

    async def request(
        self, name: str | None, session: str | None = None, method: str = "POST"
    ) -> None:
        self.now += 1
        headers = [] if session is None else [(b"mcp-session-id", session.encode())]
        scope: dict[str, Any] = {"type": "http", "method": method, "headers": headers}
        if name is not None:
            token = AccessToken(token="", client_id=name, scopes=[], subject=name)
            scope["user"] = AuthenticatedUser(token)
        await self.limit(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: dict[str, Any]) -> None:
        if "status" in message:
            self.statuses.append(message["status"])


async def test_two_that_come_at_once_do_not_both_find_the_last_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_limits, "MAX_SESSIONS_PER_OWNER", 1)
    protocol = Protocol()
    protocol.may = anyio.Event()
    async with anyio.create_task_group() as group:
        for name in ("ann", "ann", "bob"):
            group.start_soon(protocol.request, name)
        await anyio.wait_all_tasks_blocked()
        assert protocol.statuses == [REFUSED]
        protocol.may.set()
    await protocol.request("ann")
    assert protocol.statuses == [REFUSED, OPENED, OPENED, REFUSED]
    await protocol.request("ann", "1", "DELETE")
    await protocol.request("ann")
    assert protocol.statuses[-1] == OPENED


async def test_the_longest_idle_session_of_who_has_most_makes_room(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_limits, "MAX_SESSIONS", 4)
    protocol = Protocol()
    for name in ("bob", "ann", "ann", "ann"):
        await protocol.request(name)
    await protocol.request("ann", "2")
    await protocol.request("eve")
    assert protocol.ended == [(b"3", "ann")]
    for _ in range(2):
        await protocol.request("eve")
    assert protocol.ended[1:] == [(b"4", "ann"), (b"5", "eve")]
    assert len(protocol.limit) == 4
    assert protocol.statuses == [OPENED] * len(protocol.statuses)
    assert len(caplog.messages) == 1


async def test_a_session_that_is_running_a_call_is_not_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_limits, "MAX_SESSIONS", 2)
    protocol = Protocol()
    for _ in range(2):
        await protocol.request(None)
    protocol.may = anyio.Event()
    async with anyio.create_task_group() as group:
        for session in ("1", "2"):
            group.start_soon(protocol.request, None, session)
        await anyio.wait_all_tasks_blocked()
        await protocol.request(None)
        assert protocol.statuses[-1] == UNAVAILABLE
        protocol.may.set()
    await protocol.request(None)
    assert protocol.ended == [(b"1", None)]


async def test_an_open_stream_does_not_keep_a_session_from_making_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_limits, "MAX_SESSIONS", 1)
    protocol = Protocol()
    await protocol.request("ann")
    protocol.may = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(protocol.request, "ann", "1", "GET")
        await anyio.wait_all_tasks_blocked()
        protocol.now += http_limits.SESSION_IDLE_SECONDS + 1
        assert len(protocol.limit) == 1  # the stream keeps it open
        protocol.may.set()
        await protocol.request("bob")
    assert protocol.ended == [(b"1", "ann")]


async def test_sessions_that_expired_or_belong_to_others_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_limits, "MAX_SESSIONS_PER_OWNER", 1)
    protocol = Protocol()
    await protocol.request("ann")
    await protocol.request("bob", "1", "DELETE")  # as if the protocol took it
    await protocol.request("ann")
    assert protocol.statuses[-1] == REFUSED
    protocol.now += http_limits.SESSION_IDLE_SECONDS + 1
    await protocol.request("ann")
    assert protocol.statuses[-1] == OPENED
