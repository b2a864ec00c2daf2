"""STUFF over FOR XML PATH, the old way to join texts of rows."""

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.conjuncts import flat
from moviegraph.repair.outline import Select, TokenRange
from moviegraph.repair.selected import sole_distinct_calls
from moviegraph.repair.context import CalledFunction, RefusedStatement
from moviegraph.repair.tokens import RawToken


def xml_listing(statement: RefusedStatement) -> Correction | None:
    """STUFF((SELECT ', ' + x ... FOR XML PATH('')), 1, 2, '') is STRING_AGG(x, ', ')."""
    edits: list[Edit] = []
    for call in statement.calls("STUFF"):
        select = _inner(statement, call)
        text = _joined(statement, call, select) if select is not None else None
        if text is not None:
            edits.append(statement.over(call, text))
    return correct(edits, "STRING_AGG joins texts of rows; FOR XML is not part of the dialect.")


def distinct_listing(statement: RefusedStatement) -> Correction | None:
    """STRING_AGG(DISTINCT x, ', ') joins the texts of a SELECT DISTINCT."""
    for select, call, alias in sole_distinct_calls(statement, "STRING_AGG"):
        if len(call.arguments) == 2:
            return _distinct(statement, call, select, alias)
    return None


def _distinct(
    statement: RefusedStatement, call: CalledFunction, select: Select, alias: str
) -> Correction | None:
    value = statement.text(TokenRange(call.arguments[0].first + 1, call.arguments[0].last))
    separator = statement.text(call.arguments[1])
    heading = f" AS [{alias}]" if alias else ""
    source = statement.text(TokenRange(select.clauses["FROM"].first - 1, select.last))
    rows = f"(SELECT DISTINCT {value} AS v {source}) AS u"
    text = f"STRING_AGG(u.v, {separator}){heading} FROM {rows}"
    edit = Edit(statement.start(call.index), statement.tokens[select.last - 1].end, text)
    return correct([edit], "STRING_AGG takes no DISTINCT; a SELECT DISTINCT inside does.")


def _inner(statement: RefusedStatement, call: CalledFunction) -> Select | None:
    """Return the SELECT ... FOR XML PATH('') in a STUFF that cuts its head."""
    if len(call.arguments) != 4 or statement.text(call.arguments[1]) != "1":
        return None
    index = call.arguments[0].first
    select = next((each for each in statement.selects if each.first == index + 1), None)
    form = select.clauses.get("FOR") if select else None
    if select is None or form is None or not statement.words(form.first, "XML", "PATH", "("):
        return None
    empty = statement.tokens[call.arguments[3].first].name == ""
    return select if empty and statement.tokens[form.first + 3].name == "" else None


def _joined(statement: RefusedStatement, call: CalledFunction, select: Select) -> str | None:
    clause = select.clauses["SELECT"]
    distinct = statement.upper(clause.first) == "DISTINCT"
    index = clause.first + distinct
    read = _separated(statement, TokenRange(index, clause.last))
    if read is None or statement.upper(index) == "TOP" or "FROM" not in select.clauses:
        return None
    separator, value = read
    length = statement.text(call.arguments[2])
    if length != str(len(separator.name)):
        return None
    order = select.clauses.get("ORDER")
    end = order.first - 2 if order else select.clauses["FOR"].first - 1
    source = statement.text(TokenRange(clause.last, end))
    sorting = statement.text(order) if order else ""
    if distinct:
        within = " WITHIN GROUP (ORDER BY u.v)" if order else ""
        rows = f"(SELECT DISTINCT {value} AS v {source}) AS u"
        return f"(SELECT STRING_AGG(u.v, {separator.text}){within} FROM {rows})"
    within = f" WITHIN GROUP (ORDER BY {sorting})" if order else ""
    return f"(SELECT STRING_AGG({value}, {separator.text}){within} {source})"


def _separated(statement: RefusedStatement, value: TokenRange) -> tuple[RawToken, str] | None:
    """Read ', ' + x, or CONCAT(', ', x); an alias such as [text()] is left out."""
    last = value.last
    if last - value.first > 2 and statement.upper(last - 2) == "AS":
        last -= 2
    first = statement.tokens[value.first]
    if first.kind == "string" and statement.upper(value.first + 1) == "+":
        return first, statement.text(TokenRange(value.first + 2, last))
    head = statement.tokens[value.first + 2] if value.first + 2 < last else None
    if first.upper == "CONCAT" and head is not None and head.kind == "string":
        commas = [
            index
            for index in flat(statement, TokenRange(value.first + 2, last - 1))
            if statement.upper(index) == ","
        ]
        if len(commas) == 1:
            return head, statement.text(TokenRange(commas[0] + 1, last - 1))
    return None
