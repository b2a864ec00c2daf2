"""GROUP BY a key and further columns of its table: the key alone decides, and costs half."""

from sqlglot import exp

from moviegraph.contract.model import Contract
from moviegraph.engines.translation.aggregates import AGGREGATES
from moviegraph.engines.translation.nodes import Node, call

Names = frozenset[tuple[str, str]]
ONLY = {"expressions"}
APART = (exp.Subquery, exp.Exists, exp.Window, exp.WithinGroup)


class Groupings:
    """The columns of each SELECT that depend on a key of its GROUP BY."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._dependent: list[Names] = []

    def enter(self, select: exp.Select, *, counted: bool = False) -> None:
        """Find them before the parts of a SELECT are translated; one without groups has none."""
        self._dependent.append(frozenset() if counted else self._found(select))

    def leave(self, select: exp.Select, made: exp.Select) -> None:
        """Take them out of a translated GROUP BY."""
        dependent = self._dependent.pop()
        if dependent:
            pairs = zip(
                select.args["group"].expressions, made.args["group"].expressions, strict=True
            )
            kept = [after for before, after in pairs if _name(before) not in dependent]
            made.set("group", exp.Group(expressions=kept))

    def value(self, column: exp.Column, made: Node) -> Node:
        """Return a translated column; one that depends on the key is any of its group."""
        dependent = self._dependent[-1] if self._dependent else None
        if not dependent or _name(column) not in dependent or _is_of_rows(column):
            return made
        return call("first", made)

    def _found(self, select: exp.Select) -> Names:
        group = select.args.get("group")
        if group is None or {name for name, value in group.args.items() if value} != ONLY:
            return frozenset()
        columns = [each for each in group.expressions if isinstance(each, exp.Column)]
        if len(columns) < len(group.expressions) or any(
            part.find(*APART) for part in _parts(select)
        ):
            return frozenset()
        keys = {_name(each)[0] for each in columns if self._is_key(each)}
        return frozenset(
            _name(each) for each in columns if _name(each)[0] in keys and not self._is_key(each)
        )

    def _is_key(self, column: exp.Column) -> bool:
        node = self._contract.node(str(column.meta.get("table") or ""))
        own = not column.meta.get("outer")
        return own and node is not None and node.key.lower() == column.name.lower()


def _parts(select: exp.Select) -> list[exp.Expr]:
    parts = (select.args.get("having"), select.args.get("order"))
    return [*select.expressions, *(part for part in parts if part is not None)]


def _name(column: exp.Expr) -> tuple[str, str]:
    return str(column.meta.get("alias") or "").lower(), column.name.lower()


def _is_of_rows(column: exp.Column) -> bool:
    """Whether a column is read row by row, before groups are made."""
    node = column.parent
    while node is not None and not isinstance(node, exp.Select):
        aggregate = isinstance(node, exp.Anonymous) and node.name[2:] in AGGREGATES
        if aggregate or isinstance(node, exp.Where | exp.Join | exp.Group | exp.From):
            return True
        node = node.parent
    return False
