"""CONTAINS, FREETEXT and their tables as side tables of full-text hits."""

from dataclasses import replace

from sqlglot import exp

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.duckdb.aggregates import AGGREGATES
from moviegraph.engines.duckdb.expressions import (
    Node,
    column,
    string_value,
    table,
    unsupported,
    whole_number,
)
from moviegraph.engines.duckdb.plan import Needs, SearchNeed
from moviegraph.engines.duckdb.vector_distances import rows_of
from moviegraph.sql.contains import parse_contains
from moviegraph.sql.grouping import resolve_window
from moviegraph.sql.joins import items_of
from moviegraph.sql.syntax_tree import annotations

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


PREDICATES = ("__CONTAINS", "__FREETEXT")
ENGLISH = (1033, 2057)
TABLES = ("__CONTAINSTABLE", "__FREETEXTTABLE")


class Searches:
    """Translates the full-text calls of one statement."""

    def __init__(self, contract: Contract, needs: Needs) -> None:
        self._contract = contract
        self._needs = needs

    def condition(self, call: exp.Anonymous, select: exp.Select | None) -> Node:
        """Translate a predicate to a condition on the key of the searched table."""
        target, searched, *rest = call.expressions
        _check_language(rest)
        alias, node = self._owner(target, select)
        _check_grouped(call, node, select)
        need = self._need(call.name, node, target, searched, ranked=False, count=None)
        hits = exp.Select(
            expressions=[column("__f", "id")],
            from_=exp.From(this=table(self._needs.name(need), "__f")),
        )
        return exp.In(this=column(alias, node.key), query=exp.Subquery(this=hits))

    def source(self, call: exp.Anonymous, alias: exp.TableAlias | None) -> Node:
        """Translate a table function to a derived table with the columns KEY and RANK."""
        searched_table, target, searched, *rest = call.expressions
        _check_language(rest)
        node = self._contract.node(searched_table.name)
        assert node is not None
        count = next((n for n in map(whole_number, rest) if n is not None), None)
        need = self._need(call.name, node, target, searched, ranked=True, count=count)
        select = call.find_ancestor(exp.Select)
        if alias is not None and isinstance(select, exp.Select):
            need = replace(need, best=best_of(select, alias.name, node))
        ranked = exp.Select(
            expressions=[
                exp.alias_(column("__f", "id"), "KEY", quoted=True),
                exp.alias_(column("__f", "rank"), "RANK", quoted=True),
            ],
            from_=exp.From(this=table(self._needs.name(need), "__f")),
        )
        return exp.Subquery(this=ranked, alias=alias.copy() if alias else None)

    def _owner(self, target: Node, select: exp.Select | None) -> tuple[str, NodeTable]:
        columns = target.expressions if isinstance(target, exp.Tuple) else [target.unnest()]
        first = columns[0]
        alias = str(annotations(first).alias or getattr(first, "table", "") or "")
        for source in _sources(select):
            if not alias or source.alias_or_name.lower() == alias.lower():
                node = self._contract.node(source.name)
                if node is not None:
                    return source.alias_or_name, node
        node = self._contract.node(annotations(first).table)
        if node is None:
            raise unsupported("full-text search of anything but a node table")
        return alias, node

    def _need(
        self,
        name: str,
        node: NodeTable,
        target: Node,
        searched: Node,
        *,
        ranked: bool,
        count: int | None,
    ) -> SearchNeed:
        words = string_value(searched) or ""
        free = "FREETEXT" in name
        return SearchNeed(
            table=node.name,
            columns=_columns(node, target),
            condition=None if free else parse_contains(words),
            freetext=words if free else "",
            ranked=ranked,
            count=count,
        )


def _check_grouped(call: exp.Anonymous, node: NodeTable, select: exp.Select | None) -> None:
    """Behind GROUP BY the hits can only be told by the key."""
    group = select.args.get("group") if select is not None else None
    clause = call.find_ancestor(exp.Where, exp.Join, exp.Anonymous, exp.Select)
    if group is None or not isinstance(clause, exp.Having | exp.Select):
        return
    if not any(key.name.lower() == node.key.lower() for key in group.expressions):
        raise unsupported(
            f"{call.name[2:]} behind a GROUP BY without {node.key}", "Search in WHERE."
        )


def _check_language(rest: list[Node]) -> None:
    """The index holds English words; another language would break and inflect them otherwise."""
    for each in rest:
        if isinstance(each, exp.Anonymous) and int(each.expressions[0].name) not in ENGLISH:
            raise unsupported(
                f"full-text search in the language {each.expressions[0].name}",
                "Leave LANGUAGE out, or write LANGUAGE 1033, which is English.",
            )


def _columns(node: NodeTable, target: Node) -> tuple[str, ...]:
    columns = target.expressions if isinstance(target, exp.Tuple) else [target.unnest()]
    if any(isinstance(each, exp.Star) or isinstance(each.this, exp.Star) for each in columns):
        return node.searchable
    wanted = {each.name.lower() for each in columns}
    found = tuple(name for name in node.searchable if name.lower() in wanted)
    if len(found) < len(wanted):
        raise unsupported(
            f"full-text index of every column named; {node.name} has "
            f"{', '.join(node.searchable) or 'none'}"
        )
    return found


def _sources(select: exp.Select | None) -> list[exp.Table]:
    found: list[exp.Table] = []
    while select is not None:
        found += [each for each in items_of(select) if isinstance(each, exp.Table)]
        parent = select.find_ancestor(exp.Select)
        select = parent if isinstance(parent, exp.Select) else None
    return found
