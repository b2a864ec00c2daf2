"""DATEFROMPARTS and its kin: a moment of numbers, NULL when any is NULL."""

from sqlglot import exp

from moviegraph.engines.translation.calls import Call
from moviegraph.engines.translation.conversions import whole
from moviegraph.engines.translation.moments import stored
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    number,
    raised,
    unsupported,
    when,
)

MILLISECONDS = 3
KEPT = 6  # digits of a fraction of a second
LIMITS = {"hour": 23, "minute": 59, "second": 59}


def _date(given: Call) -> Node:
    return _checked(given, ("year",), call("make_date", *_whole(given, 0, 3)))


def _datetime(given: Call) -> Node:
    made = _moment(given, MILLISECONDS)
    return stored(made, "DATETIME", failure=_failure(given))


def _datetime2(given: Call) -> Node:
    return _moment(given, _digits(given, 7))


def _smalldatetime(given: Call) -> Node:
    made = call("make_timestamp", *_whole(given, 0, 5), number(0.0))
    checked = _checked(given, ("year", "month", "day", "hour", "minute"), made)
    return stored(checked, "SMALLDATETIME", failure=_failure(given))


def _time(given: Call) -> Node:
    digits = _digits(given, 4)
    made = call("make_time", *_whole(given, 0, 2), _seconds(given, 2, digits))
    return _checked(given, ("hour", "minute", "second"), made, fraction=(3, digits))


def _moment(given: Call, digits: int) -> Node:
    made = call("make_timestamp", *_whole(given, 0, 5), _seconds(given, 5, digits))
    parts = ("year", "month", "day", "hour", "minute", "second")
    return _checked(given, parts, made, fraction=(6, digits))


def _digits(given: Call, at: int) -> int:
    """Return the literal that says what the fractions count. Raises ExecutionError."""
    digits = given.number(at)
    if digits is None or digits > KEPT + 1:
        raise unsupported(f"{given.name} of that precision", "It is a literal from 0 to 7.")
    return digits


def _whole(given: Call, start: int, end: int) -> list[Node]:
    return [whole(given, at) for at in range(start, end)]


def _seconds(given: Call, at: int, digits: int) -> Node:
    seconds, parts = (cast(whole(given, each), "DOUBLE") for each in (at, at + 1))
    fraction = exp.Div(this=parts, expression=number(10.0**digits))
    return binary(exp.Add, seconds, fraction)


def _checked(
    given: Call, parts: tuple[str, ...], made: Node, *, fraction: tuple[int, int] | None = None
) -> Node:
    """Fail for a part out of its range; DuckDB itself checks months and days."""
    outside: list[Node] = []
    for at, part in enumerate(parts):
        if part == "year":
            outside.append(_beyond(whole(given, at), 1, 9999))
        elif part in LIMITS:
            outside.append(_beyond(whole(given, at), 0, LIMITS[part]))
    if fraction:
        at, digits = fraction
        outside.append(_beyond(whole(given, at), 0, 10**digits - 1))
    return when(exp.or_(*outside, copy=False), raised(_failure(given)), made)


def _failure(given: Call) -> str:
    return f"parts {given.name.removesuffix('FROMPARTS').lower()}"


def _beyond(value: Node, low: int, high: int) -> Node:
    inside = exp.Between(this=exp.Paren(this=value), low=number(low), high=number(high))
    return exp.Not(this=inside)


MADE_DATES = {
    "DATEFROMPARTS": _date,
    "DATETIME2FROMPARTS": _datetime2,
    "DATETIMEFROMPARTS": _datetime,
    "SMALLDATETIMEFROMPARTS": _smalldatetime,
    "TIMEFROMPARTS": _time,
}
