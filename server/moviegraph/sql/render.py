"""The judged tree as T-SQL: marks stripped, patterns printed, identifiers bracketed."""

import logging
from typing import Any, cast

from sqlglot import exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.errors import UnsupportedError

from moviegraph.sql.approximate import approximate_text
from moviegraph.sql.functions import DATEPART_FIRST
from moviegraph.sql.own_syntax import MARKS, NAMES, own_text, parted
from moviegraph.sql.path_aggregates import is_along_path
from moviegraph.sql.patterns import Match
from moviegraph.sql.syntax import ADDED
from moviegraph.sql.types import type_name
from moviegraph.sql.vector_search import search_text
from moviegraph.sql.walk import copied, nodes

DIALECT = TSQL()
TYPE_NAMES = {"INT": "INT", "DECIMAL": "DECIMAL"}
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


def render(tree: exp.Expr, matches: tuple[Match, ...]) -> str:
    """Return the T-SQL of a lowered tree; the tree itself is left as it is."""
    copy = copied(tree, ADDED)
    for node in reversed(nodes(copy)):  # inner calls first: some are printed here
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
    return written(copy)


def written(tree: exp.Expr) -> str:
    """Return a tree as text, without the passes of sqlglot over what other dialects allow.

    The tree may be changed; it is one that the grammar admits. Raises UnsupportedError.
    """
    generator = DIALECT.generator(comments=False, normalize=False)
    text = generator.sql(tree)
    if generator.unsupported_messages:
        raise UnsupportedError(generator.unsupported_messages[0])
    return text


def _restore(call: exp.Anonymous, matches: tuple[Match, ...]) -> None:
    name = call.name[2:]
    if name == "MATCH":
        call.replace(exp.Var(this=matches[int(call.expressions[0].name)].sql()))
    elif name == "LANGUAGE":
        call.replace(exp.Var(this=f"LANGUAGE {call.expressions[0].name}"))
    elif name == "APPROXIMATE":
        approximate_text(call)
    elif name == "VECTOR_SEARCH":
        call.replace(exp.Var(this=search_text(call)))
    elif name in NAMES:
        values, word = parted(call)
        texts = [written(each) for each in values]
        call.replace(exp.Var(this=own_text(name, texts, word)))
    elif call.name not in MARKS:
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
