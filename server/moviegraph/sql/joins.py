"""Items and joins of a FROM: cartesian products and joins that no edge can meet are refused."""

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from sqlglot import exp

from moviegraph.contract.model import Contract, EdgeTable
from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.derived_tables import MAX_BOUNDED
from moviegraph.sql.functions import FUNCTIONS
from moviegraph.sql.match_checks import directions_of
from moviegraph.sql.match_patterns import Match, SameLast
from moviegraph.sql.scope import Scope, column_text
from moviegraph.sql.syntax_tree import (
    annotations,
    children,
    conjuncts,
    disjuncts,
    nodes_above,
    nodes_of,
    whole_number,
)

Item = exp.Expr
PIVOTED_JOIN = (
    "PIVOT follows one table or derived table; put the join into a derived table: "
    "FROM (SELECT ... FROM a JOIN b ON ...) AS s PIVOT (...) AS p."
)
OUTER = "\0outer"
EXTREMES = frozenset({"__MAX", "__MIN"})
FLAGS = frozenset({"__ISJSON", "__SIGN"})
CUTTING = frozenset({"__LEFT", "__REPLICATE", "__RIGHT", "__SPACE", "__SUBSTRING"})
CHOOSING = frozenset({"__CHOOSE", "__IIF"})
SEARCHES = ("__CONTAINS", "__FREETEXT")
MAX_PRODUCT = 10_000
MAX_PRODUCT_WITH_TABLES = 1_000
Pairs = set[frozenset[str]]
OTHER_END = {"$from_id": "$to_id", "$to_id": "$from_id"}


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
    clause = select.args.get("from_")
    stack: list[Item] = [clause.this] if clause is not None else []
    stack += [join.this for join in joins_of(select)]
    items: list[Item] = []
    for item in stack:
        inner = item
        while isinstance(inner, exp.Subquery) and _holds_join(inner):
            stack += [join.this for join in joins_of(inner)]
            inner = inner.this
        stack += [join.this for join in joins_of(inner)]
        items.append(inner)
    return items


def all_joins(select: exp.Select) -> list[exp.Join]:
    """Return the joins of a SELECT, nested ones included."""
    clause = select.args.get("from_")
    stack: list[exp.Expr] = [select, *([clause.this] if clause is not None else [])]
    joins: list[exp.Join] = []
    for node in stack:
        joins += joins_of(node)
        stack += [join.this for join in joins_of(node)]
        if isinstance(node, exp.Subquery) and _holds_join(node):
            stack.append(node.this)
    return joins


def join_conditions(select: exp.Select) -> list[exp.Expr]:
    """Return the conditions by which a SELECT joins its sources: of ON, and of WHERE."""
    conditions: list[exp.Expr] = [j.args["on"] for j in all_joins(select) if j.args.get("on")]
    where = select.args.get("where")
    return conditions if where is None else [*conditions, where.this]


def is_comma(join: exp.Join) -> bool:
    """Whether a join is a comma, rather than JOIN or APPLY."""
    words = join.args.get("on") or join.args.get("kind") or join.args.get("side")
    return not words and not isinstance(join.this, exp.Lateral)


def check_connected(select: exp.Select, scope: Scope, matches: tuple[Match, ...]) -> None:
    """Refuse two groups of tables that no condition joins, unless one of them is small.

    Tiny is a one-row aggregate, VALUES, a TOP of a handful, or a table pinned by literals. A group
    that only hangs on such a one is held: with another group it needs some condition, or a
    VECTOR_DISTANCE, between the two. What a SELECT comes to is kept for those that read it.
    """
    conditions = join_conditions(select)
    pairs = set[frozenset[str]]().union(*(_pairs(condition, matches) for condition in conditions))
    for key, source in scope.sources.items():
        pairs |= {frozenset((key, tied)) for tied in source.tied}
    extents = SourceSizes.of(scope, conditions)
    groups = _groups(scope, pairs)
    loose = [group for group in groups if not group & extents.anchors]
    wide = [group for group in groups if not group - {OUTER} <= extents.tiny]
    annotations(select).extent = "" if loose else "held" if wide else "tiny"
    if len(loose) > 1:
        _refuse_product(scope, loose)
    if len(wide) > 1:
        linked = _groups(scope, pairs | _links(select, conditions))
        apart = [group for group in linked if any(group >= item for item in wide)]
        if len(apart) > 1:
            _refuse_product(scope, apart)
    sizes = {item.alias_or_name.lower(): _rows(item) for item in items_of(select)}
    rows = _group_rows(groups, sizes | extents.listed)
    _check_product(rows, crowded=bool(wide))


def _refuse_product(scope: Scope, groups: list[set[str]]) -> None:
    names = [
        ", ".join(scope.sources[key].alias for key in sorted(group) if key in scope.sources)
        for group in sorted(groups, key=sorted)
    ]
    raise RefusalError(
        "cartesian_product",
        f"Nothing joins {names[0]} with {names[1]}, so every row would meet every other. Join them "
        "with MATCH or an equality (a.Id = b.Id), or pin one side to a literal.",
    )


def _groups(scope: Scope, pairs: Pairs) -> list[set[str]]:
    groups: list[set[str]] = [{key} for key in scope.sources]
    for pair in pairs:
        touching = [group for group in groups if group & pair]
        if touching:
            merged = set[str]().union(pair, *touching)
            groups = [group for group in groups if group not in touching] + [merged]
    return groups


def _pairs(condition: exp.Expr, matches: tuple[Match, ...]) -> Pairs:
    """Return the pairs of sources that a condition surely joins.

    An equality with the same source on both sides, as in a.Id = a.Id + b.Id - b.Id, joins nothing,
    and neither does one of values that are the same in most rows.
    """
    pairs: Pairs = set()
    for part in conjuncts(condition):
        if isinstance(part, exp.Or):
            branches = [_pairs(branch, matches) for branch in disjuncts(part)]
            pairs |= set[frozenset[str]].intersection(*branches)
        elif isinstance(part, exp.EQ):
            left, right = _aliases(part.this), _aliases(part.expression)
            few = has_few_values(part.this) or has_few_values(part.expression)
            pairs |= _across(left, right) if left.isdisjoint(right) and not few else set()
        elif isinstance(part, exp.Anonymous) and part.name == "__MATCH":
            pairs |= _matched(matches[int(part.expressions[0].name)])
    return pairs


def has_few_values(node: exp.Expr) -> bool:
    """Return whether an expression has one or a few values, whatever rows its sources have."""
    node = node.unnest()
    if isinstance(node, exp.Column):
        return annotations(node).few_values
    if isinstance(node, exp.Select):
        return _is_fixed(node)
    if isinstance(node, exp.Sub) and node.this == node.expression:
        return True
    if isinstance(node, exp.Mul) and any(_is_zero(side) for side in (node.this, node.expression)):
        return True
    if isinstance(node, exp.Mod) and (whole_number(node.expression) or MAX_BOUNDED) < MAX_BOUNDED:
        return True
    if isinstance(node, exp.Case):
        branches = [branch.args["true"] for branch in node.args["ifs"]]
        return all(map(has_few_values, [*branches, *filter(None, [node.args.get("default")])]))
    if isinstance(node, exp.Anonymous):
        return _returns_few_values(node)
    return not isinstance(node, exp.Query | exp.Window | exp.Parameter) and all(
        map(has_few_values, children(node))
    )


def _returns_few_values(call: exp.Anonymous) -> bool:
    function, arguments = FUNCTIONS.get(call.name[2:]), call.expressions
    if function is None or function.kind != "scalar":
        return call.name in EXTREMES and has_few_values(arguments[0])
    if call.name in FLAGS or (call.name in CUTTING and _is_zero(arguments[-1])):
        return True
    values = arguments[1:] if call.name in CHOOSING else arguments
    return all(map(has_few_values, values))


def _is_zero(node: exp.Expr) -> bool:
    return whole_number(node) == 0


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


def _across(left: set[str], right: set[str]) -> Pairs:
    return {frozenset((a, b)) for a in left for b in right if a != b}


def _aliases(node: exp.Expr) -> set[str]:
    """Return the sources that an expression names; of a subquery in it, those around it."""
    aliases: set[str] = set()
    for item in nodes_above(node, lambda n: isinstance(n, exp.Select | exp.SetOperation)):
        if isinstance(item, exp.Select | exp.SetOperation):
            inner = [c for c in nodes_of(item, exp.Column) if annotations(c).outer]
            aliases |= {annotations(c).alias.lower() for c in inner}
        elif isinstance(item, exp.Column) and annotations(item).alias:
            aliases.add(OUTER if annotations(item).outer else annotations(item).alias.lower())
    return aliases


def _links(select: exp.Select, conditions: list[exp.Expr]) -> Pairs:
    """Return the pairs of sources that any condition or distance looks at together."""
    parts = [part for condition in conditions for part in conjuncts(condition)]
    calls = nodes_above(select, lambda n: n is not select and isinstance(n, exp.Query))
    parts += [n for n in calls if isinstance(n, exp.Anonymous) and n.name == "__VECTOR_DISTANCE"]
    pairs: Pairs = set()
    for part in parts:
        names = _aliases(part)
        pairs |= _across(names, names)
    return pairs


def _group_rows(groups: list[set[str]], sizes: dict[str, int]) -> list[int]:
    return [max(sizes.get(key, 1) for key in group) for group in groups]


def _check_product(counts: list[int], *, crowded: bool) -> None:
    """Refuse small sources that multiply."""
    rows, max_rows = prod(counts), MAX_PRODUCT_WITH_TABLES if crowded else MAX_PRODUCT
    if rows > max_rows:
        raise RefusalError(
            "cartesian_product",
            f"The small tables of this FROM multiply to {rows:,} rows, and {max_rows:,} is the "
            "most; join them, or list fewer.",
        )


def _rows(item: exp.Expr) -> int:
    """Return how many rows VALUES or a TOP has; 1 for anything else."""
    inner = item.this if isinstance(item, exp.Lateral) else item
    inner = inner.this if isinstance(inner, exp.Subquery) else inner
    if isinstance(inner, exp.Values):
        return len(inner.expressions)
    limit = inner.args.get("limit")
    count = limit.expression.name if isinstance(limit, exp.Limit) and limit.expression else ""
    return min(int(count), MAX_BOUNDED) if count.isdigit() and int(count) else 1


@dataclass(frozen=True, slots=True)
class SourceSizes:
    """Which sources are small by themselves, and which at least hang on a literal.

    Attributes:
        tiny: A handful of rows.
        anchors: Those, and derived tables and searches that hang on a literal.
        listed: For sources pinned by a list, its length.
    """

    tiny: set[str]
    anchors: set[str]
    listed: dict[str, int]

    @staticmethod
    def of(scope: Scope, conditions: list[exp.Expr]) -> "SourceSizes":
        """Return the extents of the sources of one FROM."""
        pins: dict[str, int] = {}
        searched: set[str] = set()
        for part in (part for condition in conditions for part in conjuncts(condition)):
            for alias, size in _pins(part).items():
                pins[alias] = min(size, pins.get(alias, size))
            if isinstance(part, exp.Anonymous) and part.name in SEARCHES:
                searched |= _aliases(part)
        tiny = {key for key, source in scope.sources.items() if source.bounded} | pins.keys()
        bounded = {key for key, source in scope.sources.items() if source.held}
        tiny -= {OUTER}
        return SourceSizes(tiny, tiny | bounded | (searched - {OUTER}), pins)


def _pins(part: exp.Expr) -> dict[str, int]:
    """Return the sources that a condition pins to literals, and to how many."""
    if isinstance(part, exp.Or):
        branches = [_pins(branch) for branch in disjuncts(part)]
        shared = set(branches[0]).intersection(*branches)
        return {alias: sum(branch[alias] for branch in branches) for alias in shared}
    if isinstance(part, exp.EQ):
        operands = (part.this.unnest(), part.expression.unnest())
        pinned = [
            a
            for a, b in (operands, operands[::-1])
            if isinstance(a, exp.Column) and _is_fixed(b) and not has_few_values(a)
        ]
        return {alias: 1 for side in pinned for alias in _aliases(side)}
    value_list = part.this.unnest() if _is_literal_list(part) else None
    if isinstance(value_list, exp.Column) and not has_few_values(value_list):
        return dict.fromkeys(_aliases(part.this), len(part.expressions))
    if isinstance(part, exp.Like | exp.Escape):
        like = part.this if isinstance(part, exp.Escape) else part
        begins = like.expression.unnest()
        text = str(begins.this) if _is_literal(begins) else ""
        is_begun = text[:1] not in ("", "%", "_", "[") and not like.args.get("negate")
        if is_begun and not has_few_values(like.this):
            return dict.fromkeys(_aliases(like.this), 1)
    return {}


def _is_fixed(node: exp.Expr) -> bool:
    """Whether a value is a literal, or the one value of an uncorrelated subquery."""
    if isinstance(node, exp.Select):
        return not any(annotations(column).outer for column in nodes_of(node, exp.Column))
    return _is_literal(node)


def _is_literal_list(node: exp.Expr) -> bool:
    is_list = isinstance(node, exp.In) and not node.args.get("query")
    return is_list and all(_is_literal(argument) for argument in node.expressions)


def _is_literal(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Neg) else node
    return isinstance(inner, exp.Literal | exp.National)


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
