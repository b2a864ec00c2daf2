"""Columns of the query around, in a SELECT that is run for each of its rows.

Where such a SELECT finds its rows by `inner = outer` and holds two further subqueries, DuckDB's
optimizer fails with an internal error ("Attempted to access index ..."). It leaves alone what
compares with an expression, which a column becomes here without another value.
"""

from sqlglot import exp

from moviegraph.engines.translation.nearest import compared
from moviegraph.engines.translation.nodes import Node, call
from moviegraph.engines.translation.searches import PREDICATES
from moviegraph.sql.syntax_tree import nodes_above

FEW = 2  # subqueries in a SELECT that DuckDB still optimizes


def is_linking(column: exp.Column, select: exp.Select | None) -> bool:
    """Whether a column of the query around is compared in a SELECT where that would fail."""
    if select is None or not column.meta.get("outer"):
        return False
    around = column.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    if not isinstance(around, exp.EQ | exp.NullSafeEQ):
        return False
    return _is_applied(select) and _subqueries(select) >= FEW


def as_expression(made: Node) -> Node:
    """Return a translated column as an expression of the same value."""
    return call("coalesce", made, exp.Null())


def _is_applied(select: exp.Select) -> bool:
    """Whether the rows of a SELECT, or its one value, are asked for; not whether there are any."""
    around = select.parent
    if isinstance(around, exp.Subquery):
        around = around.parent
    return not isinstance(around, exp.Exists | exp.In | exp.Any | exp.All)


def _subqueries(select: exp.Select) -> int:
    """Return how many subqueries a SELECT holds, searches and distances among them."""
    inside = nodes_above(select, lambda node: isinstance(node, exp.Query) and node is not select)
    return sum(_is_subquery(node) for node in inside if node is not select)


def _is_subquery(node: Node) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name in PREDICATES or compared(node) is not None
    return isinstance(node, exp.Query)
