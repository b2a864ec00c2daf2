"""A judged tree that is kept until it is asked for, as planning does once for each statement."""

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from moviegraph.sql.decision import Allowed, Decision


class GivenOnce:
    """The tree of a decision that is remembered: given away once, then judged anew.

    It takes a hundred times the memory of its text, and its many objects the time of whoever
    looks for garbage among them.

    Args:
        allowed: The decision.
        judge: Decides on the same statement again.
    """

    def __init__(self, allowed: Allowed, judge: Callable[[], Decision]) -> None:
        self._sql = allowed.sql
        self._held: exp.Query | None = allowed.tree
        self._judge = judge

    def tree(self) -> exp.Query:
        """Return the tree."""
        held, self._held = self._held, None
        return self._judged() if held is None else held

    def _judged(self) -> exp.Query:
        decision = self._judge()
        if not isinstance(decision, Allowed) or decision.sql != self._sql:
            raise AssertionError("A statement was judged otherwise the second time.")
        return decision.tree


def light(allowed: Allowed, judge: Callable[[], Decision]) -> Allowed:
    """Return a decision to remember."""
    return replace(allowed, judged=GivenOnce(allowed, judge))
