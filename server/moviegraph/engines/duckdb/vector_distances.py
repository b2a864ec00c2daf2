"""VECTOR_DISTANCE, and the rows with the smallest distances."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.engines.duckdb.aggregates import AGGREGATES
from moviegraph.engines.duckdb.expressions import (
    Node,
    call,
    column,
    number,
    stored_table,
    string_value,
    table,
    unsupported,
    whole_number,
)
from moviegraph.engines.duckdb.match_joins import is_match, listed_keys, where_of
from moviegraph.engines.duckdb.plan import DistanceNeed, Needs, NodesNeed
from moviegraph.engines.duckdb.subqueries import asked
from moviegraph.sql.syntax_tree import annotations

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
    whole = annotations(stored).table in complete
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
    alias = annotations(stored).alias
    return bool(annotations(stored).table) and alias.lower() == source.alias_or_name.lower()


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
    return all(is_of(each, source) and not annotations(each).outer for each in columns)


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


NATIVE = {
    "cosine": "array_cosine_distance",
    "euclidean": "array_distance",
    "dot": "array_negative_inner_product",
}
FOUND = "__found"


class Distances:
    """Translates the calls of one statement."""

    def __init__(
        self,
        contract: Contract,
        needs: Needs,
        complete: frozenset[str],
        dimensions: int,
        rewritten: Callable[[Node], Node],
        condition: Callable[[Node], Node],
    ) -> None:
        self._rewritten = rewritten
        self._condition = condition
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
        sides = [side.unnest() for side in node.expressions[1:]]
        stored = compared(node)
        if stored is not None and annotations(stored).table:
            return self._looked_up(stored, metric)
        return call(NATIVE[metric], *(self._native(side) for side in sides))

    def presence(self, node: exp.Is) -> exp.Is | None:
        """For `Embedding IS NULL` where every row has a vector: the same test of the key.

        The vectors need not be read, and a row that an outer join lacks is still told.
        """
        stored = node.this.unnest()
        owner = annotations(stored).table
        if annotations(stored).type != "VECTOR" or owner not in self._complete:
            return None
        return exp.Is(this=self._key(stored), expression=exp.Null())

    def joins(self, select: exp.Select) -> tuple[list[exp.Join], bool]:
        """For a SELECT of one bare table: its side tables as joins, which cost less than lookups.

        Returns the joins, and whether they keep the rows that the WHERE would keep.
        """
        source = select.args.get("from_")
        if source is None or not isinstance(source.this, exp.Table) or select.args.get("joins"):
            return [], False
        found = nearest_of(select, source.this, self._complete)
        among = self._among(found, source.this) if found else None
        made: dict[str, exp.Join] = {}
        for each in select.find_all(exp.Anonymous):
            stored = compared(each)
            if stored is None or each.find_ancestor(exp.Select) is not select:
                continue
            if not is_of(stored, source.this):
                continue
            most = found.count if found and each == found.distance else None
            owner, metric = annotations(stored).table, metric_of(each)
            need = DistanceNeed(owner, metric, most, among if most else None)
            name = self._needs.name(need)
            self._joined[id(each)] = name
            same = exp.EQ(this=column(name, "id"), expression=self._key(stored))
            made[name] = exp.Join(this=table(name), side=None if most else "LEFT", on=same)
        return list(made.values()), found is not None

    def _among(self, found: Nearest, source: exp.Table) -> NodesNeed | None:
        """Return a query for the keys of the rows that meet the conditions, if there are any."""
        conditions = [self._condition(each) for each in found.conditions]
        stored = compared(found.distance)
        if not conditions or stored is None:
            return None
        query = exp.Select(
            expressions=[self._key(stored)],
            from_=exp.From(this=self._rewritten(source)),
            where=exp.Where(this=exp.and_(*conditions, copy=False)),
        )
        return asked(query)

    def searched(self, search: exp.Anonymous) -> exp.Select:
        """Return key and distance of what a VECTOR_SEARCH finds: exactly the nearest TOP_N."""
        similar, metric = search.expressions[3], str(search.expressions[4].this).lower()
        name, key = self.searched_key(search)
        count = next((whole_number(each) for each in search.expressions[5:]), None)
        if isinstance(similar, exp.Parameter):
            side = self._needs.name(DistanceNeed(name, metric, count))
            source, found, distance = table(side, "__v"), column("__v", "id"), column("__v", "d")
        else:
            source, found = stored_table(name, "__v"), column("__v", key)
            stored = column("__v", search.expressions[2].name)
            distance = call(NATIVE[metric], stored, self._native(similar))
        missing = exp.Is(this=distance.copy(), expression=exp.Null())
        made = exp.Select(
            expressions=[
                exp.alias_(found, FOUND, quoted=True),
                exp.alias_(distance, "distance", quoted=True),
            ],
            from_=exp.From(this=source),
            where=exp.Where(this=exp.Not(this=missing)),
        )
        if count is not None:
            keys = [exp.Ordered(this=each.copy(), nulls_first=True) for each in (distance, found)]
            made.set("order", exp.Order(expressions=keys))
            made.set("limit", exp.Limit(expression=number(count)))
        return made

    def searched_key(self, search: Node) -> tuple[str, str]:
        """Return the table of a VECTOR_SEARCH and its key column."""
        node = self._contract.node(search.expressions[0].name)
        assert node is not None
        return node.name, node.key

    def _native(self, side: Node) -> Node:
        if isinstance(side, exp.Parameter):
            return self.parameter()
        if isinstance(side, exp.Select):
            return exp.Subquery(this=self._rewritten(side))
        if not isinstance(side, exp.Column):
            raise unsupported("VECTOR_DISTANCE of anything but @q and vector columns")
        return column((annotations(side).alias or side.table), side.name)

    def _looked_up(self, stored: exp.Column, metric: str) -> Node:
        owner = annotations(stored).table
        need = DistanceNeed(owner, metric, keys=self._listed(stored))
        side = self._needs.name(need)
        found = exp.Select(
            expressions=[column("__v", "d")],
            from_=exp.From(this=table(side, "__v")),
            where=exp.Where(this=exp.EQ(this=column("__v", "id"), expression=self._key(stored))),
        )
        return exp.Subquery(this=found)

    def _listed(self, stored: exp.Column) -> tuple[int, ...]:
        """Return the keys that the WHERE around lists for the row of a vector, if it does."""
        select = stored.find_ancestor(exp.Select)
        if select is None or annotations(stored).outer:
            return ()
        wanted = self._key(stored)
        for part in where_of(select):
            listed = None if isinstance(part, exp.NEQ) else listed_keys(part)
            if listed is not None and _is_same(listed[0], wanted):
                return listed[1]
        return ()

    def _key(self, stored: Node) -> exp.Column:
        """Return the key of the row that a vector column belongs to."""
        node = self._contract.node(annotations(stored).table)
        assert node is not None
        return column(annotations(stored).alias, node.key)


def _is_same(given: exp.Column, wanted: exp.Column) -> bool:
    alias = annotations(given).alias or given.table
    same = alias.lower() == wanted.table.lower()
    return same and given.name.lower() == wanted.name.lower()
