"""Edges and nodes that a MATCH joins, and the conditions that restrict its endpoints."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TypeGuard

from sqlglot import exp

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.engines.duckdb.aggregates import AGGREGATES
from moviegraph.engines.duckdb.expressions import Node, column, whole_number
from moviegraph.engines.duckdb.plan import EdgeNeed, Needs
from moviegraph.sql.match_patterns import Chain, Match
from moviegraph.sql.syntax_tree import annotations


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
    here = (chain.start, chain.last)
    for step in chain.steps:
        there = (step.node, step.last)
        source, target = (here, there) if step.forward else (there, here)
        yield EdgeEnd(step.edge, "$from_id", *source)
        yield EdgeEnd(step.edge, "$to_id", *target)
        here = there


def match_of(call: exp.Anonymous, matches: tuple[Match, ...]) -> Match:
    """Return the patterns that a call of __MATCH stands for."""
    return matches[int(call.expressions[0].name)]


def conjuncts(condition: Node | None) -> Iterator[Node]:
    """Yield what a condition joins by AND."""
    stack = [] if condition is None else [condition]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Paren):
            stack.append(node.this)
        elif isinstance(node, exp.And):
            stack += [node.args["expression"], node.this]
        else:
            yield node


def where_of(select: exp.Select) -> list[Node]:
    """Return what the WHERE of a SELECT joins by AND."""
    where = select.args.get("where")
    return list(conjuncts(where.this)) if where is not None else []


def is_match(node: Node) -> TypeGuard[exp.Anonymous]:
    """Whether a node stands for MATCH."""
    return isinstance(node, exp.Anonymous) and node.name == "__MATCH"


def matches_of(select: exp.Select, matches: tuple[Match, ...]) -> list[Match]:
    """Return every MATCH of the WHERE of a SELECT."""
    return [match_of(part, matches) for part in where_of(select) if is_match(part)]


def sources_of(select: exp.Select) -> list[exp.Join | exp.From]:
    """Return the items of FROM."""
    first = select.args.get("from_")
    joins: list[exp.Join] = select.args.get("joins") or []
    return [*([first] if first is not None else []), *joins]


def is_plain(item: exp.Join | exp.From) -> bool:
    """Whether a source stands between commas and holds rows of its own."""
    joined = any(item.args.get(part) for part in ("side", "kind", "on", "method", "using"))
    nested = item.this.args.get("joins") or item.this.args.get("pivots")
    return not joined and not nested and isinstance(item.this, exp.Table | exp.Subquery)


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
    return (annotations(each).alias or each.table).lower()


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


COUNTS = ("__COUNT", "__COUNT_BIG")


def spare_nodes(
    select: exp.Select, matches: tuple[Match, ...], contract: Contract
) -> dict[str, exp.Column]:
    """Return the aliases that nothing else reads, each with the edge column that holds its id."""
    items = sources_of(select)
    found = matches_of(select, matches)
    if not found or not all(is_plain(item) for item in items) or _is_starred(select):
        return {}
    read = {_alias(each) for each in select.find_all(exp.Column)}
    read |= {path.start.lower() for match in found for path in match.paths}
    tables = {item.this.alias_or_name.lower(): item.this.name for item in items}
    held: dict[str, exp.Column] = {}
    for match in found:
        for chain in match.chains:
            for end in edge_ends(chain):
                edge = contract.edge(tables[end.edge.lower()])
                certain = edge is not None and len(_tables_at(edge, end)) == 1
                if certain and not end.last and end.node.lower() not in read:
                    held.setdefault(end.node.lower(), column(end.edge, end.column))
    return held


def _tables_at(edge: EdgeTable, end: EdgeEnd) -> set[str]:
    """Return the node tables at which one end of an edge table can be."""
    starts = end.column == "$from_id"
    return {pair.from_table if starts else pair.to_table for pair in edge.pairs}


def _is_starred(select: exp.Select) -> bool:
    """Whether a star may stand for columns of any table, as in CONTAINS(*, 'x')."""
    stars = select.find_all(exp.Star)
    return any(
        not isinstance(star.parent, exp.Anonymous) or star.parent.name not in COUNTS
        for star in stars
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """The nodes that an alias can stand for: keys, or what a side table leads to."""

    keys: tuple[int, ...] = ()
    side: str = ""
    column: str = ""


@dataclass(slots=True)
class NearEdges:
    """Walks from the nodes that are named, edge by edge.

    What is left out could not meet the WHERE, which the statement still holds whole.

    Attributes:
        contract: The contract.
        walked: The edge tables that are large enough.
        needs: The side tables of the statement.
        tables: The plain tables in FROM by alias.
        known: The nodes that are known by alias.
        sides: The side table of each edge alias.
    """

    contract: Contract
    walked: frozenset[str]
    needs: Needs
    tables: dict[str, str] = field(default_factory=dict[str, str])
    known: dict[str, _Known] = field(default_factory=dict[str, _Known])
    sides: dict[str, str] = field(default_factory=dict[str, str])

    def sides_of(self, select: exp.Select, matches: tuple[Match, ...]) -> dict[str, str]:
        """Return the name of the side table that can stand for each edge alias of a SELECT."""
        found = matches_of(select, matches)
        if not found or not self.walked:
            return {}
        self.tables = {
            item.this.alias_or_name.lower(): item.this.name
            for item in sources_of(select)
            if is_plain(item) and isinstance(item.this, exp.Table) and item.this.args.get("db")
        }
        self.known = {alias: _Known(keys) for alias, keys in self._named(select)}
        hops = [
            hop
            for match in found
            for chain in match.chains
            for hop in list(pairwise(edge_ends(chain)))[::2]
        ]
        while hops and self.known:
            left = [hop for hop in hops if not self._walk(*hop)]
            if len(left) == len(hops):
                break
            hops = left
        return self.sides

    def _named(self, select: exp.Select) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the aliases whose keys stand in the WHERE."""
        for part in where_of(select):
            listed = listed_keys(part)
            if listed is None or isinstance(part, exp.NEQ):
                continue
            column, keys = listed
            alias = annotations(column).alias.lower()
            node = self.contract.node(self.tables.get(alias, ""))
            if node is not None and column.name.lower() == node.key.lower():
                yield alias, keys

    def _walk(self, start: EdgeEnd, end: EdgeEnd) -> bool:
        """Walk one hop from an end that is known; say whether there was one."""
        table = self.tables.get(start.edge.lower())
        edge = self.contract.edge(table) if table else None
        if edge is None or len(edge.pairs) > 1 or edge.name not in self.walked:
            return False
        if start.last or end.last:
            return False
        ends = [(start, end), (end, start)]
        ends.sort(key=lambda pair: not self.known.get(pair[0].node.lower(), _Known()).keys)
        for near, far in ends:
            known = self.known.get(near.node.lower())
            if known is not None:
                forward = near is start
                need = EdgeNeed(edge.name, forward, known.keys, known.side, known.column)
                side = self.needs.name(need)
                self.sides[start.edge.lower()] = side
                self.known.setdefault(far.node.lower(), _Known((), side, far.column))
                return True
        return False


def listed_keys(part: Node) -> tuple[exp.Column, tuple[int, ...]] | None:
    """Return column and keys of `column = 1` or `column IN (1, 2)`, and of `column <> 1`."""
    if isinstance(part, exp.EQ | exp.NEQ):
        column, given = part.this.unnest(), [part.expression]
    elif isinstance(part, exp.In) and part.expressions:
        column, given = part.this.unnest(), part.expressions
    else:
        return None
    keys = [whole_number(each) for each in given]
    if not isinstance(column, exp.Column) or annotations(column).outer:
        return None
    whole = tuple(sorted({each for each in keys if each is not None}))
    return (column, whole) if whole and None not in keys else None
