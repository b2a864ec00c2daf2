"""What is measured of servers that run side by side: calls in turns, sizes, and their errors."""

import re
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.server_process import ServerProcess, text_of

WARM, ROUNDS, CALLS = 20, 5, 50
ADVICE = re.compile(
    r"\b(use|try|did you mean|candidate|write|check|instead|nearest|perhaps|choose|hint)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds a call: median and p95 on the wall, and CPU of the server's processes."""

    median: float
    p95: float
    cpu: float
    cpu_least: float
    cpu_most: float

    def figures(self) -> dict[str, float]:
        """Return the members of the record."""
        return {
            "wall_median_ms": round(self.median, 2),
            "wall_p95_ms": round(self.p95, 2),
            "cpu_ms": round(self.cpu, 2),
            "cpu_least_round_ms": round(self.cpu_least, 2),
            "cpu_most_round_ms": round(self.cpu_most, 2),
            "calls": ROUNDS * CALLS,
        }


@dataclass(frozen=True, slots=True)
class Contestant:
    """One server under way, and the call that it is measured by; the number varies it."""

    name: str
    server: ServerProcess
    call: Callable[[int], Any]


def timings(contestants: list[Contestant]) -> dict[str, Timing]:
    """Measure all in turns, so that what else the machine does falls on each alike."""
    walls: dict[str, list[float]] = {each.name: [] for each in contestants}
    rounds: dict[str, list[float]] = {each.name: [] for each in contestants}
    for each in contestants:
        for number in range(WARM):
            each.call(number)
    for turn in range(ROUNDS):
        for each in contestants[turn % len(contestants) :] + contestants[: turn % len(contestants)]:
            before = each.server.cpu()
            for number in range(CALLS):
                start = time.perf_counter()
                each.call(number)
                walls[each.name].append((time.perf_counter() - start) * 1000)
            rounds[each.name].append((each.server.cpu() - before) / CALLS * 1000)
    return {each.name: _timing(walls[each.name], rounds[each.name]) for each in contestants}


def _timing(walls: list[float], rounds: list[float]) -> Timing:
    return Timing(
        statistics.median(walls),
        statistics.quantiles(walls, n=20)[-1],
        statistics.median(rounds),
        min(rounds),
        max(rounds),
    )


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server says of a misspelt column, and what that holds."""

    text: str
    flagged: bool
    names_column: bool
    names_near: bool
    advises: bool

    @property
    def points(self) -> int:
        """One for each of the four."""
        return self.flagged + self.names_column + self.names_near + self.advises

    def figures(self) -> dict[str, Any]:
        """Return the members of the record."""
        return {
            "says": self.text,
            "is_error": self.flagged,
            "names_the_column": self.names_column,
            "names_the_near_right_one": self.names_near,
            "says_what_to_do": self.advises,
            "points_of_4": self.points,
        }


def complaint(result: Mapping[str, Any], misspelt: str, meant: str) -> Complaint:
    """Judge an error by its words."""
    text = text_of(result)
    return Complaint(
        " ".join(text.split())[:400],
        bool(result.get("isError")),
        misspelt.lower() in text.lower(),
        re.search(rf"\b{meant}\b", text, re.IGNORECASE) is not None,
        ADVICE.search(text) is not None,
    )
