"""Authentication of HTTP requests: by token file or issuer, with scopes and bounded guessing."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from moviegraph.errors import SettingsError
from moviegraph.http.http_errors import FORBIDDEN, UNAUTHORIZED, HttpError, invalid_token
from moviegraph.http.http_limits import Receive, TokenBuckets, network_of, read_body
from moviegraph.http.jwt_verifier import (
    JwksCache,
    JwtVerifier,
    fetch_json,
    keys_url,
    looks_signed,
    require_secure,
)
from moviegraph.http.scopes import ALL, READ, SQL, missing_scope, needed_for
from moviegraph.http.token_file import TokenFile, digest_of

MAX_TOKEN_CHARS = 16_384
SCHEME = "bearer"


def bearer_of(scope: Any) -> str:
    """Return the token of a request. Raises HttpError.

    A token in the URL is refused, whatever else there is: URLs are logged on their way.
    """
    if "access_token" in parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True):
        raise HttpError(
            400,
            "A token in the URL is not accepted. Send it as Authorization: Bearer TOKEN, "
            "and replace this token, because URLs are logged.",
            error="invalid_request",
        )
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    if not values:
        raise HttpError(
            UNAUTHORIZED, "No access token was sent. Send it as Authorization: Bearer TOKEN."
        )
    scheme, _, token = values[0].decode("latin-1").partition(" ")
    token = token.strip()
    if len(values) > 1 or scheme.lower() != SCHEME or not 0 < len(token) <= MAX_TOKEN_CHARS:
        raise invalid_token("no bearer token")
    return token


if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

METADATA_PATH = "/.well-known/oauth-protected-resource"


@dataclass(frozen=True, slots=True)
class ResourceMetadata:
    """What a client needs to get a token.

    Attributes:
        resource: Public URL of the server's MCP endpoint.
        issuer: Who issues the tokens.
    """

    resource: str
    issuer: str

    @property
    def url(self) -> str:
        """Where clients find it: the well-known part goes between host and path."""
        parts = urlsplit(self.resource)
        return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path.rstrip('/')}"

    def paths(self, served: str) -> tuple[str, ...]:
        """Return the paths to serve it at: below the public path, the served one, and the root."""
        own = urlsplit(self.url).path
        return tuple(dict.fromkeys((own, f"{METADATA_PATH}{served}", METADATA_PATH)))

    def as_dict(self) -> dict[str, Any]:
        """Return the document."""
        return {
            "resource": self.resource,
            "resource_name": "moviegraph",
            "authorization_servers": [self.issuer],
            "scopes_supported": list(ALL),
            "bearer_methods_supported": ["header"],
        }

    async def answer(self, _: Request) -> Response:
        """Answer a request for it; pages of any origin may read it."""
        from starlette.responses import JSONResponse

        headers = {
            "Authenticator-Control-Allow-Origin": "*",
            "Cache-Control": "public, max-age=3600",
        }
        return JSONResponse(self.as_dict(), headers=headers)


if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

    from moviegraph.settings import Settings

ISSUED = ("oauth_issuer", "oauth_audience", "oauth_jwks_url", "http_url")


@dataclass(frozen=True, slots=True)
class Authenticator:
    """The ways that are open, one of them at least.

    Attributes:
        tokens: The tokens of a file.
        issued: The tokens of an issuer.
        metadata: What tells clients of the issuer.
    """

    tokens: TokenFile | None = None
    issued: JwtVerifier | None = None
    metadata: ResourceMetadata | None = None

    async def verify(self, token: str) -> AccessToken:
        """Return whose token this is. Raises HttpError."""
        if self.issued is not None and (self.tokens is None or looks_signed(token)):
            return await self.issued.verify(token)
        if self.tokens is not None:
            return await self.tokens.verify(token)
        raise invalid_token("no way to verify it")


def authenticator_from(settings: Settings) -> Authenticator | None:
    """Return how callers authenticate, or None where nothing is set.

    Raises:
        SettingsError: A setting is missing, wrong, or cannot be read.
    """
    tokens = TokenFile(settings.http_tokens) if settings.http_tokens else None
    metadata = _metadata(settings)
    if tokens is None and metadata is None:
        return None
    issued = None
    if metadata is not None and settings.oauth_audience is not None:
        keys = JwksCache(partial(issuer_keys, settings))
        issued = JwtVerifier(metadata.issuer, settings.oauth_audience, keys)
    return Authenticator(tokens, issued, metadata)


async def issuer_keys(settings: Settings) -> dict[str, Any]:
    """Return the document with the issuer's keys. Raises FetchError."""
    url = settings.oauth_jwks_url or await keys_url(settings.oauth_issuer or "")
    return await fetch_json(url)


def _metadata(settings: Settings) -> ResourceMetadata | None:
    if all(getattr(settings, name) is None for name in ISSUED):
        return None
    for name in ("oauth_issuer", "oauth_audience"):
        if getattr(settings, name) is None:
            raise SettingsError(
                f"MOVIEGRAPH_{name.upper()} is not set, but access tokens require it.",
                hint="Set both MOVIEGRAPH_OAUTH_ISSUER and MOVIEGRAPH_OAUTH_AUDIENCE.",
            )
    issuer = require_secure(settings.oauth_issuer or "", "MOVIEGRAPH_OAUTH_ISSUER")
    if settings.oauth_jwks_url is not None:
        require_secure(settings.oauth_jwks_url, "MOVIEGRAPH_OAUTH_JWKS_URL")
    return ResourceMetadata(_public_url(settings), issuer)


def _public_url(settings: Settings) -> str:
    if settings.http_url is not None:
        return require_secure(settings.http_url, "MOVIEGRAPH_HTTP_URL")
    audience = settings.oauth_audience or ""
    if urlsplit(audience).scheme not in ("http", "https"):
        raise SettingsError(
            "MOVIEGRAPH_HTTP_URL is not set, and the audience of access tokens is not a URL.",
            hint="Set it to the URL that clients use for the server, such as "
            "https://movies.example.org/mcp.",
        )
    return require_secure(audience, "MOVIEGRAPH_OAUTH_AUDIENCE")


if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken


LOG = logging.getLogger("moviegraph")
OPEN = frozenset({"/healthz", "/readyz"})
WELL_KNOWN = "/.well-known/"
FAILURES_A_MINUTE = 10
MOST_FAILURES = 30
MOST_KNOWN = 10_000


class AuthMiddleware:
    """An ASGI application before another.

    Args:
        app: What answers the requests that are let in.
        access: How callers authenticate; None lets everybody in.
        rate: How many requests a client may send; None is any number.
    """

    def __init__(self, app: Any, access: Authenticator | None, rate: TokenBuckets | None) -> None:
        from mcp.server.auth.middleware.auth_context import AuthContextMiddleware

        self._open = app
        self._app = AuthContextMiddleware(app)
        self._access = access
        self._rate = rate
        self._failures = TokenBuckets(FAILURES_A_MINUTE, MOST_FAILURES)
        self._known: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Answer a request, or have it answered."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path in OPEN or path.startswith(WELL_KNOWN):
            await self._open(scope, receive, send)
            return
        try:
            scope, receive = await self._admitted(scope, receive)
        except HttpError as refusal:
            metadata = self._access.metadata if self._access else None
            response = refusal.response(metadata.url if metadata else None)
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _admitted(self, scope: Any, receive: Receive) -> tuple[Any, Receive]:
        """Return the request with its user, and its body read. Raises HttpError."""
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
        """Return whose request this is. Raises HttpError.

        An address that failed too often is heard no more for a while, but with tokens that were
        good before: behind a proxy all callers may share one address.
        """
        if self._access is None:
            return None
        token = bearer_of(scope)
        digest = digest_of(token)
        wait = self._failures.wait(address)
        if wait and digest not in self._known:
            raise HttpError(429, "Too many failed authentication attempts. Wait.", again=wait)
        try:
            found = await self._access.verify(token)
        except HttpError as refusal:
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
            raise HttpError(429, "Too many requests. Send requests more slowly.", again=wait)


def _require(needs: tuple[str, ...], token: AccessToken) -> None:
    refused = missing_scope(needs, token.scopes)
    if refused:
        raise HttpError(FORBIDDEN, refused, error="insufficient_scope", scopes=needs)


def _owner(token: AccessToken) -> str:
    """Return whose token it is; an issuer may let one person register any number of clients."""
    from moviegraph.caller import owner_of_token

    return owner_of_token(token)


def _with_user(scope: Any, token: AccessToken) -> Any:
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from starlette.authentication import AuthCredentials

    return {**scope, "auth": AuthCredentials(token.scopes), "user": AuthenticatedUser(token)}
