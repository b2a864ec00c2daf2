"""Logs of the command: one line per record, the call's id, and no content of questions."""

import json
import logging
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.http_clients import call, post
from fakes.raw_http import exchange
from fakes.served_process import KITCHEN, MAIN, PATIENCE, ServerProcess, running_server
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from moviegraph.cli.streams import JsonFormatter, RepeatFilter, TextFormatter
from moviegraph.errors import GraphError
from moviegraph.observability import report

pytestmark = pytest.mark.slow("process")

LIBRARY = "uvicorn.error"
SECRET = "hunter2"
SQL = {"sql": f"SELECT COUNT(*) AS n FROM Recipe WHERE Title = '{SECRET}'"}
REFUSED = {"sql": f"DROP TABLE Recipe -- {SECRET}"}
FOREIGN = {"query": f"a soup of {SECRET}"}
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def running(graph_folder: Path, tmp_path: Path) -> Iterator[ServerProcess]:
    arguments = ("--graph", str(graph_folder), "--log-format", "json", "--log-level", "info")
    with running_server(tmp_path / "server", *arguments, *KITCHEN) as server_address:
        yield server_address


async def test_each_call_is_one_line_that_says_how_it_ended(running: ServerProcess) -> None:
    async with Client(running.url) as client:
        rows: Any = (await client.call_tool("run_readonly_sql", SQL)).structured_content
        await client.call_tool("run_readonly_sql", REFUSED)
        failed: Any = (await client.call_tool("semantic_search", FOREIGN)).structured_content
        await client.call_tool("get_records", {"kind": SECRET})

    calls = running.records("call")
    assert [(call["tool"], call["status"], call.get("code")) for call in calls] == [
        ("run_readonly_sql", "ok", None),
        ("run_readonly_sql", "failed", "not_select"),
        ("semantic_search", "failed", "internal_error"),
        ("get_records", "failed", "invalid_argument"),
    ]
    first = calls[0]
    assert first["execution_id"] == rows["execution_id"]
    assert (first["rows"], first["level"], first["owner"]) == (1, "info", "local")
    assert (first["transport"], first["logger"]) == ("http", "moviegraph")
    assert TIMESTAMP.fullmatch(first["time"])
    assert first["elapsed_ms"] > 0
    assert len({call["request_id"] for call in calls}) == len(calls)

    reference = failed["error"]["message"].split("reference ")[1].rstrip(".")
    (incident,) = running.records("incident")
    assert (incident["reference"], incident["code"]) == (reference, "vector_space")
    assert incident["request_id"] == calls[2]["request_id"]
    assert SECRET not in running.log


async def test_an_id_of_a_request_fills_no_log(running: ServerProcess) -> None:
    post(running.address, sent=call("run_readonly_sql", SQL) | {"id": "x" * 100_000})
    (message,) = running.records("call")
    assert message["request_id"] == "x" * 64


def test_what_is_no_request_fills_no_log(running: ServerProcess) -> None:
    for _ in range(20):
        assert exchange(running.address, b"no request\r\n\r\n").status == 400
    records = [record for record in running.records("log") if record["logger"] == LIBRARY]
    assert [record["message"] for record in records] == ["Invalid HTTP request received."]


def test_a_minute_later_the_log_says_how_much_was_left_out() -> None:
    now, sparing = [0.0], RepeatFilter(lambda: now[0])

    def logged(text: str, level: int = logging.WARNING, name: str = LIBRARY) -> str | None:
        record = logging.LogRecord(name, level, f"{text[:4]}.py", 1, text, None, None)
        return TextFormatter().format(record) if sparing.filter(record) else None

    assert [logged("Invalid.") for _ in range(9)] == ["WARNING Invalid.", *[None] * 8]
    assert logged("Another.") == "WARNING Another."
    sessions = [logged(f"Full: {count} sessions.", name="mcp.server") for count in (8, 9)]
    assert sessions == ["WARNING Full: 8 sessions.", None]
    assert [logged("An error.", logging.ERROR) for _ in range(2)] == ["ERROR An error."] * 2
    assert [logged("Ours.", name="moviegraph") for _ in range(2)] == ["WARNING Ours."] * 2
    now[0] = 60.0
    assert [logged("Invalid.") for _ in range(2)] == ["WARNING Invalid. left_out=8", None]
    now[0] = 120.0
    assert logged("Another.") == "WARNING Another."


async def test_every_line_of_the_log_is_an_object_also_those_of_libraries(
    running: ServerProcess,
) -> None:
    host, port = running.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), PATIENCE) as connection:
        connection.sendall(b"no request\r\n\r\n")
        assert b"400" in connection.recv(1000)
    first, *further = [json.loads(line) for line in running.log.splitlines()]
    assert (first["event"], first["level"], first["logger"]) == ("serving", "info", "moviegraph")
    assert first["message"] == f"moviegraph is serving at {running.url}"
    assert [record["logger"] for record in further] == ["uvicorn.error"]


async def test_standard_output_stays_the_protocols(graph_folder: Path, tmp_path: Path) -> None:
    place = ("--graph", str(graph_folder), "--journal", str(tmp_path / "journal.sqlite"))
    arguments = [str(MAIN), "serve", *place, *KITCHEN, "--log-level", "debug"]
    parameters = StdioServerParameters(command=sys.executable, args=arguments)
    log = tmp_path / "log"
    with log.open("w") as errors:
        async with Client(stdio_client(parameters, errlog=errors)) as client:
            assert not (await client.call_tool("run_readonly_sql", SQL)).is_error
    (line,) = [line for line in log.read_text().splitlines() if line.startswith("INFO call")]
    assert "tool=run_readonly_sql" in line
    assert "transport=stdio" in line
    assert SECRET not in line


def record(message: str, *args: Any, **more: Any) -> logging.LogRecord:
    logrecord = logging.LogRecord("moviegraph", logging.ERROR, __file__, 1, message, args, None)
    logrecord.__dict__.update(more)
    return logrecord


HOSTILE = "a\nERROR forged\r\n\x1b[2J\u2028\u202eb\x00"


@pytest.mark.parametrize("lines", [TextFormatter(), JsonFormatter()], ids=["text", "json"])
def test_no_text_can_forge_a_line_or_move_the_cursor(lines: logging.Formatter) -> None:
    message = lines.format(record("%s", HOSTILE, facts={"event": "x", "where": HOSTILE}))
    assert len(message.splitlines()) == 1
    assert message.isprintable()
    assert "forged" in message


@pytest.mark.parametrize("lines", [TextFormatter(), JsonFormatter()], ids=["text", "json"])
def test_an_unexpected_error_is_reported_by_type_and_place_and_not_by_its_text(
    lines: logging.Formatter,
) -> None:
    with pytest.raises(RuntimeError) as caught:
        try:
            json.loads(SECRET)
        except ValueError as error:
            raise RuntimeError(f"of {SECRET}") from error
    created = record("failed")
    created.exc_info = (caught.type, caught.value, caught.tb)
    message = lines.format(created)
    assert "RuntimeError at test_an_unexpected_error" in message
    assert "JSONDecodeError at raw_decode" in message
    assert SECRET not in message
    assert len(message.splitlines()) == 1


def test_an_incident_can_be_found_by_its_reference(caplog: pytest.LogCaptureFixture) -> None:
    sentence = report(GraphError("It is gone.", hint="Load it."), "get_records")
    (created,) = caplog.records
    reference = sentence.split("reference ")[1].rstrip(".")
    assert json.loads(JsonFormatter().format(created)) | {"time": ""} == {
        "time": "",
        "level": "error",
        "event": "incident",
        "logger": "moviegraph",
        "message": f"[{reference}] get_records: It is gone. Load it.",
        "reference": reference,
        "where": "get_records",
        "code": "graph",
    }
    assert (
        TextFormatter().format(created)
        == f"ERROR [{reference}] get_records: It is gone. Load it. code=graph"
    )
