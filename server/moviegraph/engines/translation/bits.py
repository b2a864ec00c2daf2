"""The functions of T-SQL on the bits of whole numbers."""

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, Translation
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    let,
    number,
    raised,
    unsupported,
    when,
)

WIDTHS = {"INT": 32, "BIGINT": 64}


def _width(given: Call) -> int:
    kind = given.type(0)
    if kind not in WIDTHS:
        raise unsupported(f"{given.name} of {kind}", "CAST the value to INT or BIGINT.")
    return WIDTHS[kind]


def _bits(value: Node, width: int) -> Node:
    """Return a whole number as one that is not negative and has the same bits."""
    wide = cast(value, "INT128")
    return exp.Case(
        ifs=[exp.If(this=binary(exp.LT, wide, number(0)), true=_plus(wide, width))],
        default=wide.copy(),
    )


def _plus(wide: Node, width: int) -> Node:
    return binary(exp.Add, wide.copy(), cast(number(1 << width), "INT128"))


def _signed(bits: Node, width: int) -> Node:
    """Return bits as the whole number of that width, its first bit the sign."""
    kind = "INT" if width == WIDTHS["INT"] else "BIGINT"

    def read(it: Node) -> Node:
        low = binary(exp.Mod, it, cast(number(1 << width), "INT128"))
        high = binary(exp.GTE, low, cast(number(1 << (width - 1)), "INT128"))
        below = binary(exp.Sub, low.copy(), cast(number(1 << width), "INT128"))
        return cast(when(high, below, low.copy()), kind)

    return let(bits, read)


def _count(given: Call) -> Node:
    _width(given)
    return cast(call("bit_count", given[0]), "BIGINT")


def _shift(sign: int) -> Translation:
    def translate(given: Call) -> Node:
        """Bits that leave are lost, and zeros come in; a negative count goes the other way."""
        width, count = _width(given), given.number(1)
        if count is None and isinstance(given.given[1], exp.Neg):
            inner = given.given[1].this.unnest()
            count = -int(inner.name) if inner.name.isdigit() else None
        if count is None:
            raise unsupported(f"{given.name} by a computed count")
        power = min(abs(count), width)
        bits = _bits(given[0], width)
        operation = exp.Mul if count * sign > 0 else exp.Div
        if operation is exp.Mul:
            bits = binary(exp.Mod, bits, cast(number(1 << (width - power)), "INT128"))
        factor = cast(number(1 << power), "INT128")
        return _signed(binary(operation, bits, factor), width)

    return translate


def _bit(given: Call) -> Node:
    """Return the value of a bit as 0 or 1, or fail where the type has no such bit."""
    width, at = _width(given), given.number(1)
    if at is None or at >= width:
        raise unsupported(f"{given.name} of a computed bit or beyond the last")
    shifted = binary(exp.Div, _bits(given[0], width), cast(number(1 << at), "INT128"))
    return binary(exp.Mod, shifted, cast(number(2), "INT128"))


def _get_bit(given: Call) -> Node:
    return binary(exp.EQ, _bit(given), number(1))


def _set_bit(given: Call) -> Node:
    width, at = _width(given), given.number(1) or 0
    wanted = given.number(2) if len(given) > 2 else 1
    if wanted not in (0, 1):
        return raised("domain")
    change = binary(exp.Sub, number(wanted), _bit(given))
    moved = binary(exp.Mul, change, cast(number(1 << at), "INT128"))
    return _signed(binary(exp.Add, _bits(given[0], width), moved), width)


BITS: dict[str, Translation] = {
    "BIT_COUNT": _count,
    "GET_BIT": _get_bit,
    "LEFT_SHIFT": _shift(1),
    "RIGHT_SHIFT": _shift(-1),
    "SET_BIT": _set_bit,
}
