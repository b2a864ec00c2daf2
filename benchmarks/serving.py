"""Warm calls over stdio on a graph folder: server CPU a call, and memory after mixed calls.

The folder is the first argument or MOVIEGRAPH_BENCH_GRAPH. Targets on 10,039 films and 226,598
edges: semantic_search and a one-hop MATCH at most 15 ms of server CPU; 600 MB after 100 calls.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.ideas import IDEAS
from benchmarks.report import write
from benchmarks.wire import WireServer

WARM, TIMED = 10, 100
ONE_HOP = (
    "SELECT TOP 20 g.Name, COUNT(*) AS Films "
    "FROM dbo.Movie AS m, dbo.IN_GENRE AS e, dbo.Genre AS g "
    "WHERE MATCH(m-(e)->g) AND m.ReleaseYear >= {year} GROUP BY g.Name ORDER BY Films DESC"
)


def timed(server: WireServer, call: Callable[[int], object]) -> float:
    """Return the mean server CPU of a call in milliseconds (the kernel counts ticks of 10 ms)."""
    for number in range(WARM):
        call(number)
    before = server.cpu()
    for number in range(WARM, WARM + TIMED):
        call(number)
    return (server.cpu() - before) / TIMED * 1000


def query(number: int) -> str:
    """Return a text not asked before, so that no cached vector helps."""
    return f"{IDEAS[number % len(IDEAS)]}, part {number}"


def mixed(server: WireServer, number: int) -> None:
    kinds: tuple[Callable[[], object], ...] = (
        lambda: server.call("semantic_search", query=query(number)),
        lambda: server.call("fulltext_search", query="space station"),
        lambda: server.call("hybrid_search", query=query(number)),
        lambda: server.call("run_readonly_sql", sql=ONE_HOP.format(year=1900 + number)),
        lambda: server.call(
            "graph_traverse", start_kind="Movie", start_query=query(number), to_kind="Theme"
        ),
    )
    kinds[number % len(kinds)]()


def main() -> None:
    arguments = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVIEGRAPH_BENCH_GRAPH")
    if not arguments:
        sys.stdout.write("serving: skipped, no graph folder given (see the module's docstring)\n")
        return
    with TemporaryDirectory() as scratch:
        journal = str(Path(scratch) / "journal.sqlite")
        options = ("serve", "--graph", arguments, "--journal", journal)
        with WireServer("-m", "moviegraph", *options) as server:
            server.open()
            figures: dict[str, float | str] = {
                "semantic_search_cpu_ms": timed(
                    server, lambda n: server.call("semantic_search", query=query(n))
                ),
                "one_hop_match_cpu_ms": timed(
                    server,
                    lambda n: server.call("run_readonly_sql", sql=ONE_HOP.format(year=1950 + n)),
                ),
                "one_hop_match_repeated_cpu_ms": timed(
                    server, lambda _: server.call("run_readonly_sql", sql=ONE_HOP.format(year=1999))
                ),
            }
            for number in range(100):
                mixed(server, number)
            figures["memory_mb_after_100_mixed_calls"] = server.memory()
    write("serving", {name: round(float(value), 1) for name, value in figures.items()})


if __name__ == "__main__":
    main()
