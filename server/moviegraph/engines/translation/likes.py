"""LIKE under a collation, with T-SQL's bracket classes."""

import re
from collections.abc import Iterable
from unicodedata import normalize

from sqlglot import exp

from moviegraph.engines.translation.collations import BINARY, DEFAULT
from moviegraph.engines.translation.nodes import (
    Node,
    binary,
    call,
    enclosed,
    joined,
    number,
    present,
    raised,
    string_value,
    text,
    unsupported,
    when,
)
from moviegraph.engines.translation.regexes import SMALL, STEPS

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
