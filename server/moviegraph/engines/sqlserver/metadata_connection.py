"""The connection for internal queries: at start, in `moviegraph check` and `moviegraph init`."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from moviegraph.engines.sqlserver.diagnostics import (
    PASSING,
    is_lost,
    numbers,
    primary,
    redact,
    startup_policy,
)
from moviegraph.engines.sqlserver.error_translation import NO_CONNECTION, login_failure
from moviegraph.engines.sqlserver.odbc_driver import import_pyodbc
from moviegraph.errors import DatabaseError, MoviegraphError

if TYPE_CHECKING:
    import pyodbc

    from moviegraph.engines.sqlserver.connection import Connector


Row = tuple[Any, ...]
Read = Callable[[str], list[Row]]


def first_result_rows(connection: pyodbc.Connection, sql: str, *parameters: Any) -> list[Row]:
    """Return the rows of the first result; the others are drained, as they may contain errors."""
    with closing(connection.cursor()) as cursor:  # its own context would commit
        cursor.execute(sql, *parameters)
        while not cursor.description and cursor.nextset():
            pass
        rows = [tuple(row) for row in cursor.fetchall()] if cursor.description else []
        while cursor.nextset():
            pass
    return rows


def rows_or_none(read: Read, query: str) -> list[Row] | None:
    """Return the rows of a query, or None where the server does not answer it.

    Raises:
        MoviegraphError: There is no connection, so that nothing is known.
    """
    try:
        return read(query)
    except MoviegraphError as error:
        if error.code == NO_CONNECTION:
            raise
        return None


WAKING_SECONDS = 90.0
QUESTION_SECONDS = 30
SLICE = 0.5
Waiting = Callable[[str], None]


class MetadataConnection:
    """Sends internal queries over one connection, which is opened again when it is lost.

    Args:
        connector: Opens the connection.
        name: The variable of the connection string, for messages.
        waiting: Called while a paused database wakes up; raises to give up.
        seconds: Maximum time to wait for a database that wakes up; by default WAKING_SECONDS.
    """

    def __init__(
        self,
        connector: Connector,
        name: str,
        *,
        waiting: Waiting = lambda _: None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self._connector = connector
        self._name = name
        self._waiting = waiting
        self._seconds = WAKING_SECONDS if seconds is None else seconds
        self._clock = clock
        self._pause = pause
        self._connection: pyodbc.Connection | None = None

    def connect(self) -> None:
        """Open the connection, unless it is open; a paused database is waited for.

        Raises:
            SettingsError: The settings do not specify how to connect.
            DatabaseError: There is no connection; the message names the reason and the fix.
        """
        if self._connection is not None:
            return
        pyodbc = import_pyodbc()
        policy, end = startup_policy(), self._clock() + self._seconds
        while self._connection is None:
            try:
                self._connection = self._connector.open()
            except pyodbc.Error as error:
                wait = policy.at_login(error) if numbers(error) & PASSING else None
                if wait is None or self._clock() + wait > end:
                    raise login_failure(error, self._name) from error
                self._sleep(wait)
        with suppress(pyodbc.Error):  # not every driver knows it
            self._connection.timeout = QUESTION_SECONDS

    def read(self, sql: str) -> list[Row]:
        """Return the rows of a query. Raises DatabaseError."""
        self.connect()
        assert self._connection is not None
        try:
            rows = first_result_rows(self._connection, sql)
            self._connection.rollback()
            return rows
        except import_pyodbc().Error as error:
            self._reset(self._connection, error)
            record = primary(error)
            if is_lost(error) or record is None:
                raise login_failure(error, self._name) from error
            raise DatabaseError(
                f"The server refused a query: {redact(record.text)} ({record.number})",
                hint="Look up this number in Microsoft's list of errors.",
            ) from error

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(import_pyodbc().Error):
                connection.close()

    def _reset(self, connection: pyodbc.Connection, error: Exception) -> None:
        """Leave the connection as it was before, or leave it."""
        try:
            connection.rollback()
        except import_pyodbc().Error:
            self.close()
        if is_lost(error):
            self.close()

    def _sleep(self, seconds: float) -> None:
        end = self._clock() + seconds
        while (left := end - self._clock()) > 0:
            self._waiting("waiting for the database to wake up")
            self._pause(min(left, SLICE))
