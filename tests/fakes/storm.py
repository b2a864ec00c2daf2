"""Hundreds of calls at once, most of them cancelled at random moments, and what became of each.

Shared by the test, which asks that nothing crashed or leaked, and the benchmark, which measures.
"""

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

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
    """Answer each kind of statement in its way; those that wait do so until they are cancelled."""
    return Answers(
        {
            "quick": [Rows(COLUMNS, [(1, "one")])],
            "slow": [Wait()],
            "half": [Rows(COLUMNS, [(1, "one")] * 20, cut=Wait())],
            "long": [Rows(COLUMNS, [(number, "x" * 100) for number in range(3000)])],
            "failing": [Fail(8134, "Divide by zero error encountered.")],
            "lost": _lost,
            "CHARINDEX": [Rows(COLUMNS, [(1, "one")])],
        }
    )


def _lost(call: Call) -> Sequence[Step]:
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


def several(engine: Engine, budget: Budget) -> None:
    """Run several statements in one transaction."""
    with engine.reader(budget) as graph:
        for _ in range(5):
            graph.names_with("Movie", ["one"], 3)


@dataclass(slots=True)
class Ship:
    """One call in the storm: its kind, when it is made and cancelled, and what became of it."""

    kind: str
    delay: float | None
    cancellation: Cancellation = field(default_factory=Cancellation)
    called_at: float = 0.0
    cancelled_at: float = 0.0
    ended_at: float = 0.0
    outcome: str = ""

    def sail(self, engine: Engine, statement: Statement) -> None:
        """Make the call and note how it ended."""
        budget = Budget(seconds=SECONDS, cancellation=self.cancellation)
        self.called_at = time.monotonic()
        try:
            if self.kind == "several":
                several(engine, budget)
            else:
                engine.execute(statement, budget)
            self.outcome = "rows"
        except MoviegraphError as error:
            self.outcome = error.code
        finally:
            self.ended_at = time.monotonic()

    def cancel(self) -> None:
        """Cancel the call; what it takes is part of the time that it needs to end."""
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


def fleet(size: int, seed: int) -> list[Ship]:
    """Return calls of all kinds; those that would not end are always cancelled, others often."""
    chance = random.Random(seed)
    ships: list[Ship] = []
    for _ in range(size):
        kind = chance.choice(KINDS)
        cancelled = kind in ENDLESS or chance.random() < 0.5
        ships.append(Ship(kind, chance.uniform(0.0, LONGEST_DELAY) if cancelled else None))
    return ships


def storm(engine: Engine, contract: Contract, ships: Sequence[Ship]) -> None:
    """Make all calls at once, each in a thread, and cancel each at its moment."""
    created = statements(contract)
    start = threading.Barrier(len(ships) + 1)

    def sail(ship: Ship) -> None:
        start.wait()
        ship.sail(engine, created[ship.kind])

    threads = [threading.Thread(target=sail, args=(ship,)) for ship in ships]
    for thread in threads:
        thread.start()
    start.wait()
    _cancel_in_turn(ships)
    for thread in threads:
        thread.join()


def _cancel_in_turn(ships: Sequence[Ship]) -> None:
    """Cancel each call after its delay, each in a thread of its own as its callers would."""
    began = time.monotonic()
    cancelling: list[threading.Thread] = []
    for delay, ship in sorted(
        ((ship.delay, ship) for ship in ships if ship.delay is not None), key=lambda pair: pair[0]
    ):
        time.sleep(max(0.0, began + delay - time.monotonic()))
        cancelling.append(threading.Thread(target=ship.cancel))
        cancelling[-1].start()
    for thread in cancelling:
        thread.join()
