"""The engine for SQL Server and Azure SQL: validated statements, always rolled back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from moviegraph.contract.model import Contract
from moviegraph.engines.base import (
    Budget,
    Cancellation,
    Description,
    ResultSet,
    Statement,
    closed,
    require_query_vector,
    require_vectors,
)
from moviegraph.engines.result_limits import Row
from moviegraph.engines.sqlserver.batch import Batch, describing, execute_batch, result
from moviegraph.engines.sqlserver.diagnostics import is_undescribed
from moviegraph.engines.sqlserver.error_translation import ErrorTranslator
from moviegraph.engines.sqlserver.execution import Runner, RunningStatement, Transaction
from moviegraph.engines.sqlserver.mssql_reader import MssqlReader
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc
from moviegraph.engines.sqlserver.pool import Counts

if TYPE_CHECKING:
    import pyodbc


LOG = logging.getLogger("moviegraph")
COMPILE_SECONDS = 5.0
T = TypeVar("T")
Work = Callable[["pyodbc.Cursor", RunningStatement], T]


class MssqlEngine:
    """Runs validated statements on one database; safe to call from several threads."""

    def __init__(self, contract: Contract, runner: Runner, description: Description) -> None:
        self._contract = contract
        self._runner = runner
        self._translator = ErrorTranslator(contract)
        self._description = description
        self._closed = False

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        """Run a statement within a budget.

        Raises:
            ExecutionError: The statement cannot be run.
            QueryTimeoutError: Out of time, or cancelled.
            UnavailableError: No connection is free, or the database is temporarily unavailable.
            ResultTooLargeError: A FOR JSON document exceeds the budget.
            VectorSpaceError: The vector for @q has a different length than the stored ones.
            DatabaseError: A problem that only the operator can fix.
        """
        self._check(statement)
        require_query_vector(statement, self._dimensions)

        def work(cursor: pyodbc.Cursor, running: RunningStatement) -> ResultSet:
            return result(cursor, statement, budget, running)

        return self._run(work, statement.allowed.sql, budget.seconds, budget.cancellation)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        """Let the server describe the result of a statement, which it compiles and does not run.

        A server that cannot describe the columns has found no error in the statement.

        Raises:
            ExecutionError: The statement cannot be run.
            QueryTimeoutError: Out of time, or cancelled.
            UnavailableError: The database is temporarily unavailable.
        """
        self._check(statement)
        description = describing(statement, self._dimensions)

        def work(cursor: pyodbc.Cursor, running: RunningStatement) -> None:
            try:
                list(execute_batch(cursor, description, running))
            except import_pyodbc().Error as error:
                if not is_undescribed(error):
                    raise
                LOG.info("The server cannot describe a statement: it is not tried beforehand.")

        self._run(work, statement.allowed.sql, COMPILE_SECONDS, cancellation)

    @contextmanager
    def reader(self, budget: Budget) -> Generator[MssqlReader]:
        """Return the retrieval primitives, within a budget that starts now.

        All statements of the block run on one connection in one transaction: a snapshot where the
        database allows it. No connection is taken before the first one.
        """
        if self._closed:
            raise closed()
        budget.cancellation.check()
        with Transaction(self._runner, budget.seconds, budget.cancellation) as transaction:

            def read(statement_batch: Batch) -> list[Row]:
                with self._explained(statement_batch.text):
                    return transaction.run(
                        lambda cursor, running: list(
                            execute_batch(cursor, statement_batch, running)
                        )
                    )

            yield MssqlReader(self._contract, self._description, read)

    def describe(self) -> Description:
        """Return counts, identity and capabilities, as they were when the engine was opened."""
        return self._description

    def close(self) -> None:
        """Stop what runs and close the connections; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._runner.close()

    @property
    def connections(self) -> Counts:
        """The numbers of connections so far."""
        return self._runner.counts

    @property
    def _dimensions(self) -> int:
        return self._description.space.dimensions if self._description.space else 1

    def _check(self, statement: Statement) -> None:
        if self._closed:
            raise closed()
        require_vectors(statement, stored=self._description.space is not None)

    def _run(
        self, work: Work[T], sql: str, seconds: float, cancellation: Cancellation | None = None
    ) -> T:
        with self._explained(sql):
            return self._runner.run(work, seconds=seconds, cancellation=cancellation)

    @contextmanager
    def _explained(self, sql: str) -> Generator[None]:
        """Turn errors of the driver into errors that a model or an operator can act upon."""
        try:
            yield
        except import_pyodbc().Error as error:
            raise self._translator.explain(error, sql) from error
