"""LIKE under a collation, with T-SQL's bracket classes."""

import re
from unicodedata import normalize

from sqlglot import exp

from moviegraph.engines.translation.collations import BINARY, DEFAULT
from moviegraph.engines.translation.nodes import (
    Node,
    call,
    enclosed,
    raised,
    text,
    unsupported,
    when,
)

PIECE = re.compile(r"\[(\^?)([^\]]*)\]|.", re.DOTALL)
RANGE = re.compile(r"(.)-(.)", re.DOTALL)
Rank = tuple[str, str, bool]
SPECIAL = re.compile(r"([\\\[\]&~|^-])")


def like(
    subject: Node, pattern: Node, literal: str | None, escape: str | None, collation: str
) -> Node:
    """Return the condition; a pattern with brackets becomes a regular expression."""
    cased = "NOCASE" not in collation
    if "NOACCENT" in collation:
        if literal is not None and "[" in literal:
            raise unsupported("LIKE with brackets that ignores accents", "Write a pattern without.")
        subject, pattern = call("strip_accents", subject), call("strip_accents", pattern)
    if literal is not None and "[" in literal:
        flags = "s" if cased else "is"
        return call(
            "regexp_matches",
            subject,
            text(f"^(?{flags}:{bracket_regex(literal, escape, collation)})$"),
        )
    kind = exp.Like if cased else exp.ILike
    made: Node = kind(this=enclosed(subject), expression=enclosed(pattern))
    made = exp.Escape(this=made, expression=text(escape)) if escape else made
    if literal is not None:
        return made
    return when(call("contains", pattern.copy(), text("[")), raised("like_brackets"), made)


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
