"""Export of traces and metrics as configured by the standard OTEL_* variables; off without them.

https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping, MutableMapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from threading import Thread
from types import MappingProxyType
from typing import Any

from opentelemetry import metrics, trace

LOG = logging.getLogger("moviegraph")
PREFIX = "OTEL_EXPORTER_OTLP_"
SIGNALS = ("TRACES", "METRICS")
PROPAGATORS = "OTEL_PROPAGATORS"
CHOSEN: Mapping[str, str] = MappingProxyType(
    {
        PROPAGATORS: "opentelemetry_propagator",
        "OTEL_PYTHON_TRACER_PROVIDER": "opentelemetry_tracer_provider",
        "OTEL_PYTHON_METER_PROVIDER": "opentelemetry_meter_provider",
    }
)
EXPORTERS = ("otlp", "console")
HTTP = "http/protobuf"
FIX_VARIABLES = "fix the OTEL_* variables"
SHUTDOWN_SECONDS = 3.0
INSTALL = "install moviegraph with the extra `otel`, or unset the OTEL_* variables"


def start_telemetry(environment: MutableMapping[str, str]) -> None:
    """Set up the providers of the process; a failure does not prevent serving."""
    drop_unknown_exporters(environment)
    exporters = {signal: _exporter(signal, environment) for signal in SIGNALS}
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true" or not any(exporters.values()):
        return
    if find_spec("opentelemetry.sdk") is None:
        _warn("no OpenTelemetry SDK is installed", INSTALL)
        return
    for signal, exporter in exporters.items():
        if exporter is not None:
            _start(signal, exporter, environment)


def drop_unknown_exporters(environment: MutableMapping[str, str]) -> None:
    """Remove names of components that are not installed from the variables of the API.

    The API fails on them when the MCP SDK first imports it, or at the first call.
    """
    for variable, group in CHOSEN.items():
        if variable not in environment:
            continue
        value = environment.pop(variable)
        names = [name for part in value.split(",") if (name := part.strip())]
        known = {entry.name for entry in entry_points(group=group)}
        known |= {name for name in names if variable == PROPAGATORS and name.lower() == "none"}
        if installed := [name for name in names if name in known]:
            environment[variable] = ",".join(installed)
        if unknown := [name for name in names if name not in known]:
            text = "%s names components that are not installed; they are ignored: %s."
            LOG.warning(text, variable, ", ".join(unknown), extra={"facts": {"event": "otel"}})


def stop_telemetry(seconds: float = SHUTDOWN_SECONDS) -> None:
    """Send the collected data of both signals at once; what takes longer is lost."""
    deadline = time.monotonic() + seconds
    providers = (trace.get_tracer_provider(), metrics.get_meter_provider())
    threads = [Thread(target=_shut_down, args=(provider,), daemon=True) for provider in providers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


def _shut_down(provider: object) -> None:
    """Shut a provider down; those of the API have no such method."""
    shutdown: Callable[[], Any] | None = getattr(provider, "shutdown", None)
    try:
        if shutdown is not None:
            shutdown()
    except Exception as error:  # noqa: BLE001 - the process stops anyway
        _warn(
            f"the SDK failed at shutdown ({_describe(error)})",
            FIX_VARIABLES,
            "The last data are not",
        )


def _exporter(signal: str, environment: Mapping[str, str]) -> str | None:
    """Return the configured exporter: `otlp` if only its address is set."""
    exporter = environment.get(f"OTEL_{signal}_EXPORTER", "").strip().lower()
    if exporter:
        return None if exporter == "none" else exporter
    endpoints = (f"{PREFIX}ENDPOINT", f"{PREFIX}{signal}_ENDPOINT")
    return "otlp" if any(environment.get(endpoint) for endpoint in endpoints) else None


def _start(signal: str, exporter: str, environment: Mapping[str, str]) -> None:
    protocol = environment.get(f"{PREFIX}{signal}_PROTOCOL") or environment.get(f"{PREFIX}PROTOCOL")
    unsent = f"No {signal.lower()} are"
    if exporter not in EXPORTERS:
        problem = f"OTEL_{signal}_EXPORTER names an unknown exporter"
        _warn(problem, f"use {', '.join((*EXPORTERS, 'none'))}", unsent)
    elif exporter == "otlp" and protocol not in (None, HTTP):
        fix = f"set {PREFIX}PROTOCOL to {HTTP}"
        _warn(f"the protocol {protocol!r} is not supported", fix, unsent)
    elif exporter == "otlp" and find_spec("opentelemetry.exporter.otlp.proto.http") is None:
        _warn("the OTLP exporter is not installed", INSTALL, unsent)
    else:
        try:
            _start_traces(exporter) if signal == "TRACES" else _start_metrics(exporter)
        except Exception as error:  # noqa: BLE001 - the SDK reads more variables
            _warn(f"the SDK rejected its configuration ({_describe(error)})", FIX_VARIABLES, unsent)


def _describe(error: Exception) -> str:
    """Return the value that the SDK rejected; other errors may contain what must not be logged."""
    text = str(error) if isinstance(error, ValueError) else type(error).__name__
    return " ".join(text.split()).rstrip(".")


def _start_traces(exporter: str) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    if exporter == "console":  # standard output belongs to the protocol
        provider.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def _start_metrics(exporter: str) -> None:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import (
        ConsoleMetricExporter,
        PeriodicExportingMetricReader,
    )

    resource = _resource()
    # Rejects invalid configuration before there is a reader, whose thread would not stop.
    MeterProvider(resource=resource, shutdown_on_exit=False)
    if exporter == "console":
        reader = PeriodicExportingMetricReader(ConsoleMetricExporter(out=sys.stderr))
    else:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    provider = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    metrics.set_meter_provider(provider)


def _resource() -> Any:
    from opentelemetry.sdk.resources import Resource

    from moviegraph import __version__

    resource = Resource.create({"service.version": __version__})
    if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "moviegraph"}))
    return resource


def _warn(problem: str, fix: str, unsent: str = "Nothing is") -> None:
    facts = {"event": "otel"}
    LOG.warning("%s sent to OpenTelemetry: %s; %s.", unsent, problem, fix, extra={"facts": facts})
