"""Traversal and copies of sqlglot trees, faster than its own iterators."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from sqlglot import exp

Node = TypeVar("Node", bound=exp.Expr)


def nodes(tree: exp.Expr) -> list[exp.Expr]:
    """Return every node, breadth first."""
    found = [tree]
    for node in found:  # as in `children`, without a call and a list for each of thousands
        for value in node.args.values():
            if isinstance(value, exp.Expr):
                found.append(value)
            elif isinstance(value, list):
                listed = cast("list[Any]", value)
                found.extend([each for each in listed if isinstance(each, exp.Expr)])
    return found


def children(node: exp.Expr) -> list[exp.Expr]:
    """Return the nodes directly below one node."""
    found: list[exp.Expr] = []
    for value in node.args.values():
        if isinstance(value, exp.Expr):
            found.append(value)
        elif isinstance(value, list):
            listed = cast("list[Any]", value)
            found.extend(each for each in listed if isinstance(each, exp.Expr))
    return found


def nodes_above(tree: exp.Expr, stops: Callable[[exp.Expr], bool]) -> list[exp.Expr]:
    """Return every node, breadth first, but none below those at which it stops."""
    found = [tree]
    for node in found:
        if not stops(node):
            found.extend(children(node))
    return found


def nodes_of(tree: exp.Expr, kind: type[Node]) -> list[Node]:
    """Return every node of a class, breadth first."""
    return [node for node in nodes(tree) if isinstance(node, kind)]


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that must all hold."""
    return _flatten(condition, exp.And)


def disjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """Return the conditions of which one must hold."""
    return _flatten(condition, exp.Or)


def _flatten(condition: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    stack, found = [condition], list[exp.Expr]()
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Paren):
            stack.append(node.this)
        elif isinstance(node, kind):
            stack += [node.this, node.args["expression"]]
        else:
            found.append(node)
    return found


def copy_tree(tree: Node, kept: str = "") -> Node:
    """Return a copy without comments and notes (meta), apart from one kind of note."""
    root = type(tree)()
    stack: list[tuple[exp.Expr, exp.Expr]] = [(tree, root)]
    while stack:
        node, copy = stack.pop()
        if kept and node.meta_get(kept):
            copy.meta[kept] = node.meta[kept]
        for name, value in node.args.items():
            if isinstance(value, exp.Expr):
                copy.args[name] = _child(copy, name, None, value, stack)
            elif isinstance(value, list):
                listed = cast("list[Any]", value)
                copy.args[name] = [
                    _child(copy, name, at, each, stack) if isinstance(each, exp.Expr) else each
                    for at, each in enumerate(listed)
                ]
            else:
                copy.args[name] = value
    return root


def _child(
    parent: exp.Expr,
    name: str,
    index: int | None,
    node: exp.Expr,
    stack: list[tuple[exp.Expr, exp.Expr]],
) -> exp.Expr:
    made = type(node)()
    made.parent, made.arg_key, made.index = parent, name, index
    stack.append((node, made))
    return made
