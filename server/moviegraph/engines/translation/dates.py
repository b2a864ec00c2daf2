"""The date functions of T-SQL: weeks begin on Sunday, as DATEFIRST 7 has it."""

from collections.abc import Callable

from sqlglot import exp

from moviegraph.engines.translation.calls import Call, Translation, as_moment
from moviegraph.engines.translation.formats import formatted
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    number,
    text,
    try_cast,
    unsupported,
    when,
)

SHORT = {
    "yy": "year",
    "yyyy": "year",
    "qq": "quarter",
    "q": "quarter",
    "mm": "month",
    "m": "month",
    "dy": "dayofyear",
    "y": "dayofyear",
    "dd": "day",
    "d": "day",
    "wk": "week",
    "ww": "week",
    "dw": "weekday",
    "w": "weekday",
    "hh": "hour",
    "mi": "minute",
    "n": "minute",
    "ss": "second",
    "s": "second",
    "ms": "millisecond",
    "mcs": "microsecond",
    "ns": "nanosecond",
    "isowk": "iso_week",
    "isoww": "iso_week",
}
STEPS = {
    "year": "to_years",
    "month": "to_months",
    "day": "to_days",
    "dayofyear": "to_days",
    "weekday": "to_days",
    "week": "to_weeks",
    "hour": "to_hours",
    "minute": "to_minutes",
    "second": "to_seconds",
    "millisecond": "to_milliseconds",
    "microsecond": "to_microseconds",
}
FRACTIONS = {"millisecond": 1000, "microsecond": 1_000_000}


def _part(given: Call) -> str:
    return SHORT.get(given.part(), given.part())


def _moment(given: Call, at: int) -> Node:
    return as_moment(given[at], given.type(at))


def _now() -> Node:
    return cast(call("now"), "TIMESTAMP")


def _utc_now() -> Node:
    return call("timezone", text("UTC"), call("now"))


def _plus_days(node: Node, days: int) -> Node:
    shift = call("to_days", number(abs(days)))
    return binary(exp.Add if days > 0 else exp.Sub, node, shift)


def _dateadd(given: Call) -> Node:
    part = _part(given)
    count: Node = cast(call("trunc", given[1]), "INT")
    if part == "quarter":
        part, count = "month", binary(exp.Mul, count, number(3))
    if part == "nanosecond":
        part, count = "microsecond", binary(exp.Div, count, number(1000))
    if part not in STEPS:
        raise unsupported(f"DATEADD by {part}")
    moved = binary(exp.Add, _moment(given, 2), call(STEPS[part], count))
    return cast(moved, "DATE" if given.type(2) == "DATE" else "TIMESTAMP")


def _datediff(given: Call) -> Node:
    part = {"dayofyear": "day", "weekday": "day", "iso_week": "week"}.get(
        _part(given), _part(given)
    )
    start, end = (cast(_moment(given, at), "TIMESTAMP") for at in (1, 2))
    if part == "nanosecond":
        return binary(exp.Mul, call("date_diff", text("microsecond"), start, end), number(1000))
    if part == "week":
        days = call("date_diff", text("day"), _week(start), _week(end))
        return binary(exp.Div, days, number(7))
    return call("date_diff", text(part), start, end)


def _week(moment: Node) -> Node:
    """Return the Sunday that a week begins with."""
    return _plus_days(call("date_trunc", text("week"), _plus_days(moment, 1)), -1)


def _datepart(given: Call) -> Node:
    return part_of(_part(given), _moment(given, 1))


def part_of(part: str, moment: Node) -> Node:
    """Return a part of a date as a number."""
    if part == "weekday":
        return binary(exp.Add, call("dayofweek", moment), number(1))
    if part == "week":
        first = call("dayofweek", call("date_trunc", text("year"), moment.copy()))
        days = binary(exp.Add, call("dayofyear", moment), first)
        weeks = binary(exp.Div, binary(exp.Sub, days, number(1)), number(7))
        return binary(exp.Add, weeks, number(1))
    if part in FRACTIONS:
        return binary(exp.Mod, call("date_part", text(part), moment), number(FRACTIONS[part]))
    if part == "nanosecond":
        return binary(exp.Mul, part_of("microsecond", moment), number(1000))
    return call("date_part", text("week" if part == "iso_week" else part), moment)


def _datename(given: Call) -> Node:
    named = {"month": "monthname", "weekday": "dayname"}.get(_part(given))
    if named:
        return call(named, _moment(given, 1))
    return cast(_datepart(given), "VARCHAR")


def _datetrunc(given: Call) -> Node:
    if _part(given) in ("weekday", "nanosecond"):
        raise unsupported(f"DATETRUNC to {_part(given)}")
    part = {"dayofyear": "day", "iso_week": "isoweek"}.get(_part(given), _part(given))
    moment = _moment(given, 1)
    if part == "week":
        moment = _week(moment)
    else:  # DuckDB's own week is the ISO week, which begins on Monday
        moment = call("date_trunc", text(part.removeprefix("iso")), moment)
    return cast(moment, "DATE" if given.type(1) == "DATE" else "TIMESTAMP")


def _eomonth(given: Call) -> Node:
    moment = _moment(given, 0)
    if len(given) == 2:
        moment = binary(exp.Add, moment, call("to_months", cast(given[1], "INT")))
    return call("last_day", moment)


def _datefromparts(given: Call) -> Node:
    return call("make_date", *(cast(given[at], "INT") for at in range(3)))


def _isdate(given: Call) -> Node:
    read = try_cast(given.text(0), "TIMESTAMP")
    return when(exp.Is(this=read, expression=exp.Null()), number(0), number(1))


def _fixed_part(part: str) -> Translation:
    def translate(given: Call) -> Node:
        return part_of(part, _moment(given, 0))

    return translate


def _constant(make: Callable[[], Node]) -> Translation:
    def translate(given: Call) -> Node:
        return make()

    return translate


def _format(given: Call) -> Node:
    return formatted(given)


DATES: dict[str, Translation] = {
    "DATEADD": _dateadd,
    "DATEDIFF": _datediff,
    "DATEDIFF_BIG": _datediff,
    "DATEFROMPARTS": _datefromparts,
    "DATENAME": _datename,
    "DATEPART": _datepart,
    "DATETRUNC": _datetrunc,
    "DAY": _fixed_part("day"),
    "EOMONTH": _eomonth,
    "FORMAT": _format,
    "GETDATE": _constant(_now),
    "GETUTCDATE": _constant(_utc_now),
    "ISDATE": _isdate,
    "MONTH": _fixed_part("month"),
    "SYSDATETIME": _constant(_now),
    "SYSUTCDATETIME": _constant(_utc_now),
    "YEAR": _fixed_part("year"),
}
