"""Windows, and the rows that TOP with PERCENT or WITH TIES keeps."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from moviegraph.engines.duckdb.aggregates import Over
from moviegraph.engines.duckdb.expressions import (
    MACRO_PREFIX,
    Node,
    binary,
    call,
    column,
    enclose,
    number,
    table_alias,
)
from moviegraph.engines.duckdb.refusals import DISTINCT_TOP
from moviegraph.sql.syntax_tree import children, nodes_above

WRAPPED = (exp.IgnoreNulls, exp.RespectNulls)
CHOOSING: dict[str, type[exp.Func]] = {
    "first_value": exp.FirstValue,
    "lag": exp.Lag,
    "last_value": exp.LastValue,
    "lead": exp.Lead,
}


SKIPPING = tuple(CHOOSING.values())


def _skipping_nulls(core: Node) -> exp.IgnoreNulls:
    """Return a translated LAG, LEAD, FIRST_VALUE or LAST_VALUE that passes over NULL."""
    arguments = zip(("this", "offset", "default"), core.expressions, strict=False)
    return exp.IgnoreNulls(this=CHOOSING[core.name.lower()](**dict(arguments)))


def window_parts(node: exp.Window) -> dict[str, Any]:
    """Return the validated parts of a window."""
    return {name: node.args.get(name) for name in ("partition_by", "order", "spec")}


def over_window(
    node: exp.Window, parts: dict[str, Any], called: Callable[[Node, Over], Node]
) -> Node:
    """Return a function over its translated window."""
    inner = node.this
    skipping = isinstance(inner, exp.IgnoreNulls)

    def over(core: Node) -> Node:
        core = _skipping_nulls(core) if skipping else core
        return exp.Window(this=core, over="OVER", **_copied(parts))

    return called(inner.this if isinstance(inner, WRAPPED) else inner, over)


def _copied(clauses: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the arguments of a node."""
    holder = exp.Window()
    for name, value in clauses.items():
        holder.set(name, value)
    return holder.copy().args


INNER = "__window"
TRANSPARENT = (exp.Collate, exp.Distinct, exp.IgnoreNulls, exp.Order, exp.Ordered, exp.Paren)
CONSTANT = (
    *(exp.Boolean, exp.Cast, exp.DataType, exp.DataTypeParam, exp.Literal, exp.Neg, exp.Null),
    *(exp.Paren, exp.Star, exp.WindowSpec),
)


def lift_window_keys(select: exp.Select) -> exp.Select:
    """Return a translated SELECT in which DuckDB takes the keys of every window.

    It refuses a key that can fail, because `error` is volatile to it, and a window in the keys of
    another one. Then an inner SELECT computes what has no window in it, and the outer one only the
    windows:

        SELECT m.Id, RANK() OVER (ORDER BY tsql_sqrt(m.x)) AS r FROM m WHERE m.x > 1
        -> SELECT w.k0 AS Id, RANK() OVER (ORDER BY w.k1) AS r
           FROM (SELECT m.Id AS k0, tsql_sqrt(m.x) AS k1 FROM m WHERE m.x > 1) AS w

    It runs after MATCH has added its tables and conditions, or these would join the outer SELECT.
    """
    if not any(map(_has_refused_key, _windows(select))):
        return select
    items: dict[Node, Node] = {}
    outer = exp.Select(with_=select.args.get("with_"), distinct=select.args.get("distinct"))
    # QUALIFY first: its rank is by the sort keys, which the ORDER BY then takes from the same item.
    if (qualify := select.args.get("qualify")) is not None:
        outer.set("qualify", exp.Qualify(this=_over_items(qualify.this, items)))
    outer.set("expressions", [_output(item, items) for item in select.expressions])
    if (order := select.args.get("order")) is not None:
        keys = [_sort_key(key, items) for key in order.expressions]
        outer.set("order", exp.Order(expressions=keys))
    for name in ("limit", "offset"):
        outer.set(name, select.args.get(name))
    inner = exp.Select(
        expressions=[exp.alias_(value, item.name, quoted=True) for value, item in items.items()]
    )
    for name in ("from_", "joins", "where", "group", "having"):
        inner.set(name, select.args.get(name))
    source = exp.Subquery(this=lift_window_keys(inner), alias=table_alias(INNER))
    outer.set("from_", exp.From(this=source))
    return outer


def _windows(select: exp.Select) -> list[exp.Window]:
    parts = [*select.expressions, select.args.get("order"), select.args.get("qualify")]
    return [window for part in parts if part is not None for window in _windows_in(part)]


def _windows_in(node: Node) -> list[exp.Window]:
    inside = nodes_above(node, lambda below: isinstance(below, exp.Query))
    return [below for below in inside if isinstance(below, exp.Window)]


def _has_refused_key(window: exp.Window) -> bool:
    keys = [*_listed(window.args.get("partition_by")), *_listed(window.args.get("order"))]
    return any(_is_refused(node) for key in keys for node in key.walk())


def _is_refused(node: Node) -> bool:
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    return isinstance(node, exp.Window) or name == "error" or name.startswith(MACRO_PREFIX)


def _output(item: Node, items: dict[Node, Node]) -> Node:
    """Return an item of the select list over the inner items, under the same name."""
    if isinstance(item, exp.Alias):
        return exp.Alias(this=_over_items(item.this, items), alias=item.args["alias"])
    lifted = _over_items(item, items)
    return exp.alias_(lifted, item.name, quoted=True) if isinstance(item, exp.Column) else lifted


def _sort_key(key: Node, items: dict[Node, Node]) -> Node:
    """Return a sort key over the inner items; an alias or a number names an output, and stays."""
    plain = key.this.unnest()
    if isinstance(plain, exp.Literal) or (isinstance(plain, exp.Column) and not plain.table):
        return key
    key.set("this", _over_items(key.this, items))
    return key


def _over_items(node: Node, items: dict[Node, Node]) -> Node:
    """Return an expression in which the inner items replace all that has no window in it."""
    if isinstance(node, exp.Window) and node not in items:
        _lift_arguments(node.this, items)
        for name in ("partition_by", "order"):
            for key in _listed(node.args.get(name)):
                key.replace(_key_item(key, items))
        return node
    if node in items or not _windows_in(node):
        return _item(node, items)
    for child in children(node):
        child.replace(_over_items(child, items))
    return node


def _listed(part: Any) -> list[Node]:
    return part.expressions if isinstance(part, exp.Order) else part or []


def _lift_arguments(function: Node, items: dict[Node, Node]) -> None:
    for argument in children(function):
        if isinstance(argument, (*TRANSPARENT, *SKIPPING)):
            _lift_arguments(argument, items)
        else:
            argument.replace(_item(argument, items))


def _key_item(key: Node, items: dict[Node, Node]) -> Node:
    """Return a key of a window over the inner items; its direction and collation stay outside."""
    if not isinstance(key, TRANSPARENT):
        return _item(key, items)
    key.set("this", _key_item(key.this, items))
    return key


def _item(node: Node, items: dict[Node, Node]) -> Node:
    """Return the column of the inner SELECT that holds a value; a constant stays as it is."""
    if all(isinstance(part, CONSTANT) for part in node.walk()):
        return node
    if node not in items:
        items[node.copy()] = column(INNER, f"__k{len(items)}")
    return items[node].copy()


def is_plain_limit(limit: Node | None) -> bool:
    """Return whether a limit is a number of rows and nothing else."""
    options = limit.args.get("limit_options") if isinstance(limit, exp.Limit) else None
    return options is None or not (options.args.get("percent") or options.args.get("with_ties"))


def limit_by_rank(select: exp.Select) -> exp.Select:
    """Return a translated SELECT whose TOP has PERCENT or WITH TIES as one without a limit."""
    limit = select.args["limit"]
    options = limit.args["limit_options"]
    share = limit.expression.unnest().name
    percent = bool(options.args.get("percent"))
    ties = bool(options.args.get("with_ties"))
    select.set("limit", None)
    if percent and float(share) == 100:
        return select
    if select.args.get("distinct"):
        raise DISTINCT_TOP.error()
    order = select.args.get("order")
    keys = [_key(key, select) for key in order.expressions] if order is not None else []
    by = exp.Order(expressions=keys) if keys else None
    rank = exp.Window(this=call("rank" if ties else "row_number"), order=by, over="OVER")
    select.set("qualify", exp.Qualify(this=exp.LTE(this=rank, expression=_most(share, percent))))
    return select


def _most(share: str, percent: bool) -> Node:
    if not percent:
        return number(int(share))
    rows = exp.Window(this=call("count", exp.Star()), over="OVER")
    requested = binary(exp.Mul, rows, exp.Literal(this=share, is_string=False))
    part = binary(exp.Div, requested, exp.Literal(this="100.0", is_string=False))
    return call("ceil", part)


def _key(ordered: Node, select: exp.Select) -> Node:
    """Return a sort key with an alias or a number of the select list written out."""
    key = ordered.this.unnest()
    sort_key = ordered.copy()
    if isinstance(key, exp.Literal) and key.is_int:
        sort_key.set("this", enclose(select.expressions[int(key.name) - 1].unalias().copy()))
    elif isinstance(key, exp.Column) and not key.table:
        outputs = {item.alias_or_name.lower(): item.unalias() for item in select.expressions}
        named_item = outputs.get(key.name.lower())
        if named_item is not None:
            sort_key.set("this", enclose(named_item.copy()))
    return sort_key
