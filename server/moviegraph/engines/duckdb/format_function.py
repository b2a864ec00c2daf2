"""FORMAT of dates and numbers: patterns of .NET in the culture en-US."""

import re

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    concat_all,
    let,
    number,
    text,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.function_call import FunctionCall, is_number
from moviegraph.engines.duckdb.refusals import FORMAT_CULTURE, FORMAT_PATTERN
from moviegraph.sql.types import FLOATS, MAX_DIGITS, WHOLE, SqlType, type_named

ENGLISH = ("en", "en-us")
DATE_TOKEN = re.compile(r"([A-Za-z])\1*|'[^']*'|\"[^\"]*\"|\\.|.", re.DOTALL)
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
    "s": "yyyy-MM-dd'T'HH:mm:ss",
    "t": "h:mm tt",
    "T": "h:mm:ss tt",
    "u": "yyyy-MM-dd HH:mm:ss'Z'",
    "y": "MMMM yyyy",
    "Y": "MMMM yyyy",
}
STANDARD_NUMBER = re.compile(r"([CDFNPcdfnp])(\d{0,2})")
CUSTOM_NUMBER = re.compile(r"(\$?)((?:#[#,]*)?0*(?<!,))(?:\.(0*)(#*))?( ?%?)")


def format_value(args: FunctionCall) -> Node:
    """Translate FORMAT(value, pattern, culture)."""
    pattern = args.literal(1)
    culture = args.literal(2) if len(args) > 2 else ENGLISH[0]
    if pattern is None:
        raise FORMAT_PATTERN.error("FORMAT with a computed pattern")
    if culture is None or culture.lower() not in ENGLISH:
        raise FORMAT_CULTURE.error(f"FORMAT in the culture {culture}")
    kind = args.type(0)
    if is_number(kind):
        return _number(args[0], args.kind(0), pattern)
    if kind not in ("DATE", "DATETIME"):
        raise unsupported(f"FORMAT of {kind}", "CAST the value to a number or a date first.")
    return call("strftime", cast(args[0], "TIMESTAMP"), text(_strftime(pattern)))


def _strftime(pattern: str) -> str:
    """Return the pattern of strftime. Raises ExecutionError."""
    expanded = STANDARD_DATES.get(pattern, pattern) if len(pattern) == 1 else pattern
    tokens = [match.group() for match in DATE_TOKEN.finditer(expanded)]
    unknown = (token for token in tokens if token[0].isalpha() or token[0] == "%")
    if (len(pattern) == 1 and expanded == pattern) or not DATE_TOKENS.keys() >= set(unknown):
        raise _refused(pattern)
    return "".join(DATE_TOKENS.get(token) or _literal(token) for token in tokens)


def _literal(token: str) -> str:
    inner = token[1:-1] if token[0] in "'\"" else token.removeprefix("\\")
    return inner.replace("%", "%%")


def _refused(pattern: str) -> Exception:
    return FORMAT_PATTERN.error(f"FORMAT pattern {pattern!r}")


def _number(value: Node, kind: SqlType, pattern: str) -> Node:
    """Return a number in a pattern."""
    if kind.name == "BIT":
        value, kind = cast(value, "INT"), type_named("INT")
    standard = STANDARD_NUMBER.fullmatch(pattern)
    if standard:
        letter, size = standard.groups()
        return let(value, lambda it: _standard(it, kind, letter.upper(), size))
    custom = CUSTOM_NUMBER.fullmatch(pattern)
    if custom is None:
        raise _refused(pattern)
    return let(value, lambda it: _custom(it, kind, custom))


def _standard(it: Node, kind: SqlType, letter: str, size: str) -> Node:
    places = int(size) if size else 2
    if letter == "D":
        if kind.name not in WHOLE:
            raise _refused(letter + size)
        return _signed(it, kind, _filled(_digits(it, kind, 0), int(size or 1)))
    if letter == "C":  # a negative amount is in parentheses
        amount = concat_all(text("$"), _digits(it, kind, places, commas=True))
        enclosed = concat_all(text("("), amount.copy(), text(")"))
        return when(_is_negative(it, kind, places), enclosed, amount)
    shift = 2 if letter == "P" else 0
    shown = _digits(it, kind, places, shift, commas=letter != "F")
    shown = _signed(it, kind, shown, places, shift)
    return concat_all(shown, text(" %")) if letter == "P" else shown


def _custom(it: Node, kind: SqlType, pattern: re.Match[str]) -> Node:
    """Return the digits of a value in a pattern of 0 # , . and %."""
    before, whole, fixed, optional, after = (group or "" for group in pattern.groups())
    shift, most = 2 if after.endswith("%") else 0, len(fixed) + len(optional)
    shown = _digits(it, kind, most, shift, commas="," in whole)
    if optional:
        shown = call("regexp_replace", shown, text(f"0{{1,{len(optional)}}}$"), text(""))
        shown = call("regexp_replace", shown, text(r"\.$"), text(""))
    zeros = whole.count("0")
    if (zeros > 1 and (optional or "," in whole)) or not whole + fixed + optional:
        raise _refused(pattern.group())
    if not zeros:
        shown = call("regexp_replace", shown, text(r"^0($|\.)"), text(r"\1"))
    elif zeros > 1:
        shown = _filled(shown, zeros + (most + 1 if most else 0))
    return _signed(it, kind, concat_all(text(before), shown, text(after)), most, shift)


def _filled(shown: Node, width: int) -> Node:
    missing = binary(exp.Sub, number(width), call("length", shown.copy()))
    return concat_all(call("repeat", text("0"), call("greatest", missing, number(0))), shown)


def _signed(it: Node, kind: SqlType, shown: Node, places: int = 0, shift: int = 0) -> Node:
    return concat_all(when(_is_negative(it, kind, places, shift), text("-"), text("")), shown)


def _digits(it: Node, kind: SqlType, places: int, shift: int = 0, *, commas: bool = False) -> Node:
    """Return the digits of a value times ten to the `shift`, without its sign."""
    comma = "," if commas else ""
    absolute = call("abs", _rounded(it, kind, places, shift))
    if kind.name in FLOATS:
        return call("format", text(f"{{:{comma}.{places}f}}"), absolute)
    whole = cast(call("trunc", absolute), "INT128")
    shown = call("format", text(f"{{:{comma}d}}"), whole)
    if not places:
        return shown
    fraction = call("right", cast(absolute.copy(), "VARCHAR"), number(places + 1))
    return concat_all(shown, fraction)


def _is_negative(it: Node, kind: SqlType, places: int, shift: int = 0) -> Node:
    """Return whether a value times ten to the `shift` is below zero, also when it is rounded."""
    return binary(exp.LT, _rounded(it, kind, places, shift), number(0))


def _rounded(it: Node, kind: SqlType, places: int, shift: int) -> Node:
    """Return a value times ten to the `shift`, rounded half away from zero.

    An exact number never passes through FLOAT.
    """
    if kind.name in FLOATS:
        value = cast(it.copy(), "DOUBLE")
        shifted = binary(exp.Mul, value, number(10.0**shift)) if shift else value
        return call("round", shifted, number(places))
    scale = max(kind.scale, places)
    value = cast(it.copy(), "DECIMAL", MAX_DIGITS, scale)
    shifted = binary(exp.Mul, value, number(10**shift)) if shift else value
    return cast(call("round", shifted, number(places)), "DECIMAL", MAX_DIGITS, places)
