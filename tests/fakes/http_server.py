"""A server of the project behind a real HTTP listener, in a thread of the test process."""

import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server import MCPServer

from moviegraph.http.application import OPEN_DOOR, application
from moviegraph.http.door import Door
from moviegraph.http.patient import PatientProtocol


def unwrapped(app: Any) -> Any:
    return app


@contextmanager
def http_server(
    server: MCPServer[Any],
    wrapped: Callable[[Any], Any] = unwrapped,
    door: Door | Callable[[int], Door] = OPEN_DOOR,
) -> Generator[str]:
    """Yield the address of the server, whose application may be wrapped in middleware.

    A door may depend on the port.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    made = door if isinstance(door, Door) else door(port)
    app = wrapped(application(server, "127.0.0.1", port, (), made))
    started = threading.Event()
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        log_level="error",
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    runner = _Runner(config, started)
    thread = threading.Thread(target=runner.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    assert started.wait(30)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        runner.should_exit = True
        thread.join(30)
        listener.close()


class _Runner(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: threading.Event) -> None:
        super().__init__(config)
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._told.set()
