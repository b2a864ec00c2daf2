"""HTTP limits over a real listener: rate, slowness, size, host names."""

import logging
import socket
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fakes.http_clients import call, message, post
from fakes.http_server import http_server
from mcp.server import MCPServer

from moviegraph.cli.http_runner import TimeoutProtocol
from moviegraph.http import authenticator
from moviegraph.http.application import HttpConfig, http_config_from
from moviegraph.http.middleware import read_body
from moviegraph.http.token_file import TokenLine, digest_of
from moviegraph.settings import Settings

pytestmark = pytest.mark.slow("http")

PATIENCE = 120
SCOPES = ("moviegraph:read", "moviegraph:sql")
HEAD = b"POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer ann\r\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    file = tmp_path / "tokens"
    lines = [TokenLine(name, digest_of(name), SCOPES).written() for name in ("ann", "bob")]
    file.write_text("\n".join(lines), encoding="utf-8")
    return Settings(http_tokens=file, http_rate=1)


@pytest.fixture
def address(server: MCPServer[Any], settings: Settings) -> Iterator[str]:
    with http_server(server, door=http_config_from(settings)) as server_address:
        yield server_address


def test_who_sends_too_much_waits_and_others_do_not(address: str) -> None:
    answers = [post(address, "ann") for _ in range(12)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429] * 2
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert answers[-1].json()["error"]["message"].startswith("Too many requests")
    assert post(address, "bob").status_code == 200


def test_a_rate_is_the_owners_whichever_token_or_address(address: str) -> None:
    assert [post(address, "ann").status_code for _ in range(11)][-1] == 429
    forwarded = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
    assert post(address, "ann", more=forwarded).status_code == 429


def test_without_authentication_there_is_a_rate_only_where_it_is_set(
    server: MCPServer[Any],
) -> None:
    with http_server(server, door=http_config_from(Settings())) as address:
        assert {post(address).status_code for _ in range(120)} == {200}


def test_an_unknown_callers_rate_is_of_its_address(server: MCPServer[Any]) -> None:
    with http_server(server, door=http_config_from(Settings(http_rate=1))) as address:
        assert [post(address).status_code for _ in range(11)] == [200] * 10 + [429]


def test_tokens_cannot_be_guessed_at_speed_and_valid_ones_of_the_address_go_on(
    server: MCPServer[Any],
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(authenticator, "GUESSES_PER_MINUTE", 0.001)
    with http_server(server, door=http_config_from(settings)) as address:
        guess(address, caplog)


def guess(address: str, caplog: pytest.LogCaptureFixture) -> None:
    assert post(address, "ann").status_code == 200
    with caplog.at_level(logging.WARNING, "moviegraph"):
        guesses = [
            post(address, f"guess{n}").status_code for n in range(authenticator.MAX_GUESSES + 3)
        ]
    assert guesses == [401] * authenticator.MAX_GUESSES + [429] * 3
    assert [post(address, name).status_code for name in ("bob", "ann")] == [200, 200]
    rejected, limited = sorted(set(caplog.messages))
    assert rejected == "A token was rejected: the token is not in the file."
    assert limited.startswith("Request refused: Too many requests without a valid token")


@contextmanager
def connected(address: str) -> Generator[socket.socket]:
    host, _, port = address.removeprefix("http://").partition(":")
    with closing(socket.create_connection((host, int(port)), PATIENCE)) as connection:
        yield connection


def read_to_end(connection: socket.socket) -> bytes:
    """Return the bytes received until the server closes; fail if it does not close."""
    result = b""
    try:
        while chunk := connection.recv(65_536):
            result += chunk
    except ConnectionResetError:
        pass
    return result


@pytest.mark.parametrize(
    "first_bytes",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"POST /m", id="half a line"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ", id="half a head"),
        pytest.param(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /he", id="half a second one"),
    ],
)
def test_a_head_that_does_not_arrive_ends_the_connection(
    server: MCPServer[Any], first_bytes: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TimeoutProtocol, "seconds", 0.5)
    with http_server(server) as address, connected(address) as connection:
        connection.sendall(first_bytes)
        status = read_to_end(connection)
        assert status.count(b"HTTP/1.1 200") == first_bytes.count(b"\r\n\r\n")
        monkeypatch.undo()  # this client may take its time
        assert httpx2.get(f"{address}/healthz", timeout=120).status_code == 200


def test_a_body_that_does_not_arrive_is_answered_with_that(
    server: MCPServer[Any], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hasty(receive: Any) -> Any:
        return await read_body(receive, 0.1)

    monkeypatch.setattr(authenticator, "read_body", hasty)
    with (
        http_server(server, door=http_config_from(settings)) as address,
        connected(address) as connection,
    ):
        head = HEAD % address.removeprefix("http://").encode()
        connection.sendall(head + b"Content-Length: 100\r\n\r\n{")
        response = read_to_end(connection)
        assert response.startswith(b"HTTP/1.1 408")
        assert b"\r\nconnection: close\r\n" in response.lower()


def test_a_body_without_a_length_is_not_waited_for(address: str) -> None:
    with connected(address) as connection:
        host = address.removeprefix("http://").encode()
        head = b"POST /mcp HTTP/1.1\r\nHost: " + host + b"\r\nContent-Length: 100\r\n\r\n"
        connection.sendall(head)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 401")


@pytest.mark.parametrize(
    ("size", "status"),
    [pytest.param(1_000_000, 200, id="just fits"), pytest.param(1_000_001, 413, id="beyond")],
)
def test_a_body_has_a_largest_size(address: str, size: int, status: int) -> None:
    request = message("tools/list", {"cursor": None, "filling": ""})
    empty = httpx2.Request("POST", address, json=request).content
    request["params"]["filling"] = "x" * (size - len(empty))
    answer = post(address, "ann", request)
    assert (answer.status_code, len(answer.request.content)) == (status, size)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 200, id="own"),
        pytest.param({"Host": "movies.example"}, 421, id="unknown host"),
        pytest.param({"Origin": "https://chat.example"}, 200, id="allowed origin"),
        pytest.param({"Origin": "https://evil.example"}, 403, id="unknown origin"),
        pytest.param({"Origin": "null"}, 403, id="no origin"),
    ],
)
def test_it_answers_to_its_own_names_and_to_pages_that_are_allowed(
    server: MCPServer[Any], settings: Settings, headers: dict[str, str], status: int
) -> None:
    result = http_config_from(settings)
    door = HttpConfig(result.access, origins=("https://chat.example",))
    with http_server(server, door=door) as address:
        request = call("get_records", {"kind": "Recipe", "ids": [1]})
        assert post(address, "ann", request, headers).status_code == status


def test_a_page_of_an_allowed_origin_may_ask_before_it_calls(
    server: MCPServer[Any], settings: Settings
) -> None:
    door = HttpConfig(http_config_from(settings).access, origins=("https://chat.example",))
    headers = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,mcp-method",
    }
    with http_server(server, door=door) as address:
        allowed = httpx2.options(
            f"{address}/mcp", headers=headers | {"Origin": "https://chat.example"}, timeout=120
        )
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == "https://chat.example"
        other = httpx2.options(
            f"{address}/mcp", headers=headers | {"Origin": "https://evil.example"}, timeout=120
        )
        assert "access-control-allow-origin" not in other.headers
        refused = post(address, more={"Origin": "https://chat.example"})
        assert "www-authenticate" in refused.headers["access-control-expose-headers"]


def test_an_answer_does_not_wait_for_its_head_to_be_acknowledged(
    server: MCPServer[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    undelayed: list[int] = []
    created = TimeoutProtocol.connection_made

    def noting(self: TimeoutProtocol, transport: Any) -> None:
        created(self, transport)
        client_socket = transport.get_extra_info("socket")
        undelayed.append(client_socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(TimeoutProtocol, "connection_made", noting)
    with http_server(server, door=http_config_from(Settings())) as address:
        post(address)
    assert undelayed
    assert all(undelayed)
