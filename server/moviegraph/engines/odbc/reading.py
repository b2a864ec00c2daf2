"""How a fact is read from a server: one of our own queries in, its rows out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from moviegraph.errors import MoviegraphError

if TYPE_CHECKING:
    import pyodbc

Row = tuple[Any, ...]
NO_CONNECTION = "no_connection"
Read = Callable[[str], list[Row]]


def rows_of(connection: pyodbc.Connection, sql: str, *parameters: Any) -> list[Row]:
    """Return the rows of the first result; every other is drained, for errors stand there too."""
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
