"""Warm calls over stdio on a graph folder: server CPU per call, and memory after mixed calls.

The folder is the first argument or MOVIEGRAPH_BENCH_GRAPH. Targets on 10,039 films and 226,598
edges: semantic_search and a one-hop MATCH at most 15 ms of server CPU; 600 MB after 100 calls.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import write
from benchmarks.server_process import ServerProcess, launch_python

WARM_UP_CALLS, TIMED_CALLS, MIXED_CALLS = 10, 100, 100
SEARCH_TEXTS = (
    "a detective haunted by an old case",
    "robots that learn to love",
    "a road trip across America",
    "a heist that goes wrong",
    "growing up in wartime",
    "a haunted house in the country",
    "friends lost in space",
    "a chef who finds new courage",
    "a trial that divides a town",
    "a sports team of outsiders",
)
ONE_HOP = (
    "SELECT TOP 20 g.Name, COUNT(*) AS Films "
    "FROM dbo.Movie AS m, dbo.IN_GENRE AS e, dbo.Genre AS g "
    "WHERE MATCH(m-(e)->g) AND m.ReleaseYear >= {year} GROUP BY g.Name ORDER BY Films DESC"
)


def cpu_per_call(server: ServerProcess, call: Callable[[int], object]) -> float:
    """Return the mean server CPU of a call in milliseconds (the kernel counts ticks of 10 ms)."""
    for number in range(WARM_UP_CALLS):
        call(number)
    cpu_before = server.cpu()
    for number in range(WARM_UP_CALLS, WARM_UP_CALLS + TIMED_CALLS):
        call(number)
    return (server.cpu() - cpu_before) / TIMED_CALLS * 1000


def query(number: int) -> str:
    """Return a text that was not requested before, so that no cached vector helps."""
    return f"{SEARCH_TEXTS[number % len(SEARCH_TEXTS)]}, part {number}"


def call_mixed(server: ServerProcess, number: int) -> None:
    """Call one of five tools in turn."""
    calls: tuple[Callable[[], object], ...] = (
        lambda: server.call_checked("semantic_search", query=query(number)),
        lambda: server.call_checked("fulltext_search", query="space station"),
        lambda: server.call_checked("hybrid_search", query=query(number)),
        lambda: server.call_checked("run_readonly_sql", sql=ONE_HOP.format(year=1900 + number)),
        lambda: server.call_checked(
            "graph_traverse", start_kind="Movie", start_query=query(number), to_kind="Theme"
        ),
    )
    calls[number % len(calls)]()


def main() -> None:
    """Measure and store the values."""
    graph = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVIEGRAPH_BENCH_GRAPH")
    if not graph:
        sys.stdout.write("serving: skipped, no graph folder given (see the module's docstring)\n")
        return
    with TemporaryDirectory() as scratch:
        journal = str(Path(scratch) / "journal.sqlite")
        options = ("serve", "--graph", graph, "--journal", journal)
        with ServerProcess(launch_python("-m", "moviegraph", *options)) as server:
            server.open()

            def search(number: int) -> object:
                return server.call_checked("semantic_search", query=query(number))

            def match(year: int) -> object:
                return server.call_checked("run_readonly_sql", sql=ONE_HOP.format(year=year))

            values = {
                "semantic_search_cpu_ms": cpu_per_call(server, search),
                "one_hop_match_cpu_ms": cpu_per_call(server, lambda n: match(1950 + n)),
            }
            for number in range(MIXED_CALLS):
                call_mixed(server, number)
            values["memory_mb_after_100_mixed_calls"] = server.memory()
    write("serving", {name: round(value, 1) for name, value in values.items()})


if __name__ == "__main__":
    main()
