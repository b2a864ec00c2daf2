"""The queries of a UNION, EXCEPT or INTERSECT: T-SQL sorts none of them by itself."""

from sqlglot import exp

from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.walk import of_kind

MISPLACED = (
    "ORDER BY stands once, after the last query of a UNION, EXCEPT or INTERSECT; to sort one query "
    "alone, put it into a derived table: SELECT * FROM (SELECT TOP 5 ... ORDER BY x) AS a."
)
MOVED = (
    "A query with ORDER BY inside a UNION, EXCEPT or INTERSECT was put into a derived table, "
    "because T-SQL takes it there only."
)


def wrap_sorted(tree: exp.Expr, notes: list[str]) -> bool:
    """Put each sorted operand of a set operation into a derived table; say whether any was."""
    count = 0
    for operation in of_kind(tree, exp.SetOperation):
        for side in ("this", "expression"):
            arm = operation.args[side]
            if isinstance(arm, exp.Select) and arm.args.get("order") is not None:
                raise RefusalError("syntax", MISPLACED)
            inner = arm.unnest() if isinstance(arm, exp.Subquery) else None
            if inner is None or inner.args.get("order") is None:
                continue
            count += 1
            operation.set(side, _derived(inner, f"arm{count}"))
    if count:
        notes.append(MOVED)
    return bool(count)


def _derived(query: exp.Expr, name: str) -> exp.Select:
    alias = exp.TableAlias(this=exp.Identifier(this=name, quoted=True))
    source = exp.Subquery(this=query, alias=alias)
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=source))
