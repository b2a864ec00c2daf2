"""moviegraph compared with public servers: the same graph, calls and client, alternately.

Run with `python -m benchmarks.peers [GRAPH] [--only servers|graph|vectors] [--keep NAME]`; the
graph folder is the argument or MOVIEGRAPH_BENCH_GRAPH. Servers are installed by name into separate
environments.
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
from benchmarks.peers.servers import Files, UnavailableError
from benchmarks.report import table, write

TIMES = ("wall_median_ms", "wall_p95_ms", "cpu_ms", "cpu_least_round_ms", "cpu_most_round_ms")
HEAD = ("server", "median", "p95", "CPU", "least round", "most round")
ERROR_POINTS = ("is_error", "names_the_column", "names_the_near_right_one", "says_what_to_do")


def show(part: str, result: Mapping[str, Any]) -> None:
    """Print one part."""
    if part == "servers":
        _sizes(result["sizes_and_errors"])
        for name, timings in result["joins"].items():
            _times(f"50-row join, {name}: ms per call", timings)
    elif part == "graph":
        for name, timings in result.items():
            _times(f"{name}: ms per call", timings)
    else:
        _times("semantic search: ms per call", result)
        print(f"films in common, of 10: {result['films_in_common_of_10']:.1f}")


def _times(title: str, result: Mapping[str, Any]) -> None:
    rows = [
        (name, *(f"{timing[key]:.2f}" for key in TIMES))
        for name, timing in result.items()
        if isinstance(timing, Mapping)
    ]
    table(title, HEAD, rows)


def _sizes(result: Mapping[str, Any]) -> None:
    head = ("server", "start s", "tools/list", "answer", "rows named", *ERROR_POINTS)
    rows: list[tuple[str, ...]] = []
    for name, values in result.items():
        error = values["misspelt_column"]
        points = ["yes" if error[point] else "no" for point in ERROR_POINTS]
        sizes = (values[key] for key in ("tools_list_bytes", "answer_bytes", "rows_in_the_answer"))
        rows.append((name, f"{values['start_s']:.2f}", *map(str, sizes), *points))
    table("Sizes in bytes, and the error for a misspelt column", head, rows)
    for name, values in result.items():
        print(f"{name}: {values['misspelt_column']['says']}")


PARTS: dict[str, Callable[[GraphData, Files], dict[str, Any]]] = {
    "servers": measure_servers,
    "graph": measure_graph,
    "vectors": measure_vectors,
}


def measure(part: str, data: GraphData, graph: Path) -> dict[str, Any] | None:
    """Return the values of one part, or None with a message."""
    with TemporaryDirectory(prefix="moviegraph-peers-") as scratch:
        try:
            return PARTS[part](data, Files(graph.resolve(), Path(scratch)))
        except (UnavailableError, RuntimeError, subprocess.SubprocessError) as error:
            sys.stdout.write(f"skipped: {part}: {error}\n")
            return None


def main() -> None:
    """Measure, print and store the values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", nargs="?", default=os.environ.get("MOVIEGRAPH_BENCH_GRAPH"))
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--keep", default="peers", help="prefix of the results files")
    options = parser.parse_args()
    if options.graph is None:
        sys.stdout.write("peers: skipped, no graph folder given (see the module's docstring)\n")
        return
    graph = Path(options.graph)
    data = read_graph(graph)
    for part in [options.only] if options.only else PARTS:
        result = measure(part, data, graph)
        if result is not None:
            show(part, result)
            write(f"{options.keep}_{part}", {"films": data.films, **result})


if __name__ == "__main__":
    main()
