"""CPU time and memory of `moviegraph load`: without vectors, with them, killed and continued.

The source is the argument or MOVIEGRAPH_BENCH_GRAPH; without one there is nothing to measure. While
the command embeds, it alternates with the bare loop of `benchmarks.embedding` over the same texts.
CPU time counts, so other load on the machine affects both alike. The cost of embedding is that of
both runs minus that of loading without vectors.
"""

import argparse
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from benchmarks import report
from benchmarks.embedding import bare_loop
from benchmarks.server_process import cpu_seconds
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.embeddings.local_embedder import SPACE
from moviegraph.engines.embedded.graph_builder import ignore_progress
from moviegraph.engines.embedded.graph_folder import read_manifest
from moviegraph.engines.graph_records import Manifest
from moviegraph.loading.preparation import prepare_source
from moviegraph.loading.row_validation import Rejects

SLICE_SECONDS = 2.0
PERCENT = re.compile(r"Embedding: (\d+) %")


class PausedCommand:
    """A `moviegraph` command that is paused regularly; its output goes into a file."""

    def __init__(self, arguments: list[str], output_file: Path) -> None:
        self._output_file = output_file
        with output_file.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "moviegraph", *arguments], stdout=output, stderr=output
            )
        self._usage = psutil.Process(self._process.pid)
        self.cpu = 0.0
        self.peak_mb = 0
        self.status: int | None = None

    def run(self, on_pause: Callable[[float], None], *, kill_at: int = 101) -> None:
        """Run to the end, or kill at a percentage of embedding.

        Args:
            on_pause: Called with the CPU seconds so far while the process is paused.
            kill_at: Percentage of embedding at which the process is killed.
        """
        while not self._exits_within(SLICE_SECONDS):
            self._process.send_signal(signal.SIGSTOP)
            on_pause(cpu_seconds(self._usage))
            if self.percent() >= kill_at:
                self._process.kill()
            self._process.send_signal(signal.SIGCONT)

    def percent(self) -> int:
        """Return the percentage of embedding that the process last reported."""
        percentages = PERCENT.findall(self.text())
        return int(percentages[-1]) if percentages else 0

    def text(self) -> str:
        """Return the output of the process."""
        return self._output_file.read_text(encoding="utf-8")

    def _exits_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._process.returncode = self.status = os.waitstatus_to_exitcode(status)
                self.cpu = usage.ru_utime + usage.ru_stime
                self.peak_mb = usage.ru_maxrss // 1024
                return True
            time.sleep(SLICE_SECONDS / 20)
        return False


VARIABLE = "MOVIEGRAPH_BENCH_GRAPH"
MAX_SECONDS = 20
MAX_MB = 1536
MIN_RATIO = 0.85
KILL_AT_PERCENT = 50
BLOCK = 50


class BareLoop:
    """The bare loop over all texts, in blocks."""

    def __init__(self, texts: list[str]) -> None:
        self._embed = bare_loop(Path(str(files("moviegraph.embeddings"))) / "minilm")
        self._texts = texts
        self._position = 0
        self.cpu = 0.0

    def catch_up(self, cpu: float) -> None:
        """Embed until as much CPU time is used or all texts are embedded."""
        while self.cpu < cpu and self._position < len(self._texts):
            start = time.process_time()
            self._embed(self._texts[self._position : self._position + BLOCK])
            self.cpu += time.process_time() - start
            self._position += BLOCK


def main() -> None:
    """Measure, print and store the values."""
    arguments = _arguments()
    if arguments.source is None:
        print(f"Nothing to measure: specify a folder of JSON Lines, or set {VARIABLE}.")
        return
    with TemporaryDirectory() as scratch:
        measurements = measure(arguments.source, arguments.contract, Path(scratch))
    report.table(
        f"Loading {measurements['nodes']:,} nodes and {measurements['edges']:,} edges",
        ("", "measured", "target"),
        [
            ("CPU seconds without vectors", f"{measurements['plain_cpu_s']}", f"<= {MAX_SECONDS}"),
            ("CPU seconds, killed half-way", f"{measurements['killed_cpu_s']}", ""),
            ("CPU seconds, run again", f"{measurements['resumed_cpu_s']}", ""),
            ("embedding, texts per CPU second", f"{measurements['embedded_per_second']}", ""),
            ("bare loop, texts per CPU second", f"{measurements['bare_per_second']}", ""),
            ("ratio", f"{measurements['ratio']}", f">= {MIN_RATIO}"),
            ("peak memory in MB", f"{measurements['peak_mb']}", f"<= {MAX_MB}"),
        ],
    )
    print(f"Written: benchmarks/results/{report.write(arguments.keep_as, measurements).name}")


def measure(source: Path, contract_folder: Path | None, scratch: Path) -> dict[str, Any]:
    """Load without vectors, then with them in two runs; return the values."""
    contract = load_contract(contract_folder)
    options = ["--contract", str(contract_folder)] if contract_folder else []
    command = ["load", str(source), *options, "--into"]
    without_vectors = PausedCommand(
        [*command, str(scratch / "plain"), "--no-embeddings"], scratch / "plain.txt"
    )
    without_vectors.run(lambda _: None)
    texts = _texts(source, contract)
    bare = BareLoop(texts)
    killed = PausedCommand([*command, str(scratch / "graph")], scratch / "killed.txt")
    killed.run(bare.catch_up, kill_at=KILL_AT_PERCENT)
    stored_vectors = _stored_vectors(scratch)
    resumed = PausedCommand([*command, str(scratch / "graph")], scratch / "again.txt")
    resumed.run(lambda cpu: bare.catch_up(killed.cpu + cpu))
    bare.catch_up(float("inf"))
    manifest = read_manifest(scratch / "graph", contract)
    _check(killed, resumed, manifest, scratch, stored_vectors)
    embedding = killed.cpu + resumed.cpu - without_vectors.cpu
    return {
        **_counts(manifest, contract),
        "texts": len(texts),
        "plain_cpu_s": round(without_vectors.cpu, 1),
        "plain_cpu_s_target": MAX_SECONDS,
        "plain_peak_mb": without_vectors.peak_mb,
        "killed_cpu_s": round(killed.cpu, 1),
        "kept_when_killed": stored_vectors,
        "resumed_cpu_s": round(resumed.cpu, 1),
        "embedded_per_second": round(len(texts) / embedding, 1),
        "bare_per_second": round(len(texts) / bare.cpu, 1),
        "ratio": round(bare.cpu / embedding, 3),
        "ratio_target": MIN_RATIO,
        "peak_mb": max(killed.peak_mb, resumed.peak_mb),
        "peak_mb_target": MAX_MB,
    }


def _texts(source: Path, contract: Contract) -> list[str]:
    prepared = prepare_source(source, contract, Rejects(), progress=ignore_progress)
    return list(dict.fromkeys(t for columns in prepared.nodes for t in columns.embedded_texts()))


def _stored_vectors(scratch: Path) -> int:
    """Return the number of vectors that the killed command stored next to its target."""
    with sqlite3.connect(scratch / f".graph.embeddings-{SPACE.id}") as store:
        return int(store.execute("SELECT COUNT(*) FROM vectors").fetchone()[0])


def _check(
    killed: PausedCommand,
    resumed: PausedCommand,
    manifest: Manifest,
    scratch: Path,
    stored_vectors: int,
) -> None:
    """Exit unless the first run was killed with stored vectors, and the second left no files."""
    names = {p.name for p in scratch.iterdir() if p.is_dir() or p.name.startswith(".")}
    is_complete = sum(manifest.vectors.values()) == sum(
        manifest.counts[table] for table in manifest.vectors
    )
    if killed.status != -9 or resumed.status not in (0, 3) or not stored_vectors or not is_complete:
        raise SystemExit(f"The load was not resumed: {resumed.text()}")
    if names != {"plain", "graph"}:
        raise SystemExit(f"The load left files: {sorted(names)}")


def _counts(manifest: Manifest, contract: Contract) -> dict[str, int]:
    return {
        "nodes": sum(manifest.counts[table.name] for table in contract.nodes),
        "edges": sum(manifest.counts[table.name] for table in contract.edges),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, nargs="?", default=_from_environment())
    parser.add_argument("--contract", type=Path, help="contract folder, default: the package's")
    parser.add_argument("--keep-as", default="load", help="name of the results file")
    return parser.parse_args()


def _from_environment() -> Path | None:
    folder = os.environ.get(VARIABLE)
    return Path(folder) if folder else None


if __name__ == "__main__":
    main()
