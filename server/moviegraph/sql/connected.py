"""Refuses cartesian products: the sources of one FROM must hang together."""

from sqlglot import exp

from moviegraph.sql.patterns import Match, SameLast
from moviegraph.sql.refusal import RefusalError
from moviegraph.sql.scope import Scope

OUTER = "\0outer"
Pairs = set[frozenset[str]]


def check_connected(select: exp.Select, scope: Scope, matches: tuple[Match, ...]) -> None:
    """Refuse two groups of tables that no condition joins, unless one of them is small.

    Small is a one-row aggregate, VALUES, a TOP of a handful, or a table pinned by literals.
    """
    if len(scope.sources) < 2:
        return
    joins: list[exp.Join] = select.args.get("joins") or []
    conditions: list[exp.Expr] = [join.args["on"] for join in joins if join.args.get("on")]
    where = select.args.get("where")
    if where is not None:
        conditions.append(where.this)
    pairs: Pairs = set()
    for condition in conditions:
        pairs |= _pairs(condition, matches)
    for key, source in scope.sources.items():
        pairs |= {frozenset((key, tied)) for tied in source.tied}
    small = {key for key, source in scope.sources.items() if source.bounded}
    small |= _pinned(conditions)
    loose = [group for group in _groups(scope, pairs) if not group & small]
    if len(loose) > 1:
        _refuse(scope, loose)


def _refuse(scope: Scope, groups: list[set[str]]) -> None:
    names = [
        ", ".join(scope.sources[key].alias for key in sorted(group) if key in scope.sources)
        for group in groups
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
    for part in _conjuncts(condition):
        if isinstance(part, exp.Or):
            branches = [_pairs(branch, matches) for branch in _disjuncts(part)]
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
    return {
        OUTER if column.meta.get("outer") else str(column.meta.get("alias", "")).lower()
        for column in node.find_all(exp.Column)
        if column.meta.get("alias")
    }


def _pinned(conditions: list[exp.Expr]) -> set[str]:
    """Return the sources of which some column equals a literal, or is IN literals."""
    found: set[str] = set()
    for condition in conditions:
        for part in _conjuncts(condition):
            if isinstance(part, exp.EQ):
                sides = (part.this.unnest(), part.expression.unnest())
                for side, other in (sides, sides[::-1]):
                    if isinstance(side, exp.Column) and _is_literal(other):
                        found |= _aliases(side)
            elif _is_literal_list(part):
                found |= _aliases(part.this)
    return found - {OUTER}


def _is_literal_list(node: exp.Expr) -> bool:
    listed = isinstance(node, exp.In) and not node.args.get("query")
    return listed and all(_is_literal(each) for each in node.expressions)


def _is_literal(node: exp.Expr) -> bool:
    inner = node.this if isinstance(node, exp.Neg) else node
    return isinstance(inner, exp.Literal | exp.National)


def _conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    return _flatten(condition, exp.And)


def _disjuncts(condition: exp.Expr) -> list[exp.Expr]:
    return _flatten(condition, exp.Or)


def _flatten(condition: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    stack, found = [condition], list[exp.Expr]()
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Paren):
            stack.append(node.this)
        elif isinstance(node, kind):
            stack += [node.this, node.args["expression"]]
        else:
            found.append(node)
    return found
