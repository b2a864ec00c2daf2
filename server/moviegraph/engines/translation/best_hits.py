"""Recognises TOP k by the rank of a full-text search, of which only the best hits are needed."""

from sqlglot import exp

from moviegraph.contract.model import NodeTable
from moviegraph.engines.translation.aggregates import AGGREGATES
from moviegraph.engines.translation.nearest import rows_of
from moviegraph.engines.translation.nodes import Node
from moviegraph.sql.grouping import resolve_window

SHAPERS = ("where", "group", "having", "distinct", "qualify")
PLACES = ("ROW_NUMBER", "RANK", "DENSE_RANK")


def best_of(select: exp.Select, alias: str, searched: NodeTable) -> int | None:
    """Return how many of the best hits of a search a SELECT shows, or None for all.

    It is sorted by their rank first, highest first, and joins nothing but the table that was
    searched, by its key: so every hit is one row. Places over the same order are the same, too.
    """
    count = rows_of(select)
    if count is None or any(select.args.get(part) for part in SHAPERS):
        return None
    if not _is_joined_to(select, alias, searched) or not _is_by_rank(select, alias):
        return None
    counted = (each for each in select.find_all(exp.Anonymous) if each.name[2:] in AGGREGATES)
    return count if all(_is_place(each, alias) for each in counted) else None


def _is_joined_to(select: exp.Select, alias: str, searched: NodeTable) -> bool:
    """Whether the search stands alone, or beside the table that it searched, by the key."""
    joins: list[exp.Join] = select.args.get("joins") or []
    if not joins:
        return True
    join, condition = joins[0], joins[0].args.get("on")
    inner = not join.side and join.kind in ("", "INNER")
    if len(joins) > 1 or not inner or not isinstance(condition, exp.EQ):
        return False
    sources: list[Node] = [select.args["from_"].this, join.this]
    others = [each for each in sources if each.alias_or_name.lower() != alias.lower()]
    if len(others) != 1 or not _is_stored(others[0], searched):
        return False
    keys = {(alias.lower(), "key"), (others[0].alias_or_name.lower(), searched.key.lower())}
    return {_column(condition.this), _column(condition.expression)} == keys


def _is_stored(source: Node, searched: NodeTable) -> bool:
    plain = isinstance(source, exp.Table) and not source.args.get("joins")
    return plain and bool(source.args.get("db")) and source.name.lower() == searched.name.lower()


def _is_by_rank(select: exp.Select, alias: str) -> bool:
    order = select.args.get("order")
    if order is None:
        return False
    first = order.expressions[0]
    key = first.this.unnest()
    if isinstance(key, exp.Column) and not key.table:
        named = {item.alias.lower(): item.this for item in select.expressions if item.alias}
        key = named.get(key.name.lower(), key)
    return bool(first.args.get("desc")) and _column(key) == (alias.lower(), "rank")


def _is_place(call: exp.Anonymous, alias: str) -> bool:
    """Whether a function tells the place of a row in the order by rank."""
    window = call.parent
    if not isinstance(window, exp.Window) or call.name[2:] not in PLACES:
        return False
    parts = resolve_window(window)
    if parts.partition_by or parts.order is None:
        return False
    first = parts.order.expressions[0]
    return bool(first.args.get("desc")) and _column(first.this) == (alias.lower(), "rank")


def _column(node: Node) -> tuple[str, str]:
    plain = node.unnest()
    return (plain.table.lower(), plain.name.lower()) if isinstance(plain, exp.Column) else ("", "")
