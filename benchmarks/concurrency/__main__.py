"""Load over HTTP: throughput, latency, errors and memory with 1, 4, 16 and 64 clients.

`python -m benchmarks.concurrency GRAPH [--clients 1 4 16 64] [--seconds 300]`; the graph may stand
in MOVIEGRAPH_BENCH_GRAPH. Each number of clients has its own servers: moviegraph, and a server of
the same SDK with one tool that returns a constant. The same clients call both in turns, in slices:
the constant, statements whose results are kept, statements whose plan is kept and which are run
each time, mixed calls, and mixed calls beside a slow one. The first slices warm up and count for
nothing. The machine's speed may change by half within minutes, so a share of the constant is taken
of slices that follow each other, and its median, least and most are told. At last a server with few
places is overrun.
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

POINTS = (50, 95, 99)
SLOW = "slow"


@dataclass(slots=True)
class Tally:
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
        before = self.quick
        self.seconds += seconds
        self.server_cpu += server_cpu
        for note in notes:
            self.client_cpu += note["cpu"]
            for kind, taken, code in note["calls"]:
                self._note(kind, taken, code)
        self.rates.append((self.quick - before) / seconds)

    def _note(self, kind: str, taken: float, code: str | None) -> None:
        if code is None:
            self.times[kind].append(taken)
        else:
            self.errors[code] += 1
            self.refused.append(taken)

    @property
    def served(self) -> int:
        """Calls answered without an error."""
        return sum(map(len, self.times.values()))

    @property
    def quick(self) -> int:
        """Those that are not slow on purpose."""
        return self.served - len(self.times[SLOW])

    @property
    def throughput(self) -> float:
        """Calls a second: the median of the slices."""
        return float(np.median(self.rates))

    def figures(self) -> dict[str, Any]:
        """Return everything, in milliseconds and calls a second."""
        quick = [each for kind, times in self.times.items() if kind != SLOW for each in times]
        calls = max(1, self.served + len(self.refused))
        return {
            "calls": self.served,
            "calls_a_second": round(self.throughput, 1),
            "calls_a_second_slices": [round(each, 1) for each in self.rates],
            "ms": points(quick),
            "ms_by_kind": {
                kind: points(times) for kind, times in sorted(self.times.items()) if times
            },
            "errors": dict(self.errors),
            "ms_of_errors": points(self.refused),
            "server_cpu_ms_a_call": round(self.server_cpu / calls * 1000, 2),
            "client_cpu_ms_a_call": round(self.client_cpu / calls * 1000, 2),
            "server_cores": round(self.server_cpu / max(self.seconds, 1e-9), 2),
        }


def points(times: Sequence[float]) -> dict[str, float]:
    """Return p50, p95, p99 and the slowest."""
    if not times:
        return {}
    result = {f"p{each}": round(float(np.percentile(times, each)), 1) for each in POINTS}
    return result | {"most": round(max(times), 1)}


# The share of the time that each phase has; memory is watched over all of it.
PHASES = {
    "constant": 0.1,
    "repeated": 0.1,
    "known": 0.15,
    "mixed": 0.4,
    "mixed, one slow": 0.25,
}
BESIDE_CONSTANT = ("repeated", "known", "mixed")
ROUNDS = 5
# The order of a round: short slices of the constant stand on both sides of short ones of repeated
# statements, and the rest follows at once.
PAIR = ("constant", "repeated", "repeated", "constant")
ROUND = (*PAIR, *PAIR, "known", "mixed", "mixed, one slow")
WARM_SECONDS = 4.0
WARM_MIXED = 30.0  # until everything that is read once has been read
CROWD = 64
OVERRUN = ("--max-running", "2", "--max-waiting", "8")
MODES = ("auto", "legacy")


def moviegraph(graph: str, folder: Path, *more: str) -> HttpServer:
    """Return a server on the graph, with a journal of its own."""
    journal = str(folder / f"journal_{time.monotonic_ns()}.sqlite")
    options = ("serve", "--transport", "http", "--graph", graph, "--journal", journal)
    return HttpServer("-m", "moviegraph", *options, *more, ready="/readyz")


def bare() -> HttpServer:
    return HttpServer("-m", "benchmarks.bare_server")


def phase(clients: Clients, server: HttpServer, name: str, seconds: float, tally: Tally) -> None:
    """Run one slice of a phase."""
    what, _, beside = name.partition(",")
    before = server.cpu()
    notes = clients.run(what, server.url, seconds, slow=bool(beside))
    tally.add(notes, max(note["seconds"] for note in notes), server.cpu() - before)


def level(graph: str, folder: Path, count: int, seconds: float, mode: str) -> dict[str, Any]:
    """Measure one number of clients."""
    tallies = {name: Tally() for name in PHASES}
    with bare() as floor, moviegraph(graph, folder) as served:
        with Clients(count, mode, (floor.url, served.url)) as clients:
            servers = {name: floor if name == "constant" else served for name in PHASES}
            for name in PHASES:
                warm_up = WARM_MIXED if name == "mixed" else WARM_SECONDS
                phase(clients, servers[name], name, warm_up, Tally())
            warm = len(served.memory)
            for _ in range(ROUNDS):
                for name in ROUND:
                    slice_seconds = seconds * PHASES[name] / ROUNDS / ROUND.count(name)
                    phase(clients, servers[name], name, slice_seconds, tallies[name])
        threads = served.threads()
    constant = tallies["constant"].rates
    return {
        **{name: tally.figures() for name, tally in tallies.items()},
        "share_of_constant": {
            name: shares(tallies[name].rates, constant) for name in BESIDE_CONSTANT
        },
        "memory": memory(served.memory[warm:]),
        "threads": threads,
    }


def shares(rates: Sequence[float], constant: Sequence[float]) -> dict[str, float]:
    """Return the median, least and most of a phase's rates beside the constant's of the same time.

    Where there are fewer slices of a phase than of the constant, one stands beside all of its
    round.
    """
    beside = np.reshape(constant, (len(rates), -1)).mean(axis=1)
    result = np.asarray(rates) / beside
    points = {"median": np.median(result), "least": result.min(), "most": result.max()}
    return {point: round(float(each), 3) for point, each in points.items()}


def memory(curve: list[tuple[float, float]]) -> dict[str, Any]:
    """Return the curve, thinned to 60 points, the mean of each fifth, and how these grow."""
    fifth = max(1, len(curve) // 5)
    fifths = [mean(used for _, used in curve[at * fifth :][:fifth]) for at in range(5)]
    return {
        "growth": round(fifths[-1] / fifths[0] - 1, 4),
        "fifths_mb": [round(each, 1) for each in fifths],
        "most_mb": round(max(used for _, used in curve), 1),
        "curve_s_mb": [(round(at), round(used, 1)) for at, used in curve[:: len(curve) // 60 + 1]],
    }


def overrun(graph: str, folder: Path, seconds: float, mode: str) -> dict[str, Any]:
    """Let a crowd call a server with few places: what is refused, and how soon."""
    tally = Tally()
    with moviegraph(graph, folder, *OVERRUN) as served:
        with Clients(CROWD, mode, (served.url,)) as clients:
            phase(clients, served, "mixed", WARM_SECONDS, Tally())
            phase(clients, served, "mixed", seconds, tally)
        return {**tally.figures(), "threads": served.threads()}


def shown(by_key: dict[str, Any]) -> None:
    """Print the tables."""
    rows: list[list[str]] = []
    for count, figures in by_key["clients"].items():
        for name in PHASES:
            each = figures[name]
            times = [f"{each['ms'].get(point, 0):.0f}" for point in ("p50", "p95", "p99")]
            cpu = [f"{each[side + '_cpu_ms_a_call']:.1f}" for side in ("server", "client")]
            refused = sum(each["errors"].values())
            rate = f"{each['calls_a_second']:.0f}"
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
        [str(count), f"{each['memory']['growth']:+.1%}", f"{each['memory']['most_mb']:.0f}"]
        + [share(each["share_of_constant"][name]) for name in BESIDE_CONSTANT]
        for count, each in by_key["clients"].items()
    ]
    heads = [f"{name} / constant" for name in BESIDE_CONSTANT]
    table("", ("clients", "memory", "most MB", *heads), growth)


def share(by_key: dict[str, float]) -> str:
    return f"{by_key['median']:.0%} ({by_key['least']:.0%} to {by_key['most']:.0%})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.concurrency")
    parser.add_argument("graph", nargs="?", default=os.environ.get("MOVIEGRAPH_BENCH_GRAPH"))
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--mode", choices=MODES, default="auto", help="protocol of the clients")
    parser.add_argument("--keep", default="concurrency", help="name of the file of results")
    args = parser.parse_args()
    if not args.graph:
        sys.stdout.write("concurrency: skipped, no graph folder given\n")
        return
    with TemporaryDirectory() as scratch:
        at = (args.graph, Path(scratch))
        levels = {count: level(*at, count, args.seconds, args.mode) for count in args.clients}
        crowded = overrun(*at, min(20.0, args.seconds), args.mode)
    result = {
        "seconds": args.seconds,
        "mode": args.mode,
        "clients": levels,
        "overrun": {"clients": CROWD, "options": " ".join(OVERRUN), **crowded},
    }
    shown(result)
    write(args.keep, result)


if __name__ == "__main__":
    main()
