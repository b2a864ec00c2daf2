"""When a call counts as slow, and whom it then lets in."""

import asyncio

import pytest

from moviegraph_tools.call_queue import CallLimits, CallQueue, CallSlot

SLOW = CallLimits(running=4, waiting=4, slow_after=1.0)


class Clock:
    """The time of a loop, which passes when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: self.now)

    async def reach(self, seconds: float) -> None:
        """Let the loop do what is due by then."""
        self.now = seconds
        for _ in range(4):
            await asyncio.sleep(0)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def taken(places: CallQueue, client: str) -> CallSlot:
    place = places.try_acquire(client)
    assert place is not None
    return place


def waiting(places: CallQueue, client: str) -> asyncio.Task[CallSlot]:
    assert places.try_acquire(client) is None
    return asyncio.create_task(places.acquire(client, lambda: None))


async def test_each_call_counts_as_slow_at_its_own_time(clock: Clock) -> None:
    places = CallQueue(SLOW)
    held = [taken(places, "a")]
    await clock.reach(0.5)
    held += [taken(places, each) for each in "bcd"]
    first, second = waiting(places, "e"), waiting(places, "f")
    await clock.reach(0.9)
    assert not first.done()
    await clock.reach(1.0)
    assert first.done()
    assert not second.done()
    await clock.reach(1.5)
    assert second.done()
    for place in (*held, first.result(), second.result()):
        places.release(place)
    await places.close()


async def test_a_call_that_ended_in_time_does_not_count_as_slow(clock: Clock) -> None:
    places = CallQueue(SLOW)
    held = [taken(places, each) for each in "abcd"]
    await clock.reach(0.9)
    places.release(held.pop())
    held.append(taken(places, "d"))
    next_one = waiting(places, "e")
    await clock.reach(1.0)
    assert next_one.done()
    assert [place.slow for place in held] == [True, True, True, False]
    for place in (*held, next_one.result()):
        places.release(place)
    await places.close()
