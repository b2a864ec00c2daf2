"""The one connection of a load: a transaction a batch, tried again where an error passes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from moviegraph.engines.odbc.driver import import_pyodbc
from moviegraph.engines.odbc.load_statements import LOCK
from moviegraph.engines.odbc.login_failures import login_failure
from moviegraph.engines.odbc.messages import neutral, primary, state
from moviegraph.engines.odbc.reading import Row, rows_of
from moviegraph.engines.odbc.transient import (
    CANNOT_OPEN,
    DEADLOCK,
    PASSING,
    TOKEN_EXPIRED,
    is_lost,
    is_unreached,
    numbers,
)
from moviegraph.errors import DatabaseError

if TYPE_CHECKING:
    import pyodbc

# About two minutes in all: a paused or moving database is back within one.
WAITS = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
STATEMENT_SECONDS = 600
LOCK_TIMEOUT = 1222
VARIABLE = "MOVIEGRAPH_MSSQL_LOAD"
# Unlike a reader, a load waits for the locks of others.
SESSION = (
    "SET NOCOUNT ON; SET XACT_ABORT ON; SET LANGUAGE us_english; SET LOCK_TIMEOUT 60000; "
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
)
PASSES = PASSING | {DEADLOCK, TOKEN_EXPIRED, CANNOT_OPEN, LOCK_TIMEOUT}
CURES = {
    208: "Make the tables first: moviegraph ddl --engine mssql writes the script.",
    229: f"Add the principal of {VARIABLE} to the role moviegraph_loader.",
    547: "Another table refers to a row that left the source: remove that reference.",
    1105: "The database is full: enlarge it, and load again.",
    3906: f"The database is read-only: let {VARIABLE} name the writable one.",
    40544: "The database is full: enlarge it, and load again.",
    42231: "A vector index of this server makes its table read-only: drop it, load, make it again.",
}
AGAIN = "What was written stays; load again to go on from there."
Result = TypeVar("Result")
Open = Callable[[], "pyodbc.Connection"]


class _HeldElsewhereError(Exception):
    """Another session holds the lock of loads."""


class Writer:
    """Runs the statements of a load; one load a database, which a lock of its session ensures.

    After an error the connection is opened anew, so that nothing of it lives on. Everything that
    is sent may be sent again, which `load_statements` sees to.

    Args:
        open_one: Opens a connection that does not commit by itself.
        pause: Waits some seconds.
    """

    def __init__(self, open_one: Open, *, pause: Callable[[float], None] = time.sleep) -> None:
        self._open_one = open_one
        self._pause = pause
        self._connection: pyodbc.Connection | None = None
        self._held = False

    def read(self, sql: str, document: str | None = None) -> list[Row]:
        """Return the rows of a statement. Raises DatabaseError."""
        given = () if document is None else (document,)

        def work(connection: pyodbc.Connection) -> list[Row]:
            return _read(connection, sql, *given)

        return self._tried(work)

    def write(self, sql: str, document: str) -> None:
        """Run a batch and commit it. Raises DatabaseError."""

        def work(connection: pyodbc.Connection) -> None:
            rows_of(connection, sql, document)
            connection.commit()

        self._tried(work)

    def close(self) -> None:
        """Close the connection, which lets the lock go."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(import_pyodbc().Error):
                connection.close()

    def _tried(self, work: Callable[[pyodbc.Connection], Result]) -> Result:
        pyodbc, waits = import_pyodbc(), iter(WAITS)
        while True:
            try:
                return work(self._connected())
            except (pyodbc.Error, _HeldElsewhereError) as error:
                is_login = self._connection is None
                self.close()
                wait = next(waits, None)
                if wait is None or not self._passes(error):
                    raise _failure(error, is_login=is_login) from error
                self._pause(wait)

    def _passes(self, error: Exception) -> bool:
        """Whether another try may help; a lock may be that of our own session that was lost."""
        if isinstance(error, _HeldElsewhereError):
            return self._held
        return is_lost(error) or is_unreached(error) or bool(numbers(error) & PASSES)

    def _connected(self) -> pyodbc.Connection:
        if self._connection is None:
            connection = self._connection = self._open_one()
            with suppress(import_pyodbc().Error):  # not every driver knows it
                connection.timeout = STATEMENT_SECONDS
            if _read(connection, LOCK)[0][0] < 0:
                raise _HeldElsewhereError
            self._held = True
        return self._connection


def _read(connection: pyodbc.Connection, sql: str, *parameters: str) -> list[Row]:
    rows = rows_of(connection, sql, *parameters)
    connection.rollback()
    return rows


def _failure(error: Exception, *, is_login: bool) -> DatabaseError:
    if is_login:
        return login_failure(error, VARIABLE)
    if isinstance(error, _HeldElsewhereError):
        return DatabaseError(
            "Another load into this database is under way.",
            hint="Wait until that has ended, and try again.",
        )
    message = primary(error)
    if message is None or is_lost(error):
        return DatabaseError(
            f"The connection to the database failed (state {state(error) or 'unknown'}).",
            hint=f"Check server, port and network. {AGAIN}",
        )
    return DatabaseError(
        f"The database did not do what the load asked: {neutral(message.text)} ({message.number})",
        hint=CURES.get(message.number, AGAIN),
    )
