"""Stress run: hundreds of concurrent calls, most of them cancelled at random times.

Shared by the test, which requires that nothing crashes or leaks, and the benchmark, which measures.
"""

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from fakes.limits import budget
from fakes.tds.script import Answers, Call, Fail, HangUp, Rows, Step, Wait
from fakes.tds.types import INT, NVARCHAR

from moviegraph.contract.model import Contract
from moviegraph.engines.base import Budget, Cancellation, Engine, Statement
from moviegraph.errors import MoviegraphError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

COLUMNS = [("Id", INT), ("Name", NVARCHAR)]
KINDS = ("quick", "slow", "half", "long", "failing", "lost", "several")
ENDLESS = ("slow", "half")
LONGEST_DELAY = 0.4
SECONDS = 240.0


def answers() -> Answers:
    """Return a script for each kind of statement; those that wait do so until cancelled."""
    return Answers(
        {
            "quick": [Rows(COLUMNS, [(1, "one")])],
            "slow": [Wait()],
            "half": [Rows(COLUMNS, [(1, "one")] * 20, cut=Wait())],
            "long": [Rows(COLUMNS, [(number, "x" * 100) for number in range(3000)])],
            "failing": [Fail(8134, "Divide by zero error encountered.")],
            "lost": _hang_up,
            "CHARINDEX": [Rows(COLUMNS, [(1, "one")])],
        }
    )


def _hang_up(call: Call) -> Sequence[Step]:
    """Hang up on every second connection."""
    return [HangUp()] if call.connection % 2 else [Rows(COLUMNS, [(1, "one")])]


def statements(contract: Contract) -> dict[str, Statement]:
    """Return one judged statement of each kind."""
    by_key: dict[str, Statement] = {}
    for kind in KINDS:
        decision = judge(
            f"SELECT TOP 60 m.Id, m.Name FROM Movie AS m WHERE m.Name = '{kind}'", contract
        )
        assert isinstance(decision, Allowed)
        by_key[kind] = Statement(decision)
    return by_key


def run_reads(engine: Engine, budget: Budget) -> None:
    """Run several statements in one transaction."""
    with engine.reader(budget) as graph:
        for _ in range(5):
            graph.names_with("Movie", ["one"], 3)


@dataclass(slots=True)
class StressCall:
    """One call of the stress run: kind, delay before its cancellation, times and outcome."""

    kind: str
    delay: float | None
    cancellation: Cancellation = field(default_factory=Cancellation)
    called_at: float = 0.0
    cancelled_at: float = 0.0
    ended_at: float = 0.0
    outcome: str = ""

    def make(self, engine: Engine, statement: Statement) -> None:
        """Make the call and note how it ended."""
        limited = budget(seconds=SECONDS, cancellation=self.cancellation)
        self.called_at = time.monotonic()
        try:
            if self.kind == "several":
                run_reads(engine, limited)
            else:
                engine.execute(statement, limited)
            self.outcome = "rows"
        except MoviegraphError as error:
            self.outcome = error.code
        finally:
            self.ended_at = time.monotonic()

    def cancel(self) -> None:
        """Cancel the call; the time that this takes counts as response time."""
        self.cancelled_at = time.monotonic()
        self.cancellation.cancel()

    @property
    def answer(self) -> float:
        """Seconds from the cancelling to the end, 0 for a call that had ended before.

        Of five hundred threads some are cancelled before they have begun to call: the engine could
        not answer those any sooner.
        """
        since = max(self.called_at, self.cancelled_at)
        return max(0.0, self.ended_at - since) if self.cancelled_at else 0.0


def stress_calls(size: int, seed: int) -> list[StressCall]:
    """Return calls of all kinds; those that would not end are always cancelled, others often."""
    chance = random.Random(seed)
    calls: list[StressCall] = []
    for _ in range(size):
        kind = chance.choice(KINDS)
        cancelled = kind in ENDLESS or chance.random() < 0.5
        calls.append(StressCall(kind, chance.uniform(0.0, LONGEST_DELAY) if cancelled else None))
    return calls


def run_stress(engine: Engine, contract: Contract, calls: Sequence[StressCall]) -> None:
    """Make all calls at once, each in a thread, and cancel each after its delay."""
    created = statements(contract)
    start = threading.Barrier(len(calls) + 1)

    def make(stress_call: StressCall) -> None:
        start.wait()
        stress_call.make(engine, created[stress_call.kind])

    threads = [threading.Thread(target=make, args=(stress_call,)) for stress_call in calls]
    for thread in threads:
        thread.start()
    start.wait()
    _cancel_in_turn(calls)
    for thread in threads:
        thread.join()


def _cancel_in_turn(calls: Sequence[StressCall]) -> None:
    """Cancel each call after its delay, each in a separate thread as its caller would."""
    began = time.monotonic()
    cancelling: list[threading.Thread] = []
    for delay, stress_call in sorted(
        (
            (stress_call.delay, stress_call)
            for stress_call in calls
            if stress_call.delay is not None
        ),
        key=lambda pair: pair[0],
    ):
        time.sleep(max(0.0, began + delay - time.monotonic()))
        cancelling.append(threading.Thread(target=stress_call.cancel))
        cancelling[-1].start()
    for thread in cancelling:
        thread.join()
