"""Rules of text on the embedded engine, where DuckDB and SQL Server differ.

1. Trailing spaces: SQL Server compares and groups texts without them, DuckDB with them. A text
   that may have some is compared by RTRIM: `x + ' ' = 'a'` -> `rtrim(x || ' ') = 'a'`. Stored
   texts have none since loading, and `may_trail` spares them the call, which costs time per row.
2. Collation: equality ignores case by NOCASE, the default of the connection; an order also needs
   that of a dictionary: `ORDER BY m.Name` -> `ORDER BY (m.Name) COLLATE NOCASE.en`.
3. Length: a result that is not of a MAX type has 8,000 bytes in SQL Server, which cuts the rest
   without a word. `max_length` computes from the types how long a value can be, and only a longer
   one is checked at run time: `tsql_limited(value, 4000, 'long_text')` fails instead of cutting.
4. Answers: `cut_outputs` shortens texts of a MAX type in DuckDB, before they reach Python.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sqlglot import exp

from moviegraph.engines.duckdb.expressions import (
    Node,
    call,
    column,
    enclose,
    macro,
    number,
    table_alias,
    text,
    unsupported,
)
from moviegraph.engines.duckdb.plan import LENGTH_PARAMETER
from moviegraph.errors import ExecutionError
from moviegraph.sql.decision import Allowed
from moviegraph.sql.syntax_tree import TEXTS, SqlType, annotations, string_value, whole_number
from moviegraph.sql.types import MAX, MAX_TEXT_BYTES, max_characters, result_types, sql_type

# Functions of which no result ends with a space, and those of which one does only if an argument
# did. A function in neither is trimmed, which costs time but is never wrong.
TRIMMED = frozenset({"__RTRIM", "__TRIM", "__DATENAME"})
KEEPING = frozenset(
    {
        *("__UPPER", "__LOWER", "__LTRIM", "__MIN", "__MAX", "__COALESCE", "__ISNULL", "__NULLIF"),
        *("__FIRST_VALUE", "__LAST_VALUE", "__LAG", "__LEAD"),
    }
)


def may_trail(judged: Node) -> bool:
    """Return whether the value of a validated expression may be a text with trailing spaces.

    Stored texts lost theirs when they were loaded.
    """
    if sql_type(judged).name not in TEXTS:
        return False
    plain = judged.unnest()
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
        return any(may_trail(item) for item in plain.expressions)
    if isinstance(plain, exp.Select):
        return may_trail(plain.expressions[0])
    if isinstance(plain, exp.Case):
        results = [branch.args["true"] for branch in plain.args["ifs"]]
        return any(may_trail(result) for result in [*results, plain.args.get("default")] if result)
    return True


def trim_spaces(judged: Node, translated: Node) -> Node:
    """Return a translated expression without trailing spaces, where it may have any."""
    if not may_trail(judged):
        return translated
    if isinstance(translated, exp.Literal):
        return text(translated.name.rstrip(" "))
    return call("rtrim", translated, text(" "))


def group_texts(select: exp.Select) -> list[Node]:
    """Return the texts that a SELECT groups by, or that its DISTINCT compares."""
    keys: list[Node] = []
    group = select.args.get("group")
    if group is not None:
        keys += [item for part in group.args.values() for item in _listed(part)]
    if select.args.get("distinct"):
        items = (item.this if isinstance(item, exp.Alias) else item for item in select.expressions)
        keys += items
    return [item for item in keys if may_trail(item)]


def _listed(part: Any) -> Iterable[Node]:
    """Return the expressions in a part of GROUP BY: a list, ROLLUP, CUBE, GROUPING SETS."""
    if isinstance(part, list):
        for item in cast("list[Any]", part):
            yield from _listed(item)
    elif isinstance(part, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple):
        yield from _listed(part.expressions)
    elif isinstance(part, exp.Expr):
        yield part.unnest()


def is_same(left: Node, right: Node) -> bool:
    """Return whether two validated expressions are the same, however columns are written."""
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        return (annotations(left).alias, left.name) == (annotations(right).alias, right.name)
    return type(left) is type(right) and left == right


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


def with_collation(translated: Node, name: str = DEFAULT) -> Node:
    """Return a translated text under one of DuckDB's collations."""
    return exp.Paren(this=exp.Collate(this=enclose(translated), expression=exp.Var(this=name)))


def sort_value(judged: Node, translated: Node) -> Node:
    """Return a translated value so that it sorts as a dictionary does, if it is a text."""
    if sql_type(judged).name not in TEXTS or judged.find(exp.Collate) is not None:
        return translated
    return with_collation(translated)


def named_collation(node: Node) -> str:
    """Return the collation that a validated expression names, or the default."""
    collate = node.find(exp.Collate)
    return DEFAULT if collate is None else collation(collate.expression.name)


def check_agreement(judged: Iterable[Node]) -> None:
    """Refuse to compare texts that name different collations.

    Raises:
        ExecutionError: Two of the texts do.
    """
    plain = [argument.unnest() for argument in judged]
    names = {side.expression.name.lower() for side in plain if isinstance(side, exp.Collate)}
    if len(names) > 1:
        raise ExecutionError(
            "Cannot resolve the collation conflict between two texts.",
            code="conversion_failed",
            hint="Name one collation for both sides.",
        )


def check_searched(name: str, judged: tuple[Node, ...]) -> None:
    """Refuse to search under a different collation than that of the data.

    Raises:
        ExecutionError: One of the arguments names such a collation.
    """
    if name in SEARCHING and any(named_collation(argument) != DEFAULT for argument in judged):
        raise unsupported(f"{name} under that collation", "Drop COLLATE, or compare with LIKE.")


SHOWN = 60  # characters of a number or a timestamp as text: DECIMAL has 40, DATETIME2 27
ENDLESS = 2**31  # characters of NVARCHAR(MAX), 2 GB
# Characters of the results of functions that are short whatever their arguments are.
SHORT = {"CHAR": 1, "NCHAR": 2, "DATENAME": 30}
PARTS = ("LEFT", "RIGHT", "SUBSTRING")


def max_length(judged: Node) -> int:
    """Return how many characters a validated value has at most as a text, by its declared types.

    `m.Name + 'ab'` with NVARCHAR(200) -> 202; `REPLACE(m.Name, 'a', 'bcd')` -> 600.
    """
    plain = judged.unnest()
    max_text = annotations(plain).max_text
    if max_text is None:
        max_text = annotations(plain).max_text = _longest(plain, sql_type(plain))
    return max_text


def _longest(plain: Node, kind: SqlType) -> int:
    if isinstance(plain, exp.Null):
        return 0
    if kind.name not in TEXTS:
        return SHOWN if kind.name != "UNKNOWN" else MAX_TEXT_BYTES
    if kind.size == MAX:
        return ENDLESS
    max_chars = max_characters(kind.name)
    if kind.size > 0:
        return min(kind.size, max_chars)
    if isinstance(plain, exp.Add):
        return min(max_length(plain.this) + max_length(plain.expression), max_chars)
    if not isinstance(plain, exp.Anonymous):
        return max_chars
    return min(function_length(plain.name[2:], plain.expressions), max_chars)


def function_length(name: str, judged: Sequence[Node]) -> int:
    """Return the maximum characters of the text that a function returns."""
    if name == "CONCAT":
        return sum(map(max_length, judged))
    if name == "CONCAT_WS":
        return max_length(judged[0]) * (len(judged) - 2) + sum(map(max_length, judged[1:]))
    if name == "STUFF":
        return max_length(judged[0]) + max_length(judged[3])
    if name == "REPLACE":
        pattern = len(string_value(judged[1]) or "") or 1
        return max(max_length(judged[0]), max_length(judged[0]) * max_length(judged[2]) // pattern)
    if name in PARTS:
        part_length = whole_number(judged[-1])
        return (
            max_length(judged[0])
            if part_length is None
            else min(part_length, max_length(judged[0]))
        )
    return SHORT.get(name, MAX_TEXT_BYTES)


def limit_length(value: Node, kind: SqlType, max_chars: int, failure: str = "long_text") -> Node:
    """Return a translated text that fails where it is longer than its type can be.

    Args:
        value: The translated text.
        kind: Its type.
        max_chars: Maximum characters of its parts.
        failure: The code of the error.
    """
    longest_of_kind = max_characters(kind.name)
    if kind.size == MAX or max_chars <= longest_of_kind:
        return value
    return macro("limited", value, number(longest_of_kind), text(failure))


ANSWER = "__answer"


def cut_outputs(tree: Node, judged: exp.Query, allowed: Allowed) -> exp.Select | None:
    """Return a translated statement with $longest characters of each text that it makes.

    None where it makes no text of a MAX type: stored texts have a length that loading bounds.
    `judged` is the tree of the statement, which `allowed` would return only by validating again.
    """
    long = _computed_texts(judged, allowed)
    if not any(long):
        return None
    names = [f"__c{at}" for at in range(len(long))]
    cells = [
        call("left", column(ANSWER, name), exp.Var(this=f"${LENGTH_PARAMETER}"))
        if is_long
        else column(ANSWER, name)
        for name, is_long in zip(names, long, strict=True)
    ]
    source = exp.Subquery(this=tree, alias=table_alias(ANSWER, *names))
    return exp.Select(expressions=cells, from_=exp.From(this=source))


def _computed_texts(judged: exp.Query, allowed: Allowed) -> list[bool]:
    """Return for each column whether it is a text of a MAX type that is not stored."""
    if allowed.json:
        return [True]
    kinds = result_types(judged)
    return [
        kind.name in TEXTS and kind.size == MAX and output.column is None
        for kind, output in zip(kinds, allowed.outputs, strict=True)
    ]
