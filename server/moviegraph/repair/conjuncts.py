"""Conditions split at their ANDs and ORs, and patterns of MATCH said by pseudo-columns."""

from moviegraph.repair.changes import Edit
from moviegraph.repair.hops import hops
from moviegraph.repair.outline import TokenRange, past_parenthesis
from moviegraph.repair.context import CalledFunction, RefusedStatement


def flat(statement: RefusedStatement, within: TokenRange) -> list[int]:
    """Return the piece numbers of a range that stand outside parentheses."""
    found, index = list[int](), within.first
    while index < within.last:
        found.append(index)
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )
    return found


def branches(statement: RefusedStatement, within: TokenRange, word: str) -> list[TokenRange]:
    """Split a condition at its ANDs or ORs outside parentheses; BETWEEN and CASE keep theirs."""
    found, first = list[TokenRange](), within.first
    cases, between = 0, False
    for index in flat(statement, within):
        current = statement.upper(index)
        if current in ("CASE", "END"):
            cases = cases + 1 if current == "CASE" else max(cases - 1, 0)
        elif cases:
            continue
        elif current == "BETWEEN" or (current == "AND" and between):
            between = current == "BETWEEN"
        elif current == word:
            found.append(TokenRange(first, index))
            first = index + 1
    return [*found, TokenRange(first, within.last)]


def is_required(statement: RefusedStatement, part: TokenRange, within: TokenRange) -> bool:
    """Whether a part of a condition must hold where the whole does: it stands under AND alone."""
    if has_or(statement, within):
        return False
    around = next((each for each in branches(statement, within, "AND") if part.first in each), None)
    if around is None or around == part:
        return around is not None
    opened = statement.upper(around.first) == "("
    closed = opened and past_parenthesis(statement.tokens, around.first) == around.last
    return closed and is_required(statement, part, TokenRange(around.first + 1, around.last - 1))


def enclosed(statement: RefusedStatement, part: TokenRange) -> str:
    """Return a condition as one side of an AND: an OR in it stands in parentheses."""
    text = statement.text(part)
    return f"({text})" if has_or(statement, part) else text


def enclosing(statement: RefusedStatement, part: TokenRange) -> list[Edit]:
    """Return the edits that put a condition with OR in parentheses."""
    if not has_or(statement, part):
        return []
    start, end = statement.start(part.first), statement.tokens[part.last - 1].end
    return [Edit(start, start, "("), Edit(end, end, ")")]


def with_condition(statement: RefusedStatement, where: TokenRange, condition: str) -> list[Edit]:
    """Return the edits that put a condition before those of a clause, joined by AND."""
    start = statement.start(where.first)
    opening, *closing = enclosing(statement, where) or [Edit(start, start, "")]
    return [Edit(start, start, f"{condition} AND {opening.text}"), *closing]


def has_or(statement: RefusedStatement, part: TokenRange) -> bool:
    """Whether a condition is one of several, outside parentheses and CASE."""
    return len(branches(statement, part, "OR")) > 1


def used_aliases(statement: RefusedStatement, within: TokenRange) -> set[str]:
    """Return the lower-case names that stand before a dot, or in a MATCH, within a range."""
    found = {
        statement.tokens[index].name.lower()
        for index in range(within.first, within.last)
        if statement.tokens[index].is_name and statement.upper(index + 1) == "."
    }
    for call in statement.calls("MATCH"):
        if call.index in within:
            tokens = statement.tokens[call.index + 2 : call.last - 1]
            found |= {token.name.lower() for token in tokens if token.is_name}
    return found


def equations(
    statement: RefusedStatement, call: CalledFunction
) -> list[tuple[str, str, str]] | None:
    """Return (edge, node, equation) for both ends of each hop; None where one cannot be read."""
    marks = [statement.upper(index) for index in range(call.index + 2, call.last - 1)]
    read = list(hops(statement, call))
    if "SHORTEST_PATH" in marks or not read or len(read) != sum(m in ("->", "<-") for m in marks):
        return None
    found: list[tuple[str, str, str]] = []
    for hop in read:
        if hop.edge is None or hop.forward is None:
            return None
        edge = statement.tokens[hop.edge].text
        ends = ("$from_id", "$to_id") if hop.forward else ("$to_id", "$from_id")
        for end, index in zip(ends, (hop.left, hop.right), strict=True):
            node = statement.tokens[index].text
            found.append((edge, node, f"{edge}.{end} = {node}.$node_id"))
    return found


def chain(statement: RefusedStatement, call: CalledFunction, within: TokenRange) -> TokenRange:
    """Return the ANDed conditions around a call, up to an OR, a parenthesis, or the end."""
    first = _reach(statement, call.index - 1, within.first - 1, -1)
    last = _reach(statement, call.last, within.last, 1)
    return TokenRange(first + 1, last)


def _reach(statement: RefusedStatement, index: int, end: int, step: int) -> int:
    depth, opening = 0, "(" if step < 0 else ")"
    while index != end:
        word = statement.upper(index)
        if depth == 0 and word in (opening, "OR"):
            return index
        if word in ("(", ")"):
            depth += 1 if word != opening else -1
        index += step
    return index
