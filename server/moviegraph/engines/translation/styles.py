"""The styles of CONVERT: how a moment is written as text, and how a text is read as a moment."""

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, call, cast, joined, number, text, unsupported

# %e and %l are the day and the hour with a blank before one digit, %q the fraction of the second.
ODBC = "%Y-%m-%d| %H:%M:%S"
SHORT_YEARS = {
    1: "%m/%d/%y|",
    2: "%y.%m.%d|",
    3: "%d/%m/%y|",
    4: "%d.%m.%y|",
    5: "%d-%m-%y|",
    6: "%d %b %y|",
    7: "%b %d, %y|",
    8: "|%H:%M:%S",
    10: "%m-%d-%y|",
    11: "%y/%m/%d|",
    12: "%y%m%d|",
    14: "|%H:%M:%S:%q",
    22: "%m/%d/%y| %l:%M:%S %p",
    24: "|%H:%M:%S",
}
WRITTEN = {
    **SHORT_YEARS,
    **{100 + style: form.replace("%y", "%Y") for style, form in SHORT_YEARS.items() if style < 20},
    **dict.fromkeys((0, 100), "%b %e %Y| %l:%M%p"),
    **dict.fromkeys((9, 109), "%b %e %Y| %l:%M:%S:%q%p"),
    **dict.fromkeys((13, 113), "%d %b %Y| %H:%M:%S:%q"),
    **dict.fromkeys((20, 120), ODBC),
    **dict.fromkeys((21, 25, 121), ODBC + ".%q"),
    23: "%Y-%m-%d|",
    **dict.fromkeys((126, 127), "%Y-%m-%d|T%H:%M:%S.%q"),
}
READ = {
    **dict.fromkeys((0, 1, 6, 7, 9, 10, 13, 100, 101, 106, 107, 109, 110, 113), "mdy"),
    **dict.fromkeys((3, 4, 5, 103, 104, 105), "dmy"),
    **dict.fromkeys((12, 20, 21, 23, 25, 102, 111, 112, 120, 121, 126, 127), "ymd"),
}
PIECES = ("%e", "%l", "%q")


def written(moment: Node, kind: str, style: int | None, digits: int) -> Node:
    """Write a moment in a style.

    Args:
        moment: The value, a TIMESTAMP.
        kind: Its T-SQL type.
        style: The style, or None for that of CAST.
        digits: The digits of the fraction of a second that the type has.
    """
    if style is None:
        style = 0 if kind in ("DATETIME", "SMALLDATETIME") else 121
    if style not in WRITTEN:
        raise unsupported(f"CONVERT style {style} for dates")
    date, _, clock = WRITTEN[style].partition("|")
    if kind == "DATE":
        clock = ""
    if kind == "TIME":
        date, clock = "", clock.lstrip(" T")
    if not date + clock:
        raise unsupported(f"CONVERT style {style} for {kind}")
    if style in (126, 127):
        return _iso(moment, date, clock, digits)
    if digits > 3:
        clock = clock.replace(":%q", ".%q")
    return _pieces(moment, date + clock, digits)


def _iso(moment: Node, date: str, clock: str, digits: int) -> Node:
    """In ISO 8601 a fraction of zero is left out."""
    whole = _pieces(moment, date + clock.removesuffix(".%q"), digits)
    if not clock:
        return whole
    empty = exp.EQ(this=call("strftime", moment.copy(), text("%f")), expression=text("000000"))
    full = _pieces(moment, date + clock, digits)
    return exp.Case(ifs=[exp.If(this=empty, true=whole)], default=full)


def _pieces(moment: Node, form: str, digits: int) -> Node:
    if digits == 0:
        form = form.replace(".%q", "").replace(":%q", "")
    parts: list[Node] = []
    plain = ""
    at = 0
    while at < len(form):
        piece = form[at : at + 2]
        if piece in PIECES:
            if plain:
                parts.append(call("strftime", moment.copy(), text(plain)))
            parts.append(_piece(moment, piece, digits))
            plain, at = "", at + 2
        else:
            plain, at = plain + form[at], at + 1
    if plain:
        parts.append(call("strftime", moment.copy(), text(plain)))
    return joined(*parts)


def _piece(moment: Node, piece: str, digits: int) -> Node:
    if piece == "%q":
        return fraction(moment, digits)
    form = {"%e": "%-d", "%l": "%-I"}[piece]
    return call("lpad", call("strftime", moment.copy(), text(form)), number(2), text(" "))


def fraction(moment: Node, digits: int) -> Node:
    """Return the fraction of a second, with as many digits; the seventh is not kept here."""
    six = call("strftime", moment.copy(), text("%f"))
    return joined(six, text("0")) if digits > 6 else call("left", six, number(digits))


def on_first_day(time: Node) -> Node:
    """Return a TIME as a moment of 1 January 1900."""
    return exp.Paren(this=exp.Add(this=cast(text("1900-01-01"), "DATE"), expression=time))
