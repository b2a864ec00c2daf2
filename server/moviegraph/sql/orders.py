"""ORDER BY: what a query may be sorted by."""

from sqlglot import exp

from moviegraph.sql.columns import embedding_output
from moviegraph.sql.groups import Shape, shape
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Field
from moviegraph.sql.windows import is_constant


def check_ordinal(target: exp.Expr, fields: tuple[Field, ...]) -> None:
    """Check that a number or string in ORDER BY is the number of a column."""
    number = int(target.name) if target.is_int else 0
    if not 0 < number <= len(fields):
        raise RefusalError(
            "syntax",
            f"ORDER BY {target.sql()} is no column of the select list; it has {len(fields)}. "
            "Order by a column, an alias or an expression.",
        )
    if fields[number - 1].type == "VECTOR":
        raise embedding_output("ORDER BY")


def check_order(select: exp.Select) -> None:
    """Refuse sort keys that are constant, doubled, two columns at once, or beside DISTINCT."""
    order = select.args.get("order")
    if order is None:
        return
    items: dict[str, set[Shape]] = {}
    for item in select.expressions:
        items.setdefault(item.alias_or_name.lower(), set()).add(shape(item.unalias()))
    listed = set[Shape]().union(*items.values()) if select.args.get("distinct") else None
    seen: set[Shape] = set()
    for each in order.expressions:
        key = each.this
        if isinstance(key.unnest(), exp.Literal):
            continue
        if is_constant(key):
            raise RefusalError("syntax", "ORDER BY takes columns, no constant expression; drop it.")
        made = shape(key)
        if made in seen:
            raise RefusalError(
                "syntax", f"ORDER BY names {key.sql('tsql')} twice; drop the second."
            )
        seen.add(made)
        named = isinstance(key, exp.Column) and not key.meta.get("alias")
        found = items.get(key.name.lower(), set()) if named else set[Shape]()
        _check_named(key, found)
        if listed is not None and not found and made not in listed:
            raise RefusalError(
                "syntax",
                "With DISTINCT, ORDER BY takes columns of the select list only; select the sort "
                "key too, or use GROUP BY.",
            )


def _check_named(key: exp.Expr, found: set[Shape]) -> None:
    """An alias stands for one column."""
    if len(found) > 1:
        raise RefusalError(
            "ambiguous_column",
            f"{key.name} is the name of several columns of the select list; give each an alias of "
            "its own.",
        )


def united_order(target: exp.Expr) -> RefusalError:
    """Return the refusal of a computed sort key after a set operation."""
    return RefusalError(
        "syntax",
        f"After a UNION, EXCEPT or INTERSECT, ORDER BY takes columns of the first query by name or "
        f"number, and {target.sql('tsql')} is none; put the whole into a derived table to sort by "
        "it.",
    )
