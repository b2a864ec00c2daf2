"""Measures calls: CPU and wall time, the median and the quartiles of several runs."""

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call takes in milliseconds.

    `low` and `high` are the quartiles of its CPU time, `first` is that of the first call, which
    loads what is loaded once.
    """

    cpu: float
    low: float
    high: float
    wall: float
    first: float

    def rounded(self) -> dict[str, float]:
        """Return the figures, rounded."""
        return {name: round(value, 3) for name, value in asdict(self).items()}


def cost(run: Callable[[int], object], rounds: int = ROUNDS) -> Cost:
    """Measure a call that is told which round it is, so that it can ask something new.

    Two rounds go before those that count.
    """
    cpu: list[float] = []
    wall: list[float] = []
    for number in range(-2, rounds):
        before, start = time.process_time_ns(), time.perf_counter_ns()
        run(number)
        wall.append((time.perf_counter_ns() - start) / 1e6)
        cpu.append((time.process_time_ns() - before) / 1e6)
    low, middle, high = statistics.quantiles(cpu[2:], n=4)
    return Cost(middle, low, high, statistics.median(wall[2:]), cpu[0])
