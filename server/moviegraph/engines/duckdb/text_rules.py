"""Collation, spaces at the end and maximum length of text."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    call,
    column,
    enclosed,
    macro,
    number,
    string_value,
    table_alias,
    text,
    unsupported,
    whole_number,
)
from moviegraph.errors import ExecutionError
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

TRIMMED = frozenset({"__RTRIM", "__TRIM", "__SOUNDEX", "__DATENAME"})
KEEPING = frozenset(
    {
        *("__UPPER", "__LOWER", "__LTRIM", "__MIN", "__MAX", "__COALESCE", "__ISNULL", "__NULLIF"),
        *("__FIRST_VALUE", "__LAST_VALUE", "__LAG", "__LEAD"),
    }
)


def may_trail(given: Node) -> bool:
    """Whether the value of a judged expression may be a text with blanks at its end.

    Stored texts lost theirs when they were loaded.
    """
    if sql_type(given).name not in TEXTS:
        return False
    plain = given.unnest()
    while isinstance(plain, exp.Collate | exp.Alias):
        plain = plain.this.unnest()
    if isinstance(plain, exp.Column):
        stored = annotations(plain).table or annotations(plain).lineage[0]
        return not stored and bool(annotations(plain).alias)
    if isinstance(plain, exp.Literal | exp.National):
        return str(plain.this).endswith(" ")
    if isinstance(plain, exp.Anonymous) and plain.name in TRIMMED:
        return False
    if isinstance(plain, exp.Anonymous) and plain.name in KEEPING:
        return any(may_trail(each) for each in plain.expressions)
    if isinstance(plain, exp.Select):
        return may_trail(plain.expressions[0])
    if isinstance(plain, exp.Case):
        results = [branch.args["true"] for branch in plain.args["ifs"]]
        return any(may_trail(each) for each in [*results, plain.args.get("default")] if each)
    return True


def trimmed(given: Node, made: Node) -> Node:
    """Return a translated expression without blanks at its end, where it may have any."""
    if not may_trail(given):
        return made
    if isinstance(made, exp.Literal):
        return text(made.name.rstrip(" "))
    return call("rtrim", made, text(" "))


def grouped(select: exp.Select) -> list[Node]:
    """Return the texts that a SELECT groups by, or that its DISTINCT tells apart."""
    found: list[Node] = []
    group = select.args.get("group")
    if group is not None:
        found += [each for part in group.args.values() for each in _listed(part)]
    if select.args.get("distinct"):
        items = (item.this if isinstance(item, exp.Alias) else item for item in select.expressions)
        found += items
    return [each for each in found if may_trail(each)]


def _listed(part: Any) -> Iterable[Node]:
    """Return the expressions in a part of GROUP BY: a list, ROLLUP, CUBE, GROUPING SETS."""
    if isinstance(part, list):
        for each in cast("list[Any]", part):
            yield from _listed(each)
    elif isinstance(part, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple):
        yield from _listed(part.expressions)
    elif isinstance(part, exp.Expr):
        yield part.unnest()


def is_same(left: Node, right: Node) -> bool:
    """Whether two judged expressions are the same; of columns, however they are written."""
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        return (annotations(left).alias, left.name) == (annotations(right).alias, right.name)
    return type(left) is type(right) and left == right


EQUAL = "NOCASE"  # tells the same texts apart as DEFAULT, at less cost
DEFAULT = "NOCASE.en"
BINARY = '"C"'
SENSITIVE = {
    "CI_AS": DEFAULT,
    "CI_AI": "NOCASE.NOACCENT.en",
    "CS_AS": "en",
    "CS_AI": "NOACCENT.en",
}
# Functions that search a text; they know the collation of the data only.
SEARCHING = frozenset({"CHARINDEX", "PATINDEX", "REPLACE", "TRANSLATE", "STRING_SPLIT"})


def collation(name: str) -> str:
    """Return DuckDB's collation for one of SQL Server."""
    if name.upper().endswith(("_BIN", "_BIN2")):
        return BINARY
    return SENSITIVE.get(name.upper()[-5:], DEFAULT)


def collated(made: Node, name: str = DEFAULT) -> Node:
    """Return a translated text under one of DuckDB's collations."""
    return exp.Paren(this=exp.Collate(this=enclosed(made), expression=exp.Var(this=name)))


def sortable(given: Node, made: Node) -> Node:
    """Return a translated value so that it sorts as a dictionary does, if it is a text."""
    if sql_type(given).name not in TEXTS or given.find(exp.Collate) is not None:
        return made
    return collated(made)


def explicit(node: Node) -> str:
    """Return the collation that a judged expression names, or the default."""
    found = node.find(exp.Collate)
    return DEFAULT if found is None else collation(found.expression.name)


def check_agreement(given: Iterable[Node]) -> None:
    """Refuse to compare texts that name different collations.

    Raises:
        ExecutionError: Two of the texts do.
    """
    plain = [each.unnest() for each in given]
    names = {each.expression.name.lower() for each in plain if isinstance(each, exp.Collate)}
    if len(names) > 1:
        raise ExecutionError(
            "Cannot resolve the collation conflict between two texts.",
            code="conversion_failed",
            hint="Name one collation for both sides.",
        )


def check_searched(name: str, given: tuple[Node, ...]) -> None:
    """Refuse to search under another collation than that of the data.

    Raises:
        ExecutionError: One of the arguments names such a collation.
    """
    if name in SEARCHING and any(explicit(each) != DEFAULT for each in given):
        raise unsupported(f"{name} under that collation", "Drop COLLATE, or compare with LIKE.")


SHOWN = 60  # characters of a number or a moment as text
ENDLESS = 2**31
SHORT = {"CHAR": 1, "NCHAR": 2, "DATENAME": 30}
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


def limited(made: Node, kind: SqlType, most: int, failure: str = "long_text") -> Node:
    """Return a translated text that fails where it is longer than its type can be.

    Args:
        made: The translated text.
        kind: Its type.
        most: How many characters its parts have at most.
        failure: The code of the error.
    """
    longest_of_kind = max_characters(kind.name)
    if kind.size == MAX or most <= longest_of_kind:
        return made
    return macro("limited", made, number(longest_of_kind), text(failure))


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
    source = exp.Subquery(this=tree, alias=table_alias(ANSWER, *names))
    return exp.Select(expressions=cells, from_=exp.From(this=source))


def _made(judged: exp.Query, allowed: Allowed) -> list[bool]:
    """Tell of each column whether it is a text of a MAX type that is not stored."""
    if allowed.json:
        return [True]
    kinds = result_types(judged)
    return [
        kind.name in TEXTS and kind.size == MAX and output.column is None
        for kind, output in zip(kinds, allowed.outputs, strict=True)
    ]
