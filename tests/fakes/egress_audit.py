"""Calls every tool with the default settings, and prints each attempt to send data."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostby", "socket.send")
AUDITED_WORKER = "fakes.audited_worker"
STARTED = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "urllib.Request")


def record_egress(events: list[str]) -> None:
    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith((*WATCHED, *STARTED)) and not is_worker(event, arguments):
            events.append(f"{event} {arguments!r}")

    sys.addaudithook(hook)


def is_worker(event: str, arguments: tuple[Any, ...]) -> bool:
    """Return whether the event is the start of a worker of this server, which is audited too."""
    if event != "subprocess.Popen":
        return False
    *command, memory = arguments[1]
    return command == [sys.executable, "-P", "-m", AUDITED_WORKER] and memory.isdigit()


async def call_all(folder: Path) -> int:
    """Return how many calls of tools, resources and prompts were answered without an error."""
    import psutil
    from fakes.toy_graph import TOY, build_toy_graph
    from mcp import Client

    from moviegraph.embeddings.local_embedder import LocalEmbedder
    from moviegraph.engines.embedded import worker_pool
    from moviegraph.server import create_server
    from moviegraph.settings import Settings

    worker_pool.MODULE = AUDITED_WORKER
    build_toy_graph(folder / "graph", LocalEmbedder())
    settings = Settings(graph=folder / "graph", contract=TOY / "contract")
    server = create_server(replace(settings, journal=folder / "journal.sqlite"))
    sql = "SELECT TOP 3 r.Number, r.Title FROM Recipe AS r"
    plan = [{"id": "a", "message_to_user": "x", "query": "soup", "command": sql}]
    calls: dict[str, dict[str, Any]] = {
        "get_planning_context": {"question": "a warming soup"},
        "semantic_search": {"query": "a warming soup"},
        "fulltext_search": {"query": "https://collector.example/?q=1 OR lentils"},
        "hybrid_search": {"query": "lentils"},
        "graph_traverse": {"start": ["Hummus"], "to_kind": "Ingredient"},
        "run_readonly_sql": {"sql": f"{sql} ORDER BY VECTOR_DISTANCE('cosine', r.Meaning, @q)"}
        | {"query": "soup"},
        "fix_sql": {"sql": "SELECT Titel FROM Recipe"},
        "run_strategies": {"question": "soups", "strategies": plan},
        "expand_strategy": {"question": "soups"},
        "get_records": {"ids": [1]},
    }
    successes = 0
    async with Client(server) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == set(calls)
        for tool, arguments in calls.items():
            successes += not (await client.call_tool(tool, arguments)).is_error
        for resource in (await client.list_resources()).resources:
            successes += bool((await client.read_resource(str(resource.uri))).contents)
        successes += bool((await client.get_prompt("research", {"question": "soups"})).messages)
    assert not psutil.Process().net_connections("inet")
    return successes


def main() -> None:
    import anyio

    events: list[str] = []
    record_egress(events)
    successes = anyio.run(call_all, Path(sys.argv[1]))
    sys.stdout.write("\n".join([f"answered {successes}", *events]))


if __name__ == "__main__":
    main()
