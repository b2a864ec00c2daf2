"""An engine that holds the statements with a word in them until the test lets them go."""

import threading
from queue import SimpleQueue

from fakes.scripted_engine import ScriptedEngine

from moviegraph.engines.base import Budget, ResultSet, Statement
from moviegraph.errors import QueryTimeoutError

PATIENCE = 120


class GatedEngine(ScriptedEngine):
    """Answers other statements at once; `arrived` hears of each held one that begins.

    A `stubborn` one cannot be cancelled, as a driver in a long step.
    """

    def __init__(self, held_word: str, *, stubborn: bool = False) -> None:
        super().__init__()
        self.arrived: SimpleQueue[str] = SimpleQueue()
        self._held = held_word
        self._stubborn = stubborn
        self._gate = threading.Semaphore(0)

    def let_go(self, statements: int = 1) -> None:
        """Let as many of the held statements end."""
        self._gate.release(statements)

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        sql = statement.allowed.sql
        self.executed.append(sql)
        if self._held in sql:
            self._wait(sql, budget)
        if budget.cancellation.cancelled:
            self.cancelled.set()
            raise QueryTimeoutError("The statement was cancelled.", code="cancelled")
        return ResultSet(("n",), [(1,)])

    def _wait(self, sql: str, budget: Budget) -> None:
        wake = (lambda: None) if self._stubborn else self._gate.release
        forget = budget.cancellation.on_cancel(wake)
        self.arrived.put(sql)
        assert self._gate.acquire(timeout=PATIENCE)
        forget()
