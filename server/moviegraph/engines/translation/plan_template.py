"""A plan for every statement of one shape: made once with marks, filled with values later."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moviegraph.engines.translation.plan import (
    DistanceNeed,
    EdgeNeed,
    Need,
    Plan,
    SearchNeed,
)
from moviegraph.sql.contains import parse_contains
from moviegraph.sql.decision import Allowed
from moviegraph.sql.shapes import Cut, Value, cut, holds
from moviegraph.sql.template import Template


@dataclass(frozen=True, slots=True, eq=False)
class PlanTemplate:
    """A plan with marks; `texts` holds what it asks the database, cut at them."""

    marks: tuple[Value, ...]
    plan: Plan
    texts: Mapping[str, Cut]

    def filled(self, values: Sequence[Value]) -> Plan:
        """Return the plan with values in the place of the marks."""
        written = [value.plain() for value in values]
        needs = tuple((name, self._need(need, values, written)) for name, need in self.plan.needs)
        return replace(self.plan, sql=self.texts[self.plan.sql].filled(written), needs=needs)

    def _need(self, need: Need, values: Sequence[Value], written: Sequence[str]) -> Need:
        if isinstance(need, SearchNeed):
            return self._search(need, values)
        if isinstance(need, EdgeNeed):
            known = zip(self.marks, values, strict=True)
            keys = (_keys(value) for mark, value in known if need.keys and _keys(mark) == need.keys)
            return replace(need, keys=next(keys, need.keys))
        if isinstance(need, DistanceNeed) and need.among is not None:
            sql = self.texts[need.among.sql].filled(written)
            return replace(need, among=replace(need.among, sql=sql))
        return need

    def _search(self, need: SearchNeed, values: Sequence[Value]) -> SearchNeed:
        for mark, value in zip(self.marks, values, strict=True):
            if not mark.is_text:
                continue
            marked, text = str(mark.content), str(value.content)
            if need.freetext == marked:
                return replace(need, freetext=text)
            if need.condition is not None and need.condition == parse_contains(marked):
                return replace(need, condition=parse_contains(text))
        return need


def plan_template(template: Template, translated: Callable[[Allowed], Plan]) -> PlanTemplate | None:
    """Make the template of a plan; None where it cannot stand for all statements of the shape.

    With the values of the sample it must come to the plan of the sample: no mark is left in it.
    """
    marks, plan = template.marks, translated(template.allowed)
    whole, values = translated(template.sample[0]), template.sample[1]
    written = [mark.plain() for mark in marks]
    texts = {sql: cut(sql, written, marks) for sql in _asked(plan)}
    known = {sql: found for sql, found in texts.items() if found is not None}
    if len(known) < len(texts):
        return None
    made = PlanTemplate(marks, plan, known)
    return made if _stands(made, marks) and made.filled(values) == whole else None


def _stands(made: PlanTemplate, marks: Sequence[Value]) -> bool:
    """Whether every mark is to be found: one that is not may have been reckoned with."""
    slots = {slot for each in made.texts.values() for slot in each.slots}
    needs = repr(made.plan.needs)
    return all(at in slots or holds(needs, [mark]) for at, mark in enumerate(marks))


def _asked(plan: Plan) -> Iterator[str]:
    """Yield what a plan asks the database: itself, and what its sides need before."""
    yield plan.sql
    for _, need in plan.needs:
        if isinstance(need, DistanceNeed) and need.among is not None:
            yield need.among.sql


def _keys(value: Value) -> tuple[int, ...]:
    """Return the ids of a list as they stand in a need, or nothing for another value."""
    ids = value.content
    return () if isinstance(ids, str) else tuple(sorted(set(ids)))
