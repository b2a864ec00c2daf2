"""Aggregates along paths: computed for all paths of a pattern at once, in a derived table."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from moviegraph.engines.translation.aggregates import AGGREGATES, ordered_string_agg
from moviegraph.engines.translation.calls import Call
from moviegraph.engines.translation.nodes import Node, call, column, stored_table, table
from moviegraph.engines.translation.plan import AlongNeed, Needs, Passed

STEPS = "__w"


@dataclass(frozen=True, slots=True)
class Member:
    """A FOR PATH alias: the paths that it lies along, and where in their repeated unit.

    Attributes:
        alias: The alias.
        table: Its table.
        paths: The alias of the side table of the paths.
        side: The name of that side table.
        passed: Which nodes or edges of the unit it stands for.
        final: Whether the paths end at it.
    """

    alias: str
    table: str
    paths: str
    side: str
    passed: Passed
    final: bool

    @property
    def source(self) -> exp.Table:
        """Its table, under its alias."""
        return stored_table(self.table, self.alias)

    @property
    def joined(self) -> Node:
        """The condition that its row is the one passed at a step."""
        key = "$edge_id" if self.passed.edges else "$node_id"
        return exp.EQ(this=column(self.alias, key), expression=column(STEPS, self.passed.column))


@dataclass(slots=True)
class PathAggregates:
    """The aggregates along the paths of one side table, in one SELECT."""

    paths: str
    side: str
    members: dict[str, Member] = field(default_factory=dict[str, Member])
    values: list[Node] = field(default_factory=list[Node])

    @property
    def name(self) -> str:
        """The alias of the derived table."""
        return f"{self.paths}_along"

    def value(self, given: Call, members: Sequence[Member]) -> exp.Column:
        """Add an aggregate, and return the column that holds it."""
        self.members.update({member.alias.lower(): member for member in members})
        self.values.append(_aggregate(given))
        return column(self.name, f"a{len(self.values) - 1}")

    def source(self, needs: Needs) -> exp.Subquery:
        """Return the derived table: a row for each path."""
        made = _along(self.side, list(self.members.values()), needs)
        values = [
            exp.alias_(value, f"a{number}", quoted=True) for number, value in enumerate(self.values)
        ]
        made.set("expressions", [column(STEPS, "path"), *values])
        made.set("group", exp.Group(expressions=[column(STEPS, "path")]))
        alias = exp.TableAlias(this=exp.Identifier(this=self.name, quoted=True))
        return exp.Subquery(this=made, alias=alias)

    def joined(self) -> Node:
        """Return the condition that joins it to the paths."""
        return exp.EQ(this=column(self.name, "path"), expression=column(self.paths, "path"))


def looked_up(given: Call, members: Sequence[Member], needs: Needs) -> exp.Subquery:
    """Return an aggregate that also looks at columns beside the path, for one path at a time."""
    first = members[0]
    made = _along(first.side, members, needs)
    same = exp.EQ(this=column(STEPS, "path"), expression=column(first.paths, "path"))
    made.set("expressions", [_aggregate(given)])
    made.set("where", exp.Where(this=exp.and_(made.args["where"].this, same, copy=False)))
    return exp.Subquery(this=made)


def _along(side: str, members: Sequence[Member], needs: Needs) -> exp.Select:
    passed = sorted({member.passed for member in members}, key=lambda each: each.column)
    need = AlongNeed(side, tuple(passed))
    return exp.Select(
        from_=exp.From(this=table(needs.name(need), STEPS)),
        joins=[exp.Join(this=member.source) for member in members],
        where=exp.Where(this=exp.and_(*(member.joined for member in members), copy=False)),
    )


def _aggregate(given: Call) -> Node:
    position = column(STEPS, "position")
    if given.name == "LAST_VALUE":
        return call("arg_max_null", given[0], position)
    if given.name == "STRING_AGG":
        return ordered_string_agg(given, exp.Order(expressions=[exp.Ordered(this=position)]))
    return AGGREGATES[given.name](given, lambda core: core)
