"""Client process: reads orders as lines of JSON and writes the log of each.

`python -m benchmarks.concurrency.clients NAME CLIENTS MODE URL...`; an order is
`{"mix", "url", "seconds", "round", "slow"}`, its response `{"calls": [[kind, ms, code], ...],
"cpu", "seconds"}`, with the time until the last result of a call that is not slow.
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

CallLog = list[tuple[str, float, str | None]]
PAUSE = 5.0
MILLISECONDS = 1000


async def send(client: Client, request: Request, call_log: CallLog) -> None:
    """Make a call; log its kind, its time and its error code."""
    start = time.perf_counter()
    result = await client.call_tool(request.tool, request.arguments)
    code = None
    if result.is_error:
        code = (result.structured_content or {}).get("error", {}).get("code", "unknown")
    call_log.append((request.kind, (time.perf_counter() - start) * MILLISECONDS, code))


async def send_until(
    client: Client, requests: Iterator[Request], deadline: float, call_log: CallLog
) -> None:
    """Make one call after another; start none after the deadline."""
    for request in requests:
        if time.perf_counter() >= deadline:
            return
        await send(client, request, call_log)


async def send_slow(client: Client, first: int, deadline: float, call_log: CallLog) -> None:
    """Make a slow call every few seconds."""
    number = first
    while time.perf_counter() < deadline:
        number += 1
        await send(client, slow(number), call_log)
        await anyio.sleep(min(PAUSE, max(0.0, deadline - time.perf_counter())))


async def execute_order(order: dict[str, Any], clients: list[Client], seed: str) -> dict[str, Any]:
    """Execute an order with all clients concurrently."""
    call_log: CallLog = []
    deadline = time.perf_counter() + order["seconds"]
    start, cpu_start = time.perf_counter(), time.process_time()
    seconds = 0.0
    async with anyio.create_task_group() as slow_group:
        if order["slow"]:
            slow_group.start_soon(send_slow, clients[0], order["round"], deadline, call_log)
        async with anyio.create_task_group() as group:
            for number, client in enumerate(clients):
                requests = calls(order["mix"], f"{seed} {number} {order['round']}")
                group.start_soon(send_until, client, requests, deadline, call_log)
        seconds = time.perf_counter() - start
    return {"calls": call_log, "cpu": time.process_time() - cpu_start, "seconds": seconds}


async def main(name: str, count: int, mode: str, urls: list[str]) -> None:
    """Connect, report it, and execute orders until the input ends."""
    async with AsyncExitStack() as stack:
        clients_by_url = {
            url: [
                await stack.enter_async_context(Client(url, mode=mode, read_timeout_seconds=120))
                for _ in range(count)
            ]
            for url in urls
        }
        for clients in clients_by_url.values():
            await clients[0].list_tools()
        write_line({"ready": True})
        while line := await anyio.to_thread.run_sync(sys.stdin.readline):
            order = json.loads(line)
            write_line(await execute_order(order, clients_by_url[order["url"]], name))


def write_line(message: dict[str, Any]) -> None:
    """Write a message to standard output as one line of JSON."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])
