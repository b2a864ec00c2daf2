"""Patterns of MATCH: shape, arrows, aliases, and the tables that they name."""

import re
from collections import defaultdict
from dataclasses import replace

from sqlglot import exp

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.names import fold_identifier
from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct, flat, tree_rule
from moviegraph.repair.regex_rules import TEXT, regex_rule
from moviegraph.repair.statement_tree import (
    StatementTree,
    add_condition,
    match_index,
    names_of_match,
    rename_aliases,
    sources,
)
from moviegraph.repair.tokens import TokenRange
from moviegraph.sql.match_checks import match_calls
from moviegraph.sql.match_patterns import Chain, ShortestPath, Step
from moviegraph.sql.syntax_tree import conjuncts, nodes_of

HEADLESS = re.compile(r"(?<!<)-\s*\(\s*(?P<edge>\w*)\s*\)\s*-(?!\s*>)|<-\((?P<both>\w*)\)->")
FROM_WORDS = frozenset("from fromid source sourceid start startid".split())
TO_WORDS = frozenset("to toid target targetid end endid destination".split())
INNER = frozenset({"", "INNER", "CROSS"})
WHY_LISTED = "MATCH names aliases of tables, which FROM lists."


def match_shape(statement: RefusedStatement) -> Correction | None:
    """An arrow has one head, and AND joins patterns.

    SELECT g.Id FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)-g)
    -> SELECT g.Id FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)
    """
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
        for match in HEADLESS.finditer(statement.masked, start, end) if not edits else ():
            name = statement.sql[slice(*match.span("edge" if match["edge"] else "both"))]
            edits.append(Edit(*match.span(), f"-({name})->"))
    return correct(edits, "In MATCH, an arrow has one head, and AND joins patterns.")


@tree_rule("The arrow follows the edge's own direction.")
def turned_arrow(tree: StatementTree) -> None:
    """An arrow against its edge is turned as the contract has it.

    SELECT g.Id FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(g-(e)->m)
    -> SELECT g.Id FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH([g]<-([e])-[m])
    """

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
    """An edge that MATCH names and FROM lacks is listed there, if only one table can be meant.

    SELECT g.Id FROM Movie m, Genre g WHERE MATCH(m-(IN_GENRE)->g)
    -> SELECT g.Id FROM dbo.IN_GENRE AS e1, Movie AS m, Genre AS g WHERE MATCH([m]-([e1])->[g])
    """

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

    SELECT g.Id FROM IN_GENRE e, Genre g WHERE MATCH(m-(e)->g)
    -> SELECT g.Id FROM dbo.Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH([m]-([e])->[g])
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


@tree_rule(
    "Tables of a MATCH are separated by commas; inner join conditions belong in WHERE.",
    faithful=False,
)
def match_with_join(tree: StatementTree) -> None:
    """Inner joins around a MATCH become commas, and their conditions go into WHERE.

    SELECT g.Id FROM Movie m JOIN IN_GENRE e JOIN Genre g ON MATCH(m-(e)->g)
    -> SELECT g.Id FROM Movie AS m, IN_GENRE AS e, Genre AS g WHERE MATCH([m]-([e])->[g])
    """
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


@tree_rule("Edges join by $from_id and $to_id to the $node_id of nodes.")
def edge_keys(tree: StatementTree) -> None:
    """Keys of an edge are its ends: $from_id and $to_id.

    SELECT m.Id FROM Movie m JOIN IN_GENRE e ON e.MovieId = m.Id
    -> SELECT m.Id FROM Movie AS m JOIN IN_GENRE AS e ON e.$from_id = m.$node_id
    """
    for test in nodes_of(tree.root, exp.EQ):
        operands = (test.this, test.expression)
        for mine, other in (operands, operands[::-1]):
            if isinstance(mine, exp.Column) and isinstance(other, exp.Column):
                _join_edge(tree, mine, other)


def _join_edge(tree: StatementTree, mine: exp.Column, other: exp.Column) -> None:
    """Join by pseudo-columns where one column is an edge's, and the other the key of a node."""
    edge, node = tree.edge_of(mine.table, mine), tree.node_of(other.table, other)
    if edge is None or node is None:
        return
    end = _end(tree.contract, edge, node.name, fold_identifier(mine.name))
    keys = {f"{name}id" for name in _names_of(tree.contract, node.name)}
    if end and fold_identifier(other.name) in {node.key.lower(), "$nodeid", "nodeid", *keys}:
        _rename(mine, end)
        _rename(other, "$node_id")


def _names_of(contract: Contract, table: str) -> set[str]:
    """Return the folded names that a table has in the contract and its glossary."""
    words = (entry.word for entry in contract.glossary.tables if entry.table == table)
    return {fold_identifier(table), *map(fold_identifier, words)}


def _rename(column: exp.Column, name: str) -> None:
    column.set("this", exp.Identifier(this=name, quoted=False))


def _end(contract: Contract, edge: EdgeTable, node: str, word: str) -> str | None:
    """Return the pseudo-column that a made-up key of an edge means, given the node it meets."""
    word = word.removeprefix("$")
    starts = {pair.from_table for pair in edge.pairs}
    ends = {pair.to_table for pair in edge.pairs}
    called = _names_of(contract, node)
    for end, tables, words in (("$from_id", starts, FROM_WORDS), ("$to_id", ends, TO_WORDS)):
        if node not in tables:
            continue
        is_named = word in words or word == "id" or word in called or word[:-2] in called
        if is_named and (node not in starts & ends or word in words):
            return end
    return None


COMPARED = rf"\w+\.\w+\s*(?:<>|<=|>=|=|<|>|LIKE\b)\s*(?:{TEXT}|\d+(?:\.\d+)?)"
match_form = regex_rule(
    "match_form",
    "A pattern and its conditions are written as T-SQL has them.\n\n"
    "    SELECT g.Id FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g AND m.Id = 3)\n"
    "    -> SELECT g.Id FROM Movie m, IN_GENRE e, Genre g WHERE MATCH(m-(e)->g) AND m.Id = 3",
    "Its form is MATCH(a-(e)->b).",
    (r"\bMATCH\s+(\w+(?:\s*<?-\(\w+\)->?\s*\w+)+)", "MATCH({1})"),
    (r"\bMATCH\s*\((\w+)\)((?:\s*<?-\(\w+\)->?\s*\(?\w+\)?)+)", "MATCH({1}{2})"),
    (
        rf"(\bMATCH\s*\((?:[^()]|\(\w*\))*?)\s+AND\s+({COMPARED})\s*\)",
        "{1}) AND {2}",
    ),
)
