"""VECTOR_DISTANCE: side tables for a constant vector, native functions for stored pairs."""

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.engines.translation.aggregates import AGGREGATES
from moviegraph.engines.translation.nodes import (
    Node,
    call,
    column,
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
SHAPERS = ("group", "having", "joins", "distinct", "with_")


def is_distance(node: Node) -> bool:
    """Whether a node is a judged call of VECTOR_DISTANCE."""
    return isinstance(node, exp.Anonymous) and node.name == "__VECTOR_DISTANCE"


class Distances:
    """Translates the calls of one statement."""

    def __init__(self, contract: Contract, needs: Needs, complete: frozenset[str]) -> None:
        self._contract = contract
        self._needs = needs
        self._complete = complete
        self._pushed: dict[int, int] = {}
        self.vector = False

    def parameter(self) -> Node:
        """Return $q, whose type the engine casts it to."""
        self.vector = True
        return exp.Var(this="$q::__VECTOR")

    def translate(self, node: exp.Anonymous) -> Node:
        """Translate one call."""
        metric = (string_value(node.expressions[0]) or "").lower()
        sides = [side.unnest() for side in node.expressions[1:]]
        stored = [side for side in sides if not isinstance(side, exp.Parameter)]
        if len(stored) == 1 and stored[0].meta.get("table"):
            return self._looked_up(node, stored[0], metric)
        return call(NATIVE[metric], *(self._native(side) for side in sides))

    def _native(self, side: Node) -> Node:
        if isinstance(side, exp.Parameter):
            return self.parameter()
        if not isinstance(side, exp.Column):
            raise unsupported("VECTOR_DISTANCE of anything but @q and vector columns")
        return column(str(side.meta.get("alias") or side.table), side.name)

    def _looked_up(self, node: exp.Anonymous, stored: Node, metric: str) -> Node:
        owner = str(stored.meta["table"])
        count = self._pushed.get(id(node))
        side = self._needs.name(DistanceNeed(owner, metric, count))
        key = column(str(stored.meta["alias"]), self._key(owner))
        found = exp.Select(
            expressions=[column("__v", "d")],
            from_=exp.From(this=table(side, "__v")),
            where=exp.Where(this=exp.EQ(this=column("__v", "id"), expression=key)),
        )
        return exp.Subquery(this=found)

    def _key(self, owner: str) -> str:
        node = self._contract.node(owner)
        assert node is not None
        return node.key

    def push_down(self, select: exp.Select) -> Node | None:
        """For TOP k of one bare table by distance: the condition that keeps the nearest k.

        Ties with the last are kept, for the further sort keys. NULL sorts first, so a table with
        rows that lack a vector is left alone, unless WHERE says no more than that it has one.
        """
        first = self._first_key(select)
        count = self._rows(select)
        if first is None or count is None:
            return None
        stored = next((s for s in first.expressions[1:] if isinstance(s, exp.Column)), None)
        others = [s for s in first.expressions[1:] if isinstance(s, exp.Parameter)]
        owner = str(stored.meta.get("table")) if stored is not None else ""
        if stored is None or not others:
            return None
        where = select.args.get("where")
        if owner not in self._complete if where is None else not _has_vector(where, stored):
            return None
        metric = (string_value(first.expressions[0]) or "").lower()
        for call_ in select.find_all(exp.Anonymous):
            if call_ == first and call_.find_ancestor(exp.Select) is select:
                self._pushed[id(call_)] = count
        side = self._needs.name(DistanceNeed(owner, metric, count))
        nearest = exp.Select(
            expressions=[column("__v", "id")], from_=exp.From(this=table(side, "__v"))
        )
        key = column(str(stored.meta["alias"]), self._key(owner))
        return exp.In(this=key, query=exp.Subquery(this=nearest))

    def _first_key(self, select: exp.Select) -> exp.Anonymous | None:
        order, source = select.args.get("order"), select.args.get("from_")
        shaped = any(select.args.get(part) for part in SHAPERS)
        if shaped or order is None or source is None or not isinstance(source.this, exp.Table):
            return None
        if select.find(exp.Window) or _aggregates(select):
            return None
        first = order.expressions[0]
        if first.args.get("desc"):
            return None
        key = first.this.unnest()
        if isinstance(key, exp.Column) and not key.table:
            named = {item.alias.lower(): item.this for item in select.expressions if item.alias}
            key = named.get(key.name.lower(), key)
        return key if is_distance(key) and isinstance(key, exp.Anonymous) else None

    def _rows(self, select: exp.Select) -> int | None:
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
