"""Aggregates, windows, grouping and the rows that TOP keeps, with the types of T-SQL."""

from collections.abc import Callable

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
from moviegraph.engines.duckdb.text_rules import sort_value, trim_spaces
from moviegraph.sql.functions import CONTINUOUS
from moviegraph.sql.syntax_tree import SqlType
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


CHOOSING: dict[str, type[exp.Func]] = {
    "first_value": exp.FirstValue,
    "lag": exp.Lag,
    "last_value": exp.LastValue,
    "lead": exp.Lead,
}


def skip_nulls(core: Node) -> exp.IgnoreNulls:
    """Return a translated LAG, LEAD, FIRST_VALUE or LAST_VALUE that passes over NULL."""
    arguments = zip(("this", "offset", "default"), core.expressions, strict=False)
    return exp.IgnoreNulls(this=CHOOSING[core.name.lower()](**dict(arguments)))


RANKED = "__ranked"


def is_plain_limit(limit: Node | None) -> bool:
    """Return whether a limit is a number of rows and nothing else."""
    options = limit.args.get("limit_options") if isinstance(limit, exp.Limit) else None
    return options is None or not (options.args.get("percent") or options.args.get("with_ties"))


def limit_by_rank(select: exp.Select) -> exp.Select:
    """Return a translated SELECT whose TOP has PERCENT or WITH TIES as one without a limit.

    The rank is taken around it: a sort key may have a window, which is no key of another one. With
    DISTINCT the sort keys are items of the list, so they tell no further rows apart.

        SELECT TOP 1 WITH TIES m.Name FROM m ORDER BY f(m.x)
        -> SELECT r.c0 AS Name FROM (SELECT m.Name AS c0, f(m.x) AS k0 FROM m) AS r
           QUALIFY rank() OVER (ORDER BY r.k0) <= 1 ORDER BY r.k0
    """
    limit = select.args["limit"]
    options = limit.args["limit_options"]
    share = limit.expression.unnest().name
    percent = bool(options.args.get("percent"))
    select.set("limit", None)
    if percent and float(share) == 100:
        return select
    ordering = select.args.get("order")
    keys = [_key(key, select) for key in ordering.expressions] if ordering is not None else []
    cells, outputs = list[Node](), list[Node]()
    for at, item in enumerate(select.expressions):
        cells.append(exp.alias_(item.unalias(), f"c{at}", quoted=True))
        output = column(RANKED, f"c{at}")
        name = item.alias_or_name
        outputs.append(exp.alias_(output, name, quoted=True) if name else output)
    for at, key in enumerate(keys):
        holder = key  # direction and collation stay outside
        while isinstance(holder.this, exp.Paren | exp.Collate):
            holder = holder.this
        cells.append(exp.alias_(holder.this, f"k{at}", quoted=True))
        holder.set("this", column(RANKED, f"k{at}"))
    select.set("order", None)
    select.set("expressions", cells)
    order = exp.Order(expressions=keys) if keys else None
    function = call("rank" if options.args.get("with_ties") else "row_number")
    rank = exp.Window(this=function, order=order, over="OVER")
    return exp.Select(
        expressions=outputs,
        from_=exp.From(this=exp.Subquery(this=select, alias=table_alias(RANKED))),
        qualify=exp.Qualify(this=exp.LTE(this=rank, expression=_most(share, percent))),
        order=order.copy() if order else None,
    )


def _most(share: str, percent: bool) -> Node:
    if not percent:
        return number(int(share))
    rows = exp.Window(this=call("count", exp.Star()), over="OVER")
    requested = binary(exp.Mul, rows, exp.Literal(this=share, is_string=False))
    part = binary(exp.Div, requested, exp.Literal(this="100.0", is_string=False))
    return call("ceil", part)


def _key(ordered: Node, select: exp.Select) -> Node:
    """Return a sort key with an alias or a number of the select list written out."""
    sort_key = holder = ordered.copy()
    while isinstance(holder.this, exp.Paren | exp.Collate):
        holder = holder.this
    key, item = holder.this, None
    if isinstance(key, exp.Literal) and key.is_int:
        item = select.expressions[int(key.name) - 1].unalias()
    elif isinstance(key, exp.Column) and not key.table:
        outputs = {item.alias_or_name.lower(): item.unalias() for item in select.expressions}
        item = outputs.get(key.name.lower())
    if item is not None:
        holder.set("this", enclose(item.copy()))
    return sort_key
