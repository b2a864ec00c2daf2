"""Edges and nodes that a MATCH joins, and the conditions that restrict its endpoints."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeGuard

from sqlglot import exp

from moviegraph.engines.duckdb.aggregates import AGGREGATES
from moviegraph.engines.duckdb.expressions import Node, column
from moviegraph.sql.match_patterns import Chain, Match
from moviegraph.sql.syntax_tree import annotations, conjuncts


@dataclass(frozen=True, slots=True)
class EdgeEnd:
    """One end of one hop: an edge alias, its column, and the node alias there."""

    edge: str
    column: str
    node: str
    last: bool

    def equals(self, node_id: exp.Column) -> Node:
        """Return the condition that the edge ends at this node."""
        return exp.EQ(this=column(self.edge, self.column), expression=node_id)


def edge_ends(chain: Chain) -> Iterator[EdgeEnd]:
    """Yield both ends of every hop of a chain, the start of the edge first."""
    node = (chain.start, chain.last)
    for step in chain.steps:
        there = (step.node, step.last)
        source, target = (node, there) if step.forward else (there, node)
        yield EdgeEnd(step.edge, "$from_id", *source)
        yield EdgeEnd(step.edge, "$to_id", *target)
        node = there


def match_of(call: exp.Anonymous, matches: tuple[Match, ...]) -> Match:
    """Return the patterns of a call of __MATCH."""
    return matches[int(call.expressions[0].name)]


def where_of(select: exp.Select) -> list[Node]:
    """Return the conditions that the WHERE of a SELECT joins by AND."""
    where = select.args.get("where")
    return conjuncts(where.this) if where is not None else []


def is_match(node: Node) -> TypeGuard[exp.Anonymous]:
    """Return whether a node is a MATCH."""
    return isinstance(node, exp.Anonymous) and node.name == "__MATCH"


def matches_of(select: exp.Select, matches: tuple[Match, ...]) -> list[Match]:
    """Return every MATCH of the WHERE of a SELECT."""
    return [match_of(part, matches) for part in where_of(select) if is_match(part)]


def sources_of(select: exp.Select) -> list[exp.Join | exp.From]:
    """Return the items of FROM."""
    first = select.args.get("from_")
    joins: list[exp.Join] = select.args.get("joins") or []
    return [*([first] if first is not None else []), *joins]


def is_plain_source(item: exp.Join | exp.From) -> bool:
    """Return whether a source is listed between commas and is no join."""
    is_join = any(item.args.get(part) for part in ("side", "kind", "on", "method", "using"))
    nested = item.this.args.get("joins") or item.this.args.get("pivots")
    return not is_join and not nested and isinstance(item.this, exp.Table | exp.Subquery)


Translate = Callable[[Node], Node]
SHAPERS = ("limit", "offset", "group", "having", "qualify")
NO_VALUES = (exp.Subquery, exp.Select, exp.Window, exp.Star)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition and the sources it is about; `joins` is whether it is an equality of them."""

    aliases: frozenset[str]
    joins: bool
    make: Callable[[], Node]


class Restrictions:
    """The conditions of one SELECT, and of the SELECT around it on its columns.

    Omitting a part of a FROM only adds rows: the statement itself still has
    every condition.
    """

    def __init__(
        self,
        select: exp.Select,
        outer: exp.Select | None,
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
            if is_plain_source(item) and not self._holds_path(item.this)
        }
        self._conditions = list(self._own())
        if outer is not None:
            self._conditions += self._around(outer)

    def query(self, alias: str) -> exp.Select | None:
        """Return a query for the $node_id of an alias, or None where nothing restricts it."""
        group = {alias.lower()}
        grown = True
        while grown:
            touching = [c for c in self._conditions if c.joins and c.aliases & group]
            wider = group.union(*(c.aliases for c in touching if c.aliases <= self._sources.keys()))
            grown, group = wider != group, wider
        conditions = [c.make() for c in self._conditions if c.aliases and c.aliases <= group]
        if not conditions or not group <= self._sources.keys():
            return None
        first, *remaining = (self._translate(self._sources[name]) for name in sorted(group))
        return exp.Select(
            distinct=exp.Distinct() if remaining else None,
            expressions=[column(self._sources[alias.lower()].alias_or_name, "$node_id")],
            from_=exp.From(this=first),
            joins=[exp.Join(this=argument) for argument in remaining],
            where=exp.Where(this=exp.and_(*conditions, copy=False)),
        )

    def _own(self) -> Iterator[Condition]:
        for part in where_of(self._select):
            if is_match(part):
                for chain in match_of(part, self._matches).chains:
                    yield from (self._hop(end) for end in edge_ends(chain))
            else:
                yield from self._condition(part)

    def _holds_path(self, node: Node) -> bool:
        """Return whether a SHORTEST_PATH is inside: translating it repeatedly would not end."""
        calls = [function for function in node.find_all(exp.Anonymous) if is_match(function)]
        return any(match_of(call, self._matches).paths for call in calls)

    def _hop(self, end: EdgeEnd) -> Condition:
        def make() -> Node:
            source = self._sources[end.node.lower()]
            return end.equals(column(source.alias_or_name, "$node_id"))

        return Condition(frozenset((end.edge.lower(), end.node.lower())), True, make)

    def _condition(self, part: Node) -> Iterator[Condition]:
        aliases: set[str] = set()
        if part.find(exp.Star) or self._holds_path(part):
            return
        for reference in part.find_all(exp.Column):
            alias = _alias(reference)
            owner = _owner(reference, alias, self._select)
            if owner is None or not alias:
                return
            if owner is self._select:
                aliases.add(alias)
        joins = isinstance(part, exp.EQ)
        yield Condition(frozenset(aliases), joins, partial(self._translated, part))

    def _around(self, outer: exp.Select) -> Iterator[Condition]:
        """Yield the conditions of the SELECT around on columns that this one passes on."""
        name = _name_in(outer, self._select)
        if name is None or any(self._select.args.get(item) for item in SHAPERS):
            return
        if self._select.find(exp.Window):
            return
        outputs = {item.alias_or_name.lower(): item.unalias() for item in self._select.expressions}
        for part in where_of(outer):
            columns = list(part.find_all(exp.Column))
            if part.find(*NO_VALUES) or any(_alias(column) != name for column in columns):
                continue
            values = [_value(outputs.get(column.name.lower())) for column in columns]
            if columns and all(value is not None for value in values):
                yield from self._inside(part, values)

    def _inside(self, part: Node, values: list[Node | None]) -> Iterator[Condition]:
        """Yield a condition of the SELECT around with the inner values in place of its columns."""
        inner = exp.Paren(this=part.copy())
        for column_node, value in zip(list(inner.find_all(exp.Column)), values, strict=True):
            assert value is not None
            plain = isinstance(value, exp.Column)
            column_node.replace(value.copy() if plain else exp.Paren(this=value.copy()))
        owned = [
            _alias(column) for value in values if value for column in value.find_all(exp.Column)
        ]
        if owned and all(alias in self._sources for alias in owned):
            make = partial(self._translated, inner)
            yield Condition(frozenset(owned), False, make)


def _alias(reference: exp.Column) -> str:
    return str(annotations(reference).alias or reference.table or "").lower()


def _owner(node: Node, alias: str, top: exp.Select) -> exp.Select | None:
    """Return the SELECT with an alias in its FROM, from a column upwards to `top`."""
    select = node.find_ancestor(exp.Select)
    while isinstance(select, exp.Select):
        if any(item.this.alias_or_name.lower() == alias for item in sources_of(select)):
            return select
        if select is top:
            return None
        select = select.find_ancestor(exp.Select)
    return None


def _name_in(outer: exp.Select, select: exp.Select) -> str | None:
    """Return the alias of a SELECT in the one around it, if read once and without an outer join."""
    items = sources_of(outer)
    holder = select.parent
    alias = holder.args.get("alias") if holder is not None else None
    renamed = isinstance(alias, exp.TableAlias) and alias.args.get("columns")
    if renamed or any(item.args.get("side") for item in items):
        return None
    if isinstance(select.parent, exp.Subquery):
        readings = [item.this for item in items if item.this is select.parent]
    elif isinstance(select.parent, exp.CTE):
        name = select.parent.alias.lower()
        readers = [t for t in outer.find_all(exp.Table) if not t.args.get("db")]
        readings = [t for t in readers if t.name.lower() == name]
        if len(readings) != 1 or all(item.this is not readings[0] for item in items):
            return None
    else:
        return None
    return readings[0].alias_or_name.lower() if readings else None


def _value(output: Node | None) -> Node | None:
    """Return the value of a column in the path itself: a plain value, or that of its last node.

    Both are one value a path, which a condition on the end or the start may look at.
    """
    if output is None:
        return None
    if isinstance(output, exp.WithinGroup):
        inner = output.this
        return inner.expressions[0] if inner.name == "__LAST_VALUE" else None
    calls = output.find_all(exp.Anonymous)
    if output.find(*NO_VALUES) or any(call.name[2:] in AGGREGATES for call in calls):
        return None
    return None if output.find(exp.WithinGroup) else output
