"""The judged tree as T-SQL: marks stripped, patterns printed, identifiers bracketed."""

import logging
from typing import Any, cast

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.tsql import TSQL

from moviegraph.sql.functions import DATEPART_FIRST
from moviegraph.sql.path_aggregates import is_along_path
from moviegraph.sql.patterns import Match
from moviegraph.sql.syntax import ADDED
from moviegraph.sql.types import type_name
from moviegraph.sql.walk import nodes

DIALECT = TSQL()
TYPE_NAMES = {"INT": "INT", "DECIMAL": "DECIMAL"}
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


def render(tree: exp.Expr, matches: tuple[Match, ...]) -> str:
    """Return the T-SQL of a lowered tree; the tree itself is left as it is."""
    copy = tree.copy()
    for node in nodes(copy):
        if isinstance(node, exp.Anonymous):
            _restore(node, matches)
        elif isinstance(node, exp.Version):
            node.replace(exp.Var(this="FOR PATH"))
        elif is_along_path(node):
            # The generator of WITHIN GROUP drops the first character of what it holds.
            node.args["expression"].replace(exp.Var(this=" GRAPH PATH"))
        elif isinstance(node, exp.DataType):
            _name_type(node)
        elif node.meta.get(ADDED):
            node.replace(node.this)
    return DIALECT.generate(
        copy, comments=False, copy=False, unsupported_level=ErrorLevel.RAISE, normalize=False
    )


def _restore(call: exp.Anonymous, matches: tuple[Match, ...]) -> None:
    name = call.name[2:]
    if name == "MATCH":
        call.replace(exp.Var(this=matches[int(call.expressions[0].name)].sql()))
    elif name == "LANGUAGE":
        call.replace(exp.Var(this=f"LANGUAGE {call.expressions[0].name}"))
    else:
        call.set("this", name)
        if name in DATEPART_FIRST:
            call.expressions[0].replace(exp.Var(this=call.expressions[0].name))


def _name_type(node: exp.DataType) -> None:
    """Write a type by its usual name, where sqlglot has another."""
    name = TYPE_NAMES.get(type_name(node))
    if name is not None:
        node.set("this", exp.DataType.Type.USERDEFINED)
        node.set("kind", name)


def same_tree(left: exp.Expr, right: exp.Expr) -> bool:
    """Whether two trees agree in every class and argument; absent and empty are the same."""
    stack: list[tuple[Any, Any]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, exp.Expr):
            if type(a) is not type(b):
                return False
            names = a.args.keys() | b.args.keys()
            stack.extend((a.args.get(name) or None, b.args.get(name) or None) for name in names)
        elif isinstance(a, list) and isinstance(b, list):
            left_items, right_items = cast("list[Any]", a), cast("list[Any]", b)
            if len(left_items) != len(right_items):
                return False
            stack.extend(zip(left_items, right_items, strict=True))
        elif a != b:
            return False
    return True
