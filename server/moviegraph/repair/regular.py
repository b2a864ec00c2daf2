"""Operators and functions of other dialects: texts compared, numbers divided, dates formed."""

import re

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import TokenRange
from moviegraph.repair.context import CalledFunction, RefusedStatement
from moviegraph.sql.functions import FUNCTIONS

FACTORS = frozenset({"*", "/", "%", "//", "DIV"})
PLAIN = re.compile(r"[\w '&,:-]+")
FORMS = {"%y": "YEAR", "%m": "MONTH", "%d": "DAY", "yyyy": "YEAR", "mm": "MONTH", "dd": "DAY"}
NOW = frozenset({"'now'", "now()", "current_date", "current_timestamp", "sysdate", "getdate()"})


def regular_expression(statement: RefusedStatement) -> Correction | None:
    """REGEXP, RLIKE and ~ are LIKE where words, | and anchors are all, and else REGEXP_LIKE."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        if token.upper in ("REGEXP", "RLIKE") and statement.upper(index + 1) != "(":
            edits += _compared(statement, index, index + 1)
        elif token.text == "~" and token.kind == "mark" and statement.upper(index - 1) != "=":
            edits += _compared(statement, index, index + 1 + (statement.upper(index + 1) == "*"))
    for call in statement.calls("REGEXP_CONTAINS", "REGEXP_MATCHES"):
        token = statement.tokens[call.index]
        edits.append(Edit(token.start, token.end, "REGEXP_LIKE"))
    return correct(edits, "T-SQL has no such operator; LIKE or REGEXP_LIKE finds the same texts.")


def _compared(statement: RefusedStatement, index: int, value: int) -> list[Edit]:
    if value >= len(statement.tokens) or statement.tokens[value].kind != "string":
        return []
    negated = statement.upper(index - 1) in ("NOT", "!")
    last = index - negated
    operand = TokenRange(statement.operand_before(last), last)
    name = statement.text(operand)
    text = _like(name, statement.tokens[value].name, negated=negated)
    if text is None:
        flags = "" if statement.upper(index) == "~" and value == index + 1 else ", 'i'"
        called = f"REGEXP_LIKE({name}, {statement.tokens[value].text}{flags})"
        text = f"NOT {called}" if negated else called
    return [Edit(statement.start(operand.first), statement.tokens[value].end, text)]


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


def integer_division(statement: RefusedStatement) -> Correction | None:
    """DIV and // are /, which cuts off the fraction where both sides are whole numbers."""
    edits = [
        Edit(token.start, token.end, "/")
        for index, token in enumerate(statement.tokens)
        if token.upper in ("DIV", "//") and index and _divides_whole(statement, index)
    ]
    return correct(edits, "In T-SQL whole numbers divided by / give whole numbers.")


def _divides_whole(statement: RefusedStatement, index: int) -> bool:
    """Whether both sides are whole numbers; on the left all that is multiplied before."""
    first = statement.operand_before(index)
    sides = [TokenRange(index + 1, statement.operand_after(index)), TokenRange(first, index)]
    while statement.upper(first - 1) in FACTORS:
        last, first = first - 1, statement.operand_before(first - 1)
        sides.append(TokenRange(first, last))
    return all(is_whole(statement, side) for side in sides)


def is_whole(statement: RefusedStatement, operand: TokenRange) -> bool:
    """Whether an operand is known to be a whole number, or to be computed of such alone."""
    held = statement.tokens[operand.first : operand.last]
    if len(held) == 1 and held[0].kind == "number":
        return held[0].text.isdigit()
    call = next((each for each in statement.calls() if each.index == operand.first), None)
    if call is not None and call.last == operand.last:
        return _gives_whole(statement, call)
    if held and held[0].text == "(":
        inner = TokenRange(operand.first + 1, operand.last - 1)
        return all(is_whole(statement, term) for term in _terms(statement, inner))
    return bool(held) and held[-1].is_name and _is_whole_column(statement, operand)


def _terms(statement: RefusedStatement, within: TokenRange) -> list[TokenRange]:
    """Return what arithmetic joins, or the whole where other things stand in between."""
    found: list[TokenRange] = []
    index = within.first
    while index < within.last:
        past = statement.operand_after(index - 1)
        found.append(TokenRange(index, past))
        if past < within.last and statement.upper(past) not in FACTORS | {"+", "-"}:
            return [TokenRange(within.first, within.first)]
        index = past + 1
    return found


def _gives_whole(statement: RefusedStatement, call: CalledFunction) -> bool:
    function = FUNCTIONS.get(statement.upper(call.index))
    if function is None or function.name == "AVG":
        return False
    whole = all(is_whole(statement, argument) for argument in call.arguments)
    return function.result in ("INT", "BIGINT") or (isinstance(function.result, int) and whole)


def _is_whole_column(statement: RefusedStatement, operand: TokenRange) -> bool:
    """Whether a column is an INT in each table that may hold it."""
    name = statement.tokens[operand.last - 1].name
    if statement.upper(operand.last - 2) == ".":
        sources = [statement.source_of(statement.tokens[operand.last - 3].name, operand.first)]
    else:
        sources = [
            source for each in statement.around(operand.first)[:1] for source in each.sources
        ]
    nodes = [statement.node_of(source) for source in sources if statement.edge_of(source) is None]
    columns = [node.column(name) for node in nodes if node is not None]
    kinds = {column.type for column in columns if column is not None}
    return None not in nodes and kinds == {"INT"}


def dated_form(statement: RefusedStatement) -> Correction | None:
    """STRFTIME('%Y', d), DATE_FORMAT(d, '%Y') and TO_CHAR(d, 'YYYY') are YEAR(d)."""
    edits: list[Edit] = []
    for call in statement.calls("STRFTIME", "DATE_FORMAT", "TO_CHAR", "FORMAT_DATE"):
        if len(call.arguments) != 2:
            continue
        first, second = (statement.text(each) for each in call.arguments)
        swapped = statement.upper(call.index) in ("STRFTIME", "FORMAT_DATE")
        form, value = (first, second) if swapped else (second, first)
        part = FORMS.get(form.strip("'").lower())
        if part is not None:
            value = "GETDATE()" if value.lower() in NOW else value
            text = f"{part}({value})"
            edits.append(statement.over(call, text))
    return correct(edits, "T-SQL takes parts of a date by YEAR, MONTH and DAY.")


def padded(statement: RefusedStatement) -> Correction | None:
    """LPAD(x, n, c) is RIGHT(REPLICATE(c, n) + x, n), and a text that is longer is cut."""
    edits: list[Edit] = []
    for call in statement.calls("LPAD", "RPAD"):
        if len(call.arguments) not in (2, 3):
            continue
        value, count, *filler = map(statement.text, call.arguments)
        fill = filler[0] if filler else "' '"
        if not count.isdigit() or not re.fullmatch(r"N?'[^']'", fill):
            continue
        padding = f"REPLICATE({fill}, {count})"
        cut = f"LEFT({value}, {count})"
        if statement.upper(call.index) == "LPAD":
            text = f"RIGHT({padding} + {cut}, {count})"
        else:
            text = f"LEFT({cut} + {padding}, {count})"
        edits.append(statement.over(call, text))
    return correct(edits, "T-SQL pads by REPLICATE and cuts by LEFT.")


def decoded(statement: RefusedStatement) -> Correction | None:
    """DECODE(x, a, b, ..., z) is a CASE over the values of x."""
    edits: list[Edit] = []
    for call in statement.calls("DECODE"):
        given = [statement.text(each) for each in call.arguments]
        if len(given) < 3:
            continue
        pairs = zip(given[1::2], given[2::2], strict=False)
        last = f" ELSE {given[-1]}" if len(given) % 2 == 0 else ""
        whens = " ".join(f"WHEN {value} THEN {result}" for value, result in pairs)
        text = f"CASE {given[0]} {whens}{last} END"
        edits.append(statement.over(call, text))
    return correct(edits, "T-SQL writes DECODE as CASE.")


def ended_text(statement: RefusedStatement) -> Correction | None:
    """STARTSWITH(a, 'b'), ENDSWITH and CONTAINS_SUBSTR are LIKE."""
    edits: list[Edit] = []
    shapes = {
        **dict.fromkeys(("STARTSWITH", "STARTS_WITH"), "{}%"),
        **dict.fromkeys(("ENDSWITH", "ENDS_WITH"), "%{}"),
        **dict.fromkeys(("CONTAINS_SUBSTR", "STR_CONTAINS"), "%{}%"),
    }
    for call in statement.calls(*shapes):
        texts = [statement.tokens[each.first] for each in call.arguments]
        if len(texts) != 2 or texts[1].kind != "string" or set("%_[") & set(texts[1].name):
            continue
        escaped = texts[1].name.replace("'", "''")
        pattern = shapes[statement.upper(call.index)].format(escaped)
        text = f"{statement.text(call.arguments[0])} LIKE '{pattern}'"
        edits.append(statement.over(call, text))
    return correct(edits, "T-SQL compares the ends of a text by LIKE.")
