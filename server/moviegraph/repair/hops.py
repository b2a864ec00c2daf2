"""Reads the hops of a MATCH, also of one that is not quite right."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moviegraph.contract.model import EdgeTable
from moviegraph.repair.context import CalledFunction, RefusedStatement


@dataclass(frozen=True, slots=True)
class HopTokens:
    """One hop by piece numbers: nodes left and right, the edge (None where it is empty).

    `forward` is None where the arrow has no head; `opening` is the parenthesis of the edge. The
    arrow ranges from `arrow` to before `behind`: a node may be LAST_NODE(b), or an anchor `a(`.
    """

    left: int
    opening: int
    edge: int | None
    right: int
    forward: bool | None
    arrow: int
    behind: int


def hops(statement: RefusedStatement, call: CalledFunction) -> Iterator[HopTokens]:
    """Yield the hops that can be read, in order."""
    for index in range(call.index + 2, call.last - 1):
        if statement.tokens[index].is_name:
            hop = _hop(statement, index)
            if hop is not None and hop.right < call.last:
                yield hop


def _hop(statement: RefusedStatement, left: int) -> HopTokens | None:
    index, backward = _arrow_at(statement, left), False
    arrow = index
    if statement.upper(index) == "<-":
        index, backward = index + 1, True
    elif statement.upper(index) == "<" and statement.upper(index + 1) == "-":
        index, backward = index + 2, True
    elif statement.upper(index) == "-":
        index += 1
    else:
        return None
    if statement.upper(index) != "(":
        return None
    opening, edge = index, None
    if index + 1 < len(statement.tokens) and statement.tokens[index + 1].is_name:
        edge, index = index + 1, index + 1
    if statement.upper(index + 1) != ")":
        return None
    return _arrow(
        statement, HopTokens(left, opening, edge, index + 2, None, arrow, index + 2), backward
    )


def _arrow_at(statement: RefusedStatement, left: int) -> int:
    """Return where the arrow behind a node begins: `a-`, the anchor `a(-`, or `LAST_NODE(a)-`."""
    anchors = statement.upper(left + 1) == "(" and statement.upper(left + 2) in ("-", "<", "<-")
    last = statement.words(left - 2, "LAST_NODE", "(") and statement.upper(left + 1) == ")"
    return left + 2 if anchors or last else left + 1


def _arrow(statement: RefusedStatement, hop: HopTokens, backward: bool) -> HopTokens | None:
    """Read what stands between the edge and the node on the right."""
    index = hop.right
    if statement.upper(index) == "->":
        right, forward = index + 1, None if backward else True
    elif statement.upper(index) == "-" and statement.upper(index + 1) == ">":
        right, forward = index + 2, None if backward else True
    elif statement.upper(index) == "-":
        right, forward = index + 1, False if backward else None
    else:
        return None
    behind, right = right, right + 2 if statement.words(right, "LAST_NODE", "(") else right
    if right >= len(statement.tokens) or not statement.tokens[right].is_name:
        return None
    return HopTokens(hop.left, hop.opening, hop.edge, right, forward, hop.arrow, behind)


def nodes(
    statement: RefusedStatement,
    call: CalledFunction,
    edge_of: Callable[[RefusedStatement, HopTokens], EdgeTable | None],
) -> dict[int, set[str]]:
    """Return for each node of a MATCH, by piece number, the kinds that its edges allow."""
    found: dict[int, set[str]] = defaultdict(set)
    for hop in hops(statement, call):
        edge = edge_of(statement, hop)
        if edge is None or hop.forward is None:
            continue
        start, end = (hop.left, hop.right) if hop.forward else (hop.right, hop.left)
        for pair in edge.pairs:
            found[start].add(pair.from_table)
            found[end].add(pair.to_table)
    return found
