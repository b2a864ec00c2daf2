"""Aggregates, windows, grouping and the rows that TOP keeps, with the types of T-SQL."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import (
    NUMBERS,
    convert_fully,
    convert_implicitly,
    duckdb_type,
    invalid,
    whole_argument,
)
from moviegraph.engines.duckdb.expressions import (
    MACRO_PREFIX,
    Node,
    binary,
    call,
    cast,
    column,
    enclose,
    error_call,
    macro,
    number,
    table_alias,
    text,
    when,
)
from moviegraph.engines.duckdb.function_call import FunctionCall
from moviegraph.engines.duckdb.operators import quotient
from moviegraph.engines.duckdb.refusals import DISTINCT_TOP
from moviegraph.engines.duckdb.text_rules import sort_value, trim_spaces
from moviegraph.sql.functions import CONTINUOUS
from moviegraph.sql.syntax_tree import SqlType, children, nodes_above
from moviegraph.sql.types import (
    MAX,
    WHOLE,
    average_type,
    decimal_type,
    max_characters,
    sum_type,
    type_named,
)

Over = Callable[[Node], Node]
Aggregate = Callable[[FunctionCall, Over], Node]
COUNTED = decimal_type(19, 0)
FLOAT = type_named("FLOAT")


def _plain(name: str) -> Aggregate:
    def translate(args: FunctionCall, over: Over) -> Node:
        return over(call(name, *(args[at] for at in range(len(args)))))

    return translate


def _checked(args: FunctionCall, at: int = 0) -> SqlType:
    """Return the type of an argument that has to be a number, and no BIT."""
    kind = args.kind(at)
    if kind.name != "UNKNOWN" and (kind.name not in NUMBERS or kind.name == "BIT"):
        raise invalid(kind, f"the {args.name.lower()} operator", "CAST the operand AS INT first.")
    return kind


def _as(node: Node, kind: SqlType) -> Node:
    return node if kind.family in ("FLOAT", "UNKNOWN") else cast(node, *duckdb_type(kind))


def _avg(args: FunctionCall, over: Over) -> Node:
    """The sum has the type of SUM, and divided by the count it is truncated, not rounded."""
    kind = _checked(args)
    if kind.family in ("FLOAT", "UNKNOWN"):
        return over(call("avg", args[0]))
    total = _as(over(call("sum", args[0])), sum_type(kind))
    count = call("nullif", over(call("count", args[0])), number(0))
    if kind.name in WHOLE:
        return cast(binary(exp.Div, total, count), *duckdb_type(sum_type(kind)))
    return quotient((total, sum_type(kind)), (count, COUNTED), average_type(kind))


def _spread(name: str) -> Aggregate:
    """STDEV and VAR compute with FLOAT."""

    def translate(args: FunctionCall, over: Over) -> Node:
        return over(
            call(name, _inside(args[0], lambda x: convert_implicitly(x, _checked(args), FLOAT)))
        )

    return translate


def _inside(argument: Node, change: Callable[[Node], Node]) -> Node:
    """Change an argument, or the expression after its DISTINCT."""
    if isinstance(argument, exp.Distinct):
        return exp.Distinct(expressions=[change(item) for item in argument.expressions])
    return change(argument)


def _count(args: FunctionCall, over: Over) -> Node:
    distinct = args.judged[0]
    if not isinstance(distinct, exp.Distinct):
        return over(call("count", args[0]))
    counted = trim_spaces(distinct.expressions[0], args[0].expressions[0])
    return over(call("count", exp.Distinct(expressions=[counted])))


def _count_distinct(args: FunctionCall, over: Over) -> Node:
    counted = trim_spaces(args.judged[0], args[0])
    return over(call("count", exp.Distinct(expressions=[counted])))


def _extreme(name: str) -> Aggregate:
    def translate(args: FunctionCall, over: Over) -> Node:
        if args.kind(0).name == "BIT":
            raise invalid(args.kind(0), f"the {name} operator", "CAST the operand AS INT first.")
        return over(call(name, sort_value(args.judged[0], args[0])))

    return translate


def ordered_string_agg(args: FunctionCall, order: exp.Order) -> Node:
    """Translate STRING_AGG(x, s) WITHIN GROUP (ORDER BY ...)."""
    ordered = exp.Order(this=args[1], expressions=[key.copy() for key in order.expressions])
    return _bounded(args, call("string_agg", args.text(0), ordered))


def _bounded(args: FunctionCall, translated: Node) -> Node:
    """The result has at most 8,000 bytes, unless the input is of a MAX type."""
    kind = args.kind(0)
    if kind.size == MAX:
        return translated
    return macro("limited", translated, number(max_characters(kind.name)), text("aggregate"))


def _offset(name: str) -> Aggregate:
    """LAG and LEAD; the default for a missing row has the type of the others."""

    def translate(args: FunctionCall, over: Over) -> Node:
        arguments = [args[at] for at in range(len(args))]
        if len(args) > 1:
            arguments[1] = _rows_away(args)
        if len(args) == 3:
            arguments[2] = convert_fully(args[2], args.judged[2], args.kind(0))
        return over(call(name, *arguments))

    return translate


def _rows_away(args: FunctionCall) -> Node:
    """A negative offset is an error, as it is in SQL Server."""
    offset = whole_argument(args, 1)
    if args.number(1) is not None:
        return offset
    return when(binary(exp.LT, offset, number(0)), error_call("offset"), offset.copy())


def percentile(args: FunctionCall, order: exp.Order, kind: SqlType) -> Node:
    """Translate PERCENTILE_CONT(p) or PERCENTILE_DISC(p) WITHIN GROUP (ORDER BY x).

    The approximate ones are exact here; a DECIMAL is beyond the discrete one of SQL Server.
    """
    by = order.expressions[0]
    if kind.name not in (*NUMBERS, "UNKNOWN"):
        raise invalid(kind, args.name)
    if args.name == "APPROX_PERCENTILE_DISC" and kind.name == "DECIMAL":
        raise invalid(kind, args.name, "CAST it AS FLOAT first.")
    downwards = bool(by.args.get("desc"))
    if args.name in CONTINUOUS:
        share = binary(exp.Sub, number(1), args[0]) if downwards else args[0]
        return call("quantile_cont", convert_implicitly(by.this.copy(), kind, FLOAT), share)
    share = args[0]
    if downwards:  # a share below 0 counts from the largest value on, which -0 cannot say
        share = number(1) if args.number(0) == 0 else exp.Neg(this=share)
    return call("quantile_disc", by.this.copy(), share)


AGGREGATES: dict[str, Aggregate] = {
    "APPROX_COUNT_DISTINCT": _count_distinct,
    "AVG": _avg,
    "COUNT": _count,
    "COUNT_BIG": _count,
    "GROUPING": _plain("grouping"),
    "GROUPING_ID": _plain("grouping"),
    "MAX": _extreme("max"),
    "MIN": _extreme("min"),
    "STDEV": _spread("stddev_samp"),
    "STDEVP": _spread("stddev_pop"),
    "STRING_AGG": lambda args, over: _bounded(
        args, over(call("string_agg", args.text(0), args[1]))
    ),
    "SUM": lambda args, over: _as(over(call("sum", args[0])), sum_type(_checked(args))),
    "VAR": _spread("var_samp"),
    "VARP": _spread("var_pop"),
    "CUME_DIST": _plain("cume_dist"),
    "DENSE_RANK": _plain("dense_rank"),
    "FIRST_VALUE": _plain("first_value"),
    "LAG": _offset("lag"),
    "LAST_VALUE": _plain("last_value"),
    "LEAD": _offset("lead"),
    "NTILE": lambda args, over: over(call("ntile", whole_argument(args, 0))),
    "PERCENT_RANK": _plain("percent_rank"),
    "RANK": _plain("rank"),
    "ROW_NUMBER": _plain("row_number"),
}


def write_rollup(group: Node) -> Node:
    """Return a translated GROUP BY; its WITH ROLLUP is ROLLUP (...)."""
    for name, kind in (("rollup", exp.Rollup), ("cube", exp.Cube)):
        groupings: list[Node] = group.args.get(name) or []
        if groupings and not any(item.expressions for item in groupings):
            return exp.Group(expressions=[kind(expressions=group.expressions)])
    return group


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
