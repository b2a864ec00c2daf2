"""Many concurrent calls: limits, queue, rejections and order."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import pytest
from fakes.gated_engine import GatedEngine
from fakes.http_server import http_server
from fakes.thread_exhaustion import no_worker_threads
from mcp import Client
from mcp.types import CallToolResult

from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings
from moviegraph_tools.call_runner import Shutdown

GATED = "held"
NEVER = 3600.0
PATIENCE = 120.0
FinishedCall = tuple[str, CallToolResult]


@dataclass(slots=True)
class Crowd:
    """Calls under way, each known by a name that its statement holds."""

    engine: GatedEngine
    group: anyio.abc.TaskGroup
    answers: dict[str, CallToolResult] = field(default_factory=dict[str, CallToolResult])
    answered: anyio.Event = field(default_factory=anyio.Event)

    async def call(
        self, client: Client, name: str, on_progress: Callable[..., Any] | None = None
    ) -> None:
        sql = {"sql": f"SELECT COUNT(*) AS n FROM Recipe WHERE Title = '{name}'"}
        self.answers[name] = await client.call_tool(
            "run_readonly_sql", sql, progress_callback=on_progress
        )
        self.answered.set()
        self.answered = anyio.Event()

    async def run(self, client: Client, name: str) -> None:
        """Begin a call, and wait until it is at work."""
        self.group.start_soon(self.call, client, name)
        assert name in await anyio.to_thread.run_sync(self.engine.arrived.get, True, PATIENCE)

    async def wait(self, client: Client, name: str) -> None:
        """Start a call, and wait until it is notified that it waits."""
        event = anyio.Event()

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            if message == "waiting for a slot":
                event.set()

        self.group.start_soon(self.call, client, name, hear)
        with anyio.fail_after(PATIENCE):
            await event.wait()

    async def answer(self, name: str) -> CallToolResult:
        """Wait for the answer of a call."""
        with anyio.fail_after(PATIENCE):
            while name not in self.answers:
                await self.answered.wait()
        return self.answers[name]

    async def order(self, names: int) -> list[str]:
        """Let the held calls end one after another; return who came to work after each."""
        came: list[str] = []
        for _ in range(names):
            self.engine.let_go()
            sql = await anyio.to_thread.run_sync(self.engine.arrived.get, True, PATIENCE)
            came.append(sql.split("'")[1].removeprefix(GATED).strip())
        self.engine.let_go()
        return came


@asynccontextmanager
async def crowd(engine: GatedEngine) -> AsyncGenerator[Crowd]:
    async with anyio.create_task_group() as group:
        yield Crowd(engine, group)


@pytest.fixture
def engine() -> GatedEngine:
    return GatedEngine(GATED)


ServerFactory = Callable[..., Any]


@pytest.fixture
def server_factory(session: Session, engine: GatedEngine) -> ServerFactory:
    def build(ending: Shutdown | None = None, **bounds: Any) -> Any:
        settings = Settings(**bounds)
        return create_server(settings, session=replace(session, engine=engine), ending=ending)

    return build


def refusal(result: CallToolResult) -> dict[str, Any]:
    assert result.is_error
    return result.structured_content["error"]


async def test_a_call_beyond_those_that_wait_is_refused_at_once(
    server_factory: ServerFactory, engine: GatedEngine, mode: str
) -> None:
    server = server_factory(max_running=1, max_waiting=1)
    async with Client(server, mode=mode) as client, crowd(engine) as calls:
        await calls.run(client, "held 1")
        await calls.wait(client, "held 2")
        await calls.call(client, "held 3")
        error = refusal(calls.answers["held 3"])
        engine.let_go(2)
    assert error["code"] == "busy"
    assert "1 call running and 1 waiting" in error["message"]
    assert "Retry the same call in a few seconds" in error["hint"]
    assert not calls.answers["held 1"].is_error
    assert not calls.answers["held 2"].is_error
    assert not any("held 3" in sql for sql in engine.executed)


async def test_without_room_to_wait_only_those_at_work_are_served(
    server_factory: ServerFactory, engine: GatedEngine
) -> None:
    async with (
        Client(server_factory(max_running=1, max_waiting=0)) as client,
        crowd(engine) as calls,
    ):
        await calls.run(client, "held 1")
        await calls.call(client, "quick")
        assert refusal(calls.answers["quick"])["code"] == "busy"
        engine.let_go()
        await calls.answer("held 1")
        await calls.call(client, "quick")
    assert not calls.answers["quick"].is_error


async def test_who_waits_is_served_in_order(
    server_factory: ServerFactory, engine: GatedEngine, mode: str
) -> None:
    async with Client(server_factory(max_running=1), mode=mode) as client, crowd(engine) as calls:
        await calls.run(client, "held 1")
        for name in ("held 2", "held 3", "held 4"):
            await calls.wait(client, name)
        assert await calls.order(3) == ["2", "3", "4"]


async def test_a_call_cancelled_while_it_waits_gives_its_place_back(
    server_factory: ServerFactory, engine: GatedEngine, mode: str
) -> None:
    async with Client(server_factory(max_running=1, max_waiting=1), mode=mode) as client:
        async with crowd(engine) as calls:
            await calls.run(client, "held 1")
            async with crowd(engine) as given_up:
                await given_up.wait(client, "held 2")
                given_up.group.cancel_scope.cancel()
            await freed(calls, client)
            engine.let_go(2)
        assert not calls.answers["held 1"].is_error
    assert not any("held 2" in sql for sql in engine.executed)


async def freed(calls: Crowd, client: Client) -> None:
    """Wait in the place of a call that was cancelled: the server hears of that a moment later."""
    event = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        event.set()

    async def until_it_waits() -> None:
        while not event.is_set():
            await calls.call(client, "held 3", hear)

    calls.group.start_soon(until_it_waits)
    with anyio.fail_after(PATIENCE):
        await event.wait()


@pytest.mark.slow("time limit")
async def test_the_time_of_a_call_runs_while_it_waits(session: Session) -> None:
    engine = GatedEngine(GATED, stubborn=True)
    changed = replace(session, engine=engine, limits=replace(session.limits, total_timeout=2.0))
    settings = Settings(max_running=1)
    async with Client(create_server(settings, session=changed)) as client, crowd(engine) as calls:
        await calls.run(client, "held 1")
        await calls.call(client, "held 2")
        error = refusal(calls.answers["held 2"])
        assert (error["code"], "waited 2 s" in error["message"]) == ("busy", True)
        engine.let_go()


async def test_the_many_calls_of_one_client_do_not_starve_another(
    server_factory: ServerFactory, engine: GatedEngine
) -> None:
    with http_server(server_factory(max_running=1)) as address:
        first, other = (Client(f"{address}/mcp", mode="legacy") for _ in range(2))
        async with first, other, crowd(engine) as calls:
            await calls.run(first, "held a1")
            for name in ("held a2", "held a3", "held a4"):
                await calls.wait(first, name)
            await calls.wait(other, "held b1")
            assert await calls.order(4) == ["a2", "b1", "a3", "a4"]


async def test_when_full_the_newest_call_of_who_has_most_makes_room(
    server_factory: ServerFactory, engine: GatedEngine
) -> None:
    with http_server(server_factory(max_running=1, max_waiting=2)) as address:
        first, other = (Client(f"{address}/mcp", mode="legacy") for _ in range(2))
        async with first, other, crowd(engine) as calls:
            await calls.run(first, "held a1")
            await calls.wait(first, "held a2")
            await calls.wait(first, "held a3")
            await calls.wait(other, "held b1")
            assert refusal(await calls.answer("held a3"))["code"] == "busy"
            await calls.call(other, "held b2")
            assert refusal(calls.answers["held b2"])["code"] == "busy"
            assert await calls.order(2) == ["a2", "b1"]


async def test_one_client_never_has_all_places(
    server_factory: ServerFactory, engine: GatedEngine
) -> None:
    with http_server(server_factory(max_running=3, max_waiting=1)) as address:
        first, other = (Client(f"{address}/mcp", mode="legacy") for _ in range(2))
        async with first, other, crowd(engine) as calls:
            for name in ("held a1", "held a2"):
                await calls.run(first, name)
            await calls.wait(first, "held a3")
            await calls.call(other, "quick")
            assert not calls.answers["quick"].is_error
            engine.let_go(3)


async def test_a_server_that_ends_lets_its_calls_end_and_takes_on_no_more(
    server_factory: ServerFactory, engine: GatedEngine, mode: str
) -> None:
    ending = Shutdown()
    async with (
        Client(server_factory(ending, max_running=1), mode=mode) as client,
        crowd(engine) as calls,
    ):
        await calls.run(client, "held 1")
        await calls.wait(client, "held 2")
        calls.group.start_soon(ending.drain, PATIENCE)
        assert "shutting down" in refusal(await calls.answer("held 2"))["message"]
        await calls.call(client, "quick")
        assert refusal(calls.answers["quick"])["code"] == "busy"
        engine.let_go()
        assert not (await calls.answer("held 1")).is_error


async def test_a_wrong_argument_counts_as_a_call(
    server_factory: ServerFactory, engine: GatedEngine
) -> None:
    async with (
        Client(server_factory(max_running=1, max_waiting=0)) as client,
        crowd(engine) as calls,
    ):
        await calls.run(client, "held 1")
        refused = await client.call_tool("run_readonly_sql", {"sgl": "SELECT 1"})
        assert refusal(refused)["code"] == "busy"
        engine.let_go()


async def test_a_call_without_a_thread_is_refused_and_keeps_no_place(
    server_factory: ServerFactory, engine: GatedEngine, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = server_factory(max_running=3, max_waiting=0)
    async with Client(server, mode=mode) as client, crowd(engine) as calls:
        await calls.run(client, "held 1")
        with no_worker_threads():
            for name in ("quick 1", "quick 2", "quick 3"):
                await calls.call(client, name)
                error = refusal(calls.answers[name])
                assert (error["code"], "no more threads" in error["message"]) == ("busy", True)
                assert "Retry the same call in a few seconds" in error["hint"]
        await calls.call(client, "quick 4")
        engine.let_go()
        assert not (await calls.answer("held 1")).is_error
        assert not calls.answers["quick 4"].is_error
    assert [sql.split("'")[1] for sql in engine.executed] == ["held 1", "quick 4"]
    assert caplog.text.count("No thread could be started for a call: can't start new thread.") == 3
