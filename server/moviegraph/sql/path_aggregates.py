"""Aggregates along a path: `STRING_AGG(b.Name, '->') WITHIN GROUP (GRAPH PATH)`.

Columns of a FOR PATH table are one value a step of the path, so they stand in such an aggregate
and nowhere else. Lowering writes GRAPH PATH as ORDER BY __GRAPH_PATH.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.sql.functions import FUNCTIONS, PERCENTILES
from moviegraph.sql.patterns import Pattern, ShortestPath
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Scope, Source
from moviegraph.sql.walk import above

GRAPH_PATH = "__GRAPH_PATH"
ALONG_PATHS = ("STRING_AGG", "LAST_VALUE", "SUM", "AVG", "MIN", "MAX", "COUNT")
ORDERED = ("STRING_AGG", *PERCENTILES)


def is_along_path(node: exp.Expr | None) -> bool:
    """Whether a node is an aggregate WITHIN GROUP (GRAPH PATH)."""
    if not isinstance(node, exp.WithinGroup):
        return False
    order = node.expression.expressions
    return len(order) == 1 and order[0].this.name == GRAPH_PATH


def carried(item: exp.Expr) -> exp.Column | None:
    """Return the column whose value an item of a select list carries unchanged, if it does."""
    inner = item.this if isinstance(item, exp.Alias) else item
    if is_along_path(inner) and inner.this.name == "__LAST_VALUE":
        inner = inner.this.expressions[0]
    return inner if isinstance(inner, exp.Column) else None


def check_within_group(node: exp.WithinGroup) -> None:
    """Check which function it is, and where it stands. Raises RefusalError."""
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
    _check_place(node, name)
    _check_argument(call, name)


def _check_place(node: exp.WithinGroup, name: str) -> None:
    clause = node.find_ancestor(
        exp.Where, exp.Join, exp.Group, exp.Having, exp.Select, exp.WithinGroup
    )
    if isinstance(clause, exp.WithinGroup):
        raise RefusalError("path_aggregate", "An aggregate along a path holds no other.")
    if not isinstance(clause, exp.Select):
        raise RefusalError(
            "path_aggregate",
            f"{name} WITHIN GROUP (GRAPH PATH) stands in the select list or in ORDER BY. Name it "
            "there, put the SELECT into a CTE, and filter or group around that.",
        )
    if isinstance(node.parent, exp.Window) and node.parent.this is node:
        raise RefusalError("path_aggregate", "WITHIN GROUP (GRAPH PATH) takes no OVER.")


def _check_argument(call: exp.Anonymous, name: str) -> None:
    for argument in call.expressions:
        if isinstance(argument, exp.Star):
            raise RefusalError(
                "path_aggregate",
                "COUNT(*) along a path is ambiguous; count a column of the nodes, COUNT(b.Id), "
                "or alias.*.",
            )
        if isinstance(argument, exp.Distinct):
            raise RefusalError("path_aggregate", f"{name} along a path takes no DISTINCT.")
        if argument.find(exp.Query) is not None:
            raise RefusalError("path_aggregate", f"{name} along a path holds no subquery.")


def check_path_column(column: exp.Column, source: Source) -> None:
    """Refuse a column of a FOR PATH table outside of an aggregate along its path."""
    holder = column.parent
    while holder is not None and not isinstance(holder, exp.Select):
        if is_along_path(holder) and not column.meta.get("outer"):
            return
        holder = holder.parent
    name = f"{source.alias}.{column.name}"
    raise RefusalError(
        "path_column",
        f"{source.alias} is FOR PATH, so {name} is one value a step; it stands only in an "
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
    found = list(_along_paths(select))
    if not found:
        return
    paths = {
        alias.lower(): number
        for number, path in enumerate(patterns)
        if isinstance(path, ShortestPath)
        for step in path.steps
        for alias in (step.edge, step.node)
    }
    for along in found:
        _check_one_path(along, paths, scope)
    if select.args.get("group") is not None or _has_group_aggregate(select):
        raise RefusalError(
            "path_aggregate",
            "An aggregate along a path gives one value a path, and stands with no GROUP BY or "
            "aggregate over rows in one SELECT. Put the paths into a CTE, and group around that.",
        )


def _check_one_path(along: exp.WithinGroup, paths: dict[str, int], scope: Scope) -> None:
    name = along.this.name[2:]
    value = along.this.expressions[0]
    aliases = {
        str(column.meta.get("alias", "")).lower()
        for argument in along.this.expressions
        for column in argument.find_all(exp.Column)
    }
    used = {paths[alias] for alias in aliases if alias in paths}
    if len(used) != 1 or not any(
        str(column.meta.get("alias", "")).lower() in paths for column in value.find_all(exp.Column)
    ):
        raise RefusalError(
            "path_aggregate",
            f"{name} WITHIN GROUP (GRAPH PATH) runs along one path: it takes columns of the "
            "FOR PATH tables of one SHORTEST_PATH. Other columns stand beside it, without it.",
        )
    if name == "LAST_VALUE" and any(
        scope.sources[alias].kind == "edge" for alias in aliases if alias in scope.sources
    ):
        raise RefusalError(
            "path_aggregate", "LAST_VALUE along a path takes columns of a node table, not an edge."
        )


def _has_group_aggregate(select: exp.Select) -> bool:
    parts = [*select.expressions, select.args.get("order"), select.args.get("having")]
    return any(
        _is_group_aggregate(node)
        for part in parts
        if isinstance(part, exp.Expr)
        for node in part.walk(prune=lambda n: isinstance(n, exp.Select) or is_along_path(n))
    )


def _is_group_aggregate(node: exp.Expr) -> bool:
    if not isinstance(node, exp.Anonymous) or isinstance(node.parent, exp.Window):
        return False
    function = FUNCTIONS.get(node.name[2:])
    along = is_along_path(node.parent)
    return function is not None and function.kind == "aggregate" and not along


def _along_paths(select: exp.Select) -> Iterator[exp.WithinGroup]:
    for node in above(select, lambda n: n is not select and isinstance(n, exp.Query)):
        if isinstance(node, exp.WithinGroup) and is_along_path(node):
            yield node
