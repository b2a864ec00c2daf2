"""How a fact is read from a server: one of our own queries in, its rows out."""

from collections.abc import Callable
from typing import Any

from moviegraph.errors import MoviegraphError

Row = tuple[Any, ...]
NO_CONNECTION = "no_connection"
Read = Callable[[str], list[Row]]


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
