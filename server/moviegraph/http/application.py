"""The HTTP application of a server: its own names, who is let in, and the protocol behind."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING, Any

from moviegraph.http.body import LARGEST
from moviegraph.http.door import Door
from moviegraph.http.exposure import origins_of, own_hosts

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext

PATH = "/mcp"
MOST_SESSIONS = 1_000
SESSION_IDLE = 900.0
OPEN_DOOR = Door()
TOLD = ["mcp-session-id", "mcp-protocol-version", "www-authenticate", "retry-after"]


def application(
    server: MCPServer[Any],
    host: str,
    port: int,
    further: tuple[str, ...],
    door: Door = OPEN_DOOR,
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

    from moviegraph.http.gate import Gate
    from moviegraph.http.hosts import SmallHosts
    from moviegraph.http.neutral import Neutral
    from moviegraph.http.share import Share

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
    shared = Share(SmallHosts(app), partial(_session_owners, server))
    return Neutral(_readable(Gate(shared, door.access, door.rate()), door.origins))


def _session_owners(server: MCPServer[Any]) -> Collection[AuthorizationContext]:
    """Return whose the open sessions are; the SDK has no public name for them."""
    owners: dict[str, AuthorizationContext] = getattr(server.session_manager, "_session_owners", {})
    return owners.values()


def _add_metadata(app: Any, door: Door) -> None:
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
