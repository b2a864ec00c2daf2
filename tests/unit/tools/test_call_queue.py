"""Slow calls, and the slots that they give to others."""

import asyncio

import pytest

from moviegraph.query.session import Call
from moviegraph_tools.call_runner import CallLimits, CallQueue, CallSlot

SLOW = CallLimits(running=4, waiting=4, slow_after=1.0)


class Clock:
    """A loop clock that tests advance."""

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


async def acquire(queue: CallQueue, client: str) -> CallSlot:
    def progress(*_: object) -> None:
        pytest.fail("no slot is free")

    return await queue.acquire(client, Call("tool", progress=progress))


async def wait(queue: CallQueue, client: str) -> asyncio.Task[CallSlot]:
    is_waiting = asyncio.Event()

    def progress(*_: object) -> None:
        is_waiting.set()

    task = asyncio.create_task(queue.acquire(client, Call("tool", progress=progress)))
    await is_waiting.wait()
    return task


async def test_each_call_counts_as_slow_at_its_own_time(clock: Clock) -> None:
    queue = CallQueue(SLOW)
    slots = [await acquire(queue, "a")]
    await clock.reach(0.5)
    slots += [await acquire(queue, client) for client in "bcd"]
    first, second = await wait(queue, "e"), await wait(queue, "f")
    await clock.reach(0.9)
    assert not first.done()
    await clock.reach(1.0)
    assert first.done()
    assert not second.done()
    await clock.reach(1.5)
    assert second.done()
    for slot in (*slots, first.result(), second.result()):
        queue.release(slot)
    await queue.close()


async def test_a_call_that_ended_in_time_does_not_count_as_slow(clock: Clock) -> None:
    queue = CallQueue(SLOW)
    slots = [await acquire(queue, client) for client in "abcd"]
    await clock.reach(0.9)
    queue.release(slots.pop())
    slots.append(await acquire(queue, "d"))
    next_one = await wait(queue, "e")
    await clock.reach(1.0)
    assert next_one.done()
    assert [slot.is_slow for slot in slots] == [True, True, True, False]
    for slot in (*slots, next_one.result()):
        queue.release(slot)
    await queue.close()


async def test_a_slot_granted_to_a_call_cancelled_in_the_same_moment_is_free_again() -> None:
    queue = CallQueue(CallLimits(running=1, waiting=4, slow_after=3600))
    slot = await acquire(queue, "a")
    waiting = await wait(queue, "b")
    queue.release(slot)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    queue.release(await acquire(queue, "c"))
    await queue.close()
