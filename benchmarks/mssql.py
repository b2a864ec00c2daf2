"""The SQL Server engine over a real driver: CPU compared with pyodbc, and many cancelled calls.

The scripted server of the tests responds in a separate process, so the values do not describe the
speed of SQL Server. Targets: at most 1 ms of CPU more than bare pyodbc for the same batch; 500
concurrent calls with random cancellations, each answered within 0.6 s, connections bounded.
Requires an ODBC driver (CONTRIBUTING.md); FreeTDS is used if Microsoft's is missing.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.budgets import budget

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from fakes.cancel_stress import COLUMNS, answers, run_stress, stress_calls
from fakes.odbc_drivers import Missing, OdbcDriver, find_driver
from fakes.odbc_harness import SPACE, counted_engine, plain_engine
from fakes.tds.process import RemoteServer, server_process
from fakes.tds.script import Answers, Rows

from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Engine, Statement
from moviegraph.engines.sqlserver.batch import batch
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

ROUNDS, CALLS = 15, 100
STORM = 500
POOL_SIZES = (6, 64)  # most calls are cancelled while they wait for a slot, or while they run
SEEDS = (1, 2, 3)
STATEMENTS = {
    "one row": "SELECT TOP 1 m.Id, m.Name FROM Movie AS m WHERE m.Name = 'one'",
    "60 rows": "SELECT TOP 60 m.Id, m.Name FROM Movie AS m WHERE m.Name = 'sixty'",
    "60 rows near a vector": (
        "SELECT TOP 60 m.Id, m.Name FROM Movie AS m WHERE m.Name <> 'sixty' "
        "ORDER BY VECTOR_DISTANCE('cosine', m.Embedding, @q)"
    ),
}


def rows() -> Answers:
    """Return responses with one row and with sixty."""
    sixty = [(number, "A name of usual length") for number in range(60)]
    return Answers({"sixty": [Rows(COLUMNS, sixty)], "one": [Rows(COLUMNS, sixty[:1])]})


def statement(sql: str, contract: Contract) -> Statement:
    """Return the validated statement, with a vector if it uses one."""
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed)
    vector = np.random.default_rng(7).standard_normal(SPACE.dimensions).astype(np.float32)
    return Statement(decision, vector if decision.uses_query else None)


def pyodbc_run(login: str, prepared: Statement) -> Callable[[], None]:
    """Return a function that runs the batch of a statement with only pyodbc."""
    import pyodbc

    connection = pyodbc.connect(login, autocommit=False)
    sql_batch = batch(prepared, budget())

    def run() -> None:
        with closing(connection.cursor()) as cursor:
            cursor.execute(sql_batch.text, *sql_batch.parameters).fetchall()
            while cursor.nextset():
                pass
        connection.rollback()

    return run


def milliseconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of this process for one call, the mean of multiple calls."""
    start = time.process_time_ns()
    for _ in range(CALLS):
        work()
    return (time.process_time_ns() - start) / 1e6 / CALLS


def overhead(driver: OdbcDriver, contract: Contract) -> dict[str, dict[str, float]]:
    """Measure each statement with pyodbc and with the engine, alternating by round."""
    results: dict[str, dict[str, float]] = {}
    with (
        server_process(rows) as server,
        closing(plain_engine(contract, driver, server.port)) as engine,
    ):
        for name, sql in STATEMENTS.items():
            results[name] = _compare(driver, server, engine, statement(sql, contract))
    return results


def _compare(
    driver: OdbcDriver, server: RemoteServer, engine: Engine, prepared: Statement
) -> dict[str, float]:
    run_pyodbc = pyodbc_run(driver.string(server.port), prepared)
    pairs = [
        (milliseconds(run_pyodbc), milliseconds(lambda: engine.execute(prepared, budget())))
        for _ in range(ROUNDS)
    ]
    return {
        "bare_ms": round(median(pair[0] for pair in pairs), 3),
        "engine_ms": round(median(pair[1] for pair in pairs), 3),
        "more_ms": round(median(pair[1] - pair[0] for pair in pairs), 3),
    }


def storm_values(driver: OdbcDriver, contract: Contract, size: int, seed: int) -> dict[str, Any]:
    """Run one storm; return the outcomes of its calls and connections."""
    with server_process(answers) as server:
        engine, maximum = counted_engine(
            contract, driver, server.port, size=size, wait_seconds=60.0
        )
        calls = stress_calls(STORM, seed)
        run_stress(engine, contract, calls)
        engine.close()
        counts = engine.connections
    cancellation_times = sorted(call.answer for call in calls if call.outcome == "cancelled")
    return {
        "places": size,
        "seed": seed,
        "outcomes": dict(Counter(call.outcome for call in calls)),
        "cancelled_answer_ms_median": round(median(cancellation_times) * 1000, 1),
        "cancelled_answer_ms_most": round(cancellation_times[-1] * 1000, 1),
        "most_connections": maximum.connections,
        "opened": counts.opened,
        "dropped": counts.dropped,
        "left_open": counts.open,
    }


def measure(driver: OdbcDriver) -> dict[str, Any]:
    """Measure and print everything over one driver."""
    contract = load_contract()
    costs = overhead(driver, contract)
    table(
        f"CPU of a call, {driver.kind}",
        ("statement", "bare pyodbc", "engine", "more"),
        [(name, *(f"{ms:.3f} ms" for ms in cost.values())) for name, cost in costs.items()],
    )
    storms = [storm_values(driver, contract, size, seed) for size in POOL_SIZES for seed in SEEDS]
    table(
        f"{STORM} concurrent calls, {driver.kind}",
        ("slots", "cancelled", "response, median", "slowest", "connections", "dropped", "left"),
        [
            (
                str(run["places"]),
                str(run["outcomes"]["cancelled"]),
                f"{run['cancelled_answer_ms_median']:.1f} ms",
                f"{run['cancelled_answer_ms_most']:.1f} ms",
                str(run["most_connections"]),
                str(run["dropped"]),
                str(run["left_open"]),
            )
            for run in storms
        ],
    )
    return {"overhead": costs, "storms": storms}


def main() -> None:
    """Measure each installed driver and store the values."""
    candidates = [find_driver("microsoft"), find_driver("freetds")]
    for candidate in candidates:
        if isinstance(candidate, Missing):
            print(candidate.reason)
    drivers = [candidate for candidate in candidates if isinstance(candidate, OdbcDriver)]
    if drivers:
        write("mssql", {driver.kind: measure(driver) for driver in drivers})


if __name__ == "__main__":
    main()
