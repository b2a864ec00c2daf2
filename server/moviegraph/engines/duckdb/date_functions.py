"""Date functions of T-SQL, and those that make a date of numbers."""

from collections.abc import Callable

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import invalid, whole
from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    let,
    number,
    raised,
    text,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.format_function import formatted
from moviegraph.engines.duckdb.function_call import TEXT, Call, Translation, as_moment
from moviegraph.engines.duckdb.text_values import (
    KEPT,
    moment_in,
    stored,
    time_stored,
    within_calendar,
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
CLOCK = ("hour", "minute", "second", "millisecond", "microsecond", "nanosecond")
FINE = ("microsecond", "nanosecond")
# At once, because a week of DATE_BUCKET is seven days and a quarter three months.
BUCKETS = {
    "year": ("month", 12),
    "quarter": ("month", 3),
    "month": ("month", 1),
    "week": ("microsecond", 604_800_000_000),
    "day": ("microsecond", 86_400_000_000),
    "dayofyear": ("microsecond", 86_400_000_000),
    "weekday": ("microsecond", 86_400_000_000),
    "hour": ("microsecond", 3_600_000_000),
    "minute": ("microsecond", 60_000_000),
    "second": ("microsecond", 1_000_000),
    "millisecond": ("microsecond", 1000),
}
DEFAULT_ORIGIN = "1900-01-01"


def _part(given: Call) -> str:
    return SHORT.get(given.part(), given.part())


def _moment(given: Call, at: int) -> Node:
    return as_moment(given[at], given.type(at))


def _check_part(given: Call, at: int) -> str:
    """Return the part, which the type of a moment must have."""
    part, kind = _part(given), given.kind(at).name
    lacking = (kind == "DATE" and part in CLOCK) or (kind == "TIME" and part not in CLOCK)
    coarse = part in FINE and kind in ("DATETIME", "SMALLDATETIME")
    if lacking or (coarse and given.name in ("DATEADD", "DATETRUNC")):
        raise unsupported(
            f"{given.name} of {part} for {kind}, and neither has SQL Server",
            "CAST the value AS DATETIME2 first.",
        )
    return part


def _now() -> Node:
    return cast(call("now"), "TIMESTAMP")


def _utc_now() -> Node:
    return call("timezone", text("UTC"), call("now"))


def _plus_days(node: Node, days: int) -> Node:
    shift = call("to_days", number(abs(days)))
    return binary(exp.Add if days > 0 else exp.Sub, node, shift)


def _dateadd(given: Call) -> Node:
    part = _check_part(given, 2)
    if given.type(1) == TEXT:
        raise invalid(given.kind(1), "the number of DATEADD", "CAST it AS INT.")
    count: Node = cast(call("trunc", given[1]), "INT")
    if part == "quarter":
        part, count = "month", binary(exp.Mul, cast(count, "BIGINT"), number(3))
    if part == "nanosecond":
        part, count = "microsecond", _microseconds(count)
    if part not in STEPS:
        raise unsupported(f"DATEADD by {part}")
    moved = binary(exp.Add, _moment(given, 2), call(STEPS[part], count))
    digits = given.kind(2).scale
    if given.type(2) == "TIME":
        time = cast(moved, "TIME")
        return time_stored(time, digits) if part in FRACTIONS else time
    kind = given.kind(2).name if given.type(2) in ("DATE", "DATETIME") else "DATETIME"
    failure = f"moved {kind.lower()}"
    coarse = part in FRACTIONS or (part == "second" and kind == "SMALLDATETIME")
    if coarse or given.type(2) == "NVARCHAR":
        moved = stored(moved, kind, digits if kind == "DATETIME2" else KEPT, failure=failure)
    inside = let(moved, lambda it: within_calendar(it, kind, it.copy(), raised(failure)))
    return cast(inside, "DATE" if kind == "DATE" else "TIMESTAMP")


def _microseconds(nanoseconds: Node) -> Node:
    tenths = exp.Div(this=cast(nanoseconds, "DOUBLE"), expression=number(1000))
    return cast(call("trunc", tenths), "BIGINT")


def _datediff(given: Call) -> Node:
    """DATEDIFF is an INT, and fails beyond; the boundaries between two moments count."""
    part = {"dayofyear": "day", "weekday": "day"}.get(_part(given), _part(given))
    if part == "iso_week":
        raise unsupported("DATEDIFF of iso_week, and neither has SQL Server", "Use week.")
    start, end = (cast(_moment(given, at), "TIMESTAMP") for at in (1, 2))
    return cast(_boundaries(part, start, end), "INT" if given.name == "DATEDIFF" else "BIGINT")


def _boundaries(part: str, start: Node, end: Node) -> Node:
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
    return cast(part_of(_check_part(given, 1), _moment(given, 1)), "INT")


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
        raise unsupported(f"DATETRUNC to {_part(given)}, and neither has SQL Server")
    part = {"dayofyear": "day", "iso_week": "isoweek"}.get(_check_part(given, 1), _part(given))
    moment = _moment(given, 1)
    if part == "week":
        moment = _week(moment)
    else:  # DuckDB's own week is the ISO week, which begins on Monday
        moment = call("date_trunc", text(part.removeprefix("iso")), moment)
    kind = given.type(1)
    return cast(moment, kind if kind in ("DATE", "TIME") else "TIMESTAMP")


def _date_bucket(given: Call) -> Node:
    """The start of the bucket in which a moment lies, counted from an origin on."""
    part, kind, width = _check_part(given, 2), given.type(2), given.number(1)
    if part not in BUCKETS or kind not in ("DATE", "DATETIME"):
        raise unsupported(f"DATE_BUCKET of {part} for {kind}", "CAST the value AS DATETIME2.")
    if not width:
        raise unsupported("DATE_BUCKET of a computed width or of 0")
    if len(given) > 3 and given.type(3) != kind:
        raise unsupported("DATE_BUCKET with an origin of another type, and neither has SQL Server")
    origin = given[3] if len(given) > 3 else text(DEFAULT_ORIGIN)
    unit, size = BUCKETS[part]
    step = width * size
    pair = [cast(given[2], "TIMESTAMP"), cast(origin, "TIMESTAMP")]
    made = let(call("list_value", *pair), lambda it: _bucket(it, unit, step))
    return cast(made, kind if kind == "DATE" else "TIMESTAMP")


def _bucket(pair: Node, unit: str, step: int) -> Node:
    moment, origin = (call("list_extract", pair.copy(), number(at)) for at in (1, 2))
    passed = call("date_sub", text(unit), origin, moment)
    earlier = binary(exp.LT, moment.copy(), origin.copy())
    # Before the origin a part of a bucket counts as a whole one.
    exact = binary(exp.Add, origin.copy(), _steps(unit, passed.copy()))
    begun = binary(exp.LT, moment.copy(), exact)
    late = when(begun, binary(exp.Sub, passed.copy(), number(1)), passed.copy())
    floored = when(earlier, binary(exp.Add, binary(exp.Sub, late, number(step)), number(1)), passed)
    whole = binary(exp.Mul, binary(exp.Div, floored, number(step)), number(step))
    return binary(exp.Add, origin.copy(), _steps(unit, whole))


def _steps(unit: str, count: Node) -> Node:
    return call("to_months" if unit == "month" else "to_microseconds", count)


def _eomonth(given: Call) -> Node:
    moment = _moment(given, 0)
    if len(given) == 2:
        moved = binary(exp.Add, moment, call("to_months", cast(whole(given, 1), "INT")))
        failure = raised("moved date")
        moment = let(moved, lambda it: within_calendar(it, "DATE", it.copy(), failure))
    return call("last_day", moment)


def _isdate(given: Call) -> Node:
    """Whether a text is a DATETIME."""
    kind = given.type(0)
    if kind != "NVARCHAR":
        return number(1 if given.kind(0).name in ("DATETIME", "SMALLDATETIME") else 0)
    read = stored(moment_in(given.text(0), safe=True, kind="DATETIME"), "DATETIME", safe=True)
    blank = binary(exp.EQ, call("trim", given.text(0)), text(""))
    missing = exp.Is(this=read, expression=exp.Null())
    return when(exp.Or(this=missing, expression=blank), number(0), number(1))


def _fixed_part(part: str) -> Translation:
    def translate(given: Call) -> Node:
        return part_of(part, _moment(given, 0))

    return translate


def _constant(make: Callable[[], Node]) -> Translation:
    def translate(_: Call) -> Node:
        return make()

    return translate


def _format(given: Call) -> Node:
    return formatted(given)


MILLISECONDS = 3
LIMITS = {"hour": 23, "minute": 59, "second": 59}


def _date(given: Call) -> Node:
    return _checked(given, ("year",), call("make_date", *_whole(given, 0, 3)))


def _datetime(given: Call) -> Node:
    made = _make_timestamp(given, MILLISECONDS)
    return stored(made, "DATETIME", failure=_failure(given))


def _datetime2(given: Call) -> Node:
    return _make_timestamp(given, _digits(given, 7))


def _smalldatetime(given: Call) -> Node:
    made = call("make_timestamp", *_whole(given, 0, 5), number(0.0))
    checked = _checked(given, ("year", "month", "day", "hour", "minute"), made)
    return stored(checked, "SMALLDATETIME", failure=_failure(given))


def _time(given: Call) -> Node:
    digits = _digits(given, 4)
    made = call("make_time", *_whole(given, 0, 2), _seconds(given, 2, digits))
    return _checked(given, ("hour", "minute", "second"), made, fraction=(3, digits))


def _make_timestamp(given: Call, digits: int) -> Node:
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


DATE_FUNCTIONS: dict[str, Translation] = {
    "DATEADD": _dateadd,
    "DATEDIFF": _datediff,
    "DATEDIFF_BIG": _datediff,
    "DATENAME": _datename,
    "DATEPART": _datepart,
    "DATETRUNC": _datetrunc,
    "DATE_BUCKET": _date_bucket,
    "DAY": _fixed_part("day"),
    "EOMONTH": _eomonth,
    "FORMAT": _format,
    "GETDATE": _constant(lambda: stored(_now(), "DATETIME")),
    "GETUTCDATE": _constant(lambda: stored(_utc_now(), "DATETIME")),
    "ISDATE": _isdate,
    "MONTH": _fixed_part("month"),
    "SYSDATETIME": _constant(_now),
    "SYSUTCDATETIME": _constant(_utc_now),
    "YEAR": _fixed_part("year"),
    "DATEFROMPARTS": _date,
    "DATETIME2FROMPARTS": _datetime2,
    "DATETIMEFROMPARTS": _datetime,
    "SMALLDATETIMEFROMPARTS": _smalldatetime,
    "TIMEFROMPARTS": _time,
}
