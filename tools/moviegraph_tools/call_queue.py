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
    """How many calls a server takes on.

    Attributes:
        running: Most calls at work, and the most that one client may have at work.
        waiting: Most calls that wait for their turn.
        slow_after: Seconds of work after which a call counts as slow. It then leaves its place to
            another, as long as there is room beside the places.
    """

    running: int = 8
    waiting: int = 64
    slow_after: float = 1.0

    @property
    def beside(self) -> int:
        """Room for slow calls beside the places."""
        return max(1, self.running // 2)

    @property
    def threads(self) -> int:
        """Most calls at work, slow ones among them."""
        return self.running + self.beside


class CallSlot:
    """What a call holds while it waits, and then until its work has ended.

    `decided` is there while it waits.
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
    when too many wait, the newest call of the client that has most of them is turned away.
    """

    def __init__(self, bounds: CallLimits) -> None:
        self._bounds = bounds
        self._held: Counter[str] = Counter()
        self._slow = 0
        self._fresh: dict[CallSlot, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._queues: OrderedDict[str, deque[CallSlot]] = OrderedDict()
        self._emptied: anyio.Event | None = None

    @property
    def closed(self) -> bool:
        """Whether no more calls are taken on."""
        return self._emptied is not None

    def at_once(self, client: str) -> CallSlot | None:
        """Return a place if one is free for this client, as far as clients can be told apart.

        Raises:
            UnavailableError: The server is ending (code busy).
        """
        if self._emptied is not None:
            raise _ending()
        if not self._free(client):
            return None
        place = CallSlot(client)
        self._grant(place)
        return place

    async def in_turn(self, client: str, waits: Callable[[], None]) -> CallSlot:
        """Return a place when the client's turn has come.

        Args:
            client: Who calls, and has just found that no place is free.
            waits: Called when the call has been taken on.

        Raises:
            UnavailableError: Too many calls wait already, or the server is ending (code busy).
        """
        place = CallSlot(client)
        place.decided = decided = anyio.Event()
        self._queue(place)
        waits()
        count_waiting(1)
        try:
            await decided.wait()
        except BaseException:
            self._leave(place)
            raise
        finally:
            count_waiting(-1)
        if place.refusal is not None:
            raise place.refusal
        return place

    def release(self, place: CallSlot) -> None:
        """Give a place back: its work has ended."""
        self._fresh.pop(place, None)
        count_running(-1)
        self._slow -= place.slow
        self._held[place.client] -= 1
        if not self._held[place.client]:
            del self._held[place.client]
        self._let_in()
        if self._emptied is not None and not self._held:
            self._emptied.set()

    async def close(self) -> None:
        """Turn away who waits and who comes, and wait until nothing is at work."""
        if self._emptied is None:
            self._emptied = anyio.Event()
            for queue in self._queues.values():
                for place in queue:
                    _turn_away(place, _ending())
            self._queues.clear()
        if self._held:
            await self._emptied.wait()

    def _free(self, client: str) -> bool:
        bounds = self._bounds
        taken = self._held.total() - min(self._slow, bounds.beside)
        return taken < bounds.running and self._held[client] < bounds.running

    def _grant(self, place: CallSlot) -> None:
        count_running(1)
        self._held[place.client] += 1
        place.granted = True
        loop = asyncio.get_running_loop()
        place.slow_at = loop.time() + self._bounds.slow_after
        self._fresh[place] = None
        if self._timer is None:
            self._timer = loop.call_at(place.slow_at, self._slows, loop)
        if place.decided is not None:
            place.decided.set()

    def _slows(self, loop: asyncio.AbstractEventLoop) -> None:
        """Count who has become slow, and look again when the next one would: most end before."""
        self._timer = None
        now = loop.time()
        for place in tuple(self._fresh):
            if place.slow_at > now:
                self._timer = loop.call_at(place.slow_at, self._slows, loop)
                break
            del self._fresh[place]
            place.slow = True
            self._slow += 1
        self._let_in()

    def _let_in(self) -> None:
        """Grant what has become free; a client whose call is let in goes to the end."""
        while client := next(filter(self._free, self._queues), None):
            queue = self._queues.pop(client)
            place = queue.popleft()
            if queue:
                self._queues[client] = queue
            self._grant(place)

    def _queue(self, place: CallSlot) -> None:
        mine = len(self._queues.get(place.client, ()))
        if sum(map(len, self._queues.values())) >= self._bounds.waiting:
            self._make_room(mine)
        self._queues.setdefault(place.client, deque()).append(place)

    def _make_room(self, mine: int) -> None:
        """Turn away the newest call of who has most, unless that is the one who comes."""
        refusal = UnavailableError(
            f"The server is busy: {plural(self._held.total(), 'call')} running and "
            f"{self._bounds.waiting} waiting, its maximum. This call did not run.",
            code="busy",
            hint=AGAIN,
        )
        queue = max(self._queues.values(), key=len, default=None)
        if queue is None or len(queue) <= mine + 1:
            raise refusal
        _turn_away(queue.pop(), refusal)

    def _leave(self, place: CallSlot) -> None:
        if place.granted:
            self.release(place)
            return
        queue = self._queues.get(place.client)
        if queue is not None and place in queue:
            queue.remove(place)
            if not queue:
                del self._queues[place.client]


def _turn_away(place: CallSlot, refusal: UnavailableError) -> None:
    place.refusal = refusal
    if place.decided is not None:
        place.decided.set()


def _ending() -> UnavailableError:
    return UnavailableError(
        "The server is shutting down and accepts no more calls. This call did not run.",
        code="busy",
        hint="Retry the call when the server is running again.",
    )
