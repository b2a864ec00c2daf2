"""One stress run over a scripted server: run as a module, it prints the outcome as JSON.

A separate process makes a crash inside a driver an exit code, not the end of the tests.
"""

import json
import sys
import threading
from collections import Counter
from typing import Any

from fakes.cancel_stress import answers, run_stress, stress_calls
from fakes.odbc_drivers import Missing, OdbcDriver, find_driver
from fakes.odbc_harness import counted_engine
from fakes.tds.record import PATIENCE
from fakes.tds.server import TdsServer

from moviegraph.contract.loader import load_contract


def run(driver: OdbcDriver, count: int, size: int, seed: int) -> dict[str, Any]:
    """Make one stress run, close the engine, and return outcomes and connection counts."""
    contract = load_contract()
    before = set(threading.enumerate())
    with TdsServer(answers()) as server:
        engine, most = counted_engine(contract, driver, server.port, size=size, wait_seconds=240.0)
        calls = stress_calls(count, seed)
        run_stress(engine, contract, calls)
        engine.close()
        server.record.wait_for(lambda _: server.open == 0, "the end of all connections")
        counts = engine.connections
    return {
        "outcomes": Counter(stress_call.outcome for stress_call in calls),
        "cancelled": sum(stress_call.delay is not None for stress_call in calls),
        "most_open": most.connections,
        "opened": counts.opened,
        "dropped": counts.dropped,
        "left_open": counts.open,
        "threads_left": threads_left(before),
        "longest_answer_ms": round(max(stress_call.answer for stress_call in calls) * 1000),
    }


def threads_left(before: set[threading.Thread]) -> int:
    """Return how many threads of the engine do not end."""
    started = set(threading.enumerate()) - before
    for thread in started:
        thread.join(PATIENCE)
    return sum(thread.is_alive() for thread in started)


def main() -> None:
    """Run with: driver, number of calls, slots, seed."""
    kind, count, size, seed = sys.argv[1:]
    driver = find_driver("microsoft" if kind == "microsoft" else "freetds")
    if isinstance(driver, Missing):
        sys.exit(driver.reason)
    sys.stdout.write(json.dumps(run(driver, int(count), int(size), int(seed))))


if __name__ == "__main__":
    main()
