"""How a fact is read from a server: one of our own queries in, its rows out."""

from collections.abc import Callable
from typing import Any

from moviegraph.errors import MoviegraphError

Row = tuple[Any, ...]
Read = Callable[[str], list[Row]]


def rows_or_none(read: Read, query: str) -> list[Row] | None:
    """Return the rows of a query, or None where the server does not answer it."""
    try:
        return read(query)
    except MoviegraphError:
        return None
