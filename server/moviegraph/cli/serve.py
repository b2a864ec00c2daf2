"""`moviegraph serve`: the MCP server over stdio or Streamable HTTP."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING

from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import log_to_stderr, print_error
from moviegraph.cli.telemetry import start_telemetry, stop_telemetry
from moviegraph.http.application import (
    PATH,
    application,
    config_warnings,
    http_config_from,
    require_guarded,
    url_host,
)

if TYPE_CHECKING:
    from moviegraph.settings import Settings

IN_TERMINAL = (
    "moviegraph: waiting for an MCP client on standard input; clients start this command "
    "automatically. Press Ctrl-C to stop. To try it without a client, run: moviegraph demo"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("transport")
    group.add_argument(
        "--transport",
        choices=("stdio", "http"),
        default="stdio",
        help="transport (default: stdio)",
    )
    group.add_argument(
        "--host",
        default="127.0.0.1",
        help="address for http; addresses other than loopback require authentication and allowed "
        "hosts (default: 127.0.0.1)",
    )
    group.add_argument(
        "--port", type=int, default=8765, help="port for http; 0 selects a free one (default: 8765)"
    )
    add_settings(parser)


def run(parsed: argparse.Namespace) -> int:
    """Serve until the client or the operator stops it."""
    settings = settings_of(parsed)
    log_to_stderr(settings.log_format, settings.log_level)
    start_telemetry(os.environ)
    relax_gc()
    if parsed.transport == "http":
        require_guarded(parsed.host, settings)
        return _serve_http(settings, parsed.host, parsed.port)
    from moviegraph.cli.stdio import serve_stdio
    from moviegraph.server import create_server

    if sys.stdin is not None and sys.stdin.isatty():
        print_error(IN_TERMINAL, event="waiting", level=logging.INFO)
    # The SDK's reader of standard input ignores an interrupt, and there is nothing to clean up.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        serve_stdio(create_server(settings, check_graph=True))
    finally:
        stop_telemetry()
    return 0


def _serve_http(settings: Settings, host: str, port: int) -> int:
    from moviegraph.cli.http_runner import HttpRunner, limit_malloc_arenas, listen
    from moviegraph.server import create_server
    from moviegraph_tools.call_runner import Shutdown

    limit_malloc_arenas(os.environ)  # before there are threads
    config = http_config_from(settings)
    for warning in config_warnings(settings):
        print_error(f"moviegraph: {warning}", event="caution", level=logging.WARNING)
    ending = Shutdown()
    server = create_server(settings, eager=True, check_graph=True, ending=ending)
    listener = listen(host, port)
    port = listener.getsockname()[1]
    app = application(server, host, port, settings.allowed_hosts, config)
    with listener:
        text = f"moviegraph is serving at http://{url_host(host)}:{port}{PATH}"
        print_error(text, event="serving", level=logging.INFO)
        HttpRunner(app, ending, proxies=settings.trusted_proxies).run(sockets=[listener])
    return 0


YOUNG, MIDDLE, ALL = 10_000, 10, 10


def relax_gc() -> None:
    """Run the garbage collector less often.

    A full collection takes nearly 0.1 s, for which every call waits; by default there is one every
    few hundred calls.

    Source: https://docs.python.org/3/library/gc.html#gc.set_threshold
    """
    gc.set_threshold(YOUNG, MIDDLE, ALL)
