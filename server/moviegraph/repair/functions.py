"""Functions and types of other dialects, with their arguments put in T-SQL's order."""

import re
from itertools import pairwise

from moviegraph.repair.changes import Correction, Edit, correct
from moviegraph.repair.outline import TokenRange
from moviegraph.repair.context import CalledFunction, RefusedStatement
from moviegraph.sql.functions import DATEPARTS

TODAY = "CAST(GETDATE() AS DATE)"
TEMPLATES: dict[tuple[str, int], str] = {
    ("LENGTH", 1): "LEN({0})",
    ("CHAR_LENGTH", 1): "LEN({0})",
    ("CHARACTER_LENGTH", 1): "LEN({0})",
    ("STRLEN", 1): "LEN({0})",
    ("SUBSTR", 3): "SUBSTRING({0}, {1}, {2})",
    ("MID", 3): "SUBSTRING({0}, {1}, {2})",
    ("SUBSTR", 2): "SUBSTRING({0}, {1})",
    ("STRPOS", 2): "CHARINDEX({1}, {0})",
    ("INSTR", 2): "CHARINDEX({1}, {0})",
    ("INSTR", 3): "CHARINDEX({1}, {0}, {2})",
    ("LOCATE", 2): "CHARINDEX({0}, {1})",
    ("LOCATE", 3): "CHARINDEX({0}, {1}, {2})",
    ("UCASE", 1): "UPPER({0})",
    ("LCASE", 1): "LOWER({0})",
    ("REPEAT", 2): "REPLICATE({0}, {1})",
    ("CHR", 1): "CHAR({0})",
    ("IFNULL", 2): "COALESCE({0}, {1})",
    ("NVL", 2): "COALESCE({0}, {1})",
    ("ISNULL", 1): "CASE WHEN {0} IS NULL THEN 1 ELSE 0 END",
    ("NVL2", 3): "IIF({0} IS NOT NULL, {1}, {2})",
    ("IF", 3): "IIF({0}, {1}, {2})",
    ("IFF", 3): "IIF({0}, {1}, {2})",
    ("ZEROIFNULL", 1): "ISNULL({0}, 0)",
    ("NULLIFZERO", 1): "NULLIF({0}, 0)",
    ("COUNT_DISTINCT", 1): "COUNT(DISTINCT {0})",
    ("SAFE_DIVIDE", 2): "(1.0 * ({0}) / NULLIF({1}, 0))",
    ("BTRIM", 1): "TRIM({0})",
    ("TO_VARCHAR", 1): "CAST({0} AS NVARCHAR(30))",
    ("TOSTRING", 1): "CAST({0} AS NVARCHAR(30))",
    ("QUARTER", 1): "DATEPART(quarter, {0})",
    ("LOG2", 1): "LOG({0}, 2)",
    ("CEIL", 1): "CEILING({0})",
    ("POW", 2): "POWER({0}, {1})",
    ("LN", 1): "LOG({0})",
    ("MOD", 2): "(({0}) % ({1}))",
    ("TRUNC", 1): "ROUND({0}, 0, 1)",
    ("TRUNC", 2): "ROUND({0}, {1}, 1)",
    ("TRUNCATE", 2): "ROUND({0}, {1}, 1)",
    ("ROUND", 1): "ROUND({0}, 0)",
    ("STDDEV", 1): "STDEV({0})",
    ("STDDEV_SAMP", 1): "STDEV({0})",
    ("STDDEV_POP", 1): "STDEVP({0})",
    ("VARIANCE", 1): "VAR({0})",
    ("VAR_SAMP", 1): "VAR({0})",
    ("VAR_POP", 1): "VARP({0})",
    ("ANY_VALUE", 1): "MIN({0})",
    ("NOW", 0): "GETDATE()",
    ("SYSDATE", 0): "GETDATE()",
    ("CURRENT_TIMESTAMP", 0): "GETDATE()",
    ("CURDATE", 0): TODAY,
    ("CURRENT_DATE", 0): TODAY,
    ("TODAY", 0): TODAY,
    ("DATE", 1): "CAST({0} AS DATE)",
    ("TO_DATE", 1): "CAST({0} AS DATE)",
    ("TO_CHAR", 1): "CAST({0} AS NVARCHAR(30))",
    ("TO_NUMBER", 1): "CAST({0} AS FLOAT)",
    ("LAST_DAY", 1): "EOMONTH({0})",
    ("DATEDIFF", 2): "DATEDIFF(day, {1}, {0})",
    ("GROUP_CONCAT", 1): "STRING_AGG({0}, ',')",
    ("GROUP_CONCAT", 2): "STRING_AGG({0}, {1})",
    ("LISTAGG", 1): "STRING_AGG({0}, '')",
    ("LISTAGG", 2): "STRING_AGG({0}, {1})",
    ("STRING_AGG", 1): "STRING_AGG({0}, ',')",
}
LISTINGS = ("GROUP_CONCAT", "STRING_AGG", "LISTAGG")
BARE = {
    "LOCALTIMESTAMP": "GETDATE()",
    "SYSDATE": "GETDATE()",
    "CURDATE": TODAY,
}
TYPES = {
    "TEXT": "NVARCHAR(MAX)",
    "STRING": "NVARCHAR(MAX)",
    "CLOB": "NVARCHAR(MAX)",
    "VARCHAR2": "NVARCHAR",
    "INT4": "INT",
    "INT8": "BIGINT",
    "SIGNED": "BIGINT",
    "UNSIGNED": "BIGINT",
    "LONG": "BIGINT",
    "NUMBER": "FLOAT",
    "FLOAT4": "FLOAT",
    "FLOAT8": "FLOAT",
    "INT64": "BIGINT",
    "FLOAT64": "FLOAT",
    "BOOL": "BIT",
    "BOOLEAN": "BIT",
    "TIMESTAMP": "DATETIME2",
    "TIMESTAMPTZ": "DATETIMEOFFSET",
}
TYPED = frozenset({"DATE", "TIME", "DATETIME", "TIMESTAMP", "TIMESTAMPTZ"})
FRACTIONS = frozenset({"DECIMAL", "NUMERIC", "FLOAT", "REAL"})
WIDE = "DECIMAL(38, 6)"
QUANTITY = re.compile(r"(-?\d+)\s*([A-Za-z]+)")


def renamed_functions(statement: RefusedStatement) -> Correction | None:
    """LENGTH is LEN, STRPOS(a, b) is CHARINDEX(b, a), and so on."""
    edits: list[Edit] = []
    for call in statement.calls(*{name for name, _ in TEMPLATES}):
        name = statement.upper(call.index)
        template = TEMPLATES.get((name, len(call.arguments)))
        if (
            template is None
            or _has_own_syntax(statement, call)
            or _counts_back(statement, call, name)
        ):
            continue
        given = [statement.text(each) for each in call.arguments]
        edits.append(_replace(statement, call, template.format(*given)))
    return correct(edits, "T-SQL names this function otherwise, or orders its arguments so.")


def _has_own_syntax(statement: RefusedStatement, call: CalledFunction) -> bool:
    """Arguments with words between them, which further rules read, and DISTINCT."""
    words = {
        statement.upper(index) for each in call.arguments for index in range(each.first, each.last)
    }
    if statement.upper(call.index) in LISTINGS:
        return bool(words & {"ORDER", "SEPARATOR"})
    first = statement.upper(call.index + 2)
    return bool(words & {"INTERVAL"}) or first == "DISTINCT" or "FROM" in words


def _counts_back(statement: RefusedStatement, call: CalledFunction, name: str) -> bool:
    """SUBSTR with a negative start counts from the end, which SUBSTRING does not."""
    return name in ("SUBSTR", "MID", "SUBSTRING") and statement.text(call.arguments[1])[:1] == "-"


def _replace(statement: RefusedStatement, call: CalledFunction, text: str) -> Edit:
    return statement.over(call, text)


def bare_functions(statement: RefusedStatement) -> Correction | None:
    """CURRENT_DATE and its like, written without parentheses."""
    edits = [
        Edit(p.start, p.end, BARE[p.upper])
        for index, p in enumerate(statement.tokens)
        if p.upper in BARE
        and statement.upper(index + 1) != "("
        and statement.upper(index - 1) not in (".", "AS")
    ]
    return correct(edits, "T-SQL has GETDATE() for the present.")


def worded_arguments(statement: RefusedStatement) -> Correction | None:
    """EXTRACT(YEAR FROM d), POSITION(a IN b), SUBSTRING(a FROM b FOR c), DATE_TRUNC('year', d)."""
    edits: list[Edit] = []
    for call in statement.calls(*WORDED):
        text = WORDED[statement.upper(call.index)](statement, call)
        if text is not None:
            edits.append(_replace(statement, call, text))
    return correct(edits, "T-SQL separates these arguments by commas.")


def _extract(statement: RefusedStatement, call: CalledFunction) -> str | None:
    parts = _around(statement, call, "FROM")
    if parts is None or parts[0].strip("'\"").lower() not in DATEPARTS:
        return None
    return f"DATEPART({parts[0].strip(chr(39)).lower()}, {parts[1]})"


def _position(statement: RefusedStatement, call: CalledFunction) -> str | None:
    parts = _around(statement, call, "IN")
    return f"CHARINDEX({parts[0]}, {parts[1]})" if parts else None


def _substring(statement: RefusedStatement, call: CalledFunction) -> str | None:
    parts = _around(statement, call, "FROM")
    if parts is None:
        return None
    start, found, count = parts[1].partition(" FOR ")
    return f"SUBSTRING({parts[0]}, {start}, {count if found else f'LEN({parts[0]})'})"


def _dated(statement: RefusedStatement, call: CalledFunction) -> str | None:
    """DATE_TRUNC('year', d) and DATE_PART('year', d)."""
    if len(call.arguments) != 2:
        return None
    part = statement.text(call.arguments[0]).strip("'").lower()
    name = "DATETRUNC" if statement.upper(call.index) == "DATE_TRUNC" else "DATEPART"
    return f"{name}({part}, {statement.text(call.arguments[1])})" if part in DATEPARTS else None


def _aggregated(statement: RefusedStatement, call: CalledFunction) -> str | None:
    """GROUP_CONCAT(x ORDER BY y SEPARATOR s) and STRING_AGG(x, s ORDER BY y)."""
    inner = TokenRange(call.index + 2, call.last - 1)
    marks = {w: _find(statement, inner, w) for w in ("ORDER", "SEPARATOR")}
    if not any(marks.values()):
        return None
    order, separator = marks["ORDER"], marks["SEPARATOR"]
    ends = [index for index in (order, separator, inner.last) if index]
    head = statement.text(TokenRange(inner.first, min(ends)))
    if statement.upper(call.index) == "GROUP_CONCAT" or separator:
        between = statement.text(TokenRange(separator + 1, inner.last)) if separator else "','"
        head = f"{head}, {between}"
    if not order:
        return f"STRING_AGG({head})"
    sorted_by = statement.text(TokenRange(order + 2, separator or inner.last))
    return f"STRING_AGG({head}) WITHIN GROUP (ORDER BY {sorted_by})"


def _joined_array(statement: RefusedStatement, call: CalledFunction) -> str | None:
    """ARRAY_TO_STRING(ARRAY_AGG(x ORDER BY y), s) is STRING_AGG(x, s ORDER BY y), read next."""
    inner = next(
        (each for each in statement.calls("ARRAY_AGG") if each.index == call.index + 2), None
    )
    if inner is None or len(call.arguments) != 2 or inner.last != call.arguments[0].last:
        return None
    held = TokenRange(inner.index + 2, inner.last - 1)
    order = _find(statement, held, "ORDER")
    value = statement.text(TokenRange(held.first, order or held.last))
    rest = f" {statement.text(TokenRange(order, held.last))}" if order else ""
    return f"STRING_AGG({value}, {statement.text(call.arguments[1])}{rest})"


WORDED = {
    "EXTRACT": _extract,
    "POSITION": _position,
    "SUBSTRING": _substring,
    "DATE_TRUNC": _dated,
    "DATE_PART": _dated,
    "GROUP_CONCAT": _aggregated,
    "STRING_AGG": _aggregated,
    "LISTAGG": _aggregated,
    "ARRAY_TO_STRING": _joined_array,
}


def _find(statement: RefusedStatement, within: TokenRange, word: str) -> int:
    """Return the number of a word outside inner parentheses, or 0."""
    depth = 0
    for index in range(within.first, within.last):
        depth += (statement.upper(index) == "(") - (statement.upper(index) == ")")
        if depth == 0 and statement.upper(index) == word:
            return index
    return 0


def _around(statement: RefusedStatement, call: CalledFunction, word: str) -> tuple[str, str] | None:
    inner = TokenRange(call.index + 2, call.last - 1)
    index = _find(statement, inner, word)
    if not index or index == inner.first:
        return None
    return statement.text(TokenRange(inner.first, index)), statement.text(
        TokenRange(index + 1, inner.last)
    )


def double_colon(statement: RefusedStatement) -> Correction | None:
    """x::type is CAST(x AS type)."""
    for index, token in enumerate(statement.tokens):
        if token.text != "::" or index + 1 >= len(statement.tokens) or index == 0:
            continue
        operand = TokenRange(statement.operand_before(index), index)
        last = index + 2
        if statement.words(index + 1, "DOUBLE", "PRECISION"):
            last = index + 3
        if statement.upper(last) == "(":
            last = statement.operand_after(last - 2)
        kind = _type(statement.text(TokenRange(index + 1, last)))
        text = _cast(statement, operand, kind)
        edit = Edit(statement.start(operand.first), statement.tokens[last - 1].end, text)
        return correct([edit], "T-SQL has no ::; it has CAST.")
    return None


def _cast(statement: RefusedStatement, operand: TokenRange, kind: str) -> str:
    """Return the CAST of an operand; the average of whole numbers is cast before it is taken."""
    average = next((c for c in statement.calls("AVG") if c.index == operand.first), None)
    plain = average is not None and average.last == operand.last and len(average.arguments) == 1
    if average is None or not plain or kind.split("(")[0] not in FRACTIONS:
        return f"CAST({statement.text(operand)} AS {kind})"
    return f"AVG(CAST({statement.text(average.arguments[0])} AS {kind}))"


def _type(given: str) -> str:
    upper = given.upper()
    if upper in ("NUMERIC", "DECIMAL"):
        return WIDE
    if upper == "DOUBLE PRECISION":
        return "FLOAT"
    if upper == "VARCHAR":
        return "NVARCHAR(MAX)"
    return TYPES.get(upper, upper)


def cast_types(statement: RefusedStatement) -> Correction | None:
    """CAST(x AS TEXT) and its like: the nearest type of T-SQL."""
    edits: list[Edit] = []
    for call in statement.calls("SAFE_CAST"):
        token = statement.tokens[call.index]
        edits.append(Edit(token.start, token.end, "TRY_CAST"))
    for call in statement.calls("CAST", "TRY_CAST", "SAFE_CAST"):
        index = call.last - 2
        if statement.upper(index) in TYPES and statement.upper(index - 1) == "AS":
            token = statement.tokens[index]
            edits.append(Edit(token.start, token.end, TYPES[token.upper]))
    return correct(edits, "T-SQL names this type otherwise.")


def typed_literal(statement: RefusedStatement) -> Correction | None:
    """DATE '2020-01-01' and TIMESTAMP '...' are CASTs of the text."""
    edits = [
        Edit(token.start, text.end, f"CAST({text.text} AS {TYPES.get(token.upper, token.upper)})")
        for index, (token, text) in enumerate(pairwise(statement.tokens))
        if token.upper in TYPED
        and text.kind == "string"
        and statement.upper(index - 1) not in (".", "AS")
    ]
    return correct(edits, "T-SQL has no literals of a type; it has CAST.")


def intervals(statement: RefusedStatement) -> Correction | None:
    """An x - INTERVAL '5 years', and DATE_SUB(x, INTERVAL 5 YEAR), are DATEADD(year, -5, x)."""
    edits: list[Edit] = []
    for index, token in enumerate(statement.tokens):
        sign = statement.upper(index - 1)
        if token.upper != "INTERVAL" or sign not in ("+", "-", ","):
            continue
        read = _quantity(statement, index + 1)
        if read is None:
            continue
        number, part, last = read
        if sign == ",":
            edits += _dated_call(statement, index, number, part, last)
            continue
        operand = TokenRange(statement.operand_before(index - 1), index - 1)
        amount = -number if sign == "-" else number
        text = f"DATEADD({part}, {amount}, {statement.text(operand)})"
        edits.append(Edit(statement.start(operand.first), statement.tokens[last - 1].end, text))
    return correct(edits, "T-SQL has no INTERVAL; it has DATEADD.")


def _quantity(statement: RefusedStatement, index: int) -> tuple[int, str, int] | None:
    """Read '5 years' or 5 YEAR or '5' YEAR; return number, date part, and where it ends."""
    if index >= len(statement.tokens) or statement.tokens[index].kind not in ("string", "number"):
        return None
    text, last = statement.tokens[index].name, index + 1
    if text.strip("- ").isdigit() and index + 1 < len(statement.tokens):
        text, last = f"{text} {statement.tokens[index + 1].text}", index + 2
    found = QUANTITY.fullmatch(text.strip())
    part = found[2].lower().removesuffix("s") if found else ""
    return (int(found[1]), part, last) if found and part in DATEPARTS else None


def _dated_call(
    statement: RefusedStatement, index: int, number: int, part: str, last: int
) -> list[Edit]:
    for call in statement.calls("DATE_ADD", "DATE_SUB"):
        if call.last == last + 1 and len(call.arguments) == 2 and call.arguments[1].first == index:
            amount = -number if statement.upper(call.index) == "DATE_SUB" else number
            return [
                _replace(
                    statement,
                    call,
                    f"DATEADD({part}, {amount}, {statement.text(call.arguments[0])})",
                )
            ]
    return []
