"""What the server counts and measures, through OpenTelemetry; without an SDK it costs nothing.

Names follow the conventions for MCP and for generative AI where those have one, the rest begin with
`moviegraph.`: https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from opentelemetry.metrics import CallbackOptions, Observation, get_meter

if TYPE_CHECKING:
    from opentelemetry.metrics import Counter, Histogram, UpDownCounter

METER = "moviegraph"
# Bounds of the conventions for MCP: calls take from a hundredth of a second to minutes.
DURATIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
APPENDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 10)
TOKENS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)
Attributes = dict[str, str]


@dataclass(frozen=True, slots=True)
class Instruments:
    """The instruments of a process."""

    calls: Histogram
    running: UpDownCounter
    waiting: UpDownCounter
    executions: Counter
    repairs: Counter
    rows: Counter
    tokens: Histogram
    appends: Histogram
    incidents: Counter
    reopenings: Counter


@cache
def instruments() -> Instruments:
    """Return the instruments; a meter provider that is set later hears of them, too."""
    meter = get_meter(METER)
    level = meter.create_up_down_counter
    return Instruments(
        calls=meter.create_histogram(
            "mcp.server.operation.duration",
            "s",
            "Duration of a tool call from arrival to result.",
            explicit_bucket_boundaries_advisory=DURATIONS,
        ),
        running=level("moviegraph.calls.running", "{call}", "Running calls."),
        waiting=level("moviegraph.calls.waiting", "{call}", "Waiting calls."),
        executions=meter.create_counter(
            "moviegraph.executions", "{execution}", "Journal records, by status."
        ),
        repairs=meter.create_counter(
            "moviegraph.repairs", "{attempt}", "Repair attempts, by stage."
        ),
        rows=meter.create_counter("moviegraph.rows", "{row}", "Rows of recorded executions."),
        tokens=meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Tokens reported by a hosted model.",
            explicit_bucket_boundaries_advisory=TOKENS,
        ),
        appends=meter.create_histogram(
            "moviegraph.journal.append.duration",
            "s",
            "Time to append a record to the journal.",
            explicit_bucket_boundaries_advisory=APPENDS,
        ),
        incidents=meter.create_counter(
            "moviegraph.incidents", "{incident}", "Failures that only the operator can fix."
        ),
        reopenings=meter.create_counter(
            "moviegraph.graph.reopenings", "{reopening}", "Attempts to open a replaced graph."
        ),
    )


def measure_call(tool: str, transport: str, seconds: float, code: str | None) -> None:
    """Take the time of one tool call; `code` is that of its error, if it has one."""
    about: Attributes = {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": tool,
        "gen_ai.operation.name": "execute_tool",
        "network.transport": "tcp" if transport == "http" else "pipe",
    }
    instruments().calls.record(seconds, about | ({"error.type": code} if code else {}))


def count_running(change: int) -> None:
    """Count calls that begin or end their work."""
    instruments().running.add(change)


def count_waiting(change: int) -> None:
    """Count calls that begin or end to wait."""
    instruments().waiting.add(change)


def count_execution(tool: str, status: str, code: str | None, rows: int) -> None:
    """Count one record, and its rows."""
    ended = {"gen_ai.tool.name": tool, "moviegraph.status": status}
    instruments().executions.add(1, ended | ({"error.type": code} if code else {}))
    instruments().rows.add(rows, {"gen_ai.tool.name": tool})


def count_repair(method: str, code: str | None) -> None:
    """Count one attempt of a repair; `code` says why it failed, None that it was taken."""
    told = {"moviegraph.method": method, "moviegraph.outcome": "failed" if code else "taken"}
    instruments().repairs.add(1, told)


def measure_tokens(operation: str, model: str, tokens_in: int, tokens_out: int = 0) -> None:
    """Take the tokens of one question to a hosted model."""
    about = {"gen_ai.operation.name": operation, "gen_ai.request.model": model}
    instruments().tokens.record(tokens_in, about | {"gen_ai.token.type": "input"})
    if tokens_out:
        instruments().tokens.record(tokens_out, about | {"gen_ai.token.type": "output"})


def measure_append(seconds: float, *, failed: bool) -> None:
    """Take the time of one append to the journal."""
    instruments().appends.record(seconds, {"error.type": "journal"} if failed else {})


def count_incident(code: str) -> None:
    """Count a failure of which the log says more."""
    instruments().incidents.add(1, {"error.type": code})


def count_reopening(outcome: str) -> None:
    """Count a try to open a graph that was replaced, by what came of it."""
    instruments().reopenings.add(1, {"moviegraph.outcome": outcome})


def observe_sessions(count: Callable[[], int]) -> None:
    """Let the number of open HTTP sessions be asked for."""

    def observed(_: CallbackOptions) -> Iterable[Observation]:
        yield Observation(count())

    get_meter(METER).create_observable_gauge(
        "moviegraph.http.sessions", [observed], "{session}", "Open HTTP sessions."
    )
