"""`moviegraph serve`: the MCP server over stdio or Streamable HTTP."""

from __future__ import annotations

import argparse
import ipaddress
import signal
import socket
from typing import TYPE_CHECKING, Any

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import complain, log_to_stderr
from moviegraph.errors import SettingsError

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from moviegraph.settings import Settings

NAME = "serve"
HELP = "Serve MCP over stdio (default), or over HTTP on this machine."
PATH = "/mcp"
AUTHENTICATION = ("http_tokens", "oauth_issuer", "oauth_audience", "oauth_jwks_url")
HIGHEST_PORT = 65_535
LARGEST_BODY = 1_000_000
MOST_SESSIONS = 1_000
SESSION_IDLE = 900.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--transport", choices=("stdio", "http"), default="stdio")
    parser.add_argument("--host", default="127.0.0.1", help="for http; loopback only")
    parser.add_argument("--port", type=int, default=8765, help="for http; 0 takes a free one")
    add_settings(parser)


def run(parsed: argparse.Namespace) -> int:
    """Serve until the client, or the operator, ends it."""
    log_to_stderr()
    settings = settings_of(parsed)
    if parsed.transport == "http":
        require_loopback(parsed.host)
        refuse_ignored(settings)
        return _serve_http(settings, parsed.host, parsed.port)
    from moviegraph.app import create_server
    from moviegraph.cli.standard_input import mend_standard_input

    mend_standard_input()
    # The SDK's reader of standard input does not end on an interrupt; nothing here needs cleaning.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    create_server(settings, check_graph=True).run("stdio")
    return 0


def require_loopback(host: str) -> None:
    """Raise SettingsError unless only this machine can reach the host."""
    try:
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local:
        raise SettingsError(
            f"--host {host} can be reached from other machines, and this version serves HTTP "
            "without authentication.",
            hint="Use 127.0.0.1, ::1 or localhost.",
        )


def refuse_ignored(settings: Settings) -> None:
    """Raise SettingsError for authentication that was asked for and would not be enforced."""
    asked = [name for name in AUTHENTICATION if getattr(settings, name) is not None]
    if asked:
        raise SettingsError(
            f"MOVIEGRAPH_{asked[0].upper()} is set, and this version serves HTTP without "
            "authentication, on loopback only.",
            hint="Unset it, or put an authenticating proxy in front of the server.",
        )


def _serve_http(settings: Settings, host: str, port: int) -> int:
    from moviegraph.app import create_server
    from moviegraph.cli.http_runner import HttpRunner
    from moviegraph_tools.ending import Ending

    ending = Ending()
    server = create_server(settings, eager=True, check_graph=True, ending=ending)
    listener = _listen(host, port)
    app = application(server, host, listener.getsockname()[1], settings.allowed_hosts)
    with listener:
        complain(f"moviegraph serves {_url(host, listener.getsockname()[1])}{PATH}")
        HttpRunner(app, ending).run(sockets=[listener])
    return 0


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    hint = "Choose another with --port, or --port 0 for a free one."
    if not 0 <= port <= HIGHEST_PORT:
        raise SettingsError(f"There is no port {port}.", hint=hint)
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        message = f"Cannot listen on {host}, port {port}: {error.strerror}."
        raise SettingsError(message, hint=hint) from None


def application(server: MCPServer[Any], host: str, port: int, further: tuple[str, ...]) -> Any:
    """Return the application; it answers to its own names alone, against DNS rebinding."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = dict.fromkeys(("127.0.0.1", "localhost", "[::1]", _bracketed(host)))
    hosts = [f"{name}:{port}" for name in names] + list(further)
    return server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        max_request_body_size=LARGEST_BODY,
        max_sessions=MOST_SESSIONS,
        session_idle_timeout=SESSION_IDLE,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{name}" for name in hosts],
        ),
    )


def _url(host: str, port: int) -> str:
    return f"http://{_bracketed(host)}:{port}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
