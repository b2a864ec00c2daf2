"""What is compared becomes one type first, the one of higher precedence."""

from collections.abc import Sequence

from sqlglot import exp

from moviegraph.engines.translation.blanks import trimmed
from moviegraph.engines.translation.conversions import NUMBERS, PADDED, implicit, padded
from moviegraph.engines.translation.nodes import Node
from moviegraph.sql.types import TEXTS, UNKNOWN, SqlType, merge_types, sql_type

QUANTIFIED = (exp.Any, exp.All)


def sides(given: Sequence[Node], made: Sequence[Node]) -> list[Node]:
    """Return the translated sides of a comparison in one type, without trailing blanks."""
    target = merge_types([sql_type(each) for each in given])
    return [compared(one, other, target) for one, other in zip(given, made, strict=True)]


def compared(given: Node, made: Node, target: SqlType) -> Node:
    """Return one translated side of a comparison; numbers DuckDB compares itself, but no BIT."""
    if isinstance(given, QUANTIFIED):
        return made
    if target.name in TEXTS:
        return trimmed(given, made)
    kind = sql_type(given)
    numbers = kind.name in NUMBERS and target.name in NUMBERS
    if numbers and (kind.name != "BIT" or target.name == "BIT"):
        return made
    return implicit(made, kind, target)


def merged(given: Sequence[Node], made: Sequence[Node]) -> list[Node]:
    """Return translated values that end in one column or result, in the type of that."""
    kinds = [sql_type(each) for each in given]
    target = merge_types(kinds)
    return [_as_result(node, kind, target) for node, kind in zip(made, kinds, strict=True)]


def _as_result(node: Node, kind: SqlType, target: SqlType) -> Node:
    made = implicit(node, kind, target)
    filled = target.name in PADDED and target.size > 0 and kind not in (target, UNKNOWN)
    return padded(made, target.size) if filled else made
