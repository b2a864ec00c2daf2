"""The bound on the sessions of one owner, while they are being opened."""

from collections.abc import Iterable
from typing import Any

import anyio
import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, AuthorizationContext
from mcp.server.auth.provider import AccessToken

from moviegraph.http import http_limits
from moviegraph.http.http_limits import SessionLimit

OPENED, REFUSED = 200, 429


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Opening:
    """An application that opens no session before it may."""

    def __init__(self) -> None:
        self.may = anyio.Event()
        self.statuses: list[int] = []
        self.shared = SessionLimit(self, self._held)

    def _held(self) -> Iterable[AuthorizationContext]:
        return ()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.may.wait()
        await send({"type": "http.response.start", "status": OPENED})

    async def opens(self, name: str) -> None:
        token = AccessToken(token="", client_id=name, scopes=[], subject=name)
        scope = {"type": "http", "headers": [], "user": AuthenticatedUser(token)}
        await self.shared(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, sent: dict[str, Any]) -> None:
        if "status" in sent:
            self.statuses.append(sent["status"])


async def test_two_that_come_at_once_do_not_both_find_the_last_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_limits, "MOST_OF_ONE", 1)
    opening = Opening()
    async with anyio.create_task_group() as group:
        for name in ("ann", "ann", "bob"):
            group.start_soon(opening.opens, name)
        await anyio.wait_all_tasks_blocked()
        assert opening.statuses == [REFUSED]
        opening.may.set()
    await opening.opens("ann")
    assert opening.statuses == [REFUSED, OPENED, OPENED, OPENED]
