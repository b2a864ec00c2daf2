"""Connections that are closed when a request does not arrive in time, or too many are open."""

from __future__ import annotations

import asyncio
import socket
from math import inf
from typing import ClassVar, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

FULL = 0.9


class TimeoutProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn, with a limit on the time that a request may take to arrive.

    uvicorn has none for the head, nor for the rest of a body after it has responded. When nearly
    all connections are taken, a new one closes the one that has waited longest for its client.
    """

    seconds: ClassVar[float] = 15.0

    def connection_made(  # type: ignore[override]
        self, transport: asyncio.Transport
    ) -> None:
        """Start to wait for the first request, and send responses without delay.

        Otherwise the body of a response waits until its head is acknowledged, which clients delay
        by some 40 ms. asyncio sets the option only for sockets opened for TCP by number.
        """
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._timer: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self._start_timer()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Keep the timer until the head has arrived, or the body of an answered request."""
        self._start_timer()
        super().data_received(data)
        if not self._is_incomplete:
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    @property
    def _is_incomplete(self) -> bool:
        """Whether the client still has to send what no other timeout covers."""
        theirs = self.conn.their_state
        return theirs is h11.IDLE or (theirs is h11.SEND_BODY and self.conn.our_state is h11.DONE)

    def _make_room(self) -> None:
        limit = self.limit_concurrency
        if limit is None or len(self.connections) <= limit * FULL:
            return
        others = cast("set[TimeoutProtocol]", self.connections) - {self}
        waiting = [connection for connection in others if connection._waiting_since() < inf]
        if waiting:
            min(waiting, key=TimeoutProtocol._waiting_since)._close_waiting()

    def _waiting_since(self) -> float:
        """Return since when it has waited for its client; infinity while it runs a request."""
        if self._timer is not None:
            return self._timer.when() - self.seconds
        if self.timeout_keep_alive_task is not None:
            return self.timeout_keep_alive_task.when() - self.timeout_keep_alive
        return inf

    def _close_waiting(self) -> None:
        if self._timer is None:
            self.transport.close()  # part of its last response may not have been sent
            return
        self._stop_timer()
        self.transport.abort()

    def _start_timer(self) -> None:
        if self._timer is None and self._is_incomplete:
            self._timer = self.loop.call_later(self.seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
