"""Observability: metrics, spans, facts of the current call for the log, and reports of failures.

Without an OpenTelemetry SDK, metrics and spans cost nothing. Their names follow the conventions for
MCP, generative AI and database calls where those have one; the others begin with `moviegraph.`:
https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from opentelemetry.metrics import get_meter
from opentelemetry.trace import (
    INVALID_SPAN,
    ProxyTracerProvider,
    SpanKind,
    StatusCode,
    get_tracer_provider,
)

from moviegraph.errors import MoviegraphError, OperatorError
from moviegraph.text import one_line

if TYPE_CHECKING:
    from opentelemetry.trace import Span, TracerProvider

NOTHING: Mapping[str, Any] = MappingProxyType({})
CURRENT: ContextVar[Mapping[str, Any]] = ContextVar("moviegraph_call", default=NOTHING)


@contextmanager
def bind_log_context(**facts: Any) -> Generator[None]:
    """Add these facts to log records inside the block, also in threads that carry it."""
    token = CURRENT.set({**CURRENT.get(), **facts})
    try:
        yield
    finally:
        CURRENT.reset(token)


def log_context() -> Mapping[str, Any]:
    """Return the facts of the call at hand; none outside of a call."""
    return CURRENT.get()


METER = "moviegraph"
Attributes = dict[str, str]
# Bounds of the conventions for MCP: calls take from a hundredth of a second to minutes.
DURATIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
APPENDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 10)
TOKENS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)
HISTOGRAMS = {
    "mcp.server.operation.duration": (
        "s", "Duration of a tool call from arrival to result.", DURATIONS
    ),
    "gen_ai.client.token.usage": ("{token}", "Tokens reported by a hosted model.", TOKENS),
    "moviegraph.journal.append.duration": (
        "s", "Time to append a record to the journal.", APPENDS
    ),
}  # fmt: skip
LEVELS = {
    "moviegraph.calls.running": ("{call}", "Running calls."),
    "moviegraph.calls.waiting": ("{call}", "Waiting calls."),
}
COUNTERS = {
    "moviegraph.executions": ("{execution}", "Journal records, by status."),
    "moviegraph.repairs": ("{attempt}", "Repair attempts, by stage."),
    "moviegraph.rows": ("{row}", "Rows of recorded executions."),
    "moviegraph.incidents": ("{incident}", "Failures that only the operator can fix."),
    "moviegraph.http.refusals": ("{request}", "Refused HTTP requests, by status and reason."),
    "moviegraph.graph.reopenings": ("{reopening}", "Attempts to open a replaced graph."),
}


@cache
def instruments() -> Mapping[str, Any]:
    """Return the instruments by name; they also report to a meter provider that is set later."""
    meter = get_meter(METER)
    histograms = {
        name: meter.create_histogram(
            name, unit, description, explicit_bucket_boundaries_advisory=bounds
        )
        for name, (unit, description, bounds) in HISTOGRAMS.items()
    }
    levels = {name: meter.create_up_down_counter(name, *about) for name, about in LEVELS.items()}
    counters = {name: meter.create_counter(name, *about) for name, about in COUNTERS.items()}
    return {**histograms, **levels, **counters}


def measure_call(tool: str, transport: str, seconds: float, code: str | None) -> None:
    """Record the duration of a tool call, and the code of its error."""
    about: Attributes = {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": tool,
        "gen_ai.operation.name": "execute_tool",
        "network.transport": "tcp" if transport == "http" else "pipe",
    }
    instruments()["mcp.server.operation.duration"].record(
        seconds, about | ({"error.type": code} if code else {})
    )


def count_running(change: int) -> None:
    """Change the number of running calls."""
    instruments()["moviegraph.calls.running"].add(change)


def count_waiting(change: int) -> None:
    """Change the number of waiting calls."""
    instruments()["moviegraph.calls.waiting"].add(change)


def count_execution(tool: str, status: str, code: str | None, rows: int) -> None:
    """Count a journal record and its rows."""
    about = {"gen_ai.tool.name": tool, "moviegraph.status": status}
    instruments()["moviegraph.executions"].add(1, about | ({"error.type": code} if code else {}))
    instruments()["moviegraph.rows"].add(rows, {"gen_ai.tool.name": tool})


def count_repair(method: str, code: str | None) -> None:
    """Count a repair attempt; `code` is that of its failure, None if it was applied."""
    attributes = {"moviegraph.method": method, "moviegraph.outcome": "failed" if code else "taken"}
    instruments()["moviegraph.repairs"].add(1, attributes)


def measure_tokens(operation: str, model: str, tokens_in: int, tokens_out: int = 0) -> None:
    """Record the tokens of a request to a hosted model."""
    tokens = instruments()["gen_ai.client.token.usage"]
    about = {"gen_ai.operation.name": operation, "gen_ai.request.model": model}
    tokens.record(tokens_in, about | {"gen_ai.token.type": "input"})
    if tokens_out:
        tokens.record(tokens_out, about | {"gen_ai.token.type": "output"})


def measure_append(seconds: float, *, failed: bool) -> None:
    """Record the duration of an append to the journal."""
    instruments()["moviegraph.journal.append.duration"].record(
        seconds, {"error.type": "journal"} if failed else {}
    )


def count_incident(code: str) -> None:
    """Count a failure that the log describes."""
    instruments()["moviegraph.incidents"].add(1, {"error.type": code})


def count_reopening(outcome: str) -> None:
    """Count an attempt to open a replaced graph, by its outcome."""
    instruments()["moviegraph.graph.reopenings"].add(1, {"moviegraph.outcome": outcome})


def count_refusal(status: int, reason: str) -> None:
    """Count a refused HTTP request; the reason is one of a few words."""
    about = {"http.response.status_code": str(status), "moviegraph.reason": reason}
    instruments()["moviegraph.http.refusals"].add(1, about)


TRACER = "moviegraph"
Given = ParamSpec("Given")
Value = str | bool | int | float
Result = TypeVar("Result")


class TraceSpan:
    """A running span, to which attributes are added as they become known."""

    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def is_recording(self) -> bool:
        """Whether the span is recorded; otherwise no attribute need be computed."""
        return self._span.is_recording()

    def set_attributes(self, **facts: Value | None) -> None:
        """Set attributes; two underscores are a dot, and None is omitted."""
        if not self.is_recording:
            return
        for name, value in facts.items():
            if value is not None:
                self._span.set_attribute(name.replace("__", "."), value)

    def fail(self, code: str) -> None:
        """Set the status to failed, with the code of the error."""
        self.set_attributes(error__type=code)
        self._span.set_status(StatusCode.ERROR)


NOT_RECORDING = nullcontext(TraceSpan(INVALID_SPAN))


def trace_span(name: str, kind: SpanKind = SpanKind.INTERNAL) -> AbstractContextManager[TraceSpan]:
    """Return a span around the block, if a tracer provider is set.

    An error leaves its code in the span, never its text.
    """
    return _span(get_tracer_provider(), name, kind) if is_tracing() else NOT_RECORDING


def is_tracing() -> bool:
    """Whether a tracer provider is set."""
    return not isinstance(get_tracer_provider(), ProxyTracerProvider)


@contextmanager
def _span(provider: TracerProvider, name: str, kind: SpanKind) -> Generator[TraceSpan]:
    with provider.get_tracer(TRACER).start_as_current_span(
        name, kind=kind, record_exception=False, set_status_on_exception=False
    ) as span:
        trace = TraceSpan(span)
        try:
            yield trace
        except Exception as error:
            is_expected = isinstance(error, MoviegraphError)
            trace.fail(error.code if is_expected else type(error).__qualname__)
            raise


def with_trace_context(
    work: Callable[Given, Result], *arguments: Given.args, **keywords: Given.kwargs
) -> Callable[[], Result]:
    """Return work for another thread, whose spans are children of the current one."""
    return partial(copy_context().run, partial(work, *arguments, **keywords))


LOG = logging.getLogger("moviegraph")


def report(error: BaseException, where: str) -> str:
    """Log an error under a fresh reference, and return the sentence that names the reference."""
    reference = secrets.token_hex(4)
    code = error.code if isinstance(error, MoviegraphError) else "unexpected"
    facts = {"event": "incident", "reference": reference, "where": where, "code": code}
    if isinstance(error, MoviegraphError):
        LOG.error("[%s] %s: %s", reference, where, operator_text(error), extra={"facts": facts})
    else:
        text = "[%s] %s failed unexpectedly"
        LOG.error(text, reference, where, exc_info=error, extra={"facts": facts})
    count_incident(code)
    text = (
        error.generic_message if isinstance(error, OperatorError) else OperatorError.generic_message
    )
    return f"{text}. The operator can find the cause in the log under reference {reference}."


def operator_text(error: MoviegraphError) -> str:
    """Return message and hint in one line."""
    return " ".join(one_line(f"{error.message} {error.hint or ''}").split())
