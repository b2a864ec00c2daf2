"""FORMAT of numbers: the standard and custom patterns of .NET in English."""

import re
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.engines.translation.nodes import (
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
from moviegraph.engines.translation.number_digits import digits, is_negative
from moviegraph.sql.types import FLOATS, MAX_DIGITS, WHOLE, SqlType, decimal_type, type_named

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
