"""Operators and functions of other dialects: texts compared, numbers divided, dates formed."""

import re

from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.repair.broken import Broken, CalledFunction
from moviegraph.sql.repair.changes import Correction, Edit, corrected
from moviegraph.sql.repair.outline import Range

FACTORS = frozenset({"*", "/", "%", "//", "DIV"})
PLAIN = re.compile(r"[\w '&,:-]+")
FORMS = {"%y": "YEAR", "%m": "MONTH", "%d": "DAY", "yyyy": "YEAR", "mm": "MONTH", "dd": "DAY"}
NOW = frozenset({"'now'", "now()", "current_date", "current_timestamp", "sysdate", "getdate()"})


def regular_expression(broken: Broken) -> Correction | None:
    """REGEXP, RLIKE and ~ are LIKE where words, | and anchors are all, and else REGEXP_LIKE."""
    edits: list[Edit] = []
    for at, piece in enumerate(broken.pieces):
        if piece.upper in ("REGEXP", "RLIKE") and broken.upper(at + 1) != "(":
            edits += _compared(broken, at, at + 1)
        elif piece.text == "~" and piece.kind == "mark" and broken.upper(at - 1) != "=":
            edits += _compared(broken, at, at + 1 + (broken.upper(at + 1) == "*"))
    for call in broken.calls("REGEXP_CONTAINS", "REGEXP_MATCHES"):
        piece = broken.pieces[call.at]
        edits.append(Edit(piece.start, piece.end, "REGEXP_LIKE"))
    return corrected(edits, "T-SQL has no such operator; LIKE or REGEXP_LIKE finds the same texts.")


def _compared(broken: Broken, at: int, value: int) -> list[Edit]:
    if value >= len(broken.pieces) or broken.pieces[value].kind != "string":
        return []
    negated = broken.upper(at - 1) in ("NOT", "!")
    last = at - negated
    operand = Range(broken.operand_before(last), last)
    name = broken.text(operand)
    text = _like(name, broken.pieces[value].name, negated=negated)
    if text is None:
        flags = "" if broken.upper(at) == "~" and value == at + 1 else ", 'i'"
        called = f"REGEXP_LIKE({name}, {broken.pieces[value].text}{flags})"
        text = f"NOT {called}" if negated else called
    return [Edit(broken.start(operand.first), broken.pieces[value].end, text)]


def _like(operand: str, pattern: str, *, negated: bool) -> str | None:
    """Return the LIKE conditions that find what a plain pattern finds, or None."""
    pattern = pattern.removeprefix("(?i)").removeprefix(".*").removesuffix(".*")
    if pattern.startswith("(") and pattern.endswith(")"):
        pattern = pattern[1:-1]
    texts: list[str] = []
    for part in pattern.split("|"):
        core = part.removeprefix("^").removesuffix("$")
        if not core or not PLAIN.fullmatch(core) or "_" in core:
            return None
        head, tail = "" if part.startswith("^") else "%", "" if part.endswith("$") else "%"
        escaped = core.replace("'", "''")
        texts.append(f"{operand} {'NOT ' if negated else ''}LIKE '{head}{escaped}{tail}'")
    joined = (" AND " if negated else " OR ").join(texts)
    return f"({joined})" if len(texts) > 1 else joined


def integer_division(broken: Broken) -> Correction | None:
    """DIV and // are /, which cuts off the fraction where both sides are whole numbers."""
    edits = [
        Edit(piece.start, piece.end, "/")
        for at, piece in enumerate(broken.pieces)
        if piece.upper in ("DIV", "//") and at and _divides_whole(broken, at)
    ]
    return corrected(edits, "In T-SQL whole numbers divided by / give whole numbers.")


def _divides_whole(broken: Broken, at: int) -> bool:
    """Whether both sides are whole numbers; on the left all that is multiplied before."""
    first = broken.operand_before(at)
    sides = [Range(at + 1, broken.operand_after(at)), Range(first, at)]
    while broken.upper(first - 1) in FACTORS:
        last, first = first - 1, broken.operand_before(first - 1)
        sides.append(Range(first, last))
    return all(is_whole(broken, side) for side in sides)


def is_whole(broken: Broken, operand: Range) -> bool:
    """Whether an operand is known to be a whole number, or to be computed of such alone."""
    held = broken.pieces[operand.first : operand.last]
    if len(held) == 1 and held[0].kind == "number":
        return held[0].text.isdigit()
    call = next((each for each in broken.calls() if each.at == operand.first), None)
    if call is not None and call.last == operand.last:
        return _gives_whole(broken, call)
    if held and held[0].text == "(":
        inner = Range(operand.first + 1, operand.last - 1)
        return all(is_whole(broken, term) for term in _terms(broken, inner))
    return bool(held) and held[-1].is_name and _is_whole_column(broken, operand)


def _terms(broken: Broken, within: Range) -> list[Range]:
    """Return what arithmetic joins, or the whole where other things stand in between."""
    found: list[Range] = []
    at = within.first
    while at < within.last:
        past = broken.operand_after(at - 1)
        found.append(Range(at, past))
        if past < within.last and broken.upper(past) not in FACTORS | {"+", "-"}:
            return [Range(within.first, within.first)]
        at = past + 1
    return found


def _gives_whole(broken: Broken, call: CalledFunction) -> bool:
    function = FUNCTIONS.get(broken.upper(call.at))
    if function is None or function.name == "AVG":
        return False
    whole = all(is_whole(broken, argument) for argument in call.arguments)
    return function.result in ("INT", "BIGINT") or (isinstance(function.result, int) and whole)


def _is_whole_column(broken: Broken, operand: Range) -> bool:
    """Whether a column is an INT in each table that may hold it."""
    name = broken.pieces[operand.last - 1].name
    if broken.upper(operand.last - 2) == ".":
        sources = [broken.source_of(broken.pieces[operand.last - 3].name, operand.first)]
    else:
        sources = [source for each in broken.around(operand.first)[:1] for source in each.sources]
    nodes = [broken.node_of(source) for source in sources if broken.edge_of(source) is None]
    columns = [node.column(name) for node in nodes if node is not None]
    kinds = {column.type for column in columns if column is not None}
    return None not in nodes and kinds == {"INT"}


def dated_form(broken: Broken) -> Correction | None:
    """STRFTIME('%Y', d), DATE_FORMAT(d, '%Y') and TO_CHAR(d, 'YYYY') are YEAR(d)."""
    edits: list[Edit] = []
    for call in broken.calls("STRFTIME", "DATE_FORMAT", "TO_CHAR", "FORMAT_DATE"):
        if len(call.arguments) != 2:
            continue
        first, second = (broken.text(each) for each in call.arguments)
        swapped = broken.upper(call.at) in ("STRFTIME", "FORMAT_DATE")
        form, value = (first, second) if swapped else (second, first)
        part = FORMS.get(form.strip("'").lower())
        if part is not None:
            value = "GETDATE()" if value.lower() in NOW else value
            text = f"{part}({value})"
            edits.append(broken.over(call, text))
    return corrected(edits, "T-SQL takes parts of a date by YEAR, MONTH and DAY.")


def padded(broken: Broken) -> Correction | None:
    """LPAD(x, n, c) is RIGHT(REPLICATE(c, n) + x, n), and a text that is longer is cut."""
    edits: list[Edit] = []
    for call in broken.calls("LPAD", "RPAD"):
        if len(call.arguments) not in (2, 3):
            continue
        value, count, *filler = map(broken.text, call.arguments)
        fill = filler[0] if filler else "' '"
        if not count.isdigit() or not re.fullmatch(r"N?'[^']'", fill):
            continue
        padding = f"REPLICATE({fill}, {count})"
        cut = f"LEFT({value}, {count})"
        if broken.upper(call.at) == "LPAD":
            text = f"RIGHT({padding} + {cut}, {count})"
        else:
            text = f"LEFT({cut} + {padding}, {count})"
        edits.append(broken.over(call, text))
    return corrected(edits, "T-SQL pads by REPLICATE and cuts by LEFT.")


def decoded(broken: Broken) -> Correction | None:
    """DECODE(x, a, b, ..., z) is a CASE over the values of x."""
    edits: list[Edit] = []
    for call in broken.calls("DECODE"):
        given = [broken.text(each) for each in call.arguments]
        if len(given) < 3:
            continue
        pairs = zip(given[1::2], given[2::2], strict=False)
        last = f" ELSE {given[-1]}" if len(given) % 2 == 0 else ""
        whens = " ".join(f"WHEN {value} THEN {result}" for value, result in pairs)
        text = f"CASE {given[0]} {whens}{last} END"
        edits.append(broken.over(call, text))
    return corrected(edits, "T-SQL writes DECODE as CASE.")


def ended_text(broken: Broken) -> Correction | None:
    """STARTSWITH(a, 'b'), ENDSWITH and CONTAINS_SUBSTR are LIKE."""
    edits: list[Edit] = []
    shapes = {
        **dict.fromkeys(("STARTSWITH", "STARTS_WITH"), "{}%"),
        **dict.fromkeys(("ENDSWITH", "ENDS_WITH"), "%{}"),
        **dict.fromkeys(("CONTAINS_SUBSTR", "STR_CONTAINS"), "%{}%"),
    }
    for call in broken.calls(*shapes):
        texts = [broken.pieces[each.first] for each in call.arguments]
        if len(texts) != 2 or texts[1].kind != "string" or set("%_[") & set(texts[1].name):
            continue
        escaped = texts[1].name.replace("'", "''")
        pattern = shapes[broken.upper(call.at)].format(escaped)
        text = f"{broken.text(call.arguments[0])} LIKE '{pattern}'"
        edits.append(broken.over(call, text))
    return corrected(edits, "T-SQL compares the ends of a text by LIKE.")
