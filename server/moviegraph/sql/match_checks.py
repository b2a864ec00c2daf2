"""Checks of MATCH and SHORTEST_PATH against the contract, and of aggregates along a path."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.sql.decision import RefusalError
from moviegraph.sql.functions import PERCENTILES, has_group_aggregate, is_along_path
from moviegraph.sql.match_patterns import (
    Chain,
    Match,
    Pattern,
    SameLast,
    ShortestPath,
    paths_in_order,
)
from moviegraph.sql.scope import Scope, Source
from moviegraph.sql.syntax_tree import annotations, nodes_above

ALONG_PATHS = ("STRING_AGG", "LAST_VALUE", "SUM", "AVG", "MIN", "MAX", "COUNT")
ORDERED = ("STRING_AGG", *PERCENTILES)


def patterns_of(select: exp.Select, matches: tuple[Match, ...]) -> list[Pattern]:
    """Return the patterns of every MATCH of one SELECT, not of those inside it."""
    calls = match_calls(select)
    return [p for call in calls for p in matches[int(call.expressions[0].name)].patterns]


def check_graph(
    select: exp.Select, scope: Scope, contract: Contract, patterns: Sequence[Pattern]
) -> None:
    """Check every MATCH of one SELECT. Raises RefusalError."""
    used: set[str] = set()
    for call in match_calls(select):
        _check_match_place(call)
    for pattern in patterns:
        if isinstance(pattern, SameLast):
            _node_table(pattern.left, scope)
            _node_table(pattern.right, scope)
            continue
        for edge, start, end in pattern.hops():
            _check_hop(edge, start, end, scope, contract)
            _check_once(edge, used)
    check_paths(patterns, scope)


def _check_once(edge: str, used: set[str]) -> None:
    if edge.lower() in used:
        raise RefusalError(
            "edge_used_twice",
            f"The edge alias {edge} is used for two hops; list the edge table once more in FROM, "
            "with an alias of its own.",
        )
    used.add(edge.lower())


def match_calls(select: exp.Select) -> list[exp.Anonymous]:
    """Return the MATCH predicates of a SELECT, not of those within it."""
    nodes = nodes_above(
        select, lambda n: n is not select and isinstance(n, exp.Select | exp.SetOperation)
    )
    return [n for n in nodes if isinstance(n, exp.Anonymous) and n.name == "__MATCH"]


def _check_match_place(call: exp.Anonymous) -> None:
    parent = call.parent
    while isinstance(parent, exp.And | exp.Paren):
        parent = parent.parent
    if not isinstance(parent, exp.Where):
        raise RefusalError(
            "match_place",
            "MATCH is allowed only in WHERE, joined with AND; not under OR or NOT, and not in ON. "
            "For either-or use two queries with UNION, for 'without' use Id NOT IN (SELECT ...).",
        )


def directions_of(edge: EdgeTable) -> str:
    """Return a sentence with the tables that an edge joins."""
    ways = (f"{pair.from_table} -> {pair.to_table}" for pair in edge.pairs)
    return f"{edge.name} goes {' or '.join(ways)}"


def _check_hop(edge: str, start: str, end: str, scope: Scope, contract: Contract) -> None:
    table = _edge_table(edge, scope, contract)
    kinds = [_node_table(start, scope), _node_table(end, scope)]
    ways = [[pair.from_table, pair.to_table] for pair in table.pairs]
    if kinds in ways:
        return
    right = directions_of(table)
    if kinds[::-1] in ways:
        raise RefusalError(
            "wrong_arrow",
            f"{right}, not {kinds[0]} -> {kinds[1]}. Turn the arrow: "
            f"{end}-({edge})->{start}, or {start}<-({edge})-{end}.",
            suggestions=(f"{end}-({edge})->{start}", f"{start}<-({edge})-{end}"),
        )
    fitting = [kind.name for kind in contract.between(*kinds)]
    advice = f" Between {kinds[0]} and {kinds[1]} use {', '.join(fitting)}." if fitting else ""
    raise RefusalError(
        "wrong_arrow",
        f"{right}, so {edge} cannot join {start} ({kinds[0]}) and {end} ({kinds[1]}).{advice}",
        suggestions=tuple(fitting),
    )


def _edge_table(alias: str, scope: Scope, contract: Contract) -> EdgeTable:
    source = scope.sources.get(alias.lower())
    if source is None:
        edge_table = contract.edge(alias)
        if not contract.edges:
            raise RefusalError("match_syntax", "This graph has no edges, so MATCH has no pattern.")
        name = edge_table.name if edge_table else contract.edges[0].name
        raise RefusalError(
            "missing_edge_alias",
            f"{alias} is not an alias in the FROM of the same SELECT; list the edge table there "
            f"with an alias ({contract.schema_name}.{name} AS e) and write its alias: a-(e)->b.",
            suggestions=_edges_in(scope),
        )
    if source.kind != "edge":
        raise RefusalError(
            "missing_edge_alias",
            f"{alias} is not an edge table, so an arrow cannot name it; "
            f"edge tables are {', '.join(e.name for e in contract.edges)}.",
            suggestions=_edges_in(scope),
        )
    _check_comma(source)
    edge = contract.edge(source.table or "")
    assert edge is not None
    return edge


def _node_table(alias: str, scope: Scope) -> str:
    source = scope.sources.get(alias.lower())
    if source is None:
        where = " of the same SELECT" if alias.lower() in map(str.lower, scope.names()) else ""
        aliases = tuple(s.alias for s in scope.sources.values() if s.kind == "node")
        raise RefusalError(
            "unknown_alias",
            f"MATCH names {alias}, which is not an alias in the FROM{where}. Node aliases here: "
            f"{', '.join(aliases) or 'none'}.",
            suggestions=aliases,
        )
    if source.kind != "node" or source.table is None:
        raise RefusalError(
            "match_syntax",
            f"{alias} is not a node table, so it cannot end an arrow in MATCH; list the node table "
            "itself and join the rest by its Id.",
        )
    _check_comma(source)
    return source.table


def _check_comma(source: Source) -> None:
    if source.joined:
        raise RefusalError(
            "match_with_join",
            f"{source.alias} is both in a JOIN or APPLY and in MATCH; SQL Server allows only one. "
            "List the tables of MATCH between commas, and put join conditions into WHERE.",
        )


def _edges_in(scope: Scope) -> tuple[str, ...]:
    return tuple(s.alias for s in scope.sources.values() if s.kind == "edge")


def bound_repetitions(
    select: exp.Select, scope: Scope, contract: Contract, matches: tuple[Match, ...]
) -> tuple[tuple[Match, ...], list[str]]:
    """Return the MATCHes with {1,1} for each path that can repeat only once, and a note on each."""
    notes: list[str] = []
    bounded = list(matches)
    for call in match_calls(select):
        index = int(call.expressions[0].name)
        patterns = [
            _bound_path(pattern, scope, contract, notes) for pattern in matches[index].patterns
        ]
        bounded[index] = Match(tuple(patterns))
    return tuple(bounded), notes


def _bound_path(pattern: Pattern, scope: Scope, contract: Contract, notes: list[str]) -> Pattern:
    if not isinstance(pattern, ShortestPath) or pattern.most == 1:
        return pattern
    start, end = _source(pattern.start, scope), _source(pattern.end, scope)
    if start.table == end.table:
        return pattern
    notes.append(
        f"The path from {pattern.start} repeats once at most ({{1,1}}): one repetition goes from "
        f"{start.table} to {end.table}, and a second one could not begin there."
        f"{_way_back(pattern, start, end, contract)}"
    )
    return replace(pattern, most=1)


def _way_back(path: ShortestPath, start: Source, end: Source, contract: Contract) -> str:
    """Return how a unit of one hop is continued back to the table of its anchor."""
    edge = _source_edge(contract, start, end)
    if edge is None or len(path.steps) != 1:
        return ""
    step = path.steps[0]
    there = f"-({step.edge})->" if step.forward else f"<-({step.edge})-"
    back = "<-(f)-" if step.forward else "-(f)->"
    return (
        f" For longer paths go back to {start.table} in the parentheses: SHORTEST_PATH("
        f"{path.start}({there}{path.end}{back}o)+), with {edge} FOR PATH AS f and {start.table} "
        "FOR PATH AS o in FROM."
    )


def _source_edge(contract: Contract, start: Source, end: Source) -> str | None:
    edges = contract.between(start.table or "", end.table or "")
    return edges[0].name if edges else None


def check_paths(patterns: Sequence[Pattern], scope: Scope) -> None:
    """Check the use of each alias, outside paths and in them. Raises RefusalError."""
    paths = [item for item in patterns if isinstance(item, ShortestPath)]
    inside: set[str] = set()
    for path in paths:
        _check_unit_aliases(path, scope, inside)
    for key, source in scope.sources.items():
        if source.path and key not in inside:
            raise RefusalError(
                "for_path",
                f"{source.alias} is FOR PATH, and no SHORTEST_PATH repeats it. Take FOR PATH away, "
                "or name it in the parentheses: MATCH(SHORTEST_PATH(a(-(e)->t<-(f)-b)+)).",
            )
    ends = {path.end.lower(): path.end for path in paths}
    for pattern in patterns:
        for alias, last in _outside(pattern):
            _check_outside(alias, last, inside, ends)
    _check_order(paths)
    for pattern in patterns:
        if isinstance(pattern, SameLast):
            _check_same(pattern, scope)


def _check_unit_aliases(path: ShortestPath, scope: Scope, inside: set[str]) -> None:
    for step in path.steps:
        for alias in (step.edge, step.node):
            key = alias.lower()
            source = _source(alias, scope)
            if key in inside or key == path.start.lower():
                raise RefusalError(
                    "path_shape",
                    f"{alias} is used twice: the anchor, and each node and edge that repeats, has "
                    f"an alias of its own. List {source.table} FOR PATH once more in FROM.",
                )
            if not source.path:
                raise RefusalError(
                    "for_path",
                    f"{alias} repeats in SHORTEST_PATH, so FROM lists it FOR PATH: "
                    f"{source.table} FOR PATH AS {alias}.",
                )
            inside.add(key)


def _outside(pattern: Pattern) -> list[tuple[str, bool]]:
    """Return each node alias that a pattern names outside of what repeats, and whether as last."""
    if isinstance(pattern, SameLast):
        return [(pattern.left, True), (pattern.right, True)]
    nodes = [(pattern.start, pattern.last)]
    if isinstance(pattern, Chain):
        nodes += [(step.node, step.last) for step in pattern.steps]
    return nodes


def _check_outside(alias: str, last: bool, inside: set[str], ends: dict[str, str]) -> None:
    if last and alias.lower() not in ends:
        suggestion = f"; LAST_NODE takes {' or '.join(ends.values())}" if ends else ""
        raise RefusalError(
            "path_shape", f"No SHORTEST_PATH of this SELECT ends with {alias}{suggestion}."
        )
    if not last and alias.lower() in inside:
        raise RefusalError(
            "path_shape",
            f"{alias} is every node or edge of a path; outside SHORTEST_PATH write "
            f"LAST_NODE({alias}) for its end, or list the table once more without FOR PATH.",
        )


def _check_order(paths: Sequence[ShortestPath]) -> None:
    """A path may begin where another ends, but not where it would end itself."""
    ordered = paths_in_order(paths)
    for path in paths:
        if path not in ordered:
            raise RefusalError(
                "path_shape",
                f"The path from LAST_NODE({path.start}) would begin where it ends itself; "
                "one path begins at a node listed without FOR PATH.",
            )


def _check_same(pair: SameLast, scope: Scope) -> None:
    left, right = _source(pair.left, scope), _source(pair.right, scope)
    if left is right or left.table != right.table:
        raise RefusalError(
            "path_shape",
            f"LAST_NODE({pair.left}) is a {left.table} and LAST_NODE({pair.right}) a "
            f"{right.table}; two paths meet at one node of one table.",
        )


def _source(alias: str, scope: Scope) -> Source:
    return scope.sources[alias.lower()]


def carried_column(item: exp.Expr) -> exp.Column | None:
    """Return the column whose value an item of a select list carries unchanged, if it does."""
    inner = item.this if isinstance(item, exp.Alias) else item
    if is_along_path(inner) and inner.this.name == "__LAST_VALUE":
        inner = inner.this.expressions[0]
    return inner if isinstance(inner, exp.Column) else None


def check_within_group(node: exp.WithinGroup) -> None:
    """Check the function and its position. Raises RefusalError."""
    call = node.this
    name = call.name[2:] if isinstance(call, exp.Anonymous) else ""
    if not is_along_path(node):
        if name not in ORDERED:
            raise RefusalError(
                "wrong_arguments",
                f"WITHIN GROUP (ORDER BY ...) follows {', '.join(ORDERED)}, not {name or 'this'}.",
            )
        return
    if name not in ALONG_PATHS:
        raise RefusalError(
            "path_aggregate",
            f"WITHIN GROUP (GRAPH PATH) follows {', '.join(ALONG_PATHS)}, not {name or 'this'}.",
            suggestions=ALONG_PATHS,
        )
    _check_aggregate_place(node, name)
    _check_argument(call, name)


def _check_aggregate_place(node: exp.WithinGroup, name: str) -> None:
    clause = node.find_ancestor(
        exp.Where, exp.Join, exp.Group, exp.Having, exp.Select, exp.WithinGroup
    )
    if isinstance(clause, exp.WithinGroup):
        raise RefusalError(
            "path_aggregate", "An aggregate along a path cannot contain another aggregate."
        )
    if not isinstance(clause, exp.Select):
        raise RefusalError(
            "path_aggregate",
            f"{name} WITHIN GROUP (GRAPH PATH) is allowed only in the select list and in ORDER BY. "
            "Name it there, put the SELECT into a CTE, and filter or group around that.",
        )
    if isinstance(node.parent, exp.Window) and node.parent.this is node:
        raise RefusalError("path_aggregate", "WITHIN GROUP (GRAPH PATH) does not accept OVER.")


def _check_argument(call: exp.Anonymous, name: str) -> None:
    for argument in call.expressions:
        if isinstance(argument, exp.Star):
            raise RefusalError(
                "path_aggregate",
                "COUNT(*) along a path is ambiguous; count a column of the nodes, COUNT(b.Id), "
                "or alias.*.",
            )
        if isinstance(argument, exp.Distinct):
            raise RefusalError("path_aggregate", f"{name} along a path does not accept DISTINCT.")
        if argument.find(exp.Query) is not None:
            raise RefusalError("path_aggregate", f"{name} along a path holds no subquery.")


def check_path_column(column: exp.Column, source: Source) -> None:
    """Refuse a column of a FOR PATH table outside of an aggregate along its path.

    Those of an edge table are refused there, too.
    """
    name = f"{source.alias}.{column.name}"
    if source.kind == "edge" and not column.name.startswith("$"):
        raise RefusalError(
            "path_column",
            f"{name} is a column of an edge in SHORTEST_PATH, where columns of edges are not "
            "available. For a fixed number of hops list the tables without FOR PATH and write the "
            f"hops out in MATCH; then {name} may be used in any clause.",
        )
    holder = column.parent
    while holder is not None and not isinstance(holder, exp.Select):
        if is_along_path(holder) and not annotations(column).outer:
            return
        holder = holder.parent
    raise RefusalError(
        "path_column",
        f"{source.alias} is FOR PATH, so {name} is one value per step; it is allowed only in an "
        f"aggregate along the path, in the select list: LAST_VALUE({name}) WITHIN GROUP (GRAPH "
        f"PATH) for where the path ends, STRING_AGG({name}, '->') WITHIN GROUP (GRAPH PATH) for "
        "the way. To filter by one, name it in a CTE and filter around that.",
    )


def spell_out_counts(
    select: exp.Select, scope: Scope, contract: Contract, patterns: Sequence[Pattern]
) -> None:
    """Write COUNT(e.*) along a path as the count of a key.

    Every step has one edge and one node, whose key is never NULL, so the number is the same; and
    the parser that Microsoft publishes does not read the star.
    """
    nodes = {
        alias.lower(): step.node
        for path in patterns
        if isinstance(path, ShortestPath)
        for step in path.steps
        for alias in (step.edge, step.node)
    }
    for along in _along_paths(select) if nodes else ():
        for star in along.this.expressions:
            if isinstance(star, exp.Column) and isinstance(star.this, exp.Star):
                source = scope.sources.get(nodes.get(star.table.lower(), "").lower())
                table = contract.node(source.table or "") if source else None
                if table is None or source is None or along.this.name != "__COUNT":
                    raise _no_star(along.this.name[2:])
                star.replace(exp.column(table.key, table=source.alias, quoted=True))


def _no_star(name: str) -> RefusalError:
    return RefusalError(
        "path_aggregate",
        f"Along a path {name} takes a column; only COUNT takes alias.*, of a table in "
        "SHORTEST_PATH.",
    )


def check_path_aggregates(select: exp.Select, scope: Scope, patterns: Sequence[Pattern]) -> None:
    """Check that every aggregate along a path has one path to run along. Raises RefusalError."""
    aggregates = list(_along_paths(select))
    if not aggregates:
        return
    paths = {
        alias.lower(): number
        for number, path in enumerate(patterns)
        if isinstance(path, ShortestPath)
        for step in path.steps
        for alias in (step.edge, step.node)
    }
    for along in aggregates:
        _check_one_path(along, paths, scope)
    if select.args.get("group") is not None or _has_group_aggregate(select):
        raise RefusalError(
            "path_aggregate",
            "An aggregate along a path returns one value per path, and allows no GROUP BY or "
            "aggregate over rows in one SELECT. Put the paths into a CTE, and group around that.",
        )


def _check_one_path(along: exp.WithinGroup, paths: dict[str, int], scope: Scope) -> None:
    name = along.this.name[2:]
    value = along.this.expressions[0]
    aliases = {
        annotations(column).alias.lower()
        for argument in along.this.expressions
        for column in argument.find_all(exp.Column)
    }
    used = {paths[alias] for alias in aliases if alias in paths}
    if len(used) != 1 or not any(
        annotations(column).alias.lower() in paths for column in value.find_all(exp.Column)
    ):
        raise RefusalError(
            "path_aggregate",
            f"{name} WITHIN GROUP (GRAPH PATH) runs along one path: it takes columns of the "
            "FOR PATH tables of one SHORTEST_PATH. Select other columns without it.",
        )
    if name == "LAST_VALUE" and any(
        scope.sources[alias].kind == "edge" for alias in aliases if alias in scope.sources
    ):
        raise RefusalError(
            "path_aggregate", "LAST_VALUE along a path takes columns of a node table, not an edge."
        )


def _has_group_aggregate(select: exp.Select) -> bool:
    parts = [*select.expressions, select.args.get("order"), select.args.get("having")]
    return any(has_group_aggregate(part) for part in parts if isinstance(part, exp.Expr))


def _along_paths(select: exp.Select) -> Iterator[exp.WithinGroup]:
    for node in nodes_above(select, lambda n: n is not select and isinstance(n, exp.Query)):
        if isinstance(node, exp.WithinGroup) and is_along_path(node):
            yield node
