"""Checks of where a node stands: sqlglot reads stars, aliases and queries in more places."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from moviegraph.sql.functions import FULLTEXT
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.walk import of_kind


def _check_star(node: exp.Star) -> None:
    holder = node.parent.parent if isinstance(node.parent, exp.Column) else node.parent
    called = isinstance(holder, exp.Anonymous) or (
        isinstance(holder, exp.Paren)
        and isinstance(holder.parent, exp.Anonymous)
        and holder.parent.name[2:] in FULLTEXT
    )
    if not (isinstance(holder, exp.Select) or called):
        raise RefusalError(
            "syntax", "A * stands by itself in the select list, or in COUNT(*); it takes no alias."
        )


def _check_alias(node: exp.Alias) -> None:
    if not isinstance(node.parent, exp.Select):
        raise RefusalError("syntax", "Only a column of the select list can be named with AS.")


def _check_query(node: exp.Expr) -> None:
    if isinstance(node.parent, exp.Anonymous):
        raise RefusalError(
            "syntax", "A subquery stands in parentheses of its own: F((SELECT ...))."
        )


def check_parenthesised(tree: exp.Expr) -> None:
    """A query in parentheses of its own, alone or as an arm, takes no ORDER BY in T-SQL."""
    for node in of_kind(tree, exp.Subquery):
        bare = node.parent is None or isinstance(node.parent, exp.SetOperation | exp.Subquery)
        if bare and not node.args.get("alias") and node.this.args.get("order") is not None:
            raise RefusalError(
                "syntax",
                "ORDER BY cannot stand inside these parentheses. Drop them, or make the arm a "
                "derived table: SELECT * FROM (SELECT TOP 5 ... ORDER BY ...) AS x.",
            )


def _check_tuple(node: exp.Tuple) -> None:
    parent = node.parent
    rows = isinstance(parent, exp.Values | exp.GroupingSets | exp.Cube | exp.Rollup)
    columns = isinstance(parent, exp.Anonymous) and parent.name[2:] in FULLTEXT
    if not (rows or columns):
        raise RefusalError("syntax", "A list in parentheses is no value in T-SQL.")


def _check_values(node: exp.Values) -> None:
    holder = node.parent
    while isinstance(holder, exp.Subquery):
        holder = holder.parent
    if not isinstance(holder, exp.From | exp.Join | exp.Lateral):
        raise RefusalError("syntax", "VALUES stands in FROM only: FROM (VALUES (1), (2)) AS v(x).")


POSITIONS: dict[type[exp.Expr], Callable[[Any], None]] = {
    exp.Alias: _check_alias,
    exp.Except: _check_query,
    exp.Intersect: _check_query,
    exp.Select: _check_query,
    exp.Star: _check_star,
    exp.Tuple: _check_tuple,
    exp.Union: _check_query,
    exp.Values: _check_values,
}
