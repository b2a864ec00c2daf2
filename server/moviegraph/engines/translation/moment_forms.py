"""The forms in which T-SQL reads a moment from text, in the language us_english.

Each is a regular expression that Python and RE2 read alike, and the shape that it is brought into:
year-month-day and clock. Source:
https://learn.microsoft.com/en-us/sql/t-sql/data-types/datetime-transact-sql
"""

import re
from functools import cache

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
