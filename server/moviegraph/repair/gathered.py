"""Aggregates that T-SQL has in another form: distinct lists of groups, medians, JSON arrays."""

from moviegraph.repair.aggregates import AGGREGATES
from moviegraph.repair.around import order_terms
from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.columns import column_meant
from moviegraph.repair.outline import Select, TokenRange, listed, past_parenthesis
from moviegraph.repair.selected import items_of
from moviegraph.repair.context import CalledFunction, RefusedStatement

OUTER = ("SELECT", "GROUP", "HAVING", "ORDER")
ARRAYS = ("JSON_AGG", "JSONB_AGG", "JSON_ARRAYAGG", "JSON_GROUP_ARRAY")


def grouped_listing(statement: RefusedStatement) -> Correction | None:
    """STRING_AGG(DISTINCT x, s) beside groups takes each x of a group once: the first row of it."""
    for call in statement.calls("STRING_AGG"):
        select = statement.around(call.index)[0] if statement.around(call.index) else None
        if (
            select is None
            or statement.upper(call.index + 2) != "DISTINCT"
            or len(call.arguments) != 2
        ):
            continue
        edits = _once(statement, select, call)
        return correct(edits, "STRING_AGG takes no DISTINCT; the first row of each value counts.")
    return None


def _once(statement: RefusedStatement, select: Select, call: CalledFunction) -> list[Edit]:
    """Read the columns from a SELECT inside that has each value of a group once, or numbers it."""
    group = select.clauses.get("GROUP")
    columns = _columns(statement, select)
    if group is None or columns is None or select.arm:
        return []
    value = TokenRange(call.arguments[0].first + 1, call.arguments[0].last)
    alias = _free(statement, "u")
    named = {text: f"c{number}" for number, text in enumerate(dict.fromkeys(columns.values()), 1)}
    listing = ", ".join(f"{text} AS {name}" for text, name in named.items())
    first, chosen = "DISTINCT ", ("", "")
    if not _is_alone(statement, select, call):
        terms = [statement.text(term) for term in listed(statement.tokens, group)]
        same = ", ".join([*terms, statement.text(value)])
        listing += f", ROW_NUMBER() OVER (PARTITION BY {same} ORDER BY {statement.text(value)})"
        first, chosen = "", (f"CASE WHEN {alias}.first1 = 1 THEN ", " END")
        listing += " AS first1"
    start, end = (
        statement.start(select.clauses["FROM"].first - 1),
        statement.tokens[group.first - 3].end,
    )
    inner = statement.text(TokenRange(select.clauses["FROM"].first - 1, group.first - 2))
    behind = statement.tokens[value.last - 1].end
    edits = [
        Edit(start, end, f"FROM (SELECT {first}{listing} {inner}) AS {alias}"),
        Edit(statement.start(value.first - 1), statement.start(value.first), chosen[0]),
        Edit(behind, behind, chosen[1]),
    ]
    for index, text in columns.items():
        edits.append(
            Edit(statement.start(index), statement.tokens[index + 2].end, f"{alias}.{named[text]}")
        )
    return edits + _headings(statement, select)


def _is_alone(statement: RefusedStatement, select: Select, call: CalledFunction) -> bool:
    """Whether nothing else is aggregated, and what is joined is a plain column."""
    plain = call.arguments[0].last - call.arguments[0].first == 4
    calls = [c for c in statement.calls(*AGGREGATES) if statement.around(c.index)[:1] == [select]]
    return plain and len(calls) == 1


def _columns(statement: RefusedStatement, select: Select) -> dict[int, str] | None:
    """Return the qualified columns outside FROM and WHERE; None where one is not qualified."""
    found: dict[int, str] = {}
    names = {item.alias.lower() for item in items_of(statement, select)}
    for word in OUTER:
        clause = select.clauses.get(word)
        for index in range(clause.first, clause.last) if clause else ():
            upper = statement.upper(index)
            if upper in ("SELECT", "OVER"):
                return None
            if not statement.tokens[index].is_name or statement.upper(index - 1) == ".":
                continue
            if statement.upper(index + 1) == ".":
                found[index] = statement.text(TokenRange(index, index + 3)).lower()
            elif _is_column(statement, index) and statement.tokens[index].name.lower() not in names:
                return None
    return found


def _is_column(statement: RefusedStatement, index: int) -> bool:
    name = statement.tokens[index].name
    return statement.upper(index + 1) != "(" and any(
        n.column(name) for n in statement.contract.nodes
    )


def _headings(statement: RefusedStatement, select: Select) -> list[Edit]:
    """Keep the names that plain columns give to the result."""
    found: list[Edit] = []
    for item in items_of(statement, select):
        if not item.alias and item.value.last - item.value.first == 3:
            last = statement.tokens[item.value.last - 1]
            found.append(Edit(last.end, last.end, f" AS {last.text}"))
    return found


def _free(statement: RefusedStatement, letter: str) -> str:
    taken = {token.name.lower() for token in statement.tokens if token.is_name}
    return (
        letter
        if letter not in taken
        else next(f"{letter}{n}" for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)
    )


def median(statement: RefusedStatement) -> Correction | None:
    """MEDIAN(x) is PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."""
    edits = [
        statement.over(
            call,
            f"PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {statement.text(call.arguments[0])})",
        )
        for call in statement.calls("MEDIAN")
        if len(call.arguments) == 1
    ]
    return correct(edits, "T-SQL has no MEDIAN; it has PERCENTILE_CONT.")


def grouped_percentile(statement: RefusedStatement) -> Correction | None:
    """A percentile of groups is one of windows, of which DISTINCT leaves one row for each."""
    for select in statement.selects:
        calls = [
            c for c in statement.calls("PERCENTILE_CONT", "PERCENTILE_DISC") if _bare(statement, c)
        ]
        if any(statement.around(call.index)[:1] == [select] for call in calls):
            edits = _windowed(statement, select)
            why = "T-SQL has percentiles as window functions only; DISTINCT leaves a row a group."
            return correct(edits, why)
    return None


def _bare(statement: RefusedStatement, call: CalledFunction) -> bool:
    """Whether F(0.5) WITHIN GROUP (...) has no OVER."""
    if not statement.words(call.last, "WITHIN", "GROUP", "("):
        return False
    return statement.upper(past_parenthesis(statement.tokens, call.last + 2)) != "OVER"


def _windowed(statement: RefusedStatement, select: Select) -> list[Edit]:
    group = select.clauses.get("GROUP")
    if {"HAVING", "QUALIFY"} & select.clauses.keys() or select.arm:
        return []
    by = f"PARTITION BY {statement.text(group)}" if group else ""
    edits: list[Edit] = []
    for call in statement.calls(*AGGREGATES, "PERCENTILE_CONT", "PERCENTILE_DISC"):
        if (
            call.index not in select.clauses["SELECT"]
            or statement.around(call.index)[0] is not select
        ):
            continue
        within = statement.words(call.last, "WITHIN", "GROUP", "(")
        last = past_parenthesis(statement.tokens, call.last + 2) if within else call.last
        if statement.upper(call.index + 2) == "DISTINCT" or statement.upper(last) == "OVER":
            return []
        end = statement.tokens[last - 1].end
        edits.append(Edit(end, end, f" OVER ({by})"))
    if not _sorted_by_names(statement, select) or not _lists_groups(statement, select):
        return []
    if statement.upper(select.first + 1) != "DISTINCT":
        end = statement.tokens[select.first].end
        edits.append(Edit(end, end, " DISTINCT"))
    if group is not None:
        start, end = statement.tokens[group.first - 3].end, statement.tokens[group.last - 1].end
        edits.append(Edit(start, end, ""))
    return edits


def _lists_groups(statement: RefusedStatement, select: Select) -> bool:
    """Whether every group is told apart by what is listed, so that DISTINCT merges none."""
    group = select.clauses.get("GROUP")
    values = {"".join(statement.text(i.value).lower().split()) for i in items_of(statement, select)}
    terms = listed(statement.tokens, group) if group else []
    return all("".join(statement.text(term).lower().split()) in values for term in terms)


def _sorted_by_names(statement: RefusedStatement, select: Select) -> bool:
    """Whether every term of ORDER BY is listed, as DISTINCT wants it."""
    known = {"".join(statement.text(i.value).lower().split()) for i in items_of(statement, select)}
    known |= {item.alias.lower() for item in items_of(statement, select)}
    terms = [value for value, _ in order_terms(statement, select)]
    return all("".join(t.lower().split()).strip("[]") in known or t.isdigit() for t in terms)


def group_by_all(statement: RefusedStatement) -> Correction | None:
    """GROUP BY ALL is by every item that holds no aggregate."""
    edits: list[Edit] = []
    for select in statement.selects:
        group = select.clauses.get("GROUP")
        if group is None or group.last - group.first != 1 or statement.upper(group.first) != "ALL":
            continue
        values = [
            statement.text(item.value)
            for item in items_of(statement, select)
            if item.columns and not any(c.index in item.value for c in statement.calls(*AGGREGATES))
        ]
        word = statement.tokens[group.first]
        if values:
            edits.append(Edit(word.start, word.end, ", ".join(values)))
    return correct(edits, "T-SQL names what it groups by.")


def json_listing(statement: RefusedStatement) -> Correction | None:
    """JSON_AGG(x) of a text that is never NULL is a JSON array, joined by STRING_AGG."""
    edits: list[Edit] = []
    for call in statement.calls(*ARRAYS):
        plain = len(call.arguments) == 1 and statement.upper(call.index + 2) != "DISTINCT"
        if not plain or not _is_label(statement, call.arguments[0]):
            continue
        held = statement.text(call.arguments[0])
        texts = f"STRING_AGG('\"' + STRING_ESCAPE({held}, 'json') + '\"', ',')"
        whole = statement.start(call.index), statement.tokens[call.last - 1].end
        edits.append(Edit(*whole, f"'[' + {texts} + ']'"))
    return correct(edits, "The dialect has no aggregate that makes JSON; STRING_AGG joins texts.")


def _is_label(statement: RefusedStatement, value: TokenRange) -> bool:
    """Whether a value is a text column of the contract that holds no NULL."""
    if value.last - value.first != 3 or statement.upper(value.first + 1) != ".":
        return False
    node = statement.node_of(statement.source_of(statement.tokens[value.first].name, value.first))
    name = statement.tokens[value.last - 1].name
    column = node.column(column_meant(node, name) or name) if node else None
    return column is not None and not column.nullable and column.type.startswith("NVARCHAR")


def nested_aggregate(statement: RefusedStatement) -> Correction | None:
    """AVG(COUNT(*)) of groups is the AVG over a SELECT of the groups."""
    for select in statement.selects:
        items = items_of(statement, select)
        extra = {"HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH"} & select.clauses.keys()
        if len(items) != 1 or extra or "GROUP" not in select.clauses or select.arm:
            continue
        outer = next(
            (c for c in statement.calls(*AGGREGATES) if c.index == items[0].value.first), None
        )
        inner = next(
            (c for c in statement.calls(*AGGREGATES) if outer and c.index == outer.index + 2), None
        )
        if outer is None or inner is None or inner.last != outer.last - 1:
            continue
        source = statement.text(TokenRange(select.clauses["SELECT"].last, select.last))
        alias = _free(statement, "u")
        value = statement.text(TokenRange(inner.index, inner.last))
        heading = f" AS [{items[0].alias}]" if items[0].alias else ""
        rows = f"(SELECT {value} AS v {source}) AS {alias}"
        text = f"{statement.upper(outer.index)}({alias}.v){heading} FROM {rows}"
        edit = Edit(statement.start(outer.index), statement.tokens[select.last - 1].end, text)
        return correct([edit], "An aggregate of aggregates reads them from a subquery.")
    return None


def extreme_row(statement: RefusedStatement) -> Correction | None:
    """WHERE m.Year = MAX(m.Year) as the only condition on one table asks for its latest."""
    for select in statement.selects:
        where, source = select.clauses.get("WHERE", TokenRange(0, 0)), select.sources
        calls = [
            c for c in statement.calls("MAX", "MIN") if c.index in where and c.last == where.last
        ]
        if len(calls) != 1 or len(source) != 1 or not source[0].parts or "GROUP" in select.clauses:
            continue
        call = calls[0]
        left = statement.text(TokenRange(where.first, call.index - 1))
        if (
            statement.upper(call.index - 1) != "="
            or left.lower() != statement.text(call.arguments[0]).lower()
        ):
            continue
        alias, table = _free(statement, "u"), source[0].parts[-1].text
        column = statement.tokens[call.last - 2].text
        text = f"(SELECT {statement.upper(call.index)}({alias}.{column}) FROM {table} AS {alias})"
        edit = statement.over(call, text)
        return correct([edit], "The extreme of a table is read by a subquery.")
    return None
