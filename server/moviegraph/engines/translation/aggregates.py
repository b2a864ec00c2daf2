"""Aggregates and window functions; the average of whole numbers is a whole number."""

from collections.abc import Callable

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, inner_type
from moviegraph.engines.translation.nodes import Node, binary, call, cast, number

Finish = Callable[[Node], Node]
Aggregate = Callable[[Call], tuple[Node, Finish]]
WHOLE = ("INT", "BIGINT", "BIT")


def _as_it_is(node: Node) -> Node:
    return node


def _to_whole(node: Node) -> Node:
    return cast(call("trunc", node), "BIGINT")


def _to_bigint(node: Node) -> Node:
    return cast(node, "BIGINT")


def _plain(name: str) -> Aggregate:
    def translate(given: Call) -> tuple[Node, Finish]:
        return call(name, *(given[at] for at in range(len(given)))), _as_it_is

    return translate


def _avg(given: Call) -> tuple[Node, Finish]:
    whole = inner_type(given.given[0]) in WHOLE
    return call("avg", given[0]), _to_whole if whole else _as_it_is


def _sum(given: Call) -> tuple[Node, Finish]:
    whole = inner_type(given.given[0]) in WHOLE
    return call("sum", given[0]), _to_bigint if whole else _as_it_is


def _count_distinct(given: Call) -> tuple[Node, Finish]:
    return call("count", exp.Distinct(expressions=[given[0]])), _as_it_is


def _string_agg(given: Call) -> tuple[Node, Finish]:
    return call("string_agg", given.text(0), given[1]), _as_it_is


def _ntile(given: Call) -> tuple[Node, Finish]:
    return call("ntile", cast(given[0], "INT")), _as_it_is


def ordered_string_agg(given: Call, order: exp.Order) -> Node:
    """Translate STRING_AGG(x, s) WITHIN GROUP (ORDER BY ...)."""
    ordered = exp.Order(this=given[1], expressions=[each.copy() for each in order.expressions])
    return call("string_agg", given.text(0), ordered)


def percentile(given: Call, order: exp.Order) -> Node:
    """Translate PERCENTILE_CONT(p) or PERCENTILE_DISC(p) WITHIN GROUP (ORDER BY x)."""
    name = "quantile_cont" if given.name == "PERCENTILE_CONT" else "quantile_disc"
    by = order.expressions[0]
    share = binary(exp.Sub, number(1), given[0]) if by.args.get("desc") else given[0]
    return call(name, by.this.copy(), share)


AGGREGATES: dict[str, Aggregate] = {
    "APPROX_COUNT_DISTINCT": _count_distinct,
    "AVG": _avg,
    "COUNT": _plain("count"),
    "COUNT_BIG": _plain("count"),
    "GROUPING": _plain("grouping"),
    "GROUPING_ID": _plain("grouping"),
    "MAX": _plain("max"),
    "MIN": _plain("min"),
    "STDEV": _plain("stddev_samp"),
    "STDEVP": _plain("stddev_pop"),
    "STRING_AGG": _string_agg,
    "SUM": _sum,
    "VAR": _plain("var_samp"),
    "VARP": _plain("var_pop"),
    "CUME_DIST": _plain("cume_dist"),
    "DENSE_RANK": _plain("dense_rank"),
    "FIRST_VALUE": _plain("first_value"),
    "LAG": _plain("lag"),
    "LAST_VALUE": _plain("last_value"),
    "LEAD": _plain("lead"),
    "NTILE": _ntile,
    "PERCENT_RANK": _plain("percent_rank"),
    "RANK": _plain("rank"),
    "ROW_NUMBER": _plain("row_number"),
}
