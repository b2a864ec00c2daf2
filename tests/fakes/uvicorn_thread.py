"""An ASGI application behind a real listener, in a thread of the test process."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import uvicorn

PATIENCE = 120


@contextmanager
def running(app: Any, listener: socket.socket, **options: Any) -> Generator[None]:
    """Serve until the block ends, and close the listener."""
    started = threading.Event()
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, **options)
    runner = _Runner(config, started)
    thread = threading.Thread(target=runner.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        assert started.wait(PATIENCE)
        yield
    finally:
        runner.should_exit = True
        thread.join(PATIENCE)
        listener.close()


class _Runner(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: threading.Event) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._started.set()
