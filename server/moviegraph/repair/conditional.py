"""Conditions where T-SQL wants values, and aggregates with conditions of their own."""

from itertools import pairwise

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import TokenRange, listed, past_parenthesis
from moviegraph.repair.selected import items_of, sole_distinct_calls
from moviegraph.repair.context import CalledFunction, RefusedStatement

COMPARING = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "IS", "BETWEEN"})
HALVES = frozenset({"=", "<>", "<", ">", "<=", ">=", "LIKE"})
LITERALS = ("number", "string")
ENDERS = frozenset({"", "AND", "OR", ")", ";", "ORDER", "GROUP", "HAVING"})
COUNTED = ("COUNTIF", "COUNT_IF")
TRIVIAL = frozenset({"TRUE", "1 = 1", "1=1"})


def filtered_aggregate(statement: RefusedStatement) -> Correction | None:
    """COUNT(*) FILTER (WHERE c) is COUNT(CASE WHEN c THEN 1 END)."""
    edits: list[Edit] = []
    for call in statement.calls("COUNT", "SUM", "AVG", "MIN", "MAX", "STRING_AGG"):
        index = call.last
        if not statement.words(index, "FILTER", "(", "WHERE") or not call.arguments:
            continue
        last = past_parenthesis(statement.tokens, index + 1)
        condition = statement.text(TokenRange(index + 3, last - 1))
        edits += [*_chosen(statement, call, condition), _dropped(statement, index, last)]
    return correct(edits, "T-SQL has no FILTER; a CASE inside the aggregate leaves rows out.")


def _dropped(statement: RefusedStatement, index: int, last: int) -> Edit:
    return Edit(statement.tokens[index - 1].end, statement.tokens[last - 1].end, "")


def _chosen(statement: RefusedStatement, call: CalledFunction, condition: str) -> list[Edit]:
    value = call.arguments[0]
    first = value.first + (statement.upper(value.first) == "DISTINCT")
    held = statement.text(TokenRange(first, value.last))
    text = f"CASE WHEN {condition} THEN {'1' if held == '*' else held} END"
    return [Edit(statement.start(first), statement.tokens[value.last - 1].end, text)]


def counted_condition(statement: RefusedStatement) -> Correction | None:
    """COUNTIF(c) counts the rows of which c is true, and SUM(c) or AVG(c) of a comparison too."""
    edits: list[Edit] = []
    for call in statement.calls(*COUNTED, "SUM", "AVG"):
        if len(call.arguments) != 1:
            continue
        name, text = statement.upper(call.index), statement.text(call.arguments[0])
        whole = statement.start(call.index), statement.tokens[call.last - 1].end
        if name in COUNTED:
            edits.append(Edit(*whole, f"COUNT(CASE WHEN {text} THEN 1 END)"))
        elif _is_condition(statement, call.arguments[0]):
            number = "1.0" if name == "AVG" else "1"
            edits.append(Edit(*whole, f"{name}(CASE WHEN {text} THEN {number} ELSE 0 END)"))
    return correct(edits, "Conditions are no values in T-SQL; CASE makes numbers of them.")


def _is_condition(statement: RefusedStatement, value: TokenRange) -> bool:
    index, last = value.first, value.last
    if statement.upper(index) == "SELECT":
        return False
    if statement.upper(index) == "(" and past_parenthesis(statement.tokens, index) == last:
        return _is_condition(statement, TokenRange(index + 1, last - 1))
    if statement.upper(index) in ("EXISTS", "CONTAINS", "FREETEXT"):
        return (
            statement.upper(index + 1) == "("
            and past_parenthesis(statement.tokens, index + 1) == last
        )
    while index < last:
        if statement.upper(index) in COMPARING:
            return True
        if statement.upper(index) == "CASE":
            return False
        index = (
            past_parenthesis(statement.tokens, index)
            if statement.upper(index) == "("
            else index + 1
        )
    return False


def listed_condition(statement: RefusedStatement) -> Correction | None:
    """A comparison in the select list gives 1 or 0 by a CASE, and NULL where it is unknown."""
    edits: list[Edit] = []
    for select in statement.selects:
        for item in items_of(statement, select):
            value = item.value
            by_name = statement.upper(value.first + 1) == "="
            inverted = statement.upper(value.first) == "NOT"
            if by_name or inverted or not _is_condition(statement, value):
                continue
            text = statement.text(value)
            case = f"CASE WHEN {text} THEN 1 WHEN NOT ({text}) THEN 0 END"
            edits.append(
                Edit(statement.start(value.first), statement.tokens[value.last - 1].end, case)
            )
    return correct(edits, "Conditions are no values in T-SQL; CASE makes 1 and 0 of them.")


def counted_pairs(statement: RefusedStatement) -> Correction | None:
    """COUNT(DISTINCT a, b) counts the rows of a SELECT DISTINCT that hold no NULL."""
    for select, call, alias in sole_distinct_calls(statement, "COUNT"):
        if len(call.arguments) > 1:
            return _counted(statement, call, alias, TokenRange(call.index, select.last))
    return None


def _counted(
    statement: RefusedStatement, call: CalledFunction, alias: str, rest: TokenRange
) -> Correction:
    inner = TokenRange(call.index + 3, call.last - 1)
    columns = [statement.text(each) for each in listed(statement.tokens, inner)]
    named = [f"{text} AS c{number}" for number, text in enumerate(columns, start=1)]
    known = " AND ".join(f"p.c{number} IS NOT NULL" for number in range(1, len(columns) + 1))
    start = next(index for index in range(call.last, rest.last) if statement.upper(index) == "FROM")
    source = (
        f"(SELECT DISTINCT {', '.join(named)} {statement.text(TokenRange(start, rest.last))}) AS p"
    )
    heading = f" AS [{alias}]" if alias else ""
    text = f"COUNT(*){heading} FROM {source} WHERE {known}"
    edit = Edit(statement.start(call.index), statement.tokens[rest.last - 1].end, text)
    return Correction((edit,), "COUNT(DISTINCT ...) takes one column; several make a SELECT.")


def half_comparison(statement: RefusedStatement) -> Correction | None:
    """An x >= 1 AND <= 9 compares x twice; so does LIKE 'a' OR LIKE 'b', and = 'a' OR 'b'."""
    edits: list[Edit] = []
    for index in range(3, len(statement.tokens) - 1):
        if statement.upper(index) not in ("AND", "OR"):
            continue
        following = index + 1 + (statement.upper(index + 1) == "NOT")
        bare = statement.tokens[index + 1].kind in LITERALS and statement.upper(index + 2) in ENDERS
        read = _compared(statement, index)
        if read is None or not (bare or statement.upper(following) in HALVES):
            continue
        operand, sign = read
        place = statement.start(index + 1)
        if not bare:
            edits.append(Edit(place, place, f"{operand} "))
        elif statement.upper(index) == "OR" and sign in ("=", "LIKE"):
            edits.append(Edit(place, place, f"{operand} {sign} "))
    return correct(edits, "Each comparison names both of its sides.")


def _compared(statement: RefusedStatement, index: int) -> tuple[str, str] | None:
    """Return the operand and the sign of the comparison with a literal that ends before `at`."""
    sign = index - 2
    if statement.tokens[index - 1].kind not in LITERALS or statement.upper(sign) not in HALVES:
        return None
    last = sign - (statement.upper(sign - 1) == "NOT")
    first = statement.operand_before(last)
    before = statement.upper(first - 1)
    known = statement.tokens[first].is_name and before in ("WHERE", "AND", "OR", "ON", "(", "NOT")
    return (statement.text(TokenRange(first, last)), statement.upper(sign)) if known else None


def joined_using(statement: RefusedStatement) -> Correction | None:
    """JOIN b USING (Id) is JOIN b ON a.Id = b.Id, with the source before it."""
    edits: list[Edit] = []
    for select in statement.selects:
        for before, source in pairwise(select.sources):
            index = source.range.last
            if (
                statement.upper(index) != "USING"
                or not statement.words(index + 1, "(")
                or len(statement.tokens) < index + 4
            ):
                continue
            column = statement.tokens[index + 2]
            if statement.upper(index + 3) == ")" and column.is_name and len(select.sources) == 2:
                text = f"ON {before.alias}.{column.text} = {source.alias}.{column.text}"
                edits.append(Edit(statement.start(index), statement.tokens[index + 3].end, text))
    return correct(edits, "T-SQL has no USING; ON says what is equal.")


def lateral(statement: RefusedStatement) -> Correction | None:
    """JOIN LATERAL (...) is APPLY (...): CROSS for an inner join, OUTER for a left one."""
    edits: list[Edit] = []
    for source in statement.sources:
        index = source.range.first
        if statement.upper(index) != "LATERAL" and statement.upper(index - 1) != "LATERAL":
            continue
        word = index if statement.upper(index) == "LATERAL" else index - 1
        if source.on is not None and statement.text(source.on).strip("()").upper() not in TRIVIAL:
            continue
        kind = "OUTER" if source.joined.startswith("LEFT") else "CROSS"
        before = statement.tokens[source.joined_at - 1].end
        edits.append(Edit(before, statement.tokens[word].end, f" {kind} APPLY"))
        if source.on is not None:
            end = statement.tokens[source.on.last - 1].end
            edits.append(Edit(statement.tokens[source.on.first - 2].end, end, ""))
    return correct(edits, "T-SQL names a lateral join APPLY.")
