"""The regular expressions of T-SQL, which are those of RE2, as DuckDB's are.

SQL Server names RE2 as its library; only literal patterns are read, and their syntax is checked
by DuckDB when the statement is planned.
"""

import re
from math import prod

from sqlglot import exp

from moviegraph.engines.translation.calls import LONGEST_READ, Call, Translation
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    cast,
    concatenated,
    let,
    number,
    raised,
    text,
    unsupported,
    when,
)

FLAGS = frozenset("cims")
MOST = 100_000  # characters of one value that a replacement may make
COUNTS = re.compile(r"\{(\d{1,4}),?(\d{0,4})\}")
WIDE = re.compile(r"\[|\.|\\[dDsSwWpP]")
# A group that captures opens with a parenthesis alone; one that is quoted, escaped or in a class is
# part of a longer piece, and so is the opening of any other group.
PIECES = re.compile(
    r"\\Q.*?(?:\\E|\Z)|\\."
    r"|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*(?:\]|\Z)"
    r"|\((?:\?(?!P?<))?",
    re.DOTALL,
)
SMALL = 20  # counted copies and wide characters of a pattern: fewer need no limit
STEPS = 60_000  # characters of a text times the size of a pattern


def _like(given: Call) -> Node:
    return call("regexp_matches", _subject(given, 1), text(_pattern(given, 2)))


def _pattern(given: Call, flags_at: int) -> str:
    pattern = given.literal(1)
    flags = given.literal(flags_at) if len(given) > flags_at else "c"
    if pattern is None or flags is None:
        raise unsupported(
            f"{given.name} with a computed pattern", "Write the pattern as a literal."
        )
    if set(flags.strip()) - FLAGS:
        raise unsupported(f"flag {flags!r} in {given.name}", "Flags are i, c, m and s.")
    last = [flag for flag in flags if flag in "ci"]
    case = "i" if last and last[-1] == "i" else ""
    kept = case + "".join(sorted(set(flags) & set("ms")))
    return f"(?{kept}:{pattern})" if kept else f"(?:{pattern})"


def _whole(given: Call, at: int, default: int, least: int) -> int:
    """Return a literal argument, or the default. Raises ExecutionError."""
    value = given.number(at) if len(given) > at else default
    if value is None or value < least:
        raise unsupported(f"{given.name} with argument {at + 1} computed or below {least}")
    return value


def _subject(given: Call, start: int) -> Node:
    read = given.text(0, LONGEST_READ)
    if start > 1:
        read = call("substring", read, number(start))
    size = pattern_size(given.literal(1) or "")
    if size <= SMALL:
        return read
    # RE2 may walk every copy of `.{0,200}` at every character, and DuckDB looks for an interrupt
    # only between chunks of 2,048 texts.
    too_long = binary(exp.GT, call("length", read.copy()), number(STEPS // size))
    return when(too_long, raised("pattern_size"), read)


def pattern_size(pattern: str) -> int:
    """Return about how many states RE2 may be in at once: wide characters and counted copies."""
    counts = [int(found[2] or found[1]) for found in COUNTS.finditer(pattern)]
    copies = prod(max(each, 1) for each in counts) if "){" in pattern else sum(counts)
    return len(WIDE.findall(pattern)) + copies


def _count(given: Call) -> Node:
    """An empty match counts, too."""
    start = _whole(given, 2, 1, 1)
    found = call("regexp_extract_all", _subject(given, start), text(_pattern(given, 3)))
    return cast(call("len", found), "INT")


def _substr(given: Call) -> Node:
    """NULL where nothing is found."""
    start, which = _whole(given, 2, 1, 1), _whole(given, 3, 1, 1)
    group = _whole(given, 5, 0, 0)
    pattern = text(_pattern(given, 4))
    found = call("regexp_extract_all", _subject(given, start), pattern, number(group))
    return call("list_extract", found, number(which))


def _instr(given: Call) -> Node:
    """Where the first match begins, or where the text goes on behind it; 0 where there is none."""
    start, which, end = _whole(given, 2, 1, 1), _whole(given, 3, 1, 1), _whole(given, 4, 0, 0)
    if which > 1 or end > 1 or _whole(given, 6, 0, 0):
        raise unsupported("REGEXP_INSTR of a later match or of a group", "Use REGEXP_SUBSTR.")
    pattern = _pattern(given, 5)
    return let(_subject(given, start), lambda it: _place(it, pattern, start, end))


def _place(it: Node, pattern: str, start: int, end: int) -> Node:
    before = call("regexp_extract", it.copy(), text(f"(?s)^(.*?){pattern}"), number(1))
    place = binary(exp.Add, call("length", before), number(start))
    if end:
        match = call("regexp_extract", it.copy(), text(pattern))
        place = binary(exp.Add, place, call("length", match))
    matches = call("regexp_matches", it.copy(), text(pattern))
    nothing = when(exp.Not(this=matches), number(0), place)
    return when(exp.Is(this=it.copy(), expression=exp.Null()), exp.Null(), nothing)


def _replace(given: Call) -> Node:
    start, which = _whole(given, 3, 1, 1), _whole(given, 4, 0, 0)
    fresh = given.literal(2) if len(given) > 2 else ""
    if fresh is None:
        raise unsupported("REGEXP_REPLACE with a computed replacement")
    if which > 1:
        raise unsupported("REGEXP_REPLACE of a later match", "Replace the first (1) or all (0).")
    pattern, shape = text(_pattern(given, 5)), text(_replacement(fresh, given.literal(1) or ""))
    options = [text("g")] if which == 0 else []
    longest = number(max(MOST // max(len(fresh), 1), 1))
    subject = call("left", _subject(given, start), longest)
    made = call("regexp_replace", subject, pattern, shape, *options)
    if start > 1:
        made = concatenated(call("left", given.text(0), number(start - 1)), made)
    too_long = binary(exp.GT, call("length", given.text(0)), longest.copy())
    return when(too_long, raised("too_large"), made)


def _group_count(pattern: str) -> int:
    """Return how many groups RE2 captures, named ones too."""
    return sum(found.group() == "(" for found in PIECES.finditer(pattern))


def _replacement(fresh: str, pattern: str) -> str:
    """Write the replacement as RE2 reads it: & is the match, a group that is not there nothing."""
    groups = _group_count(pattern)
    made, at = "", 0
    while at < len(fresh):
        here, after = fresh[at], fresh[at + 1 : at + 2]
        if here == "\\" and after.isdigit() and after != "0":
            made += f"\\{after}" if int(after) <= groups else ""
            at += 2
        elif here == "\\" and after in ("\\", "&"):
            made += "\\\\" if after == "\\" else "&"
            at += 2
        else:
            made += {"&": "\\0", "\\": "\\\\"}.get(here, here)
            at += 1
    return made


REGEXES: dict[str, Translation] = {
    "REGEXP_COUNT": _count,
    "REGEXP_INSTR": _instr,
    "REGEXP_LIKE": _like,
    "REGEXP_REPLACE": _replace,
    "REGEXP_SUBSTR": _substr,
}
