"""Traces and metrics of calls, heard by exporters in memory and by a collector on loopback."""

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from e2e.conftest import Scripted
from fakes.fake_openai import FakeOpenAI
from fakes.gated_engine import GatedEngine
from fakes.scripted_engine import ScriptedEngine
from fakes.served_process import KITCHEN, PATIENCE, running_server
from mcp import Client
from opentelemetry import metrics as api_metrics
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector

from moviegraph import __version__, observability
from moviegraph.cli.telemetry import start_telemetry, stop_telemetry
from moviegraph.embeddings.opening import open_embedder
from moviegraph.errors import JournalError
from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

SQL = {"sql": "SELECT r.Title FROM Recipe AS r WHERE r.Title = 'hunter2' OR r.Vegan = 1"}
TYPO = {"sql": "SELECT r.Titel FROM Recipes AS r"}
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


@pytest.fixture
def metric_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemoryMetricReader]:
    """The metrics of this test, in a separate meter."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    monkeypatch.setattr(observability, "get_meter", provider.get_meter)
    observability.instruments.cache_clear()
    yield reader
    observability.instruments.cache_clear()
    provider.shutdown()


def points(reader: InMemoryMetricReader, name: str) -> list[tuple[dict[str, Any], Any]]:
    """Return attributes and value of each point of a metric: of a histogram, how many it holds."""
    metrics_data = reader.get_metrics_data()
    every = [
        metric
        for resource in (metrics_data.resource_metrics if metrics_data else [])
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == name
    ]
    return [
        (dict(point.attributes or {}), getattr(point, "count", None) or getattr(point, "value", 0))
        for metric in every
        for point in metric.data.data_points
    ]


async def test_calls_are_timed_by_tool_and_by_how_they_ended(
    session: Session, metric_reader: InMemoryMetricReader
) -> None:
    async with Client(create_server(Settings(), session=session)) as client:
        for _ in range(3):
            await client.call_tool("run_readonly_sql", SQL)
        await client.call_tool("run_readonly_sql", {"sql": "DROP TABLE Recipe"})
    measured = points(metric_reader, "mcp.server.operation.duration")
    common = {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "run_readonly_sql",
        "gen_ai.operation.name": "execute_tool",
        "network.transport": "pipe",
    }
    assert (common, 3) in measured
    assert (common | {"error.type": "not_select"}, 1) in measured


async def test_executions_rows_and_repairs_are_counted(
    session: Session, metric_reader: InMemoryMetricReader
) -> None:
    async with Client(create_server(Settings(), session=session)) as client:
        rows: Any = (await client.call_tool("run_readonly_sql", SQL)).structured_content
        await client.call_tool("fix_sql", TYPO)
        await client.call_tool("run_readonly_sql", {"sql": "DROP TABLE Recipe"})
    tool = {"gen_ai.tool.name": "run_readonly_sql"}
    executions = points(metric_reader, "moviegraph.executions")
    assert (tool | {"moviegraph.status": "ok"}, 1) in executions
    refused = {"moviegraph.status": "refused", "error.type": "not_select"}
    assert (tool | refused, 1) in executions
    assert (tool, rows["row_count"]) in points(metric_reader, "moviegraph.rows")
    attributes = {"moviegraph.method": "rules", "moviegraph.outcome": "taken"}
    assert attributes in [measured for measured, _ in points(metric_reader, "moviegraph.repairs")]
    ((_, appended),) = points(metric_reader, "moviegraph.journal.append.duration")
    assert appended == 3


async def test_calls_at_work_and_in_the_queue_are_counted_up_and_down(
    session: Session, metric_reader: InMemoryMetricReader
) -> None:
    engine = GatedEngine("held")
    blocking_query = {"sql": "SELECT COUNT(*) AS n FROM Recipe WHERE Title = 'held'"}
    settings = Settings(max_running=1, max_waiting=1)
    served_now = create_server(settings, session=replace(session, engine=engine))
    async with Client(served_now) as client, anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "run_readonly_sql", blocking_query)
        await anyio.to_thread.run_sync(engine.arrived.get, True, PATIENCE)
        group.start_soon(client.call_tool, "run_readonly_sql", blocking_query)
        with anyio.fail_after(PATIENCE):
            while points(metric_reader, "moviegraph.calls.waiting") != [({}, 1)]:
                await anyio.lowlevel.checkpoint()
        assert points(metric_reader, "moviegraph.calls.running") == [({}, 1)]
        busy: Any = (await client.call_tool("run_readonly_sql", SQL)).structured_content
        assert busy["error"]["code"] == "busy"
        engine.let_go()
        await anyio.to_thread.run_sync(engine.arrived.get, True, PATIENCE)
        engine.let_go()
    assert points(metric_reader, "moviegraph.calls.running") == [({}, 0)]
    assert points(metric_reader, "moviegraph.calls.waiting") == [({}, 0)]
    codes = [
        measured.get("error.type")
        for measured, _ in points(metric_reader, "mcp.server.operation.duration")
    ]
    assert "busy" in codes


async def test_incidents_are_counted_by_code(
    scripted: Scripted, metric_reader: InMemoryMetricReader
) -> None:
    async with Client(scripted(ScriptedEngine(JournalError("no room")))) as client:
        await client.call_tool("run_readonly_sql", SQL)
    assert ({"error.type": "journal"}, 1) in points(metric_reader, "moviegraph.incidents")


def test_tokens_of_a_hosted_embedder_are_taken(metric_reader: InMemoryMetricReader) -> None:
    fake = FakeOpenAI(api_key="key")
    with fake.loopback() as address:
        embedder = open_embedder(
            "openai:text-embedding-3-small",
            base_url=f"{address}/v1",
            api_key="key",
            dimensions=16,
        )
        embedder.embed(["a soup"])
    (measured, count), *_ = points(metric_reader, "gen_ai.client.token.usage")
    assert (measured["gen_ai.operation.name"], measured["gen_ai.token.type"]) == (
        "embeddings",
        "input",
    )
    assert count == 1


def test_refusals_are_counted_by_status_and_reason(metric_reader: InMemoryMetricReader) -> None:
    observability.count_refusal(401, "expired")
    labels = {"http.response.status_code": "401", "moviegraph.reason": "expired"}
    assert points(metric_reader, "moviegraph.http.refusals") == [(labels, 1)]


class Collector(ThreadingHTTPServer):
    """Takes what is sent by OTLP over HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.taken: dict[str, bytes] = {}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Taking(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        assert isinstance(self.server, Collector)
        received = self.server.taken
        received[self.path] = received.get(self.path, b"") + body
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def collecting() -> Generator[Collector]:
    collector = Collector()
    thread = threading.Thread(target=collector.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        collector.shutdown()
        collector.server_close()
        thread.join(PATIENCE)


@pytest.mark.slow("process")
async def test_the_standard_variables_send_traces_and_metrics_and_take_over_a_trace(
    graph_folder: Path, tmp_path: Path
) -> None:
    with collecting() as collector:
        environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address}
        place = ("--graph", str(graph_folder), "--log-format", "json", "--log-level", "info")
        with running_server(
            tmp_path / "server", *place, *KITCHEN, environment=environment
        ) as running:
            async with Client(running.url) as client:
                meta: Any = {"traceparent": PARENT}
                await client.call_tool("run_readonly_sql", SQL, meta=meta)
            (call,) = running.records("call")
        received = collector.taken
    assert call["trace_id"] == TRACE
    traces, measured = received["/v1/traces"], received["/v1/metrics"]
    assert bytes.fromhex(TRACE) in traces
    assert b"tools/call run_readonly_sql" in traces
    assert b"hunter2" not in traces
    for name in (b"mcp.server.operation.duration", b"moviegraph.executions"):
        assert name in measured
    assert b"moviegraph" in traces.split(b"service.name", 1)[1][:40]


@pytest.mark.slow("process")
async def test_the_trace_of_a_header_is_taken_over(graph_folder: Path, tmp_path: Path) -> None:
    import httpx2 as httpx
    from mcp.client.streamable_http import streamable_http_client

    with collecting() as collector:
        environment = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{collector.address}/v1/traces"}
        place = ("--graph", str(graph_folder), "--log-format", "json", "--log-level", "info")
        with running_server(
            tmp_path / "server", *place, *KITCHEN, environment=environment
        ) as running:
            async with httpx.AsyncClient(headers={"traceparent": PARENT}) as http:
                transport = streamable_http_client(running.url, http_client=http)
                async with Client(transport) as client:
                    await client.call_tool("run_readonly_sql", SQL)
            (call,) = running.records("call")
    assert call["trace_id"] == TRACE
    assert "/v1/metrics" not in collector.taken


WITHOUT = [
    pytest.param({}, None, id="not asked for"),
    pytest.param({"OTEL_TRACES_EXPORTER": "none"}, None, id="asked for nothing"),
    pytest.param(
        {"OTEL_TRACES_EXPORTER": "zipkin"},
        "set OTEL_TRACES_EXPORTER to otlp or none",
        id="unknown exporter",
    ),
    pytest.param(
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"},
        None,
        id="disabled",
    ),
    pytest.param(
        {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
        "set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf",
        id="another protocol",
    ),
]


@pytest.mark.parametrize(("environment", "says"), WITHOUT)
def test_what_cannot_be_sent_is_said_and_nothing_else_happens(
    environment: dict[str, str], says: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    start_telemetry(environment)
    records = [record.getMessage() for record in caplog.records]
    assert len(records) == bool(says)
    assert all(says and says in record for record in records)


@pytest.mark.parametrize(
    ("signal", "variable", "value"),
    [
        ("TRACES", "OTEL_BSP_MAX_QUEUE_SIZE", "0"),
        ("TRACES", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "-3"),
        ("METRICS", "OTEL_METRIC_EXPORT_INTERVAL", "0"),
        ("METRICS", "OTEL_METRICS_EXEMPLAR_FILTER", "some"),
    ],
)
def test_a_value_that_the_sdk_rejects_is_reported_and_does_not_prevent_serving(
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    signal: str,
    variable: str,
    value: str,
) -> None:
    monkeypatch.setenv(variable, value)
    threads = set(threading.enumerate())
    start_telemetry({f"OTEL_{signal}_EXPORTER": "otlp", variable: value})
    (record,) = (record.getMessage() for record in caplog.records)
    assert record.startswith(
        f"No {signal.lower()} are sent to OpenTelemetry: the SDK rejected its configuration"
    )
    assert set(threading.enumerate()) <= threads


@pytest.mark.parametrize(
    ("attributes", "name"), [("", "moviegraph"), ("service.name=films,deployment=a", "films")]
)
def test_data_state_the_version_and_the_name_that_the_operator_chose(
    monkeypatch: pytest.MonkeyPatch, attributes: str, name: str
) -> None:
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", attributes)
    start_telemetry(os.environ)
    resource = OTELResourceDetector().detect()
    assert resource.attributes["service.name"] == name
    assert resource.attributes["service.version"] == __version__
    assert ("deployment" in resource.attributes) == ("deployment" in attributes)


class Shutdown:
    """A provider that cannot send what it holds, and waits for a collector."""

    def __init__(self) -> None:
        self.begun, self.answered = threading.Event(), threading.Event()

    def shutdown(self) -> None:
        self.begun.set()
        self.answered.wait(PATIENCE)


def test_a_collector_that_does_not_answer_holds_up_the_end_only_so_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    traces, measured = Shutdown(), Shutdown()
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: traces)
    monkeypatch.setattr(api_metrics, "get_meter_provider", lambda: measured)
    stop_telemetry(0.01)
    assert traces.begun.wait(PATIENCE)
    assert measured.begun.wait(PATIENCE), "neither waits for the other"
    assert not traces.answered.is_set()
    traces.answered.set()
    measured.answered.set()


def test_without_the_extra_the_operator_learns_what_to_install(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
    monkeypatch.setitem(sys.modules, package, None)
    start_telemetry({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector.example:4318"})
    (record,) = (record.getMessage() for record in caplog.records)
    assert "extra `otel`" in record
    assert "collector" not in record


ROOT = Path(__file__).parents[2]


def test_the_page_of_operations_names_what_there_is() -> None:
    page = (ROOT / "docs" / "guides" / "operations.md").read_text(encoding="utf-8")
    first_cells = re.findall(r"^\|(`[^|]+)\|", page, re.MULTILINE)
    documented_names = {name for cell in first_cells for name in re.findall("`([^`]+)`", cell)}
    code = "".join(
        path.read_text(encoding="utf-8")
        for root in ("server/moviegraph", "tools/moviegraph_tools")
        for path in (ROOT / root).rglob("*.py")
    )
    message = set(re.findall(r'\bevent"?[:=] ?"(\w+)"', code)) | set(
        re.findall(r'"((?:moviegraph|mcp|gen_ai)\.[a-z_.]+)"', code)
    )
    assert len(documented_names) > 8
    assert documented_names - {"log"} <= message


@pytest.mark.slow("process")
def test_nothing_of_an_sdk_is_imported_unless_it_is_asked_for() -> None:
    program = (
        "import json, sys, moviegraph.cli.commands, moviegraph.server; "
        "from moviegraph.cli.telemetry import start_telemetry; start_telemetry({}); "
        "print(json.dumps([name for name in sys.modules if name.startswith('opentelemetry.sdk')]))"
    )
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert json.loads(completed.stdout) == []


@pytest.mark.slow("process")
@pytest.mark.parametrize("command", ["serve", "check"])
@pytest.mark.parametrize(
    "variable", ["OTEL_PROPAGATORS", "OTEL_PYTHON_TRACER_PROVIDER", "OTEL_PYTHON_METER_PROVIDER"]
)
def test_a_component_that_is_not_installed_is_reported_and_prevents_nothing(
    variable: str, command: str
) -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "moviegraph", command, *KITCHEN],
        env={**os.environ, variable: "tracecontext, pigeon"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{variable} cannot be used" in completed.stderr
    assert "Traceback" not in completed.stderr
