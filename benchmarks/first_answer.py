"""First answers over stdio: the server's CPU from its start with an empty cache, then a full one.

Target: at most 5 s from the first start after installing to the first answer of hybrid_search.
Some installers leave compiling to the first start, so that is measured too. The handshake must
not wait for the graph, so its CPU and its wall time are kept apart.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import report
from benchmarks.wire import WireServer

ROUNDS = 3
TARGET = 5.0
QUERY = "a heist inside dreams"
PLACES = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
COMPILED = "first start"
NOT_COMPILED = "first start, nothing compiled"
AGAIN = "second start"
Figures = Mapping[str, float]


def main() -> None:
    rounds = [_installed() for _ in range(ROUNDS)]
    figures = {start: _medians([each[start] for each in rounds]) for start in rounds[0]}
    names = list(figures[COMPILED])
    report.table(
        "From the start of the server to its answers",
        ("", *figures),
        [(name, *(f"{each[name]:.2f}" for each in figures.values())) for name in names],
    )
    kept = {"rounds": ROUNDS, "target_cpu_s": TARGET, **figures}
    print(f"Written: benchmarks/results/{report.write('first_answer', kept).name}")


def _installed() -> Mapping[str, Figures]:
    """Return the figures of starts with an empty cache folder, and then with the full one."""
    with TemporaryDirectory() as home, TemporaryDirectory() as other:
        return {
            COMPILED: _start(home),
            AGAIN: _start(home),
            NOT_COMPILED: _start(other, PYTHONPYCACHEPREFIX=str(Path(other) / "compiled")),
        }


def _start(home: str, **more: str) -> Figures:
    environment = {**os.environ, **dict.fromkeys(PLACES, home), **more}
    began = time.monotonic()
    with WireServer("-m", "moviegraph", "serve", environment=environment) as server:
        figures: dict[str, float] = {}

        def note(name: str) -> None:
            figures[f"{name}_cpu_s"] = server.cpu()
            figures[f"{name}_wall_s"] = time.monotonic() - began

        server.open()
        note("handshake")
        server.request("tools/list")
        note("tools_list")
        server.call("hybrid_search", query=QUERY)
        note("answer")
        return figures


def _medians(starts: Sequence[Figures]) -> Figures:
    return {name: round(median(each[name] for each in starts), 2) for name in starts[0]}


if __name__ == "__main__":
    main()
