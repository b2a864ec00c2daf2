"""A connection that is closed when a request does not arrive in time, or too many wait."""

from __future__ import annotations

import asyncio
import socket
from math import inf
from typing import ClassVar, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

FULL = 0.9


class TimeoutProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, which by itself waits for ever for the end of a head.

    So it does for the rest of a body whose request it has answered. Where nearly all connections
    are taken, a new one ends the one that has been waited for longest.
    """

    seconds: ClassVar[float] = 15.0

    def connection_made(  # type: ignore[override]
        self, transport: asyncio.Transport
    ) -> None:
        """Begin to wait for the first request; what is answered is sent without delay.

        Else the body of an answer waits until its head is acknowledged, which clients put off by
        some 40 ms. asyncio only sees to it where a socket was opened for TCP by number.
        """
        opened = transport.get_extra_info("socket")
        if opened is not None and opened.family in (socket.AF_INET, socket.AF_INET6):
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waiting: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self._wait()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Go on waiting until there is a head, or the body of what was answered is over."""
        self._wait()
        super().data_received(data)
        if not self._late:
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        super().connection_lost(exc)

    @property
    def _late(self) -> bool:
        """Whether the client has still to send what nothing else waits for."""
        theirs = self.conn.their_state
        return theirs is h11.IDLE or (theirs is h11.SEND_BODY and self.conn.our_state is h11.DONE)

    def _make_room(self) -> None:
        most = self.limit_concurrency
        if most is None or len(self.connections) <= most * FULL:
            return
        others = cast("set[TimeoutProtocol]", self.connections) - {self}
        waiting = [connection for connection in others if connection._since() < inf]
        if waiting:
            min(waiting, key=TimeoutProtocol._since)._give_way()

    def _since(self) -> float:
        """Return since when it waits for its client; infinity while it is at work."""
        if self._waiting is not None:
            return self._waiting.when() - self.seconds
        if self.timeout_keep_alive_task is not None:
            return self.timeout_keep_alive_task.when() - self.timeout_keep_alive
        return inf

    def _give_way(self) -> None:
        if self._waiting is None:
            self.transport.close()  # of its last answer a part may be on its way
            return
        self._wait_no_more()
        self.transport.abort()

    def _wait(self) -> None:
        if self._waiting is None and self._late:
            self._waiting = self.loop.call_later(self.seconds, self.transport.abort)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
