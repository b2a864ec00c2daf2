"""One storm over a scripted server: run as a module, it prints what happened as JSON.

A process of its own makes a crash inside a driver an exit code, not the end of the tests.
"""

import json
import sys
import threading
from collections import Counter
from typing import Any

from fakes.odbc import Missing, OdbcDriver, find_driver
from fakes.odbc_scene import counted_engine
from fakes.storm import answers, fleet, storm
from fakes.tds.record import PATIENCE
from fakes.tds.server import TdsServer

from moviegraph.contract.loader import load_contract


def run(driver: OdbcDriver, calls: int, size: int, seed: int) -> dict[str, Any]:
    """Make one storm, then close, and return what happened."""
    contract = load_contract()
    before = set(threading.enumerate())
    with TdsServer(answers()) as server:
        engine, most = counted_engine(contract, driver, server.port, size=size, wait_seconds=240.0)
        ships = fleet(calls, seed)
        storm(engine, contract, ships)
        engine.close()
        server.record.wait_for(lambda _: server.open == 0, "the end of all connections")
        counts = engine.connections
    return {
        "outcomes": Counter(ship.outcome for ship in ships),
        "cancelled": sum(ship.delay is not None for ship in ships),
        "most_open": most.connections,
        "opened": counts.opened,
        "dropped": counts.dropped,
        "left_open": counts.open,
        "threads_left": threads_left(before),
        "longest_answer_ms": round(max(ship.answer for ship in ships) * 1000),
    }


def threads_left(before: set[threading.Thread]) -> int:
    """Return how many threads of the engine do not end."""
    started = set(threading.enumerate()) - before
    for thread in started:
        thread.join(PATIENCE)
    return sum(thread.is_alive() for thread in started)


def main() -> None:
    """Run with: driver, number of calls, places, seed."""
    kind, calls, size, seed = sys.argv[1:]
    driver = find_driver("microsoft" if kind == "microsoft" else "freetds")
    if isinstance(driver, Missing):
        sys.exit(driver.reason)
    sys.stdout.write(json.dumps(run(driver, int(calls), int(size), int(seed))))


if __name__ == "__main__":
    main()
