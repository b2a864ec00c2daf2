"""Maximum lengths of text that a statement makes."""

from collections.abc import Sequence

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    call,
    column,
    number,
    string_value,
    whole_number,
)
from moviegraph.sql.decision import Allowed
from moviegraph.sql.syntax_tree import annotations
from moviegraph.sql.types import (
    MAX,
    MAX_TEXT_BYTES,
    TEXTS,
    SqlType,
    max_characters,
    result_types,
    sql_type,
)

SHOWN = 60  # characters of a number or a moment as text
ENDLESS = 2**31
SHORT = {"CHAR": 1, "NCHAR": 2, "DATENAME": 30, "QUOTENAME": 258, "SOUNDEX": 4}
PARTS = ("LEFT", "RIGHT", "SUBSTRING")


def longest(given: Node) -> int:
    """Return how many characters a judged value has at most as a text, by its declared types."""
    plain = given.unnest()
    known = annotations(plain).max_text
    if known is None:
        known = annotations(plain).max_text = _longest(plain, sql_type(plain))
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


LONGEST = "longest"
ANSWER = "__answer"


def cut_outputs(tree: Node, judged: exp.Query, allowed: Allowed) -> exp.Select | None:
    """Return a translated statement with $longest characters of each text that it makes.

    None where it makes no text of a MAX type: stored texts have a length that loading bounds.
    `judged` is the tree of the statement, which `allowed` would judge anew to give it again.
    """
    long = _made(judged, allowed)
    if not any(long):
        return None
    names = [f"__c{at}" for at in range(len(long))]
    cells = [
        call("left", column(ANSWER, name), exp.Var(this=f"${LONGEST}"))
        if is_long
        else column(ANSWER, name)
        for name, is_long in zip(names, long, strict=True)
    ]
    alias = exp.TableAlias(this=_quoted(ANSWER), columns=[_quoted(name) for name in names])
    return exp.Select(expressions=cells, from_=exp.From(this=exp.Subquery(this=tree, alias=alias)))


def _made(judged: exp.Query, allowed: Allowed) -> list[bool]:
    """Tell of each column whether it is a text of a MAX type that is not stored."""
    if allowed.json:
        return [True]
    kinds = result_types(judged)
    return [
        kind.name in TEXTS and kind.size == MAX and output.column is None
        for kind, output in zip(kinds, allowed.outputs, strict=True)
    ]


def _quoted(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=True)
