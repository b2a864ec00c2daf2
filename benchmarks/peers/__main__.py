"""Our server beside its public peers: the same graph, the same questions, one client, in turns.

Run with `python -m benchmarks.peers [GRAPH] [--only servers|graph|vectors] [--keep NAME]`; the
graph folder is the argument or MOVIEGRAPH_BENCH_GRAPH. Peers are installed by name into
environments of their own.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.peers.data import GraphData, read_graph
from benchmarks.peers.definitions import Files
from benchmarks.peers.environment import Unavailable
from benchmarks.peers.graph import measure_graph
from benchmarks.peers.relational import measure_servers
from benchmarks.peers.tables import show
from benchmarks.peers.vectors import measure_vectors
from benchmarks.report import write

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
