"""Sends traces and metrics where the standard OTEL_* variables say; without those, nothing runs.

https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from opentelemetry import metrics, trace

LOG = logging.getLogger("moviegraph")
PREFIX = "OTEL_EXPORTER_OTLP_"
SIGNALS = ("TRACES", "METRICS")
KNOWN = ("otlp", "console")
HTTP = "http/protobuf"
INSTALL = "install moviegraph with the extra `otel`, or unset the OTEL_* variables"


def begin_telemetry(environment: Mapping[str, str]) -> None:
    """Set providers up, once and for the whole process; a fault here keeps nobody from serving."""
    wanted = {signal: _exporter(signal, environment) for signal in SIGNALS}
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true" or not any(wanted.values()):
        return
    if find_spec("opentelemetry.sdk") is None:
        _warn("no OpenTelemetry SDK is installed", INSTALL)
        return
    for signal, exporter in wanted.items():
        if exporter is not None:
            _begin(signal, exporter, environment)


def end_telemetry() -> None:
    """Send what was gathered: a process that ends by a signal does it at no other time."""
    for provider in (trace.get_tracer_provider(), metrics.get_meter_provider()):
        shutdown: Callable[[], Any] | None = getattr(provider, "shutdown", None)
        if shutdown is not None:
            shutdown()


def _exporter(signal: str, environment: Mapping[str, str]) -> str | None:
    """Return which exporter the variables ask for: `otlp` where they only give its address."""
    given = environment.get(f"OTEL_{signal}_EXPORTER", "").strip().lower()
    if given:
        return None if given == "none" else given
    places = (f"{PREFIX}ENDPOINT", f"{PREFIX}{signal}_ENDPOINT")
    return "otlp" if any(environment.get(place) for place in places) else None


def _begin(signal: str, exporter: str, environment: Mapping[str, str]) -> None:
    protocol = environment.get(f"{PREFIX}{signal}_PROTOCOL") or environment.get(f"{PREFIX}PROTOCOL")
    if exporter not in KNOWN:
        known = ", ".join((*KNOWN, "none"))
        _warn(f"OTEL_{signal}_EXPORTER names no exporter that is known here", f"use {known}")
    elif exporter == "otlp" and protocol not in (None, HTTP):
        _warn(f"the protocol {protocol!r} is not spoken here", f"set {PREFIX}PROTOCOL to {HTTP}")
    elif exporter == "otlp" and find_spec("opentelemetry.exporter.otlp.proto.http") is None:
        _warn("the OTLP exporter is not installed", INSTALL)
    elif signal == "TRACES":
        _begin_traces(exporter)
    else:
        _begin_metrics(exporter)


def _begin_traces(exporter: str) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    provider = TracerProvider(resource=_resource())
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

    if exporter == "console":
        reader = PeriodicExportingMetricReader(ConsoleMetricExporter(out=sys.stderr))
    else:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    metrics.set_meter_provider(MeterProvider([reader], resource=_resource()))


def _resource() -> Any:
    from opentelemetry.sdk.resources import Resource

    from moviegraph import __version__

    found = Resource.create({"service.version": __version__})
    if str(found.attributes.get("service.name", "")).startswith("unknown_service"):
        found = found.merge(Resource({"service.name": "moviegraph"}))
    return found


def _warn(fault: str, cure: str) -> None:
    LOG.warning(
        "Nothing is sent to OpenTelemetry: %s; %s.", fault, cure, extra={"facts": {"event": "otel"}}
    )
