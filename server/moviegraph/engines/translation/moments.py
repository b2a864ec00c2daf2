"""Reads dates and times from text as T-SQL reads them in the language us_english."""

import re
from datetime import datetime

from sqlglot import exp

from moviegraph.engines.translation.nodes import (
    Node,
    call,
    cast,
    let,
    raised,
    string_value,
    text,
    try_cast,
)
from moviegraph.sql.types import kind_of

CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,7})?)?"
ZONE = r"(?: ?(?:Z|[+-]\d{2}:\d{2}))?"
REST = rf"((?:[ T]{CLOCK})?){ZONE}"
DAY = 86_400_000_000  # microseconds
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
    f"{date} {clock}"
    for date in ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%m-%d-%Y", "%Y%m%d")
    for clock in ("%I:%M %p", "%I:%M%p", "%I:%M:%S %p", "%I:%M:%S%p", "%I %p", "%I%p")
)
YEARS = {"DATETIME": (1753, 9999), "SMALLDATETIME": (1900, 2079)}
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
# Only such texts are tried against the many forms with names.
LETTERS = rf"(?i)(?:\d{{1,4}} )?(?:{MONTHS})[a-z]*,? \d[\d,: ]{{0,20}}(?: ?[ap]m)?|\d.{{3,24}}[ap]m"


def moment_in(node: Node, order: str = "mdy", *, safe: bool = False) -> Node:
    """Return the TIMESTAMP in a text; `order` is that of day, month and year in numbers."""
    literal = string_value(node)
    if literal is not None:
        found = read_moment(literal, order)
        otherwise = exp.Null() if safe else raised("moment")
        return cast(otherwise if found is None else text(found), "TIMESTAMP")
    return let(call("trim", node), lambda it: _read(it, order, safe=safe))


def read_moment(written: str, order: str = "mdy") -> str | None:
    """Return a literal in the form that every engine reads, or None if it is no moment."""
    written = written.strip()
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
    passed = exp.Mul(this=cast(node, "DOUBLE"), expression=_number(DAY))
    shift = call("to_microseconds", cast(call("round", passed), "BIGINT"))
    return exp.Paren(this=exp.Add(this=first_day(), expression=shift))


def first_day() -> Node:
    """Return the moment from which DATETIME counts."""
    return cast(text("1900-01-01"), "TIMESTAMP")


def fraction_digits(node: Node) -> int:
    """Return how many digits of a fraction of a second the type of a moment has."""
    node = node.unnest()
    kind = kind_of(node).name
    if isinstance(node, exp.Cast | exp.TryCast | exp.Convert) and kind in ("DATETIME2", "TIME"):
        target = node.this if isinstance(node, exp.Convert) else node.args["to"]
        return sized(target)
    return 7 if kind in ("DATETIME2", "TIME") else 3


def sized(target: Node) -> int:
    """Return the digits of a fraction that DATETIME2(n) or TIME(n) names; 7 where it does not."""
    sizes = [int(each.this.name) for each in target.expressions if each.this.name.isdigit()]
    return sizes[0] if sizes else 7


def stored(
    moment: Node, kind: str, digits: int = 7, *, safe: bool = False, failure: str = "moment"
) -> Node:
    """Return a TIMESTAMP as precise as its T-SQL type keeps it.

    DATETIME counts in 1/300 of a second, from 1753 on; SMALLDATETIME in minutes, from 1900 on.
    """
    rounded = {"DATETIME": _in_ticks, "SMALLDATETIME": _in_minutes}.get(kind)
    if rounded is not None:
        refused = exp.Null() if safe else raised(failure)
        return let(moment, lambda it: within_years(it, kind, rounded(it), refused))
    return let(moment, lambda it: _rounded(it, 10 ** (6 - digits))) if digits < 6 else moment


def _in_ticks(it: Node) -> Node:
    microseconds = call("epoch_us", it.copy())
    ticks = call(
        "round", exp.Div(this=cast(microseconds, "DOUBLE"), expression=_number(10_000 / 3))
    )
    milliseconds = call("round", exp.Mul(this=exp.Paren(this=ticks), expression=_number(10 / 3)))
    made = exp.Mul(this=cast(milliseconds, "BIGINT"), expression=_number(1000))
    return call("make_timestamp", made)


def _in_minutes(it: Node) -> Node:
    later = exp.Add(this=it.copy(), expression=call("to_microseconds", _number(30_001_000)))
    return call("date_trunc", text("minute"), exp.Paren(this=later))


def _rounded(it: Node, step: int) -> Node:
    microseconds = cast(call("epoch_us", it.copy()), "DOUBLE")
    steps = cast(call("round", exp.Div(this=microseconds, expression=_number(step))), "BIGINT")
    return call("make_timestamp", exp.Mul(this=steps, expression=_number(step)))


def within_years(it: Node, kind: str, made: Node, refused: Node) -> Node:
    """Return what is made of a moment, unless its type does not reach so far."""
    first, last = YEARS.get(kind, (1, 9999))
    year = call("year", it.copy())
    outside = exp.Not(this=exp.Between(this=year, low=_number(first), high=_number(last)))
    return exp.Case(ifs=[exp.If(this=outside, true=refused)], default=made)


def _number(value: float) -> Node:
    return exp.Literal(this=str(value), is_string=False)
