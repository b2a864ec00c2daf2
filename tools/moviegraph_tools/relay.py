"""Carries progress from the thread of a call to its client."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Self

import anyio

from moviegraph.text import one_line

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.session import ServerSession

PROGRESS_BUFFER = 32
Progress = tuple[float, float | None, str]


class Relay:
    """Carries progress from the working thread to the client; the value only ever grows.

    A client that reads too slowly misses steps, and holds nobody up. Most calls take no step, so
    that the task which sends them, and the stream to it, begin with the first.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, client: ServerSession) -> None:
        self._loop = loop
        self._client = client
        self._variables = copy_context()
        self._ended = False
        self._sender: MemoryObjectSendStream[Progress] | None = None
        self._receiver: MemoryObjectReceiveStream[Progress] | None = None
        self._sending: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        if self._receiver is not None:
            self._receiver.close()
        if self._sending is not None:
            self._sending.cancel()

    def put(self, done: float, total: float | None, message: str) -> None:
        """Take a step, from any thread."""
        self.soon(lambda: self._put((done, total, message)))

    def soon(self, action: Callable[[], None]) -> None:
        """Run an action in the loop, unless that has ended; waiting for it could wait for ever."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(action)

    async def end(self) -> None:
        """Take no more steps; those taken are still sent."""
        self._close()
        if self._sending is not None:
            await self._sending

    def _close(self) -> None:
        self._ended = True
        if self._sender is not None:
            self._sender.close()

    def _put(self, step: Progress) -> None:
        if self._ended:
            return
        sender = self._sender or self._begin()
        with suppress(anyio.WouldBlock, anyio.BrokenResourceError):
            sender.send_nowait(step)

    def _begin(self) -> MemoryObjectSendStream[Progress]:
        self._sender, taken = anyio.create_memory_object_stream[Progress](PROGRESS_BUFFER)
        self._receiver = taken
        self._sending = self._loop.create_task(self._send(taken), context=self._variables)
        return self._sender

    async def _send(self, taken: MemoryObjectReceiveStream[Progress]) -> None:
        """Report each step until ended; every phase counts 1, however many steps it has."""
        reached, base, last = -1.0, 0.0, None
        async for step in taken:
            done, total, message = step
            if step == last:
                continue
            part = done / total if total else done
            if base + part <= reached:
                base = math.floor(reached) + 1.0
            reached, last = base + part, step
            with suppress(Exception):  # a client that cannot hear of it still gets the result
                if total:
                    message = f"{message} ({done:g} of {total:g})"
                total_steps = base + 1 if total else None
                await self._client.report_progress(reached, total_steps, one_line(message))
