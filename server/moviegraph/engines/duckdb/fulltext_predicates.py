"""CONTAINS, FREETEXT and their tables as side tables of full-text hits."""

from sqlglot import exp

from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.duckdb.expressions import (
    Node,
    column,
    string_value,
    table,
    unsupported,
    whole_number,
)
from moviegraph.engines.duckdb.plan import Needs, SearchNeed
from moviegraph.engines.duckdb.refusals import LANGUAGE
from moviegraph.sql.contains import parse_contains
from moviegraph.sql.joins import items_of
from moviegraph.sql.syntax_tree import annotations

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
            raise LANGUAGE.error(f"full-text search in language {each.expressions[0].name}")


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
