"""Checks joins by pseudo-columns: what no edge of the contract can meet is refused, as in MATCH."""

from typing import NamedTuple

from sqlglot import exp

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.sql.froms import joining
from moviegraph.sql.graph import ways_of
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.walk import conjuncts, disjuncts

OTHER_END = {"$from_id": "$to_id", "$to_id": "$from_id"}


class _Pair(NamedTuple):
    """Two pseudo-columns that are to be equal."""

    one: exp.Column
    other: exp.Column


def check_ends(select: exp.Select, contract: Contract) -> None:
    """Check what one SELECT joins by pseudo-columns. Raises RefusalError.

    A column whose origin is not known may be of any table, and of conditions joined by OR one that
    can hold is enough.
    """
    for condition in joining(select):
        found = _impossible(condition, contract)
        if found is not None:
            raise _wrong_end(found, contract)


def ends_of(edge: EdgeTable, column: str) -> set[str]:
    """Return the node tables that may stand at $from_id or $to_id of an edge."""
    return {p.from_table if column == "$from_id" else p.to_table for p in edge.pairs}


def _impossible(condition: exp.Expr, contract: Contract) -> _Pair | None:
    """Return an equality that never holds and alone decides a condition, or its negation."""
    for part in conjuncts(condition):
        if isinstance(part, exp.Or):
            branches = [_impossible(branch, contract) for branch in disjuncts(part)]
            found = branches[0] if all(branches) else None
        else:
            pairs = _pairs(part)
            apart = [pair for pair in pairs if _apart(pair, contract)]
            found = apart[0] if apart and len(apart) == len(pairs) else None
        if found is not None:
            return found
    return None


def _pairs(part: exp.Expr) -> list[_Pair]:
    """Return the columns that an equality, IN or ANY compares; none where one side is no column."""
    inner = part
    while isinstance(inner, exp.Not):
        inner = inner.this.unnest()
    if isinstance(inner, exp.In):
        query = inner.args.get("query")
        left = _column(inner.this)
        right = [_column(each) for each in (inner.expressions if query is None else [query])]
    elif _is_quantified(inner) or isinstance(part, exp.EQ):
        left, right = _column(inner.this), [_column(inner.expression)]
    else:
        return []
    known = [each for each in right if each is not None]
    return [_Pair(left, each) for each in known] if left and len(known) == len(right) else []


def _is_quantified(condition: exp.Expr) -> bool:
    """Whether a condition is = or <> with ANY or ALL: constant where no row is ever equal."""
    return isinstance(condition, exp.EQ | exp.NEQ) and isinstance(
        condition.expression, exp.Any | exp.All
    )


def _column(side: exp.Expr) -> exp.Column | None:
    """Return a column, or the one that a subquery selects."""
    inner = side.unnest()
    if isinstance(inner, exp.Any | exp.All):
        inner = inner.this.unnest()
    if isinstance(inner, exp.Select) and len(inner.expressions) == 1:
        inner = inner.expressions[0].unalias()
    return inner if isinstance(inner, exp.Column) else None


def _apart(pair: _Pair, contract: Contract) -> bool:
    kinds = [_kinds(column, contract) for column in pair]
    return all(kinds) and not kinds[0] & kinds[1]


def _kinds(column: exp.Column, contract: Contract) -> set[str]:
    """Return the tables whose rows a pseudo-column may stand for; none where that is not known."""
    table, name = column.meta.get("lineage", (None, None))
    edge = contract.edge(table or "")
    if edge is not None and name in OTHER_END:
        return ends_of(edge, name)
    return {table} if table and name in ("$node_id", "$edge_id") else set()


def _wrong_end(pair: _Pair, contract: Contract) -> RefusalError:
    one, other = (_kinds(column, contract) for column in pair)
    node, end = pair if pair.one.meta["lineage"][1] == "$node_id" else (pair.other, pair.one)
    (table, name), (kind, node_name) = end.meta["lineage"], node.meta["lineage"]
    edge = contract.edge(table)
    if edge is None or name not in OTHER_END or node_name != "$node_id":
        return RefusalError(
            "wrong_arrow",
            f"{_said(pair.one)} is a row of {' or '.join(sorted(one))}, {_said(pair.other)} one of "
            f"{' or '.join(sorted(other))}, so they are never equal.",
        )
    right = f"{ways_of(edge)}, so {_said(end)} is never a {kind}."
    turned = OTHER_END[name]
    if kind in ends_of(edge, turned):
        meant = f"{end.table}.{turned}" if end.table and end.name == name else turned
        said = f"{right} Compare {_said(node)} with {meant}."
        return RefusalError("wrong_arrow", said, suggestions=(meant,))
    fitting = tuple(each.name for each in contract.connections_of(kind))
    return RefusalError(
        "wrong_arrow", f"{right} Edges of {kind} are {', '.join(fitting)}.", suggestions=fitting
    )


def _said(column: exp.Column) -> str:
    return f"{column.table}.{column.name}" if column.table else column.name
