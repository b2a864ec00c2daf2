"""`moviegraph serve`: the MCP server over stdio or Streamable HTTP."""

from __future__ import annotations

import argparse
import gc
import io
import json
import logging
import os
import re
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

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
    from mcp.server import MCPServer

    from moviegraph.settings import Settings

LOG = logging.getLogger("moviegraph")
IN_TERMINAL = (
    "moviegraph: waiting for an MCP client on standard input; clients start this command "
    "automatically. Press Ctrl-C to stop. To try it without a client, run: moviegraph demo"
)

# A full collection stops every call for nearly 0.1 s. With thresholds of Python it runs every few
# hundred calls: the 99th percentile of 16 clients was 150 ms, and is 70 ms with these.
GC_THRESHOLDS = (10_000, 10, 10)

ESCAPED = re.compile(rb"\\ud[89a-f]", re.IGNORECASE)
SURROGATE = re.compile("[\ud800-\udfff]")
NUL_ESCAPED = r"\\u0000"


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
    log_to_stderr(settings)
    start_telemetry(os.environ, settings)
    gc.set_threshold(*GC_THRESHOLDS)
    if parsed.transport == "http":
        require_guarded(parsed.host, settings)
        return _serve_http(settings, parsed.host, parsed.port)
    from moviegraph.server import create_server

    if sys.stdin.isatty():
        print_error(IN_TERMINAL, event="waiting", level=logging.INFO)
    # The SDK's reader of standard input ignores an interrupt, and there is nothing to clean up.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        serve_stdio(create_server(settings, check_graph=True))
    finally:
        stop_telemetry()
    return 0


def _serve_http(settings: Settings, host: str, port: int) -> int:
    from moviegraph.cli.http_runner import HttpRunner, listen
    from moviegraph.server import create_server
    from moviegraph_tools.call_runner import Shutdown

    config = http_config_from(settings)
    for warning in config_warnings(settings, host):
        print_error(f"moviegraph: {warning}", event="caution", level=logging.WARNING)
    ending = Shutdown()
    server = create_server(settings, eager=True, check_graph=True, ending=ending)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, _ignore_hangup)
    listener = listen(host, port)
    port = listener.getsockname()[1]
    app = application(
        server,
        host,
        port,
        settings.allowed_hosts,
        config,
        server.read_tools,
        lambda: ending.has_started,
    )
    with listener:
        text = f"moviegraph is serving at http://{url_host(host)}:{port}{PATH}"
        print_error(text, event="serving", level=logging.INFO)
        HttpRunner(app, ending, proxies=settings.trusted_proxies).run(sockets=[listener])
    return 0


def _ignore_hangup(*_: object) -> None:
    """Go on: a terminal that closes, or a supervisor that wants a reload, must not end calls."""
    text = "SIGHUP: token file and graph are read again when they change; for settings, restart."
    LOG.warning(text, extra={"facts": {"event": "hangup"}})


def sanitize_stdin() -> None:
    """Make every message readable: the SDK drops lone surrogates, and the client would wait."""
    lines = io.BufferedReader(SanitizedLines(sys.stdin.buffer))
    sys.stdin = io.TextIOWrapper(lines, encoding="utf-8", errors="replace")


class SanitizedLines(io.RawIOBase):
    """The lines of a stream, sanitized one by one."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._left = b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, target: Any, /) -> int:
        """Fill the target with the rest of a line, or with the next one."""
        view = memoryview(target)
        line = self._left or sanitize_line(self._source.readline())
        part = line[: len(view)]
        view[: len(part)] = part
        self._left = line[len(part) :]
        return len(part)


def sanitize_line(line: bytes) -> bytes:
    """Return a line with NUL for each lone surrogate; no argument of a tool accepts NUL."""
    if not ESCAPED.search(line):
        return line
    try:
        message = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return SURROGATE.sub(NUL_ESCAPED, message).encode() + b"\n"


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until the client closes standard input, or no longer reads responses."""
    with suppress(AttributeError, OSError, ValueError):  # no such function, or no descriptor
        os.set_blocking(sys.stdout.fileno(), True)  # a client may share the pipe, and not block
    sanitize_stdin()
    try:
        server.run("stdio")
    except* (BrokenPipeError, ConnectionResetError):
        facts = {"event": "client_gone"}
        LOG.warning("The client disconnected before the response was sent.", extra={"facts": facts})
