"""What every HTTP request passes: who sends it, how often, in what time, and with what scope."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from moviegraph.http.bearer import bearer_of
from moviegraph.http.body import Receive, read_body
from moviegraph.http.rate import Buckets, network_of
from moviegraph.http.refusal import FORBIDDEN, UNAUTHORIZED, Refusal
from moviegraph.http.scopes import READ, SQL, lacking, needed_for
from moviegraph.http.token_line import digest_of

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

    from moviegraph.http.access import Access

LOG = logging.getLogger("moviegraph")
OPEN = frozenset({"/healthz", "/readyz"})
WELL_KNOWN = "/.well-known/"
FAILURES_A_MINUTE = 10
MOST_FAILURES = 30
MOST_KNOWN = 10_000


class Gate:
    """An ASGI application before another.

    Args:
        app: What answers the requests that are let in.
        access: How callers authenticate; None lets everybody in.
        rate: How many requests a client may send; None is any number.
    """

    def __init__(self, app: Any, access: Access | None, rate: Buckets | None) -> None:
        from mcp.server.auth.middleware.auth_context import AuthContextMiddleware

        self._open = app
        self._app = AuthContextMiddleware(app)
        self._access = access
        self._rate = rate
        self._failures = Buckets(FAILURES_A_MINUTE, MOST_FAILURES)
        self._known: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Answer a request, or have it answered."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path in OPEN or path.startswith(WELL_KNOWN):
            await self._open(scope, receive, send)
            return
        try:
            scope, receive = await self._admitted(scope, receive)
        except Refusal as refusal:
            metadata = self._access.metadata if self._access else None
            response = refusal.response(metadata.url if metadata else None)
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _admitted(self, scope: Any, receive: Receive) -> tuple[Any, Receive]:
        """Return the request with its user, and its body read. Raises Refusal."""
        token = None
        if self._access is not None or self._rate is not None:
            address = network_of(scope["client"][0] if scope.get("client") else "")
            token = await self._authenticated(scope, address)
            self._counted(address, token)
        if token is None:
            return scope, (await read_body(receive))[1]
        _require((READ,), token)
        body, receive = await read_body(receive)
        if SQL not in token.scopes:
            _require(needed_for(body or b""), token)
        return _with_user(scope, token), receive

    async def _authenticated(self, scope: Any, address: str) -> AccessToken | None:
        """Return whose request this is. Raises Refusal.

        An address that failed too often is heard no more for a while, but with tokens that were
        good before: behind a proxy all callers may share one address.
        """
        if self._access is None:
            return None
        token = bearer_of(scope)
        digest = digest_of(token)
        wait = self._failures.wait(address)
        if wait and digest not in self._known:
            raise Refusal(429, "Too many failed authentication attempts. Wait.", again=wait)
        try:
            found = await self._access.verify(token)
        except Refusal as refusal:
            if refusal.status == UNAUTHORIZED:
                self._failures.take(address)
                LOG.warning("A token was rejected: %s.", refusal.reason)
            raise
        self._remember(digest)
        return found

    def _remember(self, digest: str) -> None:
        self._known[digest] = None
        self._known.move_to_end(digest)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)

    def _counted(self, address: str, token: AccessToken | None) -> None:
        if self._rate is None:
            return
        wait = self._rate.take(_owner(token) if token else address)
        if wait:
            raise Refusal(429, "Too many requests. Send requests more slowly.", again=wait)


def _require(needs: tuple[str, ...], token: AccessToken) -> None:
    refused = lacking(needs, token.scopes)
    if refused:
        raise Refusal(FORBIDDEN, refused, error="insufficient_scope", scopes=needs)


def _owner(token: AccessToken) -> str:
    """Return whose token it is; an issuer may let one person register any number of clients."""
    from moviegraph.caller import owner_of_token

    return owner_of_token(token)


def _with_user(scope: Any, token: AccessToken) -> Any:
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from starlette.authentication import AuthCredentials

    return {**scope, "auth": AuthCredentials(token.scopes), "user": AuthenticatedUser(token)}
