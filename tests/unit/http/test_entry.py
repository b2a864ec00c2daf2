"""What is refused, or completed, before a request reaches authentication and protocol."""

import logging
from typing import Any

import pytest

from moviegraph.http.middleware import EntryMiddleware
from moviegraph.http.refusals import RefusalLog

HOST, ORIGIN = "movies.example", "https://movies.example"


class Entry:
    """The middleware before an application that notes the request and answers 200."""

    def __init__(self) -> None:
        self.is_draining = False
        self.reached: dict[str, Any] = {}
        self._app = EntryMiddleware(
            self._serve, HOST.__eq__, frozenset({ORIGIN}), lambda: self.is_draining, RefusalLog()
        )

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        self.reached = scope
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def request(
        self, headers: dict[str, str] | None = None, path: str = "/mcp", method: str = "POST"
    ) -> tuple[int, dict[str, str]]:
        """Return status and headers of the response."""
        pairs = {"host": HOST, **(headers or {})}.items()
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
            "client": ("192.0.2.1", 1),
        }
        messages: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        self.reached = {}
        await self._app(scope, receive, send)
        start = messages[0]
        return start["status"], {key.decode(): value.decode() for key, value in start["headers"]}


@pytest.fixture
def entry() -> Entry:
    return Entry()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 200, id="good"),
        pytest.param({"host": HOST.upper()}, 200, id="case of the host"),
        pytest.param({"host": "evil.example"}, 421, id="host"),
        pytest.param({"origin": ORIGIN}, 200, id="own origin"),
        pytest.param({"origin": "https://evil.example"}, 403, id="origin"),
        pytest.param(
            {"content-length": "5", "transfer-encoding": "chunked"}, 400, id="two lengths"
        ),
        pytest.param({"content-length": "1000000"}, 200, id="largest body"),
        pytest.param({"content-length": "1000001"}, 413, id="large body"),
        pytest.param({"content-length": "9" * 5000}, 413, id="endless body"),
    ],
)
async def test_what_no_part_can_serve_is_refused(
    entry: Entry, headers: dict[str, str], status: int
) -> None:
    assert (await entry.request(headers))[0] == status
    assert bool(entry.reached) == (status == 200)


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/.well-known/oauth-protected-resource"])
async def test_probes_and_metadata_are_open_to_every_host(entry: Entry, path: str) -> None:
    entry.is_draining = True
    headers = {"host": "10.0.0.7", "origin": "https://client.example"}
    assert (await entry.request(headers, path, "GET"))[0] == 200


@pytest.mark.parametrize(
    ("accept", "completed"),
    [
        pytest.param(None, "application/json, text/event-stream", id="missing"),
        pytest.param("text/event-stream", "application/json, text/event-stream", id="stream only"),
        pytest.param("application/json", "application/json", id="JSON only"),
        pytest.param("*/*", "*/*", id="anything"),
    ],
)
async def test_an_accept_that_admits_a_stream_is_completed(
    entry: Entry, accept: str | None, completed: str
) -> None:
    await entry.request({} if accept is None else {"accept": accept})
    assert dict(entry.reached["headers"])[b"accept"].decode() == completed


async def test_a_slash_at_the_end_of_the_path_does_not_count(entry: Entry) -> None:
    await entry.request(path="/mcp/")
    assert entry.reached["path"] == "/mcp"


async def test_a_draining_server_sends_new_requests_elsewhere(entry: Entry) -> None:
    entry.is_draining = True
    status, headers = await entry.request()
    assert (status, headers["retry-after"], headers["connection"]) == (503, "1", "close")
    assert (await entry.request({"mcp-session-id": "one"}))[0] == 200


async def test_a_refused_header_is_logged_short_and_not_without_end(
    entry: Entry, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "moviegraph"):
        for _ in range(60):
            await entry.request({"host": "e" * 60_000})
        _, headers = await entry.request({"origin": "https://evil.example"})
    assert "www-authenticate" not in headers
    assert len(caplog.messages) == 31
    assert all(len(message) < 400 for message in caplog.messages)
    first, last = caplog.records[0], caplog.records[-1]
    facts = vars(first)["facts"]
    assert (facts["event"], facts["reason"], facts["status"]) == ("host_rejected", "host", 421)
    assert facts["address"] == "192.0.2.1"
    assert vars(last)["facts"]["event"] == "origin_rejected"
