"""FORMAT of dates and times: the standard and custom patterns of .NET in English."""

import re

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, call, cast, joined, number, text, unsupported

TOKEN = re.compile(r"([yMdHhmsfFtgKz])\1*|'[^']*'|\"[^\"]*\"|\\.|.", re.DOTALL)
TOKENS = {
    "yyyyy": "0%Y",
    "yyyy": "%Y",
    "yyy": "%Y",
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
    "tt": "%p",
}
LONG_DATE = "dddd, MMMM d, yyyy"
STANDARD = {
    "d": "M/d/yyyy",
    "D": LONG_DATE,
    "f": LONG_DATE + " h:mm tt",
    "F": LONG_DATE + " h:mm:ss tt",
    "g": "M/d/yyyy h:mm tt",
    "G": "M/d/yyyy h:mm:ss tt",
    "M": "MMMM d",
    "m": "MMMM d",
    "o": "yyyy-MM-dd'T'HH:mm:ss.fffffff",
    "O": "yyyy-MM-dd'T'HH:mm:ss.fffffff",
    "r": "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
    "R": "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
    "s": "yyyy-MM-dd'T'HH:mm:ss",
    "t": "h:mm tt",
    "T": "h:mm:ss tt",
    "u": "yyyy-MM-dd HH:mm:ss'Z'",
    "y": "MMMM yyyy",
    "Y": "MMMM yyyy",
}
# A time of day is a span of .NET: its h counts 24, and it has no months, halves or separators.
SPAN = {"hh": "%H", "h": "%-H", "%h": "%-H", "mm": "%M", "m": "%-M", "ss": "%S", "s": "%-S"}


def formatted_moment(moment: Node, pattern: str) -> Node:
    """Return a TIMESTAMP in a pattern; one that .NET does not know gives NULL."""
    if pattern == "U":
        raise unsupported("FORMAT pattern 'U', which depends on the time zone of the server")
    if len(pattern) == 1:
        if pattern not in STANDARD:
            return cast(exp.Null(), "VARCHAR")
        pattern = STANDARD[pattern]
    pieces = [each.group() for each in TOKEN.finditer(pattern.removeprefix("%"))]
    return _joined(moment, [_piece(moment, piece) for piece in pieces])


def _joined(moment: Node, pieces: list[str | Node]) -> Node:
    """Return pieces one after the other; those that are patterns of strftime are made at once."""
    parts: list[Node] = []
    plain = ""
    for piece in (*pieces, None):
        if isinstance(piece, str):
            plain += piece
            continue
        if plain:
            parts.append(call("strftime", moment.copy(), text(plain)))
            plain = ""
        if piece is not None:
            parts.append(piece)
    return joined(*parts) if parts else text("")


def _piece(moment: Node, piece: str) -> str | Node:
    if piece in TOKENS:
        return TOKENS[piece]
    letter, count = piece[0], len(piece)
    if letter in "fF":
        return _fraction(moment, letter, count, piece)
    if letter == "t":
        return (
            "%p"
            if count > 1
            else call("left", call("strftime", moment.copy(), text("%p")), number(1))
        )
    if letter == "g":
        return "A.D."
    if piece == "y":
        return cast(exp.Mod(this=call("year", moment.copy()), expression=number(100)), "VARCHAR")
    longest = {"M": "MMMM", "d": "dddd", "H": "HH", "h": "hh", "m": "mm", "s": "ss"}.get(letter)
    if longest and count > len(longest):
        return TOKENS[longest]
    if letter in "yKz":
        raise unsupported(f"FORMAT piece {piece!r}")
    return _plain(piece)


def _plain(piece: str) -> str:
    quoted = piece[0] in "'\"" and len(piece) > 1
    literal = piece[1:-1] if quoted else piece.removeprefix("\\") or "\\"
    return literal.replace("%", "%%")


def _fraction(moment: Node, letter: str, count: int, piece: str) -> Node:
    if count > 7:
        raise unsupported(f"FORMAT piece {piece!r}")
    six = call("strftime", moment.copy(), text("%f"))
    shown = joined(six, text("0")) if count == 7 else call("left", six, number(count))
    return call("rtrim", shown, text("0")) if letter == "F" else shown


def formatted_time(moment: Node, pattern: str) -> Node:
    """Return a time of day in a pattern, in which a separator must be escaped or quoted."""
    if len(pattern) == 1:
        raise unsupported(f"FORMAT pattern {pattern!r} for TIME", r"Write 'hh\:mm\:ss'.")
    pieces: list[str | Node] = []
    for match in TOKEN.finditer(pattern):
        piece = match.group()
        if piece in SPAN:
            pieces.append(SPAN[piece])
        elif piece[0] == "f":
            pieces.append(_fraction(moment, "f", len(piece), piece))
        elif len(piece) > 1 and piece[0] in "'\"\\":
            pieces.append(_plain(piece))
        else:
            return cast(exp.Null(), "VARCHAR")
    return _joined(moment, pieces)
