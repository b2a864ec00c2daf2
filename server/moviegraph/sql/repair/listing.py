"""STUFF over FOR XML PATH, the old way to join texts of rows."""

from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.conjuncts import flat
from moviegraph.sql.repair.outline import Range, Select
from moviegraph.sql.repair.pieces import Piece
from moviegraph.sql.repair.selected import sole_distinct_calls


def xml_listing(broken: Broken) -> Correction | None:
    """STUFF((SELECT ', ' + x ... FOR XML PATH('')), 1, 2, '') is STRING_AGG(x, ', ')."""
    edits: list[Edit] = []
    for call in broken.calls("STUFF"):
        select = _inner(broken, call)
        text = _joined(broken, call, select) if select is not None else None
        if text is not None:
            edits.append(broken.over(call, text))
    return corrected(edits, "STRING_AGG joins texts of rows; FOR XML is not part of the dialect.")


def distinct_listing(broken: Broken) -> Correction | None:
    """STRING_AGG(DISTINCT x, ', ') joins the texts of a SELECT DISTINCT."""
    for select, call, alias in sole_distinct_calls(broken, "STRING_AGG"):
        if len(call.arguments) == 2:
            return _distinct(broken, call, select, alias)
    return None


def _distinct(
    broken: Broken, call: CalledFunction, select: Select, alias: str
) -> Correction | None:
    value = broken.text(Range(call.arguments[0].first + 1, call.arguments[0].last))
    separator = broken.text(call.arguments[1])
    heading = f" AS [{alias}]" if alias else ""
    source = broken.text(Range(select.clauses["FROM"].first - 1, select.last))
    rows = f"(SELECT DISTINCT {value} AS v {source}) AS u"
    text = f"STRING_AGG(u.v, {separator}){heading} FROM {rows}"
    edit = Edit(broken.start(call.at), broken.pieces[select.last - 1].end, text)
    return corrected([edit], "STRING_AGG takes no DISTINCT; a SELECT DISTINCT inside does.")


def _inner(broken: Broken, call: CalledFunction) -> Select | None:
    """Return the SELECT ... FOR XML PATH('') in a STUFF that cuts its head."""
    if len(call.arguments) != 4 or broken.text(call.arguments[1]) != "1":
        return None
    at = call.arguments[0].first
    select = next((each for each in broken.selects if each.first == at + 1), None)
    form = select.clauses.get("FOR") if select else None
    if select is None or form is None or not broken.words(form.first, "XML", "PATH", "("):
        return None
    empty = broken.pieces[call.arguments[3].first].name == ""
    return select if empty and broken.pieces[form.first + 3].name == "" else None


def _joined(broken: Broken, call: CalledFunction, select: Select) -> str | None:
    clause = select.clauses["SELECT"]
    distinct = broken.upper(clause.first) == "DISTINCT"
    at = clause.first + distinct
    read = _separated(broken, Range(at, clause.last))
    if read is None or broken.upper(at) == "TOP" or "FROM" not in select.clauses:
        return None
    separator, value = read
    length = broken.text(call.arguments[2])
    if length != str(len(separator.name)):
        return None
    order = select.clauses.get("ORDER")
    end = order.first - 2 if order else select.clauses["FOR"].first - 1
    source = broken.text(Range(clause.last, end))
    sorting = broken.text(order) if order else ""
    if distinct:
        within = " WITHIN GROUP (ORDER BY u.v)" if order else ""
        rows = f"(SELECT DISTINCT {value} AS v {source}) AS u"
        return f"(SELECT STRING_AGG(u.v, {separator.text}){within} FROM {rows})"
    within = f" WITHIN GROUP (ORDER BY {sorting})" if order else ""
    return f"(SELECT STRING_AGG({value}, {separator.text}){within} {source})"


def _separated(broken: Broken, value: Range) -> tuple[Piece, str] | None:
    """Read ', ' + x, or CONCAT(', ', x); an alias such as [text()] is left out."""
    last = value.last
    if last - value.first > 2 and broken.upper(last - 2) == "AS":
        last -= 2
    first = broken.pieces[value.first]
    if first.kind == "string" and broken.upper(value.first + 1) == "+":
        return first, broken.text(Range(value.first + 2, last))
    head = broken.pieces[value.first + 2] if value.first + 2 < last else None
    if first.upper == "CONCAT" and head is not None and head.kind == "string":
        commas = [
            at for at in flat(broken, Range(value.first + 2, last - 1)) if broken.upper(at) == ","
        ]
        if len(commas) == 1:
            return head, broken.text(Range(commas[0] + 1, last - 1))
    return None
