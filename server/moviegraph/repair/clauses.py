"""Clauses of a SELECT: GROUP BY, HAVING, ORDER BY, windows, aliases and the select list."""

from sqlglot import exp

from moviegraph.repair.context import tree_rule
from moviegraph.repair.regex_rules import PARENTHESES, regex_rule
from moviegraph.repair.statement_tree import (
    StatementTree,
    clause_of,
    own_nodes,
    sources,
)
from moviegraph.sql.functions import has_group_aggregate, is_group_aggregate
from moviegraph.sql.grouping import expression_key
from moviegraph.sql.joins import items_of
from moviegraph.sql.syntax_tree import conjuncts, nodes_above, nodes_of, whole_number

GROUPINGS = ("rollup", "cube", "grouping_sets", "all")


@tree_rule("Only ORDER BY can use the aliases of the select list.")
def select_alias(tree: StatementTree) -> None:
    """An alias of the select list is replaced by its value where T-SQL cannot read it.

    SELECT Id % 10 AS d FROM Movie WHERE d > 3 -> SELECT Id % 10 AS d FROM Movie WHERE (Id % 10) > 3
    """
    for select in tree.selects():
        values = {item.alias.lower(): item.this for item in select.expressions if item.alias}
        for column in own_nodes(select) if values else ():
            value = values.get(column.name.lower()) if isinstance(column, exp.Column) else None
            if value is None or column.text("table") or _is_real(tree, select, column.name):
                continue
            clause = clause_of(column, select)
            if _can_repeat(column, value, clause):
                copy = value.copy()
                is_open = isinstance(value, exp.Binary | exp.Not) and clause != "group"
                column.replace(exp.Paren(this=copy) if is_open else copy)


def _can_repeat(column: exp.Expr, value: exp.Expr, clause: str) -> bool:
    """Return whether the value of an alias can replace it in a clause."""
    has_window = value.find(exp.Window) is not None
    if clause == "expressions":
        is_item = isinstance(column.parent, exp.Select | exp.Alias)
        return not has_window and not is_item and value not in _ancestors(column)
    if clause == "having":
        return not has_window
    return clause == "where" or (
        clause == "group" and not has_window and not has_group_aggregate(value)
    )


def _ancestors(node: exp.Expr) -> list[exp.Expr]:
    ancestors: list[exp.Expr] = []
    while node.parent is not None and not isinstance(node, exp.Select):
        node = node.parent
        ancestors.append(node)
    return ancestors


def _is_real(tree: StatementTree, select: exp.Select, name: str) -> bool:
    """Return whether a source of the SELECT has, or may have, a column of that name."""
    for item in items_of(select):
        node = tree.contract.node(item.name)
        if node is not None and node.column(name) is not None:
            return True
        if node is None and tree.contract.edge(item.name) is None:
            return True
    return False


@tree_rule("GROUP BY takes the value itself, not its position.")
def group_position(tree: StatementTree) -> None:
    """A position in GROUP BY is that item of the select list.

    SELECT Name, COUNT(*) AS n FROM Movie GROUP BY 1
    -> SELECT Name, COUNT(*) AS n FROM Movie GROUP BY Name
    """
    for select in tree.selects():
        group = select.args.get("group")
        for item in group.expressions if group is not None else ():
            number = whole_number(item) or 0
            if 0 < number <= len(select.expressions):
                item.replace(select.expressions[number - 1].unalias().copy())


@tree_rule("WHERE filters single rows; HAVING filters groups.")
def aggregate_in_where(tree: StatementTree) -> None:
    """A condition on an aggregate moves from WHERE to HAVING.

    SELECT Name FROM Movie WHERE COUNT(*) > 1 GROUP BY Name
    -> SELECT Name FROM Movie GROUP BY Name HAVING COUNT(*) > 1
    """
    for select in tree.selects():
        where, having = select.args.get("where"), select.args.get("having")
        if where is None or isinstance(where.this, exp.Or):
            continue
        parts = conjuncts(where.this)
        moved = [p for p in parts if has_group_aggregate(p) and not nodes_of(p, exp.Query)]
        if not moved:
            continue
        remaining = [part for part in parts if part not in moved]
        select.set("where", exp.Where(this=exp.and_(*remaining)) if remaining else None)
        moved += [having.this] if having is not None else []
        select.set("having", exp.Having(this=exp.and_(*moved)))


@tree_rule("A column of a node depends on its key, which is grouped.")
def missing_group(tree: StatementTree) -> None:
    """Listed columns of a node with a grouped key are grouped, too.

    SELECT Id, Name, COUNT(*) AS n FROM Movie GROUP BY Id
    -> SELECT Id, Name, COUNT(*) AS n FROM Movie GROUP BY Id, Name
    """
    for select in tree.selects():
        group, order = select.args.get("group"), select.args.get("order")
        if group is None or any(group.args.get(name) for name in GROUPINGS):
            continue
        listed = [*select.expressions, *(order.expressions if order is not None else ())]
        columns = {
            expression_key(node): node
            for item in listed
            for node in nodes_outside_aggregates(item)
            if isinstance(node, exp.Column)
        }
        present = {expression_key(item) for item in group.expressions}
        aliases = {item.alias.lower() for item in select.expressions if item.alias}
        lacking = [
            column
            for key, column in columns.items()
            if key not in present and (column.table or column.name.lower() not in aliases)
        ]
        if all(_key_is_grouped(tree, select, column, present) for column in lacking):
            group.set("expressions", [*group.expressions, *(c.copy() for c in lacking)])


def nodes_outside_aggregates(item: exp.Expr) -> list[exp.Expr]:
    """Return the nodes of a listed value, none of those in aggregates and subqueries."""
    return nodes_above(item, lambda node: isinstance(node, exp.Query) or is_group_aggregate(node))


def _key_is_grouped(
    tree: StatementTree, select: exp.Select, column: exp.Column, present: set[tuple[object, ...]]
) -> bool:
    """Return whether the key of the node that a column belongs to is grouped."""
    names = [column.table] if column.table else list(sources(select))
    node = tree.node_of(names[0], column) if len(names) == 1 else None
    key = node and exp.column(node.key, column.table or None)
    return key is not None and expression_key(key) in present


@tree_rule("The order of an inner query does not reach the result.")
def inner_order(tree: StatementTree) -> None:
    """An ORDER BY without TOP in a CTE or subquery is dropped: it has no effect outside.

    SELECT d.n FROM (SELECT Id AS n FROM Movie ORDER BY Id) AS d
    -> SELECT d.n FROM (SELECT Id AS n FROM Movie) AS d
    """
    for select in tree.selects():
        is_cut = any(select.args.get(name) for name in ("limit", "offset", "for_"))
        if select.parent is None or isinstance(select.parent, exp.SetOperation) or is_cut:
            continue
        if not _decides_rows(tree, select):
            select.set("order", None)


def _decides_rows(tree: StatementTree, inner: exp.Select) -> bool:
    """Return whether a SELECT without ORDER BY takes the first rows of the inner order."""
    cte = inner.find_ancestor(exp.CTE)
    name = cte.alias if cte is not None and cte.this is inner else ""
    readers = [
        select
        for select in tree.selects()
        for item in items_of(select)
        if (isinstance(item, exp.Subquery) and item.this is inner) or (name and item.name == name)
    ]
    if len(readers) != 1 or len(sources(readers[0])) != 1 or readers[0].args.get("order"):
        return False
    return bool(readers[0].args.get("limit") or readers[0].args.get("offset"))


@tree_rule("A subquery in FROM has an alias.")
def derived_alias(tree: StatementTree) -> None:
    """A subquery in FROM gets an alias.

    SELECT d FROM (SELECT 1 AS d) -> SELECT d FROM (SELECT 1 AS d) AS d1
    """
    for select in tree.selects():
        for item in items_of(select):
            is_query = isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query)
            if is_query and not item.alias:
                name = exp.to_identifier(tree.fresh_name("d"))
                item.set("alias", exp.TableAlias(this=name))


top_place = regex_rule(
    "top_place",
    "DISTINCT comes before TOP, and TOP directly after SELECT.\n\n"
    "    SELECT TOP 5 DISTINCT Name FROM Movie -> SELECT DISTINCT TOP 5 Name FROM Movie",
    "Its form is SELECT DISTINCT TOP 10 ...",
    (rf"\bSELECT\s+(TOP\s*(?:{PARENTHESES}|\d+))\s+DISTINCT\b", "SELECT DISTINCT {1}"),
)
query_hint = regex_rule(
    "query_hint",
    "OPTION (...) and WITH (NOLOCK) are removed.\n\n"
    "    SELECT Id FROM Movie WITH (NOLOCK) -> SELECT Id FROM Movie",
    "Hints change how a statement runs, not what it returns.",
    (rf"\s*\bOPTION\s*{PARENTHESES}", ""),
    (rf"\s*\bWITH\s*(?=\(\s*(?:NOLOCK|READUNCOMMITTED|INDEX)\b){PARENTHESES}", ""),
)
