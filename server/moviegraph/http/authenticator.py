"""Authentication of HTTP requests: by token file or issuer, with scopes and bounded guessing."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from moviegraph.caller import owner_of_token
from moviegraph.errors import SettingsError
from moviegraph.http.http_limits import (
    FORBIDDEN,
    UNAUTHORIZED,
    HttpError,
    Receive,
    TokenBuckets,
    invalid_token,
    network_of,
    read_body,
)
from moviegraph.http.jwt_verifier import (
    JwksCache,
    JwtVerifier,
    fetch_keys,
    is_jwt,
    require_secure,
)
from moviegraph.http.scopes import (
    READ,
    SQL,
    ScopeNames,
    missing_scope,
    needed_for,
    scope_message,
)
from moviegraph.http.token_file import TokenFile, digest_of

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken
    from starlette.requests import Request
    from starlette.responses import Response

    from moviegraph.settings import Settings

LOG = logging.getLogger("moviegraph")
MAX_TOKEN_CHARS = 16_384
WELL_KNOWN = "/.well-known/"
METADATA_PATH = f"{WELL_KNOWN}oauth-protected-resource"
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
OAUTH_SETTINGS = ("oauth_issuer", "oauth_audience", "oauth_jwks_url", "http_url")
GUESSES_PER_MINUTE, MAX_GUESSES = 10, 30
REFUSALS_PER_MINUTE, MAX_REFUSALS = 600, 300
LOG_LINES_PER_MINUTE, MAX_LOG_LINES = 10, 30
MAX_KNOWN_TOKENS = 10_000


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
        raise invalid_token("no way to verify it")


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
    if len(values) > 1 or scheme.lower() != "bearer" or not 0 < len(token) <= MAX_TOKEN_CHARS:
        raise invalid_token("no bearer token")
    return token


class AuthMiddleware:
    """An ASGI application that authenticates and counts the requests of the one behind it.

    Only a token that may be a guess counts as one: an address that guesses too often is refused,
    except with tokens that were good before, because many clients may share an address. All other
    refused requests have a bound of their own per address, which never refuses a good token.

    Args:
        app: The application behind it.
        authenticator: How clients authenticate; None accepts everybody.
        rate: Requests that a client may send; None is any number.
    """

    def __init__(
        self,
        app: Any,
        authenticator: Authenticator | None,
        rate: TokenBuckets | None,
        read_tools: frozenset[str],
    ) -> None:
        from mcp.server.auth.middleware.auth_context import AuthContextMiddleware

        self._open = app
        self._app = AuthContextMiddleware(app)
        self._authenticator = authenticator
        self._rate = rate
        self._read_tools = read_tools
        self._guesses = TokenBuckets(GUESSES_PER_MINUTE, MAX_GUESSES)
        self._refusals = TokenBuckets(REFUSALS_PER_MINUTE, MAX_REFUSALS)
        self._log_lines = TokenBuckets(LOG_LINES_PER_MINUTE, MAX_LOG_LINES)
        self._known: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Serve one request."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path in OPEN_PATHS or path.startswith(WELL_KNOWN):
            await self._open(scope, receive, send)
            return
        try:
            scope, receive = await self._admit(scope, receive)
        except HttpError as error:
            await self._refuse(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refuse(self, error: HttpError) -> Response:
        if self._authenticator is None:
            return error.response()
        error.scopes = self._authenticator.scope_names.advertised(error.scopes)
        metadata = self._authenticator.metadata
        return error.response(metadata.url if metadata else None)

    async def _admit(self, scope: Any, receive: Receive) -> tuple[Any, Receive]:
        """Return the request with its user, and its body read. Raises HttpError."""
        address = network_of(scope["client"][0] if scope.get("client") else "")
        token = None
        if self._authenticator is not None:
            token = await self._authenticate(self._authenticator, scope, address)
        client = address if token is None else owner_of_token(token)
        if self._rate is not None and (wait := self._rate.take(client)):
            raise HttpError(429, "Too many requests. Send requests more slowly.", retry_after=wait)
        if token is None:
            return scope, (await read_body(receive))[1]
        self._require((READ,), token)
        body, receive = await read_body(receive)
        if SQL not in token.scopes:
            self._require(needed_for(body or b"", self._read_tools), token)
        return _with_user(scope, token), receive

    async def _authenticate(
        self, authenticator: Authenticator, scope: Any, address: str
    ) -> AccessToken:
        """Return the token of a request, verified. Raises HttpError."""
        try:
            text = bearer_token(scope)
            digest = digest_of(text)
            wait = self._guesses.wait(address)
            if wait and digest not in self._known:
                raise HttpError(
                    429, "Too many failed authentication attempts. Wait.", retry_after=wait
                )
            token = await authenticator.verify(text)
        except HttpError as error:
            self._count_refusal(error, address)
            raise
        self._remember(digest)
        return token

    def _count_refusal(self, error: HttpError, address: str) -> None:
        """Count a refusal, and log it. Raises HttpError instead of it where there are too many."""
        if error.reason and not self._log_lines.take(address):
            LOG.warning("A token was rejected: %s.", error.reason)
        if error.is_guess:
            self._guesses.take(address)
        elif wait := self._refusals.take(address):
            message = "Too many requests without a valid token. Wait."
            raise HttpError(429, message, retry_after=wait)

    def _remember(self, digest: str) -> None:
        self._known[digest] = None
        self._known.move_to_end(digest)
        if len(self._known) > MAX_KNOWN_TOKENS:
            self._known.popitem(last=False)

    def _require(self, needs: tuple[str, ...], token: AccessToken) -> None:
        """Raise HttpError unless a token grants the scopes."""
        missing = missing_scope(needs, token.scopes)
        if missing and self._authenticator:
            (name,) = self._authenticator.scope_names.advertised((missing,))
            raise HttpError(
                FORBIDDEN, scope_message(name), error="insufficient_scope", scopes=needs
            )


def _with_user(scope: Any, token: AccessToken) -> Any:
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from starlette.authentication import AuthCredentials

    return {**scope, "auth": AuthCredentials(token.scopes), "user": AuthenticatedUser(token)}
