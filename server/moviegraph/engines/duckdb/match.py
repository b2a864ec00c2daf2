"""MATCH and SHORTEST_PATH as joins and side tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.engines.duckdb.aggregates import AGGREGATES, ordered_string_agg
from moviegraph.engines.duckdb.expressions import (
    Node,
    call,
    column,
    nodes_need,
    stored_table,
    table,
    table_alias,
    unsupported,
)
from moviegraph.engines.duckdb.function_call import FunctionCall
from moviegraph.engines.duckdb.match_joins import (
    EdgeEnd,
    Restrictions,
    edge_ends,
    match_of,
    matches_of,
    sources_of,
)
from moviegraph.engines.duckdb.plan import AlongNeed, Needs, NodesNeed, Passed, PathHop, PathNeed
from moviegraph.engines.duckdb.refusals import ALONG
from moviegraph.sql.match_patterns import Match, ShortestPath, paths_in_order
from moviegraph.sql.syntax_tree import annotations

STEPS = "__w"


@dataclass(frozen=True, slots=True)
class Member:
    """A FOR PATH alias: the paths that it lies along, and where in their repeated unit.

    Attributes:
        alias: The alias.
        table: Its table.
        paths: The alias of the side table of the paths.
        side: The name of that side table.
        passed: The nodes or edges of the unit that it names.
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

    def value(self, args: FunctionCall, members: Sequence[Member]) -> exp.Column:
        """Add an aggregate, and return its column."""
        self.members.update({member.alias.lower(): member for member in members})
        self.values.append(_aggregate(args))
        return column(self.name, f"a{len(self.values) - 1}")

    def source(self, needs: Needs) -> exp.Subquery:
        """Return the derived table: a row for each path."""
        select = _along(self.side, list(self.members.values()), needs)
        values = [
            exp.alias_(value, f"a{number}", quoted=True) for number, value in enumerate(self.values)
        ]
        select.set("expressions", [column(STEPS, "path"), *values])
        select.set("group", exp.Group(expressions=[column(STEPS, "path")]))
        alias = table_alias(self.name)
        return exp.Subquery(this=select, alias=alias)

    def joined(self) -> Node:
        """Return the condition that joins it to the paths."""
        return exp.EQ(this=column(self.name, "path"), expression=column(self.paths, "path"))


def _along(side: str, members: Sequence[Member], needs: Needs) -> exp.Select:
    steps = sorted({member.passed for member in members}, key=lambda step: step.column)
    need = AlongNeed(side, tuple(steps))
    return exp.Select(
        from_=exp.From(this=table(needs.name(need), STEPS)),
        joins=[exp.Join(this=member.source) for member in members],
        where=exp.Where(this=exp.and_(*(member.joined for member in members), copy=False)),
    )


def _aggregate(args: FunctionCall) -> Node:
    position = column(STEPS, "position")
    if args.name == "LAST_VALUE":
        return call("arg_max_null", args[0], position)
    if args.name == "STRING_AGG":
        return ordered_string_agg(args, exp.Order(expressions=[exp.Ordered(this=position)]))
    return AGGREGATES[args.name](args, lambda core: core)


@dataclass(slots=True)
class PathScope:
    """The paths of one SELECT."""

    members: dict[str, Member] = field(default_factory=dict[str, Member])
    sides: dict[str, str] = field(default_factory=dict[str, str])
    lasts: dict[str, Member] = field(default_factory=dict[str, Member])
    along: dict[str, PathAggregates] = field(default_factory=dict[str, PathAggregates])

    def last(self, alias: str) -> exp.Column:
        """Return the $node_id at which the path of an alias ends."""
        return column(self.members[alias.lower()].paths, "last")


class Paths:
    """Translates the patterns of one statement."""

    def __init__(
        self,
        contract: Contract,
        needs: Needs,
        matches: tuple[Match, ...],
        translate: Callable[[Node], Node],
        condition: Callable[[Node], Node],
    ) -> None:
        self._contract = contract
        self._needs = needs
        self._matches = matches
        self._translate = translate
        self._condition = condition
        self._ctes: list[Node] = []
        self._scopes: list[PathScope] = []
        self._count = 0

    def ctes(self, query: exp.Query) -> exp.With | None:
        """Translate CTEs before what reads them: paths there may start from their rows."""
        clause = query.args.get("with_")
        if clause is None:
            return None
        self._ctes += [self._translate(argument) for argument in clause.expressions]
        return exp.With(expressions=[cte.copy() for cte in self._ctes])

    def enter(self, select: exp.Select, outer: exp.Select | None) -> None:
        """Prepare the paths of a SELECT before its parts are translated."""
        scope = PathScope()
        self._scopes.append(scope)
        paths = [path for match in matches_of(select, self._matches) for path in match.paths]
        if not paths:
            return
        tables = {item.this.alias_or_name.lower(): item.this for item in sources_of(select)}
        restrictions = Restrictions(select, outer, self._matches, self._translate, self._condition)
        for path in paths_in_order(paths):
            self._add(path, tables, restrictions, scope)

    def leave(self, select: exp.Select) -> None:
        """Put the side tables of the paths into a translated SELECT."""
        scope = self._scopes.pop()
        if not scope.members:
            return
        sources = [
            i for i in sources_of(select) if i.this.alias_or_name.lower() not in scope.members
        ]
        first, *others = sources
        if first.args.get("on") or first.args.get("side"):
            raise unsupported("join of a FOR PATH table")
        conditions: list[Node] = [
            exp.EQ(this=_id_of(member.alias), expression=scope.last(member.alias))
            for member in scope.lasts.values()
        ]
        added: list[Node] = [table(side, name) for name, side in scope.sides.items()]
        added += [member.source for member in scope.lasts.values()]
        added += [along.source(self._needs) for along in scope.along.values()]
        conditions += [along.joined() for along in scope.along.values()]
        select.set("from_", exp.From(this=first.this))
        select.set("joins", [*others, *(exp.Join(this=item) for item in added)])
        where = select.args["where"].this
        select.set("where", exp.Where(this=exp.and_(where, *conditions, copy=False)))

    def match(self, call: exp.Anonymous) -> Node:
        """Translate one MATCH to conditions."""
        match = match_of(call, self._matches)
        scope = self._scopes[-1]
        ends = [end for chain in match.chains for end in edge_ends(chain)]
        conditions: list[Node] = [
            end.equals(self._node_id(end))
            for end in ends
            if self._node_id(end) != column(end.edge, end.column)
        ]
        for path in match.paths:
            anchor = scope.last(path.start) if path.last else _id_of(path.start)
            start = column(scope.members[path.end.lower()].paths, "start")
            conditions.append(exp.EQ(this=start, expression=anchor))
        conditions += [
            exp.EQ(this=scope.last(pair.left), expression=scope.last(pair.right))
            for pair in match.meetings
        ]
        if not conditions:
            return exp.Boolean(this=True)
        return exp.Paren(this=exp.and_(*conditions, copy=False))

    def aggregate(self, args: FunctionCall) -> Node:
        """Translate an aggregate WITHIN GROUP (GRAPH PATH)."""
        scope = self._scopes[-1]
        members = list(self._members_in(args, scope))
        first = members[0]
        if args.name == "LAST_VALUE" and len(members) == 1 and first.final:
            scope.lasts[first.alias.lower()] = first
            return args[0]
        if args.name == "COUNT" and self._is_never_null(args.judged[0]):
            return column(first.paths, "hops")
        empty = PathAggregates(first.paths, first.side)
        return scope.along.setdefault(first.paths, empty).value(args, members)

    def _node_id(self, end: EdgeEnd) -> exp.Column:
        scope = self._scopes[-1]
        if end.last:
            return scope.last(end.node)
        return _id_of(end.node)

    def _add(
        self,
        path: ShortestPath,
        tables: dict[str, exp.Table],
        restrictions: Restrictions,
        scope: PathScope,
    ) -> None:
        anchor = scope.members[path.start.lower()] if path.last else None
        hops = tuple(
            PathHop(tables[s.edge.lower()].name, s.forward, tables[s.node.lower()].name)
            for s in path.steps
        )
        need = PathNeed(
            start=anchor.table if anchor else tables[path.start.lower()].name,
            hops=hops,
            most=path.most,
            starts=anchor.side if anchor else self._nodes(path.start, restrictions),
            ends=self._nodes(path.end, restrictions),
        )
        side, name = self._needs.name(need), f"__p{self._count}"
        self._count += 1
        scope.sides[name] = side
        for number, step in enumerate(path.steps):
            for alias, edge in ((step.edge, True), (step.node, False)):
                final = number == len(hops) - 1 and not edge
                table_name = tables[alias.lower()].name
                member = Member(alias, table_name, name, side, Passed(number, edge), final)
                scope.members[alias.lower()] = member

    def _nodes(self, alias: str, restrictions: Restrictions) -> NodesNeed | None:
        query = restrictions.query(alias)
        if query is None:
            return None
        if self._ctes:
            query.set("with_", exp.With(expressions=[cte.copy() for cte in self._ctes]))
        return nodes_need(query)

    def _members_in(self, args: FunctionCall, scope: PathScope) -> Iterator[Member]:
        aliases = {
            (annotations(column).alias or column.table).lower(): None
            for argument in args.judged
            for column in argument.find_all(exp.Column)
        }
        members = [scope.members[alias] for alias in aliases if alias in scope.members]
        if len(members) < len(aliases):
            raise ALONG.error()
        if not members or len({member.paths for member in members}) > 1:
            raise unsupported(f"{args.name} WITHIN GROUP (GRAPH PATH) over columns of two paths")
        yield from members

    def _is_never_null(self, judged: Node) -> bool:
        if isinstance(judged, exp.Star):
            return True
        node = self._contract.node(annotations(judged).table)
        table_column = node.column(judged.name) if node and isinstance(judged, exp.Column) else None
        return table_column is not None and not table_column.nullable


def _id_of(alias: str) -> exp.Column:
    return column(alias, "$node_id")
