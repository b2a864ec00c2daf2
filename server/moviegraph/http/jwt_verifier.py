"""Verifier of JWT access tokens: the issuer's metadata, its keys, and the claims."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import anyio

from moviegraph.errors import SettingsError
from moviegraph.http.http_errors import HttpError, invalid_token
from moviegraph.text import paired

FETCH_SECONDS = 5.0
MAX_DOCUMENT_BYTES = 262_144
FOUND = 200


class FetchError(Exception):
    """The document could not be had; the text is for the operator's log."""


def require_secure(url: str, source: str) -> str:
    """Return the URL if it is https, or http to this machine. Raises SettingsError."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise SettingsError(f"{source} is not a URL.") from None
    plain = parts.scheme == "http" and is_loopback(host)
    if not host or parts.username is not None or not (parts.scheme == "https" or plain):
        raise SettingsError(
            f"{source} is not an https URL.",
            hint="Plain http is accepted only for this machine, and a URL must not contain a "
            "user name.",
        )
    return url


def is_loopback(host: str) -> bool:
    """Whether only this machine answers under the name or address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def fetch_json(url: str, *, seconds: float = FETCH_SECONDS) -> dict[str, Any]:
    """Return the JSON object at a URL. Raises FetchError."""
    import httpx2

    try:
        with anyio.fail_after(seconds):
            async with httpx2.AsyncClient(
                follow_redirects=False, timeout=seconds, trust_env=_is_encrypted(url)
            ) as client:
                body = await _body(client, url)
        found: Any = json.loads(body)
    except TimeoutError:
        raise FetchError(f"{url} did not respond within {seconds:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise FetchError(f"{url} cannot be reached ({type(error).__name__})") from None
    except (ValueError, RecursionError):
        raise FetchError(f"{url} did not return JSON") from None
    if not isinstance(found, dict):
        raise FetchError(f"{url} did not return a JSON object")
    return cast("dict[str, Any]", found)


def _is_encrypted(url: str) -> bool:
    """Whether a proxy of the environment may be asked: it would get 127.0.0.1 too, unread."""
    return urlsplit(url).scheme == "https"


async def _body(client: Any, url: str) -> bytes:
    # Not compressed: what is small on the way may be huge behind it.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    async with client.stream("GET", url, headers=headers) as answer:
        if answer.status_code != FOUND:
            raise FetchError(f"{url} returned status {answer.status_code}")
        body = bytearray()
        async for chunk in answer.aiter_raw():
            body += chunk
            if len(body) > MAX_DOCUMENT_BYTES:
                raise FetchError(f"{url} returned more than {MAX_DOCUMENT_BYTES:,} bytes")
        return bytes(body)


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


LOG = logging.getLogger("moviegraph")
RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
CURVES = {"P-256": ("ES256",), "P-384": ("ES384",), "P-521": ("ES512",), "Ed25519": ("EdDSA",)}
ALGORITHMS = frozenset((*RSA, *(each for fits in CURVES.values() for each in fits)))
SHORTEST_RSA = 2048
MOST_KEYS = 100
FRESH = 600.0
LASTS = 3600.0
PAUSE = 15.0


@dataclass(frozen=True, slots=True)
class Key:
    """A public key: its name in the set, the algorithms that fit it, and what verifies."""

    kid: str | None
    algorithms: tuple[str, ...]
    material: Any


class JwksCache:
    """Keys that are fetched when they are needed, once for all who need them.

    Those that are known and recent enough are given at once, also while they are fetched again.

    Args:
        fetch: Returns the document with the keys; raises FetchError.
        clock: Seconds that only grow.
    """

    def __init__(
        self,
        fetch: Callable[[], Awaitable[dict[str, Any]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: tuple[Key, ...] = ()
        self._fetched: float | None = None
        self._tried: float | None = None
        self._failed = False
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, kid: str | None, algorithm: str) -> Key | None:
        """Return the key of a token, or None if the issuer has none such.

        Without a name in the token, the only key that fits is meant. A name that is not known has
        the keys fetched again, at most once in fifteen seconds, whoever asks, and waits for them.

        Raises:
            FetchError: There are no keys that are recent enough to be trusted, or the key is not
                known and the last try to fetch it failed: the issuer may have it.
        """
        found = self._found(kid, algorithm)
        if found is None or self._age() > FRESH:
            fetching = self._begun()
            if fetching is not None and (found is None or self._age() > LASTS):
                await asyncio.shield(fetching)  # who gives up does not end it for the others
                found = self._found(kid, algorithm)
        if self._age() > LASTS or (found is None and self._failed):
            raise FetchError("the issuer's keys are unavailable")
        return found

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self._clock() - self._fetched

    def _found(self, kid: str | None, algorithm: str) -> Key | None:
        fits = [key for key in self._keys if algorithm in key.algorithms]
        if kid is None:
            return fits[0] if len(fits) == 1 else None
        return next((key for key in fits if key.kid == kid), None)

    def _begun(self) -> asyncio.Task[None] | None:
        """Return the fetch under way, begun unless one has just ended."""
        if self._fetching is None or self._fetching.done():
            if self._tried is not None and self._clock() - self._tried < PAUSE:
                return None
            self._fetching = asyncio.get_running_loop().create_task(self._refresh())
        return self._fetching

    async def _refresh(self) -> None:
        began = self._clock()
        self._failed = True
        try:
            self._keys = read_keys(await self._fetch())
            self._fetched, self._failed = began, False
        except FetchError as error:
            LOG.error("The issuer's keys cannot be fetched: %s.", error)
        finally:
            self._tried = self._clock()


def read_keys(document: dict[str, Any]) -> tuple[Key, ...]:
    """Return the usable keys of a set; others, such as secrets and short ones, are left out.

    Raises:
        FetchError: It is no set of keys, or has too many.
    """
    listed = document.get("keys")
    if not isinstance(listed, list):
        raise FetchError("the document has no list of keys")
    entries = cast("list[Any]", listed)
    if len(entries) > MOST_KEYS:
        raise FetchError(f"there are more than {MOST_KEYS} keys")
    return tuple(key for key in map(_key, entries) if key is not None)


def _key(entry: Any) -> Key | None:
    from jwt import PyJWK
    from jwt.exceptions import PyJWTError

    if not isinstance(entry, dict):
        return None
    data = cast("dict[str, Any]", entry)
    fits = _algorithms(data)
    if not fits or "d" in data or data.get("use", "sig") != "sig":
        return None
    try:
        material: Any = PyJWK(data, algorithm=fits[0]).key
    except (PyJWTError, ValueError, TypeError, KeyError):
        return None
    if data["kty"] == "RSA" and material.key_size < SHORTEST_RSA:
        return None
    kid = data.get("kid")
    return Key(kid if isinstance(kid, str) else None, fits, material)


def _algorithms(data: dict[str, Any]) -> tuple[str, ...]:
    """Return the algorithms that fit a key by its kind and its own word."""
    kind, curve = data.get("kty"), data.get("crv")
    fits = RSA if kind == "RSA" else CURVES.get(str(curve), ()) if kind in ("EC", "OKP") else ()
    own = data.get("alg")
    return fits if own is None else tuple(each for each in fits if each == own)


if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

LEEWAY = 30
LONGEST_SUBJECT = 255
AGAIN = 15.0
TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
REQUIRED = ["exp", "iss", "aud", "sub"]
CLIENTS = ("client_id", "azp", "appid", "cid")  # RFC 9068, OpenID Connect, Entra, Okta


class JwtVerifier:
    """Verifies the tokens of one issuer for one audience (RFC 8707, RFC 9068).

    Args:
        issuer: Must be equal to `iss`, character by character.
        audience: Must be among `aud`.
        keys: The issuer's keys.
    """

    def __init__(self, issuer: str, audience: str, keys: JwksCache) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = keys

    async def verify(self, token: str) -> AccessToken:
        """Return whose token this is, and what it is good for. Raises HttpError."""
        kid, algorithm = _header(token)
        try:
            key = await self._keys.find(kid, algorithm)
        except FetchError:
            raise HttpError(
                503,
                "Access tokens cannot be verified now. Retry the same request later.",
                again=AGAIN,
            ) from None
        if key is None:
            raise invalid_token("the issuer has no such key")
        return self._token(self._claims(token, key.material, algorithm))

    def _claims(self, token: str, material: Any, algorithm: str) -> dict[str, Any]:
        import jwt

        try:
            return jwt.decode(
                token,
                material,
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY,
                options={"require": REQUIRED},
            )
        except jwt.ExpiredSignatureError:
            raise invalid_token("expired", "The access token has expired.") from None
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise invalid_token(type(error).__name__) from None

    def _token(self, claims: dict[str, Any]) -> AccessToken:
        from mcp.server.auth.provider import AccessToken

        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
            raise invalid_token("the subject is not a name")
        if paired(subject) != subject:  # half a surrogate pair can be written nowhere
            raise invalid_token("the subject is not a string")
        if "cnf" in claims:  # RFC 9449: a token bound to a key is worth nothing without its proof
            raise invalid_token("the token is bound to a key of its client")
        named = (claims.get(each) for each in CLIENTS)
        return AccessToken(
            token="",
            client_id=next((each for each in named if isinstance(each, str)), subject),
            scopes=_scopes(claims),
            expires_at=int(claims["exp"]),
            resource=self._audience,
            subject=subject,
            claims={"iss": self._issuer},
        )


def looks_signed(token: str) -> bool:
    """Whether a token has the form of a signed JWT."""
    return token.count(".") == 2


def _header(token: str) -> tuple[str | None, str]:
    """Return key name and algorithm of a token. Raises HttpError."""
    import jwt

    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise invalid_token("no JWT") from None
    algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise invalid_token("the algorithm is not accepted")
    if "crit" in header or str(kind).lower() not in TYPES:
        raise invalid_token("the JWT type is not accepted")
    if kid is not None and not isinstance(kid, str):
        raise invalid_token("the key has no ID")
    return kid, algorithm


def _scopes(claims: dict[str, Any]) -> list[str]:
    """Return the scopes: `scope` (RFC 9068), or `scp` (Entra: words, Okta: a list)."""
    found: Any = claims.get("scope", claims.get("scp", ""))
    words = found.split() if isinstance(found, str) else found
    if not isinstance(words, list):
        return []
    return [word for word in cast("list[Any]", words) if isinstance(word, str)]
