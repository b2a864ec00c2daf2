"""Serves HTTP until a signal, and lets the calls at work end before it closes."""

import asyncio
from types import FrameType
from typing import Any

import uvicorn

from moviegraph_tools.ending import Ending

LAST_CALLS = 8.0
LAST_BYTES = 2


class HttpRunner(uvicorn.Server):
    """Ends on SIGINT and SIGTERM; a second signal cancels what is at work."""

    def __init__(self, app: Any, ending: Ending) -> None:
        super().__init__(
            uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=LAST_BYTES)
        )
        self._ending = ending
        self._signals = 0
        self._draining: asyncio.Task[None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end: calls that come are turned away, those at work have some seconds left."""
        self._signals += 1
        if self._signals > 1 or not self.started:
            super().handle_exit(sig, frame)
            return
        asyncio.get_running_loop().call_soon_threadsafe(self._begin, sig, frame)

    def _begin(self, sig: int, frame: FrameType | None) -> None:
        self._draining = asyncio.create_task(self._drain(sig, frame))

    async def _drain(self, sig: int, frame: FrameType | None) -> None:
        try:
            await self._ending.drain(LAST_CALLS)
        finally:
            super().handle_exit(sig, frame)
