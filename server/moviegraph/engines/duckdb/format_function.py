"""FORMAT of dates and numbers: patterns of .NET in the culture en-US."""

import re

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    macro,
    number,
    text,
    unsupported,
)
from moviegraph.engines.duckdb.function_call import FunctionCall, is_number
from moviegraph.engines.duckdb.refusals import FORMAT_CULTURE, FORMAT_PATTERN
from moviegraph.sql.syntax_tree import FLOATS, SqlType
from moviegraph.sql.types import MAX_DIGITS, WHOLE, type_named

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
        return _standard(value, kind, letter.upper(), size)
    custom = CUSTOM_NUMBER.fullmatch(pattern)
    if custom is None:
        raise _refused(pattern)
    return _custom(value, kind, custom)


def _standard(value: Node, kind: SqlType, letter: str, size: str) -> Node:
    places = int(size) if size else 2
    if letter == "D":
        if kind.name not in WHOLE:
            raise _refused(letter + size)
        return _picture(value, kind, 0, width=int(size or 1))
    if letter == "C":
        return macro("currency", *_rounded(value, kind, places))
    if letter == "P":
        return _picture(value, kind, places, shift=2, comma=",", after=" %")
    return _picture(value, kind, places, comma="" if letter == "F" else ",")


def _custom(value: Node, kind: SqlType, pattern: re.Match[str]) -> Node:
    """Return the digits of a value in a pattern of 0 # , . and %."""
    before, integer_digits, fixed, optional, after = (group or "" for group in pattern.groups())
    zeros, places = integer_digits.count("0"), len(fixed) + len(optional)
    if (zeros > 1 and (optional or "," in integer_digits)) or not integer_digits + fixed + optional:
        raise _refused(pattern.group())
    return _picture(
        value,
        kind,
        places,
        shift=2 if after.endswith("%") else 0,
        comma="," if "," in integer_digits else "",
        optional=len(optional),
        width=zeros + (places + 1 if zeros > 1 and places else 0),
        before=before,
        after=after,
    )


def _picture(
    value: Node,
    kind: SqlType,
    places: int,
    *,
    shift: int = 0,
    comma: str = "",
    optional: int = 0,
    width: int = 1,
    before: str = "",
    after: str = "",
) -> Node:
    return macro(
        "picture",
        *_rounded(value, kind, places, shift),
        text(comma),
        number(optional),
        number(width),
        text(before),
        text(after),
    )


def _rounded(value: Node, kind: SqlType, places: int, shift: int = 0) -> tuple[Node, ...]:
    """Return a value times ten to the `shift`, whether it is exact, and its digits after the point.

    It is rounded half away from zero; an exact number never passes through FLOAT.
    """
    exact = kind.name not in FLOATS
    if exact:
        value = cast(value, "DECIMAL", MAX_DIGITS, max(kind.scale, places))
    else:
        value = cast(value, "DOUBLE")
    factor = number(10**shift if exact else 10.0**shift)
    shifted = binary(exp.Mul, value, factor) if shift else value
    rounded: Node = call("round", shifted, number(places))
    if exact:
        rounded = cast(rounded, "DECIMAL", MAX_DIGITS, places)
    return rounded, exp.Boolean(this=exact), number(places)
