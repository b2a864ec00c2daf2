"""Sends traces and metrics where the standard OTEL_* variables say; without those, nothing runs.

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
KNOWN = ("otlp", "console")
HTTP = "http/protobuf"
MEND = "fix the OTEL_* variables"
LAST_SECONDS = 3.0
INSTALL = "install moviegraph with the extra `otel`, or unset the OTEL_* variables"


def start_telemetry(environment: MutableMapping[str, str]) -> None:
    """Set providers up, once and for the whole process; a fault here keeps nobody from serving."""
    drop_unknown_exporters(environment)
    wanted = {signal: _exporter(signal, environment) for signal in SIGNALS}
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true" or not any(wanted.values()):
        return
    if find_spec("opentelemetry.sdk") is None:
        _warn("no OpenTelemetry SDK is installed", INSTALL)
        return
    for signal, exporter in wanted.items():
        if exporter is not None:
            _begin(signal, exporter, environment)


def drop_unknown_exporters(environment: MutableMapping[str, str]) -> None:
    """Take names of what is not installed out of the variables that the API itself reads.

    It does so when the MCP SDK first imports it, or at the first call, and fails there.
    """
    for variable, group in CHOSEN.items():
        if variable not in environment:
            continue
        value = environment.pop(variable)
        names = [each for part in value.split(",") if (each := part.strip())]
        known = {each.name for each in entry_points(group=group)}
        known |= {each for each in names if variable == PROPAGATORS and each.lower() == "none"}
        if kept := [each for each in names if each in known]:
            environment[variable] = ",".join(kept)
        if unknown := [each for each in names if each not in known]:
            text = "%s names components that are not installed; they are ignored: %s."
            LOG.warning(text, variable, ", ".join(unknown), extra={"facts": {"event": "otel"}})


def stop_telemetry(seconds: float = LAST_SECONDS) -> None:
    """Send what was gathered, both signals at once; what takes longer than this is lost."""
    deadline = time.monotonic() + seconds
    ends = [_ended(each) for each in (trace.get_tracer_provider(), metrics.get_meter_provider())]
    for thread in ends:
        thread.join(max(0.0, deadline - time.monotonic()))


def _ended(provider: object) -> Thread:
    """Shut a provider down in a thread that holds up nobody's end; those of no SDK have none."""
    thread = Thread(target=_end, args=(provider,), name="telemetry-end", daemon=True)
    thread.start()
    return thread


def _end(provider: object) -> None:
    shutdown: Callable[[], Any] | None = getattr(provider, "shutdown", None)
    try:
        if shutdown is not None:
            shutdown()
    except Exception as error:  # noqa: BLE001 - it ends all the same
        _warn(f"the SDK failed at shutdown ({_told(error)})", MEND, "The last data are not")


def _exporter(signal: str, environment: Mapping[str, str]) -> str | None:
    """Return which exporter the variables ask for: `otlp` where they only give its address."""
    exporter = environment.get(f"OTEL_{signal}_EXPORTER", "").strip().lower()
    if exporter:
        return None if exporter == "none" else exporter
    places = (f"{PREFIX}ENDPOINT", f"{PREFIX}{signal}_ENDPOINT")
    return "otlp" if any(environment.get(place) for place in places) else None


def _begin(signal: str, exporter: str, environment: Mapping[str, str]) -> None:
    protocol = environment.get(f"{PREFIX}{signal}_PROTOCOL") or environment.get(f"{PREFIX}PROTOCOL")
    unsent = f"No {signal.lower()} are"
    if exporter not in KNOWN:
        known = ", ".join((*KNOWN, "none"))
        fault = f"OTEL_{signal}_EXPORTER names an unknown exporter"
        _warn(fault, f"use {known}", unsent)
    elif exporter == "otlp" and protocol not in (None, HTTP):
        cure = f"set {PREFIX}PROTOCOL to {HTTP}"
        _warn(f"the protocol {protocol!r} is not supported", cure, unsent)
    elif exporter == "otlp" and find_spec("opentelemetry.exporter.otlp.proto.http") is None:
        _warn("the OTLP exporter is not installed", INSTALL, unsent)
    else:
        try:
            _begin_traces(exporter) if signal == "TRACES" else _begin_metrics(exporter)
        except Exception as error:  # noqa: BLE001 - the SDK reads variables of its own
            _warn(f"the SDK rejected its configuration ({_told(error)})", MEND, unsent)


def _told(error: Exception) -> str:
    """Return which value the SDK refused; other errors may tell more than a log may hold."""
    text = str(error) if isinstance(error, ValueError) else type(error).__name__
    return " ".join(text.split()).rstrip(".")


def _begin_traces(exporter: str) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    if exporter == "console":  # standard output belongs to the protocol
        provider.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def _begin_metrics(exporter: str) -> None:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import (
        ConsoleMetricExporter,
        PeriodicExportingMetricReader,
    )

    resource = _resource()
    # Refuses what it does not take before there is a reader, whose thread nobody would end.
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


def _warn(fault: str, cure: str, unsent: str = "Nothing is") -> None:
    facts = {"event": "otel"}
    LOG.warning("%s sent to OpenTelemetry: %s; %s.", unsent, fault, cure, extra={"facts": facts})
