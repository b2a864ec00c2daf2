"""The digits of a number in FORMAT; those of an exact number never pass through floating point."""

from decimal import Decimal

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, binary, call, cast, joined, number, text
from moviegraph.sql.types import FLOATS, MAX_DIGITS, WHOLE, SqlType


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
