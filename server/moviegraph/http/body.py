"""Reads the body of a request within a time, and hands it on as it came."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from moviegraph.http.refusal import Refusal

LARGEST = 1_000_000
SECONDS = 20.0
Receive = Callable[[], Awaitable[Any]]


async def read_body(receive: Receive, seconds: float = SECONDS) -> tuple[bytes | None, Receive]:
    """Return the body, or None if it is too large or broken off, and what gives it once more.

    Raises:
        Refusal: It did not arrive in time.
    """
    messages: deque[Any] = deque()
    try:
        async with asyncio.timeout(seconds):
            body = await _read(receive, messages)
    except TimeoutError:
        text = f"The request did not arrive within {seconds:g} s."
        raise Refusal(408, text, again=1.0) from None

    async def again() -> Any:
        return messages.popleft() if messages else await receive()

    return body, again


async def _read(receive: Receive, messages: deque[Any]) -> bytes | None:
    size = 0
    while True:
        message = await receive()
        messages.append(message)
        if message["type"] != "http.request":
            return None
        size += len(message.get("body", b""))
        if size > LARGEST:
            return None
        if not message.get("more_body", False):
            return b"".join(each.get("body", b"") for each in messages)
