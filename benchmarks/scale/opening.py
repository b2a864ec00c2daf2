"""Cost of opening a graph in a separate process; the folder is the argument."""

import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psutil

from moviegraph.contract.loader import load_contract
from moviegraph.engines.embedded.embedded_engine import open_graph

ROUNDS = 3


def opening(folder: Path) -> dict[str, float]:
    """Return CPU time, wall time and memory of the median of multiple processes."""
    command = [sys.executable, "-m", "benchmarks.scale.opening", str(folder)]
    costs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(ROUNDS)
    ]
    return sorted(costs, key=lambda cost: cost["cpu_ms"])[ROUNDS // 2]


def open_once(folder: Path) -> dict[str, float]:
    """Open a graph once, with all modules imported before."""
    contract, process = load_contract(), psutil.Process()
    rss_before = process.memory_info().rss
    cpu, wall = time.process_time(), time.perf_counter()
    with closing(open_graph(folder, contract)) as engine:
        engine.describe()
        return {
            "cpu_ms": round(1000 * (time.process_time() - cpu), 1),
            "wall_ms": round(1000 * (time.perf_counter() - wall), 1),
            "rss_mb": round(process.memory_info().rss / 1e6),
            "added_mb": round((process.memory_info().rss - rss_before) / 1e6),
        }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(open_once(Path(sys.argv[1]))))
