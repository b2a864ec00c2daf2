import logging
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from moviegraph.http.http_errors import ErrorMiddleware

POST: dict[str, Any] = {"type": "http", "method": "POST", "path": "/mcp", "headers": []}


@pytest.mark.parametrize(
    ("raised", "told", "incidents"),
    [
        pytest.param(ClientDisconnect(), [], 0, id="a client hung up"),
        pytest.param(ValueError("inside"), [500, None], 1, id="anything else"),
    ],
)
async def test_a_client_that_hangs_up_is_no_incident(
    raised: Exception, told: list[Any], incidents: int, caplog: pytest.LogCaptureFixture
) -> None:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise raised

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    with caplog.at_level(logging.ERROR, "moviegraph"):
        await ErrorMiddleware(app)(POST, receive, send)
    assert [each.get("status") for each in sent] == told
    assert len(caplog.records) == incidents
