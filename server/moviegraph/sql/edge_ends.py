"""Joins by pseudo-columns: an equality that no edge can meet is refused."""

from typing import NamedTuple

from sqlglot import exp

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.sql.decision import RefusalError
from moviegraph.sql.joins import join_conditions
from moviegraph.sql.match_checks import directions_of
from moviegraph.sql.scope import column_text
from moviegraph.sql.syntax_tree import annotations, conjuncts, disjuncts

OTHER_END = {"$from_id": "$to_id", "$to_id": "$from_id"}


class _ColumnPair(NamedTuple):
    """Two pseudo-columns that are to be equal."""

    one: exp.Column
    other: exp.Column


def check_ends(select: exp.Select, contract: Contract) -> None:
    """Check what one SELECT joins by pseudo-columns. Raises RefusalError.

    A column whose origin is not known may be of any table, and of conditions joined by OR one that
    can hold is enough.
    """
    for condition in join_conditions(select):
        pair = _impossible(condition, contract)
        if pair is not None:
            raise _wrong_end(pair, contract)


def ends_of(edge: EdgeTable, column: str) -> set[str]:
    """Return the node tables at $from_id or $to_id of an edge."""
    return {p.from_table if column == "$from_id" else p.to_table for p in edge.pairs}


def _impossible(condition: exp.Expr, contract: Contract) -> _ColumnPair | None:
    """Return an equality that never holds and alone decides a condition, or its negation."""
    for part in conjuncts(condition):
        if isinstance(part, exp.Or):
            branches = [_impossible(branch, contract) for branch in disjuncts(part)]
            impossible = branches[0] if all(branches) else None
        else:
            pairs = _compared_columns(part)
            apart = [pair for pair in pairs if _apart(pair, contract)]
            impossible = apart[0] if apart and len(apart) == len(pairs) else None
        if impossible is not None:
            return impossible
    return None


def _compared_columns(part: exp.Expr) -> list[_ColumnPair]:
    """Return the columns that an equality, IN or ANY compares; none where one side is no column."""
    inner = part
    while isinstance(inner, exp.Not):
        inner = inner.this.unnest()
    if isinstance(inner, exp.In):
        query = inner.args.get("query")
        left = _column(inner.this)
        right = [_column(item) for item in (inner.expressions if query is None else [query])]
    elif _is_quantified(inner) or isinstance(part, exp.EQ):
        left, right = _column(inner.this), [_column(inner.expression)]
    else:
        return []
    columns = [item for item in right if item is not None]
    return (
        [_ColumnPair(left, item) for item in columns] if left and len(columns) == len(right) else []
    )


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


def _apart(pair: _ColumnPair, contract: Contract) -> bool:
    kinds = [_kinds(column, contract) for column in pair]
    return all(kinds) and not kinds[0] & kinds[1]


def _kinds(column: exp.Column, contract: Contract) -> set[str]:
    """Return the tables whose rows a pseudo-column may identify; none if unknown."""
    table, name = annotations(column).lineage
    edge = contract.edge(table or "")
    if edge is not None and name in OTHER_END:
        return ends_of(edge, name)
    return {table} if table and name in ("$node_id", "$edge_id") else set()


def _wrong_end(pair: _ColumnPair, contract: Contract) -> RefusalError:
    first, second = (_kinds(column, contract) for column in pair)
    node, end = pair if annotations(pair.one).lineage[1] == "$node_id" else (pair.other, pair.one)
    (table, name), (kind, node_name) = annotations(end).lineage, annotations(node).lineage
    edge = contract.edge(table or "")
    if edge is None or kind is None or name not in OTHER_END or node_name != "$node_id":
        return RefusalError(
            "wrong_arrow",
            f"{column_text(pair.one)} is a row of {' or '.join(sorted(first))}, "
            f"{column_text(pair.other)} one of {' or '.join(sorted(second))}, so they are never "
            "equal.",
        )
    right = f"{directions_of(edge)}, so {column_text(end)} is never a {kind}."
    turned = OTHER_END[name]
    if kind in ends_of(edge, turned):
        intended = f"{end.table}.{turned}" if end.table and end.name == name else turned
        message = f"{right} Compare {column_text(node)} with {intended}."
        return RefusalError("wrong_arrow", message, suggestions=(intended,))
    fitting = tuple(item.name for item in contract.connections_of(kind))
    return RefusalError(
        "wrong_arrow", f"{right} Edges of {kind} are {', '.join(fitting)}.", suggestions=fitting
    )
