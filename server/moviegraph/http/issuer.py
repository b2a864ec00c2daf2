"""Where an issuer of access tokens keeps its keys, by its own metadata."""

from __future__ import annotations

from urllib.parse import urlsplit

from moviegraph.errors import SettingsError
from moviegraph.http.fetching import FetchError, fetch_json, require_secure

OAUTH = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


def metadata_urls(issuer: str) -> tuple[str, ...]:
    """Return where the metadata may be, in the order in which MCP clients look too.

    RFC 8414 puts the well-known part before the issuer's path, OpenID Connect Discovery behind it.
    """
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    found = [f"{origin}{OAUTH}{path}", f"{origin}{OPENID}{path}", f"{origin}{path}{OPENID}"]
    return tuple(dict.fromkeys(found))


async def keys_url(issuer: str) -> str:
    """Return the URL of the issuer's keys. Raises FetchError."""
    failures: list[str] = []
    for url in metadata_urls(issuer):
        try:
            found = await fetch_json(url)
        except FetchError as error:
            failures.append(str(error))
            continue
        if found.get("issuer") != issuer:
            failures.append(f"{url} names a different issuer")
            continue
        try:
            keys = require_secure(str(found.get("jwks_uri", "")), "jwks_uri")
            if urlsplit(issuer).scheme == "https" and urlsplit(keys).scheme != "https":
                raise SettingsError("jwks_uri is plain http, but the issuer uses https.")
            return keys
        except SettingsError as error:
            raise FetchError(f"{url}: {error.message}") from None
    raise FetchError("; ".join(failures))
