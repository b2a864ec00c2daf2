"""Checks of GROUP BY, ORDER BY and OVER."""

from sqlglot import exp

from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.functions import (
    FUNCTIONS,
    INNER,
    PERCENTILES,
    WRAPPERS,
    has_group_aggregate,
    is_group_aggregate,
    nodes_of_row,
)
from moviegraph.sql.scope import column_text, embedding_output
from moviegraph.sql.syntax_tree import Field, annotations, children, nodes, nodes_of

ExpressionKey = tuple[object, ...]
LISTS = (exp.Tuple, exp.Paren, exp.Rollup, exp.Cube, exp.GroupingSets)
GROUPED = ("rollup", "cube", "grouping_sets")
EXTREMES = ("__MAX", "__MIN")
GROUPING = ("__GROUPING", "__GROUPING_ID")
WITHOUT_FRAME = frozenset(
    "ROW_NUMBER RANK DENSE_RANK NTILE LAG LEAD PERCENT_RANK CUME_DIST".split()
)
ORDERED = WITHOUT_FRAME | {"FIRST_VALUE", "LAST_VALUE"}
CHOOSING = frozenset({"FIRST_VALUE", "LAST_VALUE", "LAG", "LEAD"})
WITHOUT_OVER = frozenset(
    "STRING_AGG GROUPING GROUPING_ID APPROX_COUNT_DISTINCT APPROX_PERCENTILE_CONT "
    "APPROX_PERCENTILE_DISC".split()
)
FRAME_BOUNDS = (
    "UNBOUNDED PRECEDING",
    "PRECEDING",
    "CURRENT ROW",
    "FOLLOWING",
    "UNBOUNDED FOLLOWING",
)


def check_groups(select: exp.Select) -> None:
    """Refuse a column that is neither grouped nor aggregated (Msg 8120). Raises RefusalError."""
    group = select.args.get("group")
    group_keys = _grouped_expressions(group) if group is not None else []
    for item in group_keys:
        _check_listed(item)
    parts = [*select.expressions, *_order_and_having(select)]
    plain = group is None and select.args.get("having") is None
    if plain and not any(map(has_group_aggregate, parts)):
        return
    grouped = {expression_key(item) for item in group_keys}
    kinds = {type(item.unnest()) for item in group_keys}
    for part in parts:
        column = _ungrouped(part, grouped, kinds)
        if column is not None:
            raise _not_grouped(column, select)


def check_group(node: exp.Group) -> None:
    """SQL Server takes no ordinal in GROUP BY; other engines would read one."""
    sets: list[exp.Expr] = []
    for name in GROUPED:
        sets += node.args.get(name) or []
    if not node.expressions and not any(item.expressions for item in sets):
        raise DialectError("GROUP BY names no column.")
    if any(isinstance(argument.unnest(), exp.Literal) for argument in node.expressions):
        raise DialectError(
            "GROUP BY takes columns and expressions, not numbers or strings; name them."
        )


def _order_and_having(select: exp.Select) -> list[exp.Expr]:
    order, having = select.args.get("order"), select.args.get("having")
    keys: list[exp.Expr] = [key.this for key in order.expressions] if order is not None else []
    return [*keys, *([having.this] if having is not None else [])]


def _grouped_expressions(group: exp.Group) -> list[exp.Expr]:
    """Return the expressions of a GROUP BY, those of its sets included."""
    stack: list[exp.Expr] = children(group)
    keys: list[exp.Expr] = []
    for node in stack:
        inner = node.unnest()
        if isinstance(inner, LISTS):
            stack += children(inner)
        else:
            keys.append(inner)
    return keys


def _check_listed(node: exp.Expr) -> None:
    columns = [column for column in nodes_of(node, exp.Column) if not annotations(column).outer]
    if nodes_of(node, exp.Query) or not columns:
        raise DialectError(
            "Each item of GROUP BY holds a column of this FROM and no subquery; remove a constant, "
            "and compute a subquery in a CTE or with CROSS APPLY first."
        )


def expression_key(node: exp.Expr) -> ExpressionKey:
    """Return what two spellings of one expression have in common."""
    traits: list[object] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, exp.Paren | exp.Alias):
            stack.append(current.this)
        elif isinstance(current, exp.Column):
            traits.append(
                (str((annotations(current).alias or current.table)).lower(), current.name.lower())
            )
        else:
            plain = tuple(
                (k, v) for k, v in current.args.items() if isinstance(v, str | bool) and v
            )
            below = children(current)
            traits.append((type(current).__name__, plain, len(below)))
            stack += below
    return tuple(traits)


def _ungrouped(
    part: exp.Expr, grouped: set[ExpressionKey], kinds: set[type[exp.Expr]]
) -> exp.Column | None:
    """Return a column that is neither grouped nor aggregated, if there is one."""
    stack = [part]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Anonymous) and node.name in GROUPING:
            _check_grouping(node, grouped)
            continue
        function = node.this if isinstance(node, exp.WithinGroup) else node
        if isinstance(node, INNER) or is_group_aggregate(function):
            continue
        if type(node) in kinds and expression_key(node) in grouped:
            continue
        if isinstance(node, exp.Column) and annotations(node).alias and not annotations(node).outer:
            return node
        stack += children(node)
    return None


def _check_grouping(node: exp.Anonymous, grouped: set[ExpressionKey]) -> None:
    if any(expression_key(argument) not in grouped for argument in node.expressions):
        raise RefusalError("not_grouped", f"{node.name[2:]} takes expressions of the GROUP BY.")


def _not_grouped(column: exp.Column, select: exp.Select) -> RefusalError:
    name = column_text(column)
    problem = f"{name} is neither in GROUP BY nor inside an aggregate;"
    extreme = _extreme(select)
    if extreme is not None:
        value = extreme.expressions[0]
        text = column_text(value) if isinstance(value, exp.Column) else "x"
        order = f"ORDER BY {text}{' DESC' * (extreme.name == '__MAX')}"
        return RefusalError(
            "not_grouped",
            f"{problem} for the row of the {extreme.name[2:]} list {text} itself: SELECT TOP 1 "
            f"{name}, {text} ... {order}. For a value of each group, add {name} to GROUP BY.",
            suggestions=(order, f"GROUP BY {name}"),
        )
    sort = " State with ORDER BY which groups come first." if _is_unordered_top(select) else ""
    return RefusalError(
        "not_grouped",
        f"{problem} add it to GROUP BY, or write MAX({name}).{sort}",
        suggestions=(f"GROUP BY {name}", f"MAX({name})"),
    )


def _extreme(select: exp.Select) -> exp.Anonymous | None:
    """Return the MAX or MIN of a select list that is neither grouped nor sorted."""
    if select.args.get("group") is not None or select.args.get("order") is not None:
        return None
    for node in (inner for item in select.expressions for inner in nodes_of_row(item)):
        if isinstance(node, exp.Anonymous) and node.name in EXTREMES and is_group_aggregate(node):
            return node
    return None


def _is_unordered_top(select: exp.Select) -> bool:
    """Whether TOP takes some of the rows without an order."""
    return select.args.get("limit") is not None and select.args.get("order") is None


def check_ordinal(target: exp.Expr, fields: tuple[Field, ...]) -> None:
    """Check that a number or string in ORDER BY is the number of a column."""
    number = int(target.name) if target.is_int else 0
    if not 0 < number <= len(fields):
        raise DialectError(
            f"ORDER BY {target.sql()} is not a column of the select list; it has {len(fields)}. "
            "Order by a column, an alias or an expression."
        )
    if fields[number - 1].type == "VECTOR":
        raise embedding_output("ORDER BY")


def check_order(select: exp.Select) -> None:
    """Refuse sort keys that are constant, doubled, ambiguous, or missing from a DISTINCT list."""
    order = select.args.get("order")
    if order is None:
        return
    items: dict[str, set[ExpressionKey]] = {}
    for item in select.expressions:
        items.setdefault(item.alias_or_name.lower(), set()).add(expression_key(item.unalias()))
    output_keys = (
        set[ExpressionKey]().union(*items.values()) if select.args.get("distinct") else None
    )
    order_keys: set[ExpressionKey] = set()
    for part in order.expressions:
        key = part.this
        if isinstance(key.unnest(), exp.Literal):
            continue
        if is_constant(key):
            raise DialectError("ORDER BY takes columns, no constant expression; drop it.")
        sort_key = expression_key(key)
        if sort_key in order_keys:
            raise DialectError(f"ORDER BY names {key.sql('tsql')} twice; drop the second.")
        order_keys.add(sort_key)
        is_alias = isinstance(key, exp.Column) and not annotations(key).alias
        aliased = items.get(key.name.lower(), set()) if is_alias else set[ExpressionKey]()
        _check_unique(key, aliased)
        if output_keys is not None and not aliased and sort_key not in output_keys:
            raise DialectError(
                "With DISTINCT, ORDER BY takes columns of the select list only; select the sort "
                "key too, or use GROUP BY."
            )


def _check_unique(key: exp.Expr, aliased: set[ExpressionKey]) -> None:
    """Refuse an alias that two columns of the select list share."""
    if len(aliased) > 1:
        raise RefusalError(
            "ambiguous_column",
            f"{key.name} is the name of several columns of the select list; give each an alias of "
            "its own.",
        )


def union_order_refusal(target: exp.Expr) -> RefusalError:
    """Return the refusal of a computed sort key after a set operation."""
    return DialectError(
        f"After a UNION, EXCEPT or INTERSECT, ORDER BY takes columns of the first query by name or "
        f"number, and {target.sql('tsql')} is none; put the whole into a derived table to sort by "
        "it."
    )


def check_window(node: exp.Window) -> None:
    """Check one OVER. Raises RefusalError."""
    if node.args.get("over") not in (None, "OVER"):
        raise RefusalError("not_allowed", "A window is written OVER (...).")
    call = node.this
    while isinstance(call, WRAPPERS):
        call = call.this
    if not isinstance(call, exp.Anonymous) or call.name[2:] not in FUNCTIONS:
        raise DialectError("OVER follows a function.")
    _check_alone(node, call.name[2:])
    _check_parts(node, call)


def _check_alone(node: exp.Window, name: str) -> None:
    """Refuse a window inside another one or inside an aggregate."""
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.Select):
        inside = isinstance(parent, exp.Anonymous) and parent.name[2:] in FUNCTIONS
        if isinstance(parent, exp.Window) or (
            inside and FUNCTIONS[parent.name[2:]].kind == "aggregate"
        ):
            raise DialectError(
                f"{name} with OVER is inside another window or aggregate; compute it in a CTE "
                "first."
            )
        parent = parent.parent


def _check_parts(window: exp.Window, call: exp.Anonymous) -> None:
    name = call.name[2:]
    order, frame = window.args.get("order"), window.args.get("spec")
    _check_order(order)
    if name in WITHOUT_OVER:
        raise DialectError(f"{name} does not accept OVER; group in a CTE and join it.")
    if any(isinstance(argument, exp.Distinct) for argument in call.expressions):
        raise DialectError(
            f"{name}(DISTINCT ...) does not accept OVER; count distinct values in a CTE."
        )
    if name in ORDERED and order is None:
        raise DialectError(f"{name} needs an order: {name}(...) OVER (ORDER BY x).")
    if name in PERCENTILES and (order is not None or frame is not None):
        raise DialectError(
            f"{name} takes its order WITHIN GROUP, and OVER (PARTITION BY ...) or OVER ()."
        )
    if frame is not None and name in WITHOUT_FRAME:
        raise DialectError(f"{name} does not accept a ROWS or RANGE frame; remove it.")
    if frame is not None and order is None:
        raise DialectError("A ROWS or RANGE frame needs an ORDER BY before it in OVER.")


def _check_order(order: exp.Order | None) -> None:
    if order is not None and any(is_constant(key.this) for key in order.expressions):
        raise DialectError(
            "ORDER BY in OVER takes columns, no numbers or other constants; for any order write "
            "ORDER BY (SELECT NULL)."
        )


def is_constant(node: exp.Expr) -> bool:
    """Whether an expression is made of literals only."""
    varying = (exp.Column, exp.Anonymous, exp.Query, exp.Parameter)
    return not any(isinstance(item, varying) for item in nodes(node))


def check_frame(node: exp.WindowSpec) -> None:
    """Check the bounds of a frame. Raises RefusalError."""
    kind = str(node.args.get("kind", "")).upper()
    bounds = [node.args.get("start"), node.args.get("end")]
    if kind not in ("ROWS", "RANGE"):
        raise DialectError(f"T-SQL has no {kind} frame; write ROWS BETWEEN ... AND ...")
    directions = [node.args.get("start_side"), node.args.get("end_side")]
    if any(
        not s and b not in (None, "CURRENT ROW") for b, s in zip(bounds, directions, strict=True)
    ):
        raise DialectError("A frame bound is n PRECEDING, n FOLLOWING or CURRENT ROW.")
    for bound in bounds:
        counted = isinstance(bound, exp.Literal) and bound.name.isdigit()
        if isinstance(bound, exp.Expr) and not (counted and kind == "ROWS"):
            raise DialectError(
                "A frame is bounded by UNBOUNDED, CURRENT ROW or, with ROWS, a plain number: "
                "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW."
            )
    first, last = _frame_bound(node, "start"), _frame_bound(node, "end")
    short = annotations(node).short_frame and first > FRAME_BOUNDS.index("CURRENT ROW")
    if first > last or first == len(FRAME_BOUNDS) - 1 or last == 0 or short:
        raise DialectError("A frame ends no earlier than it begins: ROWS BETWEEN start AND end.")


def _frame_bound(node: exp.WindowSpec, which: str) -> int:
    bound, side = node.args.get(which), str(node.args.get(f"{which}_side") or "").upper()
    if bound == "CURRENT ROW":
        return FRAME_BOUNDS.index("CURRENT ROW")
    return FRAME_BOUNDS.index(f"UNBOUNDED {side}" if bound == "UNBOUNDED" else side)


def check_nulls(node: exp.Expr) -> None:
    """IGNORE NULLS and RESPECT NULLS follow the parenthesis of four functions."""
    call = node.this
    function_name = call.name[2:] if isinstance(call, exp.Anonymous) else ""
    if function_name not in CHOOSING or not isinstance(node.parent, exp.Window):
        raise DialectError(
            "IGNORE NULLS and RESPECT NULLS go between FIRST_VALUE(x), LAST_VALUE(x), LAG(x) or "
            "LEAD(x) and its OVER."
        )


def check_percentile(node: exp.WithinGroup) -> None:
    """A percentile is a literal from 0 to 1 and orders by one expression."""
    call = node.this
    name = call.name[2:] if isinstance(call, exp.Anonymous) else ""
    if name not in PERCENTILES:
        return
    share = call.expressions[0].unnest()
    if not isinstance(share, exp.Literal) or share.is_string or not 0 <= float(share.name) <= 1:
        raise RefusalError("wrong_arguments", f"{name} takes a number from 0 to 1: {name}(0.5).")
    order = node.expression
    if not isinstance(order, exp.Order) or len(order.expressions) != 1:
        raise RefusalError("wrong_arguments", f"{name} is ordered by one expression.")
