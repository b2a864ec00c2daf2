"""Documents of an issuer, from sockets that misbehave."""

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest

from moviegraph.errors import SettingsError
from moviegraph.http.jwt_verifier import MAX_DOCUMENT_BYTES, FetchError, fetch_json, require_secure

PATIENCE = 120.0
SHORT = 0.2
OK = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Generator[str]:
    """Take one connection, and answer it as the test says."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = threading.Event()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                answer(connection)
                done.wait(PATIENCE)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/keys"
        done.set()
        thread.join(PATIENCE)


def sends(*parts: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)

    return answer


def complete_response(body: bytes, head: bytes = b"") -> Callable[[socket.socket], None]:
    length = b"Content-Length: %d\r\n" % len(body)
    return sends(OK + head + length + b"\r\n" + body)


async def test_an_object_is_read() -> None:
    with answering(complete_response(b'{"keys": []}')) as url:
        assert await fetch_json(url, seconds=PATIENCE) == {"keys": []}


@pytest.mark.parametrize(
    ("answer",),
    [
        pytest.param(sends(), id="silent"),
        pytest.param(sends(OK + b"Content-Length: 9\r\n\r\n{"), id="half"),
    ],
)
async def test_an_answer_that_does_not_end_is_a_failure(
    answer: Callable[[socket.socket], None],
) -> None:
    with answering(answer) as url, pytest.raises(FetchError, match="did not respond within"):
        await fetch_json(url, seconds=SHORT)


@pytest.mark.parametrize(
    ("answer", "expected_message"),
    [
        pytest.param(sends(b"nonsense\r\n\r\n"), "cannot be reached", id="no HTTP"),
        pytest.param(complete_response(b"<html>"), "not return JSON", id="page"),
        pytest.param(complete_response(b"[1]"), "not return a JSON object", id="list"),
        pytest.param(complete_response(b"[" * 100_000), "not return JSON", id="deep"),
        pytest.param(
            complete_response(b"\x1f\x8b{}", b"Content-Encoding: gzip\r\n"),
            "not return JSON",
            id="packed",
        ),
        pytest.param(complete_response(b" " * (MAX_DOCUMENT_BYTES + 1)), "more than", id="large"),
        pytest.param(
            sends(
                b"HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
            ),
            "status 301",
            id="moved",
        ),
    ],
)
async def test_anything_else_is_a_failure(
    answer: Callable[[socket.socket], None], expected_message: str
) -> None:
    with answering(answer) as url, pytest.raises(FetchError, match=expected_message):
        await fetch_json(url, seconds=PATIENCE)


async def test_a_proxy_of_the_environment_is_not_asked_for_what_is_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with answering(complete_response(b'{"keys": ["of the proxy"]}')) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.removesuffix("/keys"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        with pytest.raises(FetchError, match="cannot be reached"):
            await fetch_json("http://127.0.0.1:1/keys", seconds=PATIENCE)
        monkeypatch.undo()
        assert await fetch_json(proxy, seconds=PATIENCE) == {"keys": ["of the proxy"]}


async def test_no_server_at_the_address_is_a_failure() -> None:
    with pytest.raises(FetchError, match="cannot be reached"):
        await fetch_json("http://127.0.0.1:1/keys", seconds=PATIENCE)


@pytest.mark.parametrize(
    "url", ["https://login.example/x", "http://127.0.0.1:9/x", "http://localhost", "http://[::1]:8"]
)
def test_https_and_this_machine_are_secure(url: str) -> None:
    assert require_secure(url, "it") == url


@pytest.mark.parametrize(
    "url",
    ["http://login.example", "http://127.0.0.1.example", "ftp://x", "", "https://", "https://a:x/"],
)
def test_nothing_else_is(url: str) -> None:
    with pytest.raises(SettingsError):
        require_secure(url, "it")
