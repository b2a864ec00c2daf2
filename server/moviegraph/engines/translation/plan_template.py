"""A plan for every statement of one shape: made once with marks, filled with values later."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from moviegraph.engines.translation.plan import DistanceNeed, Plan
from moviegraph.sql.conditions import Condition
from moviegraph.sql.contains import parse_contains
from moviegraph.sql.decision import Allowed
from moviegraph.sql.shapes import Cut, Value, cut, holds
from moviegraph.sql.template import Template


@dataclass(frozen=True, slots=True, eq=False)
class PlanTemplate:
    """A plan with marks.

    Attributes:
        marks: The marks.
        plan: The plan that holds them.
        texts: What it asks the database, cut at the marks.
        conditions: What each mark that is a text would search for.
        held: The numbers of the needs that hold a mark.
    """

    marks: tuple[Value, ...]
    plan: Plan
    texts: Mapping[str, Cut]
    conditions: tuple[tuple[Condition, int], ...]
    held: frozenset[int]

    def filled(self, values: Sequence[Value]) -> Plan:
        """Return the plan with values in the place of the marks."""
        written = [value.plain() for value in values]
        needs = tuple(
            (name, self._part(need, values, written) if at in self.held else need)
            for at, (name, need) in enumerate(self.plan.needs)
        )
        return replace(self.plan, sql=self.texts[self.plan.sql].filled(written), needs=needs)

    def _part(self, part: Any, values: Sequence[Value], written: Sequence[str]) -> Any:
        """Return a need, or a part of one, with values."""
        if isinstance(part, str):
            if part in self.texts:
                return self.texts[part].filled(written)
            known = zip(self.marks, values, strict=True)
            return next((v.content for mark, v in known if mark.content == part), part)
        if isinstance(part, tuple):
            return self._parts(cast("tuple[Any, ...]", part), values, written)
        for condition, at in self.conditions:
            if part == condition:
                return parse_contains(str(values[at].content))
        if not is_dataclass(part) or isinstance(part, type):
            return part
        named = {each.name: getattr(part, each.name) for each in fields(part)}
        changes = {name: self._part(each, values, written) for name, each in named.items()}
        return replace(part, **changes)

    def _parts(
        self, parts: tuple[Any, ...], values: Sequence[Value], written: Sequence[str]
    ) -> tuple[Any, ...]:
        """Return a tuple with values; one of ids is a set in order, of one list or several."""
        if not parts or not all(isinstance(each, int) for each in parts):
            return tuple(self._part(each, values, written) for each in parts)
        left, found = set(parts), set[int]()
        for mark, value in zip(self.marks, values, strict=True):
            ids = _ids(mark)
            if ids and ids <= left:
                left -= ids
                found |= _ids(value)
        return tuple(sorted(left | found)) if found else parts


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
    texts_at = [at for at, mark in enumerate(marks) if mark.is_text]
    conditions = tuple((parse_contains(str(marks[at].content)), at) for at in texts_at)
    held = frozenset(at for at, each in enumerate(plan.needs) if holds(repr(each), marks))
    made = PlanTemplate(marks, plan, known, conditions, held)
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


def _ids(value: Value) -> set[int]:
    return set() if isinstance(value.content, str) else set(value.content)
