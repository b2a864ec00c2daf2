"""Reads dates and times from text as T-SQL reads them in the language us_english."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlglot import exp

from moviegraph.engines.translation.moment_forms import (
    BLANKS,
    CENTURIES,
    HALVES,
    MARKER,
    MONTHS,
    NAMED,
    THOUSANDTHS,
    forms,
)
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    joined,
    let,
    number,
    raised,
    string_value,
    text,
    try_cast,
    when,
)

DAY = 86_400_000_000  # microseconds
YEAR_ONE = 62_135_596_800_000_000  # microseconds from then to 1970
KEPT = 6  # digits of a fraction of a second
FIRST_DAY = "1900-01-01"
CALENDAR = ("0001-01-01", "9999-12-31 23:59:59.999999")


def moment_in(
    node: Node, order: str = "mdy", *, safe: bool = False, kind: str = "DATETIME2"
) -> Node:
    """Return the TIMESTAMP in a text.

    Args:
        node: The text.
        order: That of day, month and year in numbers.
        safe: Whether a failure gives NULL.
        kind: The T-SQL type that the text becomes.
    """
    literal = string_value(node)
    if literal is not None:
        found = read_moment(literal, order, kind)
        otherwise = exp.Null() if safe else raised("moment")
        return cast(otherwise if found is None else text(found), "TIMESTAMP")
    made = let(call("trim", _replaced(node, BLANKS, " ", "g")), _pointed)
    if order == "mdy":
        made = let(let(made, _halved), _marked)
    arranged = let(made, lambda it: _dated(_arranged(it, order, kind)))
    return let(arranged, lambda it: _read(it, safe=safe))


def read_moment(written: str, order: str = "mdy", kind: str = "DATETIME2") -> str | None:
    """Return a literal in the form that every engine reads, or None if it is no moment."""
    written = re.sub(BLANKS, " ", written).strip(" ")
    if not written:
        return f"{FIRST_DAY} 00:00:00"
    written = re.sub(THOUSANDTHS, lambda it: f"{it[1]}.{it[2]:0>3}{it[3]}", written, flags=re.ASCII)
    if order == "mdy":
        written = _month_marked(_of_24_hours(written))
    for form, shape in forms(order, counted=kind in COUNTED):
        found = re.fullmatch(form, written, re.ASCII)
        if found:
            return _checked(found.expand(shape))
    return None


def _of_24_hours(written: str) -> str:
    for form, shift in HALVES:
        found = re.fullmatch(form, written, re.ASCII)
        if found:
            return f"{found[1]}{int(found[2]) % 12 + shift}{found[3] or ':00'}"
    return written


def _month_marked(written: str) -> str:
    found = re.fullmatch(NAMED, written, re.ASCII)
    if not found:
        return written
    month = MONTHS.index(found[2][:3].lower()) // 3 + 1
    return f"{found[1]}{MARKER}{month:02}{found[3]}"


def _checked(arranged: str) -> str | None:
    """Return a moment with all its digits, or None if there is no such day or time."""
    for form, shape in CENTURIES:
        arranged = re.sub(form, shape, arranged)
    date, _, clock = arranged.replace("T", " ").partition(" ")
    whole, _, fraction = clock.partition(".")
    times = (*(int(part) for part in whole.split(":") if part), 0, 0, 0)[:3]
    try:
        made = datetime(*(int(part) for part in date.split("-")), *times)  # type: ignore[arg-type]
    except ValueError:
        return None
    return f"{made:%Y-%m-%d %H:%M:%S}".rjust(19, "0") + (f".{fraction[:6]}" if fraction else "")


def _pointed(it: Node) -> Node:
    """Return a text with its thousandths of a second behind a point: 10:00:00:5 is 10:00:00.005."""
    parts = [_group(it, THOUSANDTHS, at) for at in (1, 2, 3)]
    digits = call("lpad", parts[1], number(3), text("0"))
    made = call("concat", parts[0], text("."), digits, parts[2])
    found = call("regexp_matches", it.copy(), text(THOUSANDTHS))
    return when(found, call("replace", it.copy(), _group(it, THOUSANDTHS, 0), made), it.copy())


def _halved(it: Node) -> Node:
    """Return a text with an hour of 24 where it has AM or PM."""
    branches: list[exp.If] = []
    for form, shift in HALVES:
        hour = binary(exp.Mod, cast(_group(it, form, 2), "INT"), number(12))
        later = call("coalesce", call("nullif", _group(it, form, 3), text("")), text(":00"))
        shifted = cast(binary(exp.Add, hour, number(shift)), "VARCHAR")
        branches.append(_if_whole(it, form, joined(_group(it, form, 1), shifted, later)))
    return exp.Case(ifs=branches, default=it.copy())


def _marked(it: Node) -> Node:
    """Return a text with the marker and the number of a month in place of its name."""
    name = call("lower", call("left", _group(it, NAMED, 2), number(3)))
    place = binary(exp.Add, call("strpos", text(MONTHS), name), number(2))
    month = cast(binary(exp.IntDiv, place, number(3)), "VARCHAR")
    digits = call("lpad", month, number(2), text("0"))
    made = joined(_group(it, NAMED, 1), text(MARKER), digits, _group(it, NAMED, 3))
    return exp.Case(ifs=[_if_whole(it, NAMED, made)], default=it.copy())


def _arranged(it: Node, order: str, kind: str) -> Node:
    """Return a text as year-month-day and clock, an empty one if it has no form of a moment."""
    blank = exp.EQ(this=it.copy(), expression=text(""))
    branches = [exp.If(this=blank, true=text(FIRST_DAY))]
    for form, shape in forms(order, counted=kind in COUNTED):
        branches.append(_if_whole(it, form, _replaced(it.copy(), f"^{form}$", shape)))
    return exp.Case(ifs=branches, default=call("left", it.copy(), number(0)))


def _dated(arranged: Node) -> Node:
    for form, shape in CENTURIES:
        arranged = _replaced(arranged, form, shape)
    return arranged


def _replaced(node: Node, form: str, shape: str, *options: str) -> Node:
    return call("regexp_replace", node, text(form), text(shape), *map(text, options))


def _if_whole(it: Node, form: str, made: Node) -> exp.If:
    return exp.If(this=call("regexp_full_match", it.copy(), text(form)), true=made)


def _group(it: Node, form: str, at: int) -> Node:
    return call("regexp_extract", it.copy(), text(form), number(at))


def _read(it: Node, *, safe: bool) -> Node:
    read = try_cast(it.copy(), "TIMESTAMP")
    return read if safe else call("coalesce", read, _failed(it))


def _failed(it: Node) -> Node:
    """Fail, unless the text is NULL."""
    missing = exp.Is(this=it.copy(), expression=exp.Null())
    failure = cast(raised("moment"), "TIMESTAMP")
    return exp.Case(ifs=[exp.If(this=exp.Not(this=missing), true=failure)])


def day_of(node: Node) -> Node:
    """Return the moment that a number is in days from 1900 on."""
    passed = exp.Mul(this=cast(node, "DOUBLE"), expression=number(DAY))
    shift = call("to_microseconds", cast(call("round", passed), "BIGINT"))
    return exp.Paren(this=exp.Add(this=first_day(), expression=shift))


def first_day() -> Node:
    """Return the moment from which DATETIME counts."""
    return cast(text(FIRST_DAY), "TIMESTAMP")


def stored(
    moment: Node, kind: str, digits: int = 7, *, safe: bool = False, failure: str = "moment"
) -> Node:
    """Return a TIMESTAMP as precise as its T-SQL type keeps it.

    DATETIME counts in 1/300 of a second, from 1753 on; SMALLDATETIME in minutes, from 1900 on.
    What rounds to a moment behind the last one of its type fails: that is documented nowhere.
    """
    if kind in COUNTED:
        refused = exp.Null() if safe else raised(failure)
        return let(moment, lambda it: _counted(it, kind, refused))
    if digits >= KEPT:
        return moment
    return let(moment, lambda it: _rounded(it, digits, "9999-12-31"))


def time_stored(time: Node, digits: int) -> Node:
    """Return a TIME with as many digits of a fraction of a second, rounded."""
    if digits >= KEPT:
        return time
    moment = binary(exp.Add, cast(text(FIRST_DAY), "DATE"), time)
    return let(moment, lambda it: cast(_rounded(it, digits, FIRST_DAY), "TIME"))


def _in_ticks(it: Node) -> Node:
    ticks = _half_up(binary(exp.Mul, _passed(it), number(3)), 10_000)
    milliseconds = _half_up(binary(exp.Mul, ticks, number(10)), 3)
    return _moment_after(binary(exp.Mul, milliseconds, number(1000)))


def _passed(it: Node) -> Node:
    """Return the microseconds since the year 1, which are never negative."""
    return binary(exp.Add, call("epoch_us", it.copy()), number(YEAR_ONE))


def _moment_after(microseconds: Node) -> Node:
    return call("make_timestamp", binary(exp.Sub, microseconds, number(YEAR_ONE)))


def _half_up(value: Node, unit: int) -> Node:
    """Return how many units a whole number rounds to."""
    doubled = binary(exp.Add, binary(exp.Mul, value, number(2)), number(unit))
    return binary(exp.IntDiv, doubled, number(2 * unit))


def _in_minutes(it: Node) -> Node:
    later = exp.Add(this=it.copy(), expression=call("to_microseconds", number(30_001_000)))
    return call("date_trunc", text("minute"), exp.Paren(this=later))


def _rounded(it: Node, digits: int, last: str) -> Node:
    step = 10 ** (KEPT - digits)
    made = _moment_after(binary(exp.Mul, _half_up(_passed(it), step), number(step)))
    return when(_since(it, f"{last} 23:59:59.{'9' * digits}5"), raised("last_moment"), made)


def within_calendar(it: Node, kind: str, made: Node, refused: Node) -> Node:
    """Return what is made of a moment, unless its type does not reach so far."""
    reach = (COUNTED[kind].first, COUNTED[kind].last) if kind in COUNTED else CALENDAR
    first, last = (cast(text(bound), "TIMESTAMP") for bound in reach)
    outside = exp.Not(this=exp.Between(this=it.copy(), low=first, high=last))
    return exp.Case(ifs=[exp.If(this=outside, true=refused)], default=made)


@dataclass(frozen=True, slots=True)
class _Counted:
    """A type that counts in its own unit: its bounds, and from where on it rounds beyond them."""

    first: str
    rounds_up: str
    last: str
    made: Callable[[Node], Node]


COUNTED = {
    "DATETIME": _Counted(
        "1753-01-01", "9999-12-31 23:59:59.998334", "9999-12-31 23:59:59.999999", _in_ticks
    ),
    "SMALLDATETIME": _Counted(
        FIRST_DAY, "2079-06-06 23:59:29.999", "2079-06-06 23:59:59.999999", _in_minutes
    ),
}


def _counted(it: Node, kind: str, refused: Node) -> Node:
    counted = COUNTED[kind]
    beyond = _since(it, counted.rounds_up)
    made = when(beyond, raised("last_moment"), counted.made(it))
    return within_calendar(it, kind, made, refused)


def _since(it: Node, moment: str) -> Node:
    return exp.GTE(this=it.copy(), expression=cast(text(moment), "TIMESTAMP"))
