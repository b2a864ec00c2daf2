"""The queue of calls: a bounded number runs, a bounded number waits, and clients take turns."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

from moviegraph.errors import UnavailableError
from moviegraph.observability import count_running, count_waiting
from moviegraph.text import plural

RETRY_HINT = "Retry the same call in a few seconds, and send fewer calls at once."


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How many calls a server accepts.

    Attributes:
        running: Maximum running calls; one client may have one fewer, so that it never blocks
            the others.
        waiting: Maximum calls that wait for a slot.
        slow_after: Seconds after which a running call counts as slow. It then gives its slot to
            another call, as long as there are slots for slow calls.
    """

    running: int = 8
    waiting: int = 64
    slow_after: float = 1.0

    @property
    def slow_slots(self) -> int:
        """Additional slots for slow calls."""
        return max(1, self.running // 2)

    @property
    def per_client(self) -> int:
        """Maximum running calls of one client."""
        return max(1, self.running - 1)

    @property
    def threads(self) -> int:
        """Maximum running calls, slow ones included."""
        return self.running + self.slow_slots


@dataclass(slots=True, eq=False)
class CallSlot:
    """The slot of one running call; `timer` marks it as slow."""

    client: str
    timer: asyncio.TimerHandle | None = None
    is_slow: bool = False


class CallQueue:
    """Grants slots to the calls of one event loop; never used from another thread.

    Clients that wait take turns, so that the many calls of one do not starve the one of another;
    when too many wait, the newest call of the client with the most waiting calls is refused.
    """

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._running: set[CallSlot] = set()
        self._waiting: OrderedDict[str, deque[asyncio.Future[CallSlot]]] = OrderedDict()
        self._is_closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def acquire(self, client: str, waits: Callable[[], None]) -> CallSlot:
        """Return a slot, at once if one is free for the client, otherwise in turn.

        Args:
            client: The client that calls.
            waits: Called when the call starts to wait.

        Raises:
            UnavailableError: Too many calls wait already, or the server is ending (code busy).
        """
        if self._is_closed:
            raise _shutting_down()
        if self._is_free(client):
            return self._grant(client)
        turn = asyncio.get_running_loop().create_future()
        self._enqueue(client, turn)
        waits()
        count_waiting(1)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and turn.exception() is None:  # granted in the same moment
                self.release(turn.result())
            raise
        finally:
            count_waiting(-1)
            self._remove(client, turn)

    def release(self, slot: CallSlot) -> None:
        """Release a slot whose work has ended; a slot that was released before is ignored."""
        if slot not in self._running:
            return
        self._running.remove(slot)
        count_running(-1)
        if slot.timer is not None:
            slot.timer.cancel()
        self._grant_free()
        if not self._running:
            self._idle.set()

    async def close(self) -> None:
        """Refuse waiting and new calls, and wait until no call is running."""
        self._is_closed = True
        for queue in self._waiting.values():
            for turn in queue:
                _refuse(turn, _shutting_down())
        self._waiting.clear()
        await self._idle.wait()

    def _is_free(self, client: str) -> bool:
        slow = min(sum(slot.is_slow for slot in self._running), self._limits.slow_slots)
        used = sum(slot.client == client for slot in self._running)
        has_room = len(self._running) - slow < self._limits.running
        return has_room and used < self._limits.per_client

    def _grant(self, client: str) -> CallSlot:
        slot = CallSlot(client)
        loop = asyncio.get_running_loop()
        slot.timer = loop.call_later(self._limits.slow_after, self._mark_slow, slot)
        self._running.add(slot)
        self._idle.clear()
        count_running(1)
        return slot

    def _mark_slow(self, slot: CallSlot) -> None:
        slot.is_slow = True
        self._grant_free()

    def _grant_free(self) -> None:
        """Grant free slots; a client whose call is granted goes to the end of the queue."""
        while (client := next(filter(self._is_free, self._waiting), None)) is not None:
            queue = self._waiting.pop(client)
            turn = queue.popleft()
            if queue:
                self._waiting[client] = queue
            if not turn.done():
                turn.set_result(self._grant(client))

    def _enqueue(self, client: str, turn: asyncio.Future[CallSlot]) -> None:
        if sum(map(len, self._waiting.values())) >= self._limits.waiting:
            self._make_room(len(self._waiting.get(client, ())))
        self._waiting.setdefault(client, deque()).append(turn)

    def _make_room(self, waiting_of_caller: int) -> None:
        """Refuse the newest call of the client with the most waiting, if not that of the caller."""
        refusal = UnavailableError(
            f"The server is busy: {plural(len(self._running), 'call')} running and "
            f"{self._limits.waiting} waiting, its maximum. This call did not run.",
            code="busy",
            hint=RETRY_HINT,
        )
        queue = max(self._waiting.values(), key=len, default=None)
        if queue is None or len(queue) <= waiting_of_caller + 1:
            raise refusal
        _refuse(queue.pop(), refusal)

    def _remove(self, client: str, turn: asyncio.Future[CallSlot]) -> None:
        queue = self._waiting.get(client)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._waiting[client]


def _refuse(turn: asyncio.Future[CallSlot], refusal: UnavailableError) -> None:
    if not turn.done():
        turn.set_exception(refusal)


def _shutting_down() -> UnavailableError:
    return UnavailableError(
        "The server is shutting down and accepts no more calls. This call did not run.",
        code="busy",
        hint="Retry the call when the server is running again.",
    )
