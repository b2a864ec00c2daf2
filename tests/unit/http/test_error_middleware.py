import logging
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from moviegraph.http.middleware import ErrorMiddleware

POST: dict[str, Any] = {"type": "http", "method": "POST", "path": "/mcp", "headers": []}


@pytest.mark.parametrize(
    ("raised", "expected_messages", "incidents"),
    [
        pytest.param(ClientDisconnect(), [], 0, id="a client hung up"),
        pytest.param(ValueError("inside"), [500, None], 1, id="anything else"),
    ],
)
async def test_a_client_that_hangs_up_is_no_incident(
    raised: Exception,
    expected_messages: list[Any],
    incidents: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    messages: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise raised

    async def send(message: Any) -> None:
        messages.append(message)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    with caplog.at_level(logging.ERROR, "moviegraph"):
        await ErrorMiddleware(app)(POST, receive, send)
    assert [message.get("status") for message in messages] == expected_messages
    assert len(caplog.records) == incidents
