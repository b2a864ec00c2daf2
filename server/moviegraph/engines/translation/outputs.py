"""What select lists must deliver: one type a column, and no blanks at the end where rows merge."""

from collections.abc import Sequence

from sqlglot import exp

from moviegraph.engines.translation.blanks import trimmed
from moviegraph.engines.translation.conversions import implicit
from moviegraph.engines.translation.nodes import Node
from moviegraph.sql.types import TEXTS, SqlType, sql_type


class Outputs:
    """The demands on the select lists of one statement."""

    def __init__(self) -> None:
        self._wanted: dict[int, tuple[Sequence[SqlType], bool]] = {}

    def want(self, query: Node, kinds: Sequence[SqlType], *, trim: bool) -> None:
        """Demand types of the columns of a query, in all arms of a set operation.

        What the query around it has demanded stays.
        """
        stack = [query]
        while stack:
            here = stack.pop()
            if isinstance(here, exp.SetOperation):
                stack += [here.expression, here.this]
            elif isinstance(here, exp.Subquery):
                stack.append(here.this)
            else:
                known, already = self._wanted.get(id(here), (kinds, False))
                self._wanted[id(here)] = (known, trim or already)

    def shape(self, given: exp.Select, made: exp.Select) -> None:
        """Make a translated select list deliver what is demanded of it, under its names."""
        kinds, trim = self._wanted.get(id(given), ((), False))
        items = list(made.expressions)
        for at, kind in enumerate(kinds):
            items[at] = _delivered(given.expressions[at], items[at], kind, trim=trim)
        for at, item in enumerate(given.expressions):
            if isinstance(item, exp.Column) and not isinstance(items[at], exp.Column):
                items[at] = exp.alias_(items[at], item.name, quoted=True, copy=False)
        made.set("expressions", items)


def _delivered(given: Node, made: Node, kind: SqlType, *, trim: bool) -> Node:
    inner = made.this if isinstance(made, exp.Alias) else made
    inner = implicit(inner, sql_type(given), kind)
    if trim and kind.name in TEXTS:
        inner = trimmed(given, inner)
    if isinstance(made, exp.Alias):
        return exp.Alias(this=inner, alias=made.args["alias"])
    return inner
