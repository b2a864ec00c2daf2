"""The engine for SQL Server and Azure SQL: judged statements through ODBC, always rolled back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from moviegraph.contract.model import Contract
from moviegraph.contract.space import VectorSpace
from moviegraph.engines.base import Budget, Cancellation, Description, ResultSet, Statement
from moviegraph.engines.odbc.batch import Batch, describing, execute, result
from moviegraph.engines.odbc.cancelling import Underway
from moviegraph.engines.odbc.connection import Connector
from moviegraph.engines.odbc.description import described
from moviegraph.engines.odbc.driver import import_pyodbc
from moviegraph.engines.odbc.failures import Failures
from moviegraph.engines.odbc.pool import Counts
from moviegraph.engines.odbc.reading import Read, Row
from moviegraph.engines.odbc.runner import SIZE, Runner
from moviegraph.engines.odbc.transient import Patience, starting_patience
from moviegraph.engines.query_vector import require_query_vector, require_vectors
from moviegraph.engines.stopping import closed
from moviegraph.errors import DatabaseError, QueryTimeoutError, UnavailableError

if TYPE_CHECKING:
    import pyodbc

COMPILE_SECONDS = 5.0
READ_SECONDS = 60.0
START_SECONDS = 90.0
T = TypeVar("T")
Work = Callable[["pyodbc.Cursor", Underway], T]


class MssqlEngine:
    """Runs judged statements on one database; safe to call from several threads."""

    def __init__(self, contract: Contract, runner: Runner, description: Description) -> None:
        self._runner = runner
        self._failures = Failures(contract)
        self._description = description
        self._closed = False

    def execute(self, statement: Statement, budget: Budget) -> ResultSet:
        """Run a statement within a budget.

        Raises:
            ExecutionError: The statement cannot be run.
            QueryTimeoutError: Out of time, or cancelled.
            UnavailableError: No connection is free, or the database cannot be asked just now.
            ResultTooLargeError: A FOR JSON document exceeds the budget.
            VectorSpaceError: The vector behind @q has another length than the stored ones.
            DatabaseError: Something that only the operator can mend.
        """
        self._check(statement)
        require_query_vector(statement, self._dimensions)

        def work(cursor: pyodbc.Cursor, underway: Underway) -> ResultSet:
            return result(cursor, statement, budget, underway)

        return self._run(work, statement.allowed.sql, budget.seconds, budget.cancellation)

    def compile(self, statement: Statement, cancellation: Cancellation | None = None) -> None:
        """Let the server describe the result of a statement, which it compiles and does not run.

        A server that cannot tell the columns beforehand has found no fault in the statement.

        Raises:
            ExecutionError: The statement cannot be run.
            QueryTimeoutError: Out of time, or cancelled.
            UnavailableError: The database cannot be asked just now.
        """
        self._check(statement)
        sent = describing(statement, self._dimensions)
        self._run(_rows_of(sent), statement.allowed.sql, COMPILE_SECONDS, cancellation)

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
        """What has become of the connections so far."""
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
        try:
            return self._runner.run(work, seconds=seconds, cancellation=cancellation)
        except import_pyodbc().Error as error:
            raise self._failures.explained(error, sql) from error


def open_mssql(
    contract: Contract,
    connector: Connector,
    *,
    space: VectorSpace,
    size: int = SIZE,
    approximate: bool = False,
    start_seconds: float = START_SECONDS,
) -> MssqlEngine:
    """Open a database; a paused one is waited for.

    Args:
        contract: The contract to serve.
        connector: Opens connections, as the principal that only reads.
        space: Where the query's vectors are from.
        size: Most connections at once.
        approximate: Whether searches by meaning go through a vector index where one fits.
        start_seconds: How long to wait for a database that is paused or moving.

    Raises:
        DatabaseError: It cannot be reached, or is not as it must be.
        GraphError: It holds another contract's graph, or half of one.
    """
    runner = Runner(connector.open, size=size)
    try:
        read = reader(runner, contract, starting_patience, start_seconds)
        description = described(read, contract, space, approximate=approximate)
        return MssqlEngine(contract, runner, description)
    except BaseException:
        runner.close()
        raise


def reader(
    runner: Runner,
    contract: Contract,
    patience: Callable[[], Patience] = Patience,
    seconds: float = READ_SECONDS,
) -> Read:
    """Return what runs queries of ours, and raises DatabaseError where they fail."""
    failures = Failures(contract)

    def read(sql: str) -> list[Row]:
        try:
            return runner.run(_rows_of(Batch(sql)), seconds=seconds, patience=patience())
        except import_pyodbc().Error as error:
            failure = failures.explained(error, sql)
            raise DatabaseError(failure.message, hint=failure.hint) from error
        except (UnavailableError, QueryTimeoutError) as failure:
            raise DatabaseError(failure.message, hint=failure.hint) from failure

    return read


def _rows_of(sent: Batch) -> Work[list[tuple[Any, ...]]]:
    def work(cursor: pyodbc.Cursor, underway: Underway) -> list[tuple[Any, ...]]:
        return list(execute(cursor, sent, underway))

    return work
