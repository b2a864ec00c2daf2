"""The number functions of T-SQL."""

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, Translation, renamed
from moviegraph.engines.translation.nodes import Node, binary, call, cast, number, raised, when

WHOLE = ("INT", "BIGINT", "BIT")


def _floating(given: Call, at: int = 0) -> Node:
    return cast(given[at], "DOUBLE")


def _log(given: Call) -> Node:
    natural = _guarded_log("ln", given, 0)
    if len(given) == 1:
        return natural
    return binary(exp.Div, natural, _guarded_log("ln", given, 1))


def _log10(given: Call) -> Node:
    return _guarded_log("log10", given, 0)


def _guarded_log(name: str, given: Call, at: int) -> Node:
    valid = binary(exp.LTE, _floating(given, at), number(0))
    return when(valid, raised("domain"), call(name, _floating(given, at)))


def _sqrt(given: Call) -> Node:
    negative = binary(exp.LT, _floating(given), number(0))
    return when(negative, raised("domain"), call("sqrt", _floating(given)))


def _square(given: Call) -> Node:
    return call("pow", _floating(given), number(2))


def _power(given: Call) -> Node:
    """The result has the type of the base: POWER(2, 0.5) is 1."""
    raised_ = call("pow", _floating(given), _floating(given, 1))
    return cast(call("trunc", raised_), "BIGINT") if given.type(0) in WHOLE else raised_


def _round(given: Call) -> Node:
    cuts = len(given) == 3 and given.number(2) != 0
    rounded = call("trunc" if cuts else "round", given[0], given[1])
    return cast(rounded, "BIGINT") if given.type(0) in WHOLE else rounded


def _whole(name: str) -> Translation:
    """CEILING and FLOOR of a whole number are the number."""

    def translate(given: Call) -> Node:
        return given[0] if given.type(0) in WHOLE else call(name, given[0])

    return translate


NUMBERS: dict[str, Translation] = {
    "ABS": renamed("abs"),
    "CEILING": _whole("ceil"),
    "EXP": lambda given: call("exp", _floating(given)),
    "FLOOR": _whole("floor"),
    "LOG": _log,
    "LOG10": _log10,
    "PI": renamed("pi"),
    "POWER": _power,
    "ROUND": _round,
    "SIGN": renamed("sign"),
    "SQRT": _sqrt,
    "SQUARE": _square,
}
