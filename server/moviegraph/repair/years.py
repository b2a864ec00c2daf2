"""Years: the graph holds them as numbers, where a relational schema would have dates."""

import re

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.nearness import fold_name
from moviegraph.repair.outline import TokenRange
from moviegraph.repair.context import CalledFunction, RefusedStatement
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.kinds import WHOLE

BOUNDS = {">=": "01-01", "<": "01-01", "<=": "12-31", ">": "12-31"}
DATES = frozenset({"releasedate", "date", "released", "releasedon", "premiere", "premieredate"})
PARTS = frozenset({"year", "yy", "yyyy"})
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>", "!=": "!="}
MOMENT_TYPES = frozenset({"DATE", "DATETIME", "DATETIME2", "DATETIMEOFFSET", "SMALLDATETIME"})
PRESENT = frozenset(
    """
    GETDATE GETUTCDATE SYSDATETIME SYSDATETIMEOFFSET SYSUTCDATETIME CURRENT_TIMESTAMP CURRENT_DATE
    """.split()
)
MOVED = frozenset({"DATEADD", "DATETRUNC"})
WHY = "The graph holds the year itself, and no date."


def year_of_date(statement: RefusedStatement) -> Correction | None:
    """YEAR(ReleaseDate), and YEAR of the year itself, is the year that the node holds."""
    edits: list[Edit] = []
    for call in statement.calls("YEAR", "DATEPART", "DATETRUNC"):
        year = _year_in(statement, call.arguments[-1]) if _takes_year(statement, call) else None
        if year is not None:
            edits.append(statement.over(call, year))
    return correct(edits, WHY)


def _takes_year(statement: RefusedStatement, call: CalledFunction) -> bool:
    """Whether a call takes the year of its last argument."""
    if statement.upper(call.index) == "YEAR":
        return len(call.arguments) == 1
    return len(call.arguments) == 2 and statement.text(call.arguments[0]).lower() in PARTS


def _year_in(statement: RefusedStatement, value: TokenRange) -> str | None:
    """Return the year that a column called a date holds, or its least or largest one."""
    if value.last - value.first in (1, 3):
        column = _column(statement, value.last - 1)
        prefix = statement.text(TokenRange(value.first, value.last - 1))
        return f"{prefix}{column}" if column is not None else None
    for call in statement.calls("MAX", "MIN"):
        if (call.index, call.last) == (value.first, value.last) and len(call.arguments) == 1:
            year = _year_in(statement, call.arguments[0])
            return f"{statement.tokens[call.index].text}({year})" if year is not None else None
    return None


def years_apart(statement: RefusedStatement) -> Correction | None:
    """DATEDIFF(year, m.ReleaseYear, d) and DATEADD(year, n, m.ReleaseYear) count with years."""
    edits: list[Edit] = []
    for call in statement.calls("DATEDIFF", "DATEDIFF_BIG", "DATEADD"):
        if len(call.arguments) != 3 or statement.text(call.arguments[0]).lower() not in PARTS:
            continue
        _, first, last = call.arguments
        years = [
            _year_in(statement, each) or _known_year(statement, each) for each in (first, last)
        ]
        if statement.upper(call.index) == "DATEADD":
            text = f"({years[1]} + {_enclosed(statement, first)})" if years[1] else ""
        else:
            ends = [
                year or _year_told(statement, each)
                for year, each in zip(years, (first, last), strict=True)
            ]
            text = f"({ends[1]} - {ends[0]})" if any(years) and all(ends) else ""
        if text:
            edits.append(statement.over(call, text))
    return correct(edits, WHY)


def _year_told(statement: RefusedStatement, value: TokenRange) -> str | None:
    """Return the year of what can only be a date, or a number that is the year itself."""
    text, alone = statement.text(value), value.last - value.first == 1
    if alone and statement.tokens[value.first].kind == "number":
        return text
    dated = alone and statement.tokens[value.first].kind == "string"
    return f"YEAR({text})" if dated or _is_moment(statement, value.first) else None


def _enclosed(statement: RefusedStatement, value: TokenRange) -> str:
    """Return a value as one side of a sum: what is computed stands in parentheses."""
    text = statement.text(value)
    return text if value.last - value.first == 1 else f"({text})"


def _known_year(statement: RefusedStatement, value: TokenRange) -> str | None:
    """Return a value that is YEAR(x) as it is."""
    calls = [call for call in statement.calls("YEAR", "DATEPART") if _takes_year(statement, call)]
    ends = {(call.index, call.last) for call in calls}
    return statement.text(value) if (value.first, value.last) in ends else None


def year_beside_date(statement: RefusedStatement) -> Correction | None:
    """ReleaseYear > DATEADD(year, -10, GETDATE()) compares with the year of that day."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        column = _column(statement, index) if token.is_name else None
        found = _compared(statement, index) if column is not None else []
        years = [_year_of(statement, value, sign) for value, sign in found]
        if column is None or not years or None in years:
            continue
        edits.append(Edit(token.start, token.end, column))
        for (value, _), year in zip(found, years, strict=True):
            start, end = statement.start(value.first), statement.tokens[value.last - 1].end
            edits.append(Edit(start, end, year or ""))
    return correct(edits, WHY)


def _compared(statement: RefusedStatement, index: int) -> list[tuple[TokenRange, str]]:
    """Return what a column is compared with, each with the sign that stands between."""
    if statement.upper(index + 1) == "BETWEEN":
        low = _sum_behind(statement, index + 1)
        if statement.upper(low.last) != "AND":
            return []
        return [(low, ">="), (_sum_behind(statement, low.last), "<=")]
    if statement.upper(index + 1) in TURNED:
        return [(_sum_behind(statement, index + 1), statement.upper(index + 1))]
    sign = index - 3 if statement.upper(index - 1) == "." else index - 1
    if statement.upper(sign) in TURNED:
        first = statement.operand_before(sign)
        while statement.upper(first - 1) in ("+", "-"):
            first = statement.operand_before(first - 1)
        return [(TokenRange(first, sign), TURNED[statement.upper(sign)])]
    return []


def _sum_behind(statement: RefusedStatement, sign: int) -> TokenRange:
    """Return the operand behind a sign, with what is added to it."""
    last = statement.operand_after(sign)
    while statement.upper(last) in ("+", "-"):
        last = statement.operand_after(last)
    return TokenRange(sign + 1, last)


def _year_of(statement: RefusedStatement, value: TokenRange, sign: str) -> str | None:
    """Return the year of a day: of the present and what is counted from it, or of a whole year."""
    words = {statement.upper(index) for index in range(value.first, value.last)}
    texts = [statement.tokens[index] for index in range(value.first, value.last)]
    texts = [token for token in texts if token.kind == "string"]
    if not texts:
        known = words & PRESENT and _is_moment(statement, value.first)
        return f"YEAR({statement.text(value)})" if known else None
    found = re.fullmatch(r"(\d{4})-(\d\d-\d\d)", texts[0].name)
    cast = value.last - value.first == 6 and _is_moment(statement, value.first)
    return found[1] if cast and found is not None and found[2] == BOUNDS.get(sign) else None


def _is_moment(statement: RefusedStatement, index: int) -> bool:
    """Whether what begins here is a date: a function that returns one, or a CAST to one."""
    word = statement.upper(index)
    if word in ("CAST", "TRY_CAST"):
        call = next((call for call in statement.calls(word) if call.index == index), None)
        return call is not None and statement.upper(call.last - 2) in MOMENT_TYPES
    known = FUNCTIONS.get(word)
    dated = known is not None and known.result in MOMENT_TYPES
    return dated or word in MOVED | PRESENT


def year_of_day(statement: RefusedStatement) -> Correction | None:
    """ReleaseDate >= '1990-01-01' is ReleaseYear >= 1990, and so for the last day of a year."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        column = (
            _year(statement, index) if token.is_name and fold_name(token.name) in DATES else None
        )
        read = _days(statement, index + 1) if column is not None else None
        if read is None:
            continue
        edits += [Edit(token.start, token.end, column or ""), *read]
    return correct(edits, WHY)


def year_shown(statement: RefusedStatement) -> Correction | None:
    """ReleaseDate in a list, in ORDER BY or beside a number of four digits is the year."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        column = (
            _year(statement, index) if token.is_name and fold_name(token.name) in DATES else None
        )
        values = (
            statement.tokens[index + 2 : index + 3]
            if statement.upper(index + 1) in BOUNDS | {"=": ""}
            else ()
        )
        beside = all(value.kind == "number" and len(value.text) == 4 for value in values)
        plain = statement.upper(index + 1) in (",", "FROM", "ASC", "DESC", "LIMIT", ")", ";", "")
        plain = plain and statement.upper(index - 1) != "(" and statement.upper(index - 3) != "("
        if column is not None and (plain or (values and beside)):
            edits.append(Edit(token.start, token.end, column))
        elif column is not None:
            return None
    return correct(edits, WHY)


def _days(statement: RefusedStatement, index: int) -> list[Edit] | None:
    """Return the edits that make years of the days compared; None where a part of a year counts."""
    sign, values = statement.upper(index), [index + 1]
    wanted = [BOUNDS.get(sign, "")]
    if sign == "BETWEEN":
        values, wanted = [index + 1, index + 3], ["01-01", "12-31"]
    edits: list[Edit] = []
    for place, day in zip(values, wanted, strict=True):
        token = statement.tokens[place] if place < len(statement.tokens) else None
        found = re.fullmatch(r"(\d{4})-(\d\d-\d\d)", token.name) if token else None
        if token is None or token.kind != "string" or found is None or found[2] != day:
            return None
        edits.append(Edit(token.start, token.end, found[1]))
    return edits


def _column(statement: RefusedStatement, index: int) -> str | None:
    """Return the year column that a name means which is called a date, or is its own name."""
    name = fold_name(statement.tokens[index].name)
    column = _year(statement, index) if name in DATES or "year" in name else None
    return column if column is not None and name in DATES | {fold_name(column)} else None


def _year(statement: RefusedStatement, index: int) -> str | None:
    """Return the one year column of what a name may belong to, unless it names another there."""
    name = statement.tokens[index].name
    if statement.upper(index - 1) == ".":
        sources = [statement.source_of(statement.tokens[index - 2].name, index)]
    else:
        sources = [source for select in statement.around(index)[:1] for source in select.sources]
    nodes = [node for source in sources if (node := statement.node_of(source)) is not None]
    found = {
        column.name
        for node in nodes
        for column in node.columns
        if "year" in column.name.lower() and column.type in WHOLE
    }
    known = {column.name for node in nodes if (column := node.column(name)) is not None}
    return found.pop() if len(found) == 1 and known <= found else None
