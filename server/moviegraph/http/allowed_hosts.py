"""Hosts by which the server responds, and where it may listen."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from moviegraph.errors import SettingsError
from moviegraph.text import is_loopback

if TYPE_CHECKING:
    from moviegraph.settings import Settings

AUTHENTICATION_HINT = (
    "Set MOVIEGRAPH_HTTP_TOKENS (`moviegraph token NAME` prints lines for that file), or "
    "MOVIEGRAPH_OAUTH_ISSUER and MOVIEGRAPH_OAUTH_AUDIENCE."
)
HOSTS_HINT = (
    "Set MOVIEGRAPH_ALLOWED_HOSTS to the host names in clients' URLs, such as movies.example.org."
)
LOOPBACK_HINT = "Or listen on 127.0.0.1, ::1 or localhost."


def require_guarded(host: str, settings: Settings) -> None:
    """Raise SettingsError for a host that others can reach, unless that is guarded."""
    if is_loopback(host):
        return
    missing: list[str] = []
    hints: list[str] = []
    if settings.http_tokens is None and settings.oauth_issuer is None:
        missing.append("no authentication")
        hints.append(AUTHENTICATION_HINT)
    if not settings.allowed_hosts:
        missing.append("no allowed host")
        hints.append(HOSTS_HINT)
    if missing:
        raise SettingsError(
            f"--host {host} is reachable from other machines, but {' and '.join(missing)} "
            f"{'are' if len(missing) > 1 else 'is'} set.",
            hint=" ".join((*hints, LOOPBACK_HINT)),
        )


def url_host(host: str) -> str:
    """Return a host as it is written in a URL."""
    return f"[{host}]" if ":" in host else host


def own_hosts(host: str, port: int) -> list[str]:
    """Return the Host headers of the server itself."""
    names = ["127.0.0.1", "localhost", "[::1]"]
    if not _is_any(host):
        names.append(url_host(host))
    return [f"{name}:{port}" for name in dict.fromkeys(names)]


def allows(allowed: tuple[str, ...], host: str) -> bool:
    """Return whether a Host header is allowed; `name:*` allows any port."""
    return host in allowed or any(
        name.endswith(":*") and host.startswith(name[:-1]) for name in allowed
    )


def origins_of(hosts: list[str], additional: tuple[str, ...]) -> list[str]:
    """Return the Origin headers of pages under the server's names, and of the additional ones."""
    origins = [f"{scheme}://{name}" for name in hosts for scheme in ("http", "https")]
    return [*origins, *additional]


def _is_any(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


HOST = b"host"


class HostMiddleware:
    """An ASGI application that lowercases the Host header for one that compares it exactly.

    Its case does not count (RFC 3986, section 3.2.2), and clients send what a user typed.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request."""
        if scope["type"] == "http" and any(
            name == HOST and value != value.lower() for name, value in scope["headers"]
        ):
            headers = [
                (name, value.lower() if name == HOST else value) for name, value in scope["headers"]
            ]
            scope = {**scope, "headers": headers}
        await self._app(scope, receive, send)
