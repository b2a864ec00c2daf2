"""The text of a statement as an operator's traces may hold it."""

from moviegraph.repair.tokens import split
from moviegraph.sql.decision import RefusalError

LONGEST = 2_000


def spoken(sql: str, *, whole: bool) -> str | None:
    """Return a judged text, literals as `?` unless it may be told whole; None if unreadable."""
    if whole:
        return sql[:LONGEST]
    try:
        tokens = split(sql)
    except RefusalError:
        return None
    literal = ("string", "number")
    return " ".join("?" if each.kind in literal else each.text for each in tokens)[:LONGEST]
