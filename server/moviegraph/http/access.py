"""How callers show who they are: tokens of a file, tokens of an issuer, or either."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from moviegraph.errors import SettingsError
from moviegraph.http.access_tokens import AccessTokens, looks_signed
from moviegraph.http.fetching import fetch_json, require_secure
from moviegraph.http.issuer import keys_url
from moviegraph.http.key_set import KeySet
from moviegraph.http.metadata import Metadata
from moviegraph.http.refusal import invalid_token
from moviegraph.http.token_file import TokenFile

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

    from moviegraph.settings import Settings

ISSUED = ("oauth_issuer", "oauth_audience", "oauth_jwks_url", "http_url")


@dataclass(frozen=True, slots=True)
class Access:
    """The ways that are open, one of them at least.

    Attributes:
        tokens: The tokens of a file.
        issued: The tokens of an issuer.
        metadata: What tells clients of the issuer.
    """

    tokens: TokenFile | None = None
    issued: AccessTokens | None = None
    metadata: Metadata | None = None

    async def verify(self, token: str) -> AccessToken:
        """Return whose token this is. Raises Refusal."""
        if self.issued is not None and (self.tokens is None or looks_signed(token)):
            return await self.issued.verify(token)
        if self.tokens is not None:
            return await self.tokens.verify(token)
        raise invalid_token("no way to verify it")


def access_of(settings: Settings) -> Access | None:
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
        keys = KeySet(partial(issuer_keys, settings))
        issued = AccessTokens(metadata.issuer, settings.oauth_audience, keys)
    return Access(tokens, issued, metadata)


async def issuer_keys(settings: Settings) -> dict[str, Any]:
    """Return the document with the issuer's keys. Raises FetchError."""
    url = settings.oauth_jwks_url or await keys_url(settings.oauth_issuer or "")
    return await fetch_json(url)


def _metadata(settings: Settings) -> Metadata | None:
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
    return Metadata(_public_url(settings), issuer)


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
