"""The SQL Server engine over a real driver: CPU beside bare pyodbc, and a storm of cancelled calls.

The scripted server of the tests answers from a process of its own: nothing here tells about the
speed of SQL Server. Targets: at most 1 ms of CPU more than bare pyodbc for the same batch; 500
calls at once with random cancellations, each answered within 0.6 s, connections bounded.
Needs an ODBC driver (CONTRIBUTING.md); FreeTDS is taken where Microsoft's is missing.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from fakes.odbc import Missing, OdbcDriver, find_driver
from fakes.odbc_scene import SPACE, counted_engine, plain_engine
from fakes.storm import COLUMNS, answers, fleet, storm
from fakes.tds.process import RemoteServer, server_process
from fakes.tds.script import Answers, Rows

from benchmarks.report import table, write
from moviegraph.contract.loader import load_contract
from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Engine, Statement
from moviegraph.engines.sqlserver.batch import batch
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

ROUNDS, CALLS = 15, 100
STORM = 500
SIZES = (6, 64)  # most calls are cancelled while they wait for a place, or while they run
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
    """Answer with one row or with sixty."""
    sixty = [(number, "A name of usual length") for number in range(60)]
    return Answers({"sixty": [Rows(COLUMNS, sixty)], "one": [Rows(COLUMNS, sixty[:1])]})


def statement(sql: str, contract: Contract) -> Statement:
    """Judge a statement, and give it a vector if it wants one."""
    decision = judge(sql, contract)
    assert isinstance(decision, Allowed)
    numbers = np.random.default_rng(7).standard_normal(SPACE.dimensions).astype(np.float32)
    return Statement(decision, numbers if decision.uses_query else None)


def bare(string: str, created: Statement) -> Callable[[], None]:
    """Return what runs the batch of a statement through pyodbc alone, on an open connection."""
    import pyodbc

    connection = pyodbc.connect(string, autocommit=False)
    sent = batch(created, Budget())

    def run() -> None:
        with closing(connection.cursor()) as cursor:
            cursor.execute(sent.text, *sent.parameters).fetchall()
            while cursor.nextset():
                pass
        connection.rollback()

    return run


def milliseconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of this process for one call, the mean of many."""
    start = time.process_time_ns()
    for _ in range(CALLS):
        work()
    return (time.process_time_ns() - start) / 1e6 / CALLS


def overhead(driver: OdbcDriver, contract: Contract) -> dict[str, dict[str, float]]:
    """Measure each statement through pyodbc and through the engine, round by round in turn."""
    by_key: dict[str, dict[str, float]] = {}
    with (
        server_process(rows) as server,
        closing(plain_engine(contract, driver, server.port)) as engine,
    ):
        for name, sql in STATEMENTS.items():
            by_key[name] = _beside(driver, server, engine, statement(sql, contract))
    return by_key


def _beside(
    driver: OdbcDriver, server: RemoteServer, engine: Engine, created: Statement
) -> dict[str, float]:
    alone = bare(driver.string(server.port), created)
    pairs = [
        (milliseconds(alone), milliseconds(lambda: engine.execute(created, Budget())))
        for _ in range(ROUNDS)
    ]
    return {
        "bare_ms": round(median(pair[0] for pair in pairs), 3),
        "engine_ms": round(median(pair[1] for pair in pairs), 3),
        "more_ms": round(median(pair[1] - pair[0] for pair in pairs), 3),
    }


def weather(driver: OdbcDriver, contract: Contract, size: int, seed: int) -> dict[str, Any]:
    """Make one storm and return what became of its calls and connections."""
    with server_process(answers) as server:
        engine, most = counted_engine(contract, driver, server.port, size=size, wait_seconds=60.0)
        calls = fleet(STORM, seed)
        storm(engine, contract, calls)
        engine.close()
        counts = engine.connections
    late = sorted(call.answer for call in calls if call.outcome == "cancelled")
    return {
        "places": size,
        "seed": seed,
        "outcomes": dict(Counter(call.outcome for call in calls)),
        "cancelled_answer_ms_median": round(median(late) * 1000, 1),
        "cancelled_answer_ms_most": round(late[-1] * 1000, 1),
        "most_connections": most.connections,
        "opened": counts.opened,
        "dropped": counts.dropped,
        "left_open": counts.open,
    }


def measure(driver: OdbcDriver) -> dict[str, Any]:
    """Measure and print everything over one driver."""
    contract = load_contract()
    result = overhead(driver, contract)
    table(
        f"CPU of a call, {driver.kind}",
        ("statement", "bare pyodbc", "engine", "more"),
        [(name, *(f"{each:.3f} ms" for each in ms.values())) for name, ms in result.items()],
    )
    storms = [weather(driver, contract, size, seed) for size in SIZES for seed in SEEDS]
    table(
        f"{STORM} calls at once, {driver.kind}",
        ("places", "cancelled", "answered, median", "slowest", "connections", "dropped", "left"),
        [
            (
                str(each["places"]),
                str(each["outcomes"]["cancelled"]),
                f"{each['cancelled_answer_ms_median']:.1f} ms",
                f"{each['cancelled_answer_ms_most']:.1f} ms",
                str(each["most_connections"]),
                str(each["dropped"]),
                str(each["left_open"]),
            )
            for each in storms
        ],
    )
    return {"overhead": result, "storms": storms}


def main() -> None:
    """Measure over each driver that is installed, and keep the figures."""
    result = [find_driver("microsoft"), find_driver("freetds")]
    for each in result:
        if isinstance(each, Missing):
            print(each.reason)
    drivers = [each for each in result if isinstance(each, OdbcDriver)]
    if drivers:
        write("mssql", {each.kind: measure(each) for each in drivers})


if __name__ == "__main__":
    main()
