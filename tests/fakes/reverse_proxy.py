"""A reverse proxy on loopback before several workers: round robin, or by client."""

import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any
from zlib import crc32

import anyio
import httpx2
from fakes.uvicorn_thread import running

Choice = Callable[[httpx2.Headers, int], int]
HOP = frozenset({b"connection", b"transfer-encoding", b"keep-alive", b"content-length"})


def by_turns(headers: httpx2.Headers, number: int) -> int:
    """Choose the workers in turn, request by request."""
    return number


def by_token(headers: httpx2.Headers, number: int) -> int:
    """Choose one worker for all requests of a token."""
    return crc32(headers.get("authorization", "").encode())


class ReverseProxy:
    """An ASGI application that passes requests on to its `workers`, streams included.

    Args:
        choice: Which of them a request goes to.
    """

    def __init__(self, choice: Choice = by_turns) -> None:
        self.workers: Sequence[str] = ()
        self.choice = choice
        self.passed: list[int] = []
        self._numbers = count()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        headers = httpx2.Headers(scope["headers"])
        at = self.choice(headers, next(self._numbers)) % len(self.workers)
        self.passed.append(at)
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        async with anyio.create_task_group() as group:
            group.start_soon(_until_gone, receive, group.cancel_scope)
            await _pass_on(scope, self.workers[at], headers, body, send)
            group.cancel_scope.cancel()


async def _until_gone(receive: Any, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _pass_on(
    scope: Any, worker: str, headers: httpx2.Headers, body: bytes, send: Any
) -> None:
    forwarded_headers = [(name, value) for name, value in headers.raw if name.lower() not in HOP]
    async with (
        httpx2.AsyncClient(timeout=120) as client,
        client.stream(
            scope["method"], worker + scope["path"], headers=forwarded_headers, content=body
        ) as worker_response,
    ):
        back = [
            (name.lower(), value)
            for name, value in worker_response.headers.raw
            if name.lower() not in HOP
        ]
        await send(
            {"type": "http.response.start", "status": worker_response.status_code, "headers": back}
        )
        async for chunk in worker_response.aiter_raw():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@contextmanager
def proxying(proxy: ReverseProxy) -> Generator[str]:
    """Yield the proxy's address."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with running(proxy, listener, lifespan="off"):
        yield address
