"""Checks MATCH against the contract: aliases, kinds, direction, and where it stands."""

from collections.abc import Sequence

from sqlglot import exp

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.sql.paths import check_paths, check_unit
from moviegraph.sql.patterns import Match, Pattern, SameLast, ShortestPath
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Scope, Source
from moviegraph.sql.walk import above


def patterns_of(select: exp.Select, matches: tuple[Match, ...]) -> list[Pattern]:
    """Return the patterns of every MATCH of one SELECT, not of those inside it."""
    calls = _match_calls(select)
    return [p for call in calls for p in matches[int(call.expressions[0].name)].patterns]


def check_graph(
    select: exp.Select, scope: Scope, contract: Contract, patterns: Sequence[Pattern]
) -> None:
    """Check every MATCH of one SELECT. Raises RefusalError."""
    used: set[str] = set()
    for call in _match_calls(select):
        _check_place(call)
    for pattern in patterns:
        if isinstance(pattern, SameLast):
            _node_kind(pattern.left, scope)
            _node_kind(pattern.right, scope)
            continue
        for edge, start, end in pattern.hops():
            _check_hop(edge, start, end, scope, contract)
            _check_once(edge, used)
        if isinstance(pattern, ShortestPath):
            check_unit(pattern, scope, contract)
    check_paths(patterns, scope)


def _check_once(edge: str, used: set[str]) -> None:
    if edge.lower() in used:
        raise RefusalError(
            "edge_used_twice",
            f"The edge alias {edge} stands for two hops; list the edge table once more in FROM, "
            "with an alias of its own.",
        )
    used.add(edge.lower())


def _match_calls(select: exp.Select) -> list[exp.Anonymous]:
    own = above(select, lambda n: n is not select and isinstance(n, exp.Select | exp.SetOperation))
    return [n for n in own if isinstance(n, exp.Anonymous) and n.name == "__MATCH"]


def _check_place(call: exp.Anonymous) -> None:
    parent = call.parent
    while isinstance(parent, exp.And | exp.Paren):
        parent = parent.parent
    if not isinstance(parent, exp.Where):
        raise RefusalError(
            "match_place",
            "MATCH stands in WHERE, joined with AND; not under OR or NOT, and not in ON. For "
            "either-or use two queries with UNION, for 'without' use Id NOT IN (SELECT ...).",
        )


def ways_of(edge: EdgeTable) -> str:
    """Say between which tables an edge goes."""
    ways = (f"{each.from_table} -> {each.to_table}" for each in edge.pairs)
    return f"{edge.name} goes {' or '.join(ways)}"


def _check_hop(edge: str, start: str, end: str, scope: Scope, contract: Contract) -> None:
    table = _edge_table(edge, scope, contract)
    kinds = [_node_kind(start, scope), _node_kind(end, scope)]
    ways = [[each.from_table, each.to_table] for each in table.pairs]
    if kinds in ways:
        return
    right = ways_of(table)
    if kinds[::-1] in ways:
        raise RefusalError(
            "wrong_arrow",
            f"{right}, not {kinds[0]} -> {kinds[1]}. Turn the arrow: "
            f"{end}-({edge})->{start}, or {start}<-({edge})-{end}.",
            suggestions=(f"{end}-({edge})->{start}", f"{start}<-({edge})-{end}"),
        )
    fitting = [each.name for each in contract.between(*kinds)]
    advice = f" Between {kinds[0]} and {kinds[1]} use {', '.join(fitting)}." if fitting else ""
    raise RefusalError(
        "wrong_arrow",
        f"{right}, so {edge} cannot join {start} ({kinds[0]}) and {end} ({kinds[1]}).{advice}",
        suggestions=tuple(fitting),
    )


def _edge_table(alias: str, scope: Scope, contract: Contract) -> EdgeTable:
    source = scope.sources.get(alias.lower())
    if source is None:
        known = contract.edge(alias)
        name = known.name if known else contract.edges[0].name
        raise RefusalError(
            "missing_edge_alias",
            f"{alias} is no alias in the FROM of the same SELECT; list the edge table there with "
            f"an alias ({contract.schema_name}.{name} AS e) and write its alias: a-(e)->b.",
            suggestions=_edges_in(scope),
        )
    if source.kind != "edge":
        raise RefusalError(
            "missing_edge_alias",
            f"{alias} is no edge table, so it cannot stand in an arrow; "
            f"edge tables are {', '.join(e.name for e in contract.edges)}.",
            suggestions=_edges_in(scope),
        )
    _check_comma(source)
    edge = contract.edge(source.table or "")
    assert edge is not None
    return edge


def _node_kind(alias: str, scope: Scope) -> str:
    source = scope.sources.get(alias.lower())
    if source is None:
        where = " of the same SELECT" if alias.lower() in map(str.lower, scope.names()) else ""
        known = tuple(s.alias for s in scope.sources.values() if s.kind == "node")
        raise RefusalError(
            "unknown_alias",
            f"MATCH names {alias}, which is no alias in the FROM{where}. Node aliases here: "
            f"{', '.join(known) or 'none'}.",
            suggestions=known,
        )
    if source.kind != "node" or source.table is None:
        raise RefusalError(
            "match_syntax",
            f"{alias} is no node table, so it cannot end an arrow in MATCH; list the node table "
            "itself and join the rest by its Id.",
        )
    _check_comma(source)
    return source.table


def _check_comma(source: Source) -> None:
    if source.joined:
        raise RefusalError(
            "match_with_join",
            f"{source.alias} stands in a JOIN or APPLY and in MATCH; SQL Server allows only one. "
            "List the tables of MATCH between commas, and put join conditions into WHERE.",
        )


def _edges_in(scope: Scope) -> tuple[str, ...]:
    return tuple(s.alias for s in scope.sources.values() if s.kind == "edge")
