"""Years: the graph holds them as numbers, where a relational schema would have dates."""

import re

from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.kinds import WHOLE
from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.nearness import folded
from moviegraph.sql.repair.outline import Range

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


def year_of_date(broken: Broken) -> Correction | None:
    """YEAR(ReleaseDate), and YEAR of the year itself, is the year that the node holds."""
    edits: list[Edit] = []
    for call in broken.calls("YEAR", "DATEPART", "DATETRUNC"):
        year = _year_in(broken, call.arguments[-1]) if _takes_year(broken, call) else None
        if year is not None:
            edits.append(broken.over(call, year))
    return corrected(edits, WHY)


def _takes_year(broken: Broken, call: CalledFunction) -> bool:
    """Whether a call takes the year of its last argument."""
    if broken.upper(call.at) == "YEAR":
        return len(call.arguments) == 1
    return len(call.arguments) == 2 and broken.text(call.arguments[0]).lower() in PARTS


def _year_in(broken: Broken, value: Range) -> str | None:
    """Return the year that a column called a date holds, or its least or largest one."""
    if value.last - value.first in (1, 3):
        column = _column(broken, value.last - 1)
        prefix = broken.text(Range(value.first, value.last - 1))
        return f"{prefix}{column}" if column is not None else None
    for call in broken.calls("MAX", "MIN"):
        if (call.at, call.last) == (value.first, value.last) and len(call.arguments) == 1:
            year = _year_in(broken, call.arguments[0])
            return f"{broken.pieces[call.at].text}({year})" if year is not None else None
    return None


def years_apart(broken: Broken) -> Correction | None:
    """DATEDIFF(year, m.ReleaseYear, d) and DATEADD(year, n, m.ReleaseYear) count with years."""
    edits: list[Edit] = []
    for call in broken.calls("DATEDIFF", "DATEDIFF_BIG", "DATEADD"):
        if len(call.arguments) != 3 or broken.text(call.arguments[0]).lower() not in PARTS:
            continue
        _, first, last = call.arguments
        years = [_year_in(broken, each) or _known_year(broken, each) for each in (first, last)]
        if broken.upper(call.at) == "DATEADD":
            text = f"({years[1]} + {_enclosed(broken, first)})" if years[1] else ""
        else:
            ends = [
                year or _year_told(broken, each)
                for year, each in zip(years, (first, last), strict=True)
            ]
            text = f"({ends[1]} - {ends[0]})" if any(years) and all(ends) else ""
        if text:
            edits.append(broken.over(call, text))
    return corrected(edits, WHY)


def _year_told(broken: Broken, value: Range) -> str | None:
    """Return the year of what can only be a date, or a number that is the year itself."""
    text, alone = broken.text(value), value.last - value.first == 1
    if alone and broken.pieces[value.first].kind == "number":
        return text
    dated = alone and broken.pieces[value.first].kind == "string"
    return f"YEAR({text})" if dated or _is_moment(broken, value.first) else None


def _enclosed(broken: Broken, value: Range) -> str:
    """Return a value as one side of a sum: what is computed stands in parentheses."""
    text = broken.text(value)
    return text if value.last - value.first == 1 else f"({text})"


def _known_year(broken: Broken, value: Range) -> str | None:
    """Return a value that is YEAR(x) as it is."""
    calls = [call for call in broken.calls("YEAR", "DATEPART") if _takes_year(broken, call)]
    ends = {(call.at, call.last) for call in calls}
    return broken.text(value) if (value.first, value.last) in ends else None


def year_beside_date(broken: Broken) -> Correction | None:
    """ReleaseYear > DATEADD(year, -10, GETDATE()) compares with the year of that day."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        column = _column(broken, at) if piece.is_name else None
        found = _compared(broken, at) if column is not None else []
        years = [_year_of(broken, value, sign) for value, sign in found]
        if column is None or not years or None in years:
            continue
        edits.append(Edit(piece.start, piece.end, column))
        for (value, _), year in zip(found, years, strict=True):
            start, end = broken.start(value.first), broken.pieces[value.last - 1].end
            edits.append(Edit(start, end, year or ""))
    return corrected(edits, WHY)


def _compared(broken: Broken, at: int) -> list[tuple[Range, str]]:
    """Return what a column is compared with, each with the sign that stands between."""
    if broken.upper(at + 1) == "BETWEEN":
        low = _sum_behind(broken, at + 1)
        if broken.upper(low.last) != "AND":
            return []
        return [(low, ">="), (_sum_behind(broken, low.last), "<=")]
    if broken.upper(at + 1) in TURNED:
        return [(_sum_behind(broken, at + 1), broken.upper(at + 1))]
    sign = at - 3 if broken.upper(at - 1) == "." else at - 1
    if broken.upper(sign) in TURNED:
        first = broken.operand_before(sign)
        while broken.upper(first - 1) in ("+", "-"):
            first = broken.operand_before(first - 1)
        return [(Range(first, sign), TURNED[broken.upper(sign)])]
    return []


def _sum_behind(broken: Broken, sign: int) -> Range:
    """Return the operand behind a sign, with what is added to it."""
    last = broken.operand_after(sign)
    while broken.upper(last) in ("+", "-"):
        last = broken.operand_after(last)
    return Range(sign + 1, last)


def _year_of(broken: Broken, value: Range, sign: str) -> str | None:
    """Return the year of a day: of the present and what is counted from it, or of a whole year."""
    words = {broken.upper(at) for at in range(value.first, value.last)}
    texts = [broken.pieces[at] for at in range(value.first, value.last)]
    texts = [piece for piece in texts if piece.kind == "string"]
    if not texts:
        known = words & PRESENT and _is_moment(broken, value.first)
        return f"YEAR({broken.text(value)})" if known else None
    found = re.fullmatch(r"(\d{4})-(\d\d-\d\d)", texts[0].name)
    cast = value.last - value.first == 6 and _is_moment(broken, value.first)
    return found[1] if cast and found is not None and found[2] == BOUNDS.get(sign) else None


def _is_moment(broken: Broken, at: int) -> bool:
    """Whether what begins here is a date: a function that returns one, or a CAST to one."""
    word = broken.upper(at)
    if word in ("CAST", "TRY_CAST"):
        call = next((call for call in broken.calls(word) if call.at == at), None)
        return call is not None and broken.upper(call.last - 2) in MOMENT_TYPES
    known = FUNCTIONS.get(word)
    dated = known is not None and known.result in MOMENT_TYPES
    return dated or word in MOVED | PRESENT


def year_of_day(broken: Broken) -> Correction | None:
    """ReleaseDate >= '1990-01-01' is ReleaseYear >= 1990, and so for the last day of a year."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        column = _year(broken, at) if piece.is_name and folded(piece.name) in DATES else None
        read = _days(broken, at + 1) if column is not None else None
        if read is None:
            continue
        edits += [Edit(piece.start, piece.end, column or ""), *read]
    return corrected(edits, WHY)


def year_shown(broken: Broken) -> Correction | None:
    """ReleaseDate in a list, in ORDER BY or beside a number of four digits is the year."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        column = _year(broken, at) if piece.is_name and folded(piece.name) in DATES else None
        values = (
            broken.pieces[at + 2 : at + 3] if broken.upper(at + 1) in BOUNDS | {"=": ""} else ()
        )
        beside = all(value.kind == "number" and len(value.text) == 4 for value in values)
        plain = broken.upper(at + 1) in (",", "FROM", "ASC", "DESC", "LIMIT", ")", ";", "")
        plain = plain and broken.upper(at - 1) != "(" and broken.upper(at - 3) != "("
        if column is not None and (plain or (values and beside)):
            edits.append(Edit(piece.start, piece.end, column))
        elif column is not None:
            return None
    return corrected(edits, WHY)


def _days(broken: Broken, at: int) -> list[Edit] | None:
    """Return the edits that make years of the days compared; None where a part of a year counts."""
    sign, values = broken.upper(at), [at + 1]
    wanted = [BOUNDS.get(sign, "")]
    if sign == "BETWEEN":
        values, wanted = [at + 1, at + 3], ["01-01", "12-31"]
    edits: list[Edit] = []
    for place, day in zip(values, wanted, strict=True):
        piece = broken.pieces[place] if place < len(broken.pieces) else None
        found = re.fullmatch(r"(\d{4})-(\d\d-\d\d)", piece.name) if piece else None
        if piece is None or piece.kind != "string" or found is None or found[2] != day:
            return None
        edits.append(Edit(piece.start, piece.end, found[1]))
    return edits


def _column(broken: Broken, at: int) -> str | None:
    """Return the year column that a name means which is called a date, or is its own name."""
    name = folded(broken.pieces[at].name)
    column = _year(broken, at) if name in DATES or "year" in name else None
    return column if column is not None and name in DATES | {folded(column)} else None


def _year(broken: Broken, at: int) -> str | None:
    """Return the one year column of what a name may belong to, unless it names another there."""
    name = broken.pieces[at].name
    if broken.upper(at - 1) == ".":
        sources = [broken.source_of(broken.pieces[at - 2].name, at)]
    else:
        sources = [source for select in broken.around(at)[:1] for source in select.sources]
    nodes = [node for source in sources if (node := broken.node_of(source)) is not None]
    found = {
        column.name
        for node in nodes
        for column in node.columns
        if "year" in column.name.lower() and column.type in WHOLE
    }
    known = {column.name for node in nodes if (column := node.column(name)) is not None}
    return found.pop() if len(found) == 1 and known <= found else None
