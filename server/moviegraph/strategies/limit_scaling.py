"""Scales a judged statement to more rows: the root to a number, inner limits in proportion."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.sql.decision import Allowed
from moviegraph.sql.derived_tables import is_one_row
from moviegraph.sql.limits import root_count
from moviegraph.sql.render import render

SOURCES = frozenset({"__CONTAINSTABLE", "__FREETEXTTABLE", "__VECTOR_SEARCH"})


@dataclass(frozen=True, slots=True)
class Scaled:
    """A statement with other limits: how each inner one grew, and whether its rows have an order.

    `one_row` says that the statement returns one row whatever its limits, so that none was changed.
    """

    sql: str
    grown: tuple[tuple[int, int], ...] = ()
    ordered: bool = True
    one_row: bool = False


def scaled(allowed: Allowed, top: int, most_inner: int) -> Scaled:
    """Return the same statement with another number of rows.

    Inner limits grow by the same factor, up to `most_inner`; they never shrink. An inner limit of 1
    is a choice and stays, and so does one that says what is left out, or that fills a single cell.
    """
    tree = allowed.tree.copy()
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    if isinstance(root, exp.Select) and is_one_row(root):
        return Scaled(allowed.sql, one_row=True)
    factor = max(1.0, top / max(1, allowed.cap))
    grown: list[tuple[int, int]] = []
    for literal in list(_inner(root)):
        count = int(literal.name)
        wanted = max(count, min(most_inner, math.ceil(count * factor)))
        if wanted > count:
            literal.replace(exp.Literal.number(wanted))
            grown.append((count, wanted))
    limit = root_count(root)
    if limit is not None:
        limit.replace(exp.Literal.number(top))
    ordered = root.args.get("order") is not None
    return Scaled(render(tree, allowed.matches), tuple(grown), ordered)


def _inner(root: exp.Expr) -> Iterator[exp.Literal]:
    """Yield the limits below the root that decide how much reaches it."""
    for node in root.find_all(exp.Select, exp.SetOperation, exp.Anonymous):
        if node is root or not _feeds(node, root):
            continue
        literal = _count_of_source(node) if isinstance(node, exp.Anonymous) else root_count(node)
        if literal is not None and int(literal.name) > 1:
            yield literal


def _feeds(node: exp.Expr, root: exp.Expr) -> bool:
    """Whether more rows of a node can mean more rows of the root."""
    while node is not root and node.parent is not None:
        parent = node.parent
        if isinstance(parent, exp.Not | exp.All):
            return False
        if isinstance(parent, exp.Except) and node.arg_key == "expression":
            return False
        if isinstance(parent, exp.Select) and node.arg_key in ("expressions", "order", "limit"):
            return False
        node = parent
    return True


def _count_of_source(call: exp.Anonymous) -> exp.Literal | None:
    """Return how many rows a full-text table or a vector search may find, where it says so."""
    last = call.expressions[-1] if call.name in SOURCES else None
    return last if isinstance(last, exp.Literal) and not last.is_string else None
