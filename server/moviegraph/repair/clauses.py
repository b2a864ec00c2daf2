"""Clauses of a SELECT: GROUP BY, HAVING, ORDER BY, windows, aliases and the select list."""

from sqlglot import exp

from moviegraph.contract.model import NodeTable
from moviegraph.repair.context import tree_rule
from moviegraph.repair.statement_tree import (
    StatementTree,
    add_condition,
    clause_of,
    own_nodes,
    sources,
)
from moviegraph.sql.allow_list import is_condition
from moviegraph.sql.derived_tables import branches
from moviegraph.sql.functions import has_group_aggregate, nodes_of_row
from moviegraph.sql.grouping import expression_key
from moviegraph.sql.joins import items_of
from moviegraph.sql.syntax_tree import conjuncts, nodes_of, whole_number

COUNTS = ("__COUNT", "__COUNT_BIG")
EXTREMES = ("__MAX", "__MIN")


@tree_rule("Only ORDER BY can use the aliases of the select list.")
def select_alias(tree: StatementTree) -> None:
    """WHERE, GROUP BY and HAVING read no alias of the select list: its value is repeated there."""
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


@tree_rule("A window is written out in each OVER.")
def named_window(tree: StatementTree) -> None:
    """OVER w with WINDOW w AS (...) is OVER (...)."""
    for select in tree.selects():
        windows: list[exp.Window] = select.args.get("windows") or []
        window_by_name = {window.name.lower(): window for window in windows}
        for window in [*windows, *own_nodes(select)]:
            name = window.args.get("alias") if isinstance(window, exp.Window) else None
            base = window_by_name.get(name.name.lower()) if name is not None else None
            if base is None or base.args.get("alias") is not None:
                continue
            window.set("alias", None)
            for part in ("partition_by", "order", "spec"):
                window.set(part, window.args.get(part) or base.args.get(part))
        select.set("windows", None)


@tree_rule("GROUP BY takes the value itself, not its position.")
def group_position(tree: StatementTree) -> None:
    """GROUP BY 1 is the first item of the select list."""
    for select in tree.selects():
        group = select.args.get("group")
        for item in group.expressions if group is not None else ():
            number = whole_number(item) or 0
            if 0 < number <= len(select.expressions):
                item.replace(select.expressions[number - 1].unalias().copy())


@tree_rule("COUNT(DISTINCT ...) takes one expression.")
def counted_columns(tree: StatementTree) -> None:
    """COUNT(DISTINCT a, b) counts the rows of a SELECT DISTINCT a, b without NULL."""
    for select in tree.selects():
        call = select.expressions[0].unalias()
        distinct = call.expressions[0] if call.name in COUNTS and call.expressions else None
        columns = distinct.expressions if isinstance(distinct, exp.Distinct) else []
        names = {column.name.lower() for column in columns}
        is_plain = len(select.expressions) == 1 and not select.args.get("group")
        if is_plain and 1 < len(columns) == len(names) and select.args.get("from_"):
            clauses = {name: select.args.get(name) for name in ("from_", "joins", "where")}
            inner = exp.Select(expressions=columns, distinct=exp.Distinct(), **clauses)
            for column in columns:
                add_condition(inner, exp.Not(this=column.copy().is_(exp.Null())))
            call.set("expressions", [exp.Star()])
            alias = exp.TableAlias(this=exp.to_identifier(tree.fresh_name("d")))
            select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
            select.set("joins", None)
            select.set("where", None)


@tree_rule("WHERE filters single rows; HAVING filters groups.")
def aggregate_in_where(tree: StatementTree) -> None:
    """A condition on an aggregate belongs in HAVING."""
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


@tree_rule("Every selected column that is not aggregated belongs in GROUP BY.")
def missing_group(tree: StatementTree) -> None:
    """Listed columns next to an aggregate are grouped, where that keeps the rows meant.

    Without any GROUP BY, by all of them; else only columns of a node whose key or name is grouped.
    """
    for select in tree.selects():
        items = [item.unalias() for item in select.expressions]
        if not any(map(has_group_aggregate, items)) or any(map(_is_open, items)):
            continue
        plain = [i for i in items if not has_group_aggregate(i) and _has_columns(i)]
        if select.args.get("group") is None:
            _add_group(tree, select, plain)
        else:
            _extend_group(tree, select, plain)


def _is_open(item: exp.Expr) -> bool:
    return item.is_star or isinstance(item, exp.Paren | exp.Subquery)


def _has_columns(item: exp.Expr) -> bool:
    parts = nodes_of_row(item)
    return not nodes_of(item, exp.Query) and any(isinstance(p, exp.Column) for p in parts)


def _extend_group(tree: StatementTree, select: exp.Select, plain: list[exp.Expr]) -> None:
    """Group by columns of nodes whose key or name is grouped, those of ORDER BY included."""
    group, order = select.args["group"], select.args.get("order")
    if any(group.args.get(name) for name in ("rollup", "cube", "grouping_sets", "all")):
        return
    sorted_by = [key.this for key in order.expressions] if order is not None else []
    plain = plain + [key for key in sorted_by if isinstance(key, exp.Column) and key.table]
    present = {expression_key(item) for item in group.expressions}
    lacking = {key: i for i in plain if (key := expression_key(i)) not in present}
    if group.expressions and all(_belongs(tree, item, present) for item in lacking.values()):
        group.set("expressions", [*group.expressions, *(i.copy() for i in lacking.values())])


def _belongs(tree: StatementTree, item: exp.Expr, present: set[tuple[object, ...]]) -> bool:
    """Return whether a column depends on a key or name that is already grouped."""
    if not isinstance(item, exp.Column) or not item.table:
        return False
    node = tree.node_of(item.table, item)
    names = (node.key, node.label) if node else ()
    return any(expression_key(exp.column(name, item.table)) in present for name in names)


def _add_group(tree: StatementTree, select: exp.Select, plain: list[exp.Expr]) -> None:
    """Group by the listed columns, and by the key of a node whose name others may have, too."""
    if not plain or select.args.get("from_") is None or _wants_extreme(select):
        return
    keys = [key for item in plain for key in (_key(tree, select, item), item) if key is not None]
    by_key = {expression_key(key): key.copy() for key in keys}
    select.set("group", exp.Group(expressions=list(by_key.values())))


def _wants_extreme(select: exp.Select) -> bool:
    """Return whether the first of unsorted groups would replace the row with an extreme."""
    limit = select.args.get("limit")
    if limit is None or select.args.get("order") is not None:
        return False
    count = limit.args.get("expression") or limit.args.get("count")
    output_nodes = [node for item in select.expressions for node in nodes_of_row(item)]
    is_extreme = any(isinstance(n, exp.Anonymous) and n.name in EXTREMES for n in output_nodes)
    return is_extreme or (count is not None and whole_number(count) == 1)


def _key(tree: StatementTree, select: exp.Select, item: exp.Expr) -> exp.Column | None:
    """Return the key of a listed name that several nodes may have.

    Where nothing is joined, or the nodes themselves are counted, names are grouped alone.
    """
    if not isinstance(item, exp.Column) or len(sources(select)) == 1:
        return None
    nodes = [n for s in sources(select).values() if (n := tree.contract.node(s.name))]
    nodes = [tree.node_of(item.table, item)] if item.table else nodes
    node = nodes[0] if len(nodes) == 1 else None
    if node is None or item.name.lower() != node.label.lower() or not _has_namesakes(node):
        return None
    key = exp.column(node.key, item.table or None)
    counted = exp.Distinct(expressions=[key.copy()])
    calls = [node for node in own_nodes(select) if node.name in COUNTS]
    return None if any(counted in call.expressions for call in calls) else key


def _has_namesakes(node: NodeTable) -> bool:
    """Return whether several nodes may have one name."""
    return node.disambiguated_by is not None or node.named_within is not None


@tree_rule("The order of an inner query does not reach the result.")
def inner_order(tree: StatementTree) -> None:
    """An ORDER BY without TOP in a CTE or subquery has no effect outside it."""
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
    """A subquery in FROM gets the alias that it needs."""
    for select in tree.selects():
        for item in items_of(select):
            is_query = isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query)
            if is_query and not item.alias:
                name = exp.to_identifier(tree.fresh_name("d"))
                item.set("alias", exp.TableAlias(this=name))


@tree_rule("Embeddings are compared, never returned.")
def selected_embedding(tree: StatementTree) -> None:
    """An embedding is dropped from the select list: it may be compared, not listed."""
    root = tree.root.unnest() if isinstance(tree.root, exp.Subquery) else tree.root
    vectors = {node.vector.lower() for node in tree.contract.nodes}
    for select in branches(root) if isinstance(root, exp.SetOperation) else [root]:
        items = select.expressions
        remaining = [item for item in items if item.unalias().name.lower() not in vectors]
        if remaining and not select.args.get("distinct"):
            select.set("expressions", remaining)


@tree_rule("A condition is not a value in T-SQL; CASE turns it into 1 or 0.")
def listed_condition(tree: StatementTree) -> None:
    """A comparison in the select list is 1 or 0 by a CASE, and NULL where it is unknown."""
    for select in tree.selects():
        for item in select.expressions:
            value = item.unalias()
            parts = value.flatten() if isinstance(value, exp.Connector) else [value]
            if all(map(is_condition, parts)) and not isinstance(value, exp.Not):
                case = exp.Case().when(value.copy(), exp.Literal.number(1))
                denied = exp.Not(this=exp.Paren(this=value.copy()))
                value.replace(case.when(denied, exp.Literal.number(0)))
