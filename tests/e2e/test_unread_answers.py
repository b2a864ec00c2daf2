"""Clients that send and never read: only they wait."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from fakes.http_clients import MODERN, initialize
from fakes.served_process import KITCHEN, MAIN, PATIENCE, ServerProcess, running_server, until
from mcp import Client

pytestmark = [
    pytest.mark.slow("process"),
    pytest.mark.skipif(sys.platform == "win32", reason="pipes are those of POSIX"),
]

SQL = "SELECT r.Title, r.Method, r.Tip FROM Recipe AS r"
CALLS = 3_000
SILENT = 24


def message(number: int, **more: Any) -> dict[str, Any]:
    params = {"name": "run_readonly_sql", "arguments": {"sql": SQL}, **more}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


HELLO = (initialize(), {"jsonrpc": "2.0", "method": "notifications/initialized"})


@pytest.fixture
def piped(graph_folder: Path, tmp_path: Path) -> "Iterator[subprocess.Popen[bytes]]":
    place = ("--graph", str(graph_folder), "--journal", str(tmp_path / "journal.sqlite"))
    command = [sys.executable, str(MAIN), "serve", *place, *KITCHEN]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        )
    yield process
    process.kill()
    process.wait(PATIENCE)
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with suppress(BrokenPipeError):
            pipe.close()


class Asking(threading.Thread):
    """Writes calls to a server, as fast as it takes them."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        super().__init__(daemon=True)
        assert process.stdin is not None
        self._pipe = process.stdin
        self.written = 0

    def run(self) -> None:
        for request in (*HELLO, *(message(number) for number in range(1, CALLS + 1))):
            try:
                self._pipe.write(json.dumps(request).encode() + b"\n")
                self._pipe.flush()
            except OSError:
                return
            self.written += 1


def test_over_a_pipe_the_server_ends_without_a_reader(
    piped: "subprocess.Popen[bytes]",
) -> None:
    asking = Asking(piped)
    asking.start()
    until(lambda: asking.written > 300, "answers that fill the pipe")
    piped.send_signal(signal.SIGTERM)
    assert piped.wait(PATIENCE) == -signal.SIGTERM


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_client_that_goes_before_it_is_answered_is_one_line_and_no_failure(
    graph_folder: Path, tmp_path: Path, form: str
) -> None:
    place = ("--graph", str(graph_folder), "--journal", str(tmp_path / "journal.sqlite"))
    process = subprocess.Popen(
        [sys.executable, str(MAIN), "serve", *place, *KITCHEN, "--log-format", form],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    with process:
        process.stdin.write(json.dumps(HELLO[0]) + "\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.writelines(json.dumps(request) + "\n" for request in (HELLO[1], message(1)))
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        (errors,) = process.stderr.read().splitlines()
    error_message = (
        json.loads(errors)["message"] if form == "json" else errors.removeprefix("WARNING ")
    )
    assert error_message == "The client disconnected before the response was sent."


@pytest.fixture
def running(graph_folder: Path, tmp_path: Path) -> Iterator[ServerProcess]:
    with running_server(
        tmp_path / "server", "--graph", str(graph_folder), *KITCHEN
    ) as server_address:
        yield server_address


def never_reading(running: ServerProcess) -> socket.socket:
    """Ask over HTTP, again and again on one connection, and never read."""
    host, port = running.address.removeprefix("http://").split(":")
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.connect((host, int(port)))
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = json.dumps(message(1, _meta=meta)).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n"
        f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\n"
        f"Mcp-Name: run_readonly_sql\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection.setblocking(False)
    with suppress(BlockingIOError):
        while connection.send(head.encode() + body):
            continue
    return connection


async def test_over_http_others_are_served_and_the_server_ends(running: ServerProcess) -> None:
    import anyio

    async with Client(running.url) as client:
        await client.call_tool("run_readonly_sql", {"sql": SQL})
        before = psutil.Process(running.process.pid).memory_info().rss
        connections = [never_reading(running) for _ in range(SILENT)]
        with anyio.fail_after(PATIENCE):
            for _ in range(10):
                result = await client.call_tool("run_readonly_sql", {"sql": SQL})
                assert not result.is_error
        grown = psutil.Process(running.process.pid).memory_info().rss - before
    assert grown < 200_000_000
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(PATIENCE) == -signal.SIGTERM
    for connection in connections:
        connection.close()
