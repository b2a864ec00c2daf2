"""LIKE patterns and regular expressions of T-SQL as those of DuckDB."""

import re
from unicodedata import normalize

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    call,
    cast,
    enclose,
    error_call,
    number,
    text,
    unless_null,
    unsupported,
    when,
)
from moviegraph.engines.duckdb.function_call import FunctionCall, Translation
from moviegraph.engines.duckdb.refusals import REGEX
from moviegraph.engines.duckdb.text_rules import BINARY, DEFAULT
from moviegraph.sql.syntax_tree import string_value


def _regex(args: FunctionCall, defaults: tuple[int, ...] = ()) -> Node:
    """Return the literal pattern with the last argument as its flags, i or c.

    `defaults` are the values that the numbers before the flags may have.
    """
    pattern = args.literal(1)
    flags_at = len(args) - 1 if args.literal(len(args) - 1) is not None else len(args)
    first = 3 if args.name == "REGEXP_REPLACE" else 2
    numbers = [args.number(at) for at in range(first, flags_at)]
    flags = args.literal(flags_at) if first <= flags_at < len(args) else "c"
    if pattern is None or flags not in ("c", "i") or tuple(numbers) != defaults[: len(numbers)]:
        raise REGEX.error(f"{args.name} with these arguments")
    return text(f"(?i:{pattern})" if flags == "i" else f"(?:{pattern})")


def _matches(args: FunctionCall, defaults: tuple[int, ...]) -> Node:
    """Return the list of the matches, empty ones included."""
    return call("regexp_extract_all", args.text(0), _regex(args, defaults))


def _regexp_replace(args: FunctionCall) -> Node:
    fresh = args.literal(2) if len(args) > 2 else ""
    if fresh is None or "\\" in fresh or "&" in fresh:
        raise REGEX.error("REGEXP_REPLACE with a replacement that is computed or has \\ or &")
    return call("regexp_replace", args.text(0), _regex(args, (1, 0)), text(fresh), text("g"))


REGEX_FUNCTIONS: dict[str, Translation] = {
    "REGEXP_COUNT": lambda args: cast(call("len", _matches(args, (1,))), "INT"),
    "REGEXP_LIKE": lambda args: call("regexp_matches", args.text(0), _regex(args)),
    "REGEXP_REPLACE": _regexp_replace,
    "REGEXP_SUBSTR": lambda args: call("list_extract", _matches(args, (1, 1)), number(1)),
}


PIECE = re.compile(r"\[(\^?)([^\]]*)\]|.", re.DOTALL)
RANGE = re.compile(r"(.)-(.)", re.DOTALL)
Rank = tuple[str, str, bool]
SPECIAL = re.compile(r"([\\\[\]&~|^-])")


def like_condition(
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
        padded: Whether the text may have trailing spaces that do not count.
    """
    condition = _matched(subject, pattern, literal, escape, collation, padded=padded)
    if escape is None or (literal is not None and not _escapes_nothing(literal, escape)):
        return condition
    nothing = unless_null(subject.copy(), exp.Boolean(this=False))
    if literal is not None:
        return nothing
    escape_code = f"\\x{{{ord(escape):X}}}"
    ends = call(
        "regexp_matches",
        pattern.copy(),
        text(f"(?s)(^|[^{escape_code}])({escape_code}{escape_code})*{escape_code}$"),
    )
    return when(ends, nothing, condition)


def _escapes_nothing(pattern: str, escape: str) -> bool:
    """Return whether the last escape character escapes nothing: in pairs, each is escaped."""
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
    flags, spaces = "is" if "NOCASE" in collation else "s", " *" if padded else ""
    bracketed = literal is not None and "[" in literal
    if "NOACCENT" in collation:
        if bracketed:
            raise unsupported("LIKE with brackets that ignores accents", "Write a pattern without.")
        subject, pattern = call("strip_accents", subject), call("strip_accents", pattern)
    if literal is not None and bracketed:
        inner = bracket_regex(literal, escape, collation)
        return call("regexp_matches", subject, text(f"^(?{flags}:{inner}){spaces}$"))
    kind = exp.ILike if "NOCASE" in collation else exp.Like
    condition: Node = kind(this=enclose(subject), expression=enclose(pattern))
    condition = exp.Escape(this=condition, expression=text(escape)) if escape else condition
    if padded:
        condition = when(
            call("ends_with", subject.copy(), text(" ")), error_call("like_spaces"), condition
        )
    if literal is not None:
        return condition
    return when(call("contains", pattern.copy(), text("[")), error_call("like_brackets"), condition)


def is_open(pattern: Node, escape: str | None) -> bool:
    """Return whether a validated pattern ends with %, which matches all trailing spaces."""
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
    wildcard = match.group()
    if len(wildcard) == 1:
        return {"%": ".*", "_": "."}.get(wildcard, re.escape(wildcard))
    members, at = list[str](), 0
    for item in RANGE.finditer(match.group(2)):
        members += (
            _escaped(match.group(2)[at : item.start()]),
            _range(item[1], item[2], collation),
        )
        at = item.end()
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
