"""Recognises TOP k by distance over one table, of which only the nearest rows need to reach SQL."""

from dataclasses import dataclass

from sqlglot import exp

from moviegraph.engines.translation.aggregates import AGGREGATES
from moviegraph.engines.translation.hops import is_match, where_of
from moviegraph.engines.translation.nodes import Node, string_value, whole_number

SHAPERS = ("group", "having", "joins", "distinct", "with_")
ELSEWHERE = (exp.Query, exp.Window, exp.Parameter)


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The distance that a SELECT sorts by, how many rows it takes, and what else they meet."""

    distance: exp.Anonymous
    count: int
    conditions: tuple[Node, ...]


def nearest_of(select: exp.Select, source: exp.Table, complete: frozenset[str]) -> Nearest | None:
    """Return what a SELECT asks for if it is TOP k by the distance of its one table.

    NULL sorts first, so a table with rows that lack a vector is left alone, unless WHERE says that
    they have one. What else WHERE holds must be told by the columns of the table alone.
    """
    first, count = _first_key(select), rows_of(select)
    stored = compared(first) if first is not None else None
    if first is None or stored is None or count is None or not is_of(stored, source):
        return None
    parts = where_of(select)
    others = tuple(part for part in parts if not _has_vector(part, stored))
    whole = str(stored.meta.get("table")) in complete
    if not whole and len(others) == len(parts):
        return None
    own = all(_is_own(part, source) for part in others)
    return Nearest(first, count, others) if own else None


def is_distance(node: Node) -> bool:
    """Whether a node is a judged call of VECTOR_DISTANCE."""
    return isinstance(node, exp.Anonymous) and node.name == "__VECTOR_DISTANCE"


def metric_of(node: exp.Anonymous) -> str:
    """Return the metric of a call."""
    return (string_value(node.expressions[0]) or "").lower()


def compared(node: exp.Anonymous) -> exp.Column | None:
    """Return the column that a call compares with @q; None for any other call."""
    if not is_distance(node):
        return None
    sides = [side.unnest() for side in node.expressions[1:]]
    columns = [side for side in sides if isinstance(side, exp.Column)]
    constants = [side for side in sides if isinstance(side, exp.Parameter)]
    return columns[0] if len(columns) == len(constants) == 1 else None


def is_of(stored: exp.Column, source: exp.Table) -> bool:
    """Whether a vector column is one of this base table in FROM."""
    alias = str(stored.meta.get("alias"))
    return bool(stored.meta.get("table")) and alias.lower() == source.alias_or_name.lower()


def rows_of(select: exp.Select) -> int | None:
    """Return how many rows a SELECT takes from the beginning, those that it skips included."""
    limit, offset = select.args.get("limit"), select.args.get("offset")
    if limit is None:
        return None
    count = whole_number(limit.args.get("count") or limit.expression)
    skipped = whole_number(offset.expression) if offset is not None else 0
    return None if count is None or skipped is None else count + skipped


def _is_own(condition: Node, source: exp.Table) -> bool:
    if condition.find(*ELSEWHERE) is not None or is_match(condition):
        return False
    columns = condition.find_all(exp.Column)
    return all(is_of(each, source) and not each.meta.get("outer") for each in columns)


def _first_key(select: exp.Select) -> exp.Anonymous | None:
    """Return the distance that a plain SELECT is sorted by first, nearest rows first."""
    order = select.args.get("order")
    shaped = any(select.args.get(part) for part in SHAPERS)
    if shaped or order is None or select.find(exp.Window) or _aggregates(select):
        return None
    first = order.expressions[0]
    key = first.this.unnest()
    if isinstance(key, exp.Column) and not key.table:
        named = {item.alias.lower(): item.this for item in select.expressions if item.alias}
        key = named.get(key.name.lower(), key).unnest()
    descending = bool(first.args.get("desc"))
    if descending and isinstance(key, exp.Sub) and whole_number(key.this) is not None:
        key, descending = key.expression.unnest(), False  # 1 - distance, the highest first
    return key if isinstance(key, exp.Anonymous) and not descending else None


def _has_vector(condition: Node, stored: exp.Column) -> bool:
    """Whether a condition is just `column IS NOT NULL`."""
    plain = condition.unnest()
    test = plain.this.unnest() if isinstance(plain, exp.Not) else None
    return isinstance(test, exp.Is) and test.this == stored


def _aggregates(select: exp.Select) -> bool:
    return any(each.name[2:] in AGGREGATES for each in select.find_all(exp.Anonymous))
