"""LIKE patterns and regular expressions of T-SQL as those of DuckDB."""

import re
from collections.abc import Iterable
from math import prod
from unicodedata import normalize

from sqlglot import exp

from moviegraph.engines.duckdb.collations import BINARY, DEFAULT
from moviegraph.engines.duckdb.expressions import (
    Node,
    binary,
    call,
    cast,
    concatenated,
    enclosed,
    joined,
    let,
    number,
    present,
    raised,
    string_value,
    text,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.function_call import LONGEST_READ, Call, Translation

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


REGEX_FUNCTIONS: dict[str, Translation] = {
    "REGEXP_COUNT": _count,
    "REGEXP_INSTR": _instr,
    "REGEXP_LIKE": _like,
    "REGEXP_REPLACE": _replace,
    "REGEXP_SUBSTR": _substr,
}


PIECE = re.compile(r"\[(\^?)([^\]]*)\]|.", re.DOTALL)
RANGE = re.compile(r"(.)-(.)", re.DOTALL)
Rank = tuple[str, str, bool]
SPECIAL = re.compile(r"([\\\[\]&~|^-])")


def like(
    subject: Node,
    pattern: Node,
    literal: str | None,
    escape: str | None,
    collation: str,
    *,
    padded: bool,
) -> Node:
    """Return the condition; a pattern that ends with an escape character matches nothing.

    Args:
        subject: The text, translated.
        pattern: The pattern, translated.
        literal: The pattern, where it is a literal.
        escape: The escape character, if any.
        collation: That of the comparison.
        padded: Whether the text may have blanks at its end that do not count.
    """
    if escape is None:
        return _matched(subject, pattern, literal, escape, collation, padded=padded)
    nothing = present(subject.copy(), exp.Boolean(this=False))
    if literal is not None and _escapes_nothing(literal, escape):
        return nothing
    made = _matched(subject, pattern, literal, escape, collation, padded=padded)
    if literal is not None:
        return made
    mark = f"\\x{{{ord(escape):X}}}"
    ends = call("regexp_matches", pattern.copy(), text(f"(?s)(^|[^{mark}])({mark}{mark})*{mark}$"))
    return when(ends, nothing, made)


def _escapes_nothing(pattern: str, escape: str) -> bool:
    """Whether an escape character at the end has nothing behind it: in pairs, each is escaped."""
    return (len(pattern) - len(pattern.rstrip(escape))) % 2 == 1


def _matched(
    subject: Node,
    pattern: Node,
    literal: str | None,
    escape: str | None,
    collation: str,
    *,
    padded: bool,
) -> Node:
    """Return the condition; a pattern with brackets becomes a regular expression."""
    flags, blanks = "is" if "NOCASE" in collation else "s", " *" if padded else ""
    bracketed = literal is not None and "[" in literal
    if "NOACCENT" in collation:
        if bracketed:
            raise unsupported("LIKE with brackets that ignores accents", "Write a pattern without.")
        subject, pattern = call("strip_accents", subject), call("strip_accents", pattern)
    if literal is not None and bracketed:
        inner = bracket_regex(literal, escape, collation)
        return call("regexp_matches", subject, text(f"^(?{flags}:{inner}){blanks}$"))
    kind = exp.ILike if "NOCASE" in collation else exp.Like
    made: Node = kind(this=enclosed(subject), expression=enclosed(pattern))
    made = exp.Escape(this=made, expression=text(escape)) if escape else made
    if padded:
        inner = wildcard_regex(pattern.copy(), escape)
        regex = joined(text(f"^(?{flags}:"), inner, text(f"){blanks}$"))
        matches = within_steps(subject, pattern, call("regexp_matches", subject.copy(), regex))
        made = when(call("ends_with", subject.copy(), text(" ")), matches, made)
    if literal is not None:
        return made
    return when(call("contains", pattern.copy(), text("[")), raised("like_brackets"), made)


def within_steps(subject: Node, pattern: Node, made: Node) -> Node:
    """Fail where a pattern has too many wildcards for a text of this length.

    Args:
        subject: The text, translated.
        pattern: The pattern of LIKE, translated.
        made: What matches the two by a regular expression.
    """
    fixed = call("length", call("translate", pattern.copy(), text("%_"), text("")))
    wild = binary(exp.Sub, call("length", pattern.copy()), fixed)
    steps = binary(exp.Mul, wild.copy(), call("length", subject.copy()))
    many = binary(exp.GT, wild, number(SMALL))
    too_many = exp.And(this=many, expression=binary(exp.GT, steps, number(STEPS)))
    return when(too_many, raised("pattern_size"), made)


def wildcard_regex(pattern: Node, escape: str | None = None) -> Node:
    """Return the regular expression of a translated pattern without brackets."""
    inner = call("regexp_escape", pattern)
    for sign, regex in (*_escapes(escape), (r"\%", ".*"), ("%", ".*"), (r"\_", "."), ("_", ".")):
        inner = call("replace", inner, text(sign), text(regex))
    return inner


def _escapes(escape: str | None) -> Iterable[tuple[str, str]]:
    """Yield what an escape character stands before, itself first, and its code."""
    if escape is not None:
        mark = escape if escape.isalnum() or escape == "_" else f"\\{escape}"
        for sign, written in ((escape, mark), ("%", r"\%"), ("_", "_")):
            yield mark + written, f"\\x{{{ord(sign):X}}}"


def is_open(pattern: Node, escape: str | None) -> bool:
    """Whether a judged pattern ends with %, which takes in all blanks at the end of a text."""
    while isinstance(pattern := pattern.unnest(), exp.Add):
        pattern = pattern.expression
    if isinstance(pattern, exp.Anonymous) and pattern.name == "__CONCAT":
        return is_open(pattern.expressions[-1], escape)
    end = string_value(pattern) or ""
    return end.endswith("%") and (escape is None or (len(end) > 1 and end[-2] != escape))


def bracket_regex(pattern: str, escape: str | None = None, collation: str = DEFAULT) -> str:
    """Return the regular expression of a LIKE pattern."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern[at] == escape and at + 1 < len(pattern):
            parts.append(re.escape(pattern[at + 1]))
            at += 2
            continue
        match = PIECE.match(pattern, at)
        assert match is not None
        parts.append(_piece(match, collation))
        at = match.end()
    return "".join(parts)


def _piece(match: re.Match[str], collation: str) -> str:
    whole = match.group()
    if len(whole) == 1:
        return {"%": ".*", "_": "."}.get(whole, re.escape(whole))
    members, at = list[str](), 0
    for each in RANGE.finditer(match.group(2)):
        members += (
            _escaped(match.group(2)[at : each.start()]),
            _range(each[1], each[2], collation),
        )
        at = each.end()
    members.append(_escaped(match.group(2)[at:]))
    return f"[{match.group(1)}{''.join(members)}]" if any(members) else "[^\\x{0}-\\x{10FFFF}]"


def _escaped(members: str) -> str:
    return SPECIAL.sub(r"\\\1", members)


def _range(first: str, last: str, collation: str) -> str:
    """Return the members of a range: between two letters those that sort there."""
    low, high = _rank(first), _rank(last)
    if collation == BINARY or low is None or high is None:
        return f"{_escaped(first)}-{_escaped(last)}" if first <= last else ""
    weights = 2 if "NOCASE" in collation else 3
    ends = low[:weights], high[:weights]
    return "".join(char for char, rank in LETTERS.items() if ends[0] <= rank[:weights] <= ends[1])


def _rank(letter: str) -> Rank | None:
    """Return where a Latin letter sorts: its base letter, its accents, small before large."""
    base, *accents = normalize("NFD", letter)
    small = base.lower()
    return (small, "".join(accents), base != small) if "a" <= small <= "z" else None


LETTERS = {chr(at): rank for at in range(ord("A"), 0x250) if (rank := _rank(chr(at)))}
