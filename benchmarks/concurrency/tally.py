"""What a phase of a run came to: throughput, latencies, errors, CPU on both sides."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

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
