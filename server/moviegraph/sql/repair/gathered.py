"""Aggregates that T-SQL has in another form: distinct lists of groups, medians, JSON arrays."""

from moviegraph.sql.repair.aggregates import AGGREGATES
from moviegraph.sql.repair.around import order_terms
from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.columns import column_meant
from moviegraph.sql.repair.outline import Range, Select, listed, past_parenthesis
from moviegraph.sql.repair.selected import items_of

OUTER = ("SELECT", "GROUP", "HAVING", "ORDER")
ARRAYS = ("JSON_AGG", "JSONB_AGG", "JSON_ARRAYAGG", "JSON_GROUP_ARRAY")


def grouped_listing(broken: Broken) -> Correction | None:
    """STRING_AGG(DISTINCT x, s) beside groups takes each x of a group once: the first row of it."""
    for call in broken.calls("STRING_AGG"):
        select = broken.around(call.at)[0] if broken.around(call.at) else None
        if select is None or broken.upper(call.at + 2) != "DISTINCT" or len(call.arguments) != 2:
            continue
        edits = _once(broken, select, call)
        return corrected(edits, "STRING_AGG takes no DISTINCT; the first row of each value counts.")
    return None


def _once(broken: Broken, select: Select, call: CalledFunction) -> list[Edit]:
    """Read the columns from a SELECT inside that has each value of a group once, or numbers it."""
    group = select.clauses.get("GROUP")
    columns = _columns(broken, select)
    if group is None or columns is None or select.arm:
        return []
    value = Range(call.arguments[0].first + 1, call.arguments[0].last)
    alias = _free(broken, "u")
    named = {text: f"c{number}" for number, text in enumerate(dict.fromkeys(columns.values()), 1)}
    listing = ", ".join(f"{text} AS {name}" for text, name in named.items())
    first, chosen = "DISTINCT ", ("", "")
    if not _is_alone(broken, select, call):
        terms = [broken.text(term) for term in listed(broken.pieces, group)]
        same = ", ".join([*terms, broken.text(value)])
        listing += f", ROW_NUMBER() OVER (PARTITION BY {same} ORDER BY {broken.text(value)})"
        first, chosen = "", (f"CASE WHEN {alias}.first1 = 1 THEN ", " END")
        listing += " AS first1"
    start, end = broken.start(select.clauses["FROM"].first - 1), broken.pieces[group.first - 3].end
    inner = broken.text(Range(select.clauses["FROM"].first - 1, group.first - 2))
    behind = broken.pieces[value.last - 1].end
    edits = [
        Edit(start, end, f"FROM (SELECT {first}{listing} {inner}) AS {alias}"),
        Edit(broken.start(value.first - 1), broken.start(value.first), chosen[0]),
        Edit(behind, behind, chosen[1]),
    ]
    for at, text in columns.items():
        edits.append(Edit(broken.start(at), broken.pieces[at + 2].end, f"{alias}.{named[text]}"))
    return edits + _headings(broken, select)


def _is_alone(broken: Broken, select: Select, call: CalledFunction) -> bool:
    """Whether nothing else is aggregated, and what is joined is a plain column."""
    plain = call.arguments[0].last - call.arguments[0].first == 4
    calls = [c for c in broken.calls(*AGGREGATES) if broken.around(c.at)[:1] == [select]]
    return plain and len(calls) == 1


def _columns(broken: Broken, select: Select) -> dict[int, str] | None:
    """Return the qualified columns outside FROM and WHERE; None where one is not qualified."""
    found: dict[int, str] = {}
    names = {item.alias.lower() for item in items_of(broken, select)}
    for word in OUTER:
        clause = select.clauses.get(word)
        for at in range(clause.first, clause.last) if clause else ():
            upper = broken.upper(at)
            if upper in ("SELECT", "OVER"):
                return None
            if not broken.pieces[at].is_name or broken.upper(at - 1) == ".":
                continue
            if broken.upper(at + 1) == ".":
                found[at] = broken.text(Range(at, at + 3)).lower()
            elif _is_column(broken, at) and broken.pieces[at].name.lower() not in names:
                return None
    return found


def _is_column(broken: Broken, at: int) -> bool:
    name = broken.pieces[at].name
    return broken.upper(at + 1) != "(" and any(n.column(name) for n in broken.contract.nodes)


def _headings(broken: Broken, select: Select) -> list[Edit]:
    """Keep the names that plain columns give to the result."""
    found: list[Edit] = []
    for item in items_of(broken, select):
        if not item.alias and item.value.last - item.value.first == 3:
            last = broken.pieces[item.value.last - 1]
            found.append(Edit(last.end, last.end, f" AS {last.text}"))
    return found


def _free(broken: Broken, letter: str) -> str:
    taken = {piece.name.lower() for piece in broken.pieces if piece.is_name}
    return (
        letter
        if letter not in taken
        else next(f"{letter}{n}" for n in range(1, len(taken) + 2) if f"{letter}{n}" not in taken)
    )


def median(broken: Broken) -> Correction | None:
    """MEDIAN(x) is PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)."""
    edits = [
        broken.over(
            call,
            f"PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {broken.text(call.arguments[0])})",
        )
        for call in broken.calls("MEDIAN")
        if len(call.arguments) == 1
    ]
    return corrected(edits, "T-SQL has no MEDIAN; it has PERCENTILE_CONT.")


def grouped_percentile(broken: Broken) -> Correction | None:
    """A percentile of groups is one of windows, of which DISTINCT leaves one row for each."""
    for select in broken.selects:
        calls = [c for c in broken.calls("PERCENTILE_CONT", "PERCENTILE_DISC") if _bare(broken, c)]
        if any(broken.around(call.at)[:1] == [select] for call in calls):
            edits = _windowed(broken, select)
            why = "T-SQL has percentiles as window functions only; DISTINCT leaves a row a group."
            return corrected(edits, why)
    return None


def _bare(broken: Broken, call: CalledFunction) -> bool:
    """Whether F(0.5) WITHIN GROUP (...) has no OVER."""
    if not broken.words(call.last, "WITHIN", "GROUP", "("):
        return False
    return broken.upper(past_parenthesis(broken.pieces, call.last + 2)) != "OVER"


def _windowed(broken: Broken, select: Select) -> list[Edit]:
    group = select.clauses.get("GROUP")
    if {"HAVING", "QUALIFY"} & select.clauses.keys() or select.arm:
        return []
    by = f"PARTITION BY {broken.text(group)}" if group else ""
    edits: list[Edit] = []
    for call in broken.calls(*AGGREGATES, "PERCENTILE_CONT", "PERCENTILE_DISC"):
        if call.at not in select.clauses["SELECT"] or broken.around(call.at)[0] is not select:
            continue
        within = broken.words(call.last, "WITHIN", "GROUP", "(")
        last = past_parenthesis(broken.pieces, call.last + 2) if within else call.last
        if broken.upper(call.at + 2) == "DISTINCT" or broken.upper(last) == "OVER":
            return []
        end = broken.pieces[last - 1].end
        edits.append(Edit(end, end, f" OVER ({by})"))
    if not _sorted_by_names(broken, select) or not _lists_groups(broken, select):
        return []
    if broken.upper(select.first + 1) != "DISTINCT":
        end = broken.pieces[select.first].end
        edits.append(Edit(end, end, " DISTINCT"))
    if group is not None:
        start, end = broken.pieces[group.first - 3].end, broken.pieces[group.last - 1].end
        edits.append(Edit(start, end, ""))
    return edits


def _lists_groups(broken: Broken, select: Select) -> bool:
    """Whether every group is told apart by what is listed, so that DISTINCT merges none."""
    group = select.clauses.get("GROUP")
    values = {"".join(broken.text(i.value).lower().split()) for i in items_of(broken, select)}
    terms = listed(broken.pieces, group) if group else []
    return all("".join(broken.text(term).lower().split()) in values for term in terms)


def _sorted_by_names(broken: Broken, select: Select) -> bool:
    """Whether every term of ORDER BY is listed, as DISTINCT wants it."""
    known = {"".join(broken.text(i.value).lower().split()) for i in items_of(broken, select)}
    known |= {item.alias.lower() for item in items_of(broken, select)}
    terms = [value for value, _ in order_terms(broken, select)]
    return all("".join(t.lower().split()).strip("[]") in known or t.isdigit() for t in terms)


def group_by_all(broken: Broken) -> Correction | None:
    """GROUP BY ALL is by every item that holds no aggregate."""
    edits: list[Edit] = []
    for select in broken.selects:
        group = select.clauses.get("GROUP")
        if group is None or group.last - group.first != 1 or broken.upper(group.first) != "ALL":
            continue
        values = [
            broken.text(item.value)
            for item in items_of(broken, select)
            if item.columns and not any(c.at in item.value for c in broken.calls(*AGGREGATES))
        ]
        word = broken.pieces[group.first]
        if values:
            edits.append(Edit(word.start, word.end, ", ".join(values)))
    return corrected(edits, "T-SQL names what it groups by.")


def json_listing(broken: Broken) -> Correction | None:
    """JSON_AGG(x) of a text that is never NULL is a JSON array, joined by STRING_AGG."""
    edits: list[Edit] = []
    for call in broken.calls(*ARRAYS):
        plain = len(call.arguments) == 1 and broken.upper(call.at + 2) != "DISTINCT"
        if not plain or not _is_label(broken, call.arguments[0]):
            continue
        held = broken.text(call.arguments[0])
        texts = f"STRING_AGG('\"' + STRING_ESCAPE({held}, 'json') + '\"', ',')"
        whole = broken.start(call.at), broken.pieces[call.last - 1].end
        edits.append(Edit(*whole, f"'[' + {texts} + ']'"))
    return corrected(edits, "The dialect has no aggregate that makes JSON; STRING_AGG joins texts.")


def _is_label(broken: Broken, value: Range) -> bool:
    """Whether a value is a text column of the contract that holds no NULL."""
    if value.last - value.first != 3 or broken.upper(value.first + 1) != ".":
        return False
    node = broken.node_of(broken.source_of(broken.pieces[value.first].name, value.first))
    name = broken.pieces[value.last - 1].name
    column = node.column(column_meant(node, name) or name) if node else None
    return column is not None and not column.nullable and column.type.startswith("NVARCHAR")


def nested_aggregate(broken: Broken) -> Correction | None:
    """AVG(COUNT(*)) of groups is the AVG over a SELECT of the groups."""
    for select in broken.selects:
        items = items_of(broken, select)
        extra = {"HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH"} & select.clauses.keys()
        if len(items) != 1 or extra or "GROUP" not in select.clauses or select.arm:
            continue
        outer = next((c for c in broken.calls(*AGGREGATES) if c.at == items[0].value.first), None)
        inner = next((c for c in broken.calls(*AGGREGATES) if outer and c.at == outer.at + 2), None)
        if outer is None or inner is None or inner.last != outer.last - 1:
            continue
        source = broken.text(Range(select.clauses["SELECT"].last, select.last))
        alias = _free(broken, "u")
        value = broken.text(Range(inner.at, inner.last))
        heading = f" AS [{items[0].alias}]" if items[0].alias else ""
        rows = f"(SELECT {value} AS v {source}) AS {alias}"
        text = f"{broken.upper(outer.at)}({alias}.v){heading} FROM {rows}"
        edit = Edit(broken.start(outer.at), broken.pieces[select.last - 1].end, text)
        return corrected([edit], "An aggregate of aggregates reads them from a subquery.")
    return None


def extreme_row(broken: Broken) -> Correction | None:
    """WHERE m.Year = MAX(m.Year) as the only condition on one table asks for its latest."""
    for select in broken.selects:
        where, source = select.clauses.get("WHERE", Range(0, 0)), select.sources
        calls = [c for c in broken.calls("MAX", "MIN") if c.at in where and c.last == where.last]
        if len(calls) != 1 or len(source) != 1 or not source[0].parts or "GROUP" in select.clauses:
            continue
        call = calls[0]
        left = broken.text(Range(where.first, call.at - 1))
        if (
            broken.upper(call.at - 1) != "="
            or left.lower() != broken.text(call.arguments[0]).lower()
        ):
            continue
        alias, table = _free(broken, "u"), source[0].parts[-1].text
        column = broken.pieces[call.last - 2].text
        text = f"(SELECT {broken.upper(call.at)}({alias}.{column}) FROM {table} AS {alias})"
        edit = broken.over(call, text)
        return corrected([edit], "The extreme of a table is read by a subquery.")
    return None
