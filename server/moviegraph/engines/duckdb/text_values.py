"""Dates, times and numbers in text: parsing and rendering as T-SQL does."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    concatenated,
    joined,
    let,
    number,
    raised,
    string_value,
    text,
    try_cast,
    unsupported,
    when,
)

Form = tuple[str, str]
BLANKS = r"[\t-\r ]+"
# Before the forms are tried the name of a month becomes a tab and its number: no other tab is left.
MARKER = "\t"
MINUTE = r"[0-5]\d"
CLOCK = rf"(?:[01]?\d|2[0-3]):{MINUTE}(?::{MINUTE}(?:\.\d{{1,7}})?)?"
COUNTED_CLOCK = CLOCK.replace("{1,7}", "{1,3}")
COUNTED_ISO_CLOCK = rf"(?:[01]?\d|2[0-3]):{MINUTE}:{MINUTE}(?:\.\d{{1,3}})?"
ZONE = r"(?: ?(?:Z|[+-]\d{2}:\d{2}))?"
COUNTED_ZONE = "(?: ?Z)?"
THOUSANDTHS = r"(:\d{2}:\d{2}):(\d{1,3})(\D|$)"  # behind a colon, not a point
LATER = rf"((?::{MINUTE}(?::{MINUTE}(?:\.\d{{1,7}})?)?)?)"  # what follows the hour
HALVES = (
    (rf"(?i)((?:.* )?)(0?\d|1[0-2]){LATER} ?am", 0),
    (rf"(?i)((?:.* )?)(0?[1-9]|1\d|2[0-3]){LATER} ?pm", 12),
)
MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
MONTH_NAMES = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
NAMED = rf"(?i)((?:.* )?)({MONTH_NAMES})((?:[ ,\d].*)?)"
MARK = "[-/.]"
TWO, ONE_OR_TWO, FOUR, YEAR = r"(\d{2})", r"(\d{1,2})", r"(\d{4})", r"(\d{4}|\d{2})"
MONTH = rf"{MARKER}{TWO}"
COMMA = "(?: ?, ?| )"
# Two digits up to 49 are of this century; there is no year 0.
CENTURIES: tuple[Form, ...] = (
    (r"^([0-4]\d)-", r"20\1-"),
    (r"^([5-9]\d)-", r"19\1-"),
    (r"^0000.*$", ""),
)
YEAR_FIRST: Form = (FOUR + MARK + ONE_OR_TWO + MARK + ONE_OR_TWO, r"\1-\2-\3")
COMPACT: Form = (YEAR + TWO + TWO, r"\1-\2-\3")
YEAR_LAST = ONE_OR_TWO + MARK + ONE_OR_TWO + MARK + YEAR
NUMERIC: dict[str, tuple[Form, ...]] = {
    "mdy": (YEAR_FIRST, COMPACT, (YEAR_LAST, r"\3-\1-\2")),
    "dmy": ((YEAR_LAST, r"\3-\2-\1"), COMPACT),
    "ymd": (YEAR_FIRST, COMPACT),
}
ALPHABETICAL: tuple[Form, ...] = (
    (MONTH + COMMA + FOUR, r"\2-\1-01"),
    (MONTH + " " + ONE_OR_TWO + COMMA + YEAR, r"\3-\1-\2"),
    (MONTH + " " + FOUR + " " + ONE_OR_TWO, r"\2-\1-\3"),
    (ONE_OR_TWO + " " + MONTH + " ?,? ?" + YEAR, r"\3-\2-\1"),
    (ONE_OR_TWO + " " + YEAR + " " + MONTH, r"\2-\3-\1"),
    (FOUR + " " + MONTH, r"\1-\2-01"),
    (FOUR + " " + MONTH + " " + ONE_OR_TWO, r"\1-\2-\3"),
    (FOUR + " " + ONE_OR_TWO + " " + MONTH, r"\1-\3-\2"),
)


@cache
def forms(order: str, *, counted: bool) -> tuple[Form, ...]:
    """Return the forms of a moment with day, month and year in an order.

    DATETIME and SMALLDATETIME, which are counted, take three digits of a second at most, and behind
    a T the seconds must be written. Of zones they take Z alone.
    """
    clock = COUNTED_CLOCK if counted else CLOCK
    iso = COUNTED_ISO_CLOCK if counted else CLOCK
    zone = COUNTED_ZONE if counted else ZONE
    numeric = _timed(NUMERIC[order], rf"((?: {clock}|T{iso})?){zone}")
    if order != "mdy":
        return numeric
    bare = ((FOUR, r"\1-01-01"), (f"({clock})", r"1900-01-01 \1"))
    return (*numeric, *bare, *_timed(ALPHABETICAL, f"((?: {clock})?)"))


def _timed(dates: tuple[Form, ...], rest: str) -> tuple[Form, ...]:
    """Return forms of dates with a time of day behind them, which is their last group."""
    return tuple((date + rest, rf"{shape}\{re.compile(date).groups + 1}") for date, shape in dates)


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


# %e and %l are the day and the hour with a blank before one digit, %q the fraction of the second.
ODBC = "%Y-%m-%d| %H:%M:%S"
SHORT_YEARS = {
    1: "%m/%d/%y|",
    2: "%y.%m.%d|",
    3: "%d/%m/%y|",
    4: "%d.%m.%y|",
    5: "%d-%m-%y|",
    6: "%d %b %y|",
    7: "%b %d, %y|",
    8: "|%H:%M:%S",
    10: "%m-%d-%y|",
    11: "%y/%m/%d|",
    12: "%y%m%d|",
    14: "|%H:%M:%S:%q",
    22: "%m/%d/%y| %l:%M:%S %p",
    24: "|%H:%M:%S",
}
WRITTEN = {
    **SHORT_YEARS,
    **{100 + style: form.replace("%y", "%Y") for style, form in SHORT_YEARS.items() if style < 20},
    **dict.fromkeys((0, 100), "%b %e %Y| %l:%M%p"),
    **dict.fromkeys((9, 109), "%b %e %Y| %l:%M:%S:%q%p"),
    **dict.fromkeys((13, 113), "%d %b %Y| %H:%M:%S:%q"),
    **dict.fromkeys((20, 120), ODBC),
    **dict.fromkeys((21, 25, 121), ODBC + ".%q"),
    23: "%Y-%m-%d|",
    **dict.fromkeys((126, 127), "%Y-%m-%d|T%H:%M:%S.%q"),
}
READ = {
    **dict.fromkeys((0, 1, 6, 7, 9, 10, 13, 100, 101, 106, 107, 109, 110, 113), "mdy"),
    **dict.fromkeys((3, 4, 5, 103, 104, 105), "dmy"),
    **dict.fromkeys((12, 20, 21, 23, 25, 102, 111, 112, 120, 121, 126, 127), "ymd"),
}
PIECES = ("%e", "%l", "%q")


def written(moment: Node, kind: str, style: int | None, digits: int) -> Node:
    """Write a moment in a style.

    Args:
        moment: The value, a TIMESTAMP.
        kind: Its T-SQL type.
        style: The style, or None for that of CAST.
        digits: The digits of the fraction of a second that the type has.
    """
    if style is None:
        style = 0 if kind in ("DATETIME", "SMALLDATETIME") else 121
    if style not in WRITTEN:
        raise unsupported(f"CONVERT style {style} for dates")
    date, _, clock = WRITTEN[style].partition("|")
    if kind == "DATE":
        clock = ""
    if kind == "TIME":
        date, clock = "", clock.lstrip(" T")
    if not date + clock:
        raise unsupported(f"CONVERT style {style} for {kind}")
    if style in (126, 127):
        return _iso(moment, date, clock, digits)
    if digits > 3:
        clock = clock.replace(":%q", ".%q")
    return _pieces(moment, date + clock, digits)


def _iso(moment: Node, date: str, clock: str, digits: int) -> Node:
    """In ISO 8601 a fraction of zero is left out."""
    whole = _pieces(moment, date + clock.removesuffix(".%q"), digits)
    if not clock:
        return whole
    empty = exp.EQ(this=call("strftime", moment.copy(), text("%f")), expression=text("000000"))
    full = _pieces(moment, date + clock, digits)
    return exp.Case(ifs=[exp.If(this=empty, true=whole)], default=full)


def _pieces(moment: Node, form: str, digits: int) -> Node:
    if digits == 0:
        form = form.replace(".%q", "").replace(":%q", "")
    parts: list[Node] = []
    plain = ""
    at = 0
    while at < len(form):
        piece = form[at : at + 2]
        if piece in PIECES:
            if plain:
                parts.append(call("strftime", moment.copy(), text(plain)))
            parts.append(_piece(moment, piece, digits))
            plain, at = "", at + 2
        else:
            plain, at = plain + form[at], at + 1
    if plain:
        parts.append(call("strftime", moment.copy(), text(plain)))
    return joined(*parts)


def _piece(moment: Node, piece: str, digits: int) -> Node:
    if piece == "%q":
        return fraction(moment, digits)
    form = {"%e": "%-d", "%l": "%-I"}[piece]
    return call("lpad", call("strftime", moment.copy(), text(form)), number(2), text(" "))


def fraction(moment: Node, digits: int) -> Node:
    """Return the fraction of a second, with as many digits; the seventh is not kept here."""
    six = call("strftime", moment.copy(), text("%f"))
    return joined(six, text("0")) if digits > 6 else call("left", six, number(digits))


def on_first_day(time: Node) -> Node:
    """Return a TIME as a moment of 1 January 1900."""
    return exp.Paren(this=exp.Add(this=cast(text("1900-01-01"), "DATE"), expression=time))


WHOLE = r"\s*([+-]?\d+)?\s*"
EXACT = r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*"
FLOAT = r"\s*([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)?\s*"
FORMS = {
    "UTINYINT": WHOLE,
    "SMALLINT": WHOLE,
    "INT": WHOLE,
    "BIGINT": WHOLE,
    "DECIMAL": EXACT,
    "DOUBLE": FLOAT,
}
SHOWN = 60
MONEY = r"\s*[+-]?\s*[$\x{A3}\x{A5}\x{20AC}]?\s*[+-]?[\d,]*(\.[\d,]*)?\s*"  # no grouping rules
MONEY_MARKS = r"[,\s$\x{A3}\x{A5}\x{20AC}]"
NUMERIC_TEXT = rf"{MONEY}|\s*[+-]?(\d+\.?\d*|\.\d+)([ed][+-]?\d+)?\s*"


def number_in(node: Node, kind: str, *sizes: int, safe: bool = False) -> Node:
    """Return the number in a text: no fraction or exponent in a whole one; blank text is 0."""
    make = try_cast if safe else cast
    if kind not in FORMS:
        return make(node, kind, *sizes)
    filled = call("coalesce", call("nullif", call("trim", node.copy()), text("")), text("0"))
    readable: Node = call("regexp_full_match", node.copy(), text(FORMS[kind]), text("i"))
    if kind == "DOUBLE":
        finite = call("isfinite", try_cast(filled.copy(), kind))
        readable = exp.And(this=readable, expression=finite)
    return when(readable, make(filled, kind, *sizes), None if safe else _refused(node, kind))


def _refused(node: Node, kind: str) -> Node:
    """Fail as DuckDB does, so that `failures` knows it; NULL stays NULL."""
    shown = concatenated(text("Could not convert string '"), call("left", node, number(SHOWN)))
    return call("error", concatenated(shown, text(f"' to {kind}")))


def is_numeric(node: Node) -> Node:
    """Return whether a text is a number of any kind, MONEY and a lone sign among them."""
    blank = exp.EQ(this=call("trim", node.copy()), expression=text(""))
    matches = call("regexp_full_match", node, text(NUMERIC_TEXT), text("i"))
    return exp.And(this=matches, expression=exp.Not(this=blank))


def money_in(node: Node, name: str, *sizes: int, safe: bool = False) -> Node:
    """Return the MONEY in a text, which may have commas and a sign; without digits it is 0."""
    bare = call("regexp_replace", node.copy(), text(MONEY_MARKS), text(""), text("g"))
    has_digits = call("regexp_matches", node.copy(), text(r"\d"))
    filled = when(has_digits, bare, text("0"))
    made = (try_cast if safe else cast)(filled, "DECIMAL", *sizes)
    readable = call("regexp_full_match", node.copy(), text(MONEY))
    return when(readable, made, None if safe else _refused(node, name.lower()))


def bit_in(node: Node, *, safe: bool = False) -> Node:
    """Return the BIT in a text: TRUE, FALSE, or a number, which is 1 unless it is 0."""
    word = call("lower", call("trim", node.copy()))
    branches = [
        exp.If(this=exp.EQ(this=word, expression=text("true")), true=exp.Boolean(this=True)),
        exp.If(
            this=exp.EQ(this=word.copy(), expression=text("false")), true=exp.Boolean(this=False)
        ),
    ]
    return exp.Case(ifs=branches, default=cast(number_in(node, "INT", safe=safe), "BOOLEAN"))


EXPONENT = r"e([+-])(\d\d)$"
FLOAT_STYLES = {0: "%.6g", 1: "%.7e", 2: "%.15e", 3: "%.16e"}


def float_text(node: Node, style: int = 0) -> Node:
    """Return a FLOAT as text: six digits or, in scientific notation, 8, 16 or 17."""
    if style not in FLOAT_STYLES:
        raise unsupported(f"CONVERT style {style} for FLOAT")
    shown = call("printf", text(FLOAT_STYLES[style]), node)
    return call("regexp_replace", shown, text(EXPONENT), text(r"e\10\2"))


def money_text(node: Node, style: int = 0) -> Node:
    """Return MONEY as text: two places, with commas in style 1; four places in style 2."""
    if style in (2, 126):
        return cast(cast(node, "DECIMAL", 19, 4), "VARCHAR")
    if style not in (0, 1):
        raise unsupported(f"CONVERT style {style} for MONEY")
    rounded = cast(cast(node, "DECIMAL", 19, 2), "VARCHAR")
    return _with_commas(rounded) if style else rounded


def _with_commas(shown: Node) -> Node:
    """Put a comma before every three digits: from behind, where the groups begin."""
    whole = call("split_part", shown.copy(), text("."), exp.Literal.number(1))
    places = call("split_part", shown, text("."), exp.Literal.number(2))
    reversed_ = call(
        "regexp_replace", call("reverse", whole), text(r"(\d{3})"), text(r"\1,"), text("g")
    )
    grouped = call("regexp_replace", call("reverse", reversed_), text(r"^(-?),"), text(r"\1"))
    return joined(grouped, text("."), places)
