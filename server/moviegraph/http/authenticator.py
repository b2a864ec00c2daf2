"""Authentication of HTTP requests: by token file or issuer, with scopes and bounded guessing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from moviegraph.caller import owner_of_token
from moviegraph.errors import SettingsError
from moviegraph.http.jwt_verifier import (
    JwksCache,
    JwtVerifier,
    fetch_keys,
    is_jwt,
    require_secure,
)
from moviegraph.http.middleware import (
    WELL_KNOWN,
    Receive,
    client_address,
    is_open,
    read_body,
)
from moviegraph.http.rate_limits import TokenBuckets, network_of
from moviegraph.http.refusals import (
    BAD_REQUEST,
    FORBIDDEN,
    TOO_MANY,
    UNAUTHORIZED,
    HttpError,
    RefusalLog,
    invalid_token,
)
from moviegraph.http.scopes import (
    READ,
    SQL,
    ScopeNames,
    missing_scope,
    needed_for,
    scope_message,
)
from moviegraph.http.token_file import PREFIX, TokenFile
from moviegraph.journal.execution_records import short_owner

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken
    from starlette.requests import Request
    from starlette.responses import Response

    from moviegraph.settings import Settings

MAX_TOKEN_CHARS = 16_384
METADATA_PATH = f"{WELL_KNOWN}oauth-protected-resource"
OAUTH_SETTINGS = ("oauth_issuer", "oauth_audience", "oauth_jwks_url", "http_url")
GUESSES_PER_MINUTE, MAX_GUESSES = 10, 30
REFUSALS_PER_MINUTE, MAX_REFUSALS = 600, 300
TOKEN_PARAMETERS = frozenset({"access_token", "token", "bearer"})
SIGNED_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+")


@dataclass(frozen=True, slots=True)
class ResourceMetadata:
    """The document that names the issuer of the server's tokens (RFC 9728).

    Attributes:
        resource: Public URL of the server's MCP endpoint.
        issuer: Issuer of the tokens.
        scope_names: The issuer's names of the scopes.
    """

    resource: str
    issuer: str
    scope_names: ScopeNames = field(default_factory=ScopeNames)

    @property
    def url(self) -> str:
        """Its URL: the well-known part is between host and path of the resource."""
        parts = urlsplit(self.resource)
        return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path.rstrip('/')}"

    def paths(self, served: str) -> tuple[str, ...]:
        """Return the paths to serve it at: for the public path, the served one, and the root."""
        public = urlsplit(self.url).path
        return tuple(dict.fromkeys((public, f"{METADATA_PATH}{served}", METADATA_PATH)))

    async def respond(self, _: Request) -> Response:
        """Respond to a request for it; pages of any origin may read it."""
        from starlette.responses import JSONResponse

        document = {
            "resource": self.resource,
            "resource_name": "moviegraph",
            "authorization_servers": [self.issuer],
            "scopes_supported": list(self.scope_names.advertised()),
            "bearer_methods_supported": ["header"],
        }
        headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=3600"}
        return JSONResponse(document, headers=headers)


@dataclass(frozen=True, slots=True)
class Authenticator:
    """The ways to authenticate, at least one of them.

    Attributes:
        tokens: The tokens of a file.
        issued: The tokens of an issuer.
        metadata: The document that names the issuer.
        scope_names: The issuer's names of the scopes.
    """

    tokens: TokenFile | None = None
    issued: JwtVerifier | None = None
    metadata: ResourceMetadata | None = None
    scope_names: ScopeNames = field(default_factory=ScopeNames)

    async def verify(self, token: str) -> AccessToken:
        """Return the owner and the scopes of a token. Raises HttpError."""
        if self.issued is not None and (self.tokens is None or is_jwt(token)):
            return await self.issued.verify(token)
        if self.tokens is not None:
            return await self.tokens.verify(token)
        raise invalid_token("malformed", "no way to verify it")


def authenticator_from(settings: Settings) -> Authenticator | None:
    """Return how clients authenticate, or None where nothing is set.

    Raises:
        SettingsError: A setting is missing, wrong, or cannot be read.
    """
    tokens = TokenFile(settings.http_tokens) if settings.http_tokens else None
    if all(getattr(settings, name) is None for name in OAUTH_SETTINGS):
        return None if tokens is None else Authenticator(tokens)
    for name in ("oauth_issuer", "oauth_audience"):
        if getattr(settings, name) is None:
            raise SettingsError(
                f"MOVIEGRAPH_{name.upper()} is not set, but access tokens require it.",
                hint="Set both MOVIEGRAPH_OAUTH_ISSUER and MOVIEGRAPH_OAUTH_AUDIENCE.",
            )
    issuer = require_secure(settings.oauth_issuer or "", "MOVIEGRAPH_OAUTH_ISSUER")
    if settings.oauth_jwks_url is not None:
        require_secure(settings.oauth_jwks_url, "MOVIEGRAPH_OAUTH_JWKS_URL")
    audiences = audiences_of(settings)
    scope_names = ScopeNames(
        settings.oauth_read_scope, settings.oauth_sql_scope, settings.oauth_scope_claims
    )
    keys = JwksCache(partial(fetch_keys, issuer, settings.oauth_jwks_url))
    return Authenticator(
        tokens,
        JwtVerifier(issuer, audiences, keys, scope_names),
        ResourceMetadata(public_url(settings), issuer, scope_names),
        scope_names,
    )


def audiences_of(settings: Settings) -> tuple[str, ...]:
    """Return the accepted audiences. Raises SettingsError where there is none."""
    parts = (part.strip() for part in (settings.oauth_audience or "").split(","))
    audiences = tuple(part for part in parts if part)
    if not audiences:
        raise SettingsError("MOVIEGRAPH_OAUTH_AUDIENCE names no audience.")
    return audiences


def public_url(settings: Settings) -> str:
    """Return the URL of the MCP endpoint as clients know it. Raises SettingsError."""
    if settings.http_url is not None:
        return require_secure(settings.http_url, "MOVIEGRAPH_HTTP_URL")
    for audience in audiences_of(settings):
        if urlsplit(audience).scheme in ("http", "https"):
            return require_secure(audience, "MOVIEGRAPH_OAUTH_AUDIENCE")
    raise SettingsError(
        "MOVIEGRAPH_HTTP_URL is not set, and the audience of access tokens is not a URL.",
        hint="Set it to the URL that clients use for the server, such as "
        "https://movies.example.org/mcp.",
    )


def bearer_token(scope: Any) -> str:
    """Return the token of a request. Raises HttpError.

    A token in the URL is always refused, because URLs are logged on their way.
    """
    query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    values = (value for name in query for value in query[name])
    if TOKEN_PARAMETERS & query.keys() or any(map(_looks_like_token, values)):
        raise HttpError(
            BAD_REQUEST,
            "A token in the URL is not accepted. Send it as Authorization: Bearer TOKEN, "
            "and replace this token, because URLs are logged.",
            error="invalid_request",
            event="token_rejected",
            reason="token_in_url",
        )
    headers = [value for name, value in scope["headers"] if name == b"authorization"]
    if not headers:
        raise HttpError(
            UNAUTHORIZED,
            "No access token was sent. Send it as Authorization: Bearer TOKEN.",
            reason="no_token",
        )
    scheme, _, token = headers[0].decode("latin-1").partition(" ")
    token = token.strip()
    if len(headers) > 1 or scheme.lower() != "bearer" or not 0 < len(token) <= MAX_TOKEN_CHARS:
        raise invalid_token("malformed", "no bearer token")
    return token


def _looks_like_token(value: str) -> bool:
    return value.startswith(PREFIX) or SIGNED_TOKEN.match(value) is not None


class AuthMiddleware:
    """An ASGI application that authenticates and counts the requests of the one behind it.

    A token is verified first (57 us for RS256), and only failures are limited per address: clients
    may share one, so that a valid token is never refused because of others. Tokens that may be
    guesses have a stricter bound than other refused requests.

    Args:
        app: The application behind it.
        authenticator: How clients authenticate; None accepts everybody.
        rate: Requests that a client may send; None is any number.
        log: Where refusals are counted.
        read_tools: The tools that need no scope but that for reading.
    """

    def __init__(
        self,
        app: Any,
        authenticator: Authenticator | None,
        rate: TokenBuckets | None,
        log: RefusalLog,
        read_tools: frozenset[str],
    ) -> None:
        from mcp.server.auth.middleware.auth_context import AuthContextMiddleware

        self._open = app
        self._app = AuthContextMiddleware(app)
        self._authenticator = authenticator
        self._rate = rate
        self._log = log
        self._read_tools = read_tools
        self._guesses = TokenBuckets(GUESSES_PER_MINUTE, MAX_GUESSES)
        self._refusals = TokenBuckets(REFUSALS_PER_MINUTE, MAX_REFUSALS)

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http" or is_open(scope.get("path", "")):
            await self._open(scope, receive, send)
            return
        address, owner = network_of(client_address(scope)), None
        try:
            token = await self._authenticate(scope, address)
            owner = None if token is None else owner_of_token(token)
            scope, receive = await self._admit(scope, receive, token, owner or address)
        except HttpError as error:
            self._log.add(error, address, owner and short_owner(owner))
            await self._response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _response(self, error: HttpError) -> Response:
        if self._authenticator is None:
            return error.response()
        error.scopes = self._authenticator.scope_names.advertised(error.scopes)
        metadata = self._authenticator.metadata
        return error.response(metadata.url if metadata else None)

    async def _authenticate(self, scope: Any, address: str) -> AccessToken | None:
        """Return the token of a request, verified. Raises HttpError."""
        if self._authenticator is None:
            return None
        try:
            return await self._authenticator.verify(bearer_token(scope))
        except HttpError as error:
            buckets = self._guesses if error.is_guess else self._refusals
            if wait := buckets.take(address):
                self._log.add(error, address)
                raise HttpError(
                    TOO_MANY,
                    "Too many requests without a valid token. Wait.",
                    event="rate_limited",
                    reason="guesses" if error.is_guess else "unauthenticated",
                    retry_after=wait,
                ) from None
            raise

    async def _admit(
        self, scope: Any, receive: Receive, token: AccessToken | None, client: str
    ) -> tuple[Any, Receive]:
        """Return the request with its user, and its body read. Raises HttpError."""
        if self._rate is not None and (wait := self._rate.take(client)):
            raise HttpError(
                TOO_MANY,
                "Too many requests. Send requests more slowly.",
                event="rate_limited",
                reason="rate",
                retry_after=wait,
            )
        if token is None:
            return scope, (await read_body(receive))[1]
        self._require((READ,), token)
        body, receive = await read_body(receive)
        if SQL not in token.scopes:
            self._require(needed_for(body or b"", self._read_tools), token)
        return _with_user(scope, token), receive

    def _require(self, needs: tuple[str, ...], token: AccessToken) -> None:
        """Raise HttpError unless a token grants the scopes."""
        missing = missing_scope(needs, token.scopes)
        if missing and self._authenticator:
            (name,) = self._authenticator.scope_names.advertised((missing,))
            raise HttpError(
                FORBIDDEN,
                scope_message(name),
                error="insufficient_scope",
                scopes=needs,
                event="scope_missing",
                reason="scope",
            )


def _with_user(scope: Any, token: AccessToken) -> Any:
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from starlette.authentication import AuthCredentials

    return {**scope, "auth": AuthCredentials(token.scopes), "user": AuthenticatedUser(token)}
