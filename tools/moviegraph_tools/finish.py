"""The end of work in a thread, for which a task of the loop waits."""

from __future__ import annotations

import asyncio


class Finish:
    """Reached once; never used from another thread, and waited for by one task."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._reached = False
        self._waiter: asyncio.Future[None] | None = None

    def reach(self) -> None:
        """Let who waits go on."""
        self._reached = True
        self._wake()

    async def within(self, seconds: float) -> bool:
        """Wait at most so many seconds, and return whether it was reached."""
        if not self._reached:
            self._waiter = self._loop.create_future()
            timer = self._loop.call_later(seconds, self._wake)
            try:
                await self._waiter
            finally:
                timer.cancel()
        return self._reached

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
