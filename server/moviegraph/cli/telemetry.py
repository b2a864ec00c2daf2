"""OpenTelemetry of a server process: its exporters, and what is sent at its end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, MutableMapping
from functools import partial
from importlib.metadata import entry_points
from threading import Thread
from typing import TYPE_CHECKING, Any

from opentelemetry import metrics, trace

from moviegraph import __version__
from moviegraph.cli.streams import print_error
from moviegraph.errors import SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader

    from moviegraph.settings import Settings

LOG = logging.getLogger("moviegraph")
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


def start_telemetry(
    environment: MutableMapping[str, str], settings: Settings | None = None
) -> None:
    """Set up the providers of the process; only metrics for Prometheus prevent serving.

    Raises:
        SettingsError: Their address cannot be used, or the extra `otel` is missing.
    """
    drop_missing_components(environment)
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    attributes = (
        f"service.name=moviegraph,service.version={__version__}",
        environment.get(RESOURCE),
    )
    environment[RESOURCE] = ",".join(filter(None, attributes))  # of two values, the last one counts
    readers: list[MetricReader] = []
    for kind, start in (("TRACES", _start_traces), ("METRICS", partial(_add_otlp, readers))):
        exporter = _exporter(kind, environment)
        if exporter is not None:
            _start(kind, exporter, environment, start)
    if settings is not None and settings.metrics == "prometheus":
        readers.append(_serve_prometheus(settings.metrics_host, settings.metrics_port))
    if readers:
        _start_metrics(readers)


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


def _start(
    kind: str, exporter: str, environment: Mapping[str, str], start: Callable[[], None]
) -> None:
    unsent = f"No {kind.lower()} are"
    protocol = environment.get(f"{OTLP}{kind}_PROTOCOL") or environment.get(f"{OTLP}PROTOCOL")
    if exporter != "otlp":
        _warn(unsent, f"set OTEL_{kind}_EXPORTER to otlp or none")
    elif protocol not in (None, PROTOCOL):
        _warn(unsent, f"set {OTLP}PROTOCOL to {PROTOCOL}")
    else:
        try:
            start()
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


def _add_otlp(readers: list[MetricReader]) -> None:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    # Rejects invalid configuration before there is a reader, whose thread would not stop.
    MeterProvider(shutdown_on_exit=False)
    readers.append(PeriodicExportingMetricReader(OTLPMetricExporter()))


def _serve_prometheus(host: str, port: int) -> MetricReader:
    """Serve the metrics on a thread of their own, and return their reader. Raises SettingsError."""
    try:
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from prometheus_client import start_http_server
    except ImportError:
        raise SettingsError(
            "MOVIEGRAPH_METRICS is set, but the extra `otel` is not installed.",
            hint="Install moviegraph with the extra `otel`, or unset MOVIEGRAPH_METRICS.",
        ) from None
    try:
        start_http_server(port, host)
    except OSError as error:
        raise SettingsError(
            f"Metrics cannot be served on {host}, port {port}: {error.strerror}.",
            hint="Set MOVIEGRAPH_METRICS_PORT or MOVIEGRAPH_METRICS_HOST.",
        ) from None
    print_error(
        f"moviegraph is serving metrics at http://{host}:{port}/metrics",
        event="serving_metrics",
        level=logging.INFO,
    )
    return PrometheusMetricReader()


def _start_metrics(readers: list[MetricReader]) -> None:
    from opentelemetry.sdk.metrics import MeterProvider

    metrics.set_meter_provider(MeterProvider(readers, shutdown_on_exit=False))


def _warn(unsent: str, problem: str) -> None:
    facts = {"event": "otel"}
    LOG.warning("%s sent to OpenTelemetry: %s.", unsent, problem, extra={"facts": facts})
