"""Reads the hops of a MATCH, also of one that is not quite right."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moviegraph.contract.model import EdgeTable
from moviegraph.sql.repair.broken import Broken, CalledFunction


@dataclass(frozen=True, slots=True)
class Hop:
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


def hops(broken: Broken, call: CalledFunction) -> Iterator[Hop]:
    """Yield the hops that can be read, in order."""
    for at in range(call.at + 2, call.last - 1):
        if broken.pieces[at].is_name:
            hop = _hop(broken, at)
            if hop is not None and hop.right < call.last:
                yield hop


def _hop(broken: Broken, left: int) -> Hop | None:
    at, backward = _arrow_at(broken, left), False
    arrow = at
    if broken.upper(at) == "<-":
        at, backward = at + 1, True
    elif broken.upper(at) == "<" and broken.upper(at + 1) == "-":
        at, backward = at + 2, True
    elif broken.upper(at) == "-":
        at += 1
    else:
        return None
    if broken.upper(at) != "(":
        return None
    opening, edge = at, None
    if at + 1 < len(broken.pieces) and broken.pieces[at + 1].is_name:
        edge, at = at + 1, at + 1
    if broken.upper(at + 1) != ")":
        return None
    return _arrow(broken, Hop(left, opening, edge, at + 2, None, arrow, at + 2), backward)


def _arrow_at(broken: Broken, left: int) -> int:
    """Return where the arrow behind a node begins: `a-`, the anchor `a(-`, or `LAST_NODE(a)-`."""
    anchors = broken.upper(left + 1) == "(" and broken.upper(left + 2) in ("-", "<", "<-")
    last = broken.words(left - 2, "LAST_NODE", "(") and broken.upper(left + 1) == ")"
    return left + 2 if anchors or last else left + 1


def _arrow(broken: Broken, hop: Hop, backward: bool) -> Hop | None:
    """Read what stands between the edge and the node on the right."""
    at = hop.right
    if broken.upper(at) == "->":
        right, forward = at + 1, None if backward else True
    elif broken.upper(at) == "-" and broken.upper(at + 1) == ">":
        right, forward = at + 2, None if backward else True
    elif broken.upper(at) == "-":
        right, forward = at + 1, False if backward else None
    else:
        return None
    behind, right = right, right + 2 if broken.words(right, "LAST_NODE", "(") else right
    if right >= len(broken.pieces) or not broken.pieces[right].is_name:
        return None
    return Hop(hop.left, hop.opening, hop.edge, right, forward, hop.arrow, behind)


def nodes(
    broken: Broken,
    call: CalledFunction,
    edge_of: Callable[[Broken, Hop], EdgeTable | None],
) -> dict[int, set[str]]:
    """Return for each node of a MATCH, by piece number, the kinds that its edges allow."""
    found: dict[int, set[str]] = defaultdict(set)
    for hop in hops(broken, call):
        edge = edge_of(broken, hop)
        if edge is None or hop.forward is None:
            continue
        start, end = (hop.left, hop.right) if hop.forward else (hop.right, hop.left)
        for pair in edge.pairs:
            found[start].add(pair.from_table)
            found[end].add(pair.to_table)
    return found
