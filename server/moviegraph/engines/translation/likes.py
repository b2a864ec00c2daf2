"""LIKE under a collation, with T-SQL's bracket classes."""

import re

from sqlglot import exp

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
SPECIAL = re.compile(r"([\\\[\]&~|])")


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
            "regexp_matches", subject, text(f"^(?{flags}:{bracket_regex(literal, escape)})$")
        )
    kind = exp.Like if cased else exp.ILike
    made: Node = kind(this=enclosed(subject), expression=enclosed(pattern))
    made = exp.Escape(this=made, expression=text(escape)) if escape else made
    if literal is not None:
        return made
    return when(call("contains", pattern.copy(), text("[")), raised("like_brackets"), made)


def bracket_regex(pattern: str, escape: str | None = None) -> str:
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
        parts.append(_piece(match))
        at = match.end()
    return "".join(parts)


def _piece(match: re.Match[str]) -> str:
    whole = match.group()
    if len(whole) > 1:
        negated, members = match.group(1), RANGE.sub(_forward, match.group(2))
        members = SPECIAL.sub(r"\\\1", members)
        return f"[{negated}{members}]" if members else "[^\\x{0}-\\x{10FFFF}]"
    return {"%": ".*", "_": "."}.get(whole, re.escape(whole))


def _forward(match: re.Match[str]) -> str:
    """Return a range that runs forwards, without case as the collation sorts it; else nothing."""
    first, last = match.groups()
    if first > last:
        first, last = first.lower(), last.lower()
    return f"{first}-{last}" if first <= last else ""
