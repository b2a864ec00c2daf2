"""Refuses cartesian products: the sources of one FROM must hang together."""

from dataclasses import dataclass
from math import prod

from sqlglot import exp

from moviegraph.sql.derived import MAX_BOUNDED
from moviegraph.sql.froms import items_of, joining
from moviegraph.sql.patterns import Match, SameLast
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Scope
from moviegraph.sql.walk import above, conjuncts, disjuncts, of_kind

OUTER = "\0outer"
SEARCHES = ("__CONTAINS", "__FREETEXT")
MOST_ROWS = 10_000
MOST_BESIDE = 1_000
Pairs = set[frozenset[str]]


def check_connected(select: exp.Select, scope: Scope, matches: tuple[Match, ...]) -> None:
    """Refuse two groups of tables that no condition joins, unless one of them is small.

    Tiny is a one-row aggregate, VALUES, a TOP of a handful, or a table pinned by literals. A group
    that only hangs on such a one is held: beside another group it needs some condition, or a
    VECTOR_DISTANCE, between the two. What a SELECT comes to is kept for those that read it, and so
    is whether small tables multiply, for then the length of a list decides.
    """
    conditions = joining(select)
    pairs = set[frozenset[str]]().union(*(_pairs(each, matches) for each in conditions))
    for key, source in scope.sources.items():
        pairs |= {frozenset((key, tied)) for tied in source.tied}
    extents = Extents.of(scope, conditions)
    groups = _groups(scope, pairs)
    loose = [group for group in groups if not group & extents.anchors]
    wide = [group for group in groups if not group - {OUTER} <= extents.tiny]
    select.meta["extent"] = "" if loose else "held" if wide else "tiny"
    if len(loose) > 1:
        _refuse(scope, loose)
    if len(wide) > 1:
        linked = _groups(scope, pairs | _links(select, conditions))
        apart = [group for group in linked if any(group >= each for each in wide)]
        if len(apart) > 1:
            _refuse(scope, apart)
    sizes = {item.alias_or_name.lower(): _rows(item) for item in items_of(select)}
    rows = _group_rows(groups, sizes | extents.listed)
    select.meta["multiplied"] = sum(count > 1 for count in rows) > 1
    _check_product(rows, crowded=bool(wide))


def _refuse(scope: Scope, groups: list[set[str]]) -> None:
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
    """Return the pairs of sources that a condition surely joins."""
    found: Pairs = set()
    for part in conjuncts(condition):
        if isinstance(part, exp.Or):
            branches = [_pairs(branch, matches) for branch in disjuncts(part)]
            found |= set[frozenset[str]].intersection(*branches)
        elif isinstance(part, exp.EQ):
            found |= _across(_aliases(part.this), _aliases(part.expression))
        elif isinstance(part, exp.Anonymous) and part.name == "__MATCH":
            found |= _matched(matches[int(part.expressions[0].name)])
    return found


def _matched(match: Match) -> Pairs:
    found: Pairs = set()
    for pattern in match.patterns:
        if isinstance(pattern, SameLast):
            found.add(frozenset((pattern.left.lower(), pattern.right.lower())))
            continue
        for hop in pattern.hops():
            names = [name.lower() for name in hop]
            found |= {frozenset(names[:2]), frozenset(names[::2])}
    return found


def _across(left: set[str], right: set[str]) -> Pairs:
    return {frozenset((a, b)) for a in left for b in right if a != b}


def _aliases(node: exp.Expr) -> set[str]:
    """Return the sources that an expression names; of a subquery in it, those around it."""
    found: set[str] = set()
    for each in above(node, lambda n: isinstance(n, exp.Select | exp.SetOperation)):
        if isinstance(each, exp.Select | exp.SetOperation):
            inner = [c for c in of_kind(each, exp.Column) if c.meta.get("outer")]
            found |= {str(c.meta["alias"]).lower() for c in inner}
        elif isinstance(each, exp.Column) and each.meta.get("alias"):
            found.add(OUTER if each.meta.get("outer") else str(each.meta["alias"]).lower())
    return found


def _links(select: exp.Select, conditions: list[exp.Expr]) -> Pairs:
    """Return the pairs of sources that any condition or distance looks at together."""
    parts = [part for condition in conditions for part in conjuncts(condition)]
    calls = above(select, lambda n: n is not select and isinstance(n, exp.Query))
    parts += [n for n in calls if isinstance(n, exp.Anonymous) and n.name == "__VECTOR_DISTANCE"]
    found: Pairs = set()
    for part in parts:
        names = _aliases(part)
        found |= _across(names, names)
    return found


def _group_rows(groups: list[set[str]], sizes: dict[str, int]) -> list[int]:
    return [max(sizes.get(key, 1) for key in group) for group in groups]


def _check_product(counts: list[int], *, crowded: bool) -> None:
    """Refuse small sources that multiply."""
    rows, most = prod(counts), MOST_BESIDE if crowded else MOST_ROWS
    if rows > most:
        raise RefusalError(
            "cartesian_product",
            f"The small tables of this FROM multiply to {rows:,} rows, and {most:,} is the most; "
            "join them, or list fewer.",
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
class Extents:
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
    def of(scope: Scope, conditions: list[exp.Expr]) -> "Extents":
        """Return the extents of the sources of one FROM."""
        pins: dict[str, int] = {}
        searched: set[str] = set()
        for part in (part for condition in conditions for part in conjuncts(condition)):
            for alias, size in _pins(part).items():
                pins[alias] = min(size, pins.get(alias, size))
            if isinstance(part, exp.Anonymous) and part.name in SEARCHES:
                searched |= _aliases(part)
        tiny = {key for key, source in scope.sources.items() if source.bounded} | pins.keys()
        held = {key for key, source in scope.sources.items() if source.held}
        tiny -= {OUTER}
        return Extents(tiny, tiny | held | (searched - {OUTER}), pins)


def _pins(part: exp.Expr) -> dict[str, int]:
    """Return the sources that a condition pins to literals, and to how many."""
    if isinstance(part, exp.Or):
        branches = [_pins(branch) for branch in disjuncts(part)]
        shared = set(branches[0]).intersection(*branches)
        return {alias: sum(branch[alias] for branch in branches) for alias in shared}
    if isinstance(part, exp.EQ):
        sides = (part.this.unnest(), part.expression.unnest())
        pinned = [a for a, b in (sides, sides[::-1]) if isinstance(a, exp.Column) and _is_fixed(b)]
        return {alias: 1 for side in pinned for alias in _aliases(side)}
    if _is_literal_list(part) and isinstance(part.this.unnest(), exp.Column):
        return dict.fromkeys(_aliases(part.this), len(part.expressions))
    if isinstance(part, exp.Like | exp.Escape):
        like = part.this if isinstance(part, exp.Escape) else part
        begins = like.expression.unnest()
        text = str(begins.this) if _is_literal(begins) else ""
        if text[:1] not in ("", "%", "_", "[") and not like.args.get("negate"):
            return dict.fromkeys(_aliases(like.this), 1)
    return {}


def _is_fixed(node: exp.Expr) -> bool:
    """Whether a value is a literal, or one value of an aggregate that stands by itself."""
    if isinstance(node, exp.Select):
        return not any(column.meta.get("outer") for column in of_kind(node, exp.Column))
    return _is_literal(node)


def _is_literal_list(node: exp.Expr) -> bool:
    listed = isinstance(node, exp.In) and not node.args.get("query")
    return listed and all(_is_literal(each) for each in node.expressions)


def _is_literal(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Neg) else node
    return isinstance(inner, exp.Literal | exp.National)
