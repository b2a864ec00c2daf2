"""The HTTP application: configuration, allowed hosts, authentication, limits, protocol."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from moviegraph.errors import SettingsError
from moviegraph.http.middleware import PATH
from moviegraph.http.rate_limits import TokenBuckets
from moviegraph.http.token_file import ConfigWarning
from moviegraph.text import is_loopback

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from moviegraph.http.authenticator import Authenticator
    from moviegraph.settings import Settings

DEFAULT_RATE = 600
BURST_SHARE = 6
MAX_SESSIONS = 1_000
SESSION_IDLE_SECONDS = 900.0
EXPOSED_HEADERS = ["mcp-session-id", "mcp-protocol-version", "www-authenticate", "retry-after"]
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


@dataclass(frozen=True, slots=True)
class HttpConfig:
    """How HTTP is served.

    Attributes:
        access: How clients authenticate; None accepts everybody.
        a_minute: Maximum requests per minute of one client; None is any number.
        origins: Origins of pages that may call, in addition to the server's own.
        stateless: Whether clients up to revision 2025-11-25 get no session.
    """

    access: Authenticator | None = None
    a_minute: int | None = None
    origins: tuple[str, ...] = ()
    stateless: bool = False

    def rate(self) -> TokenBuckets | None:
        """Return new buckets; a sixth of a minute's requests may come at once."""
        if self.a_minute is None:
            return None
        return TokenBuckets(self.a_minute, max(10, self.a_minute / BURST_SHARE))


OPEN_CONFIG = HttpConfig()


def http_config_from(settings: Settings) -> HttpConfig:
    """Return the configuration that is set. Raises SettingsError."""
    from moviegraph.http.authenticator import authenticator_from

    access = authenticator_from(settings)
    a_minute = settings.http_rate
    if a_minute is None and access is not None:
        a_minute = DEFAULT_RATE
    stateless = settings.http_stateless
    if stateless is None:
        stateless = access is not None
    return HttpConfig(access, a_minute or None, settings.allowed_origins, stateless)


def config_warnings(settings: Settings, host: str = "127.0.0.1") -> list[ConfigWarning]:
    """Return what works, and admits more, or fewer, clients than the operator may want.

    `host` is the address that the server listens on.
    """
    from moviegraph.http.token_file import file_warnings

    warnings = file_warnings(settings.http_tokens) if settings.http_tokens else []
    if settings.allowed_hosts and settings.http_tokens is None and settings.oauth_issuer is None:
        warnings.append(
            ConfigWarning(
                "MOVIEGRAPH_ALLOWED_HOSTS is set without authentication: every client that "
                "can reach these host names is accepted, unless a proxy authenticates "
                "clients.",
                AUTHENTICATION_HINT,
            )
        )
    if any(network.endswith("/0") for network in settings.trusted_proxies):
        warnings.append(
            ConfigWarning(
                "MOVIEGRAPH_TRUSTED_PROXIES contains every address: clients can forge their "
                "address, and get around the rate limit per address.",
                "List only the addresses of your proxies.",
            )
        )
    is_public = any(not is_loopback(_name_of(name)) for name in settings.allowed_hosts)
    if is_loopback(host) and is_public and not settings.trusted_proxies:
        warnings.append(
            ConfigWarning(
                "MOVIEGRAPH_ALLOWED_HOSTS names a public host, and no proxy is trusted: all "
                "clients behind a proxy on this machine count as one address.",
                "Set MOVIEGRAPH_TRUSTED_PROXIES to the proxy's address, such as 127.0.0.1.",
            )
        )
    return [*warnings, *_host_warnings(settings)]


def _name_of(host: str) -> str:
    """Return the name in a Host header, without port and brackets."""
    return urlsplit(f"//{host.removesuffix(':*')}").hostname or ""


def _host_warnings(settings: Settings) -> list[ConfigWarning]:
    """Return a warning if clients would be refused under the server's own public URL."""
    if settings.oauth_issuer is None:
        return []
    from moviegraph.http.authenticator import public_url

    url = urlsplit(public_url(settings))
    host = url.netloc.lower()
    if is_loopback(url.hostname or "") or allows(settings.allowed_hosts, host):
        return []
    return [
        ConfigWarning(
            f"{host}, the host of the server's public URL, is not an allowed host: unless a proxy "
            "changes the Host header, every request gets status 421.",
            f"Add {host} to MOVIEGRAPH_ALLOWED_HOSTS.",
        )
    ]


def application(
    server: MCPServer[Any],
    host: str,
    port: int,
    additional_hosts: tuple[str, ...],
    config: HttpConfig = OPEN_CONFIG,
    read_tools: frozenset[str] = frozenset(),
    is_draining: Callable[[], bool] = lambda: False,
) -> Any:
    """Return the application; it serves only its own names, against DNS rebinding.

    Args:
        server: The server of the protocol.
        host: Where it listens.
        port: On which port.
        additional_hosts: Host headers of proxies and additional names.
        config: How HTTP is served.
        read_tools: The tools that need no scope but that for reading.
        is_draining: Whether the server finishes its running calls, and takes no new ones.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    from moviegraph.http.authenticator import AuthMiddleware
    from moviegraph.http.middleware import MAX_BODY_BYTES, EntryMiddleware, ErrorMiddleware
    from moviegraph.http.refusals import RefusalLog

    hosts = [*own_hosts(host.lower(), port), *additional_hosts]
    origins = origins_of(hosts, config.origins)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        stateless_http=config.stateless,
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=MAX_SESSIONS,
        session_idle_timeout=SESSION_IDLE_SECONDS,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=origins,
        ),
    )
    app.router.redirect_slashes = False  # it would redirect to whatever Host header was sent
    _add_metadata(app, config)
    log = RefusalLog()
    authenticated = AuthMiddleware(app, config.access, config.rate(), log, read_tools)
    entry = EntryMiddleware(
        _with_cors(authenticated, config.origins),
        lambda name: allows(tuple(hosts), name),
        frozenset(origins),
        is_draining,
        log,
    )
    return ErrorMiddleware(entry)


def _add_metadata(app: Any, config: HttpConfig) -> None:
    from starlette.routing import Route

    metadata = config.access.metadata if config.access else None
    if metadata is not None:
        for path in metadata.paths(PATH):
            app.routes.append(Route(path, metadata.respond, methods=["GET"]))


def _with_cors(app: Any, origins: tuple[str, ...]) -> Any:
    """Return the application with responses that pages of the additional origins may read."""
    if not origins:
        return app
    from starlette.middleware.cors import CORSMiddleware

    return CORSMiddleware(
        app,
        allow_origins=list(origins),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],
        expose_headers=EXPOSED_HEADERS,
    )
