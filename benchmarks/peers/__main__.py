"""Our server beside its public peers: the same graph, the same questions, one client, in turns.

Run with `python -m benchmarks.peers [GRAPH] [--only servers|graph|vectors] [--keep NAME]`; the
graph folder is the argument or MOVIEGRAPH_BENCH_GRAPH. Peers are installed by name into
environments of their own.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.peers.comparisons import measure_graph, measure_servers, measure_vectors
from benchmarks.peers.datasets import GraphData, read_graph
from benchmarks.peers.servers import Files, Unavailable
from benchmarks.report import table, write

TIMES = ("wall_median_ms", "wall_p95_ms", "cpu_ms", "cpu_least_round_ms", "cpu_most_round_ms")
HEAD = ("server", "median", "p95", "CPU", "least round", "most round")
POINTS = ("is_error", "names_the_column", "names_the_near_right_one", "says_what_to_do")


def show(part: str, result: Mapping[str, Any]) -> None:
    """Print one part."""
    if part == "servers":
        _sizes(result["sizes_and_errors"])
        for name, each in result["joins"].items():
            _times(f"50-row join, {name}: ms a call", each)
    elif part == "graph":
        for name, each in result.items():
            _times(f"{name}: ms a call", each)
    else:
        _times("search by meaning: ms a call", result)
        print(f"films in common, of 10: {result['films_in_common_of_10']:.1f}")


def _times(title: str, result: Mapping[str, Any]) -> None:
    rows = [
        (name, *(f"{each[figure]:.2f}" for figure in TIMES))
        for name, each in result.items()
        if isinstance(each, Mapping)
    ]
    table(title, HEAD, rows)


def _sizes(result: Mapping[str, Any]) -> None:
    head = ("server", "start s", "tools/list", "answer", "rows told", *POINTS)
    rows: list[tuple[str, ...]] = []
    for name, each in result.items():
        failed = each["misspelt_column"]
        marks = ["yes" if failed[point] else "no" for point in POINTS]
        sizes = (each["tools_list_bytes"], each["answer_bytes"], each["rows_in_the_answer"])
        rows.append((name, f"{each['start_s']:.2f}", *map(str, sizes), *marks))
    table("Sizes in bytes, and the error for a misspelt column", head, rows)
    for name, each in result.items():
        print(f"{name}: {each['misspelt_column']['says']}")


PARTS: dict[str, Callable[[GraphData, Files], dict[str, Any]]] = {
    "servers": measure_servers,
    "graph": measure_graph,
    "vectors": measure_vectors,
}


def measured(part: str, data: GraphData, graph: Path) -> dict[str, Any] | None:
    """Measure one part, or say why not."""
    with TemporaryDirectory(prefix="moviegraph-peers-") as scratch:
        try:
            return PARTS[part](data, Files(graph.resolve(), Path(scratch)))
        except (Unavailable, RuntimeError, subprocess.SubprocessError) as error:
            sys.stdout.write(f"skipped: {part}: {error}\n")
            return None


def main() -> None:
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", nargs="?", default=os.environ.get("MOVIEGRAPH_BENCH_GRAPH"))
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--keep", default="peers", help="how the files of results begin")
    options = parser.parse_args()
    if options.graph is None:
        sys.stdout.write("peers: skipped, no graph folder given (see the module's docstring)\n")
        return
    graph = Path(options.graph)
    data = read_graph(graph)
    for part in [options.only] if options.only else PARTS:
        result = measured(part, data, graph)
        if result is not None:
            show(part, result)
            write(f"{options.keep}_{part}", {"films": data.films, **result})


if __name__ == "__main__":
    main()
