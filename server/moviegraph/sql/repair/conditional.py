"""Conditions where T-SQL wants values, and aggregates with conditions of their own."""

from itertools import pairwise

from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Range, listed, past_parenthesis
from moviegraph.sql.repair.selected import items_of, sole_distinct_calls

COMPARING = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "IS", "BETWEEN"})
HALVES = frozenset({"=", "<>", "<", ">", "<=", ">=", "LIKE"})
LITERALS = ("number", "string")
ENDERS = frozenset({"", "AND", "OR", ")", ";", "ORDER", "GROUP", "HAVING"})
COUNTED = ("COUNTIF", "COUNT_IF")
TRIVIAL = frozenset({"TRUE", "1 = 1", "1=1"})


def filtered_aggregate(broken: Broken) -> Correction | None:
    """COUNT(*) FILTER (WHERE c) is COUNT(CASE WHEN c THEN 1 END)."""
    edits: list[Edit] = []
    for call in broken.calls("COUNT", "SUM", "AVG", "MIN", "MAX", "STRING_AGG"):
        at = call.last
        if not broken.words(at, "FILTER", "(", "WHERE") or not call.arguments:
            continue
        last = past_parenthesis(broken.pieces, at + 1)
        condition = broken.text(Range(at + 3, last - 1))
        edits += [*_chosen(broken, call, condition), _dropped(broken, at, last)]
    return corrected(edits, "T-SQL has no FILTER; a CASE inside the aggregate leaves rows out.")


def _dropped(broken: Broken, at: int, last: int) -> Edit:
    return Edit(broken.pieces[at - 1].end, broken.pieces[last - 1].end, "")


def _chosen(broken: Broken, call: CalledFunction, condition: str) -> list[Edit]:
    value = call.arguments[0]
    first = value.first + (broken.upper(value.first) == "DISTINCT")
    held = broken.text(Range(first, value.last))
    text = f"CASE WHEN {condition} THEN {'1' if held == '*' else held} END"
    return [Edit(broken.start(first), broken.pieces[value.last - 1].end, text)]


def counted_condition(broken: Broken) -> Correction | None:
    """COUNTIF(c) counts the rows of which c is true, and SUM(c) or AVG(c) of a comparison too."""
    edits: list[Edit] = []
    for call in broken.calls(*COUNTED, "SUM", "AVG"):
        if len(call.arguments) != 1:
            continue
        name, text = broken.upper(call.at), broken.text(call.arguments[0])
        whole = broken.start(call.at), broken.pieces[call.last - 1].end
        if name in COUNTED:
            edits.append(Edit(*whole, f"COUNT(CASE WHEN {text} THEN 1 END)"))
        elif _is_condition(broken, call.arguments[0]):
            number = "1.0" if name == "AVG" else "1"
            edits.append(Edit(*whole, f"{name}(CASE WHEN {text} THEN {number} ELSE 0 END)"))
    return corrected(edits, "Conditions are no values in T-SQL; CASE makes numbers of them.")


def _is_condition(broken: Broken, value: Range) -> bool:
    at, last = value.first, value.last
    if broken.upper(at) == "SELECT":
        return False
    if broken.upper(at) == "(" and past_parenthesis(broken.pieces, at) == last:
        return _is_condition(broken, Range(at + 1, last - 1))
    if broken.upper(at) in ("EXISTS", "CONTAINS", "FREETEXT"):
        return broken.upper(at + 1) == "(" and past_parenthesis(broken.pieces, at + 1) == last
    while at < last:
        if broken.upper(at) in COMPARING:
            return True
        if broken.upper(at) == "CASE":
            return False
        at = past_parenthesis(broken.pieces, at) if broken.upper(at) == "(" else at + 1
    return False


def listed_condition(broken: Broken) -> Correction | None:
    """A comparison in the select list gives 1 or 0 by a CASE, and NULL where it is unknown."""
    edits: list[Edit] = []
    for select in broken.selects:
        for item in items_of(broken, select):
            value = item.value
            by_name = broken.upper(value.first + 1) == "="
            inverted = broken.upper(value.first) == "NOT"
            if by_name or inverted or not _is_condition(broken, value):
                continue
            text = broken.text(value)
            case = f"CASE WHEN {text} THEN 1 WHEN NOT ({text}) THEN 0 END"
            edits.append(Edit(broken.start(value.first), broken.pieces[value.last - 1].end, case))
    return corrected(edits, "Conditions are no values in T-SQL; CASE makes 1 and 0 of them.")


def counted_pairs(broken: Broken) -> Correction | None:
    """COUNT(DISTINCT a, b) counts the rows of a SELECT DISTINCT that hold no NULL."""
    for select, call, alias in sole_distinct_calls(broken, "COUNT"):
        if len(call.arguments) > 1:
            return _counted(broken, call, alias, Range(call.at, select.last))
    return None


def _counted(broken: Broken, call: CalledFunction, alias: str, rest: Range) -> Correction:
    inner = Range(call.at + 3, call.last - 1)
    columns = [broken.text(each) for each in listed(broken.pieces, inner)]
    named = [f"{text} AS c{number}" for number, text in enumerate(columns, start=1)]
    known = " AND ".join(f"p.c{number} IS NOT NULL" for number in range(1, len(columns) + 1))
    start = next(at for at in range(call.last, rest.last) if broken.upper(at) == "FROM")
    source = f"(SELECT DISTINCT {', '.join(named)} {broken.text(Range(start, rest.last))}) AS p"
    heading = f" AS [{alias}]" if alias else ""
    text = f"COUNT(*){heading} FROM {source} WHERE {known}"
    edit = Edit(broken.start(call.at), broken.pieces[rest.last - 1].end, text)
    return Correction((edit,), "COUNT(DISTINCT ...) takes one column; several make a SELECT.")


def half_comparison(broken: Broken) -> Correction | None:
    """An x >= 1 AND <= 9 compares x twice; so does LIKE 'a' OR LIKE 'b', and = 'a' OR 'b'."""
    edits: list[Edit] = []
    for at in range(3, len(broken.pieces) - 1):
        if broken.upper(at) not in ("AND", "OR"):
            continue
        following = at + 1 + (broken.upper(at + 1) == "NOT")
        bare = broken.pieces[at + 1].kind in LITERALS and broken.upper(at + 2) in ENDERS
        read = _compared(broken, at)
        if read is None or not (bare or broken.upper(following) in HALVES):
            continue
        operand, sign = read
        place = broken.start(at + 1)
        if not bare:
            edits.append(Edit(place, place, f"{operand} "))
        elif broken.upper(at) == "OR" and sign in ("=", "LIKE"):
            edits.append(Edit(place, place, f"{operand} {sign} "))
    return corrected(edits, "Each comparison names both of its sides.")


def _compared(broken: Broken, at: int) -> tuple[str, str] | None:
    """Return the operand and the sign of the comparison with a literal that ends before `at`."""
    sign = at - 2
    if broken.pieces[at - 1].kind not in LITERALS or broken.upper(sign) not in HALVES:
        return None
    last = sign - (broken.upper(sign - 1) == "NOT")
    first = broken.operand_before(last)
    before = broken.upper(first - 1)
    known = broken.pieces[first].is_name and before in ("WHERE", "AND", "OR", "ON", "(", "NOT")
    return (broken.text(Range(first, last)), broken.upper(sign)) if known else None


def joined_using(broken: Broken) -> Correction | None:
    """JOIN b USING (Id) is JOIN b ON a.Id = b.Id, with the source before it."""
    edits: list[Edit] = []
    for select in broken.selects:
        for before, source in pairwise(select.sources):
            at = source.range.last
            if (
                broken.upper(at) != "USING"
                or not broken.words(at + 1, "(")
                or len(broken.pieces) < at + 4
            ):
                continue
            column = broken.pieces[at + 2]
            if broken.upper(at + 3) == ")" and column.is_name and len(select.sources) == 2:
                text = f"ON {before.alias}.{column.text} = {source.alias}.{column.text}"
                edits.append(Edit(broken.start(at), broken.pieces[at + 3].end, text))
    return corrected(edits, "T-SQL has no USING; ON says what is equal.")


def lateral(broken: Broken) -> Correction | None:
    """JOIN LATERAL (...) is APPLY (...): CROSS for an inner join, OUTER for a left one."""
    edits: list[Edit] = []
    for source in broken.sources:
        at = source.range.first
        if broken.upper(at) != "LATERAL" and broken.upper(at - 1) != "LATERAL":
            continue
        word = at if broken.upper(at) == "LATERAL" else at - 1
        if source.on is not None and broken.text(source.on).strip("()").upper() not in TRIVIAL:
            continue
        kind = "OUTER" if source.joined.startswith("LEFT") else "CROSS"
        before = broken.pieces[source.joined_at - 1].end
        edits.append(Edit(before, broken.pieces[word].end, f" {kind} APPLY"))
        if source.on is not None:
            end = broken.pieces[source.on.last - 1].end
            edits.append(Edit(broken.pieces[source.on.first - 2].end, end, ""))
    return corrected(edits, "T-SQL names a lateral join APPLY.")
