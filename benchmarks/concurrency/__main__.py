"""Load over HTTP: throughput, latency, errors and memory with 1, 4, 16 and 64 clients.

`python -m benchmarks.concurrency GRAPH [--clients 1 4 16 64] [--seconds 300]`; the graph can be in
MOVIEGRAPH_BENCH_GRAPH. Each number of clients has two servers: moviegraph, and a server of the same
SDK with one tool that returns a constant. The same clients call both alternately, in slices: the
constant, statements with cached results, statements with cached plans that run each time, mixed
calls, and mixed calls during a slow one. The first slices warm up and are not counted. The speed
of the machine may change by half within minutes, so a share of the constant comes from adjacent
slices; its median, minimum and maximum are printed. At the end a server with few call slots is
overloaded.
"""

import argparse
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.concurrency.processes import Clients, HttpServer
from benchmarks.report import table, write

PERCENTILES = (50, 95, 99)
SLOW = "slow"


@dataclass(slots=True)
class PhaseTotals:
    """Sums over the slices of one phase."""

    seconds: float = 0.0
    server_cpu: float = 0.0
    client_cpu: float = 0.0
    times: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: list[float] = field(default_factory=list[float])
    errors: Counter[str] = field(default_factory=Counter[str])
    rates: list[float] = field(default_factory=list[float])

    def add(self, notes: Sequence[dict[str, Any]], seconds: float, server_cpu: float) -> None:
        """Add a slice."""
        quick_before = self.quick
        self.seconds += seconds
        self.server_cpu += server_cpu
        for note in notes:
            self.client_cpu += note["cpu"]
            for kind, milliseconds, code in note["calls"]:
                self._add_call(kind, milliseconds, code)
        self.rates.append((self.quick - quick_before) / seconds)

    def _add_call(self, kind: str, milliseconds: float, code: str | None) -> None:
        if code is None:
            self.times[kind].append(milliseconds)
        else:
            self.errors[code] += 1
            self.refused.append(milliseconds)

    @property
    def success_count(self) -> int:
        """Number of calls that succeeded."""
        return sum(map(len, self.times.values()))

    @property
    def quick(self) -> int:
        """Number of successful calls that are not deliberately slow."""
        return self.success_count - len(self.times[SLOW])

    @property
    def throughput(self) -> float:
        """Calls per second: the median of the slices."""
        return float(np.median(self.rates))

    def summarize(self) -> dict[str, Any]:
        """Return all values, in milliseconds and calls per second."""
        quick = [ms for kind, times in self.times.items() if kind != SLOW for ms in times]
        calls = max(1, self.success_count + len(self.refused))
        return {
            "calls": self.success_count,
            "calls_a_second": round(self.throughput, 1),
            "calls_a_second_slices": [round(rate, 1) for rate in self.rates],
            "ms": latencies(quick),
            "ms_by_kind": {
                kind: latencies(times) for kind, times in sorted(self.times.items()) if times
            },
            "errors": dict(self.errors),
            "ms_of_errors": latencies(self.refused),
            "server_cpu_ms_a_call": round(self.server_cpu / calls * 1000, 2),
            "client_cpu_ms_a_call": round(self.client_cpu / calls * 1000, 2),
            "server_cores": round(self.server_cpu / max(self.seconds, 1e-9), 2),
        }


def latencies(times: Sequence[float]) -> dict[str, float]:
    """Return p50, p95, p99 and the maximum."""
    if not times:
        return {}
    percentiles = {f"p{p}": round(float(np.percentile(times, p)), 1) for p in PERCENTILES}
    return percentiles | {"most": round(max(times), 1)}


# Share of the time by phase; memory is measured during all of it.
PHASES = {
    "constant": 0.1,
    "known": 0.25,
    "mixed": 0.4,
    "mixed, one slow": 0.25,
}
COMPARED_PHASES = ("known", "mixed")
ROUNDS = 5
# Order of a round: short slices of the constant around short ones of known statements, then the
# other phases.
PAIR = ("constant", "known", "known", "constant")
ROUND = (*PAIR, *PAIR, "mixed", "mixed, one slow")
WARM_UP_SECONDS = 4.0
WARM_UP_MIXED_SECONDS = 30.0  # until all lazy loading is done
OVERLOAD_CLIENTS = 64
OVERLOAD_OPTIONS = ("--max-running", "2", "--max-waiting", "8")
MODES = ("auto", "legacy")


def moviegraph_server(graph: str, folder: Path, *options: str) -> HttpServer:
    """Return a server on the graph, with a separate journal."""
    journal = str(folder / f"journal_{time.monotonic_ns()}.sqlite")
    arguments = ("serve", "--transport", "http", "--graph", graph, "--journal", journal)
    return HttpServer("-m", "moviegraph", *arguments, *options, ready_path="/readyz")


def constant_server() -> HttpServer:
    """Return a server with one tool that returns a constant."""
    return HttpServer("-m", "benchmarks.bare_server")


def run_slice(
    clients: Clients, server: HttpServer, name: str, seconds: float, totals: PhaseTotals
) -> None:
    """Run one slice of a phase."""
    mix, _, slow = name.partition(",")
    cpu_before = server.cpu()
    notes = clients.run(mix, server.url, seconds, slow=bool(slow))
    totals.add(notes, max(note["seconds"] for note in notes), server.cpu() - cpu_before)


def measure(graph: str, folder: Path, count: int, seconds: float, mode: str) -> dict[str, Any]:
    """Return the values for one number of clients."""
    totals_by_phase = {name: PhaseTotals() for name in PHASES}
    with constant_server() as baseline, moviegraph_server(graph, folder) as server:
        with Clients(count, mode, (baseline.url, server.url)) as clients:
            servers = {name: baseline if name == "constant" else server for name in PHASES}
            for name in PHASES:
                warm_up = WARM_UP_MIXED_SECONDS if name == "mixed" else WARM_UP_SECONDS
                run_slice(clients, servers[name], name, warm_up, PhaseTotals())
            warm_up_samples = len(server.memory)
            for _ in range(ROUNDS):
                for name in ROUND:
                    slice_seconds = seconds * PHASES[name] / ROUNDS / ROUND.count(name)
                    run_slice(clients, servers[name], name, slice_seconds, totals_by_phase[name])
        threads = server.threads()
    constant = totals_by_phase["constant"].rates
    return {
        **{name: totals.summarize() for name, totals in totals_by_phase.items()},
        "share_of_constant": {
            name: shares(totals_by_phase[name].rates, constant) for name in COMPARED_PHASES
        },
        "memory": memory(server.memory[warm_up_samples:]),
        "threads": threads,
    }


def shares(rates: Sequence[float], constant: Sequence[float]) -> dict[str, float]:
    """Return median, minimum and maximum of a phase's rates divided by the constant's at that time.

    A phase with fewer slices than the constant is compared with all slices of its round.
    """
    constant_by_slice = np.reshape(constant, (len(rates), -1)).mean(axis=1)
    ratios = np.asarray(rates) / constant_by_slice
    values = {"median": np.median(ratios), "least": ratios.min(), "most": ratios.max()}
    return {name: round(float(value), 3) for name, value in values.items()}


def memory(curve: list[tuple[float, float]]) -> dict[str, Any]:
    """Return 60 points of the curve, the mean of each fifth, and the growth from first to last."""
    fifth = max(1, len(curve) // 5)
    fifths = [mean(used for _, used in curve[part * fifth :][:fifth]) for part in range(5)]
    return {
        "growth": round(fifths[-1] / fifths[0] - 1, 4),
        "fifths_mb": [round(mean_mb, 1) for mean_mb in fifths],
        "most_mb": round(max(used for _, used in curve), 1),
        "curve_s_mb": [
            (round(second), round(used, 1)) for second, used in curve[:: len(curve) // 60 + 1]
        ],
    }


def overload(graph: str, folder: Path, seconds: float, mode: str) -> dict[str, Any]:
    """Return the values, with refusals, of many clients on a server with few call slots."""
    totals = PhaseTotals()
    with moviegraph_server(graph, folder, *OVERLOAD_OPTIONS) as server:
        with Clients(OVERLOAD_CLIENTS, mode, (server.url,)) as clients:
            run_slice(clients, server, "mixed", WARM_UP_SECONDS, PhaseTotals())
            run_slice(clients, server, "mixed", seconds, totals)
        return {**totals.summarize(), "threads": server.threads()}


def show(results: dict[str, Any]) -> None:
    """Print the tables."""
    rows: list[list[str]] = []
    for count, measurements in results["clients"].items():
        for name in PHASES:
            values = measurements[name]
            times = [f"{values['ms'].get(point, 0):.0f}" for point in ("p50", "p95", "p99")]
            cpu = [f"{values[side + '_cpu_ms_a_call']:.1f}" for side in ("server", "client")]
            refused = sum(values["errors"].values())
            rate = f"{values['calls_a_second']:.0f}"
            rows.append([f"{count}: {name}", rate, *times, str(refused), *cpu])
    head = (
        "clients",
        "calls/s",
        "p50 ms",
        "p95",
        "p99",
        "errors",
        "server CPU ms",
        "client CPU ms",
    )
    table("Load over HTTP", head, rows)
    growth = [
        [str(count), f"{values['memory']['growth']:+.1%}", f"{values['memory']['most_mb']:.0f}"]
        + [share(values["share_of_constant"][name]) for name in COMPARED_PHASES]
        for count, values in results["clients"].items()
    ]
    heads = [f"{name} / constant" for name in COMPARED_PHASES]
    table("", ("clients", "memory", "max MB", *heads), growth)


def share(ratios: dict[str, float]) -> str:
    """Return the text of a share of the constant."""
    return f"{ratios['median']:.0%} ({ratios['least']:.0%} to {ratios['most']:.0%})"


def main() -> None:
    """Measure, print and store the values."""
    parser = argparse.ArgumentParser(prog="benchmarks.concurrency")
    parser.add_argument("graph", nargs="?", default=os.environ.get("MOVIEGRAPH_BENCH_GRAPH"))
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--mode", choices=MODES, default="auto", help="protocol of the clients")
    parser.add_argument("--keep", default="concurrency", help="name of the results file")
    args = parser.parse_args()
    if not args.graph:
        sys.stdout.write("concurrency: skipped, no graph folder given\n")
        return
    with TemporaryDirectory() as scratch:
        graph_and_folder = (args.graph, Path(scratch))
        levels = {
            count: measure(*graph_and_folder, count, args.seconds, args.mode)
            for count in args.clients
        }
        overloaded = overload(*graph_and_folder, min(20.0, args.seconds), args.mode)
    results = {
        "seconds": args.seconds,
        "mode": args.mode,
        "clients": levels,
        "overrun": {
            "clients": OVERLOAD_CLIENTS,
            "options": " ".join(OVERLOAD_OPTIONS),
            **overloaded,
        },
    }
    show(results)
    write(args.keep, results)


if __name__ == "__main__":
    main()
