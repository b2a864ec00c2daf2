"""The items of a FROM, those of nested joins included."""

from sqlglot import exp

from moviegraph.sql.refusal import RefusalError

Item = exp.Expr
PIVOTED_JOIN = (
    "PIVOT and UNPIVOT follow one table or derived table; put the join into a derived table: "
    "FROM (SELECT ... FROM a JOIN b ON ...) AS s PIVOT (...) AS p."
)


def joins_of(item: exp.Expr) -> list[exp.Join]:
    """Return the joins that hang on a SELECT, or on one item of its FROM."""
    listed: list[exp.Join] = item.args.get("joins") or []
    return listed


def first_item(item: Item) -> Item:
    """Return what a parenthesised join begins with; any other item is returned as it is.

    `(b JOIN c ON ...)` is a Subquery of a table that carries joins, and in `((a JOIN b ON ...) JOIN
    c ON ...)` of another such Subquery: one level is opened. Raises RefusalError.
    """
    if not isinstance(item, exp.Subquery):
        return item
    plain = not isinstance(item.this, exp.Query | exp.Values)
    return _opened(item) if plain or _holds_join(item) else item


def _holds_join(item: exp.Subquery) -> bool:
    inner = item.this
    while isinstance(inner, exp.Subquery):
        if inner.args.get("joins") or inner.args.get("alias"):
            return True
        inner = inner.this
    return isinstance(inner, exp.Table)


def _opened(item: exp.Subquery) -> Item:
    inner = item.this
    if item.args.get("alias") is not None:
        raise RefusalError(
            "syntax",
            "A join in parentheses takes no alias; for one name write (SELECT ... FROM a JOIN b ON "
            "...) AS x.",
        )
    if not isinstance(inner, exp.Subquery) and not joins_of(inner):
        raise RefusalError("syntax", "In FROM, parentheses hold a SELECT or a join; drop them.")
    return inner


def items_of(select: exp.Select) -> list[Item]:
    """Return every table, subquery and function of a FROM."""
    clause = select.args.get("from_")
    stack: list[Item] = [clause.this] if clause is not None else []
    stack += [join.this for join in joins_of(select)]
    found: list[Item] = []
    for item in stack:
        inner = item
        while isinstance(inner, exp.Subquery) and _holds_join(inner):
            stack += [join.this for join in joins_of(inner)]
            inner = inner.this
        stack += [join.this for join in joins_of(inner)]
        found.append(inner)
    return found


def all_joins(select: exp.Select) -> list[exp.Join]:
    """Return the joins of a SELECT, nested ones included."""
    clause = select.args.get("from_")
    stack: list[exp.Expr] = [select, *([clause.this] if clause is not None else [])]
    found: list[exp.Join] = []
    for node in stack:
        found += joins_of(node)
        stack += [join.this for join in joins_of(node)]
        if isinstance(node, exp.Subquery) and _holds_join(node):
            stack.append(node.this)
    return found


def joining(select: exp.Select) -> list[exp.Expr]:
    """Return the conditions by which a SELECT joins its sources: of ON, and of WHERE."""
    found: list[exp.Expr] = [j.args["on"] for j in all_joins(select) if j.args.get("on")]
    where = select.args.get("where")
    return found if where is None else [*found, where.this]


def is_comma(join: exp.Join) -> bool:
    """Whether a join is a comma, which begins anew, rather than JOIN or APPLY."""
    words = join.args.get("on") or join.args.get("kind") or join.args.get("side")
    return not words and not isinstance(join.this, exp.Lateral)
