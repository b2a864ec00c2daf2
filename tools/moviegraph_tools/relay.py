"""Carries progress from the thread of a call to its client."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import anyio

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

PROGRESS_BUFFER = 32


class Relay:
    """Carries progress from the working thread to the client; the value only ever grows.

    A client that reads too slowly misses steps, and holds nobody up.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._sender, self._receiver = anyio.create_memory_object_stream[
            tuple[float, float | None, str]
        ](PROGRESS_BUFFER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sender.close()
        self._receiver.close()

    def put(self, done: float, total: float | None, message: str) -> None:
        """Take a step, from any thread."""
        self.soon(lambda: self._put((done, total, message)))

    def soon(self, action: Callable[[], None]) -> None:
        """Run an action in the loop, unless that has ended; waiting for it could wait for ever."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(action)

    def _put(self, step: tuple[float, float | None, str]) -> None:
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._sender.send_nowait(step)

    async def send(self, context: Context[Any, Any]) -> None:
        """Report each step until ended; every phase counts 1, however many steps it has."""
        reached, base, last = -1.0, 0.0, None
        async for step in self._receiver:
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
                await context.report_progress(reached, base + 1 if total else None, message)

    def end(self) -> None:
        """Take no more steps; those taken are still sent."""
        self._sender.close()
