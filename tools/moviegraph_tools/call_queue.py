"""The queue of calls: a bounded number runs, a bounded number waits, and clients take turns."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

import anyio

from moviegraph.errors import UnavailableError
from moviegraph.observability import count_running, count_waiting
from moviegraph.text import plural

AGAIN = "Retry the same call in a few seconds, and send fewer calls at once."


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


class CallSlot:
    """The slot of one call, from its arrival until its work has ended.

    `decided` is set once the call may run, or is refused.
    """

    __slots__ = ("client", "decided", "granted", "refusal", "slow", "slow_at")

    def __init__(self, client: str) -> None:
        self.client = client
        self.decided: anyio.Event | None = None
        self.refusal: UnavailableError | None = None
        self.granted = False
        self.slow = False
        self.slow_at = 0.0


class CallQueue:
    """Gives places to the calls of one event loop; never used from another thread.

    Clients that wait take turns, so that the many calls of one do not starve the one of another;
    when too many wait, the newest call of the client with the most waiting calls is refused.
    """

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._held: Counter[str] = Counter()
        self._slow = 0
        self._not_slow: dict[CallSlot, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._queues: OrderedDict[str, deque[CallSlot]] = OrderedDict()
        self._emptied: anyio.Event | None = None

    @property
    def closed(self) -> bool:
        """Whether no more calls are accepted."""
        return self._emptied is not None

    def try_acquire(self, client: str) -> CallSlot | None:
        """Return a slot if one is free for this client.

        Raises:
            UnavailableError: The server is ending (code busy).
        """
        if self._emptied is not None:
            raise _shutting_down()
        if not self._free(client):
            return None
        slot = CallSlot(client)
        self._grant(slot)
        return slot

    async def acquire(self, client: str, waits: Callable[[], None]) -> CallSlot:
        """Return a slot when the client's turn has come.

        Args:
            client: The client that calls.
            waits: Called when the call starts to wait.

        Raises:
            UnavailableError: Too many calls wait already, or the server is ending (code busy).
        """
        slot = CallSlot(client)
        slot.decided = decided = anyio.Event()
        self._enqueue(slot)
        waits()
        count_waiting(1)
        try:
            await decided.wait()
        except BaseException:
            self._leave(slot)
            raise
        finally:
            count_waiting(-1)
        if slot.refusal is not None:
            raise slot.refusal
        return slot

    def release(self, slot: CallSlot) -> None:
        """Release a slot whose work has ended."""
        self._not_slow.pop(slot, None)
        count_running(-1)
        self._slow -= slot.slow
        self._held[slot.client] -= 1
        if not self._held[slot.client]:
            del self._held[slot.client]
        self._grant_free()
        if self._emptied is not None and not self._held:
            self._emptied.set()

    async def close(self) -> None:
        """Refuse waiting and new calls, and wait until no call is running."""
        if self._emptied is None:
            self._emptied = anyio.Event()
            for queue in self._queues.values():
                for slot in queue:
                    _refuse(slot, _shutting_down())
            self._queues.clear()
        if self._held:
            await self._emptied.wait()

    def _free(self, client: str) -> bool:
        limits = self._limits
        taken = self._held.total() - min(self._slow, limits.slow_slots)
        return taken < limits.running and self._held[client] < limits.per_client

    def _grant(self, slot: CallSlot) -> None:
        count_running(1)
        self._held[slot.client] += 1
        slot.granted = True
        loop = asyncio.get_running_loop()
        slot.slow_at = loop.time() + self._limits.slow_after
        self._not_slow[slot] = None
        if self._timer is None:
            self._timer = loop.call_at(slot.slow_at, self._mark_slow, loop)
        if slot.decided is not None:
            slot.decided.set()

    def _mark_slow(self, loop: asyncio.AbstractEventLoop) -> None:
        """Mark slow calls, and look again when the next one would become slow."""
        self._timer = None
        now = loop.time()
        for slot in tuple(self._not_slow):
            if slot.slow_at > now:
                self._timer = loop.call_at(slot.slow_at, self._mark_slow, loop)
                break
            del self._not_slow[slot]
            slot.slow = True
            self._slow += 1
        self._grant_free()

    def _grant_free(self) -> None:
        """Grant free slots; a client whose call is granted goes to the end of the queue."""
        while client := next(filter(self._free, self._queues), None):
            queue = self._queues.pop(client)
            slot = queue.popleft()
            if queue:
                self._queues[client] = queue
            self._grant(slot)

    def _enqueue(self, slot: CallSlot) -> None:
        mine = len(self._queues.get(slot.client, ()))
        if sum(map(len, self._queues.values())) >= self._limits.waiting:
            self._make_room(mine)
        self._queues.setdefault(slot.client, deque()).append(slot)

    def _make_room(self, mine: int) -> None:
        """Refuse the newest call of the client with the most waiting, if not that of the caller."""
        refusal = UnavailableError(
            f"The server is busy: {plural(self._held.total(), 'call')} running and "
            f"{self._limits.waiting} waiting, its maximum. This call did not run.",
            code="busy",
            hint=AGAIN,
        )
        queue = max(self._queues.values(), key=len, default=None)
        if queue is None or len(queue) <= mine + 1:
            raise refusal
        _refuse(queue.pop(), refusal)

    def _leave(self, slot: CallSlot) -> None:
        if slot.granted:
            self.release(slot)
            return
        queue = self._queues.get(slot.client)
        if queue is not None and slot in queue:
            queue.remove(slot)
            if not queue:
                del self._queues[slot.client]


def _refuse(slot: CallSlot, refusal: UnavailableError) -> None:
    slot.refusal = refusal
    if slot.decided is not None:
        slot.decided.set()


def _shutting_down() -> UnavailableError:
    return UnavailableError(
        "The server is shutting down and accepts no more calls. This call did not run.",
        code="busy",
        hint="Retry the call when the server is running again.",
    )
