"""A bound on the sessions of one owner, so that nobody takes up the room of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from moviegraph.http.refusal import Refusal

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext

MOST_OF_ONE = 250
AGAIN = 60.0
SESSION = b"mcp-session-id"
VERSION = b"mcp-protocol-version"
Principal = tuple[str | None, ...]


class Share:
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
    versions = [value.decode("latin-1") for name, value in scope["headers"] if name == VERSION]
    modern = versions[:1] and versions[0] not in HANDSHAKE_PROTOCOL_VERSIONS  # the SDK's reading
    if modern or any(name == SESSION for name, _ in scope["headers"]):
        return None
    return _principal(authorization_context(user))


def _principal(context: AuthorizationContext) -> Principal:
    """Return the owner: a person may come by several clients of an issuer."""
    if context["issuer"] is not None and context["subject"] is not None:
        return context["issuer"], context["subject"]
    return (context["client_id"], context["subject"])


def _refusal() -> Refusal:
    return Refusal(
        429,
        f"You have {MOST_OF_ONE} sessions open, the maximum for one caller. End sessions "
        "with DELETE, or wait until unused ones expire.",
        again=AGAIN,
    )
