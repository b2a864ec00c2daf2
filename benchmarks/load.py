"""Measures loading a folder of JSON Lines: without vectors, and what embedding adds.

The folder is the argument or MOVIEGRAPH_BENCH_GRAPH; without one there is nothing to measure.
Embedding in the loader is compared with the bare loop of `benchmarks.embedding` over the same
texts in the same run; the time of the processor counts.
"""

import argparse
import os
import resource
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import report
from benchmarks.embedding import bare_loop
from moviegraph.contract.load import load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.local import LocalEmbedder
from moviegraph.engines.build import build_graph
from moviegraph.engines.records import NodeRecord, embedded_text
from moviegraph.loading.load import LoadReport, load, prepare
from moviegraph.loading.rejects import Rejects

VARIABLE = "MOVIEGRAPH_BENCH_GRAPH"
MOST_SECONDS = 20
LEAST_RATIO = 0.85
BLOCKS = 10


def main() -> None:
    arguments = _arguments()
    if arguments.source is None:
        print(f"Nothing to measure: name a folder of JSON Lines, or set {VARIABLE}.")
        return
    contract = load_contract(arguments.contract)
    with TemporaryDirectory() as place:
        figures = measure(arguments.source, contract, Path(place), arguments.count)
    report.table(
        f"Loading {figures['nodes']:,} nodes and {figures['edges']:,} edges",
        ("", "measured", "target"),
        [
            ("CPU seconds without vectors", f"{figures['cpu_seconds']}", f"<= {MOST_SECONDS}"),
            ("embedding, texts per CPU second", f"{figures['embedded_per_second']}", ""),
            ("bare loop, texts per CPU second", f"{figures['bare_per_second']}", ""),
            ("ratio", f"{figures['ratio']}", f">= {LEAST_RATIO}"),
            ("peak memory in MB", f"{figures['peak_mb']}", ""),
        ],
    )
    print(f"Written: benchmarks/results/{report.write('load', figures).name}")


def measure(source: Path, contract: Contract, place: Path, count: int) -> dict[str, Any]:
    started = time.process_time()
    loaded = load(source, place / "plain", contract, None)
    spent = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    nodes = _sample(source, contract, count)
    ours, theirs = _embedding(nodes, contract, place)
    return {
        **_counted(loaded, contract),
        "cpu_seconds": round(spent, 1),
        "cpu_seconds_target": MOST_SECONDS,
        "texts": len(nodes),
        "embedded_per_second": round(len(nodes) / ours, 1),
        "bare_per_second": round(len(nodes) / theirs, 1),
        "ratio": round(theirs / ours, 3),
        "ratio_target": LEAST_RATIO,
        "peak_mb": peak,
    }


def _counted(loaded: LoadReport, contract: Contract) -> dict[str, int]:
    return {
        "nodes": sum(loaded.counts[table.name] for table in contract.nodes),
        "edges": sum(loaded.counts[table.name] for table in contract.edges),
        "rejected": sum(loaded.rejected.values()),
    }


def _sample(source: Path, contract: Contract, count: int) -> list[NodeRecord]:
    """Return nodes spread over all kinds whose texts are embedded in one piece."""
    nodes = prepare(source, contract, Rejects(), enrich=False).nodes
    short = {embedded_text(n.name, n.content): n for n in nodes if len(n.content) < 600}
    return list(short.values())[:: max(1, len(short) // count)][:count]


def _embedding(nodes: list[NodeRecord], contract: Contract, place: Path) -> tuple[float, float]:
    """Return the seconds that embedding adds to building, and those of the bare loop, by turns."""
    embedder = LocalEmbedder()
    embedder.load()
    bare = bare_loop(Path(str(files("moviegraph.embeddings"))) / "minilm")
    ours = theirs = 0.0
    for at in range(BLOCKS):
        block = nodes[at::BLOCKS]
        plain = _build(block, place / f"plain{at}", contract, None)
        ours += _build(block, place / f"vectors{at}", contract, embedder) - plain
        started = time.process_time()
        bare([embedded_text(node.name, node.content) for node in block])
        theirs += time.process_time() - started
    return ours, theirs


def _build(
    nodes: Sequence[NodeRecord], folder: Path, contract: Contract, embedder: LocalEmbedder | None
) -> float:
    started = time.process_time()
    build_graph(nodes, (), folder, contract, embedder, source="a sample")
    return time.process_time() - started


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, nargs="?", default=_from_environment())
    parser.add_argument("--contract", type=Path, help="contract folder, by default the package's")
    parser.add_argument("--count", type=int, default=2000, help="how many texts to embed")
    return parser.parse_args()


def _from_environment() -> Path | None:
    given = os.environ.get(VARIABLE)
    return Path(given) if given else None


if __name__ == "__main__":
    main()
