"""MATCH where it is not allowed: among joins, under OR and NOT, in an outer join."""

from dataclasses import dataclass

from moviegraph.repair.clauses import AGGREGATES
from moviegraph.repair.context import (
    CalledFunction,
    Correction,
    Edit,
    RefusedStatement,
    branches,
    chain,
    correct,
    enclosed,
    used_aliases,
    with_condition,
)
from moviegraph.repair.patterns import hops
from moviegraph.repair.tokens import Select, SourceTokens, TokenRange

INNER = frozenset({"", ",", "JOIN", "INNER JOIN", "CROSS JOIN"})
TRIVIAL = frozenset({"1 = 1", "1=1", "TRUE", "(1=1)", "(1 = 1)"})
WHY_OR = "MATCH cannot stand under OR; the same pattern stands in EXISTS."
WHY_NOT = "MATCH cannot be negated; NOT EXISTS leaves out what has the pattern."


def match_with_join(statement: RefusedStatement) -> Correction | None:
    """Inner joins become commas, and their conditions go into WHERE."""
    edits: list[Edit] = []
    for select in statement.selects:
        if _mixes(statement, select):
            edits += _comma_list(statement, select)
    why = "Tables of a MATCH stand between commas; inner join conditions belong in WHERE."
    return correct(edits, why)


def _mixes(statement: RefusedStatement, select: Select) -> bool:
    """Whether a SELECT of its own has MATCH and JOIN, and no outer join or APPLY."""
    joined = {source.joined for source in select.sources}
    matches = any(
        statement.enclosing(call.index)[:1] == [select] for call in statement.calls("MATCH")
    )
    return matches and joined <= INNER and bool(joined - {"", ","})


def _comma_list(statement: RefusedStatement, select: Select) -> list[Edit]:
    edits: list[Edit] = []
    conditions: list[str] = []
    for source in select.sources:
        if source.joined not in ("", ","):
            start = statement.tokens[source.joined_at - 1].end
            edits.append(Edit(start, statement.start(source.range.first), ", "))
        if source.on is not None:
            conditions.append(enclosed(statement, source.on))
            start = statement.tokens[source.range.last - 1].end
            edits.append(Edit(start, statement.tokens[source.on.last - 1].end, ""))
    kept = [each for each in conditions if each.upper() not in TRIVIAL]
    return [*edits, *_placed(statement, select, kept)] if kept else edits


def _placed(statement: RefusedStatement, select: Select, conditions: list[str]) -> list[Edit]:
    joined = " AND ".join(conditions)
    where = select.clauses.get("WHERE")
    if where is None:
        end = statement.tokens[select.clauses["FROM"].last - 1].end
        return [Edit(end, end, f" WHERE {joined}")]
    return with_condition(statement, where, joined)


@dataclass(frozen=True, slots=True)
class _Chain:
    """ANDed conditions that hold a MATCH, its pattern in equations, and whether it is negated."""

    call: CalledFunction
    range: TokenRange
    pattern: str
    negated: bool


def match_under_or(statement: RefusedStatement) -> Correction | None:
    """Under OR or NOT a pattern is EXISTS over the tables that only it uses."""
    for select in statement.selects:
        chains = _chains(statement, select)
        if not chains or _counts(statement, select):
            continue
        local = _local(statement, select, chains)
        kept = [source for source in select.sources if source.alias.lower() not in local]
        if not local or not kept or any(s.joined not in ("", ",") for s in select.sources):
            continue
        if any(source.path for source in select.sources) or not _covers(statement, chains, local):
            continue
        listing = ", ".join(statement.text(source.range) for source in kept)
        clause = select.clauses["FROM"]
        end = statement.tokens[clause.last - 1].end
        edits = [Edit(statement.start(clause.first), end, listing)]
        edits += [_exists(statement, select, each, local) for each in chains]
        why = WHY_NOT if any(each.negated for each in chains) else WHY_OR
        return correct(edits, why)
    return None


def _calls(statement: RefusedStatement, select: Select) -> list[CalledFunction]:
    where = select.clauses.get("WHERE")
    return [
        call
        for call in statement.calls("MATCH")
        if where and call.index in where and statement.enclosing(call.index)[0] is select
    ]


def _chains(statement: RefusedStatement, select: Select) -> list[_Chain]:
    """Return the chains of every MATCH of a SELECT; none where one is not misplaced or not read."""
    found: list[_Chain] = []
    where = select.clauses.get("WHERE", TokenRange(0, 0))
    for call in _calls(statement, select):
        said = _equations(statement, call)
        held = chain(statement, call, where)
        negated = statement.upper(call.index - 1) == "NOT"
        misplaced = negated or held != where
        if said is None or not misplaced:
            return []
        found.append(_Chain(call, held, " AND ".join(each[2] for each in said), negated))
    ranges = {(each.range.first, each.range.last) for each in found}
    return found if len(ranges) == len(found) else []


def _counts(statement: RefusedStatement, select: Select) -> bool:
    """Whether a SELECT counts rows, which an EXISTS would not multiply."""
    clause = select.clauses["SELECT"]
    return any(
        call.index in clause and statement.upper(call.index + 2) != "DISTINCT"
        for call in statement.calls(*AGGREGATES)
    )


def _local(statement: RefusedStatement, select: Select, chains: list[_Chain]) -> set[str]:
    """Return the aliases that nothing but these chains uses."""
    known = {source.alias.lower() for source in select.sources}
    outside = {
        name
        for index in range(select.first, select.last)
        if index not in select.clauses["FROM"] and not any(index in each.range for each in chains)
        for name in [statement.tokens[index].name.lower()]
        if statement.tokens[index].is_name and statement.upper(index + 1) == "."
    }
    inside = {name for each in chains for name in used_aliases(statement, each.range)}
    if "*" in {statement.upper(select.clauses["SELECT"].last - 1)}:
        return set()
    edges = {each.alias.lower() for each in select.sources if statement.edge_of(each)}
    return (known & inside) - outside if edges & inside - outside else set()


def _covers(statement: RefusedStatement, chains: list[_Chain], local: set[str]) -> bool:
    """Whether every chain keeps a node of the outer FROM to hang on."""
    return all(used_aliases(statement, each.range) - local for each in chains)


def _exists(statement: RefusedStatement, select: Select, held: _Chain, local: set[str]) -> Edit:
    inner, rest = list[str](), list[str]()
    for part in branches(statement, held.range, "AND"):
        if part.first in (held.call.index, held.call.index - 1) and held.call.index in part:
            inner.append(held.pattern)
        elif not held.negated or used_aliases(statement, part) & local:
            inner.append(statement.text(part))
        else:
            rest.append(statement.text(part))
    used = used_aliases(statement, held.range) & local
    tables = ", ".join(_listing(statement, s) for s in select.sources if s.alias.lower() in used)
    word = "NOT EXISTS" if held.negated else "EXISTS"
    text = f"{word} (SELECT 1 FROM {tables} WHERE {' AND '.join(inner)})"
    start, end = statement.start(held.range.first), statement.tokens[held.range.last - 1].end
    return Edit(start, end, " AND ".join([text, *rest]))


def _listing(statement: RefusedStatement, source: SourceTokens) -> str:
    return statement.text(source.range)


def _equations(
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
