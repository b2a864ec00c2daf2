"""VECTOR_DISTANCE: side tables for a constant vector, native functions for stored pairs."""

from collections.abc import Callable

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.engines.translation.aggregates import AGGREGATES
from moviegraph.engines.translation.nodes import (
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
from moviegraph.engines.translation.plan import DistanceNeed, Needs

NATIVE = {
    "cosine": "array_cosine_distance",
    "euclidean": "array_distance",
    "dot": "array_negative_inner_product",
}
FOUND = "__found"
SHAPERS = ("group", "having", "joins", "distinct", "with_")


def is_distance(node: Node) -> bool:
    """Whether a node is a judged call of VECTOR_DISTANCE."""
    return isinstance(node, exp.Anonymous) and node.name == "__VECTOR_DISTANCE"


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
        metric = _metric(node)
        sides = [side.unnest() for side in node.expressions[1:]]
        stored = _stored(node)
        if stored is not None and stored.meta.get("table"):
            return self._looked_up(stored, metric)
        return call(NATIVE[metric], *(self._native(side) for side in sides))

    def presence(self, node: exp.Is) -> exp.Is | None:
        """For `Embedding IS NULL` where every row has a vector: the same test of the key.

        The vectors need not be read, and a row that an outer join lacks is still told.
        """
        stored = node.this.unnest()
        owner = str(stored.meta.get("table"))
        if stored.meta.get("type") != "VECTOR" or owner not in self._complete:
            return None
        return exp.Is(this=self._key(stored), expression=exp.Null())

    def joins(self, select: exp.Select) -> tuple[list[exp.Join], bool]:
        """For a SELECT of one bare table: its side tables as joins, which cost less than lookups.

        Returns the joins, and whether they keep the rows that the WHERE would keep.
        """
        source = select.args.get("from_")
        if source is None or not isinstance(source.this, exp.Table) or select.args.get("joins"):
            return [], False
        first, count = self._nearest(select, source.this)
        made: dict[str, exp.Join] = {}
        for each in select.find_all(exp.Anonymous):
            stored = _stored(each)
            if stored is None or each.find_ancestor(exp.Select) is not select:
                continue
            if not _is_of(stored, source.this):
                continue
            most = count if each == first else None
            name = self._needs.name(DistanceNeed(str(stored.meta["table"]), _metric(each), most))
            self._joined[id(each)] = name
            same = exp.EQ(this=column(name, "id"), expression=self._key(stored))
            made[name] = exp.Join(this=table(name), side=None if most else "LEFT", on=same)
        return list(made.values()), count is not None

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
        return column(str(side.meta.get("alias") or side.table), side.name)

    def _looked_up(self, stored: exp.Column, metric: str) -> Node:
        side = self._needs.name(DistanceNeed(str(stored.meta["table"]), metric))
        found = exp.Select(
            expressions=[column("__v", "d")],
            from_=exp.From(this=table(side, "__v")),
            where=exp.Where(this=exp.EQ(this=column("__v", "id"), expression=self._key(stored))),
        )
        return exp.Subquery(this=found)

    def _key(self, stored: Node) -> exp.Column:
        """Return the key of the row that a vector column belongs to."""
        node = self._contract.node(str(stored.meta["table"]))
        assert node is not None
        return column(str(stored.meta["alias"]), node.key)

    def _nearest(self, select: exp.Select, source: exp.Table) -> tuple[Node | None, int | None]:
        """For TOP k by distance: the distance, and k; then only the nearest k need to be joined.

        Ties with the last are kept, for the further sort keys. NULL sorts first, so a table with
        rows that lack a vector is left alone, unless WHERE says no more than that it has one.
        """
        first, count, where = _first_key(select), _rows(select), select.args.get("where")
        stored = _stored(first) if first is not None else None
        if stored is None or count is None or not _is_of(stored, source):
            return None, None
        whole = str(stored.meta.get("table")) in self._complete
        if whole if where is None else _has_vector(where, stored):
            return first, count
        return None, None


def _metric(node: exp.Anonymous) -> str:
    return (string_value(node.expressions[0]) or "").lower()


def _stored(node: exp.Anonymous) -> exp.Column | None:
    """Return the column that a call compares with @q; None for any other call."""
    if not is_distance(node):
        return None
    sides = [side.unnest() for side in node.expressions[1:]]
    columns = [side for side in sides if isinstance(side, exp.Column)]
    constants = [side for side in sides if isinstance(side, exp.Parameter)]
    return columns[0] if len(columns) == len(constants) == 1 else None


def _is_of(stored: exp.Column, source: exp.Table) -> bool:
    """Whether a vector column is one of this base table in FROM."""
    alias = str(stored.meta.get("alias"))
    return bool(stored.meta.get("table")) and alias.lower() == source.alias_or_name.lower()


def _first_key(select: exp.Select) -> exp.Anonymous | None:
    """Return the distance that a plain SELECT is sorted by first, ascending."""
    order = select.args.get("order")
    shaped = any(select.args.get(part) for part in SHAPERS)
    if shaped or order is None or select.find(exp.Window) or _aggregates(select):
        return None
    first = order.expressions[0]
    key = first.this.unnest()
    if isinstance(key, exp.Column) and not key.table:
        named = {item.alias.lower(): item.this for item in select.expressions if item.alias}
        key = named.get(key.name.lower(), key)
    return key if isinstance(key, exp.Anonymous) and not first.args.get("desc") else None


def _rows(select: exp.Select) -> int | None:
    limit, offset = select.args.get("limit"), select.args.get("offset")
    if limit is None:
        return None
    count = whole_number(limit.args.get("count") or limit.expression)
    skipped = whole_number(offset.expression) if offset is not None else 0
    return None if count is None or skipped is None else count + skipped


def _has_vector(where: exp.Where, stored: exp.Column) -> bool:
    """Whether the condition is just `column IS NOT NULL`."""
    condition = where.this.unnest()
    test = condition.this.unnest() if isinstance(condition, exp.Not) else None
    return isinstance(test, exp.Is) and test.this == stored


def _aggregates(select: exp.Select) -> bool:
    return any(each.name[2:] in AGGREGATES for each in select.find_all(exp.Anonymous))
