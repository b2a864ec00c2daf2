"""Patterns of MATCH: shape, arrows, aliases, and the tables that they name."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from moviegraph.contract.model import EdgeTable
from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct, flat, tree_rule
from moviegraph.repair.statement_tree import (
    StatementTree,
    add_condition,
    clause_of,
    match_index,
    names_of_match,
    own_nodes,
    rename_aliases,
    sources,
)
from moviegraph.repair.tokens import TokenRange
from moviegraph.sql.functions import is_group_aggregate
from moviegraph.sql.joins import is_comma
from moviegraph.sql.match_checks import match_calls
from moviegraph.sql.match_patterns import Chain, Match, ShortestPath, Step
from moviegraph.sql.syntax_tree import conjuncts, nodes_of

ELEMENT = r"(?:\(\s*[\w@#$]*\s*\)|[\w@#$]+)"
CHAIN = re.compile(rf"{ELEMENT}(?:\s*(?:<\s*-|-\s*>?)\s*{ELEMENT})+")
UNENCLOSED_EDGE = re.compile(r"(?<=-)[\w@#$]+(?=-)")
HEADLESS = re.compile(r"(?<!<)-\s*\(\s*(?P<edge>\w*)\s*\)\s*-(?!\s*>)|<-\((?P<both>\w*)\)->")
EMPTY_EDGE = re.compile(r"(?<=-)\(\s*\)(?=-)")
INNER = frozenset({"", "INNER", "CROSS"})
WHY_EXISTS = "MATCH is not allowed under OR or NOT; EXISTS tests the same pattern."
WHY_LISTED = "MATCH names aliases of tables, which FROM lists."


def match_shape(statement: RefusedStatement) -> Correction | None:
    """Edges are in parentheses, nodes do not, and an arrow has one head: MATCH(m-(e)->g)."""
    edits: list[Edit] = []
    for call in statement.calls("MATCH"):
        if statement.upper(call.last) == "AGAINST":
            continue
        pattern = TokenRange(call.index + 2, call.last - 1)
        edits += [
            Edit(statement.start(index), statement.tokens[index].end, " AND")
            for index in flat(statement, pattern)
            if statement.upper(index) == ","
        ]
        start, end = statement.start(pattern.first), statement.start(pattern.last)
        for match in EMPTY_EDGE.finditer(statement.masked, start, end):
            edits.append(Edit(*match.span(), f"({statement.fresh_name('e', len(edits) + 1)})"))
        for match in HEADLESS.finditer(statement.masked, start, end) if not edits else ():
            name = statement.sql[slice(*match.span("edge" if match["edge"] else "both"))]
            edits.append(Edit(*match.span(), f"-({name})->"))
        if "SHORTEST_PATH" in statement.masked[start:end]:
            for match in UNENCLOSED_EDGE.finditer(statement.masked, start, end):
                name = statement.sql[slice(*match.span())].strip("[]")
                edits.append(Edit(*match.span(), f"({name})"))
            continue
        for match in CHAIN.finditer(statement.masked, start, end) if not edits else ():
            edits += _alternating(statement, *match.span())
    return correct(
        edits, "In MATCH, edges are in parentheses, nodes are not, and AND joins patterns."
    )


def _alternating(statement: RefusedStatement, start: int, end: int) -> Iterator[Edit]:
    """Yield the edits that make every other element of a chain an edge in parentheses."""
    for number, match in enumerate(re.finditer(ELEMENT, statement.masked[start:end])):
        text = statement.sql[start + match.start() : start + match.end()]
        name = text.strip("()").strip()
        element = f"({name.strip('[]')})" if number % 2 else name
        if name and "".join(text.split()) != element:
            yield Edit(start + match.start(), start + match.end(), element)


@tree_rule("The arrow follows the edge's own direction.")
def turned_arrow(tree: StatementTree) -> None:
    """An arrow against its edge is turned as the contract has it."""

    def turn(select: exp.Select, left: str, step: Step) -> Step:
        edge = tree.edge_of(step.edge, select)
        kinds = [tree.node_of(alias, select) for alias in (left, step.node)]
        if edge is None or None in kinds:
            return step
        names = tuple(kind.name for kind in kinds if kind is not None)
        ways = [(pair.from_table, pair.to_table) for pair in edge.pairs]
        along, against = (names, names[::-1]) if step.forward else (names[::-1], names)
        is_wrong = along not in ways and against in ways
        return replace(step, forward=not step.forward) if is_wrong else step

    tree.change_steps(turn)


@tree_rule(WHY_LISTED)
def missing_edge(tree: StatementTree) -> None:
    """An edge that MATCH names and FROM lacks is listed there, if only one table can be meant."""

    def list_edge(select: exp.Select, left: str, step: Step) -> Step:
        own_sources = sources(select)
        table = None if step.edge.lower() in own_sources else _edge_meant(tree, select, left, step)
        if table is None or "from_" not in select.args:
            return step
        used = {name.lower() for match in tree.matches for name in names_of_match(match)}
        free = [
            alias
            for alias, item in own_sources.items()
            if item.name.lower() == table.name.lower() and alias not in used
        ]
        is_table = tree.contract.edge(step.edge) is not None
        alias = free[0] if free else tree.fresh_name("e") if is_table else step.edge
        if not free:
            tree.add_source(select, table.name, alias)
        return replace(step, edge=alias)

    tree.change_steps(list_edge)


def _edge_meant(tree: StatementTree, select: exp.Select, left: str, step: Step) -> EdgeTable | None:
    """Return the table that the hop names, or the only one between its ends."""
    edge_table = tree.contract.edge(step.edge)
    if edge_table is not None or tree.table(step.edge, select):
        return edge_table
    nodes = [tree.node_of(alias, select) for alias in (left, step.node)]
    ends = {node.name for node in nodes if node is not None}
    edges = tree.contract.edges
    between = [edge for edge in edges if any(pair.ends == ends for pair in edge.connections)]
    return between[0] if len(between) == 1 and None not in nodes else None


@tree_rule(WHY_LISTED)
def missing_node(tree: StatementTree) -> None:
    """A node that MATCH names and FROM lacks is listed there: its edge says of which kind it is.

    A node of an outer FROM is listed again, and tied by its key: a MATCH sees only its own FROM.
    """
    for select in tree.selects():
        for alias, table in _unlisted_nodes(tree, select):
            node = tree.node_of(alias, select)
            if node is not None and node.name == table:
                _list_again(tree, select, alias, node.key)
            elif node is None and not tree.table(alias, select):
                if _spare(tree, select, table):
                    continue
                tree.add_source(select, table, alias)


def _unlisted_nodes(tree: StatementTree, select: exp.Select) -> list[tuple[str, str]]:
    """Return the node aliases of MATCH that FROM lacks, with the one kind their edges allow."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for pattern in tree.patterns(select):
        for hop in pattern.hops() if isinstance(pattern, Chain | ShortestPath) else ():
            edge = tree.edge_of(hop[0], select)
            for pair in edge.pairs if edge else ():
                kinds[hop[1]].add(pair.from_table)
                kinds[hop[2]].add(pair.to_table)
    own_sources = sources(select)
    unlisted = [alias for alias, alias_kinds in kinds.items() if len(alias_kinds) == 1]
    return [
        (alias, next(iter(kinds[alias]))) for alias in unlisted if alias.lower() not in own_sources
    ]


def _spare(tree: StatementTree, select: exp.Select, table: str) -> bool:
    """Return whether FROM lists a table of that kind which no pattern names."""
    used = {name.lower() for match in tree.matches for name in names_of_match(match)}
    return any(i.name == table and alias not in used for alias, i in sources(select).items())


def _list_again(tree: StatementTree, select: exp.Select, alias: str, key: str) -> None:
    again = tree.fresh_name(alias)
    tree.add_source(select, tree.table(alias, select), again)
    for call in match_calls(select):
        index = match_index(call)
        tree.matches[index] = rename_aliases(tree.matches[index], {alias.lower(): again})
    add_condition(select, exp.column(key, again).eq(exp.column(key, alias)))


@tree_rule("Each hop has an edge of its own.")
def repeated_edge(tree: StatementTree) -> None:
    """An edge alias of two hops: the second hop gets an edge of its own."""
    qualified = {column.table.lower() for column in nodes_of(tree.root, exp.Column)}
    visited: set[tuple[int, str]] = set()

    def separate(select: exp.Select, _left: str, step: Step) -> Step:
        edge, key = tree.edge_of(step.edge, select), (id(select), step.edge.lower())
        if edge is None or key not in visited or key[1] in qualified:
            visited.add(key)
            return step
        alias = tree.fresh_name("e")
        tree.add_source(select, edge.name, alias)
        return replace(step, edge=alias)

    tree.change_steps(separate)


@tree_rule("What SHORTEST_PATH repeats is listed FOR PATH, its anchor is not.")
def for_path(tree: StatementTree) -> None:
    """Tables that SHORTEST_PATH repeats are FOR PATH, and no others."""
    for select in tree.selects():
        paths = [p for p in tree.patterns(select) if isinstance(p, ShortestPath)]
        repeated = {name.lower() for p in paths for s in p.steps for name in (s.edge, s.node)}
        for alias, item in sources(select).items():
            if isinstance(item, exp.Table):
                item.set("version", exp.Version() if alias in repeated else None)


@tree_rule(
    "Tables of a MATCH are separated by commas; inner join conditions belong in WHERE.",
    faithful=False,
)
def match_with_join(tree: StatementTree) -> None:
    """Inner joins become commas, and their conditions go into WHERE."""
    for select in tree.selects():
        joins: list[exp.Join] = select.args.get("joins") or []
        if match_calls(select) and all(map(_is_inner, joins)):
            for join in joins:
                on = join.args.get("on")
                if on is not None and not _is_trivial(on):
                    for condition in conjuncts(on):
                        add_condition(select, condition.copy())
                join.set("on", None)
                join.set("kind", None)


def _is_inner(join: exp.Join) -> bool:
    plain = not join.side and join.kind in INNER and not join.args.get("using")
    return plain and not isinstance(join.this, exp.Lateral) and not join.this.args.get("joins")


def _is_trivial(condition: exp.Expr) -> bool:
    inner = condition.unnest()
    if isinstance(inner, exp.EQ):
        return isinstance(inner.this, exp.Literal) and inner.this == inner.expression
    return isinstance(inner, exp.Boolean)


@tree_rule(WHY_EXISTS)
def match_under_or(tree: StatementTree) -> None:
    """Under OR or NOT a pattern is EXISTS over the tables that only it uses."""
    for select in tree.selects():
        calls = match_calls(select)
        in_where = all(clause_of(call, select) == "where" for call in calls)
        if calls and in_where:
            _exclude_patterns(tree, select, list(map(_chain, calls)))


def _is_negated(call: exp.Expr) -> bool:
    parent = call.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, exp.Not)


def _chain(call: exp.Expr) -> exp.Expr:
    """Return the ANDed conditions around a MATCH, or NOT MATCH, up to an OR or parenthesis."""
    node = call
    while isinstance(node.parent, exp.Paren | exp.Not) and _is_negated(call):
        node = node.parent
    while isinstance(node.parent, exp.And):
        node = node.parent
    return node


def _exclude_patterns(tree: StatementTree, select: exp.Select, chains: list[exp.Expr]) -> None:
    """Write each chain as EXISTS, where that keeps the meaning."""
    own_sources, calls = sources(select), match_calls(select)
    in_place = [c for c, chain in zip(calls, chains, strict=True) if _is_whole(c, chain)]
    output_nodes = [node for item in select.expressions for node in item.walk()]
    counts = any(is_group_aggregate(n) and not n.find(exp.Distinct) for n in output_nodes)
    paths = any(item.args.get("version") for item in own_sources.values())
    has_joins = not all(map(is_comma, select.args.get("joins") or ()))
    shared = len({id(chain) for chain in chains}) < len(chains)
    if in_place or counts or paths or has_joins or shared:
        return
    inside = [_aliases(tree, chain) & own_sources.keys() for chain in chains]
    within = {id(node) for chain in chains for node in chain.walk()}
    outside = {
        node.table.lower()
        for node in own_nodes(select)
        if isinstance(node, exp.Column) and id(node) not in within
    }
    local = set[str]().union(*inside) - outside
    is_star = any(item.is_star for item in select.expressions)
    edges = any(tree.contract.edge(own_sources[alias].name) for alias in local)
    if is_star or not edges or not own_sources.keys() - local or not all(i - local for i in inside):
        return
    for chain, aliases in zip(chains, inside, strict=True):
        _write_exists(
            tree,
            chain,
            [own_sources[alias].copy() for alias in own_sources if alias in aliases & local],
        )
    remaining = [item for alias, item in own_sources.items() if alias not in local]
    select.set("from_", exp.From(this=remaining[0]))
    select.set("joins", [exp.Join(this=item) for item in remaining[1:]])


def _is_whole(call: exp.Expr, chain: exp.Expr) -> bool:
    """Return whether a MATCH is where T-SQL allows it."""
    return isinstance(chain.parent, exp.Where) and not _is_negated(call)


def _aliases(tree: StatementTree, node: exp.Expr) -> set[str]:
    """Return the aliases that a condition names, in lower case."""
    names = {column.table.lower() for column in nodes_of(node, exp.Column)}
    for call in nodes_of(node, exp.Anonymous):
        if call.name == "__MATCH":
            names |= {name.lower() for name in names_of_match(tree.matches[match_index(call)])}
    return names


def _write_exists(tree: StatementTree, chain: exp.Expr, tables: list[exp.Expr]) -> None:
    local = {table.alias_or_name.lower() for table in tables}
    inner, outside = list[exp.Expr](), list[exp.Expr]()
    negated = False
    for part in conjuncts(chain):
        call = part.this.unnest() if isinstance(part, exp.Not) else part
        if isinstance(call, exp.Anonymous) and call.name == "__MATCH":
            negated = isinstance(part, exp.Not)
            inner += _equations(tree.matches[match_index(call)])
    for part in conjuncts(chain):
        call = part.this.unnest() if isinstance(part, exp.Not) else part
        if isinstance(call, exp.Anonymous) and call.name == "__MATCH":
            continue
        (inner if not negated or _aliases(tree, part) & local else outside).append(part.copy())
    select = exp.Select(
        expressions=[exp.Literal.number(1)],
        from_=exp.From(this=tables[0]),
        joins=[exp.Join(this=table) for table in tables[1:]],
        where=exp.Where(this=exp.and_(*inner)),
    )
    exists: exp.Expr = exp.Exists(this=select)
    chain.replace(exp.and_(exp.Not(this=exists) if negated else exists, *outside))


def _equations(match: Match) -> list[exp.Expr]:
    """Return the equations of both ends of each hop."""
    return [
        exp.column(end, edge).eq(exp.column("$node_id", node))
        for chain in match.chains
        for edge, start, stop in chain.hops()
        for end, node in (("$from_id", start), ("$to_id", stop))
    ]
