"""SELECTs that only count the ways from named nodes to each end: counted in arrays, and not joined.

`SELECT o.Id, COUNT(*) ... WHERE MATCH(m-(a)->t<-(b)-o) AND m.Id = 1 GROUP BY o.Id` makes a row for
each way before it groups. Where nothing else is read, the number of ways is all that is wanted.
"""

from dataclasses import dataclass, field
from itertools import pairwise

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.engines.duckdb.aggregates import APART, ONLY
from moviegraph.engines.duckdb.aggregates import is_plain as is_plain_top
from moviegraph.engines.duckdb.expressions import Node, column, table
from moviegraph.engines.duckdb.match_joins import (
    EdgeEnd,
    edge_ends,
    is_match,
    is_plain,
    listed_keys,
    match_of,
    sources_of,
    where_of,
)
from moviegraph.engines.duckdb.plan import Needs, WalkHop, WalkNeed
from moviegraph.sql.match_patterns import Match
from moviegraph.sql.syntax_tree import annotations

COUNTS = ("__COUNT", "__COUNT_BIG")
CLAUSES = {"expressions", "from_", "joins", "where", "group", "order", "limit"}
LARGEST_INT = 2**31 - 1
Hops = list[tuple[EdgeEnd, EdgeEnd]]


@dataclass(frozen=True, slots=True)
class CountedWalk:
    """One SELECT that counts ways.

    Attributes:
        side: The side table: the $node_id of each end, and how many ways lead to it.
        end: The alias of the ends, by which the SELECT groups.
        start: The alias of the named nodes.
        key: The one key of the start, where there is only one, and it fits a column of keys.
        told: The conditions that the side table has met, by identity.
    """

    side: str
    end: str
    start: str
    key: Node | None
    told: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """What a SELECT matches: the table of each alias, the hops, and the conditions on it."""

    tables: dict[str, str]
    hops: Hops
    conditions: list[Node]


class CountedWalks:
    """The SELECTs under translation, each with its counted walk if it is one."""

    def __init__(
        self,
        contract: Contract,
        needs: Needs,
        matches: tuple[Match, ...],
        counted: frozenset[str],
    ) -> None:
        self._contract = contract
        self._needs = needs
        self._matches = matches
        self._counted = counted
        self._walks: list[CountedWalk | None] = []

    @property
    def here(self) -> CountedWalk | None:
        """The walk of the innermost SELECT."""
        return self._walks[-1] if self._walks else None

    def enter(self, select: exp.Select) -> bool:
        """Say whether a SELECT is one, before its parts are translated."""
        self._walks.append(self._found(select) if self._counted else None)
        return self.here is not None

    def leave(self, made: exp.Select) -> None:
        """Let a translated SELECT read the ends and the numbers of their ways."""
        walk = self._walks.pop()
        if walk is None:
            return
        ends = next(i.this for i in sources_of(made) if i.this.alias_or_name.lower() == walk.end)
        made.set("from_", exp.From(this=ends))
        made.set("joins", [exp.Join(this=table(walk.side, walk.side))])
        made.set("group", None)

    def call(self, node: exp.Anonymous) -> Node | None:
        """Return what stands for COUNT(*) or MATCH in such a SELECT."""
        walk = self.here
        if walk is None:
            return None
        if node.name in COUNTS:
            return column(walk.side, "ways")
        if is_match(node):
            return exp.EQ(this=column(walk.side, "node"), expression=column(walk.end, "$node_id"))
        return None

    def key(self, node: exp.Column) -> Node | None:
        """Return the key that a column of the start holds."""
        walk = self.here
        if walk is None or walk.key is None or _alias(node) != walk.start:
            return None
        return walk.key.copy()

    def is_told(self, condition: Node) -> bool:
        """Whether the side table has met a condition of the WHERE."""
        return self.here is not None and id(condition.unnest()) in self.here.told

    def _found(self, select: exp.Select) -> CountedWalk | None:
        pattern = self._pattern(select)
        end = self._end(select) if pattern is not None else None
        if pattern is None or end is None:
            return None
        for part in pattern.conditions:
            named = listed_keys(part)
            if named is None or isinstance(part, exp.NEQ) or not self._is_key(named[0]):
                continue
            hops = _way(pattern.hops, _alias(named[0]), end)
            if hops is not None:
                return self._walk(select, pattern, hops, part)
        return None

    def _walk(
        self, select: exp.Select, pattern: _Pattern, hops: Hops, named: Node
    ) -> CountedWalk | None:
        """Return the walk along some hops, if all that is read of it can be told."""
        found = listed_keys(named)
        assert found is not None
        start, keys = _alias(found[0]), found[1]
        single = len(keys) == 1 and abs(keys[0]) <= LARGEST_INT
        passed = {far.node.lower() for _, far in hops}
        barring = _Barring(passed, start, keys if single else (), {id(named)})
        for part in pattern.conditions:
            if all(map(self._is_key, part.find_all(exp.Column))):
                barring.add(part)
        end = hops[-1][1].node.lower()
        if not self._is_all(select, pattern, barring, end):
            return None
        walked = tuple(
            WalkHop(
                pattern.tables[near.edge.lower()],
                near.column == "$from_id",
                barring.keys.get(far.node.lower(), ()),
            )
            for near, far in hops
        )
        need = WalkNeed(pattern.tables[start], keys, walked)
        value = _value(named) if single else None
        return CountedWalk(self._needs.name(need), end, start, value, frozenset(barring.told))

    def _is_all(self, select: exp.Select, pattern: _Pattern, barring: "_Barring", end: str) -> bool:
        """Whether a SELECT reads nothing but the end, the key of one start, and what was told."""
        told = {
            id(each)
            for part in pattern.conditions
            if id(part) in barring.told
            for each in part.find_all(exp.Column)
        }
        for each in select.find_all(exp.Column):
            alias = _alias(each)
            started = bool(barring.key) and alias == barring.start and self._is_key(each)
            if alias not in ("", end) and not started and id(each) not in told:
                return False
        return True

    def _pattern(self, select: exp.Select) -> _Pattern | None:
        """Return the pattern of a SELECT that does nothing but match, group and count."""
        if {name for name, value in select.args.items() if value} - CLAUSES:
            return None
        parts = where_of(select)
        matches = [match_of(part, self._matches) for part in parts if is_match(part)]
        items = sources_of(select)
        if not matches or any(each.paths or each.meetings for each in matches):
            return None
        if not all(is_plain(item) and item.this.args.get("db") for item in items):
            return None
        if not is_plain_top(select.args.get("limit")) or not _only_counts(select):
            return None
        chains = [chain for each in matches for chain in each.chains]
        hops = [hop for chain in chains for hop in list(pairwise(edge_ends(chain)))[::2]]
        tables = {item.this.alias_or_name.lower(): item.this.name for item in items}
        named = {each.lower() for hop in hops for end in hop for each in (end.edge, end.node)}
        if named != tables.keys() or not all(self._is_counted(tables, hop) for hop in hops):
            return None
        return _Pattern(tables, hops, [part for part in parts if not is_match(part)])

    def _is_counted(self, tables: dict[str, str], hop: tuple[EdgeEnd, EdgeEnd]) -> bool:
        edge = self._contract.edge(tables[hop[0].edge.lower()])
        return edge is not None and len(edge.pairs) == 1 and edge.name in self._counted

    def _end(self, select: exp.Select) -> str | None:
        """Return the alias of which all columns of GROUP BY are, where its key is among them."""
        group = select.args.get("group")
        if group is None or {name for name, value in group.args.items() if value} != ONLY:
            return None
        columns = [each for each in group.expressions if isinstance(each, exp.Column)]
        aliases = {_alias(each) for each in columns}
        if len(columns) < len(group.expressions) or len(aliases) != 1:
            return None
        own = not any(annotations(each).outer for each in columns)
        return aliases.pop() if own and any(map(self._is_key, columns)) else None

    def _is_key(self, each: exp.Column) -> bool:
        node = self._contract.node(annotations(each).table)
        own = not annotations(each).outer
        return own and node is not None and node.key.lower() == each.name.lower()


@dataclass(slots=True)
class _Barring:
    """The keys that no way may pass, or end at, by alias.

    `start` and `key` are those of the one node that the ways leave.
    """

    passed: set[str]
    start: str
    key: tuple[int, ...]
    told: set[int]
    keys: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    def add(self, part: Node) -> None:
        """Take up `alias.key NOT IN (1, 2)`, `alias.key <> 1` or `alias.key <> start.key`."""
        if isinstance(part, exp.Not):
            inner = part.this.unnest()
            found = listed_keys(inner) if isinstance(inner, exp.In | exp.EQ) else None
        else:
            found = self._unequal(part) if isinstance(part, exp.NEQ) else None
        if found is not None and _alias(found[0]) in self.passed:
            alias = _alias(found[0])
            self.keys[alias] = tuple(sorted({*self.keys.get(alias, ()), *found[1]}))
            self.told.add(id(part))

    def _unequal(self, part: exp.NEQ) -> tuple[exp.Column, tuple[int, ...]] | None:
        ends = (part.this.unnest(), part.expression.unnest())
        for here, there in (ends, ends[::-1]):
            both = isinstance(here, exp.Column) and isinstance(there, exp.Column)
            if both and self.key and _alias(there) == self.start:
                return here, self.key
        return listed_keys(part)


def _only_counts(select: exp.Select) -> bool:
    """Whether a SELECT has no query within, and calls nothing but COUNT(*) and MATCH."""
    if select.find(*APART) is not None or len(list(select.find_all(exp.Select))) > 1:
        return False
    calls = select.find_all(exp.Func)
    return all(
        isinstance(each, exp.And | exp.Or)
        or is_match(each)
        or (
            isinstance(each, exp.Anonymous)
            and each.name in COUNTS
            and [type(value) for value in each.expressions] == [exp.Star]
        )
        for each in calls
    )


def _way(hops: Hops, start: str, end: str) -> Hops | None:
    """Return all hops in the order of one way from start to end, each with its near end first."""
    left, here, way, seen = list(hops), start, Hops(), {start}
    while left:
        next_hops = [hop for hop in left if here in (hop[0].node.lower(), hop[1].node.lower())]
        if len(next_hops) != 1:
            return None
        hop = next_hops[0]
        left.remove(hop)
        near, far = hop if hop[0].node.lower() == here else hop[::-1]
        here = far.node.lower()
        if here in seen:
            return None
        seen.add(here)
        way.append((near, far))
    return way if here == end else None


def _value(named: Node) -> Node:
    return named.expressions[0] if isinstance(named, exp.In) else named.args["expression"]


def _alias(each: exp.Column) -> str:
    return (annotations(each).alias or each.table).lower()
