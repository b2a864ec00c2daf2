"""Conditions split at their ANDs and ORs, and patterns of MATCH said by pseudo-columns."""

from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Edit
from moviegraph.sql.repair.hops import hops
from moviegraph.sql.repair.outline import Range, past_parenthesis


def flat(broken: Broken, within: Range) -> list[int]:
    """Return the piece numbers of a range that stand outside parentheses."""
    found, at = list[int](), within.first
    while at < within.last:
        found.append(at)
        at = past_parenthesis(broken.pieces, at) if broken.upper(at) == "(" else at + 1
    return found


def branches(broken: Broken, within: Range, word: str) -> list[Range]:
    """Split a condition at its ANDs or ORs outside parentheses; BETWEEN and CASE keep theirs."""
    found, first = list[Range](), within.first
    cases, between = 0, False
    for at in flat(broken, within):
        here = broken.upper(at)
        if here in ("CASE", "END"):
            cases = cases + 1 if here == "CASE" else max(cases - 1, 0)
        elif cases:
            continue
        elif here == "BETWEEN" or (here == "AND" and between):
            between = here == "BETWEEN"
        elif here == word:
            found.append(Range(first, at))
            first = at + 1
    return [*found, Range(first, within.last)]


def is_required(broken: Broken, part: Range, within: Range) -> bool:
    """Whether a part of a condition must hold where the whole does: it stands under AND alone."""
    if has_or(broken, within):
        return False
    around = next((each for each in branches(broken, within, "AND") if part.first in each), None)
    if around is None or around == part:
        return around is not None
    opened = broken.upper(around.first) == "("
    closed = opened and past_parenthesis(broken.pieces, around.first) == around.last
    return closed and is_required(broken, part, Range(around.first + 1, around.last - 1))


def enclosed(broken: Broken, part: Range) -> str:
    """Return a condition as one side of an AND: an OR in it stands in parentheses."""
    text = broken.text(part)
    return f"({text})" if has_or(broken, part) else text


def enclosing(broken: Broken, part: Range) -> list[Edit]:
    """Return the edits that put a condition with OR in parentheses."""
    if not has_or(broken, part):
        return []
    start, end = broken.start(part.first), broken.pieces[part.last - 1].end
    return [Edit(start, start, "("), Edit(end, end, ")")]


def with_condition(broken: Broken, where: Range, condition: str) -> list[Edit]:
    """Return the edits that put a condition before those of a clause, joined by AND."""
    start = broken.start(where.first)
    opening, *closing = enclosing(broken, where) or [Edit(start, start, "")]
    return [Edit(start, start, f"{condition} AND {opening.text}"), *closing]


def has_or(broken: Broken, part: Range) -> bool:
    """Whether a condition is one of several, outside parentheses and CASE."""
    return len(branches(broken, part, "OR")) > 1


def used_aliases(broken: Broken, within: Range) -> set[str]:
    """Return the lower-case names that stand before a dot, or in a MATCH, within a range."""
    found = {
        broken.pieces[at].name.lower()
        for at in range(within.first, within.last)
        if broken.pieces[at].is_name and broken.upper(at + 1) == "."
    }
    for call in broken.calls("MATCH"):
        if call.at in within:
            pieces = broken.pieces[call.at + 2 : call.last - 1]
            found |= {piece.name.lower() for piece in pieces if piece.is_name}
    return found


def equations(broken: Broken, call: CalledFunction) -> list[tuple[str, str, str]] | None:
    """Return (edge, node, equation) for both ends of each hop; None where one cannot be read."""
    marks = [broken.upper(at) for at in range(call.at + 2, call.last - 1)]
    read = list(hops(broken, call))
    if "SHORTEST_PATH" in marks or not read or len(read) != sum(m in ("->", "<-") for m in marks):
        return None
    found: list[tuple[str, str, str]] = []
    for hop in read:
        if hop.edge is None or hop.forward is None:
            return None
        edge = broken.pieces[hop.edge].text
        ends = ("$from_id", "$to_id") if hop.forward else ("$to_id", "$from_id")
        for end, at in zip(ends, (hop.left, hop.right), strict=True):
            node = broken.pieces[at].text
            found.append((edge, node, f"{edge}.{end} = {node}.$node_id"))
    return found


def chain(broken: Broken, call: CalledFunction, within: Range) -> Range:
    """Return the ANDed conditions around a call, up to an OR, a parenthesis, or the end."""
    first = _reach(broken, call.at - 1, within.first - 1, -1)
    last = _reach(broken, call.last, within.last, 1)
    return Range(first + 1, last)


def _reach(broken: Broken, at: int, end: int, step: int) -> int:
    depth, opening = 0, "(" if step < 0 else ")"
    while at != end:
        word = broken.upper(at)
        if depth == 0 and word in (opening, "OR"):
            return at
        if word in ("(", ")"):
            depth += 1 if word != opening else -1
        at += step
    return at
