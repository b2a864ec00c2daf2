"""FORMAT of dates and numbers: the patterns of .NET in the culture en-US."""

import re
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    joined,
    let,
    number,
    present,
    text,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.function_call import Call, as_timestamp, is_number
from moviegraph.sql.types import FLOATS, MAX_DIGITS, WHOLE, SqlType, decimal_type, type_named

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
STANDARD_DATES = {
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
        if pattern not in STANDARD_DATES:
            return cast(exp.Null(), "VARCHAR")
        pattern = STANDARD_DATES[pattern]
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
    return _escape_percent(piece)


def _escape_percent(piece: str) -> str:
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
            pieces.append(_escape_percent(piece))
        else:
            return cast(exp.Null(), "VARCHAR")
    return _joined(moment, pieces)


def digits(it: Node, kind: SqlType, places: int, shift: int = 0, *, commas: bool = False) -> Node:
    """Return the digits of a value times ten to the `shift`, without its sign.

    They are rounded half away from zero.
    """
    comma = "," if commas else ""
    if kind.name in FLOATS:
        rounded = call("round", call("abs", _shifted(it, shift)), number(places))
        return call("format", text(f"{{:{comma}.{places}f}}"), rounded)
    units, scale = _rounded(_units(it, kind), kind.scale - shift, places)
    whole = binary(exp.IntDiv, units, number(10**scale)) if scale else units
    shown = call("format", text(f"{{:{comma}d}}"), whole)
    if scale:
        rest = binary(exp.Mod, units.copy(), number(10**scale))
        shown = joined(shown, call("format", text(f".{{:0{scale}d}}"), rest))
    missing = "0" * (places - scale)
    return joined(shown, text(missing if scale else f".{missing}")) if missing else shown


def is_negative(it: Node, kind: SqlType, places: int, shift: int = 0) -> Node:
    """Whether a value times ten to the `shift` is below zero, also when it is rounded."""
    if kind.name in FLOATS:
        rounded = call("round", _shifted(it, shift), number(places))
        return binary(exp.LT, rounded, number(0))
    kept = places + shift
    if kept >= kind.scale:
        return binary(exp.LT, it.copy(), number(0))
    if -kept > kind.whole_digits:
        return exp.false()
    half = number(format(Decimal(-5).scaleb(-kept - 1), "f"))
    return binary(exp.LTE, it.copy(), cast(half, "DECIMAL", kind.precision, kind.scale))


def _shifted(it: Node, shift: int) -> Node:
    value = cast(it.copy(), "DOUBLE")
    return binary(exp.Mul, value, number(10.0**shift)) if shift else value


def _units(it: Node, kind: SqlType) -> Node:
    """Return the digits of an exact number as a whole number; one of 38 digits still fits."""
    if kind.name in WHOLE:
        return call("abs", cast(it.copy(), "INT128"))
    written = cast(call("abs", it.copy()), "VARCHAR")
    return cast(call("replace", written, text("."), text("")), "INT128")


def _rounded(units: Node, scale: int, places: int) -> tuple[Node, int]:
    """Return units of 10^-scale, and that scale, with no more than so many places."""
    if scale < 0:
        return binary(exp.Mul, units, cast(number(10**-scale), "INT128")), 0
    surplus = scale - places
    if surplus <= 0:
        return units, scale
    if surplus > MAX_DIGITS:
        return binary(exp.Mul, units, number(0)), places
    half = cast(number(5 * 10 ** (surplus - 1)), "INT128")
    tens = cast(number(10**surplus), "INT128")
    return binary(exp.IntDiv, binary(exp.Add, units, half), tens), places


STANDARD = re.compile(r"([A-Za-z])(\d{0,2})")
LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"|\\.|[^0#.,;E'\"\\]", re.DOTALL)
CORE = re.compile(r"[0#,]*(?:\.[0#]*)?")
GROUPED = re.compile(r"[^0#.,;E'\"\\%‰]*[0#]+(?:[^0#.,;E'\"\\%‰]+[0#]+)+")
EXPONENT = r"E([+-])(\d\d)$"
SHIFTS = {"%": 2, "‰": 3}  # the signs that are no text multiply the value
MOST_SHIFT = 18
WIDTHS = {"INT": 32, "SMALLINT": 16}  # bits


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a custom pattern: text, digits, text.

    Attributes:
        before: The text before the digits.
        after: The text behind them.
        whole: The least digits before the point; None where the pattern has no digits.
        least: The places that are always shown.
        most: The places that are shown if they are not 0.
        commas: Whether thousands are grouped.
        shift: The power of ten that the value is multiplied with.
    """

    before: str
    after: str
    whole: int | None
    least: int
    most: int
    commas: bool
    shift: int


def formatted_number(value: Node, kind: SqlType, pattern: str) -> Node:
    """Return a number in a pattern; one that .NET does not know gives NULL."""
    if kind.name == "BIT":
        value, kind = cast(value, "INT"), type_named("INT")
    if kind.family == "DECIMAL":
        # DuckDB writes a decimal without digits before the point as .5
        precision = min(max(kind.precision, kind.scale + 1), MAX_DIGITS)
        value, kind = (
            cast(value, "DECIMAL", precision, kind.scale),
            decimal_type(precision, kind.scale),
        )
    standard = STANDARD.fullmatch(pattern)
    if standard:
        letter, digits_ = standard.groups()
        return _standard(letter, int(digits_) if digits_ else None, value, kind)
    if GROUPED.fullmatch(pattern):
        return let(value, lambda it: _signed(it, kind, _grouped(it, kind, pattern)))
    sections = [_section(part, pattern) for part in _split(pattern)]
    if len(sections) > 3:
        raise unsupported(f"FORMAT pattern {pattern!r}")
    return let(value, lambda it: _custom(it, kind, sections))


def _standard(letter: str, size: int | None, value: Node, kind: SqlType) -> Node:
    upper = letter.upper()
    places = 2 if size is None else size
    if upper in ("D", "X") and kind.name not in WHOLE:
        return cast(exp.Null(), "VARCHAR")
    if upper == "D":
        return let(value, lambda it: _signed(it, kind, _filled(digits(it, kind, 0), size or 1)))
    if upper == "X":
        return call("printf", text(f"%0{size or 1}{letter}"), _bits(value, kind))
    if upper in ("F", "N"):
        return let(value, lambda it: _plain(it, kind, places, commas=upper == "N"))
    if upper == "P":
        return joined(let(value, lambda it: _plain(it, kind, places, 2, commas=True)), text(" %"))
    if upper == "C":
        return let(value, lambda it: _currency(it, kind, places))
    if upper == "E":
        return _scientific(value, 6 if size is None else size, letter)
    if upper == "G" and size is None:
        return _general(value, kind)
    if upper in "GR":
        raise unsupported(f"FORMAT pattern {letter}{'' if size is None else size}")
    return cast(exp.Null(), "VARCHAR")


def _plain(it: Node, kind: SqlType, places: int, shift: int = 0, *, commas: bool) -> Node:
    return _signed(it, kind, digits(it, kind, places, shift, commas=commas), places, shift)


def _bits(value: Node, kind: SqlType) -> Node:
    """Return a whole number whose bits beyond the width of its type are 0."""
    whole, width = cast(value, "BIGINT"), WIDTHS.get(kind.name)
    return binary(exp.BitwiseAnd, whole, number(2**width - 1)) if width else whole


def _currency(it: Node, kind: SqlType, places: int) -> Node:
    """A negative amount stands in parentheses."""
    shown = joined(text("$"), digits(it, kind, places, commas=True))
    enclosed = joined(text("("), shown.copy(), text(")"))
    return when(is_negative(it, kind, places), enclosed, shown)


def _scientific(value: Node, places: int, letter: str) -> Node:
    shown = call("printf", text(f"%.{places}{letter}"), cast(value, "DOUBLE"))
    pattern = EXPONENT.replace("E", letter, 1)
    return call("regexp_replace", shown, text(pattern), text(rf"{letter}\10\2"))


def _general(value: Node, kind: SqlType) -> Node:
    if kind.name not in FLOATS:
        return cast(value, "VARCHAR")
    return call("upper", call("printf", text("%.15g"), value))


def _grouped(it: Node, kind: SqlType, pattern: str) -> Node:
    """Return the digits of a whole number with other signs among them, from behind."""
    signs = re.sub("[^0#]", "", pattern)
    zeros = len(signs) - signs.index("0") if "0" in signs else 0
    shown = _filled(_filled(digits(it, kind, 0), zeros), len(signs), " ")
    parts: list[Node] = []
    left = len(signs)
    for at, piece in enumerate(re.findall("[0#]+|[^0#]+", pattern)):
        if piece[0] not in "0#":
            parts.append(text(piece))
            continue
        size, rest = len(piece), left - len(piece)
        more = binary(exp.Sub, call("length", shown.copy()), number(rest))
        first = at <= 1 and left == len(signs)
        tail = call("right", shown.copy(), number(left))
        group = call("left", shown.copy(), more) if first else call("left", tail, number(size))
        parts.append(call("replace", group, text(" "), text("")))
        left = rest
    return joined(*parts)


def _filled(shown: Node, width: int, sign: str = "0") -> Node:
    missing = binary(exp.Sub, number(width), call("length", shown.copy()))
    return joined(call("repeat", text(sign), call("greatest", missing, number(0))), shown)


def _split(pattern: str) -> list[str]:
    """Return the sections between semicolons that are not quoted."""
    return re.findall(r"(?:^|;)((?:'[^']*'|\"[^\"]*\"|\\.|[^;'\"\\])*)", pattern, re.DOTALL)


def _section(part: str, pattern: str) -> Section:
    """Read a section. Raises ExecutionError."""
    before, raised_by, at = _literals(part, 0)
    core = CORE.match(part, at)
    shown = core.group() if core else ""
    after, raised_too, at = _literals(part, at + len(shown))
    whole, _, places = shown.partition(".")
    scaled = len(whole) - len(whole.rstrip(","))
    zeros = whole[whole.index("0") :].replace(",", "") if "0" in whole else ""
    least = places.rindex("0") + 1 if "0" in places else 0
    commas = "," in whole.rstrip(",").lstrip(",")
    shift = raised_by + raised_too - 3 * scaled
    if at < len(part) or (commas and len(zeros) > 1) or shift > MOST_SHIFT:
        raise unsupported(f"FORMAT pattern {pattern!r}")
    found = len(zeros) if shown else None
    return Section(before, after, found, least, len(places), commas, shift)


def _literals(part: str, at: int) -> tuple[str, int, int]:
    """Return the text from a place on, the power of ten that its signs mean, and its end."""
    made, shift = "", 0
    while match := LITERAL.match(part, at):
        piece = match.group()
        made += piece[1:-1] if piece[0] in "'\"" else piece.removeprefix("\\")
        shift += SHIFTS.get(piece, 0)
        at = match.end()
    return made, shift, at


def _custom(it: Node, kind: SqlType, sections: list[Section]) -> Node:
    first = sections[0]
    if len(sections) == 1:
        return _signed(it, kind, _shown(it, kind, first), first.most, first.shift)
    shown = _shown(it, kind, first)
    below = binary(exp.LT, it.copy(), number(0))
    made = when(below, _shown(it, kind, sections[1]), shown)
    if len(sections) < 3:
        return made
    zero = binary(exp.EQ, it.copy(), number(0))
    return when(zero, _shown(it, kind, sections[2]), made)


def _shown(it: Node, kind: SqlType, section: Section) -> Node:
    """Return the digits of a value, without its sign, in a section."""
    if section.whole is None:
        return present(it.copy(), text(section.before + section.after))
    shown = digits(it, kind, section.most, section.shift, commas=section.commas)
    extra = section.most - section.least
    if extra:
        shown = call("regexp_replace", shown, text(f"0{{1,{extra}}}$"), text(""))
        shown = call("regexp_replace", shown, text(r"\.$"), text(""))
    if section.whole == 0:
        shown = call("regexp_replace", shown, text(r"^0($|\.)"), text(r"\1"))
    elif section.whole > 1:
        point = section.most + 1 if section.most else 0
        if section.least < section.most:
            raise unsupported("FORMAT pattern with zeros before the point and # behind it")
        shown = _filled(shown, section.whole + point)
    return joined(text(section.before), shown, text(section.after))


def _signed(it: Node, kind: SqlType, shown: Node, places: int = 0, shift: int = 0) -> Node:
    return joined(when(is_negative(it, kind, places, shift), text("-"), text("")), shown)


ENGLISH = ("en", "en-us")
HINT = "Known are date patterns such as 'yyyy-MM-dd' and number patterns such as 'N2' or '0.00'."


def formatted(given: Call) -> Node:
    """Translate FORMAT(value, pattern, culture)."""
    pattern = given.literal(1)
    culture = given.literal(2) if len(given) > 2 else ENGLISH[0]
    if pattern is None:
        raise unsupported("FORMAT with a computed pattern", HINT)
    if culture is None or culture.lower() not in ENGLISH:
        raise unsupported(f"FORMAT in the culture {culture}", "Known is 'en-US'.")
    kind = given.type(0)
    if is_number(kind):
        return formatted_number(given[0], given.kind(0), pattern)
    if kind == "TIME":
        return formatted_time(as_timestamp(given[0], kind), pattern)
    if kind not in ("DATE", "DATETIME"):
        raise unsupported(f"FORMAT of {kind}", "CAST the value to a number or a date first.")
    return formatted_moment(as_timestamp(given[0], kind), pattern)
