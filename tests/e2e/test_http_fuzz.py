"""Nothing that arrives over HTTP crashes the server, hangs it, or makes it tell of its inside.

`MOVIEGRAPH_FUZZ_ROUNDS` is how many mutated messages are sent, `MOVIEGRAPH_FUZZ_SEED` which ones.
"""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fakes.http_clients import MODERN
from fakes.malformed_requests import (
    BODIES,
    CALLS,
    HEADERS,
    HELLO,
    INSIDE,
    JSON,
    METHODS,
    PATHS,
    ROUNDS,
    SEED,
    call,
    framings,
    head,
    message,
    modern,
    mutations,
    request,
)
from fakes.raw_http import Answer, exchange
from fakes.served_process import KITCHEN, ServerProcess
from fakes.served_process import running_server as serving

from moviegraph.http.application import MAX_SESSIONS

pytestmark = pytest.mark.slow("fuzzing")

SESSIONS = 1_100
IDLE_CONNECTIONS = 60
MAX_GROWTH = 200.0  # megabytes
BUSY = (408, 429, 503)


@pytest.fixture(scope="module")
def running_server(
    graph_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("fuzz")
    with serving(folder, "--graph", str(graph_folder), *KITCHEN) as server:
        for _ in range(200):
            if (
                exchange(
                    server.address, head(server.address, method="GET", path="/readyz", headers=[])
                ).status
                == 200
            ):
                break
        yield server


@pytest.fixture(autouse=True)
def sound(running_server: ServerProcess) -> Iterator[None]:
    """After each test the server is alive, answers, and has not swollen."""
    before = running_server.megabytes
    yield
    assert running_server.process.poll() is None
    assert_served(running_server.address)
    assert running_server.megabytes - before < MAX_GROWTH
    assert "failed unexpectedly" not in running_server.log


def assert_served(address: str) -> None:
    """Assert that a legitimate call is answered."""
    sql = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
    result = exchange(address, call(address, "run_readonly_sql", sql))
    assert result.status == 200, result
    assert json.loads(result.body)["result"]["structuredContent"]["rows"] == [[8]]


def proper(answer: Answer, *, silent: bool = False) -> None:
    """An answer came in time, tells nothing of the inside, and is no internal error."""
    assert silent or not answer.timed_out
    assert answer.status < 500 or answer.status in BUSY, answer
    match = INSIDE.search(answer.text)
    assert match is None, (match, answer)


@pytest.mark.parametrize("name", BODIES)
def test_a_body(running_server: ServerProcess, name: str) -> None:
    address = running_server.address
    modern = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/list")]
    for headers in (JSON, [*JSON, *modern]):
        answer = exchange(address, request(address, BODIES[name], headers))
        proper(answer)
        assert 400 <= answer.status < 500


@pytest.mark.parametrize("name", CALLS)
def test_a_call(running_server: ServerProcess, name: str) -> None:
    body, header_name = CALLS[name]
    proper(exchange(running_server.address, modern(running_server.address, body, header_name)))


@pytest.mark.parametrize("name", HEADERS)
def test_a_header(running_server: ServerProcess, name: str) -> None:
    address = running_server.address
    answer = exchange(address, request(address, message("tools/list"), HEADERS[name]))
    proper(answer)
    assert 400 <= answer.status < 500


def test_methods(running_server: ServerProcess) -> None:
    address = running_server.address
    for method in METHODS:
        for path in ("/mcp", "/healthz", "/nowhere"):
            answer = exchange(address, request(address, "", method=method, path=path))
            proper(answer)
            assert 400 <= answer.status < 500


def test_paths(running_server: ServerProcess) -> None:
    address = running_server.address
    for path in PATHS:
        for host in (urlsplit(address).netloc, "evil.example"):
            headers = [("Host", host), *JSON]
            for method, body in (("POST", json.dumps(message("tools/list"))), ("GET", "")):
                answer = exchange(
                    address, request(address, body, headers, method=method, path=path)
                )
                proper(answer)
                assert 400 <= answer.status < 500, (path, answer)
                assert "evil.example" not in answer.text


def test_framings(running_server: ServerProcess) -> None:
    for name, data in framings(running_server.address):
        answer = exchange(running_server.address, data, half_closed=True)
        proper(answer)
        assert answer.status == 0 or 400 <= answer.status < 500, (name, answer)
        if name != "HTTP/2":  # its preface is two requests to one who speaks HTTP/1.1
            assert b"HTTP/1.1" not in answer.body, f"{name}: two answers to one request"


def test_a_length_sent_twice_ends_the_connection(running_server: ServerProcess) -> None:
    for name, data in framings(running_server.address):
        if name in ("length and chunks", "chunks and length"):
            answer = exchange(running_server.address, data)
            assert (answer.status, answer.headers["connection"]) == (400, "close")


def test_mutated_messages(running_server: ServerProcess) -> None:
    address = running_server.address
    modern = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call")]
    for number, body in enumerate(mutations(SEED, ROUNDS)):
        headers = [*JSON, *modern] if number % 2 else JSON
        proper(exchange(address, request(address, body, headers)))


def test_mutated_messages_within_a_session(running_server: ServerProcess) -> None:
    address = running_server.address
    hello_response = exchange(address, request(address, message("initialize", HELLO)))
    session = [*JSON, ("Mcp-Session-Id", hello_response.headers["mcp-session-id"])]
    done = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert exchange(address, request(address, done, session)).status == 202
    for body in mutations(SEED + 1, ROUNDS // 2):
        proper(exchange(address, request(address, body, session)))
    proper(exchange(address, request(address, "", session, method="DELETE")))


def half(name: str, address: str) -> bytes:
    """Return the beginning of a request."""
    return {
        "nothing": b"",
        "a head": b"POST /mcp HTTP/1.1\r\nX-Slow: ",
        "a body": head(address, headers=[*JSON, ("Content-Length", "900000")]) + b"{",
        "a chunk": head(address, headers=[*JSON, ("Transfer-Encoding", "chunked")]) + b"1\r\n",
    }[name]


@pytest.mark.parametrize("name", ["nothing", "a head", "a body", "a chunk"])
def test_slow_clients_delay_no_other_client(running_server: ServerProcess, name: str) -> None:
    parts = urlsplit(running_server.address)
    with ExitStack() as stack:
        for _ in range(IDLE_CONNECTIONS):
            place = (str(parts.hostname), parts.port or 80)
            connection = stack.enter_context(socket.create_connection(place, 10))
            connection.sendall(half(name, running_server.address))
        assert_served(running_server.address)


def test_clients_that_never_read_delay_no_other_client(running_server: ServerProcess) -> None:
    parts = urlsplit(running_server.address)
    with ExitStack() as stack:
        for _ in range(IDLE_CONNECTIONS // 2):
            place = (str(parts.hostname), parts.port or 80)
            connection = stack.enter_context(socket.create_connection(place, 10))
            connection.sendall(modern(running_server.address, message("tools/list")) * 20)
        assert_served(running_server.address)


def test_thousands_of_sessions_are_bounded_and_leave_others_alone(
    running_server: ServerProcess,
) -> None:
    address = running_server.address
    data = request(address, message("initialize", HELLO))
    statuses = [exchange(address, data).status for _ in range(SESSIONS)]
    assert set(statuses) <= {200, *BUSY}
    assert statuses.count(200) <= MAX_SESSIONS
    assert_served(address)
