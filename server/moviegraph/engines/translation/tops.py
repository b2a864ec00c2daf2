"""TOP with ties and TOP n PERCENT: a row stays by its rank among those that the SELECT makes."""

from sqlglot import exp

from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    column,
    enclosed,
    number,
    unsupported,
)

ROWS = "ranked"


def is_plain(limit: Node | None) -> bool:
    """Whether a limit is a number of rows and nothing else."""
    options = limit.args.get("limit_options") if isinstance(limit, exp.Limit) else None
    return options is None or not (options.args.get("percent") or options.args.get("with_ties"))


def kept_by_rank(select: exp.Select) -> exp.Select:
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
        select = _enclosed(select)
    order = select.args.get("order")
    keys = [_key(each, select) for each in order.expressions] if order is not None else []
    by = exp.Order(expressions=keys) if keys else None
    place = exp.Window(this=call("rank" if ties else "row_number"), order=by, over="OVER")
    select.set("qualify", exp.Qualify(this=exp.LTE(this=place, expression=_most(share, percent))))
    return select


def _most(share: str, percent: bool) -> Node:
    if not percent:
        return number(int(share))
    rows = exp.Window(this=call("count", exp.Star()), over="OVER")
    asked = binary(exp.Mul, rows, exp.Literal(this=share, is_string=False))
    part = binary(exp.Div, asked, exp.Literal(this="100.0", is_string=False))
    return call("ceil", part)


def _key(ordered: Node, select: exp.Select) -> Node:
    """Return a sort key with an alias or a number of the select list written out."""
    key = ordered.this.unnest()
    made = ordered.copy()
    if isinstance(key, exp.Literal) and key.is_int:
        made.set("this", enclosed(select.expressions[int(key.name) - 1].unalias().copy()))
    elif isinstance(key, exp.Column) and not key.table:
        named = {item.alias_or_name.lower(): item.unalias() for item in select.expressions}
        found = named.get(key.name.lower())
        if found is not None:
            made.set("this", enclosed(found.copy()))
    return made


def _enclosed(select: exp.Select) -> exp.Select:
    """Put DISTINCT into a derived table, for its rows are counted after it."""
    order = select.args.get("order")
    select.set("order", None)
    names = [item.alias_or_name for item in select.expressions]
    if not all(names):
        raise unsupported("DISTINCT TOP with PERCENT or WITH TIES over columns without a name")
    keys: list[Node] = []
    listed: list[Node] = order.expressions if order is not None else []
    for each in listed:
        at = _position(each.this, select)
        key = each.copy()
        key.set("this", column(ROWS, names[at]))
        keys.append(key)
    inner = exp.Subquery(
        this=select, alias=exp.TableAlias(this=exp.Identifier(this=ROWS, quoted=True))
    )
    return exp.Select(
        expressions=[column(ROWS, name) for name in names],
        from_=exp.From(this=inner),
        order=exp.Order(expressions=keys) if keys else None,
    )


def _position(key: Node, select: exp.Select) -> int:
    """Return which column of the select list a sort key is."""
    plain = key.unnest()
    if isinstance(plain, exp.Literal) and plain.is_int:
        return int(plain.name) - 1
    for at, item in enumerate(select.expressions):
        named = isinstance(plain, exp.Column) and not plain.table
        if (named and item.alias_or_name.lower() == plain.name.lower()) or item.unalias() == plain:
            return at
    raise unsupported("DISTINCT TOP with PERCENT or WITH TIES by a computed order")
