"""How statements of the server's own are decided: once a shape, whatever their values are."""

from collections.abc import Callable
from itertools import count

from moviegraph.cache import Cache
from moviegraph.sql.decision import Allowed, Decision
from moviegraph.sql.guard import Where
from moviegraph.sql.shapes import taken_apart
from moviegraph.sql.template import Judge, Template, template_of


class Met:
    """A shape that was met: from its second statement on it has a template, if it can have one."""

    def __init__(self) -> None:
        self.times = count(1)
        self.template: Template | None = None


def decided(
    shapes: Cache, sql: str, where: Where | None, judge: Judge, whole: Callable[[], Decision]
) -> Decision:
    """Decide on a statement of ours, as judging it by itself would.

    Args:
        shapes: What is known of shapes judged by `judge`, by shape and condition.
        sql: The statement.
        where: The condition that is placed in it.
        judge: Judges a statement.
        whole: Judges or remembers this one.
    """
    shape, values = taken_apart(sql)
    if not values:
        return whole()
    met = shapes.get((shape, where), Met)
    filled = met.template.filled(values) if met.template else None
    if filled is not None:
        return filled
    decision = whole()
    if next(met.times) == 2 and isinstance(decision, Allowed):
        met.template = template_of(shape, values, decision, judge, where)
    return decision
