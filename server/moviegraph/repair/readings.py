"""A bounded search: which of a few small edits make a text that can be read in one way."""

from collections.abc import Iterable
from itertools import islice

from moviegraph.repair.changes import Edit, apply
from moviegraph.repair.context import RefusedStatement
from moviegraph.sql.decision import Allowed
from moviegraph.sql.guard import judge

MOST_READ = 7
UNREAD = frozenset(
    {"syntax", "not_select", "multiple_statements", "not_allowed", "unsupported", "match_syntax"}
)


def only_reading(statement: RefusedStatement, candidates: Iterable[Edit]) -> Edit | None:
    """Return the one edit with which the text can be read; None where several differ.

    What the guard allows comes before what only names still stand against.
    """
    allowed: dict[str, Edit] = {}
    named: dict[str, Edit] = {}
    for edit in islice(candidates, MOST_READ + 1):
        text = apply(statement.sql, (edit,))
        decision = judge(text, statement.contract)
        if isinstance(decision, Allowed):
            allowed.setdefault(decision.sql, edit)
        elif decision.code not in UNREAD:
            named[text] = edit
    found = allowed or named
    return next(iter(found.values())) if len(found) == 1 else None


def first_reading(statement: RefusedStatement, candidates: Iterable[Edit]) -> Edit | None:
    """Return the first edit whose text the guard allows; else the only one that names resist."""
    named: list[Edit] = []
    for edit in islice(candidates, MOST_READ):
        decision = judge(apply(statement.sql, (edit,)), statement.contract)
        if isinstance(decision, Allowed):
            return edit
        if decision.code not in UNREAD:
            named.append(edit)
    return named[0] if len(named) == 1 else None
