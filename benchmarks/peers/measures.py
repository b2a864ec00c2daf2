"""Timings of alternating calls of running servers, and the quality of their errors."""

import re
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.server_process import ServerProcess, text_of

WARM_UP_CALLS, ROUNDS, CALLS = 20, 5, 50
ADVICE = re.compile(
    r"\b(use|try|did you mean|candidate|write|check|instead|nearest|perhaps|choose|hint)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds per call: median and p95 of wall time, and CPU of the server's processes."""

    median: float
    p95: float
    cpu: float
    cpu_least: float
    cpu_most: float

    def summarize(self) -> dict[str, float]:
        """Return the values of the results file."""
        return {
            "wall_median_ms": round(self.median, 2),
            "wall_p95_ms": round(self.p95, 2),
            "cpu_ms": round(self.cpu, 2),
            "cpu_least_round_ms": round(self.cpu_least, 2),
            "cpu_most_round_ms": round(self.cpu_most, 2),
            "calls": ROUNDS * CALLS,
        }


@dataclass(frozen=True, slots=True)
class MeasuredServer:
    """One running server and the measured call, which a number varies."""

    name: str
    process: ServerProcess
    call: Callable[[int], Any]


def timings(servers: list[MeasuredServer]) -> dict[str, Timing]:
    """Measure all alternately, so that other load on the machine affects server alike."""
    walls: dict[str, list[float]] = {server.name: [] for server in servers}
    rounds: dict[str, list[float]] = {server.name: [] for server in servers}
    for server in servers:
        for number in range(WARM_UP_CALLS):
            server.call(number)
    for turn in range(ROUNDS):
        for server in servers[turn % len(servers) :] + servers[: turn % len(servers)]:
            cpu_before = server.process.cpu()
            for number in range(CALLS):
                start = time.perf_counter()
                server.call(number)
                walls[server.name].append((time.perf_counter() - start) * 1000)
            rounds[server.name].append((server.process.cpu() - cpu_before) / CALLS * 1000)
    return {server.name: _timing(walls[server.name], rounds[server.name]) for server in servers}


def _timing(walls: list[float], rounds: list[float]) -> Timing:
    return Timing(
        statistics.median(walls),
        statistics.quantiles(walls, n=20)[-1],
        statistics.median(rounds),
        min(rounds),
        max(rounds),
    )


@dataclass(frozen=True, slots=True)
class ErrorQuality:
    """Error of a server for a misspelled column, and its useful parts."""

    text: str
    is_error: bool
    names_column: bool
    names_intended: bool
    has_advice: bool

    @property
    def points(self) -> int:
        """One for server of the four."""
        return self.is_error + self.names_column + self.names_intended + self.has_advice

    def summarize(self) -> dict[str, Any]:
        """Return the values of the results file."""
        return {
            "says": self.text,
            "is_error": self.is_error,
            "names_the_column": self.names_column,
            "names_the_near_right_one": self.names_intended,
            "says_what_to_do": self.has_advice,
            "points_of_4": self.points,
        }


def error_quality(result: Mapping[str, Any], misspelled: str, intended: str) -> ErrorQuality:
    """Return the quality of an error by its words."""
    text = text_of(result)
    return ErrorQuality(
        " ".join(text.split())[:400],
        bool(result.get("isError")),
        misspelled.lower() in text.lower(),
        re.search(rf"\b{intended}\b", text, re.IGNORECASE) is not None,
        ADVICE.search(text) is not None,
    )
