"""GROUP BY: what stands beside an aggregate is grouped itself."""

from collections.abc import Iterable

from sqlglot import exp

from moviegraph.sql.columns import shown
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.walk import above, children, of_kind
from moviegraph.sql.windows import own_window

Shape = tuple[object, ...]
LISTS = (exp.Tuple, exp.Paren, exp.Rollup, exp.Cube, exp.GroupingSets)
INNER = (exp.Select, exp.SetOperation, exp.Table)
GROUPED = ("rollup", "cube", "grouping_sets")
EXTREMES = ("__MAX", "__MIN")
GROUPING = ("__GROUPING", "__GROUPING_ID")


def check_groups(select: exp.Select) -> None:
    """Refuse a column that is neither grouped nor aggregated (Msg 8120). Raises RefusalError."""
    group = select.args.get("group")
    listed = _listed(group) if group is not None else []
    for each in listed:
        _check_listed(each)
    parts = [*select.expressions, *_rest(select)]
    plain = group is None and select.args.get("having") is None
    if plain and not any(_aggregates(part) for part in parts):
        return
    grouped = {shape(each) for each in listed}
    kinds = {type(each.unnest()) for each in listed}
    for part in parts:
        column = _ungrouped(part, grouped, kinds)
        if column is not None:
            raise _not_grouped(column, select)


def check_group(node: exp.Group) -> None:
    """SQL Server takes no ordinal in GROUP BY; other engines would read one."""
    sets: list[exp.Expr] = []
    for name in GROUPED:
        sets += node.args.get(name) or []
    if not node.expressions and not any(each.expressions for each in sets):
        raise RefusalError("syntax", "GROUP BY names no column.")
    if any(isinstance(each.unnest(), exp.Literal) for each in node.expressions):
        raise RefusalError(
            "syntax", "GROUP BY takes columns and expressions, no numbers or strings; name them."
        )


def _rest(select: exp.Select) -> list[exp.Expr]:
    order, having = select.args.get("order"), select.args.get("having")
    keys: list[exp.Expr] = [each.this for each in order.expressions] if order is not None else []
    return [*keys, *([having.this] if having is not None else [])]


def _listed(group: exp.Group) -> list[exp.Expr]:
    """Return the expressions of a GROUP BY, those of its sets included."""
    stack: list[exp.Expr] = children(group)
    found: list[exp.Expr] = []
    for node in stack:
        inner = node.unnest()
        if isinstance(inner, LISTS):
            stack += children(inner)
        else:
            found.append(inner)
    return found


def _check_listed(node: exp.Expr) -> None:
    columns = [each for each in of_kind(node, exp.Column) if not each.meta.get("outer")]
    if of_kind(node, exp.Query) or not columns:
        raise RefusalError(
            "syntax",
            "Each item of GROUP BY holds a column of this FROM and no subquery; leave a constant "
            "out, and compute a subquery in a CTE or with CROSS APPLY first.",
        )


def shape(node: exp.Expr) -> Shape:
    """Return what two spellings of one expression have in common."""
    found: list[object] = []
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.Paren | exp.Alias):
            stack.append(each.this)
        elif isinstance(each, exp.Column):
            found.append((str(each.meta.get("alias", each.table)).lower(), each.name.lower()))
        else:
            plain = tuple((k, v) for k, v in each.args.items() if isinstance(v, str | bool) and v)
            below = children(each)
            found.append((type(each).__name__, plain, len(below)))
            stack += below
    return tuple(found)


def _aggregates(node: exp.Expr) -> bool:
    return any(_is_aggregated(each) for each in _own(node))


def _own(node: exp.Expr) -> Iterable[exp.Expr]:
    return above(node, lambda n: isinstance(n, INNER))


def _is_aggregated(node: exp.Expr) -> bool:
    """Whether a node is an aggregate over the group; an aggregate along a path is none."""
    if isinstance(node, exp.WithinGroup):
        return not _along_path(node) and _is_aggregated(node.this)
    if not isinstance(node, exp.Anonymous) or node.name[2:] not in FUNCTIONS:
        return False
    holder = node.parent
    if isinstance(holder, exp.WithinGroup) and _along_path(holder):
        return False
    return FUNCTIONS[node.name[2:]].kind == "aggregate" and own_window(node) is None


def _along_path(node: exp.WithinGroup) -> bool:
    return any(column.name.startswith("__") for column in of_kind(node.expression, exp.Column))


def _ungrouped(
    part: exp.Expr, grouped: set[Shape], kinds: set[type[exp.Expr]]
) -> exp.Column | None:
    """Return a column that is neither grouped nor aggregated, if there is one."""
    stack = [part]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Anonymous) and node.name in GROUPING:
            _check_grouping(node, grouped)
            continue
        if isinstance(node, INNER) or _is_aggregated(node):
            continue
        if type(node) in kinds and shape(node) in grouped:
            continue
        if isinstance(node, exp.Column) and node.meta.get("alias") and not node.meta.get("outer"):
            return node
        stack += children(node)
    return None


def _check_grouping(node: exp.Anonymous, grouped: set[Shape]) -> None:
    if any(shape(each) not in grouped for each in node.expressions):
        raise RefusalError("not_grouped", f"{node.name[2:]} takes expressions of the GROUP BY.")


def _not_grouped(column: exp.Column, select: exp.Select) -> RefusalError:
    name = shown(column)
    said = f"{name} is neither in GROUP BY nor inside an aggregate;"
    extreme = _extreme(select)
    if extreme is not None:
        value = extreme.expressions[0]
        held = shown(value) if isinstance(value, exp.Column) else "x"
        order = f"ORDER BY {held}{' DESC' * (extreme.name == '__MAX')}"
        return RefusalError(
            "not_grouped",
            f"{said} for the row of the {extreme.name[2:]} list {held} itself: SELECT TOP 1 "
            f"{name}, {held} ... {order}. For a value of each group, add {name} to GROUP BY.",
            suggestions=(order, f"GROUP BY {name}"),
        )
    sort = " Say by ORDER BY which groups come first." if _is_cut(select) else ""
    return RefusalError(
        "not_grouped",
        f"{said} add it to GROUP BY, or write MAX({name}).{sort}",
        suggestions=(f"GROUP BY {name}", f"MAX({name})"),
    )


def _extreme(select: exp.Select) -> exp.Anonymous | None:
    """Return the MAX or MIN of a select list that is neither grouped nor sorted."""
    if select.args.get("group") is not None or select.args.get("order") is not None:
        return None
    for node in (inner for item in select.expressions for inner in _own(item)):
        if isinstance(node, exp.Anonymous) and node.name in EXTREMES and _is_aggregated(node):
            return node
    return None


def _is_cut(select: exp.Select) -> bool:
    """Whether TOP takes some of the rows without an order."""
    return select.args.get("limit") is not None and select.args.get("order") is None
