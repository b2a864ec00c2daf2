"""Reads a small JSON document of an issuer: bounded in time and size, and never redirected."""

from __future__ import annotations

import ipaddress
import json
from typing import Any, cast
from urllib.parse import urlsplit

import anyio

from moviegraph.errors import SettingsError

SECONDS = 5.0
LARGEST = 262_144
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


async def fetch_json(url: str, *, seconds: float = SECONDS) -> dict[str, Any]:
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
            if len(body) > LARGEST:
                raise FetchError(f"{url} returned more than {LARGEST:,} bytes")
        return bytes(body)
