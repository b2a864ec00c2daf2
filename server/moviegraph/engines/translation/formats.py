"""FORMAT patterns and CONVERT styles."""

import re

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, as_moment, is_number
from moviegraph.engines.translation.nodes import Node, binary, call, cast, number, text, unsupported

TOKEN = re.compile(r"y+|M+|d+|H+|h+|m+|s+|f+|t+|'[^']*'|\\.|.", re.DOTALL)
DATE_TOKENS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%-m",
    "dddd": "%A",
    "ddd": "%a",
    "dd": "%d",
    "d": "%-d",
    "HH": "%H",
    "H": "%-H",
    "hh": "%I",
    "h": "%-I",
    "mm": "%M",
    "m": "%-M",
    "ss": "%S",
    "s": "%-S",
    "fff": "%g",
    "ffffff": "%f",
    "tt": "%p",
}
WHOLE_DATES = {
    "d": "M/d/yyyy",
    "D": "dddd, MMMM d, yyyy",
    "M": "MMMM d",
    "m": "MMMM d",
    "y": "MMMM yyyy",
    "Y": "MMMM yyyy",
    "s": "yyyy-MM-ddTHH:mm:ss",
    "t": "h:mm tt",
    "T": "h:mm:ss tt",
    "g": "M/d/yyyy h:mm tt",
    "G": "M/d/yyyy h:mm:ss tt",
}
STYLES = {
    1: "%m/%d/%y",
    3: "%d/%m/%y",
    4: "%d.%m.%y",
    20: "%Y-%m-%d %H:%M:%S",
    21: "%Y-%m-%d %H:%M:%S.%g",
    23: "%Y-%m-%d",
    101: "%m/%d/%Y",
    102: "%Y.%m.%d",
    103: "%d/%m/%Y",
    104: "%d.%m.%Y",
    105: "%d-%m-%Y",
    106: "%d %b %Y",
    107: "%b %d, %Y",
    108: "%H:%M:%S",
    110: "%m-%d-%Y",
    111: "%Y/%m/%d",
    112: "%Y%m%d",
    120: "%Y-%m-%d %H:%M:%S",
    121: "%Y-%m-%d %H:%M:%S.%g",
    126: "%Y-%m-%dT%H:%M:%S",
}
READABLE = frozenset({101, 103, 104, 105, 106, 107, 110, 112})
STANDARD = re.compile(r"([NnFfPpDdCcGg])(\d{0,2})")
CUSTOM = re.compile(r"(#,##)?(0+|#)(?:\.(0+))?(%?)")
HINT = "Known are date patterns such as 'yyyy-MM-dd' and number patterns such as 'N2' or '0.00'."


def formatted(given: Call) -> Node:
    """Translate FORMAT(value, pattern); cultures other than English are refused."""
    pattern = given.literal(1)
    culture = given.literal(2) if len(given) > 2 else "en-us"
    if pattern is None or not (culture or "").lower().startswith("en"):
        raise unsupported("FORMAT with a computed pattern or another culture than English", HINT)
    if is_number(given.type(0)):
        return _formatted_number(given, pattern)
    shown = "".join(
        _date_piece(piece) for piece in TOKEN.findall(WHOLE_DATES.get(pattern, pattern))
    )
    return call("strftime", as_moment(given[0], given.type(0)), text(shown))


def _date_piece(piece: str) -> str:
    if piece in DATE_TOKENS:
        return DATE_TOKENS[piece]
    if piece[0] in "yMdHhmsft" and piece[0] != "'":
        raise unsupported(f"FORMAT piece {piece!r}", HINT)
    literal = piece.strip("'") if piece[0] == "'" else piece.lstrip("\\")
    return literal.replace("%", "%%")


def _formatted_number(given: Call, pattern: str) -> Node:
    value = cast(given[0], "DOUBLE")
    standard = STANDARD.fullmatch(pattern)
    if standard:
        return _standard(standard.group(1).upper(), standard.group(2), value, given[0])
    custom = CUSTOM.fullmatch(pattern)
    if custom is None:
        raise unsupported(f"FORMAT pattern {pattern!r}", HINT)
    thousands, digits, places, percent = custom.groups()
    width = len(digits) if digits != "#" and not thousands and len(digits) > 1 else 0
    count = len(places or "")
    full = width + count + bool(count) if width else 0
    value = binary(exp.Mul, value, number(100)) if percent else value
    form = f"{{:{'0' + str(full) if full else ''}{',' if thousands else ''}.{count}f}}{percent}"
    return call("format", text(form), _rounded(value, count))


def _standard(letter: str, digits: str, value: Node, given: Node) -> Node:
    places = int(digits or 2)
    if letter == "D":
        return call("printf", text(f"%0{int(digits or 1)}d"), cast(given, "BIGINT"))
    if letter == "G":
        return call("printf", text("%.15g"), value)
    if letter == "P":
        shown = binary(exp.Mul, value, number(100))
        return call("format", text(f"{{:,.{places}f}}%"), _rounded(shown, places))
    form = {"N": "{:,.%df}", "F": "{:.%df}", "C": "${:,.%df}"}[letter] % places
    return call("format", text(form), _rounded(value, places))


def _rounded(value: Node, places: int) -> Node:
    """Round half away from zero first, because the formatter rounds half to even."""
    return call("round", value, number(places))


def styled_text(moment: Node, style: int) -> Node:
    """Translate CONVERT(NVARCHAR, date, style)."""
    if style not in STYLES:
        raise unsupported(f"CONVERT style {style}")
    return call("strftime", moment, text(STYLES[style]))


def styled_moment(node: Node, style: int, *, safe: bool) -> Node:
    """Translate CONVERT(DATE, text, style): the style says how the text is read."""
    if style not in READABLE:
        return node
    return call("try_strptime" if safe else "strptime", node, text(STYLES[style]))
