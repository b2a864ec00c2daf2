"""Reads dates and times from text as T-SQL reads them in the language us_english."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlglot import exp

from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    let,
    number,
    raised,
    string_value,
    text,
    try_cast,
    when,
)

CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,7})?)?"
ZONE = r"(?: ?(?:Z|[+-]\d{2}:\d{2}))?"
REST = rf"((?:[ T]{CLOCK})?){ZONE}"
DAY = 86_400_000_000  # microseconds
YEAR_ONE = 62_135_596_800_000_000  # microseconds from then to 1970
KEPT = 6  # digits of a fraction of a second
FIRST_DAY = "1900-01-01"
CALENDAR = ("0001-01-01", "9999-12-31 23:59:59.999999")
MARK = "[-/.]"
TWO, ONE_OR_TWO, FOUR = r"(\d{2})", r"(\d{1,2})", r"(\d{4})"
CENTURIES = ((r"([0-4]\d)", "20"), (r"([5-9]\d)", "19"))  # two digits up to 49 are of this one
Form = tuple[str, str]
YEAR_FIRST: tuple[Form, ...] = (
    (FOUR + MARK + ONE_OR_TWO + MARK + ONE_OR_TWO + REST, r"\1-\2-\3\4"),
)
COMPACT: tuple[Form, ...] = (
    (FOUR + TWO + TWO + REST, r"\1-\2-\3\4"),
    *((two + TWO + TWO, century + r"\1-\2-\3") for two, century in CENTURIES),
)
BARE: tuple[Form, ...] = ((FOUR, r"\1-01-01"), (f"({CLOCK})", r"1900-01-01 \1"))


def _year_last(month: int, day: int) -> tuple[Form, ...]:
    start = ONE_OR_TWO + MARK + ONE_OR_TWO + MARK
    return (
        (start + FOUR + REST, rf"\3-\{month}-\{day}\4"),
        *((start + two + REST, rf"{century}\3-\{month}-\{day}\4") for two, century in CENTURIES),
    )


FORMS: dict[str, tuple[Form, ...]] = {
    "mdy": (*YEAR_FIRST, *COMPACT, *_year_last(1, 2), *BARE),
    "dmy": (*_year_last(2, 1), *COMPACT),
    "ymd": (*YEAR_FIRST, *COMPACT),
}
NAMED = tuple(
    f"{date}{clock}"
    for clock in ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M%p", " %I:%M:%S %p")
    for month in ("%B", "%b")
    for date in (
        f"{month} %d, %Y",
        f"{month} %d %Y",
        f"%d {month} %Y",
        f"%d {month}, %Y",
        f"{month} %Y",
        f"%Y {month}",
        f"%Y {month} %d",
    )
)
HALVES = tuple(
    f"{date}{clock}{blank}%p"
    for date in ("%Y-%m-%d ", "%Y/%m/%d ", "%m/%d/%Y ", "%m-%d-%Y ", "%Y%m%d ", "")
    for clock in ("%I:%M", "%I:%M:%S", "%I:%M:%S.%f", "%I")
    for blank in (" ", "")
)
THOUSANDTHS = r"(:\d{2}:\d{2}):(\d{1,3})(\D|$)"  # behind a colon, not a point
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
# Only such texts are tried against the many forms with names.
LETTERS = rf"(?i)(?:\d{{1,4}} )?(?:{MONTHS})[a-z]*,? \d[\d,: ]{{0,20}}(?: ?[ap]m)?|\d.{{0,26}}[ap]m"


def moment_in(node: Node, order: str = "mdy", *, safe: bool = False) -> Node:
    """Return the TIMESTAMP in a text; `order` is that of day, month and year in numbers."""
    literal = string_value(node)
    if literal is not None:
        found = read_moment(literal, order)
        otherwise = exp.Null() if safe else raised("moment")
        return cast(otherwise if found is None else text(found), "TIMESTAMP")
    trimmed = let(call("trim", node), _pointed)
    return let(trimmed, lambda it: _read(it, order, safe=safe))


def _pointed(it: Node) -> Node:
    """Return a text with its thousandths of a second behind a point: 10:00:00:5 is 10:00:00.005."""
    parts = [call("regexp_extract", it.copy(), text(THOUSANDTHS), number(at)) for at in (1, 2, 3)]
    digits = call("lpad", parts[1], number(3), text("0"))
    made = call("concat", parts[0], text("."), digits, parts[2])
    whole = call("regexp_extract", it.copy(), text(THOUSANDTHS))
    found = call("regexp_matches", it.copy(), text(THOUSANDTHS))
    return when(found, call("replace", it.copy(), whole, made), it.copy())


def read_moment(written: str, order: str = "mdy") -> str | None:
    """Return a literal in the form that every engine reads, or None if it is no moment."""
    written = re.sub(THOUSANDTHS, lambda it: f"{it[1]}.{it[2]:0>3}{it[3]}", written.strip())
    if not written:
        return "1900-01-01 00:00:00"
    for form, shape in FORMS[order]:
        found = re.fullmatch(form, written, re.ASCII)
        if found:
            return _checked(found.expand(shape))
    return _spelt_out(" ".join(written.split())) if order == "mdy" else None


def _checked(iso: str) -> str | None:
    """Return a moment with all its digits, or None if there is no such day or time."""
    date, _, clock = iso.replace("T", " ").partition(" ")
    whole, _, fraction = clock.partition(".")
    times = (*(int(part) for part in whole.split(":") if part), 0, 0, 0)[:3]
    try:
        made = datetime(*(int(part) for part in date.split("-")), *times)  # type: ignore[arg-type]
    except ValueError:
        return None
    return f"{made:%Y-%m-%d %H:%M:%S}".rjust(19, "0") + (f".{fraction[:6]}" if fraction else "")


def _spelt_out(written: str) -> str | None:
    for form in (*NAMED, *HALVES):
        try:
            return datetime.strptime(written, form).isoformat(" ")
        except ValueError:
            continue
    return None


def _read(it: Node, order: str, *, safe: bool) -> Node:
    branches = [exp.If(this=exp.EQ(this=it.copy(), expression=text("")), true=text("1900-01-01"))]
    for form, shape in FORMS[order]:
        matches = call("regexp_full_match", it.copy(), text(form))
        made = call("regexp_replace", it.copy(), text(f"^{form}$"), text(shape))
        branches.append(exp.If(this=matches, true=made))
    if order == "mdy":
        forms = call("list_value", *(text(form) for form in (*NAMED, *HALVES)))
        spelt = cast(call("try_strptime", it.copy(), forms), "VARCHAR")
        has_letters = call("regexp_full_match", it.copy(), text(LETTERS))
        branches.append(exp.If(this=has_letters, true=spelt))
    read = try_cast(exp.Case(ifs=branches), "TIMESTAMP")
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
