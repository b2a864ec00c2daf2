"""Cold start and first result over stdio: CPU time of the server.

Targets: from process start to the result of tools/list at most 1.35 times a bare server of the same
SDK, median of ten; tools/list at most 12,288 bytes; instructions at most 2,000 characters; from the
first start after installation to the first result of hybrid_search at most 5 s. Some installers
leave compiling to the first start, so that is measured too. The handshake must not wait for the
graph, so its CPU and its wall time are separate values.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import report
from benchmarks.server_process import Launch, ServerProcess, launch_python

ROUNDS, FIRST_START_ROUNDS = 10, 3
OURS = launch_python("-m", "moviegraph", "serve")
BARE = launch_python(str(Path(__file__).with_name("bare_server.py")))
MAX_RATIO = 1.35
MAX_FIRST_RESULT_SECONDS = 5.0
QUERY = "a heist inside dreams"
FOLDER_VARIABLES = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
COMPILED = "first start"
NOT_COMPILED = "first start, nothing compiled"
AGAIN = "second start"
Values = Mapping[str, float]


def main() -> None:
    """Measure, print and store the values."""
    for launch in (OURS, BARE):  # warm the file cache
        listing_cpu(launch)
    pairs = [(listing_cpu(OURS), listing_cpu(BARE)) for _ in range(ROUNDS)]
    ours, bare = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
    startup = {
        "ours_cpu_s": round(ours, 3),
        "bare_cpu_s": round(bare, 3),
        "ratio": round(ours / bare, 3),
        "ratio_target": MAX_RATIO,
        "rounds": ROUNDS,
        **sizes(),
    }
    report.table("Startup", ("value", ""), [(name, str(value)) for name, value in startup.items()])
    report.write("startup", startup)
    rounds = [first_starts() for _ in range(FIRST_START_ROUNDS)]
    starts = {name: _medians([starts[name] for starts in rounds]) for name in rounds[0]}
    report.table(
        "From the start of the server to its responses",
        ("", *starts),
        [
            (name, *(f"{values[name]:.2f}" for values in starts.values()))
            for name in starts[COMPILED]
        ],
    )
    report.write(
        "first_answer",
        {"rounds": FIRST_START_ROUNDS, "target_cpu_s": MAX_FIRST_RESULT_SECONDS, **starts},
    )


def listing_cpu(launch: Launch) -> float:
    """Return the CPU seconds from the start to the result of tools/list."""
    with ServerProcess(launch) as server:
        server.open()
        server.request("tools/list")
        return server.cpu()


def sizes() -> dict[str, int]:
    """Return the size of the tool list in bytes, and of the instructions in characters."""
    with ServerProcess(OURS) as server:
        instructions = server.open().get("instructions", "")
        tools = server.request("tools/list")
    text = json.dumps(tools, separators=(",", ":"), ensure_ascii=False)
    return {
        "tools_list_bytes": len(text.encode()),
        "instructions_characters": len(instructions),
    }


def first_starts() -> dict[str, Values]:
    """Return the values of starts with an empty cache folder, and then with the full one."""
    with TemporaryDirectory() as home, TemporaryDirectory() as uncompiled_home:
        cache = str(Path(uncompiled_home) / "compiled")
        return {
            COMPILED: first_result(home),
            AGAIN: first_result(home),
            NOT_COMPILED: first_result(uncompiled_home, PYTHONPYCACHEPREFIX=cache),
        }


def first_result(home: str, **variables: str) -> Values:
    """Return CPU and wall time of a start up to handshake, tool list and first result."""
    variables = {**dict.fromkeys(FOLDER_VARIABLES, home), **variables}
    started = time.monotonic()
    with ServerProcess(launch_python("-m", "moviegraph", "serve", **variables)) as server:
        values: dict[str, float] = {}

        def note(name: str) -> None:
            values[f"{name}_cpu_s"] = server.cpu()
            values[f"{name}_wall_s"] = time.monotonic() - started

        server.open()
        note("handshake")
        server.request("tools/list")
        note("tools_list")
        server.call_checked("hybrid_search", query=QUERY)
        note("answer")
        return values


def _medians(starts: Sequence[Values]) -> Values:
    return {name: round(median(values[name] for values in starts), 2) for name in starts[0]}


if __name__ == "__main__":
    main()
