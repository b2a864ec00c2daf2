"""A process of clients: reads orders as lines, answers each with what its calls took.

`python -m benchmarks.concurrency.clients NAME CLIENTS MODE URL...`; an order is
`{"what", "url", "seconds", "round", "slow"}`, its answer `{"calls": [[kind, ms, code], ...], "cpu",
"seconds"}`: the time until the last answer that is none to a slow call.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import anyio
from mcp import Client

from benchmarks.concurrency.request_mix import Request, calls, slow

Taken = list[tuple[str, float, str | None]]
PAUSE = 5.0
MILLISECONDS = 1000


async def one(client: Client, request: Request, taken: Taken) -> None:
    """Make a call, and note its kind, its time and the code of its error."""
    began = time.perf_counter()
    result = await client.call_tool(request.tool, request.arguments)
    code = None
    if result.is_error:
        code = (result.structured_content or {}).get("error", {}).get("code", "unknown")
    taken.append((request.kind, (time.perf_counter() - began) * MILLISECONDS, code))


async def repeat(client: Client, drawn: Iterator[Request], until: float, taken: Taken) -> None:
    """Make one call after another until the time is over; no new one begins then."""
    for request in drawn:
        if time.perf_counter() >= until:
            return
        await one(client, request, taken)


async def now_and_then(client: Client, first: int, until: float, taken: Taken) -> None:
    """Make a slow call every some seconds."""
    number = first
    while time.perf_counter() < until:
        number += 1
        await one(client, slow(number), taken)
        await anyio.sleep(min(PAUSE, max(0.0, until - time.perf_counter())))


async def obey(order: dict[str, Any], clients: list[Client], seed: str) -> dict[str, Any]:
    """Carry out an order with all clients at once."""
    taken: Taken = []
    until = time.perf_counter() + order["seconds"]
    began, used = time.perf_counter(), time.process_time()
    took = 0.0
    async with anyio.create_task_group() as beside:
        if order["slow"]:
            beside.start_soon(now_and_then, clients[0], order["round"], until, taken)
        async with anyio.create_task_group() as group:
            for number, client in enumerate(clients):
                drawn = calls(order["what"], f"{seed} {number} {order['round']}")
                group.start_soon(repeat, client, drawn, until, taken)
        took = time.perf_counter() - began
    return {"calls": taken, "cpu": time.process_time() - used, "seconds": took}


async def main(name: str, count: int, mode: str, urls: list[str]) -> None:
    """Connect, say so, and carry out orders until the input ends."""
    async with AsyncExitStack() as stack:
        connected = {
            url: [
                await stack.enter_async_context(Client(url, mode=mode, read_timeout_seconds=120))
                for _ in range(count)
            ]
            for url in urls
        }
        for clients in connected.values():
            await clients[0].list_tools()
        say({"ready": True})
        while line := await anyio.to_thread.run_sync(sys.stdin.readline):
            order = json.loads(line)
            say(await obey(order, connected[order["url"]], name))


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
