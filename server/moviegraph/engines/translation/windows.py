"""Windows with the named ones written out, and grouping sets in the spelling of DuckDB."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from moviegraph.engines.translation.aggregates import Over
from moviegraph.engines.translation.nodes import Node
from moviegraph.sql.grouping import resolve_window

WRAPPED = (exp.IgnoreNulls, exp.RespectNulls)
CHOOSING: dict[str, type[exp.Func]] = {
    "first_value": exp.FirstValue,
    "lag": exp.Lag,
    "last_value": exp.LastValue,
    "lead": exp.Lead,
}


def _skipping_nulls(core: Node) -> exp.IgnoreNulls:
    """Return a translated LAG, LEAD, FIRST_VALUE or LAST_VALUE that passes over NULL."""
    given = zip(("this", "offset", "default"), core.expressions, strict=False)
    return exp.IgnoreNulls(this=CHOOSING[core.name.lower()](**dict(given)))


def window_parts(node: exp.Window) -> dict[str, Any]:
    """Return the judged parts of a window, those of the windows that it names included."""
    parts = resolve_window(node)
    return {"partition_by": parts.partition_by, "order": parts.order, "spec": parts.spec}


def windowed(node: exp.Window, parts: dict[str, Any], called: Callable[[Node, Over], Node]) -> Node:
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


def rolled_up(group: Node) -> Node:
    """Return a translated GROUP BY; its WITH ROLLUP is ROLLUP (...)."""
    for name, kind in (("rollup", exp.Rollup), ("cube", exp.Cube)):
        listed: list[Node] = group.args.get(name) or []
        if listed and not any(each.expressions for each in listed):
            return exp.Group(expressions=[kind(expressions=group.expressions)])
    return group
