"""How statements of the server's own are decided: once a shape, whatever their values are."""

from collections.abc import Callable
from itertools import count

from moviegraph.cache import Cache
from moviegraph.sql.decision import Allowed, Decision
from moviegraph.sql.guard import Where
from moviegraph.sql.shapes import Value, taken_apart
from moviegraph.sql.template import Judge, Template, template_of

TRIES = "tries"


class Met:
    """A shape that was met: judged with marks at its second statement, for that and later ones.

    The sample is its first statement, judged by itself, with its values.
    """

    def __init__(self) -> None:
        self.sample: tuple[Allowed, tuple[Value, ...]] | None = None
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
    sample = met.sample
    if met.template is None and sample is not None and values != sample[1]:
        # Kept beside, so that where nothing may be worked out the one try is not spent.
        tries: count[int] = shapes.get((TRIES, shape, where), lambda: count(1))
        if next(tries) == 1:
            met.template = template_of(shape, sample[1], sample[0], judge, where)
    filled = met.template.filled(values) if met.template else None
    if filled is not None:
        return filled
    decision = whole()
    if met.sample is None and isinstance(decision, Allowed):
        met.sample = (decision, values)
    return decision
