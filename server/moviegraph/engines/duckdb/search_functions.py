"""VECTOR_DISTANCE, CONTAINS, FREETEXT and their tables, by side tables of distances and hits."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.contract.languages import LOCALES, locale_number
from moviegraph.contract.model import Contract, NodeTable
from moviegraph.engines.duckdb.aggregates import AGGREGATES
from moviegraph.engines.duckdb.expressions import (
    Node,
    call,
    column,
    table,
    unsupported,
)
from moviegraph.engines.duckdb.match_joins import where_of
from moviegraph.engines.duckdb.plan import DistanceNeed, Needs, SearchNeed
from moviegraph.engines.duckdb.refusals import LANGUAGE
from moviegraph.sql.contains import parse_contains
from moviegraph.sql.joins import items_of
from moviegraph.sql.syntax_tree import annotations, string_value, whole_number

SHAPERS = ("group", "having", "joins", "distinct", "with_")


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The distance that a SELECT sorts by, and how many rows it takes."""

    distance: exp.Anonymous
    count: int


def nearest_of(select: exp.Select, source: exp.Table, complete: frozenset[str]) -> Nearest | None:
    """Return the distance and count of a SELECT of TOP k by the distance of its one table.

    NULL sorts first, so a table with rows that lack a vector is not optimized, unless WHERE
    states that they have one; WHERE may contain nothing else.
    """
    first, count = _first_key(select), row_limit(select)
    stored = compared_column(first) if first is not None else None
    if first is None or stored is None or count is None or not is_of(stored, source):
        return None
    tests = [_has_vector(part, stored) for part in where_of(select)]
    is_complete = annotations(stored).table in complete
    return Nearest(first, count) if all(tests) and (is_complete or tests) else None


def is_distance(node: Node) -> bool:
    """Return whether a node is a validated call of VECTOR_DISTANCE."""
    return isinstance(node, exp.Anonymous) and node.name == "__VECTOR_DISTANCE"


def metric_of(node: exp.Anonymous) -> str:
    """Return the metric of a call."""
    return (string_value(node.expressions[0]) or "").lower()


def compared_column(node: exp.Anonymous) -> exp.Column | None:
    """Return the column that a call compares with @q; None for any other call."""
    if not is_distance(node):
        return None
    operands = [side.unnest() for side in node.expressions[1:]]
    columns = [side for side in operands if isinstance(side, exp.Column)]
    constants = [side for side in operands if isinstance(side, exp.Parameter)]
    return columns[0] if len(columns) == len(constants) == 1 else None


def is_of(stored: exp.Column, source: exp.Table) -> bool:
    """Return whether a vector column is one of this base table in FROM."""
    alias = annotations(stored).alias
    return bool(annotations(stored).table) and alias.lower() == source.alias_or_name.lower()


def row_limit(select: exp.Select) -> int | None:
    """Return how many rows a SELECT takes from the beginning, those that it skips included."""
    limit, offset = select.args.get("limit"), select.args.get("offset")
    if limit is None:
        return None
    count = whole_number(limit.args.get("count") or limit.expression)
    skipped = whole_number(offset.expression) if offset is not None else 0
    return None if count is None or skipped is None else count + skipped


def _first_key(select: exp.Select) -> exp.Anonymous | None:
    """Return the distance that a plain SELECT is sorted by first, nearest rows first."""
    order = select.args.get("order")
    shaped = any(select.args.get(part) for part in SHAPERS)
    if shaped or order is None or select.find(exp.Window) or _aggregates(select):
        return None
    first = order.expressions[0]
    key = first.this.unnest()
    if isinstance(key, exp.Column) and not key.table:
        outputs = {item.alias.lower(): item.this for item in select.expressions if item.alias}
        key = outputs.get(key.name.lower(), key).unnest()
    descending = bool(first.args.get("desc"))
    if descending and isinstance(key, exp.Sub) and whole_number(key.this) is not None:
        key, descending = key.expression.unnest(), False  # 1 - distance, the highest first
    return key if isinstance(key, exp.Anonymous) and not descending else None


def _has_vector(condition: Node, stored: exp.Column) -> bool:
    """Return whether a condition is just `column IS NOT NULL`."""
    plain = condition.unnest()
    test = plain.this.unnest() if isinstance(plain, exp.Not) else None
    return isinstance(test, exp.Is) and test.this == stored


def _aggregates(select: exp.Select) -> bool:
    return any(function.name[2:] in AGGREGATES for function in select.find_all(exp.Anonymous))


NATIVE = {
    "cosine": "array_cosine_distance",
    "euclidean": "array_distance",
    "dot": "array_negative_inner_product",
}


class Distances:
    """Translates the calls of one statement."""

    def __init__(
        self,
        contract: Contract,
        needs: Needs,
        complete: frozenset[str],
        dimensions: int,
        rewritten: Callable[[Node], Node],
    ) -> None:
        self._rewritten = rewritten
        self._contract = contract
        self._needs = needs
        self._complete = complete
        self._dimensions = dimensions
        self._joined: dict[int, str] = {}
        self.vector = False

    def parameter(self) -> Node:
        """Return $q as a vector of the graph's dimensions."""
        self.vector = True
        return exp.Var(this=f"$q::FLOAT[{self._dimensions}]")

    def translate(self, node: exp.Anonymous) -> Node:
        """Translate one call."""
        if id(node) in self._joined:
            return column(self._joined[id(node)], "d")
        metric = metric_of(node)
        operands = [side.unnest() for side in node.expressions[1:]]
        stored = compared_column(node)
        if stored is not None and annotations(stored).table:
            return self._looked_up(stored, metric)
        return call(NATIVE[metric], *(self._native(side) for side in operands))

    def joins(self, select: exp.Select) -> tuple[list[exp.Join], bool]:
        """Return the side tables of a SELECT of one table as joins, which cost less than lookups.

        Also return whether the joins keep exactly the rows that the WHERE would keep.
        """
        source = select.args.get("from_")
        if source is None or not isinstance(source.this, exp.Table) or select.args.get("joins"):
            return [], False
        nearest = nearest_of(select, source.this, self._complete)
        joins: dict[str, exp.Join] = {}
        for function in select.find_all(exp.Anonymous):
            stored = compared_column(function)
            if stored is None or function.find_ancestor(exp.Select) is not select:
                continue
            if not is_of(stored, source.this):
                continue
            limit = nearest.count if nearest and function == nearest.distance else None
            owner, metric = annotations(stored).table, metric_of(function)
            need = DistanceNeed(owner, metric, limit)
            name = self._needs.name(need)
            self._joined[id(function)] = name
            same = exp.EQ(this=column(name, "id"), expression=self._key(stored))
            joins[name] = exp.Join(this=table(name), side=None if limit else "LEFT", on=same)
        return list(joins.values()), nearest is not None

    def _native(self, side: Node) -> Node:
        if isinstance(side, exp.Parameter):
            return self.parameter()
        if isinstance(side, exp.Select):
            return exp.Subquery(this=self._rewritten(side))
        if not isinstance(side, exp.Column):
            raise unsupported("VECTOR_DISTANCE of anything but @q and vector columns")
        return column(str(annotations(side).alias or side.table), side.name)

    def _looked_up(self, stored: exp.Column, metric: str) -> Node:
        owner = annotations(stored).table
        side = self._needs.name(DistanceNeed(owner, metric))
        select = exp.Select(
            expressions=[column("__v", "d")],
            from_=exp.From(this=table(side, "__v")),
            where=exp.Where(this=exp.EQ(this=column("__v", "id"), expression=self._key(stored))),
        )
        return exp.Subquery(this=select)

    def _key(self, stored: Node) -> exp.Column:
        """Return the key of the row that a vector column belongs to."""
        node = self._contract.node(annotations(stored).table)
        assert node is not None
        return column(annotations(stored).alias, node.key)


PREDICATES = ("__CONTAINS", "__FREETEXT")
BRITISH = {locale_number("en"), LOCALES["BRITISH ENGLISH"]}
TABLES = ("__CONTAINSTABLE", "__FREETEXTTABLE")


class Searches:
    """Translates the full-text calls of one statement."""

    def __init__(self, contract: Contract, needs: Needs) -> None:
        self._contract = contract
        self._needs = needs

    def condition(self, call: exp.Anonymous, select: exp.Select | None) -> Node:
        """Translate a predicate to a condition on the key of the searched table."""
        target, searched, *options = call.expressions
        self._check_language(options)
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
        searched_table, target, searched, *options = call.expressions
        self._check_language(options)
        node = self._contract.node(searched_table.name)
        assert node is not None
        count = next((n for n in map(whole_number, options) if n is not None), None)
        need = self._need(call.name, node, target, searched, ranked=True, count=count)
        ranked = exp.Select(
            expressions=[
                exp.alias_(column("__f", "id"), "KEY", quoted=True),
                exp.alias_(column("__f", "rank"), "RANK", quoted=True),
            ],
            from_=exp.From(this=table(self._needs.name(need), "__f")),
        )
        return exp.Subquery(this=ranked, alias=alias.copy() if alias else None)

    def _check_language(self, options: list[Node]) -> None:
        """The index has the words of one language; others split and inflect them differently."""
        own = {locale_number(self._contract.language)}
        allowed = own | BRITISH if own & BRITISH else own
        for argument in options:
            if isinstance(argument, exp.Anonymous):
                number = int(argument.expressions[0].name)
                if number not in allowed:
                    raise LANGUAGE.error(f"full-text search in language {number}")

    def _owner(self, target: Node, select: exp.Select | None) -> tuple[str, NodeTable]:
        """Return alias and table of the searched columns; of a bare * the only node table."""
        first = _listed(target)[0]
        if not isinstance(first, exp.Star):
            node = self._contract.node(annotations(first).table)
            assert node is not None
            return annotations(first).alias, node
        for source in items_of(select) if select is not None else ():
            node = self._contract.node(source.name) if source.args.get("db") else None
            if node is not None:
                return source.alias_or_name, node
        raise unsupported("full-text search of anything but a node table")

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
    """After GROUP BY only the key identifies the hits."""
    group = select.args.get("group") if select is not None else None
    clause = call.find_ancestor(exp.Where, exp.Join, exp.Anonymous, exp.Select)
    if group is None or not isinstance(clause, exp.Having | exp.Select):
        return
    if not any(key.name.lower() == node.key.lower() for key in group.expressions):
        raise unsupported(
            f"{call.name[2:]} after a GROUP BY without {node.key}", "Search in WHERE."
        )


def _listed(target: Node) -> list[Node]:
    return target.expressions if isinstance(target, exp.Tuple) else [target.unnest()]


def _columns(node: NodeTable, target: Node) -> tuple[str, ...]:
    columns = _listed(target)
    if any(isinstance(column, exp.Star) or isinstance(column.this, exp.Star) for column in columns):
        return node.searchable
    names = {column.name.lower() for column in columns}
    return tuple(name for name in node.searchable if name.lower() in names)
