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
from moviegraph.engines.graph_records import Manifest, embedded_text
from moviegraph.loading.preparation import prepare
from moviegraph.loading.rejects import Rejects

SLICE = 2.0
PERCENT = re.compile(r"Embedding: (\d+) %")


class StoppedCommand:
    """`moviegraph` with some arguments; what it writes goes into a file."""

    def __init__(self, arguments: list[str], written: Path) -> None:
        self._written = written
        with written.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "moviegraph", *arguments], stdout=output, stderr=output
            )
        self._watched = psutil.Process(self._process.pid)
        self.cpu = 0.0
        self.peak_mb = 0
        self.status: int | None = None

    def run(self, turn: Callable[[float], None], *, kill_at: int = 101) -> None:
        """Run to the end, or kill at so many per cent of embedding.

        Args:
            turn: Called with the CPU seconds so far while the process stands still.
            kill_at: At which part of embedding it is killed.
        """
        while not self._ends_within(SLICE):
            self._process.send_signal(signal.SIGSTOP)
            turn(cpu_seconds(self._watched))
            if self.percent() >= kill_at:
                self._process.kill()
            self._process.send_signal(signal.SIGCONT)

    def percent(self) -> int:
        """Return what part of embedding the process has told of."""
        findall = PERCENT.findall(self.text())
        return int(findall[-1]) if findall else 0

    def text(self) -> str:
        """Return what the process wrote."""
        return self._written.read_text(encoding="utf-8")

    def _ends_within(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._process.returncode = self.status = os.waitstatus_to_exitcode(status)
                self.cpu = usage.ru_utime + usage.ru_stime
                self.peak_mb = usage.ru_maxrss // 1024
                return True
            time.sleep(SLICE / 20)
        return False


VARIABLE = "MOVIEGRAPH_BENCH_GRAPH"
MOST_SECONDS = 20
MOST_MB = 1536
LEAST_RATIO = 0.85
KILLED_AT = 50
BLOCK = 50


class BareLoop:
    """The bare loop over all texts, a few whenever it is behind."""

    def __init__(self, texts: list[str]) -> None:
        self._embed = bare_loop(Path(str(files("moviegraph.embeddings"))) / "minilm")
        self._texts = texts
        self._at = 0
        self.cpu = 0.0

    def catch_up(self, cpu: float) -> None:
        """Embed until as much time was spent, or nothing is left."""
        while self.cpu < cpu and self._at < len(self._texts):
            started = time.process_time()
            self._embed(self._texts[self._at : self._at + BLOCK])
            self.cpu += time.process_time() - started
            self._at += BLOCK


def main() -> None:
    arguments = _arguments()
    if arguments.source is None:
        print(f"Nothing to measure: name a folder of JSON Lines, or set {VARIABLE}.")
        return
    with TemporaryDirectory() as place:
        figures = measure(arguments.source, arguments.contract, Path(place))
    report.table(
        f"Loading {figures['nodes']:,} nodes and {figures['edges']:,} edges",
        ("", "measured", "target"),
        [
            ("CPU seconds without vectors", f"{figures['plain_cpu_s']}", f"<= {MOST_SECONDS}"),
            ("CPU seconds, killed half-way", f"{figures['killed_cpu_s']}", ""),
            ("CPU seconds, run again", f"{figures['resumed_cpu_s']}", ""),
            ("embedding, texts per CPU second", f"{figures['embedded_per_second']}", ""),
            ("bare loop, texts per CPU second", f"{figures['bare_per_second']}", ""),
            ("ratio", f"{figures['ratio']}", f">= {LEAST_RATIO}"),
            ("peak memory in MB", f"{figures['peak_mb']}", f"<= {MOST_MB}"),
        ],
    )
    print(f"Written: benchmarks/results/{report.write(arguments.keep_as, figures).name}")


def measure(source: Path, folder: Path | None, place: Path) -> dict[str, Any]:
    contract = load_contract(folder)
    more = ["--contract", str(folder)] if folder else []
    command = ["load", str(source), *more, "--into"]
    plain = StoppedCommand([*command, str(place / "plain"), "--no-embeddings"], place / "plain.txt")
    plain.run(lambda _: None)
    texts = _texts(source, contract)
    bare = BareLoop(texts)
    killed = StoppedCommand([*command, str(place / "graph")], place / "killed.txt")
    killed.run(bare.catch_up, kill_at=KILLED_AT)
    kept = _kept(place)
    again = StoppedCommand([*command, str(place / "graph")], place / "again.txt")
    again.run(lambda cpu: bare.catch_up(killed.cpu + cpu))
    bare.catch_up(float("inf"))
    manifest = read_manifest(place / "graph", contract)
    _check(killed, again, manifest, place, kept)
    embedding = killed.cpu + again.cpu - plain.cpu
    return {
        **_counted(manifest, contract),
        "texts": len(texts),
        "plain_cpu_s": round(plain.cpu, 1),
        "plain_cpu_s_target": MOST_SECONDS,
        "plain_peak_mb": plain.peak_mb,
        "killed_cpu_s": round(killed.cpu, 1),
        "kept_when_killed": kept,
        "resumed_cpu_s": round(again.cpu, 1),
        "embedded_per_second": round(len(texts) / embedding, 1),
        "bare_per_second": round(len(texts) / bare.cpu, 1),
        "ratio": round(bare.cpu / embedding, 3),
        "ratio_target": LEAST_RATIO,
        "peak_mb": max(killed.peak_mb, again.peak_mb),
        "peak_mb_target": MOST_MB,
    }


def _texts(source: Path, contract: Contract) -> list[str]:
    prepared = prepare(source, contract, Rejects(), progress=ignore_progress)
    return list(dict.fromkeys(embedded_text(n.name, n.content) for n in prepared.nodes))


def _kept(place: Path) -> int:
    """Return how many vectors the killed command left beside its target."""
    with sqlite3.connect(place / f".graph.embeddings-{SPACE.id}") as store:
        return int(store.execute("SELECT COUNT(*) FROM vectors").fetchone()[0])


def _check(
    killed: StoppedCommand, again: StoppedCommand, manifest: Manifest, place: Path, kept: int
) -> None:
    """Stop unless the first run was killed with something kept, and the second left nothing."""
    left = {each.name for each in place.iterdir() if each.is_dir() or each.name.startswith(".")}
    whole = sum(manifest.vectors.values()) == sum(
        manifest.counts[table] for table in manifest.vectors
    )
    if killed.status != -9 or again.status not in (0, 3) or not kept or not whole:
        raise SystemExit(f"The load was not resumed: {again.text()}")
    if left != {"plain", "graph"}:
        raise SystemExit(f"The load left something behind: {sorted(left)}")


def _counted(manifest: Manifest, contract: Contract) -> dict[str, int]:
    return {
        "nodes": sum(manifest.counts[table.name] for table in contract.nodes),
        "edges": sum(manifest.counts[table.name] for table in contract.edges),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, nargs="?", default=_from_environment())
    parser.add_argument("--contract", type=Path, help="contract folder, by default the package's")
    parser.add_argument("--keep-as", default="load", help="the name of the result")
    return parser.parse_args()


def _from_environment() -> Path | None:
    get = os.environ.get(VARIABLE)
    return Path(get) if get else None


if __name__ == "__main__":
    main()
