"""The number functions of T-SQL."""

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, Translation, renamed
from moviegraph.engines.translation.conversions import whole
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    let,
    number,
    raised,
    text,
    when,
)

WHOLE = ("INT", "BIGINT", "BIT")
LARGEST = 38  # digits of a DECIMAL
ANGLE_PLACES = 18  # places of a DECIMAL that DEGREES and RADIANS return


def _floating(given: Call, at: int = 0) -> Node:
    return cast(given[at], "DOUBLE")


def _finite(made: Node) -> Node:
    """Fail where a FLOAT has no value: beyond its range, or outside the domain."""

    def checked(it: Node) -> Node:
        missing = exp.Is(this=it.copy(), expression=exp.Null())
        fine = exp.Or(this=missing, expression=call("isfinite", it.copy()))
        return when(fine, it.copy(), raised("domain"))

    return let(made, checked)


def _of_float(name: str) -> Translation:
    """Return the translation of a function of a FLOAT."""

    def translate(given: Call) -> Node:
        return _finite(call(name, *(_floating(given, at) for at in range(len(given)))))

    return translate


def _log(given: Call) -> Node:
    natural = _guarded_log("ln", given, 0)
    if len(given) == 1:
        return natural
    return _finite(binary(exp.Div, natural, _guarded_log("ln", given, 1)))


def _log10(given: Call) -> Node:
    return _guarded_log("log10", given, 0)


def _guarded_log(name: str, given: Call, at: int) -> Node:
    valid = binary(exp.LTE, _floating(given, at), number(0))
    return when(valid, raised("domain"), call(name, _floating(given, at)))


def _sqrt(given: Call) -> Node:
    negative = binary(exp.LT, _floating(given), number(0))
    return when(negative, raised("domain"), call("sqrt", _floating(given)))


def _inverse(name: str) -> Translation:
    """Return the translation of a function of values from -1 to 1."""

    def translate(given: Call) -> Node:
        outside = binary(exp.GT, call("abs", _floating(given)), number(1))
        return when(outside, raised("domain"), call(name, _floating(given)))

    return translate


def _cot(given: Call) -> Node:
    zero = binary(exp.EQ, _floating(given), number(0))
    return when(zero, raised("domain"), call("cot", _floating(given)))


def _square(given: Call) -> Node:
    return _finite(call("pow", _floating(given), number(2)))


def _typed(made: Node, given: Call) -> Node:
    """Return a result in the type of the first argument, its fraction cut."""
    kind = given.type(0)
    if kind in WHOLE:
        return cast(call("trunc", made), "BIGINT" if kind == "BIGINT" else "INT")
    if kind != "DECIMAL":
        return made
    # By way of text, because DuckDB's cast loses the last digits.
    shown = call("format", text(f"{{:.{ANGLE_PLACES}f}}"), made)
    return cast(shown, "DECIMAL", LARGEST, ANGLE_PLACES)


def _angle(name: str) -> Translation:
    def translate(given: Call) -> Node:
        return _typed(call(name, _floating(given)), given)

    return translate


def _power(given: Call) -> Node:
    """The result has the type of the base: POWER(2, 0.5) is 1."""
    raised_ = _finite(call("pow", _floating(given), _floating(given, 1)))
    if given.type(0) == "DECIMAL":
        return cast(raised_, "DECIMAL", LARGEST, given.kind(0).scale)
    return _typed(raised_, given)


def _round(given: Call) -> Node:
    cuts = len(given) == 3 and given.number(2) != 0
    rounded = call("trunc" if cuts else "round", given[0], cast(whole(given, 1), "INT"))
    return _typed(rounded, given) if given.type(0) in WHOLE else rounded


def _whole(name: str) -> Translation:
    """CEILING and FLOOR of a whole number are the number."""

    def translate(given: Call) -> Node:
        return given[0] if given.type(0) in WHOLE else call(name, given[0])

    return translate


def _sign(given: Call) -> Node:
    made = call("sign", given[0])
    return cast(made, "DOUBLE") if given.type(0) == "FLOAT" else made


NUMBERS: dict[str, Translation] = {
    "ABS": renamed("abs"),
    "ACOS": _inverse("acos"),
    "ASIN": _inverse("asin"),
    "ATAN": _of_float("atan"),
    "ATN2": _of_float("atan2"),
    "CEILING": _whole("ceil"),
    "COS": _of_float("cos"),
    "COT": _cot,
    "DEGREES": _angle("degrees"),
    "EXP": _of_float("exp"),
    "FLOOR": _whole("floor"),
    "LOG": _log,
    "LOG10": _log10,
    "PI": renamed("pi"),
    "POWER": _power,
    "RADIANS": _angle("radians"),
    "ROUND": _round,
    "SIGN": _sign,
    "SIN": _of_float("sin"),
    "SQRT": _sqrt,
    "SQUARE": _square,
    "TAN": _of_float("tan"),
}
