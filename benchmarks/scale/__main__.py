"""Values of a generated graph by number of films, with baselines.

Run with `python -m benchmarks.scale --films 10000 [--folder FOLDER]`; a graph that exists in the
folder is measured again without a build. Without a folder it is built in a temporary one.
"""

import argparse
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from benchmarks.report import table, write
from benchmarks.scale.generated_graph import build, disk
from benchmarks.scale.opening import opening
from benchmarks.scale.served_graph import open_served_graph
from benchmarks.scale.shapes import shapes
from benchmarks.scale.tool_costs import tools
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.graph_files import MANIFEST

BUILD_COST_FILE = "built.json"


def measure(folder: Path, films: int, contract: Contract) -> dict[str, Any]:
    """Return all values of one size."""
    measurements: dict[str, Any] = {"films": films, "build": build_cost(folder, films, contract)}
    measurements["disk_mb"] = {name: round(size, 1) for name, size in disk(folder).items()}
    measurements["opening"] = opening(folder)
    with (
        tempfile.TemporaryDirectory() as scratch,
        open_served_graph(folder, contract, Path(scratch) / "journal.sqlite") as graph,
    ):
        measurements["counts"] = dict(graph.engine.describe().counts)
        measurements["shapes"] = shapes(graph)
        measurements["tools"] = tools(graph)
        memory = psutil.Process().memory_full_info()
    measurements["memory_mb"] = {
        "resident": round(memory.rss / 1e6),
        "own": round(memory.uss / 1e6),
    }
    return measurements


def build_cost(folder: Path, films: int, contract: Contract) -> dict[str, float]:
    """Return the cost of the build, which the folder stores."""
    cost_file = folder / BUILD_COST_FILE
    if not (folder / MANIFEST).is_file():
        cost = asdict(build(folder, films, contract))
        cost_file.write_text(json.dumps({name: round(value, 1) for name, value in cost.items()}))
    return json.loads(cost_file.read_text())


def show(measurements: dict[str, Any]) -> None:
    """Print the values as tables."""
    films = f"{measurements['films']:,} films"
    table(
        f"Shapes of statements, {films} (ms)",
        ("shape", "CPU", "quartiles", "wall", "CPU of the baseline", "ratio"),
        [
            (
                name,
                f"{shape['engine']['cpu']:.2f}",
                f"{shape['engine']['low']:.2f} to {shape['engine']['high']:.2f}",
                f"{shape['engine']['wall']:.2f}",
                f"{shape['floor']['cpu']:.2f}",
                f"{shape['engine']['cpu'] / shape['floor']['cpu']:.2f}",
            )
            for name, shape in measurements["shapes"].items()
        ],
    )
    table(
        f"Tools, {films} (ms)",
        ("tool", "CPU", "quartiles", "wall"),
        [
            (name, f"{t['cpu']:.2f}", f"{t['low']:.2f} to {t['high']:.2f}", f"{t['wall']:.2f}")
            for name, t in measurements["tools"].items()
        ],
    )
    table(
        f"Opening, {films}",
        ("measure", "value"),
        [(name, str(value)) for name, value in measurements["opening"].items()],
    )


def main() -> None:
    """Measure, print and store the values."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--films", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch) / "graph"
        measurements = measure(folder, args.films, load_contract())
    show(measurements)
    write(f"scale_{args.films}", measurements)


if __name__ == "__main__":
    main()
