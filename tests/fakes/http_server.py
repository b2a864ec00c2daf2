"""A server of the project behind a real HTTP listener, in a thread of the test process."""

import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from fakes.uvicorn_thread import running
from mcp.server import MCPServer

from moviegraph.cli.http_runner import TimeoutProtocol
from moviegraph.http.application import OPEN_CONFIG, HttpConfig, application


def unwrapped(app: Any) -> Any:
    return app


@contextmanager
def http_server(
    server: MCPServer[Any],
    wrapped: Callable[[Any], Any] = unwrapped,
    door: HttpConfig | Callable[[int], HttpConfig] = OPEN_CONFIG,
    most: int | None = None,
) -> Generator[str]:
    """Yield the address of the server, whose application may be wrapped in middleware.

    A door may depend on the port; `most` bounds the connections.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    created = door if isinstance(door, HttpConfig) else door(port)
    read_tools: frozenset[str] = getattr(server, "read_tools", frozenset())
    app = wrapped(application(server, "127.0.0.1", port, (), created, read_tools))
    with running(app, listener, http=TimeoutProtocol, proxy_headers=False, limit_concurrency=most):
        yield f"http://127.0.0.1:{port}"
