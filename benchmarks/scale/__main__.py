"""Generates a graph of so many films, measures it beside its floors, and keeps the figures.

Run with `python -m benchmarks.scale --films 10000 [--folder FOLDER]`; a graph that stands in the
folder is measured again without being built. Without a folder it is built beside the temporary
files and removed at the end.
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
from benchmarks.scale.served_graph import served
from benchmarks.scale.shapes import shapes
from benchmarks.scale.tool_costs import tools
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.embedded.graph_folder import MANIFEST

KEPT = "built.json"


def measure(folder: Path, films: int, contract: Contract) -> dict[str, Any]:
    """Return every figure of one size."""
    figures: dict[str, Any] = {"films": films, "build": built(folder, films, contract)}
    figures["disk_mb"] = {name: round(size, 1) for name, size in disk(folder).items()}
    figures["opening"] = opening(folder)
    with (
        tempfile.TemporaryDirectory() as place,
        served(folder, contract, Path(place) / "journal.sqlite") as graph,
    ):
        figures["counts"] = dict(graph.engine.describe().counts)
        figures["shapes"] = shapes(graph)
        figures["tools"] = tools(graph)
        memory = psutil.Process().memory_full_info()
    figures["memory_mb"] = {
        "resident": round(memory.rss / 1e6),
        "own": round(memory.uss / 1e6),
    }
    return figures


def built(folder: Path, films: int, contract: Contract) -> dict[str, float]:
    """Return what building took, now or when the graph was built; the folder keeps it."""
    kept = folder / KEPT
    if not (folder / MANIFEST).is_file():
        taken = asdict(build(folder, films, contract))
        kept.write_text(json.dumps({name: round(each, 1) for name, each in taken.items()}))
    return json.loads(kept.read_text())


def show(figures: dict[str, Any]) -> None:
    """Print the figures as tables."""
    films = f"{figures['films']:,} films"
    table(
        f"Shapes of statements, {films} (ms)",
        ("shape", "CPU", "quartiles", "wall", "CPU of the floor", "ratio"),
        [
            (
                name,
                f"{each['engine']['cpu']:.2f}",
                f"{each['engine']['low']:.2f} to {each['engine']['high']:.2f}",
                f"{each['engine']['wall']:.2f}",
                f"{each['floor']['cpu']:.2f}",
                f"{each['engine']['cpu'] / each['floor']['cpu']:.2f}",
            )
            for name, each in figures["shapes"].items()
        ],
    )
    table(
        f"Tools, {films} (ms)",
        ("tool", "CPU", "quartiles", "wall"),
        [
            (name, f"{e['cpu']:.2f}", f"{e['low']:.2f} to {e['high']:.2f}", f"{e['wall']:.2f}")
            for name, e in figures["tools"].items()
        ],
    )
    table(
        f"Opening, {films}",
        ("figure", "value"),
        [(name, str(value)) for name, value in figures["opening"].items()],
    )


def main() -> None:
    """Read the arguments, measure and keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--films", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = args.folder or Path(place) / "graph"
        figures = measure(folder, args.films, load_contract())
    show(figures)
    write(f"scale_{args.films}", figures)


if __name__ == "__main__":
    main()
