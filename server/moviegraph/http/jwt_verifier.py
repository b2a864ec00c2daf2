"""Verifier of JWT access tokens: signature, issuer, audience and expiry; scopes.py does scopes."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import anyio

from moviegraph.errors import SettingsError
from moviegraph.http.refusals import UNAVAILABLE, HttpError, invalid_token, shorten
from moviegraph.http.scopes import ScopeNames
from moviegraph.observability import count_refusal
from moviegraph.text import is_loopback, replace_surrogates

if TYPE_CHECKING:
    from mcp.server.auth.provider import AccessToken

LOG = logging.getLogger("moviegraph")
FETCH_SECONDS = 5.0
MAX_DOCUMENT_BYTES = 262_144

RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
CURVES = {
    "P-256": ("ES256",),
    "P-384": ("ES384",),
    "P-521": ("ES512",),
    "Ed25519": ("EdDSA", "Ed25519"),  # the second name is that of RFC 9864
}
ALGORITHMS = frozenset((*RSA, *(name for names in CURVES.values() for name in names)))
MIN_RSA_BITS = 2048
MAX_KEYS = 100
MAX_ABSENT = 1_000
FRESH_SECONDS = 600.0
LIFETIME_SECONDS = 3600.0
PAUSE_SECONDS = 15.0

LEEWAY_SECONDS = 30
MAX_SUBJECT_CHARS = 255
TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
REQUIRED_CLAIMS = ["exp", "iss", "aud", "sub"]
CLIENT_CLAIMS = ("client_id", "azp", "appid", "cid")  # RFC 9068, OpenID Connect, Entra, Okta
SIGNATURE_ONLY = {
    f"verify_{claim}": False for claim in ("exp", "nbf", "iat", "aud", "iss", "sub", "jti")
}


class FetchError(Exception):
    """A document of the issuer is unavailable; the text is for the operator's log."""


def require_secure(url: str, source: str) -> str:
    """Return the URL if it is https, or http to this machine. Raises SettingsError."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise SettingsError(f"{source} is not a URL.") from None
    is_local = parts.scheme == "http" and is_loopback(host)
    if not host or parts.username is not None or not (parts.scheme == "https" or is_local):
        raise SettingsError(
            f"{source} is not an https URL.",
            hint="Plain http is accepted only for this machine, and a URL must not contain a "
            "user name.",
        )
    return url


async def fetch_json(url: str, *, seconds: float = FETCH_SECONDS) -> dict[str, Any]:
    """Return the JSON object at a URL, without following redirects. Raises FetchError."""
    import httpx2

    # A proxy of the environment would receive requests to 127.0.0.1, and could read them.
    is_encrypted = urlsplit(url).scheme == "https"
    try:
        with anyio.fail_after(seconds):
            async with httpx2.AsyncClient(
                follow_redirects=False, timeout=seconds, trust_env=is_encrypted
            ) as client:
                document: Any = json.loads(await _read_body(client, url))
    except TimeoutError:
        raise FetchError(f"{url} did not respond within {seconds:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise FetchError(f"{url} cannot be reached ({type(error).__name__})") from None
    except (ValueError, RecursionError):
        raise FetchError(f"{url} did not return JSON") from None
    if not isinstance(document, dict):
        raise FetchError(f"{url} did not return a JSON object")
    return cast("dict[str, Any]", document)


async def _read_body(client: Any, url: str) -> bytes:
    # Not compressed: a small response may be huge once it is decompressed.
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    async with client.stream("GET", url, headers=headers) as response:
        if response.status_code != 200:
            raise FetchError(f"{url} returned status {response.status_code}")
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > MAX_DOCUMENT_BYTES:
                raise FetchError(f"{url} returned more than {MAX_DOCUMENT_BYTES:,} bytes")
        return bytes(body)


async def fetch_keys(issuer: str, url: str | None) -> dict[str, Any]:
    """Return the document with the issuer's keys, at a URL or where its metadata says.

    Raises:
        FetchError: It is unavailable, or took longer than `FETCH_SECONDS` with the metadata.
    """
    try:
        with anyio.fail_after(FETCH_SECONDS):
            return await fetch_json(url or await keys_url(issuer))
    except TimeoutError:
        raise FetchError(f"{issuer} did not respond within {FETCH_SECONDS:g} s") from None


async def keys_url(issuer: str) -> str:
    """Return the URL of the issuer's keys. Raises FetchError."""
    from mcp.client.auth.utils import build_oauth_authorization_server_metadata_discovery_urls

    failures: list[str] = []
    for url in build_oauth_authorization_server_metadata_discovery_urls(issuer, issuer):
        try:
            document = await fetch_json(url)
        except FetchError as error:
            failures.append(str(error))
            continue
        if document.get("issuer") != issuer:
            failures.append(
                f"{url} names a different issuer: {shorten(document.get('issuer'))}, but "
                f"MOVIEGRAPH_OAUTH_ISSUER is {issuer!r}; they must be equal, a slash at the end "
                "included"
            )
            continue
        try:
            keys = require_secure(str(document.get("jwks_uri", "")), "jwks_uri")
            if urlsplit(issuer).scheme == "https" and urlsplit(keys).scheme != "https":
                raise SettingsError("jwks_uri is plain http, but the issuer uses https.")
            return keys
        except SettingsError as error:
            raise FetchError(f"{url}: {error.message}") from None
    raise FetchError("; ".join(failures))


@dataclass(frozen=True, slots=True)
class Key:
    """A public key: its id, the algorithms that it fits, and the object that verifies.

    One that `is_short` is never used.
    """

    kid: str | None
    algorithms: tuple[str, ...]
    material: Any
    is_short: bool = False


class JwksCache:
    """The issuer's keys: fetched on demand, once for all concurrent requests.

    Known keys that are recent enough are returned without waiting, also during a fetch.

    Args:
        fetch: Returns the document with the keys; raises FetchError.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        fetch: Callable[[], Awaitable[dict[str, Any]]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: tuple[Key, ...] = ()
        self._short: frozenset[str | None] = frozenset()
        self._absent: set[str] = set()  # IDs that the newest fetch did not contain
        self._fetched: float | None = None
        self._fetched_at = 0.0  # seconds since 1970, as tokens count
        self._tried: float | None = None
        self._has_failed = False
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, kid: str | None, algorithm: str, bad: Key | None = None) -> Key | None:
        """Return the key of a token, or None if the issuer has no such key.

        Without an id in the token, it is the only key that fits. An unknown id starts a fetch, at
        most one in fifteen seconds for all requests, and waits for it; so does a token that `bad`,
        the key with its id, does not verify: the issuer may have replaced the key.

        Raises:
            FetchError: The keys are too old to be trusted; or the id is unknown, and the keys
                cannot be fetched now: the issuer may have just added it.
        """
        key = self._lookup(kid, algorithm)
        is_needed = key is bad if bad else key is None and kid not in self._absent
        if is_needed or self._age() > FRESH_SECONDS:
            fetching = self._start_fetch()
            must_wait = is_needed or self._age() > LIFETIME_SECONDS
            if fetching is not None and must_wait:
                await asyncio.shield(fetching)  # a client that hangs up does not end it for others
                key = self._lookup(kid, algorithm)
                if key is None and not self._has_failed:
                    self._remember_absent(kid)
        if self._age() > LIFETIME_SECONDS:
            raise FetchError("the issuer's keys are unavailable")
        if key is None and not self._is_known(kid):
            raise FetchError("the key is unknown, and the keys cannot be fetched yet")
        return key

    def is_short(self, kid: str | None) -> bool:
        """Return whether the issuer has a key of this id that is too short."""
        return kid in self._short

    def were_fetched_after(self, seconds: float) -> bool:
        """Return whether the keys are newer than a time, given in seconds since 1970."""
        return seconds < self._fetched_at - LEEWAY_SECONDS

    @property
    def retry_after(self) -> float:
        """Seconds until the next fetch is allowed, at least one."""
        since = PAUSE_SECONDS if self._tried is None else self._clock() - self._tried
        return max(1.0, PAUSE_SECONDS - since)

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self._clock() - self._fetched

    def _lookup(self, kid: str | None, algorithm: str) -> Key | None:
        fitting = [key for key in self._keys if algorithm in key.algorithms]
        if kid is None:
            return fitting[0] if len(fitting) == 1 else None
        return next((key for key in fitting if key.kid == kid), None)

    def _is_known(self, kid: str | None) -> bool:
        """Return whether the newest keys say whether there is a key of this id."""
        return kid is None or kid in self._absent or any(key.kid == kid for key in self._keys)

    def _remember_absent(self, kid: str | None) -> None:
        if kid is not None and len(self._absent) < MAX_ABSENT:
            self._absent.add(kid)

    def _start_fetch(self) -> asyncio.Task[None] | None:
        """Return the running fetch, a new one, or None if one has just ended."""
        if self._fetching is None or self._fetching.done():
            if self._tried is not None and self._clock() - self._tried < PAUSE_SECONDS:
                return None
            self._fetching = asyncio.get_running_loop().create_task(self._refresh())
        return self._fetching

    async def _refresh(self) -> None:
        start, start_at = self._clock(), time.time()
        self._has_failed = True
        try:
            keys, short = read_keys(await self._fetch())
            if self._keys and not keys:
                raise FetchError("the document has no usable key; the known ones remain")
            self._keys, self._short = keys, short
            self._absent.clear()
            self._fetched, self._fetched_at, self._has_failed = start, start_at, False
        except FetchError as error:
            count_refusal(UNAVAILABLE, "issuer")
            facts = {"event": "issuer_failed"}
            LOG.error("The issuer's keys cannot be fetched: %s.", error, extra={"facts": facts})
        finally:
            self._tried = self._clock()


def read_keys(document: dict[str, Any]) -> tuple[tuple[Key, ...], frozenset[str | None]]:
    """Return the usable keys of a set, and the ids of those that are too short; others are omitted.

    Raises:
        FetchError: It is not a set of keys, or has too many.
    """
    entries = document.get("keys")
    if not isinstance(entries, list):
        raise FetchError("the document has no list of keys")
    if len(cast("list[Any]", entries)) > MAX_KEYS:
        raise FetchError(f"there are more than {MAX_KEYS} keys")
    read = [_read_key(entry) for entry in cast("list[Any]", entries)]
    keys = [key for key in read if key is not None]
    short = frozenset(key.kid for key in keys if key.is_short)
    return tuple(key for key in keys if not key.is_short), short


def _read_key(entry: Any) -> Key | None:
    from jwt import PyJWK
    from jwt.exceptions import PyJWTError

    if not isinstance(entry, dict):
        return None
    data = cast("dict[str, Any]", entry)
    algorithms = _algorithms(data)
    if not algorithms or "d" in data or data.get("use", "sig") != "sig":
        return None
    try:
        material: Any = PyJWK(data, algorithm=algorithms[0]).key
    except (PyJWTError, ValueError, TypeError, KeyError):
        return None
    kid = data.get("kid")
    is_short = data["kty"] == "RSA" and material.key_size < MIN_RSA_BITS
    return Key(kid if isinstance(kid, str) else None, algorithms, material, is_short)


def _algorithms(data: dict[str, Any]) -> tuple[str, ...]:
    """Return the algorithms that a key fits by its type, and by its own `alg` if present."""
    key_type, curve = data.get("kty"), str(data.get("crv"))
    fitting = RSA if key_type == "RSA" else ()
    if key_type in ("EC", "OKP"):
        fitting = CURVES.get(curve, ())
    algorithm = data.get("alg")
    if algorithm is None or (
        curve == "Ed25519" and algorithm in fitting
    ):  # two names of one algorithm
        return fitting
    return tuple(name for name in fitting if name == algorithm)


class JwtVerifier:
    """Verifies the tokens of one issuer (RFC 8707, RFC 9068).

    Args:
        issuer: Must be equal to `iss`, character by character.
        audiences: One of them must be among `aud`.
        keys: The issuer's keys.
        scope_names: How the issuer names the scopes, and in which claims.
    """

    def __init__(
        self,
        issuer: str,
        audiences: tuple[str, ...],
        keys: JwksCache,
        scope_names: ScopeNames,
    ) -> None:
        import jwt
        from jwt.algorithms import OKPAlgorithm

        with suppress(ValueError):  # it is registered already
            jwt.register_algorithm("Ed25519", OKPAlgorithm())
        self._issuer = issuer
        self._audiences = audiences
        self._keys = keys
        self._scope_names = scope_names

    async def verify(self, token: str) -> AccessToken:
        """Return the owner and the scopes of a token. Raises HttpError."""
        kid, algorithm = _read_header(token)
        key = await self._find(token, kid, algorithm)
        signed = _verify_signature(token, key, algorithm)
        if signed is None:  # the issuer may have a new key under the same id
            key = await self._find(token, kid, algorithm, key)
            signed = _verify_signature(token, key, algorithm)
        if signed is None:
            raise invalid_token("signature", "its signature is not that of the issuer's key")
        return self._access_token(self._claims(token, key, algorithm, signed))

    async def _find(
        self, token: str, kid: str | None, algorithm: str, bad: Key | None = None
    ) -> Key:
        """Return the key of a token. Raises HttpError."""
        try:
            key = await self._keys.find(kid, algorithm, bad)
        except FetchError:
            if self._keys.were_fetched_after(_issued_at(token)):
                text = f"it is older than the issuer's keys, which have no {shorten(kid)}"
                raise invalid_token("key", text, is_guess=False) from None
            raise HttpError(
                UNAVAILABLE,
                "Access tokens cannot be verified now. Retry the same request later.",
                retry_after=self._keys.retry_after,
                event="issuer_failed",
                reason="issuer",
                detail="the issuer's keys are unavailable, or too recent for one more fetch",
            ) from None
        if key is None:
            if self._keys.is_short(kid):
                text = f"its key {shorten(kid)} is shorter than {MIN_RSA_BITS:,} bits"
                raise invalid_token("key", text)
            raise invalid_token("key", f"the issuer has no key {shorten(kid)} for {algorithm}")
        return key

    def _claims(
        self, token: str, key: Key, algorithm: str, signed: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the claims; a token that the issuer signed for another purpose is no guess."""
        import jwt

        try:
            return jwt.decode(
                token,
                key.material,
                algorithms=[algorithm],
                audience=self._audiences,
                issuer=self._issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": REQUIRED_CLAIMS},
            )
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise self._refusal(signed, error) from None

    def _refusal(self, claims: dict[str, Any], error: Exception) -> HttpError:
        """Return the refusal of a token that the issuer has signed."""
        import jwt
        from jwt.exceptions import InvalidJTIError, InvalidSubjectError

        if claims.get("iss") != self._issuer:
            return invalid_token(
                "issuer",
                f"its issuer is {shorten(claims.get('iss'))}, but MOVIEGRAPH_OAUTH_ISSUER is "
                f"{self._issuer!r}",
            )
        if isinstance(error, jwt.ExpiredSignatureError):
            age = round(time.time() - claims["exp"])
            text = f"expired {age} s ago"
            return invalid_token("expired", text, "The access token has expired.", is_guess=False)
        reason, text = "claims", f"its claims are invalid ({type(error).__name__})"
        if isinstance(error, jwt.InvalidAudienceError):
            reason = "audience"
            text = (
                f"its audience is {shorten(claims.get('aud'))}, but MOVIEGRAPH_OAUTH_AUDIENCE is "
                f"{','.join(self._audiences)!r}"
            )
        elif isinstance(error, jwt.ImmatureSignatureError):
            reason, text = "clock", _describe_early(claims)
        elif isinstance(error, jwt.MissingRequiredClaimError):
            text = f"it has no claim {error.claim!r}"
        elif isinstance(error, InvalidSubjectError | InvalidJTIError):
            claim = "sub" if isinstance(error, InvalidSubjectError) else "jti"
            text = f"its claim {claim!r} is not a string"
        return invalid_token(reason, text, is_guess=False)

    def _access_token(self, claims: dict[str, Any]) -> AccessToken:
        from mcp.server.auth.provider import AccessToken

        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT_CHARS:
            raise invalid_token("claims", "the subject is not a name", is_guess=False)
        if replace_surrogates(subject) != subject:  # half a surrogate pair cannot be stored
            raise invalid_token("claims", "the subject is not a string", is_guess=False)
        if "cnf" in claims:  # RFC 9449: a token bound to a key is worth nothing without its proof
            text = "the token is bound to a key of its client"
            raise invalid_token("claims", text, is_guess=False)
        clients = (claims.get(name) for name in CLIENT_CLAIMS)
        return AccessToken(
            token="",
            client_id=next((name for name in clients if isinstance(name, str)), subject),
            scopes=self._scope_names.granted(claims),
            expires_at=int(claims["exp"]),
            resource=self._audiences[0],
            subject=subject,
            claims={"iss": self._issuer},
        )


def is_jwt(token: str) -> bool:
    """Return whether a token has the form of a signed JWT."""
    return token.count(".") == 2


def _read_header(token: str) -> tuple[str | None, str]:
    """Return key id and algorithm of a token. Raises HttpError."""
    import jwt

    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise invalid_token("malformed", "it is not a JWT") from None
    algorithm, kid, token_type = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise invalid_token("malformed", f"the algorithm {shorten(algorithm)} is not accepted")
    if "crit" in header or str(token_type).lower() not in TYPES:
        raise invalid_token("malformed", "the JWT type is not accepted")
    if kid is not None and not isinstance(kid, str):
        raise invalid_token("malformed", "the key has no ID")
    return kid, algorithm


def _verify_signature(token: str, key: Key, algorithm: str) -> dict[str, Any] | None:
    """Return the claims of a token, or None if its signature is not that of a key.

    Raises HttpError if it cannot be read.
    """
    import jwt

    options: Any = SIGNATURE_ONLY
    try:
        return jwt.decode(token, key.material, algorithms=[algorithm], options=options)
    except jwt.InvalidSignatureError:
        return None
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        text = f"it cannot be read ({type(error).__name__})"
        raise invalid_token("malformed", text) from None


def _issued_at(token: str) -> float:
    """Return when a token says that it was issued; infinity if it does not."""
    import jwt

    try:
        issued = jwt.decode(token, options={"verify_signature": False}).get("iat")
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        return float("inf")
    return float(issued) if isinstance(issued, int | float) else float("inf")


def _describe_early(claims: dict[str, Any]) -> str:
    """Return how far in the future a token begins, as numbers of its claims say."""
    begins = [
        value for name in ("nbf", "iat") if isinstance(value := claims.get(name), int | float)
    ]
    seconds = round(max(begins, default=0) - time.time())
    return f"issued {seconds} s in the future: compare the clocks of issuer and server"
