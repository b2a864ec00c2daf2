"""Hostile clients over a real listener: each is refused, and delays no other client."""

import base64
import json
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fakes.http_clients import ACCEPT, MODERN, call, in_session, initialize, message, post
from fakes.http_server import http_server
from fakes.issuer import Issuer, SigningKey, issuing
from mcp.server import MCPServer

from moviegraph.cli.http_runner import TimeoutProtocol
from moviegraph.http.application import http_config_from
from moviegraph.http.scopes import ALL, READ
from moviegraph.http.token_file import TokenLine, digest_of
from moviegraph.settings import Settings

pytestmark = pytest.mark.slow("http")

SQL = {"sql": "SELECT COUNT(*) AS n FROM Recipe"}
MAX_RUNNING = 3
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
PATIENCE = 120


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing(Issuer(key=SigningKey("one"))) as server_address:
        yield server_address


@pytest.fixture
def settings(issuer: Issuer, tmp_path: Path) -> Settings:
    file = tmp_path / "tokens"
    lines = [TokenLine("poor", digest_of("poor"), (READ,)), TokenLine("bob", digest_of("bob"), ALL)]
    file.write_text("\n".join(line.written() for line in lines), encoding="utf-8")
    file.chmod(0o600)
    return Settings(
        http_stateless=False,
        http_tokens=file,
        oauth_issuer=issuer.url,
        oauth_audience=issuer.audience,
        http_rate=60,
    )


@pytest.fixture
def address(server: MCPServer[Any], settings: Settings) -> Iterator[str]:
    with http_server(server, door=http_config_from(settings)) as server_address:
        yield server_address


def part(result: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(result).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "algorithm", [pytest.param(["RS256"], id="list"), pytest.param({"RS256": 1}, id="object")]
)
def test_an_algorithm_that_is_no_name_is_a_failed_try_like_any_other(
    address: str, issuer: Issuer, algorithm: object, caplog: pytest.LogCaptureFixture
) -> None:
    forged = f"{part({'alg': algorithm, 'kid': 'one'})}.{part(issuer.claims())}.AAAA"
    with caplog.at_level(logging.WARNING, "moviegraph"):
        assert post(address, forged).status_code == 401
    (line,) = caplog.messages
    assert line.startswith("A token was rejected: the algorithm ")


def test_a_subject_that_nothing_can_write_is_refused(address: str, issuer: Issuer) -> None:
    answer = post(address, issuer.token(sub="ann\ud800"), call("run_readonly_sql", SQL))
    assert answer.status_code == 401
    assert "codec" not in answer.text


@pytest.mark.parametrize("name", [pytest.param([], id="list"), pytest.param({}, id="object")])
@pytest.mark.parametrize(("token", "status"), [("poor", 403), ("bob", 400)])
def test_a_tool_whose_name_is_no_text_needs_every_scope_and_is_no_incident(
    address: str, name: object, token: str, status: int
) -> None:
    headers = {**ACCEPT, "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call"}
    headers |= {"Mcp-Name": "semantic_search", "Authorization": f"Bearer {token}"}
    request = message("tools/call", {"name": name, "arguments": SQL})
    assert (
        httpx2.post(f"{address}/mcp", json=request, headers=headers, timeout=120).status_code
        == status
    )
    session = in_session(address, token, initialize()).headers["mcp-session-id"]
    answer = in_session(address, token, request, session)
    assert "unhashable" not in answer.text
    assert "row_count" not in answer.text


def test_one_person_has_one_rate_however_many_clients_an_issuer_lets_register(
    server: MCPServer[Any], settings: Settings, issuer: Issuer
) -> None:
    with http_server(server, door=http_config_from(replace(settings, http_rate=1))) as address:
        indexes = [post(address, issuer.token(client_id=f"app{n}")).status_code for n in range(12)]
        assert indexes == [200] * 10 + [429] * 2
        assert post(address, issuer.token(sub="bob")).status_code == 200


@pytest.mark.parametrize(
    "rest_bytes",
    [pytest.param(b"x", id="more of the body"), pytest.param(b"x" * 99, id="all of it")],
)
def test_a_body_that_goes_on_after_its_answer_ends_the_connection(
    server: MCPServer[Any], settings: Settings, rest_bytes: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TimeoutProtocol, "seconds", 0.5)
    with http_server(server, door=http_config_from(settings)) as address:
        host, _, port = address.removeprefix("http://").partition(":")
        with closing(socket.create_connection((host, int(port)), PATIENCE)) as connection:
            connection.sendall(
                b"POST /mcp HTTP/1.1\r\nHost: localhost:"
                + port.encode()
                + b"\r\nContent-Length: 100\r\n\r\n{"
            )
            assert connection.recv(65_536).startswith(b"HTTP/1.1 401")
            connection.sendall(rest_bytes)
            assert is_closed(connection)


def is_closed(connection: socket.socket) -> bool:
    """Return whether the server closes a connection; raises a timeout where it does not."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize("request_bytes", [b"", HEALTH], ids=["nothing sent", "one request each"])
def test_connections_that_wait_for_their_client_give_way_to_those_that_do_not(
    server: MCPServer[Any], request_bytes: bytes
) -> None:
    with http_server(server, most=20) as address, ExitStack() as stack:
        host, _, port = address.removeprefix("http://").partition(":")
        idle: list[socket.socket] = []
        for _ in range(60):
            connection = closing(socket.create_connection((host, int(port)), PATIENCE))
            idle.append(stack.enter_context(connection))
            idle[-1].sendall(request_bytes)
            if request_bytes:
                assert idle[-1].recv(65_536).startswith(b"HTTP/1.1 200")
        assert [post(address).status_code for _ in range(5)] == [200] * 5
        assert all(is_closed(connection) for connection in idle[:40])
