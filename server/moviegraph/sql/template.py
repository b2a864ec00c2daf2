"""A decision for every statement of one shape: judged once with marks, filled with values later."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlglot import exp

from moviegraph.sql.checks import MAX_ITEMS
from moviegraph.sql.decision import Allowed, Decision
from moviegraph.sql.functions import FULLTEXT
from moviegraph.sql.gate import MAX_CHARACTERS, MAX_TOKENS, admit
from moviegraph.sql.given_once import light
from moviegraph.sql.guard import Where
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.search_texts import check_search_text, notes_on, searched
from moviegraph.sql.shapes import IDS, Cut, Shape, Value, cut, holds
from moviegraph.sql.walk import nodes

Judge = Callable[[str], Decision]
MARKED = 2
"""The length of a list of marks."""

MULTIPLIED = 100
"""The length of lists that are tried where they multiply."""


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """What was decided of a shape.

    Attributes:
        marks: The values that it was judged with, which stand nowhere else in it.
        allowed: The decision on them.
        text: Its T-SQL, cut at the marks.
        notes: Its notes, but for those on what is searched for.
        searches: Function and text of each full-text call; a text may be a mark.
        tokens: How many tokens it has.
        longest: The length of the longest lists that it was judged for.
        sample: A statement of the shape, judged by itself, with its values.
    """

    marks: tuple[Value, ...]
    allowed: Allowed
    text: Cut
    notes: tuple[str, ...]
    searches: tuple[tuple[str, str], ...]
    tokens: int
    longest: int
    sample: tuple[Allowed, tuple[Value, ...]]

    def filled(self, values: Sequence[Value]) -> Allowed | None:
        """Return the decision on values; None where they are to be judged by themselves."""
        if any(value.kind == IDS and len(value.content) > self.longest for value in values):
            return None
        sql = self.text.filled([value.sql() for value in values])
        if len(sql) > MAX_CHARACTERS or self._tokens(values) > MAX_TOKENS:
            return None
        given = {str(m.content): str(v.content) for m, v in zip(self.marks, values, strict=True)}
        notes: list[str] = []
        for function, text in self.searches:
            wanted = given.get(text, text)
            try:
                check_search_text(function, wanted)
            except RefusalError:
                return None
            notes += notes_on(function, wanted)
        every = (*self.notes, *dict.fromkeys(notes))
        return replace(self.allowed, sql=sql, notes=every, judged=Filled(self, tuple(values)))

    def _tokens(self, values: Sequence[Value]) -> int:
        """Return how many tokens there are at most: each id of a list is one, with a comma."""
        more = [len(values[slot].content) for slot in self.text.slots if values[slot].kind == IDS]
        return self.tokens + 2 * sum(more)


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """A template and the values in place of its marks."""

    template: Template
    values: tuple[Value, ...]

    def tree(self) -> exp.Query:
        """Return the judged tree with the values in the place of the marks."""
        tree = self.template.allowed.tree.copy()
        pairs = list(zip(self.template.marks, self.values, strict=True))
        lists = {str(mark.content[0]): v for mark, v in pairs if mark.kind == IDS}
        single = {mark.bare(): value for mark, value in pairs if mark.kind != IDS}
        for node in nodes(tree):
            if isinstance(node, exp.In) and node.expressions:
                value = lists.get(node.expressions[0].name)
                if value is not None:
                    node.set("expressions", [exp.Literal.number(each) for each in value.content])
            elif isinstance(node, exp.Literal | exp.National) and node.name in single:
                node.set("this", single[node.name].bare())
        return tree


def template_of(
    shape: Shape, values: Sequence[Value], whole: Allowed, judge: Judge, where: Where | None
) -> Template | None:
    """Judge a shape; None where it cannot stand for its statements.

    `whole` is the decision on a statement of this shape, judged by itself: the template must come
    to the same.
    """
    marks = shape.marks()
    fixed = " ".join((*shape.cut.pieces, where.text if where else ""))
    if holds(fixed, marks):
        return None
    marked = shape.cut.filled([mark.sql() for mark in marks])
    allowed = judge(marked)
    if not isinstance(allowed, Allowed):
        return None
    text = cut(allowed.sql, [mark.sql() for mark in marks], marks)
    if text is None:
        return None
    longest = _longest_lists(shape, allowed, judge)
    made = _template(marks, marked, allowed, text, longest, (whole, tuple(values)))
    if not _agree(made.filled(values), whole):
        return None
    return replace(made, allowed=light(allowed, partial(judge, marked)))


def _longest_lists(shape: Shape, allowed: Allowed, judge: Judge) -> int:
    """Return how long lists may be; where they multiply, the guard decides by their length."""
    selects = [each for each in nodes(allowed.tree) if isinstance(each, exp.Select)]
    if not any(each.meta.get("multiplied") for each in selects):
        return MAX_ITEMS
    long = Value(IDS, tuple(range(MULTIPLIED))).sql()
    values = [long if mark.kind == IDS else mark.sql() for mark in shape.marks()]
    judged = judge(shape.cut.filled(values))
    return MULTIPLIED if isinstance(judged, Allowed) else MARKED


def _template(
    marks: tuple[Value, ...],
    marked: str,
    allowed: Allowed,
    text: Cut,
    longest: int,
    sample: tuple[Allowed, tuple[Value, ...]],
) -> Template:
    calls = [each for each in nodes(allowed.tree) if isinstance(each, exp.Anonymous)]
    searches = tuple(searched(each) for each in calls if each.name[2:] in FULLTEXT)
    on_texts = {note for each in searches for note in notes_on(*each)}
    notes = tuple(each for each in allowed.notes if each not in on_texts)
    tokens = max(len(admit(each).tokens) for each in (marked, allowed.sql))
    return Template(marks, allowed, text, notes, searches, tokens, longest, sample)


def _agree(made: Allowed | None, whole: Allowed) -> bool:
    return made is not None and all(
        getattr(made, name) == getattr(whole, name)
        for name in ("sql", "notes", "matches", "outputs", "cap", "capped", "uses_query", "json")
    )
