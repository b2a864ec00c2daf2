"""Caps of TOP, OFFSET and FETCH as literals; `guard.with_one_more_row` adds the row beyond one."""

from dataclasses import dataclass

from sqlglot import exp

from moviegraph.sql.decision import DialectError, RefusalError
from moviegraph.sql.derived_tables import branches, is_one_row, name_outputs
from moviegraph.sql.syntax_tree import annotations, nodes, whole_number
from moviegraph.sql.types import result_types
from moviegraph.text import plural

MAX_OFFSET = 1_000_000_000
UNITED = "u"


@dataclass(frozen=True, slots=True)
class RowLimits:
    """How many rows a statement may return, and how many an inner TOP may keep.

    `top` is both the default where none is written and the clamp.
    """

    top: int
    inner: int


@dataclass(frozen=True, slots=True)
class Capped:
    """The root cap, and the note on it if the guard added or lowered it."""

    rows: int
    note: str | None = None


def apply_limits(tree: exp.Query, limits: RowLimits, notes: list[str]) -> Capped:
    """Cap the root and check every inner limit. Raises RefusalError."""
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    for query in nodes(tree):
        if isinstance(query, exp.Select | exp.SetOperation) and query is not root:
            _check_inner(query, limits, notes)
    if isinstance(root, exp.Select) and root.args.get("offset") is None:
        return _cap_select(root, limits.top, notes)
    assert isinstance(root, exp.Select | exp.SetOperation)
    return _cap_fetch(root, limits.top)


def _has_top(branch: exp.Expr) -> bool:
    return isinstance(branch.unnest().args.get("limit"), exp.Limit)


def separate_tops(root: exp.Query) -> exp.Query:
    """Return a set operation whose branches have TOP as a SELECT of it as a derived table.

    SQL Server reads OFFSET after it as one of the last branch, where it excludes TOP (error 10741):

        SELECT TOP 5 a FROM t UNION SELECT TOP 5 a FROM s
        -> SELECT TOP 20 u.a FROM (SELECT TOP 5 a FROM t UNION SELECT TOP 5 a FROM s) AS u(a)
    """
    if not isinstance(root, exp.SetOperation) or not any(map(_has_top, branches(root))):
        return root
    name_outputs(root)
    first = branches(root)[0].unnest()
    kinds, items, columns = result_types(root), list[exp.Expr](), list[exp.Identifier]()
    for at, (item, kind) in enumerate(zip(first.expressions, kinds, strict=True), 1):
        columns.append(exp.to_identifier(f"c{at}", quoted=True))
        column = exp.Column(this=columns[-1].copy(), table=exp.to_identifier(UNITED, quoted=True))
        notes = annotations(column)
        notes.sql_type, notes.alias = kind, UNITED
        name = item.alias_or_name if isinstance(item, exp.Alias | exp.Column) else ""
        items.append(exp.alias_(column, name, quoted=True) if name else column)
    select = exp.Select(expressions=items)
    for name in ("with_", "order", "offset", "limit"):
        select.set(name, root.args.get(name))
        root.set(name, None)
    alias = exp.TableAlias(this=exp.to_identifier(UNITED, quoted=True), columns=columns)
    select.set("from_", exp.From(this=exp.Subquery(this=root, alias=alias)))
    return select


def _cap_select(select: exp.Select, top: int, notes: list[str]) -> Capped:
    limit = select.args.get("limit")
    if limit is None:
        select.set("limit", _top(top))
        if is_one_row(select):
            return Capped(top)
        return Capped(top, f"TOP {top} was added; {_at_most(top)} listed.")
    requested = _literal_top(limit)
    note = f"TOP {requested} was lowered to {top}, the maximum." if requested > top else None
    rows = min(requested, top)
    if has_ties(limit):
        _check_ties(select)
        # TOP 1 WITH TIES ... ORDER BY ROW_NUMBER() OVER (...) has a row for each group: the cap is
        # the maximum, and the engine fetches no more rows than that.
        limit.set("expression", exp.Literal.number(rows))
        notes += [note] if note else []
        return Capped(top)
    select.set("limit", _top(rows))
    return Capped(rows, note)


def has_ties(limit: exp.Expr) -> bool:
    """Return whether a limit is TOP n WITH TIES."""
    options = limit.args.get("limit_options")
    return options is not None and bool(options.args.get("with_ties"))


def _check_ties(query: exp.Query) -> None:
    if query.args.get("order") is None:
        raise DialectError("TOP n WITH TIES needs an ORDER BY to tie by.")
    if query.args.get("for_") is not None:
        raise DialectError("FOR JSON takes a plain TOP: SELECT TOP 20 ... FOR JSON PATH.")


def _at_most(top: int) -> str:
    return f"at most {plural(top, 'row')} {'is' if top == 1 else 'are'}"


def _cap_fetch(query: exp.Query, top: int) -> Capped:
    """Cap a set operation, or a SELECT with OFFSET, by FETCH NEXT."""
    limit = query.args.get("limit")
    _check_offset(query)
    requested = _fetch_count(limit) if limit is not None else None
    rows = top if requested is None else min(requested, top)
    note = None
    if requested is None:
        note = f"FETCH NEXT {top} ROWS was added; {_at_most(top)} listed."
    elif requested > top:
        note = f"FETCH NEXT {requested} was lowered to {top}, the maximum."
    if query.args.get("order") is None:
        ordinal = exp.Ordered(this=exp.Literal.number(1), nulls_first=True)
        query.set("order", exp.Order(expressions=[ordinal]))
    if query.args.get("offset") is None:
        query.set("offset", exp.Offset(expression=exp.Literal.number(0)))
    query.set("limit", _fetch(rows))
    return Capped(rows, note)


def _fetch_count(limit: exp.Expr) -> int:
    """Return the count of FETCH, or of a LIMIT after a set operation."""
    if isinstance(limit, exp.Fetch):
        options = limit.args.get("limit_options")
        if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
            raise RefusalError(
                "not_allowed", "FETCH takes a number of rows: FETCH NEXT 20 ROWS ONLY."
            )
        return _count(limit.args.get("count"))
    return _literal_top(limit)


def _check_offset(query: exp.Query) -> None:
    offset = query.args.get("offset")
    if offset is None:
        return
    if _count(offset.expression) > MAX_OFFSET:
        raise RefusalError("too_large", f"OFFSET is at most {MAX_OFFSET:,}; use a WHERE.")
    if query.args.get("order") is None:
        raise DialectError("OFFSET needs an ORDER BY before it: ORDER BY x OFFSET ...")


def _literal_top(limit: exp.Expr) -> int:
    if not isinstance(limit, exp.Limit):
        raise DialectError("FETCH needs an OFFSET: ORDER BY x OFFSET 0 ROWS FETCH ...")
    options = limit.args.get("limit_options")
    if options is not None and options.args.get("percent"):
        raise RefusalError("not_allowed", "TOP n PERCENT is not allowed; write TOP n.")
    return _count(limit.expression)


def _count(node: exp.Expr | None) -> int:
    count = whole_number(node) if node is not None else None
    if count is None:
        raise RefusalError(
            "not_allowed",
            "TOP, OFFSET and FETCH take a plain number, no expression or variable: TOP 20.",
        )
    return count


def _check_inner(query: exp.Query, limits: RowLimits, notes: list[str]) -> None:
    limit = query.args.get("limit")
    if limit is not None:
        _clamp_inner(query, limit, limits.inner, notes)
    _check_offset(query)
    json = query.args.get("for_") is not None
    if json and limit is None:
        raise DialectError("A subquery with FOR JSON needs a TOP: SELECT TOP 20 ...")
    unlimited = limit is None and query.args.get("offset") is None
    if query.args.get("order") is not None and unlimited and not _is_arm_of_root(query):
        raise RefusalError(
            "order_by_needs_top",
            "ORDER BY in a CTE, subquery or derived table needs a TOP; move it to the outer "
            "SELECT, or add TOP.",
        )


def _is_arm_of_root(query: exp.Query) -> bool:
    return isinstance(query.parent, exp.SetOperation) and query.parent.parent is None


def _clamp_inner(query: exp.Query, limit: exp.Expr, max_rows: int, notes: list[str]) -> None:
    if isinstance(limit, exp.Fetch):
        if _fetch_count(limit) > max_rows:
            notes.append(f"An inner FETCH was lowered to {max_rows}.")
            query.set("limit", _fetch(max_rows))
        return
    if isinstance(query, exp.SetOperation):
        raise DialectError(
            "A UNION inside a statement is cut by ORDER BY x OFFSET 0 ROWS FETCH NEXT n ROWS ONLY."
        )
    options = limit.args.get("limit_options")
    if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
        _check_share(query, limit, max_rows, notes)
        return
    requested = _count(limit.expression)
    if requested > max_rows:
        notes.append(f"An inner TOP {requested} was lowered to {max_rows}.")
    query.set("limit", _top(min(requested, max_rows)))


def _check_share(query: exp.Query, limit: exp.Expr, max_rows: int, notes: list[str]) -> None:
    """Check an inner TOP with PERCENT or WITH TIES; it keeps its meaning."""
    options = limit.args["limit_options"]
    if has_ties(limit):
        _check_ties(query)
    elif query.args.get("for_") is not None:
        raise DialectError("FOR JSON takes a plain TOP: SELECT TOP 20 ... FOR JSON PATH.")
    limit.set("expression", limit.expression.unnest())
    if options.args.get("percent"):
        share = limit.expression
        if not isinstance(share, exp.Literal) or share.is_string or not float(share.name) <= 100:
            raise RefusalError("not_allowed", "TOP n PERCENT takes a plain number from 0 to 100.")
    elif _count(limit.expression) > max_rows:
        notes.append(f"An inner TOP {limit.expression.name} was lowered to {max_rows}.")
        limit.set("expression", exp.Literal.number(max_rows))


def _top(count: int) -> exp.Limit:
    return exp.Limit(expression=exp.Literal.number(count))


def _fetch(count: int) -> exp.Fetch:
    options = exp.LimitOptions(percent=False, rows=True, with_ties=False)
    return exp.Fetch(direction="NEXT", count=exp.Literal.number(count), limit_options=options)


def root_count(query: exp.Expr) -> exp.Literal | None:
    """Return the number of TOP or FETCH; none of TOP n WITH TIES, which bounds no rows."""
    limit = query.args.get("limit")
    if limit is None or has_ties(limit):
        return None
    value = limit.args.get("count" if isinstance(limit, exp.Fetch) else "expression")
    inner = value.unnest() if value is not None else None
    return inner if isinstance(inner, exp.Literal) else None
