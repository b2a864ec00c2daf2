"""An engine that answers with a given result, or blocks until its statement is cancelled."""

import threading
from contextlib import AbstractContextManager
from typing import cast

from fakes.empty_reader import empty_reader

from moviegraph.embeddings.embedder import VectorSpace
from moviegraph.engines.base import Budget, Cancellation, Description, ResultSet, Statement
from moviegraph.engines.retrieval_primitives import GraphReader
from moviegraph.errors import QueryTimeoutError


class ScriptedEngine:
    """Implements `Engine`; events tell a test what happened to a blocking statement."""

    def __init__(self, result: ResultSet | Exception | None = None, dimensions: int = 64) -> None:
        self.result = result
        self.executed: list[str] = []
        self.started = threading.Event()
        self.cancelled = threading.Event()
        self.closed = False
        self._space = VectorSpace("test", "hashed-words", dimensions)

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        self.executed.append(statement.allowed.sql)
        self.started.set()
        if isinstance(self.result, Exception):
            raise self.result
        if self.result is not None:
            return self.result
        remove = budget.cancellation.on_cancel(self.cancelled.set)
        try:
            self.cancelled.wait()
        finally:
            remove()
        raise QueryTimeoutError("The statement was interrupted.")

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        pass

    def reader(self, budget: Budget) -> AbstractContextManager[GraphReader]:
        return cast("AbstractContextManager[GraphReader]", empty_reader(budget))

    def describe(self) -> Description:
        return Description("scripted", "0", "0", self._space, {})

    def close(self) -> None:
        self.closed = True
