"""Slots of calls that are cancelled."""

import asyncio

import pytest

from moviegraph.query.session import Call
from moviegraph_tools.call_runner import CallQueue, CallSlot


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


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


async def test_a_slot_granted_to_a_call_cancelled_in_the_same_moment_is_free_again() -> None:
    queue = CallQueue(running=1, waiting=4)
    slot = await acquire(queue, "a")
    waiting = await wait(queue, "b")
    queue.release(slot)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    queue.release(await acquire(queue, "c"))
    await queue.close()
