"""An engine that passes statements on, and keeps the text of each."""

from moviegraph.engines.base import Budget, Cancellation, Description, Engine, ResultSet, Statement


class OverheardEngine:
    """Implements `Engine` alone, so that every question becomes a statement."""

    def __init__(self, inner: Engine) -> None:
        self.executed: list[str] = []
        self._inner = inner

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        self.executed.append(statement.allowed.sql)
        return self._inner.execute(statement, budget)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        self._inner.compile(statement, cancellation)

    def describe(self) -> Description:
        return self._inner.describe()

    def close(self) -> None:
        self._inner.close()
