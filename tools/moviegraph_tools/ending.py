"""How an operator ends a server: no call begins any more, and those at work may end."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from moviegraph_tools.support import Bridge


class Ending:
    """Ends the calls of the servers that it was given to."""

    def __init__(self) -> None:
        self._bridges: list[Bridge] = []
        self._begun = False

    @property
    def begun(self) -> bool:
        """Whether the server is ending."""
        return self._begun

    def joined(self, bridge: Bridge) -> Callable[[], None]:
        """Take in the calls of one run of a server; returns its removal."""
        self._bridges.append(bridge)
        return lambda: self._bridges.remove(bridge)

    async def drain(self, seconds: float) -> None:
        """Turn away what comes and what waits, and wait for what is at work.

        Args:
            seconds: After that, what is still at work is cancelled, and answered with that.
        """
        self._begun = True
        async with anyio.create_task_group() as group:
            for bridge in tuple(self._bridges):
                group.start_soon(bridge.drain, seconds)
