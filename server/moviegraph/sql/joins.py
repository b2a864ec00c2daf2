"""Items and joins of a FROM; tables that nothing connects are refused."""

import re
from math import prod

from sqlglot import exp

from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.derived_tables import MAX_BOUNDED
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.match_patterns import Match, SameLast
from moviegraph.sql.scope import Scope
from moviegraph.sql.syntax_tree import (
    annotations,
    children,
    conjuncts,
    disjuncts,
    nodes_above,
    nodes_of,
    string_value,
    whole_number,
)

Item = exp.Expr
PIVOTED_JOIN = (
    "PIVOT follows one table or derived table; put the join into a derived table: "
    "FROM (SELECT ... FROM a JOIN b ON ...) AS s PIVOT (...) AS p."
)
OUTER = "\0outer"  # the SELECTs around, as one source
SEARCHES = ("__CONTAINS", "__FREETEXT")
FLAGS = ("__ISJSON", "__SIGN")
CUTTING = ("__LEFT", "__REPLICATE", "__RIGHT", "__SPACE", "__SUBSTRING")
MAX_PRODUCT = 10_000
MAX_PRODUCT_WITH_TABLES = 1_000
MAX_SHOWN = 60
BRACKETED = re.compile(r"\[(\w+)\]")
Groups = list[set[str]]
Pairs = set[frozenset[str]]


def joins_of(item: exp.Expr) -> list[exp.Join]:
    """Return the joins that hang on a SELECT, or on one item of its FROM."""
    joins: list[exp.Join] = item.args.get("joins") or []
    return joins


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
        raise DialectError(
            "A join in parentheses takes no alias; for one name write (SELECT ... FROM a JOIN b ON "
            "...) AS x."
        )
    if not isinstance(inner, exp.Subquery) and not joins_of(inner):
        raise DialectError("In FROM, parentheses hold a SELECT or a join; drop them.")
    return inner


def items_of(select: exp.Select) -> list[Item]:
    """Return every table, subquery and function of a FROM."""
    return _from_clause(select)[0]


def join_conditions(select: exp.Select) -> list[exp.Expr]:
    """Return the conditions by which a SELECT joins its sources: of ON, and of WHERE."""
    joins = _from_clause(select)[1]
    conditions: list[exp.Expr] = [join.args["on"] for join in joins if join.args.get("on")]
    where = select.args.get("where")
    return conditions if where is None else [*conditions, where.this]


def _from_clause(select: exp.Select) -> tuple[list[Item], list[exp.Join]]:
    """Return the items and the joins of a FROM, those of joins in parentheses included."""
    clause = select.args.get("from_")
    stack: list[Item] = [clause.this] if clause is not None else []
    joins = list(joins_of(select))
    stack += [join.this for join in joins]
    items: list[Item] = []
    for item in stack:
        nested = joins_of(item)
        joins += nested
        stack += [join.this for join in nested]
        if isinstance(item, exp.Subquery) and _holds_join(item):
            stack.append(item.this)
        else:
            items.append(item)
    return items, joins


def is_comma(join: exp.Join) -> bool:
    """Whether a join is a comma, rather than JOIN or APPLY."""
    words = join.args.get("on") or join.args.get("kind") or join.args.get("side")
    return not words and not isinstance(join.this, exp.Lateral)


def check_connected(select: exp.Select, scope: Scope, matches: tuple[Match, ...]) -> None:
    """Refuse a FROM in which every row of one table would meet every row of another.

    Sources that MATCH, an equality or a correlated APPLY connects are a group. Groups of a few rows
    (VALUES, one row of aggregates, TOP 5, a name that is given) may meet each other and one large
    group. Two large ones need another condition or a VECTOR_DISTANCE between them, and all but one
    of them something that leaves few of its rows: a given value, a search, GROUP BY or TOP.

    How many rows the SELECT comes to is left in its annotations, for a SELECT that reads it.
    """
    parts = [part for condition in join_conditions(select) for part in conjuncts(condition)]
    pairs = _connected_by(parts, matches)
    rows: dict[str, int] = {}
    narrowed: set[str] = {OUTER}
    for key, source in scope.sources.items():
        pairs |= {frozenset((key, other)) for other in source.tied}
        if source.rows is not None:
            rows[key] = source.rows
        if source.narrowed:
            narrowed.add(key)
    for part in parts:
        for key, count in _given(part).items():
            rows[key] = min(count, rows.get(key, count))
        if isinstance(part, exp.Anonymous) and part.name in SEARCHES:
            narrowed |= _sources_of(part)
    rows.pop(OUTER, None)
    groups = _groups([{key} for key in scope.sources], pairs)
    large = [group for group in groups if not group - {OUTER} <= rows.keys()]
    small = [group for group in groups if group not in large]
    whole = [group for group in large if not (group - {OUTER}) & (narrowed | rows.keys())]
    if len(whole) > 1:
        raise _product(scope, whole, parts)
    apart = _groups(large, _compared(select, parts))
    if len(apart) > 1:
        raise _product(scope, apart, parts)
    count = prod(max(rows[key] for key in group - {OUTER}) for group in small)
    _check_count(count, MAX_PRODUCT_WITH_TABLES if large else MAX_PRODUCT)
    annotations(select).rows = None if large else count
    annotations(select).narrowed = not whole


def _check_count(rows: int, most: int) -> None:
    if rows > most:
        raise RefusalError(
            "cartesian_product",
            f"The small tables of this FROM multiply to {rows:,} rows, and {most:,} is the "
            "most; join them, or list fewer.",
        )


def _product(scope: Scope, groups: Groups, parts: list[exp.Expr]) -> RefusalError:
    """Return the refusal of groups that are not connected, with the condition between them."""
    one, other = sorted(groups, key=sorted)[:2]
    names = [
        ", ".join(scope.sources[key].alias for key in sorted(group) if key in scope.sources)
        for group in (one, other)
    ]
    weak = [part for part in parts if (found := _sources_of(part)) & one and found & other]
    found = f"Nothing joins {names[0]} with {names[1]}, so every row would meet every other."
    if weak:
        text = BRACKETED.sub(r"\1", weak[0].sql("tsql")).replace("__", "")
        found = (
            f"Only {text if len(text) <= MAX_SHOWN else 'a condition'} joins {names[0]} with "
            f"{names[1]}, and it holds for too many pairs of rows."
        )
    return RefusalError(
        "cartesian_product",
        f"{found} Join them with MATCH or an equality (a.Id = b.Id), or pin one side to a literal.",
    )


def _groups(groups: Groups, pairs: Pairs) -> Groups:
    """Return the groups, merged where a pair has a source in each."""
    for pair in pairs:
        touching = [group for group in groups if group & pair]
        if touching:
            merged = set[str]().union(pair, *touching)
            groups = [group for group in groups if group not in touching] + [merged]
    return groups


def _across(left: set[str], right: set[str]) -> Pairs:
    return {frozenset((a, b)) for a in left for b in right if a != b}


def _connected_by(parts: list[exp.Expr], matches: tuple[Match, ...]) -> Pairs:
    return set[frozenset[str]]().union(*(_connected(part, matches) for part in parts))


def _connected(part: exp.Expr, matches: tuple[Match, ...]) -> Pairs:
    """Return the pairs of sources that a condition surely connects.

    An equality with one source on both sides connects none: a.Id = a.Id + b.Id - b.Id.
    """
    if isinstance(part, exp.Or):
        branches = (_connected_by(conjuncts(branch), matches) for branch in disjuncts(part))
        return set[frozenset[str]].intersection(*branches)
    if isinstance(part, exp.EQ):
        left, right = _sources_of(part.this), _sources_of(part.expression)
        if left & right or has_few_values(part.this) or has_few_values(part.expression):
            return set()
        return _across(left, right)
    if isinstance(part, exp.Anonymous) and part.name == "__MATCH":
        return _matched(matches[int(part.expressions[0].name)])
    return set()


def _matched(match: Match) -> Pairs:
    pairs: Pairs = set()
    for pattern in match.patterns:
        if isinstance(pattern, SameLast):
            pairs.add(frozenset((pattern.left.lower(), pattern.right.lower())))
            continue
        for hop in pattern.hops():
            names = [name.lower() for name in hop]
            pairs |= {frozenset(names[:2]), frozenset(names[::2])}
    return pairs


def _compared(select: exp.Select, parts: list[exp.Expr]) -> Pairs:
    """Return the pairs of sources that any condition or distance looks at together."""
    below = nodes_above(select, lambda node: node is not select and isinstance(node, exp.Query))
    calls = [node for node in below if isinstance(node, exp.Anonymous)]
    distances = [call for call in calls if call.name == "__VECTOR_DISTANCE"]
    pairs: Pairs = set()
    for part in [*parts, *distances]:
        names = _sources_of(part)
        pairs |= _across(names, names)
    return pairs


def _sources_of(node: exp.Expr) -> set[str]:
    """Return the sources that an expression names; of a subquery in it, those around it."""
    sources: set[str] = set()
    for item in nodes_above(node, lambda n: isinstance(n, exp.Select | exp.SetOperation)):
        if isinstance(item, exp.Select | exp.SetOperation):
            inner = [c for c in nodes_of(item, exp.Column) if annotations(c).outer]
            sources |= {annotations(c).alias.lower() for c in inner}
        elif isinstance(item, exp.Column) and annotations(item).alias:
            sources.add(OUTER if annotations(item).outer else annotations(item).alias.lower())
    return sources


def has_few_values(node: exp.Expr) -> bool:
    """Whether an expression has one or a few values, whatever rows its sources have.

    Examples: 1, x.Id % 5, x.Id * 0, LEFT(x.Name, 0), and CASE WHEN x.Id > 5 THEN 1 ELSE 0 END. What
    passes, such as x.Id / x.Id, is left to the limits of the engine.
    """
    node = node.unnest()
    if isinstance(node, exp.Column):
        return annotations(node).few_values
    if isinstance(node, exp.Select):
        return _is_fixed(node)
    if isinstance(node, exp.Query | exp.Window | exp.Parameter):
        return False
    if isinstance(node, exp.Anonymous):
        function, arguments = FUNCTIONS.get(node.name[2:]), node.expressions
        if node.name in FLAGS or (node.name in CUTTING and whole_number(arguments[-1]) == 0):
            return True
        if (function is None or function.kind != "scalar") and node.name not in ("__MAX", "__MIN"):
            return False
        chooses = node.name in ("__CHOOSE", "__IIF")
        return all(map(has_few_values, arguments[1:] if chooses else arguments))
    if isinstance(node, exp.Case):
        results = [branch.args["true"] for branch in node.args["ifs"]]
        return all(map(has_few_values, [*results, *filter(None, [node.args.get("default")])]))
    is_small = (
        (isinstance(node, exp.Sub) and node.this == node.expression)
        or (isinstance(node, exp.Mul) and 0 in map(whole_number, (node.this, node.expression)))
        or (isinstance(node, exp.Mod) and (whole_number(node.expression) or 99) < MAX_BOUNDED)
    )
    return is_small or all(map(has_few_values, children(node)))


def _given(part: exp.Expr) -> dict[str, int]:
    """Return the sources of which a condition gives values, and how many: g.Name IN ('a', 'b')."""
    if isinstance(part, exp.Or):
        branches = [_given(branch) for branch in disjuncts(part)]
        shared = set(branches[0]).intersection(*branches)
        return {key: sum(branch[key] for branch in branches) for key in shared}
    column, count = part.this, 1
    if isinstance(part, exp.EQ):
        left, right = part.this.unnest(), part.expression.unnest()
        column = left if _is_fixed(right) else right if _is_fixed(left) else None
    elif isinstance(part, exp.In) and not part.args.get("query"):
        column, count = part.this, len(part.expressions)
        column = column if all(map(_is_literal, part.expressions)) else None
    elif isinstance(part, exp.Like | exp.Escape):
        like = part.this if isinstance(part, exp.Escape) else part
        column, begin = like.this, (string_value(like.expression) or "%")[0]
        column = None if begin in "%_[" or like.args.get("negate") else column
    else:
        return {}
    column = column.unnest() if column is not None else None
    if not isinstance(column, exp.Column) or has_few_values(column):
        return {}
    return dict.fromkeys(_sources_of(column), count)


def _is_fixed(node: exp.Expr) -> bool:
    """Whether a value is a literal, or the one value of an uncorrelated subquery."""
    if isinstance(node, exp.Select):
        return not any(annotations(column).outer for column in nodes_of(node, exp.Column))
    return _is_literal(node)


def _is_literal(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Neg) else node
    return isinstance(inner, exp.Literal | exp.National)
