"""Scales a judged statement to more rows: the root to a number, inner limits in proportion."""

import math

from sqlglot import exp

from moviegraph.sql.decision import Allowed
from moviegraph.sql.render import render


def scaled(allowed: Allowed, top: int, most_inner: int) -> str:
    """Return the T-SQL of the same statement with another number of rows.

    Inner limits grow by the same factor, up to `most_inner`; they never shrink.
    """
    tree = allowed.tree.copy()
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    factor = max(1.0, top / max(1, allowed.cap))
    for query in list(tree.find_all(exp.Select, exp.SetOperation)):
        literal = _literal(query)
        if literal is None:
            continue
        count = int(literal.name)
        wanted = top if query is root else min(most_inner, math.ceil(count * factor))
        literal.replace(exp.Literal.number(wanted if query is root else max(count, wanted)))
    return render(tree, allowed.matches)


def _literal(query: exp.Expr) -> exp.Literal | None:
    """Return the number of TOP or FETCH."""
    limit = query.args.get("limit")
    value = (
        limit.args.get("count" if isinstance(limit, exp.Fetch) else "expression") if limit else None
    )
    inner = value.unnest() if value is not None else None
    return inner if isinstance(inner, exp.Literal) else None
