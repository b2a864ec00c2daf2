"""The hops of MATCH as equalities of DuckDB columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, column
from moviegraph.sql.match_patterns import Chain, Match


@dataclass(frozen=True, slots=True)
class EdgeEnd:
    """One end of one hop: an edge alias, its column, and the node alias there."""

    edge: str
    column: str
    node: str
    last: bool

    def equals(self, node_id: exp.Column) -> Node:
        """Return the condition that the edge ends at this node."""
        return exp.EQ(this=column(self.edge, self.column), expression=node_id)


def edge_ends(chain: Chain) -> Iterator[EdgeEnd]:
    """Yield both ends of every hop of a chain, the start of the edge first."""
    here = (chain.start, chain.last)
    for step in chain.steps:
        there = (step.node, step.last)
        source, target = (here, there) if step.forward else (there, here)
        yield EdgeEnd(step.edge, "$from_id", *source)
        yield EdgeEnd(step.edge, "$to_id", *target)
        here = there


def match_of(call: exp.Anonymous, matches: tuple[Match, ...]) -> Match:
    """Return the patterns that a call of __MATCH stands for."""
    return matches[int(call.expressions[0].name)]


def conjuncts(condition: Node | None) -> Iterator[Node]:
    """Yield what a condition joins by AND."""
    stack = [] if condition is None else [condition]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Paren):
            stack.append(node.this)
        elif isinstance(node, exp.And):
            stack += [node.args["expression"], node.this]
        else:
            yield node


def where_of(select: exp.Select) -> list[Node]:
    """Return what the WHERE of a SELECT joins by AND."""
    where = select.args.get("where")
    return list(conjuncts(where.this)) if where is not None else []


def is_match(node: Node) -> TypeGuard[exp.Anonymous]:
    """Whether a node stands for MATCH."""
    return isinstance(node, exp.Anonymous) and node.name == "__MATCH"


def matches_of(select: exp.Select, matches: tuple[Match, ...]) -> list[Match]:
    """Return every MATCH of the WHERE of a SELECT."""
    return [match_of(part, matches) for part in where_of(select) if is_match(part)]


def sources_of(select: exp.Select) -> list[exp.Join | exp.From]:
    """Return the items of FROM."""
    first = select.args.get("from_")
    joins: list[exp.Join] = select.args.get("joins") or []
    return [*([first] if first is not None else []), *joins]


def is_plain(item: exp.Join | exp.From) -> bool:
    """Whether a source stands between commas and holds rows of its own."""
    joined = any(item.args.get(part) for part in ("side", "kind", "on", "method", "using"))
    nested = item.this.args.get("joins") or item.this.args.get("pivots")
    return not joined and not nested and isinstance(item.this, exp.Table | exp.Subquery)
