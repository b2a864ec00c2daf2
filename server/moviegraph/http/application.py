"""The HTTP application: configuration, allowed hosts, authentication, limits, protocol."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from moviegraph.http.allowed_hosts import GUARD, origins_of, own_hosts
from moviegraph.http.http_errors import ConfigWarning
from moviegraph.http.http_limits import LARGEST, TokenBuckets

if TYPE_CHECKING:
    from moviegraph.http.authenticator import Authenticator
    from moviegraph.settings import Settings

USUAL_RATE = 600
BURST = 6


@dataclass(frozen=True, slots=True)
class HttpConfig:
    """Who is let in, and how.

    Attributes:
        access: How callers authenticate; None lets everybody in.
        a_minute: Most requests a minute of one client; None is any number.
        origins: Origins of pages that may call, beside the server's own.
        stateless: Whether clients up to revision 2025-11-25 get no session.
    """

    access: Authenticator | None = None
    a_minute: int | None = None
    origins: tuple[str, ...] = ()
    stateless: bool = False

    def rate(self) -> TokenBuckets | None:
        """Return fresh buckets; a sixth of a minute's requests may come at once."""
        if self.a_minute is None:
            return None
        return TokenBuckets(self.a_minute, max(10, self.a_minute / BURST))


def http_config_from(settings: Settings) -> HttpConfig:
    """Return what is set. Raises SettingsError."""
    from moviegraph.http.authenticator import authenticator_from

    access = authenticator_from(settings)
    a_minute = settings.http_rate
    if a_minute is None and access is not None:
        a_minute = USUAL_RATE
    return HttpConfig(access, a_minute or None, settings.allowed_origins, settings.http_stateless)


def config_warnings(settings: Settings) -> list[ConfigWarning]:
    """Return what works, and lets in more than the operator may want."""
    from moviegraph.http.token_file import file_warnings

    found = file_warnings(settings.http_tokens) if settings.http_tokens else []
    if settings.allowed_hosts and settings.http_tokens is None and settings.oauth_issuer is None:
        found.append(
            ConfigWarning(
                "MOVIEGRAPH_ALLOWED_HOSTS is set without authentication: every client that "
                "can reach these host names is accepted, unless a proxy authenticates "
                "clients.",
                GUARD,
            )
        )
    if any(each.endswith("/0") for each in settings.trusted_proxies):
        found.append(
            ConfigWarning(
                "MOVIEGRAPH_TRUSTED_PROXIES contains every address: clients can forge their "
                "address, and get around the rate limit per address.",
                "List only the addresses of your proxies.",
            )
        )
    return found


if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext

PATH = "/mcp"
MOST_SESSIONS = 1_000
SESSION_IDLE = 900.0
OPEN_CONFIG = HttpConfig()
TOLD = ["mcp-session-id", "mcp-protocol-version", "www-authenticate", "retry-after"]


def application(
    server: MCPServer[Any],
    host: str,
    port: int,
    further: tuple[str, ...],
    door: HttpConfig = OPEN_CONFIG,
) -> Any:
    """Return the application; it answers to its own names alone, against DNS rebinding.

    Args:
        server: What is served.
        host: Where it listens.
        port: On which port.
        further: Host headers of proxies and further names.
        door: Who is let in, and how.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    from moviegraph.http.allowed_hosts import HostMiddleware
    from moviegraph.http.authenticator import AuthMiddleware
    from moviegraph.http.http_errors import ErrorMiddleware
    from moviegraph.http.http_limits import SessionLimit

    hosts = [*own_hosts(host.lower(), port), *further]
    origins = origins_of(hosts, door.origins)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        stateless_http=door.stateless,
        max_request_body_size=LARGEST,
        max_sessions=MOST_SESSIONS,
        session_idle_timeout=SESSION_IDLE,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins
        ),
    )
    app.router.redirect_slashes = False  # it would send on to whatever Host was given
    _add_metadata(app, door)
    shared = SessionLimit(HostMiddleware(app), partial(_session_owners, server))
    return ErrorMiddleware(
        _readable(AuthMiddleware(shared, door.access, door.rate()), door.origins)
    )


def _session_owners(server: MCPServer[Any]) -> Collection[AuthorizationContext]:
    """Return whose the open sessions are; the SDK has no public name for them."""
    owners: dict[str, AuthorizationContext] = getattr(server.session_manager, "_session_owners", {})
    return owners.values()


def _add_metadata(app: Any, door: HttpConfig) -> None:
    from starlette.routing import Route

    metadata = door.access.metadata if door.access else None
    if metadata is None:
        return
    for path in metadata.paths(PATH):
        app.routes.append(Route(path, metadata.answer, methods=["GET"]))


def _readable(app: Any, origins: tuple[str, ...]) -> Any:
    """Let pages of the further origins read the answers (CORS)."""
    if not origins:
        return app
    from starlette.middleware.cors import CORSMiddleware

    return CORSMiddleware(
        app,
        allow_origins=list(origins),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],
        expose_headers=TOLD,
    )
