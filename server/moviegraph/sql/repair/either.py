"""MATCH where none may stand: under OR, under NOT, and in the ON of an outer join."""

from dataclasses import dataclass

from moviegraph.sql.repair.aggregates import AGGREGATES
from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import branches, chain, equations, used_aliases
from moviegraph.sql.repair.outline import Range, Select, Source

TRIVIAL = frozenset({"1 = 1", "1=1", "TRUE"})
WHY_OR = "MATCH cannot stand under OR; the same pattern stands in EXISTS."
WHY_NOT = "MATCH cannot be negated; NOT EXISTS leaves out what has the pattern."


@dataclass(frozen=True, slots=True)
class _Chain:
    """ANDed conditions that hold a MATCH, its pattern in equations, and whether it is negated."""

    call: CalledFunction
    range: Range
    pattern: str
    negated: bool


def same_match(broken: Broken) -> Correction | None:
    """A MATCH that stands in every branch of an OR stands before it."""
    for select in broken.selects:
        where = select.clauses.get("WHERE")
        calls = _calls(broken, select) if where else []
        if where is None or len(calls) < 2 or len({_plain(broken, call) for call in calls}) > 1:
            continue
        parts = branches(broken, where, "OR")
        held = [[call for call in calls if call.at in part] for part in parts]
        if len(parts) < 2 or any(len(each) != 1 for each in held):
            continue
        if any(not _in_all(broken, part, each[0]) for part, each in zip(parts, held, strict=True)):
            continue
        start, end = broken.start(where.first), broken.pieces[where.last - 1].end
        first = calls[0]
        text = broken.text(Range(first.at, first.last))
        edits = [Edit(start, start, f"{text} AND ("), Edit(end, end, ")")]
        return corrected(sorted([*edits, *_taken(broken, calls)]), "All branches share the MATCH.")
    return None


def _taken(broken: Broken, calls: list[CalledFunction]) -> list[Edit]:
    return [broken.over(call, "1 = 1") for call in calls]


def _plain(broken: Broken, call: CalledFunction) -> str:
    return "".join(piece.text.lower() for piece in broken.pieces[call.at : call.last])


def _in_all(broken: Broken, part: Range, call: CalledFunction) -> bool:
    """Whether a call is one of the ANDed conditions of a branch, in its parentheses or bare."""
    held = chain(broken, call, part)
    bare = held == part
    enclosed = held.first == part.first + 1 and held.last == part.last - 1
    return (bare or enclosed) and broken.upper(call.at - 1) != "NOT"


def match_under_or(broken: Broken) -> Correction | None:
    """Under OR or NOT a pattern is EXISTS over the tables that only it uses."""
    for select in broken.selects:
        chains = _chains(broken, select)
        if not chains or _counts(broken, select):
            continue
        local = _local(broken, select, chains)
        kept = [source for source in select.sources if source.alias.lower() not in local]
        if not local or not kept or any(s.joined not in ("", ",") for s in select.sources):
            continue
        if any(source.path for source in select.sources) or not _covers(broken, chains, local):
            continue
        listing = ", ".join(broken.text(source.range) for source in kept)
        clause = select.clauses["FROM"]
        end = broken.pieces[clause.last - 1].end
        edits = [Edit(broken.start(clause.first), end, listing)]
        edits += [_exists(broken, select, each, local) for each in chains]
        why = WHY_NOT if any(each.negated for each in chains) else WHY_OR
        return corrected(edits, why)
    return None


def _calls(broken: Broken, select: Select) -> list[CalledFunction]:
    where = select.clauses.get("WHERE")
    return [
        call
        for call in broken.calls("MATCH")
        if where and call.at in where and broken.around(call.at)[0] is select
    ]


def _chains(broken: Broken, select: Select) -> list[_Chain]:
    """Return the chains of every MATCH of a SELECT; none where one is not misplaced or not read."""
    found: list[_Chain] = []
    where = select.clauses.get("WHERE", Range(0, 0))
    for call in _calls(broken, select):
        said = equations(broken, call)
        held = chain(broken, call, where)
        negated = broken.upper(call.at - 1) == "NOT"
        misplaced = negated or held != where
        if said is None or not misplaced:
            return []
        found.append(_Chain(call, held, " AND ".join(each[2] for each in said), negated))
    ranges = {(each.range.first, each.range.last) for each in found}
    return found if len(ranges) == len(found) else []


def _counts(broken: Broken, select: Select) -> bool:
    """Whether a SELECT counts rows, which an EXISTS would not multiply."""
    clause = select.clauses["SELECT"]
    return any(
        call.at in clause and broken.upper(call.at + 2) != "DISTINCT"
        for call in broken.calls(*AGGREGATES)
    )


def _local(broken: Broken, select: Select, chains: list[_Chain]) -> set[str]:
    """Return the aliases that nothing but these chains uses."""
    known = {source.alias.lower() for source in select.sources}
    outside = {
        name
        for at in range(select.first, select.last)
        if at not in select.clauses["FROM"] and not any(at in each.range for each in chains)
        for name in [broken.pieces[at].name.lower()]
        if broken.pieces[at].is_name and broken.upper(at + 1) == "."
    }
    inside = {name for each in chains for name in used_aliases(broken, each.range)}
    if "*" in {broken.upper(select.clauses["SELECT"].last - 1)}:
        return set()
    edges = {each.alias.lower() for each in select.sources if broken.edge_of(each)}
    return (known & inside) - outside if edges & inside - outside else set()


def _covers(broken: Broken, chains: list[_Chain], local: set[str]) -> bool:
    """Whether every chain keeps a node of the outer FROM to hang on."""
    return all(used_aliases(broken, each.range) - local for each in chains)


def _exists(broken: Broken, select: Select, held: _Chain, local: set[str]) -> Edit:
    inner, rest = list[str](), list[str]()
    for part in branches(broken, held.range, "AND"):
        if part.first in (held.call.at, held.call.at - 1) and held.call.at in part:
            inner.append(held.pattern)
        elif not held.negated or used_aliases(broken, part) & local:
            inner.append(broken.text(part))
        else:
            rest.append(broken.text(part))
    used = used_aliases(broken, held.range) & local
    tables = ", ".join(_listing(broken, s) for s in select.sources if s.alias.lower() in used)
    word = "NOT EXISTS" if held.negated else "EXISTS"
    text = f"{word} (SELECT 1 FROM {tables} WHERE {' AND '.join(inner)})"
    start, end = broken.start(held.range.first), broken.pieces[held.range.last - 1].end
    return Edit(start, end, " AND ".join([text, *rest]))


def _listing(broken: Broken, source: Source) -> str:
    return broken.text(source.range)


def match_in_outer_join(broken: Broken) -> Correction | None:
    """A MATCH in the ON of an outer join is said by pseudo-columns, each where both are known."""
    for select in broken.selects:
        calls = [
            (call, source)
            for call in broken.calls("MATCH")
            for source in select.sources
            if source.on and call.at in source.on
        ]
        if not calls or not any(s.joined.split(" ")[0] in ("LEFT", "FULL") for s in select.sources):
            continue
        edits = _spread(broken, select, calls)
        if edits:
            return corrected(edits, "An outer join ties edges by $from_id and $to_id, not MATCH.")
    return None


def _spread(
    broken: Broken, select: Select, calls: list[tuple[CalledFunction, Source]]
) -> list[Edit]:
    places = {source.alias.lower(): at for at, source in enumerate(select.sources)}
    conditions: dict[int, list[str]] = {}
    for call, _ in calls:
        for edge, node, text in equations(broken, call) or []:
            if edge.lower() not in places or node.lower() not in places:
                return []
            later = max(places[edge.lower()], places[node.lower()])
            conditions.setdefault(later, []).append(text)
    edits: list[Edit] = []
    touched = {places[source.alias.lower()] for _, source in calls} | conditions.keys()
    for at in touched:
        source = select.sources[at]
        own = branches(broken, source.on, "AND") if source.on else []
        kept = [broken.text(part) for part in own if not any(c.at in part for c, _ in calls)]
        kept = [text for text in kept if text.strip("()").upper() not in TRIVIAL]
        said = " AND ".join([*conditions.get(at, []), *kept]) or "1 = 1"
        end = broken.pieces[source.range.last - 1].end
        past = broken.pieces[source.on.last - 1].end if source.on else end
        edits.append(Edit(end, past, f" ON {said}"))
    return edits
