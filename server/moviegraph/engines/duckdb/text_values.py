"""Dates, times and numbers in text: parsing and rendering as T-SQL does, by macros."""

import re
from contextlib import suppress
from datetime import datetime

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import Node, call, cast, macro, number, text, try_cast
from moviegraph.engines.duckdb.refusals import DATE_STYLE, NUMBER_STYLE
from moviegraph.sql.syntax_tree import string_value

DAY = 86_400_000_000  # microseconds
KEPT = 6  # digits of a fraction of a second
CALENDAR = ("0001-01-01", "9999-12-31 23:59:59.999999")
DATETIME_RANGE = ("1753-01-01", CALENDAR[1])
ISO = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d{3})?)?)?|\d{8}", re.ASCII)
EXPONENT = r"e([+-])(\d\d)$"
NUMBER_FORMS = {"DECIMAL": "decimal_in", "DOUBLE": "float_in"}
# Date and time of a style; <d> and <h> are day and hour with a space before one digit, <f> is the
# fraction of the second.
ODBC = "%Y-%m-%d| %H:%M:%S"
STYLES = {
    **dict.fromkeys((0, 100), "%b <d> %Y| <h>:%M%p"),
    **dict.fromkeys((20, 120), ODBC),
    **dict.fromkeys((21, 121), ODBC + ".<f>"),
    23: "%Y-%m-%d|",
    101: "%m/%d/%Y|",
    102: "%Y.%m.%d|",
    103: "%d/%m/%Y|",
    104: "%d.%m.%Y|",
    105: "%d-%m-%Y|",
    106: "%d %b %Y|",
    107: "%b %d, %Y|",
    108: "|%H:%M:%S",
    110: "%m-%d-%Y|",
    111: "%Y/%m/%d|",
    112: "%Y%m%d|",
    126: "%Y-%m-%d|T%H:%M:%S.<f>",
}
ISO_STYLE = 126
ORDERS = {
    **dict.fromkeys((0, 100, 101, 106, 107, 110), "mdy"),
    **dict.fromkeys((103, 104, 105), "dmy"),
    **dict.fromkeys((20, 21, 23, 102, 111, 112, 120, 121, 126), "ymd"),
}


def number_in(node: Node, kind: str, *sizes: int, safe: bool = False) -> Node:
    """Return the number in a text: no fraction or exponent in a whole one; spaces are 0."""
    read = macro(NUMBER_FORMS.get(kind, "whole_in"), node, _failure(kind, safe=safe))
    return (try_cast if safe else cast)(read, kind, *sizes)


def bit_in(node: Node, *, safe: bool = False) -> Node:
    """Return the BIT in a text: TRUE, FALSE, or a number, which is 1 unless it is 0."""
    read = macro("bit_in", node, _failure("INT", safe=safe))
    return cast((try_cast if safe else cast)(read, "INT"), "BOOLEAN")


def _failure(code: str, *, safe: bool) -> Node:
    return cast(exp.Null() if safe else text(code), "VARCHAR")


def moment_in(
    node: Node, order: str = "mdy", *, safe: bool = False, kind: str = "DATETIME2"
) -> Node:
    """Return the TIMESTAMP in a text.

    Args:
        node: The text.
        order: That of day, month and year in numbers.
        safe: Whether a failure returns NULL.
        kind: The T-SQL type that the text becomes.
    """
    literal = string_value(node) or ""
    if ISO.fullmatch(literal) and (order != "dmy" or len(literal) == len("20240506")):
        with suppress(ValueError):  # most literals: binding the macro costs 4 ms
            return cast(text(datetime.fromisoformat(literal).isoformat(" ")), "TIMESTAMP")
    coarse = exp.Boolean(this=kind == "DATETIME")
    return macro(f"date_{order}", node, coarse, _failure("moment", safe=safe))


def day_of(node: Node) -> Node:
    """Return the date and time that a number is in days from 1900 on."""
    return macro("day", node)


def store_timestamp(
    timestamp: Node, kind: str, digits: int = 7, *, safe: bool = False, failure: str = "moment"
) -> Node:
    """Return a TIMESTAMP as precise as its T-SQL type stores it."""
    if kind == "DATETIME":
        return macro("datetime", timestamp, _failure(failure, safe=safe))
    if digits >= KEPT:
        return timestamp
    last = text(f"9999-12-31 23:59:59.{'9' * digits}5")
    return macro("rounded", timestamp, number(10 ** (KEPT - digits)), last)


def check_range(timestamp: Node, kind: str) -> Node:
    """Return a moved TIMESTAMP; it fails where its T-SQL type does not reach so far."""
    bounds = map(text, DATETIME_RANGE if kind == "DATETIME" else CALENDAR)
    return macro("between", timestamp, *bounds, text(f"moved {kind.lower()}"))


def date_text(timestamp: Node, kind: str, style: int | None, digits: int) -> Node:
    """Return a date or time as text.

    Args:
        timestamp: The value, a TIMESTAMP.
        kind: Its T-SQL type.
        style: The style of CONVERT, or None for that of CAST.
        digits: The digits of the fraction of a second that the type has.
    """
    if style is None:
        style = 0 if kind == "DATETIME" else 121
    if style not in STYLES:
        raise DATE_STYLE.error(f"CONVERT style {style} for dates")
    date, _, clock = STYLES[style].partition("|")
    if kind == "DATE":
        clock = ""
    if not date + clock:
        raise DATE_STYLE.error(f"CONVERT style {style} for {kind}")
    form, fraction, _ = (date + clock).partition(".<f>")
    if fraction and digits and style == ISO_STYLE:
        return macro("iso_text", timestamp, text(form), text(fraction), number(digits))
    pattern = form + fraction if digits else form
    if "<" not in pattern:
        return call("strftime", timestamp, text(pattern))
    return macro("date_text", timestamp, text(pattern), number(digits))


def float_text(node: Node, style: int = 0) -> Node:
    """Return a FLOAT as text: six digits, or scientific notation."""
    if style:
        raise NUMBER_STYLE.error(f"CONVERT style {style} for FLOAT")
    digits_text = call("printf", text("%.6g"), node)
    return call("regexp_replace", digits_text, text(EXPONENT), text(r"e\10\2"))
