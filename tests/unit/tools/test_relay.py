import asyncio
from typing import Any

import anyio
import pytest

from moviegraph.query.session import Progress
from moviegraph_tools.call_runner import progress_relay


class Listener:
    def __init__(self) -> None:
        self.heard: list[tuple[float, float | None, str | None]] = []

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        self.heard.append((progress, total, message))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_progress_only_grows_over_phases_that_each_start_at_zero() -> None:
    listener: Any = Listener()
    async with progress_relay(listener) as put:

        def work() -> None:
            for step in ((0, 2), (1, 2), (2, 2), (0, 3), (1, 3), (1, 3), (3, None)):
                put(*step, "phase")

        await anyio.to_thread.run_sync(work)
    values = [value for value, _, _ in listener.heard]
    assert values == sorted(set(values))
    assert all(total is None or total >= value for value, total, _ in listener.heard)
    assert [message for _, _, message in listener.heard] == [
        "phase (0 of 2)",
        "phase (1 of 2)",
        "phase (2 of 2)",
        "phase (0 of 3)",
        "phase (1 of 3)",
        "phase",
    ]


async def test_a_listener_that_fails_does_not_fail_the_call() -> None:
    class DisconnectedClient:
        async def report_progress(self, *_: object) -> None:
            raise ConnectionError

    closed_stream: Any = DisconnectedClient()
    async with progress_relay(closed_stream) as put:
        await anyio.to_thread.run_sync(put, 1, 2, "step")


def test_steps_after_the_loop_has_ended_are_dropped() -> None:
    listener: Any = Listener()

    async def put_of_ended_loop() -> Progress:
        async with progress_relay(listener) as put:
            return put

    put = asyncio.run(put_of_ended_loop())
    put(1, 2, "too late")
    assert listener.heard == []
