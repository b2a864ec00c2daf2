"""The public keys of an issuer: kept for a while, and fetched again for a key that is unknown."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

from moviegraph.http.fetching import FetchError

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


class KeySet:
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
