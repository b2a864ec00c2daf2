"""`moviegraph serve`: the MCP server over stdio or Streamable HTTP, with its telemetry."""

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
import time
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from importlib.metadata import entry_points
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from opentelemetry import metrics, trace

from moviegraph import __version__
from moviegraph.cli.options import add_settings, settings_of
from moviegraph.cli.streams import log_to_stderr, print_error
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
OTLP = "OTEL_EXPORTER_OTLP_"
RESOURCE = "OTEL_RESOURCE_ATTRIBUTES"
PROTOCOL = "http/protobuf"
COMPONENTS = {
    "OTEL_PROPAGATORS": "opentelemetry_propagator",
    "OTEL_PYTHON_TRACER_PROVIDER": "opentelemetry_tracer_provider",
    "OTEL_PYTHON_METER_PROVIDER": "opentelemetry_meter_provider",
}
SHUTDOWN_SECONDS = 3.0
INSTALL = "install moviegraph with the extra `otel`, or unset the OTEL_* variables"


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
    gc.set_threshold(*GC_THRESHOLDS)
    if parsed.transport == "http":
        require_guarded(parsed.host, settings)
        return _serve_http(settings, parsed.host, parsed.port)
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
    from moviegraph.cli.http_runner import HttpRunner, listen
    from moviegraph.server import create_server
    from moviegraph_tools.call_runner import Shutdown

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


def drop_missing_components(environment: MutableMapping[str, str]) -> None:
    """Remove variables that name a component that is not installed: OpenTelemetry raises on them.

    It raises when the MCP SDK first imports it, or at the first call.
    """
    for variable, group in COMPONENTS.items():
        if variable not in environment:
            continue
        names = [name.strip() for name in environment[variable].split(",")]
        installed = {"none", *(entry.name for entry in entry_points(group=group))}
        if missing := [name for name in names if name not in installed]:
            del environment[variable]
            text = "%s cannot be used, so its default applies: %r is not installed."
            LOG.warning(text, variable, missing[0], extra={"facts": {"event": "otel"}})


def start_telemetry(environment: MutableMapping[str, str]) -> None:
    """Set up the providers of the process; a failure does not prevent serving."""
    drop_missing_components(environment)
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    attributes = (
        f"service.name=moviegraph,service.version={__version__}",
        environment.get(RESOURCE),
    )
    environment[RESOURCE] = ",".join(filter(None, attributes))  # of two values, the last one counts
    for kind in ("TRACES", "METRICS"):
        exporter = _exporter(kind, environment)
        if exporter is not None:
            _start(kind, exporter, environment)


def stop_telemetry(seconds: float = SHUTDOWN_SECONDS) -> None:
    """Send the collected data of both signals at once; what takes longer is lost."""
    deadline = time.monotonic() + seconds
    providers = (trace.get_tracer_provider(), metrics.get_meter_provider())
    shutdowns = (getattr(provider, "shutdown", None) for provider in providers)
    threads = [
        Thread(target=_run_shutdown, args=(call,), daemon=True) for call in shutdowns if call
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


def _run_shutdown(shutdown: Callable[[], Any]) -> None:
    try:
        shutdown()
    except Exception as error:  # noqa: BLE001 - the process stops anyway
        _warn("The last data are not", f"the SDK failed at shutdown ({_describe(error)})")


def _exporter(kind: str, environment: Mapping[str, str]) -> str | None:
    """Return the configured exporter: `otlp` if only its address is set."""
    exporter = environment.get(f"OTEL_{kind}_EXPORTER", "").strip().lower()
    if exporter:
        return None if exporter == "none" else exporter
    endpoints = (f"{OTLP}ENDPOINT", f"{OTLP}{kind}_ENDPOINT")
    return "otlp" if any(environment.get(endpoint) for endpoint in endpoints) else None


def _start(kind: str, exporter: str, environment: Mapping[str, str]) -> None:
    unsent = f"No {kind.lower()} are"
    protocol = environment.get(f"{OTLP}{kind}_PROTOCOL") or environment.get(f"{OTLP}PROTOCOL")
    if exporter != "otlp":
        _warn(unsent, f"set OTEL_{kind}_EXPORTER to otlp or none")
    elif protocol not in (None, PROTOCOL):
        _warn(unsent, f"set {OTLP}PROTOCOL to {PROTOCOL}")
    else:
        try:
            _start_traces() if kind == "TRACES" else _start_metrics()
        except ImportError:
            _warn(unsent, INSTALL)
        except Exception as error:  # noqa: BLE001 - the SDK reads more variables
            _warn(unsent, f"the SDK rejected its configuration ({_describe(error)})")


def _describe(error: Exception) -> str:
    """Return the value that the SDK rejected; other errors may contain what must not be logged."""
    text = str(error) if isinstance(error, ValueError) else type(error).__name__
    return " ".join(text.split()).rstrip(".")


def _start_traces() -> None:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def _start_metrics() -> None:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    # Rejects invalid configuration before there is a reader, whose thread would not stop.
    MeterProvider(shutdown_on_exit=False)
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    metrics.set_meter_provider(MeterProvider([reader], shutdown_on_exit=False))


def _warn(unsent: str, problem: str) -> None:
    facts = {"event": "otel"}
    LOG.warning("%s sent to OpenTelemetry: %s.", unsent, problem, extra={"facts": facts})
