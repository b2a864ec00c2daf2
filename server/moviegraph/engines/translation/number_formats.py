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
    text,
    unsupported,
    when,
)

STANDARD = re.compile(r"([A-Za-z])(\d{0,2})")
LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"|\\.|[^0#.,;E'\"\\]", re.DOTALL)
CORE = re.compile(r"[0#,]*(?:\.[0#]*)?")
GROUPED = re.compile(r"[^0#.,;E'\"\\%]*[0#]+(?:[^0#.,;E'\"\\%]+[0#]+)+")
EXPONENT = r"E([+-])(\d\d)$"
WHOLE = ("INT", "BIGINT", "BIT")


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
        scale: What the value is multiplied with.
    """

    before: str
    after: str
    whole: int | None
    least: int
    most: int
    commas: bool
    scale: float


def formatted_number(value: Node, kind: str, pattern: str) -> Node:
    """Return a number in a pattern; one that .NET does not know gives NULL."""
    standard = STANDARD.fullmatch(pattern)
    if standard:
        letter, digits = standard.groups()
        return _standard(letter, int(digits) if digits else None, value, kind)
    if GROUPED.fullmatch(pattern):
        return let(value, lambda it: _signed(it, _grouped(it, kind, pattern)))
    sections = [_section(part, pattern) for part in _split(pattern)]
    if len(sections) > 3:
        raise unsupported(f"FORMAT pattern {pattern!r}")
    return let(value, lambda it: _custom(it, kind, sections))


def _standard(letter: str, digits: int | None, value: Node, kind: str) -> Node:
    upper = letter.upper()
    places = 2 if digits is None else digits
    if upper in ("D", "X") and kind not in WHOLE:
        return cast(exp.Null(), "VARCHAR")
    if upper == "D":
        return let(value, lambda it: _signed(it, _padded(_whole(it), digits or 1)))
    if upper == "X":
        return call("printf", text(f"%0{digits or 1}{letter}"), cast(value, "BIGINT"))
    if upper in ("F", "N"):
        return let(value, lambda it: _signed(it, _digits(it, kind, places, upper == "N"), places))
    if upper == "P":
        scaled = binary(exp.Mul, value, number(100))
        shown = let(scaled, lambda it: _signed(it, _digits(it, kind, places, commas=True), places))
        return joined(shown, text(" %"))
    if upper == "C":
        return let(value, lambda it: _currency(it, kind, places))
    if upper == "E":
        return _scientific(value, 6 if digits is None else digits, letter)
    if upper == "G" and digits is None:
        return _general(value, kind)
    if upper in "GR":
        raise unsupported(f"FORMAT pattern {letter}{'' if digits is None else digits}")
    return cast(exp.Null(), "VARCHAR")


def _currency(it: Node, kind: str, places: int) -> Node:
    """A negative amount stands in parentheses."""
    shown = joined(text("$"), _digits(it, kind, places, commas=True))
    enclosed = joined(text("("), shown.copy(), text(")"))
    return when(_negative(it, places), enclosed, shown)


def _scientific(value: Node, places: int, letter: str) -> Node:
    shown = call("printf", text(f"%.{places}{letter}"), cast(value, "DOUBLE"))
    pattern = EXPONENT.replace("E", letter, 1)
    return call("regexp_replace", shown, text(pattern), text(rf"{letter}\10\2"))


def _general(value: Node, kind: str) -> Node:
    if kind != "FLOAT":
        return cast(cast(value, "INT") if kind == "BIT" else value, "VARCHAR")
    return call("upper", call("printf", text("%.15g"), value))


def _grouped(it: Node, kind: str, pattern: str) -> Node:
    """Return the digits of a whole number with other signs among them, from behind."""
    signs = re.sub("[^0#]", "", pattern)
    zeros = len(signs) - signs.index("0") if "0" in signs else 0
    digits = _filled(_digits(it, kind, 0, commas=False), zeros, "0")
    digits = _filled(digits, len(signs), " ")
    parts: list[Node] = []
    left = len(signs)
    for at, piece in enumerate(re.findall("[0#]+|[^0#]+", pattern)):
        if piece[0] not in "0#":
            parts.append(text(piece))
            continue
        size, rest = len(piece), left - len(piece)
        more = binary(exp.Sub, call("length", digits.copy()), number(rest))
        first = at <= 1 and left == len(signs)
        tail = call("right", digits.copy(), number(left))
        group = call("left", digits.copy(), more) if first else call("left", tail, number(size))
        parts.append(call("replace", group, text(" "), text("")))
        left = rest
    return joined(*parts)


def _filled(digits: Node, width: int, sign: str) -> Node:
    missing = binary(exp.Sub, number(width), call("length", digits.copy()))
    return joined(call("repeat", text(sign), call("greatest", missing, number(0))), digits)


def _split(pattern: str) -> list[str]:
    """Return the sections between semicolons that are not quoted."""
    return re.findall(r"(?:^|;)((?:'[^']*'|\"[^\"]*\"|\\.|[^;'\"\\])*)", pattern, re.DOTALL)


def _section(part: str, pattern: str) -> Section:
    """Read a section. Raises ExecutionError."""
    before, at = _literals(part, 0)
    core = CORE.match(part, at)
    digits = core.group() if core else ""
    after, at = _literals(part, at + len(digits))
    if at < len(part):
        raise unsupported(f"FORMAT pattern {pattern!r}")
    whole, _, places = digits.partition(".")
    scaled = len(whole) - len(whole.rstrip(","))
    zeros = whole[whole.index("0") :].replace(",", "") if "0" in whole else ""
    least = places.rindex("0") + 1 if "0" in places else 0
    commas = "," in whole.rstrip(",").lstrip(",")
    if commas and len(zeros) > 1:
        raise unsupported(f"FORMAT pattern {pattern!r}")
    scale = 100.0 ** (before + after).count("%") / 1000.0**scaled
    found = len(zeros) if digits else None
    return Section(before, after, found, least, len(places), commas, scale)


def _literals(part: str, at: int) -> tuple[str, int]:
    made = ""
    while match := LITERAL.match(part, at):
        piece = match.group()
        made += piece[1:-1] if piece[0] in "'\"" else piece.removeprefix("\\")
        at = match.end()
    return made, at


def _custom(it: Node, kind: str, sections: list[Section]) -> Node:
    first = sections[0]
    if len(sections) == 1:
        return _signed(it, _shown(it, kind, first), first.most, first.scale)
    shown = _shown(it, kind, first)
    below = binary(exp.LT, it.copy(), number(0))
    made = when(below, _shown(it, kind, sections[1]), shown)
    if len(sections) < 3:
        return made
    zero = binary(exp.EQ, it.copy(), number(0))
    return when(zero, _shown(it, kind, sections[2]), made)


def _shown(it: Node, kind: str, section: Section) -> Node:
    """Return the digits of a value, without its sign, in a section."""
    if section.whole is None:
        return text(section.before + section.after)
    value: Node = it
    if section.scale != 1:
        value, kind = binary(exp.Mul, cast(it.copy(), "DOUBLE"), number(section.scale)), "FLOAT"
    digits = _digits(value, kind, section.most, section.commas)
    extra = section.most - section.least
    if extra:
        digits = call("regexp_replace", digits, text(f"0{{1,{extra}}}$"), text(""))
        digits = call("regexp_replace", digits, text(r"\.$"), text(""))
    if section.whole == 0:
        digits = call("regexp_replace", digits, text(r"^0($|\.)"), text(r"\1"))
    elif section.whole > 1:
        point = section.most + 1 if section.most else 0
        if section.least < section.most:
            raise unsupported("FORMAT pattern with zeros before the point and # behind it")
        digits = _filled(digits, section.whole + point, "0")
    return joined(text(section.before), digits, text(section.after))


def _digits(it: Node, kind: str, places: int, commas: bool) -> Node:
    """Return the digits of a value, without its sign, rounded half away from zero."""
    if kind in WHOLE:
        shown = call("format", text("{:,d}" if commas else "{:d}"), _whole(it))
        return joined(shown, text("." + "0" * places)) if places else shown
    rounded = call("round", call("abs", cast(it.copy(), "DOUBLE")), number(places))
    return call("format", text(f"{{:{',' if commas else ''}.{places}f}}"), rounded)


def _whole(it: Node) -> Node:
    return call("abs", cast(it.copy(), "BIGINT"))


def _padded(digits: Node, width: int) -> Node:
    return call("printf", text(f"%0{width}d"), digits)


def _negative(it: Node, places: int, scale: float = 1) -> Node:
    """Whether a value is below zero, also when it is rounded."""
    value = cast(it.copy(), "DOUBLE")
    scaled = value if scale == 1 else binary(exp.Mul, value, number(scale))
    return binary(exp.LT, call("round", scaled, number(places)), number(0))


def _signed(it: Node, shown: Node, places: int = 0, scale: float = 1) -> Node:
    return when(_negative(it, places, scale), joined(text("-"), shown), shown.copy())
