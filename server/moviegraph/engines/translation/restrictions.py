"""Queries for the nodes at which paths can start or end, from the conditions around them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from moviegraph.engines.translation.aggregates import AGGREGATES
from moviegraph.engines.translation.hops import (
    EdgeEnd,
    edge_ends,
    is_match,
    is_plain,
    match_of,
    sources_of,
    where_of,
)
from moviegraph.engines.translation.nodes import Node, column
from moviegraph.sql.match_patterns import Match

Translate = Callable[[Node], Node]
SHAPERS = ("limit", "offset", "group", "having", "qualify")
NO_VALUES = (exp.Subquery, exp.Select, exp.Window, exp.Star)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition and the sources it is about; `joins` says that it is an equality of them."""

    aliases: frozenset[str]
    joins: bool
    make: Callable[[], Node]


class Restrictions:
    """The conditions of one SELECT, and of the SELECT around it on its columns.

    What they leave out of a FROM only makes the answer larger: the statement itself still holds
    every condition.
    """

    def __init__(
        self,
        select: exp.Select,
        around: exp.Select | None,
        matches: tuple[Match, ...],
        translate: Translate,
        condition: Translate,
    ) -> None:
        self._select = select
        self._matches = matches
        self._translate = translate
        self._translated = condition
        self._sources = {
            item.this.alias_or_name.lower(): item.this
            for item in sources_of(select)
            if is_plain(item) and not self._holds_path(item.this)
        }
        self._conditions = list(self._own())
        if around is not None:
            self._conditions += self._around(around)

    def query(self, alias: str) -> exp.Select | None:
        """Return a query for the $node_id of an alias, or None where nothing restricts it."""
        group = {alias.lower()}
        grown = True
        while grown:
            touching = [c for c in self._conditions if c.joins and c.aliases & group]
            wider = group.union(*(c.aliases for c in touching if c.aliases <= self._sources.keys()))
            grown, group = wider != group, wider
        kept = [c.make() for c in self._conditions if c.aliases and c.aliases <= group]
        if not kept or not group <= self._sources.keys():
            return None
        first, *rest = (self._translate(self._sources[name]) for name in sorted(group))
        return exp.Select(
            distinct=exp.Distinct() if rest else None,
            expressions=[column(self._sources[alias.lower()].alias_or_name, "$node_id")],
            from_=exp.From(this=first),
            joins=[exp.Join(this=each) for each in rest],
            where=exp.Where(this=exp.and_(*kept, copy=False)),
        )

    def _own(self) -> Iterator[Condition]:
        for part in where_of(self._select):
            if is_match(part):
                for chain in match_of(part, self._matches).chains:
                    yield from (self._hop(end) for end in edge_ends(chain))
            else:
                yield from self._condition(part)

    def _holds_path(self, node: Node) -> bool:
        """Whether a SHORTEST_PATH stands inside: translating it again and again would not end."""
        calls = [each for each in node.find_all(exp.Anonymous) if is_match(each)]
        return any(match_of(each, self._matches).paths for each in calls)

    def _hop(self, end: EdgeEnd) -> Condition:
        def make() -> Node:
            source = self._sources[end.node.lower()]
            return end.equals(column(source.alias_or_name, "$node_id"))

        return Condition(frozenset((end.edge.lower(), end.node.lower())), True, make)

    def _condition(self, part: Node) -> Iterator[Condition]:
        aliases: set[str] = set()
        if part.find(exp.Star) or self._holds_path(part):
            return
        for each in part.find_all(exp.Column):
            alias = _alias(each)
            owner = _owner(each, alias, self._select)
            if owner is None or not alias:
                return
            if owner is self._select:
                aliases.add(alias)
        joins = isinstance(part, exp.EQ)
        yield Condition(frozenset(aliases), joins, partial(self._translated, part))

    def _around(self, around: exp.Select) -> Iterator[Condition]:
        """Yield the conditions of the SELECT around on columns that this one passes on."""
        name = _name_in(around, self._select)
        if name is None or any(self._select.args.get(each) for each in SHAPERS):
            return
        if self._select.find(exp.Window):
            return
        given = {each.alias_or_name.lower(): each.unalias() for each in self._select.expressions}
        for part in where_of(around):
            columns = list(part.find_all(exp.Column))
            if part.find(*NO_VALUES) or any(_alias(each) != name for each in columns):
                continue
            values = [_value(given.get(each.name.lower())) for each in columns]
            if columns and all(value is not None for value in values):
                yield from self._inside(part, values)

    def _inside(self, part: Node, values: list[Node | None]) -> Iterator[Condition]:
        """Yield a condition of the SELECT around with the inner values in place of its columns."""
        inner = exp.Paren(this=part.copy())
        for found, value in zip(list(inner.find_all(exp.Column)), values, strict=True):
            assert value is not None
            plain = isinstance(value, exp.Column)
            found.replace(value.copy() if plain else exp.Paren(this=value.copy()))
        owned = [_alias(each) for value in values if value for each in value.find_all(exp.Column)]
        if owned and all(alias in self._sources for alias in owned):
            make = partial(self._translated, inner)
            yield Condition(frozenset(owned), False, make)


def _alias(each: exp.Column) -> str:
    return str(each.meta.get("alias") or each.table or "").lower()


def _owner(node: Node, alias: str, top: exp.Select) -> exp.Select | None:
    """Return the SELECT whose FROM holds an alias, from a column upwards to `top`."""
    select = node.find_ancestor(exp.Select)
    while isinstance(select, exp.Select):
        if any(item.this.alias_or_name.lower() == alias for item in sources_of(select)):
            return select
        if select is top:
            return None
        select = select.find_ancestor(exp.Select)
    return None


def _name_in(around: exp.Select, select: exp.Select) -> str | None:
    """Return the alias under which one SELECT reads another, once and without an outer join."""
    items = sources_of(around)
    holder = select.parent
    alias = holder.args.get("alias") if holder is not None else None
    renamed = isinstance(alias, exp.TableAlias) and alias.args.get("columns")
    if renamed or any(item.args.get("side") for item in items):
        return None
    if isinstance(select.parent, exp.Subquery):
        found = [item.this for item in items if item.this is select.parent]
    elif isinstance(select.parent, exp.CTE):
        name = select.parent.alias.lower()
        readers = [t for t in around.find_all(exp.Table) if not t.args.get("db")]
        found = [t for t in readers if t.name.lower() == name]
        if len(found) != 1 or all(item.this is not found[0] for item in items):
            return None
    else:
        return None
    return found[0].alias_or_name.lower() if found else None


def _value(given: Node | None) -> Node | None:
    """Return what a column stands for in the path itself: a plain value, or that of its last node.

    Both are one value a path, which a condition on the end or the start may look at.
    """
    if given is None:
        return None
    if isinstance(given, exp.WithinGroup):
        inner = given.this
        return inner.expressions[0] if inner.name == "__LAST_VALUE" else None
    calls = given.find_all(exp.Anonymous)
    if given.find(*NO_VALUES) or any(each.name[2:] in AGGREGATES for each in calls):
        return None
    return None if given.find(exp.WithinGroup) else given
