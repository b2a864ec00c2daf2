"""An engine that forwards statements and records their text."""

from contextlib import AbstractContextManager

from moviegraph.engines.base import Budget, Cancellation, Description, Engine, ResultSet, Statement
from moviegraph.engines.retrieval_primitives import GraphReader


class RecordingEngine:
    """Forwards every call."""

    def __init__(self, inner: Engine) -> None:
        self.executed: list[str] = []
        self._inner = inner

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        self.executed.append(statement.allowed.sql)
        return self._inner.execute(statement, budget)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        self._inner.compile(statement, cancellation)

    def reader(self, budget: Budget) -> AbstractContextManager[GraphReader]:
        return self._inner.reader(budget)

    def describe(self) -> Description:
        return self._inner.describe()

    def close(self) -> None:
        self._inner.close()
