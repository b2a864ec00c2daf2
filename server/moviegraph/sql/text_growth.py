"""Bounds for texts that functions make longer, for patterns and for functions that split rows.

The counts of REPLICATE and SPACE are bounded in function_checks.py.
"""

from collections.abc import Iterator

from sqlglot import exp

from moviegraph.sql.decision import RefusalError
from moviegraph.sql.joins import items_of
from moviegraph.sql.syntax_tree import annotations, children, nodes, nodes_of
from moviegraph.sql.types import MAX, TEXTS, sql_type

MAX_CHARS = 2**30 - 1  # of NVARCHAR(MAX)
LONG_TEXT = 10_000  # taken for a text of a MAX type, such as Content
OTHER_VALUE = 40  # taken for numbers and dates
GROUPED_ROWS = 1_000  # taken for what one STRING_AGG or FOR JSON joins
MAX_WILDCARDS = 20
MAX_SPLITS = 2
JOINING = frozenset({"__CONCAT", "__CONCAT_WS", "__STUFF"})
REPLACING = frozenset({"__REPLACE", "__REGEXP_REPLACE"})
SPLITTING = frozenset({"__STRING_SPLIT"})
GROWING = ("REPLACE", "STRING_AGG", "CONCAT", "+", "|", "STUFF", "JSON")


def check_growth(tree: exp.Query, sql: str) -> None:
    """Refuse texts, patterns and splits that could grow without bound. Raises RefusalError.

    Args:
        tree: The resolved statement.
        sql: Its text, which says at once that most statements have nothing to bound.
    """
    upper_sql = sql.upper()
    if sum(map(upper_sql.count, GROWING)) > 1:
        _TextLengths().check(tree)
    if upper_sql.count("%") > MAX_WILDCARDS or ("REPLICATE" in upper_sql and "%" in upper_sql):
        _check_patterns(tree)
    if upper_sql.count("STRING_SPLIT") + upper_sql.count("OPENJSON") > MAX_SPLITS:
        for select in nodes_of(tree, exp.Select):
            _check_splits(select)


class _TextLengths:
    """The most characters that texts could have; columns of derived tables count by their name."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._known: dict[int, int] = {}

    def check(self, tree: exp.Query) -> None:
        """Check every expression, inner SELECTs first."""
        for select in _inner_first(tree):
            for item in select.expressions:
                name = item.alias_or_name.lower()
                self._columns[name] = max(self._columns.get(name, 0), self.of(item.unalias()))
        for node in nodes(tree):
            if isinstance(node, exp.Anonymous | exp.Add | exp.WithinGroup):
                self.of(node)

    def of(self, node: exp.Expr) -> int:
        """Return the most characters of a value. Raises RefusalError."""
        if id(node) not in self._known:
            length = self._length(node)
            if length > MAX_CHARS:
                raise RefusalError(
                    "too_large",
                    "A text could grow beyond the 2 GB of NVARCHAR(MAX): text functions are nested "
                    "over long texts. Shorten what goes in, as in LEFT(x, 200).",
                )
            self._known[id(node)] = length
        return self._known[id(node)]

    def _length(self, node: exp.Expr) -> int:
        if isinstance(node, exp.Literal | exp.National):
            return len(node.name)
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Select):
            return self._selected(node)
        if isinstance(node, exp.Cast | exp.TryCast):
            size = sql_type(node).size
            return self.of(node.this) if size == MAX else size or OTHER_VALUE
        if isinstance(node, exp.Anonymous):
            return self._function(node)
        if isinstance(node, exp.Binary) and sql_type(node).name not in (*TEXTS, "UNKNOWN"):
            return OTHER_VALUE  # a long chain of numbers; functions in it are checked by themselves
        return self._joined(node)

    def _column(self, column: exp.Column) -> int:
        declared = sql_type(column)
        if annotations(column).lineage[0] is None and column.name.lower() in self._columns:
            return self._columns[column.name.lower()]
        if declared.name not in TEXTS:
            return OTHER_VALUE
        return declared.size if declared.size > 0 else LONG_TEXT

    def _selected(self, select: exp.Select) -> int:
        lengths = [self.of(item.unalias()) for item in select.expressions]
        if select.args.get("for_") is None:
            return max(lengths, default=0)
        return (sum(lengths) + OTHER_VALUE) * GROUPED_ROWS

    def _function(self, call: exp.Anonymous) -> int:
        lengths = [self.of(argument) for argument in call.expressions]
        if call.name in JOINING:
            return sum(lengths)
        if call.name in REPLACING and len(lengths) == 3:
            return lengths[0] * max(1, lengths[2])
        if call.name == "__STRING_AGG":
            return sum(lengths) * GROUPED_ROWS
        if call.name in ("__LEFT", "__RIGHT", "__SUBSTRING"):
            count = call.expressions[-1].name
            return min(lengths[0], int(count)) if count.isdigit() else lengths[0]
        if call.name in ("__REPLICATE", "__SPACE"):
            count = call.expressions[-1].name
            return max(1, lengths[0]) * int(count) if count.isdigit() else OTHER_VALUE
        return max([OTHER_VALUE, *lengths])

    def _joined(self, node: exp.Expr) -> int:
        lengths = [self.of(child) for child in children(node)]
        return sum(lengths) if isinstance(node, exp.Add) else max(lengths, default=0)


def _inner_first(node: exp.Expr) -> Iterator[exp.Select]:
    """Yield every SELECT after those that it reads: CTEs in their order, then derived tables."""
    clause = node.args.get("with_")
    below = [clause] if clause is not None else []
    for child in [*below, *(part for part in children(node) if part is not clause)]:
        yield from _inner_first(child)
    if isinstance(node, exp.Select):
        yield node


def _check_patterns(tree: exp.Query) -> None:
    for node in nodes(tree):
        pattern = None
        if isinstance(node, exp.Like):
            pattern = node.expression
        elif isinstance(node, exp.Anonymous) and node.name == "__PATINDEX":
            pattern = node.expressions[0]
        if pattern is not None and _wildcards(pattern) > MAX_WILDCARDS:
            raise RefusalError(
                "too_large",
                f"A pattern holds at most {MAX_WILDCARDS} wildcards %; search words with CONTAINS.",
            )


def _wildcards(pattern: exp.Expr) -> int:
    if isinstance(pattern, exp.Literal | exp.National):
        return pattern.name.count("%")
    wildcards = sum(map(_wildcards, children(pattern)))
    if isinstance(pattern, exp.Anonymous) and pattern.name == "__REPLICATE":
        count = pattern.expressions[-1].name
        return wildcards * int(count) if count.isdigit() else wildcards
    return wildcards


def _check_splits(select: exp.Select) -> None:
    """Refuse more than two functions of one FROM that split values apart from each other."""
    calls = [item for item in items_of(select) if _splits(item.this)]
    names = {item.alias.lower() for item in calls}
    apart = [item for item in calls if not _aliases(item.this) & names]
    if len(apart) > MAX_SPLITS:
        raise RefusalError(
            "too_large",
            f"One FROM splits at most {MAX_SPLITS} values apart from each other, for their pieces "
            "multiply; split them in SELECTs of their own.",
        )


def _splits(call: exp.Expr) -> bool:
    return isinstance(call, exp.OpenJSON) or (
        isinstance(call, exp.Anonymous) and call.name in SPLITTING
    )


def _aliases(node: exp.Expr) -> set[str]:
    return {annotations(column).alias.lower() for column in nodes_of(node, exp.Column)}
