"""The 8,000 bytes of a text: what makes a longer one is cut, unless its type is a large one."""

from collections.abc import Sequence

from sqlglot import exp

from moviegraph.engines.translation.nodes import Node, call, number, string_value, whole_number
from moviegraph.sql.types import MAX, MAX_TEXT_BYTES, TEXTS, SqlType, max_characters, sql_type

SHOWN = 60  # characters of a number or a moment as text
ENDLESS = 2**31
SHORT = {"CHAR": 1, "NCHAR": 2, "DATENAME": 30, "QUOTENAME": 258, "SOUNDEX": 4}
PARTS = ("LEFT", "RIGHT", "SUBSTRING")


def longest(given: Node) -> int:
    """Return how many characters a judged value has at most as a text, by its declared types."""
    plain = given.unnest()
    known = plain.meta.get("longest")
    if known is None:
        known = plain.meta["longest"] = _longest(plain, sql_type(plain))
    return known


def _longest(plain: Node, kind: SqlType) -> int:
    if isinstance(plain, exp.Null):
        return 0
    if kind.name not in TEXTS:
        return SHOWN if kind.name != "UNKNOWN" else MAX_TEXT_BYTES
    if kind.size == MAX:
        return ENDLESS
    most = max_characters(kind.name)
    if kind.size > 0:
        return min(kind.size, most)
    if isinstance(plain, exp.Add):
        return min(longest(plain.this) + longest(plain.expression), most)
    if not isinstance(plain, exp.Anonymous):
        return most
    return min(made_length(plain.name[2:], plain.expressions), most)


def made_length(name: str, given: Sequence[Node]) -> int:
    """Return how many characters a function that makes a text gives at most."""
    if name == "CONCAT":
        return sum(map(longest, given))
    if name == "CONCAT_WS":
        return longest(given[0]) * (len(given) - 2) + sum(map(longest, given[1:]))
    if name == "STUFF":
        return longest(given[0]) + longest(given[3])
    if name == "REPLACE":
        pattern = len(string_value(given[1]) or "") or 1
        return max(longest(given[0]), longest(given[0]) * longest(given[2]) // pattern)
    if name in PARTS:
        wanted = whole_number(given[-1])
        return longest(given[0]) if wanted is None else min(wanted, longest(given[0]))
    return SHORT.get(name, MAX_TEXT_BYTES)


def exceeds(kind: SqlType, most: int) -> bool:
    """Whether a text of so many characters may be longer than its type can be."""
    return kind.size != MAX and most > max_characters(kind.name)


def cut(made: Node, kind: SqlType, most: int) -> Node:
    """Return a translated text of a type, cut where its parts may make it too long.

    Args:
        made: The translated text.
        kind: Its type.
        most: How many characters its parts have at most.
    """
    return call("left", made, number(max_characters(kind.name))) if exceeds(kind, most) else made
