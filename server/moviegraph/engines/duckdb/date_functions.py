"""Date functions of T-SQL: weeks begin on Sunday, as DATEFIRST 7 has it."""

from sqlglot import exp

from moviegraph.engines.duckdb.conversions import invalid, whole_argument
from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    error_call,
    macro,
    number,
    text,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.format_function import format_value
from moviegraph.engines.duckdb.function_call import TEXT, FunctionCall, Translation, as_moment
from moviegraph.engines.duckdb.refusals import FINE_PARTS
from moviegraph.engines.duckdb.text_values import KEPT, check_range, store_timestamp
from moviegraph.sql.functions import DATEPARTS

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
}
CLOCK = ("hour", "minute", "second", "millisecond")
FINE = ("microsecond", "nanosecond")


def _part(args: FunctionCall) -> str:
    part = DATEPARTS[args.part()]
    if part in FINE:
        raise FINE_PARTS.error(f"{args.name} of {part}")
    return part


def _moment(args: FunctionCall, at: int) -> Node:
    return as_moment(args[at], args.type(at))


def _check_part(args: FunctionCall, at: int) -> str:
    """Return the part, which the type of a moment must have."""
    part, kind = _part(args), args.kind(at).name
    if kind == "DATE" and part in CLOCK:
        raise unsupported(
            f"{args.name} of {part} for {kind}, and neither has SQL Server",
            "CAST the value AS DATETIME2 first.",
        )
    return part


def _now() -> Node:
    return cast(call("now"), "TIMESTAMP")


def _utc_now() -> Node:
    return call("timezone", text("UTC"), call("now"))


def _dateadd(args: FunctionCall) -> Node:
    part = _check_part(args, 2)
    if args.type(1) == TEXT:
        raise invalid(args.kind(1), "the number of DATEADD", "CAST it AS INT.")
    count: Node = cast(call("trunc", args[1]), "INT")
    if part == "quarter":
        part, count = "month", binary(exp.Mul, cast(count, "BIGINT"), number(3))
    if part not in STEPS:
        raise unsupported(f"DATEADD by {part}")
    moved = binary(exp.Add, _moment(args, 2), call(STEPS[part], count))
    kind = args.kind(2).name if args.type(2) in ("DATE", "DATETIME") else "DATETIME"
    if part == "millisecond" or args.type(2) == TEXT:
        digits = args.kind(2).scale if kind == "DATETIME2" else KEPT
        moved = store_timestamp(moved, kind, digits, failure=f"moved {kind.lower()}")
    return cast(check_range(moved, kind), "DATE" if kind == "DATE" else "TIMESTAMP")


def _datediff(args: FunctionCall) -> Node:
    """DATEDIFF is an INT, and fails beyond; the boundaries between two moments count."""
    part = {"dayofyear": "day", "weekday": "day"}.get(_part(args), _part(args))
    if part == "iso_week":
        raise unsupported("DATEDIFF of iso_week, and neither has SQL Server", "Use week.")
    ends = [cast(_moment(args, at), "TIMESTAMP") for at in (1, 2)]
    if part == "week":
        boundaries = macro("weeks_between", *ends)
    else:
        boundaries = call("date_diff", text(part), *ends)
    return cast(boundaries, "INT" if args.name == "DATEDIFF" else "BIGINT")


def _datepart(args: FunctionCall) -> Node:
    return cast(_part_of(_check_part(args, 1), _moment(args, 1)), "INT")


def _part_of(part: str, timestamp: Node) -> Node:
    if part == "weekday":
        return binary(exp.Add, call("dayofweek", timestamp), number(1))
    if part == "week":
        return macro("week", timestamp)
    value = call("date_part", text("week" if part == "iso_week" else part), timestamp)
    return binary(exp.Mod, value, number(1000)) if part == "millisecond" else value


def _datename(args: FunctionCall) -> Node:
    function = {"month": "monthname", "weekday": "dayname"}.get(_part(args))
    if function:
        return call(function, _moment(args, 1))
    return cast(_datepart(args), "VARCHAR")


def _datetrunc(args: FunctionCall) -> Node:
    if _part(args) == "weekday":
        raise unsupported("DATETRUNC to weekday, and neither has SQL Server")
    part = {"dayofyear": "day", "iso_week": "isoweek"}.get(_check_part(args, 1), _part(args))
    timestamp = _moment(args, 1)
    if part == "week":
        timestamp = macro("sunday", timestamp)
    else:  # DuckDB's own week is the ISO week, which begins on Monday
        timestamp = call("date_trunc", text(part.removeprefix("iso")), timestamp)
    return cast(timestamp, "DATE" if args.type(1) == "DATE" else "TIMESTAMP")


def _eomonth(args: FunctionCall) -> Node:
    timestamp = _moment(args, 0)
    if len(args) == 2:
        moved = binary(exp.Add, timestamp, call("to_months", cast(whole_argument(args, 1), "INT")))
        timestamp = check_range(moved, "DATE")
    return call("last_day", timestamp)


def _date_from_parts(args: FunctionCall) -> Node:
    """DuckDB itself checks months and days."""
    years = exp.Between(
        this=exp.Paren(this=whole_argument(args, 0)), low=number(1), high=number(9999)
    )
    date = call("make_date", *(whole_argument(args, at) for at in range(3)))
    return when(exp.Not(this=years), error_call("parts date"), date)


DATE_FUNCTIONS: dict[str, Translation] = {
    "DATEADD": _dateadd,
    "DATEDIFF": _datediff,
    "DATEDIFF_BIG": _datediff,
    "DATEFROMPARTS": _date_from_parts,
    "DATENAME": _datename,
    "DATEPART": _datepart,
    "DATETRUNC": _datetrunc,
    "DAY": lambda args: _part_of("day", _moment(args, 0)),
    "EOMONTH": _eomonth,
    "FORMAT": format_value,
    "GETDATE": lambda _: store_timestamp(_now(), "DATETIME"),
    "GETUTCDATE": lambda _: store_timestamp(_utc_now(), "DATETIME"),
    "MONTH": lambda args: _part_of("month", _moment(args, 0)),
    "SYSDATETIME": lambda _: _now(),
    "SYSUTCDATETIME": lambda _: _utc_now(),
    "YEAR": lambda args: _part_of("year", _moment(args, 0)),
}
